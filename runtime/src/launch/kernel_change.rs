//! Other kernels that a launch goes on with, between two chunks of its top loop.
//!
//! Between chunks arrays and frame are as the program has them, whatever the kernel: CPython could go on from there. So
//! can another kernel with the same variables. One is asked for where a guard fails that means nothing, and where the
//! launch has taken so long that another device turns out to be the better one.

use std::sync::Arc;

use nestwise_costmodel::{Decision, Device, Lesson, Seconds};
use nestwise_ir::Tier;
use nestwise_tiering::tiers::is_worth_beginning;

use crate::host::Host;
use crate::kernel::Kernel;
use crate::kernel::get::{find, get};
use crate::kernel::key::Key;
use crate::kernel::order::{could_share, making, may_order, order, order_abilities};
use crate::launch::call::Call;
use crate::launch::others::{Change, Others};
use crate::launch::outcome::Launch;
use crate::memory::index_facts::Seen;
use crate::options::TierChoice;
use crate::plan::price::reconsider;
use crate::plan::sharing::knows_abilities;
use crate::value::HasValue;

/// The kernels of a nest that the launch of one call may go on with.
pub(crate) struct OtherKernels<'a, V> {
    pub(crate) call: Call<'a, V>,
    /// The key of the kernel that runs now.
    pub(crate) key: Key,
}

impl<V: HasValue> Others for OtherKernels<'_, V> {
    fn quiet(&mut self) -> Option<Arc<Kernel>> {
        let Call { plan, options, .. } = self.call;
        if !plan.analysed.compares_floats() || !plan.kernels.make_quiet() {
            return None;
        }
        self.key.quiet = true;
        let made = get(plan, &self.key, options, self.call.entry.entered);
        made.ok().map(|(kernel, _)| kernel)
    }

    fn optimised(&mut self, launch: &Launch, host: &dyn Host) -> Option<Change> {
        let Call { plan, options, .. } = self.call;
        let decision = launch.decision.with_optimised_code();
        if options.tier == Some(TierChoice::Switch) {
            let tier = match self.key.tier {
                Tier::Quick => Tier::Optimised,
                Tier::Optimised => Tier::Quick,
            };
            let (_, seen) = self.call.key(launch.device, host);
            let key = self.key.clone().of(tier);
            let (kernel, _) = get(plan, &key, options, self.call.entry.entered).ok()?;
            return self.take(launch, (key, seen), kernel, launch.decision);
        }
        if self.key.tier == Tier::Optimised {
            return None;
        }
        if !plan.tiers.has_optimised(decision.device) {
            // There may have been no room when the launch began.
            self.call.order_missing(&launch.decision, host);
            return None;
        }
        let (key, seen) = self.call.key(decision.device, host);
        let (kernel, _) = find(plan, &key)?;
        self.take(launch, (key, seen), kernel, decision)
    }

    fn better(
        &mut self,
        launch: &Launch,
        part: f64,
        seconds: Seconds,
        host: &dyn Host,
    ) -> Option<Change> {
        let decision = match self.call.options.forced {
            Some(_) => launch.decision.forced(other(launch.device)),
            None => {
                let decision = self.reconsidered(launch, part, seconds)?;
                if !decision.is_other(launch.device) {
                    self.order_next(launch, &decision, seconds * (1.0 / part), host);
                    return None;
                }
                decision
            }
        };
        self.change(launch, decision, host)
    }
}

impl<V: HasValue> OtherKernels<'_, V> {
    /// The decision if the launch is priced by what was measured: `part` of the loop took `seconds`.
    fn reconsidered(&self, launch: &Launch, part: f64, seconds: Seconds) -> Option<Decision> {
        let Call {
            plan,
            sizes,
            entry,
            options,
            ..
        } = self.call;
        let free = options.learning && options.learns();
        // Half-way such a nest runs in the order as written, whatever the device.
        let fixed = entry.is_halfway() && plan.analysed.verdicts().counts_from_entry();
        if !free || fixed || launch.decision.trial.is_some() {
            return None;
        }
        let lesson = Lesson {
            device: launch.device,
            modelled: launch.decision.of(launch.device).raw,
            measured: seconds * (1.0 / part),
            launches: 1,
            trial: None,
            guessed: launch.is_guess(),
        };
        let ready = launch.decision.ready;
        Some(reconsider(
            plan,
            &lesson,
            sizes,
            entry.captures,
            ready,
            options,
        ))
    }

    /// Has made, beside the launch, what could shorten the rest of it, or has it found out whether anything could.
    /// `whole`: the time that all of the loop would take at its pace.
    fn order_next(&self, launch: &Launch, decision: &Decision, whole: Seconds, host: &dyn Host) {
        let Call {
            plan,
            sizes,
            options,
            ..
        } = self.call;
        let rest = whole * launch.rest();
        if !may_order(plan, options) || plan.tiers.is_making() || launch.decision.trial.is_some() {
            return;
        }
        if !knows_abilities(plan, sizes) {
            if could_share(plan, rest, options) {
                order_abilities(plan, sizes, options);
            }
            return;
        }
        let (wanted, saved) = match decision.missed() {
            Some((device, saved)) if device != launch.device => (device, saved * launch.rest()),
            _ => return,
        };
        if !plan.tiers.has_optimised(wanted)
            && is_worth_beginning(saved, making(plan, wanted, Tier::Optimised))
        {
            order(plan, self.call.key(wanted, host).0, options);
        }
    }

    /// The change to the kernel of a decision, if it has the same variables; none as long as it has to be made, which
    /// is done beside the launch.
    fn change(&mut self, launch: &Launch, decision: Decision, host: &dyn Host) -> Option<Change> {
        let Call { plan, options, .. } = self.call;
        let (key, seen) = self.call.key(decision.device, host);
        let kernel = match find(plan, &key) {
            Some((kernel, _)) => kernel,
            None if options.forced.is_some() => {
                get(plan, &key, options, self.call.entry.entered).ok()?.0
            }
            None => {
                order(plan, key, options);
                return None;
            }
        };
        self.take(launch, (key, seen), kernel, decision)
    }

    fn take(
        &mut self,
        launch: &Launch,
        (key, seen): (Key, Vec<Seen>),
        kernel: Arc<Kernel>,
        decision: Decision,
    ) -> Option<Change> {
        if !launch.may_go_on(&kernel) {
            return None;
        }
        self.key = key;
        Some(Change {
            kernel,
            decision,
            seen,
        })
    }
}

fn other(device: Device) -> Device {
    match device {
        Device::Threads => Device::Serial,
        _ => Device::Threads,
    }
}
