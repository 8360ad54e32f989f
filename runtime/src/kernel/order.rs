//! Kernels that are made while CPython, or another kernel, goes on: [`Tiers`](nestwise_tiering::Tiers) says when.

use std::sync::Arc;
use std::time::Instant;

use nestwise_costmodel::{Decision, Device, Seconds};
use nestwise_ir::Tier;
use nestwise_tiering::tiers::{is_worth_beginning, most_saved};
use nestwise_tiering::{Next, Room, Running};

use crate::kernel::get::get_or_make;
use crate::kernel::key::Key;
use crate::kernel::{background, making};
use crate::options::Options;
use crate::plan::sharing::abilities;
use crate::plan::{Plan, Sizes};
use crate::resume::Resume;

/// Where kernels can be made.
pub(crate) fn room(options: &Options) -> Room {
    let most = options.background();
    Room {
        beside: most > 0,
        now: background::has_room(most),
    }
}

/// The time to make code of this tier for a device, and to get the device and the compiler ready.
pub(crate) fn making(plan: &Plan, device: Device, tier: Tier) -> Seconds {
    making::of_kernel(plan.analysed.prices(), device, tier)
}

/// How long a native run would wait for code of this tier: see [`Tiers::wait`](nestwise_tiering::Tiers::wait).
pub(crate) fn wait(plan: &Plan, tier: Tier, options: &Options) -> Option<Seconds> {
    let making = making(plan, Device::Serial, tier);
    plan.tiers.wait(tier, making, room(options))
}

/// Whether earlier processes have lost as much by not having code of this tier as it takes to make it: this one waits
/// for it.
pub(crate) fn is_overdue(plan: &Plan, tier: Tier, options: &Options) -> bool {
    let making = making(plan, Device::Serial, tier);
    plan.tiers
        .is_overdue(|| plan.losses.before(options), tier, making)
}

fn next_code(plan: &Plan, (device, tier): (Device, Tier)) -> Next {
    Next {
        device,
        tier,
        making: making(plan, device, tier),
    }
}

/// Whether the plan's kernels are made beside CPython, as soon as there is room.
pub(crate) fn may_order(plan: &Plan, options: &Options) -> bool {
    plan.tiers.may_begin(room(options))
}

/// Whether it is time to order a kernel for this device and tier: it is missing, and enough was lost without.
pub(crate) fn is_due(plan: &Plan, next: (Device, Tier), options: &Options) -> bool {
    plan.tiers
        .is_due(next_code(plan, next), Seconds(0.0), room(options))
}

/// Whether CPython, which runs a call for now, has lost enough for a kernel to be ordered.
pub(crate) fn asks_for_kernel(
    plan: &Plan,
    decision: &Decision,
    resume: Option<Resume>,
    options: &Options,
) -> bool {
    let running = Running {
        spent: resume.map(|r| r.spent),
        rest: decision.interpreted,
    };
    let next = next_code(plan, decision.next());
    decision.waits_for_compile && plan.tiers.is_due_beside(next, running, room(options))
}

/// Has a kernel made beside CPython, unless one could not be.
pub(crate) fn order(plan: &Arc<Plan>, key: Key, options: &Arc<Options>) {
    if plan.tiers.has_given_up() {
        return;
    }
    let (ordered, of) = (plan.clone(), options.clone());
    begin(plan, key.tier, options, move || {
        let plan = ordered;
        // Unless it is done: whoever needs it gets to know why it cannot be.
        plan.tiers.set_given_up(true);
        if get_or_make(&plan, key, &of, Instant::now(), true).is_ok() {
            plan.tiers.set_given_up(false);
            // Decisions that went without it are to be made again.
            plan.learning.doubt();
        }
    });
}

/// Whether threads could save so much of `time`, if they can do anything, that finding out is worth it.
pub(crate) fn could_share(plan: &Plan, time: Seconds, options: &Options) -> bool {
    let saved = most_saved(time, options.threads);
    is_worth_beginning(saved, plan.analysed.prices().compile())
}

/// Has it found out beside CPython what threads could do, which may take longer than making a kernel.
pub(crate) fn order_abilities(plan: &Arc<Plan>, sizes: &Arc<Sizes>, options: &Options) {
    let (asked, sizes) = (plan.clone(), sizes.clone());
    begin(plan, Tier::Optimised, options, move || {
        abilities(&asked, &sizes);
    });
}

fn begin(plan: &Arc<Plan>, tier: Tier, options: &Options, work: impl FnOnce() + Send + 'static) {
    let ordered = plan.clone();
    let start = || {
        background::start(options.background(), move || {
            let _done = Done(ordered);
            work();
        })
    };
    plan.tiers.begin(tier, start);
}

/// How much longer CPython may go on before native code is asked about again.
pub(crate) fn budget(
    plan: &Plan,
    decision: &Decision,
    resume: Option<Resume>,
    options: &Options,
) -> Seconds {
    let making = next_code(plan, decision.next()).making;
    let spent = resume.map_or(Seconds(0.0), |r| r.spent);
    plan.tiers.budget(making, spent, room(options))
}

/// Ends what was begun for a plan when this is dropped, whatever became of it.
struct Done(Arc<Plan>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.tiers.end();
    }
}
