//! Other kernels that a launch goes on with, between two chunks of its top loop.
//!
//! Between chunks arrays and frame are as the program has them, whatever the kernel: CPython could go on from there. So can
//! another kernel with the same variables. It is asked for where something fires that means nothing, and where the launch
//! has taken so long that another device turns out to be the better one.

use std::sync::Arc;
use std::time::Instant;

use nestwise_costmodel::{Decision, Device, Lesson, Seconds};
use nestwise_ir::Tier;
use nestwise_tiering::constants::ORDER_SHARE;

use crate::launch::{Launch, proof};
use crate::memory::index_facts::Seen;
use crate::memory::overlap::ArrayView;
use crate::options::{Options, TierChoice};
use crate::pipeline::{HasValue, Host};
use crate::plan::{Kernel, Key, Plan, Sizes};

/// What a launch may ask for.
pub trait Others {
    /// A kernel that a NaN in a comparison does not make raise a flag, if there is another one.
    fn quiet(&mut self) -> Option<Arc<Kernel>>;

    /// The optimised code that quick code stands in for, once it is there.
    fn optimised(&mut self, launch: &Launch, host: &dyn Host) -> Option<Change>;

    /// What is better from here on: the last chunks, this part of the whole loop (above 0), took so long.
    fn better(
        &mut self,
        launch: &Launch,
        part: f64,
        seconds: f64,
        host: &dyn Host,
    ) -> Option<Change>;
}

/// How a launch goes on.
pub struct Change {
    pub kernel: Arc<Kernel>,
    pub decision: Decision,
    /// What the kernel relies on.
    pub seen: Vec<Seen>,
}

/// A call, for whatever device.
pub(crate) struct Call<'a> {
    pub plan: &'a Arc<Plan>,
    pub sizes: &'a Arc<Sizes>,
    pub views: &'a [ArrayView],
    /// It goes on where CPython was, half-way through its own counter.
    pub resumed: bool,
    pub options: &'a Arc<Options>,
}

impl Call<'_> {
    /// What a kernel for that device has to be made for, and what it relies on.
    pub fn key(&self, device: Device, host: &dyn Host) -> (Key, Vec<Seen>) {
        let Call {
            plan,
            sizes,
            views,
            resumed,
            options,
        } = *self;
        let proof = proof::prove(plan, sizes, views, device, host, options);
        let facts = (&**sizes, &proof.proven, proof.elements);
        let key = plan.key(facts, (resumed, host.is_value()), views, device, options);
        (key, proof.seen)
    }

    /// Has code made beside that would shorten such launches, optimised code for what quick code stands in for or code for the other
    /// native device (and before it finds out what threads could do), once that is worth it and there is room.
    pub fn order_missing(&self, decision: &Decision, host: &dyn Host) {
        let (plan, options) = (self.plan, self.options);
        let missing = decision.missed().map_or(Device::Threads, |m| m.0);
        if !plan.is_due((missing, Tier::Optimised), options) {
            return;
        }
        if missing == Device::Threads && !plan.knows_abilities(self.sizes) {
            plan.order_abilities(self.sizes, options);
        } else {
            plan.order(self.key(missing, host).0, options);
        }
    }
}

/// The kernels of a plan for one call.
pub(crate) struct Kernels<'a, V> {
    pub call: Call<'a>,
    pub captures: &'a [V],
    pub entered: Instant,
    /// What the kernel that runs now was made for.
    pub key: Key,
}

impl<V: HasValue> Others for Kernels<'_, V> {
    fn quiet(&mut self) -> Option<Arc<Kernel>> {
        let Call { plan, options, .. } = self.call;
        if !plan.make_quiet() {
            return None;
        }
        self.key.quiet = true;
        let made = plan.kernel(&self.key, options, self.entered);
        made.ok().map(|(kernel, _)| kernel)
    }

    fn optimised(&mut self, launch: &Launch, host: &dyn Host) -> Option<Change> {
        let Call { plan, options, .. } = self.call;
        let decision = launch.decision.settled();
        if options.tier == Some(TierChoice::Switch) {
            let tier = match self.key.tier {
                Tier::Quick => Tier::Optimised,
                Tier::Optimised => Tier::Quick,
            };
            let (_, seen) = self.call.key(launch.device, host);
            let key = self.key.clone().of(tier);
            let (kernel, _) = plan.kernel(&key, options, self.entered).ok()?;
            return self.take(launch, (key, seen), kernel, launch.decision);
        }
        if self.key.tier == Tier::Optimised {
            return None;
        }
        if !plan.has_made(decision.device) {
            // There may have been no room when the launch began.
            self.call.order_missing(&launch.decision, host);
            return None;
        }
        let (key, seen) = self.call.key(decision.device, host);
        let (kernel, _) = plan.find(&key)?;
        self.take(launch, (key, seen), kernel, decision)
    }

    fn better(
        &mut self,
        launch: &Launch,
        part: f64,
        seconds: f64,
        host: &dyn Host,
    ) -> Option<Change> {
        let decision = match self.call.options.trial {
            Some(_) => launch.decision.forced(other(launch.device)),
            None => {
                let decision = self.reconsidered(launch, part, seconds)?;
                if !decision.is_other(launch.device) {
                    self.order_next(launch, &decision, Seconds(seconds / part), host);
                    return None;
                }
                decision
            }
        };
        self.change(launch, decision, host)
    }
}

impl<V: HasValue> Kernels<'_, V> {
    /// The decision by what was measured.
    fn reconsidered(&self, launch: &Launch, part: f64, seconds: f64) -> Option<Decision> {
        let Call {
            plan,
            sizes,
            resumed,
            options,
            ..
        } = self.call;
        let free = options.learning && options.learns();
        // Half-way such a nest runs in the order as written, whatever the device.
        let fixed = resumed && plan.counts_from_entry();
        if !free || fixed || launch.decision.trial.is_some() {
            return None;
        }
        let lesson = Lesson {
            device: launch.device,
            modelled: launch.decision.of(launch.device).raw,
            measured: Seconds(seconds / part),
            launches: 1,
            trial: None,
            guessed: launch.is_guess(),
        };
        Some(plan.reconsider(&lesson, sizes, self.captures, options))
    }

    /// Has made, beside the launch, what could shorten the rest of it, or found out whether anything could. `whole`: what all of the
    /// loop would take at its pace.
    fn order_next(&self, launch: &Launch, decision: &Decision, whole: Seconds, host: &dyn Host) {
        let Call {
            plan,
            sizes,
            options,
            ..
        } = self.call;
        let rest = whole * launch.rest();
        if !plan.may_order(options) || plan.is_being_made() || launch.decision.trial.is_some() {
            return;
        }
        if !plan.knows_abilities(sizes) {
            if plan.could_share(rest, options) {
                plan.order_abilities(sizes, options);
            }
            return;
        }
        let (wanted, saved) = match decision.missed() {
            Some((device, saved)) if device != launch.device => (device, saved * launch.rest()),
            _ => return,
        };
        if !plan.has_made(wanted) && saved >= plan.making(wanted, Tier::Optimised) * ORDER_SHARE {
            plan.order(self.call.key(wanted, host).0, options);
        }
    }

    /// The kernel for it, if it has the same variables; none as long as it has to be made, which is done beside the launch.
    fn change(&mut self, launch: &Launch, decision: Decision, host: &dyn Host) -> Option<Change> {
        let Call { plan, options, .. } = self.call;
        let (key, seen) = self.call.key(decision.device, host);
        let kernel = match plan.find(&key) {
            Some((kernel, _)) => kernel,
            None if options.trial.is_some() => plan.kernel(&key, options, self.entered).ok()?.0,
            None => {
                plan.order(key, options);
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
