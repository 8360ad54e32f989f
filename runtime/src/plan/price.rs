//! The price of a call of a nest on each device, and what its site has lost so far by not knowing or not having more.

use nestwise_costmodel::choose_device::{Quick, WORTH_A_START, WORTH_SHARING};
use nestwise_costmodel::{
    Decision, Device, Learned, Lesson, Ready, Seconds, Situation, Workers, decide,
};
use nestwise_ir::{LoopId, Tier};
use nestwise_tiering::Coming;
use nestwise_tiering::constants::IN_FULL;
use nestwise_tiering::tiers::most_saved;

use crate::estimate::device_copies::settle;
use crate::estimate::first_touch::fresh;
use crate::estimate::launch_work::launch_work;
use crate::kernel::making::of_first;
use crate::kernel::order::{is_overdue, making, may_order, wait};
use crate::options::{DeviceChoice, Options};
use crate::plan::native::native;
use crate::plan::sharing::{knows_abilities, parallel};
use crate::plan::{Plan, Sizes};
use crate::resume::Resume;
use crate::value::HasValue;

/// The number of past launches that some ten milliseconds of a launch count as much as.
const AS_GOOD_AS: u32 = 4;

/// Prices the devices for a call of these sizes. `ready`: the caches and the worker pool as the call finds them.
pub fn price<V: HasValue>(
    plan: &Plan,
    sizes: &Sizes,
    captures: &[V],
    (resume, ready): (Option<Resume>, Ready),
    options: &Options,
) -> Decision {
    price_by(plan, None, sizes, captures, (resume, ready), options)
}

/// Prices the devices as if launches had taught `taught`; none: what they really have.
fn price_by<V: HasValue>(
    plan: &Plan,
    taught: Option<&Learned>,
    sizes: &Sizes,
    captures: &[V],
    (resume, ready): (Option<Resume>, Ready),
    options: &Options,
) -> Decision {
    let (analysed, prices) = (&plan.analysed, plan.analysed.prices());
    let trips = |id: LoopId| sizes.expected(id);
    let one = native(plan, None, analysed.verdicts().has_parallel(), sizes);
    let around = launch_work(plan, sizes, captures, one.total());
    let compiled = Device::NATIVE.map(|device| plan.tiers.has_optimised(device));
    let spent = resume.map_or(Seconds(0.0), |r| r.spent);
    let so_far = plan.tiers.lost().map(|lost| lost + spent);
    let coming = coming(plan, Tier::Optimised, options);
    let compile = prices.compile();
    let lost = so_far.map(|lost| coming.counts_as_lost(lost, compile));
    let quick = quick_code(plan, so_far[Device::Serial.kind()], options);
    let alone = Situation {
        bind: around.bind,
        convert: around.convert,
        undo: around.undo,
        compiled,
        quick,
        lost,
        rest: sizes.rest(resume.map_or(0, |r| r.next)),
        measured: resume.and_then(|r| match sizes.top {
            Some(_) => sizes.measured(r),
            // A `while` is halfway, for all that anybody knows.
            None => (prices.interpreted(&trips) < r.spent).then_some(r.spent),
        }),
        threads: 1,
        forks: 0.0,
        copied_bytes: 0.0,
        fresh: fresh(analysed, sizes),
        native: [one; 2],
        gpu: None,
        settle: settle(analysed, sizes),
        ready: match resume {
            None => ready,
            Some(_) => Ready::default(),
        },
    };
    let decide = |situation: &Situation| {
        let by = |learned: &Learned| decide(prices, &options.profile, &trips, situation, learned);
        match taught {
            Some(learned) => by(learned),
            None if options.learning => plan.learning.corrected(by),
            None => by(&Learned::default()),
        }
    };
    let first = decide(&alone);
    let short = first.estimate.warm() < WORTH_SHARING && first.interpreted < WORTH_SHARING;
    let tiny = first.of(Device::Serial).compute < WORTH_A_START;
    if (short || tiny) && !options.prices {
        // What threads could do takes longer to find out than there is to gain.
        return perhaps_interpreted(plan, first, options);
    }
    let one_core = match options.device {
        DeviceChoice::Auto => options.threads < 2 && prices.gpu().is_none(),
        device => device == DeviceChoice::Serial,
    };
    if one_core && !options.prices {
        return perhaps_tried(plan, first, options);
    }
    if !asks_for_threads(plan, sizes, &first, &alone, options) {
        return Decision {
            for_now: true,
            ..first
        };
    }
    let parallel = parallel(plan, sizes, options.threads as u32, options);
    let workers = Workers {
        threads: parallel.most,
        weights: &options.profile.threads,
        always: parallel.always,
    };
    let situation = Situation {
        threads: parallel.most,
        forks: parallel.forks,
        copied_bytes: parallel.copied_bytes,
        native: [
            one,
            native(plan, Some(&workers), parallel.vectorisable, sizes),
        ],
        gpu: plan.grid.on_gpu(analysed, sizes, resume.is_some(), options),
        ..alone
    };
    perhaps_tried(plan, decide(&situation), options)
}

/// Whether code of this tier is read from disk, as far as anybody knows: as long as none was made, and none was missing
/// there.
fn loads(plan: &Plan, tier: Tier, options: &Options) -> bool {
    let on_disk = &plan.kernels_on_disk;
    plan.kernels.count() == 0
        && on_disk.has_had_all()
        && on_disk.has(plan.analysed.nest(), tier, options)
}

/// How code of this tier comes for one core. Optimised code that is overdue is waited for although it may be on disk.
fn coming(plan: &Plan, tier: Tier, options: &Options) -> Coming {
    let overdue = || is_overdue(plan, tier, options);
    match tier {
        Tier::Optimised if overdue() => Coming::Overdue,
        _ if loads(plan, tier, options) => Coming::OnDisk,
        Tier::Quick if overdue() => Coming::Overdue,
        _ => wait(plan, tier, options).map_or(Coming::Inline, Coming::Beside),
    }
}

/// Quick code, unless somebody has chosen what is to run.
fn quick_code(plan: &Plan, lost: Seconds, options: &Options) -> Option<Quick> {
    let free = options.device == DeviceChoice::Auto && !options.prices && options.tier.is_none();
    let fixed = !free || options.forced.is_some() || options.unchecked.is_some();
    if fixed || is_overdue(plan, Tier::Optimised, options) {
        return None;
    }
    let compile = match plan.tiers.has_quick() {
        true => Seconds(0.0),
        false => {
            let making = making(plan, Device::Serial, Tier::Quick);
            coming(plan, Tier::Quick, options).speaks_against(lost, making)
        }
    };
    let beside = options.background() > 0;
    Some(Quick { compile, beside })
}

/// Whether it is time to find out what threads could do, which takes as long as compiling, about: once they could have
/// saved as much.
fn asks_for_threads(
    plan: &Plan,
    sizes: &Sizes,
    first: &Decision,
    alone: &Situation,
    options: &Options,
) -> bool {
    let free = options.device == DeviceChoice::Auto && !options.prices;
    if !free || knows_abilities(plan, sizes) || options.threads < 2 {
        return true;
    }
    if may_order(plan, options) || plan.tiers.is_making() {
        // A thread beside the one that runs finds it out.
        return false;
    }
    let serial = first.of(Device::Serial);
    let saved = most_saved(serial.compute, options.threads);
    alone.lost[1] + saved >= plan.analysed.prices().compile()
}

/// Counts as lost what launches might have been shorter on the other native device, for which there is no kernel: for
/// all of them since the last that was counted.
pub(crate) fn add_missing(plan: &Plan, sizes: &Sizes, decision: &Decision, options: &Options) {
    let launches = plan.learning.take_launches() as f64;
    let (other, missed) = decision.missed().unwrap_or_else(|| {
        // Nobody may have asked yet what threads can do.
        let compute = decision.of(decision.device).compute;
        let missed = match knows_abilities(plan, sizes) {
            true => Seconds(0.0),
            false => most_saved(compute, options.threads),
        };
        (Device::Threads, missed)
    });
    let missed = match decision.quick {
        Some(_) => missed + IN_FULL,
        None => missed,
    };
    plan.tiers.add_lost_without(other, missed * launches);
}

/// The decision for a call that would take as long as `lesson` says at the pace so far. Only if it is for another
/// device, the lesson is taken in for good: iterations need not all take the same.
pub(crate) fn reconsider<V: HasValue>(
    plan: &Plan,
    lesson: &Lesson,
    sizes: &Sizes,
    captures: &[V],
    ready: Ready,
    options: &Options,
) -> Decision {
    let mut learned = plan.learning.corrections();
    // The lesson is about this very call, so it counts several times.
    (0..AS_GOOD_AS).for_each(|_| {
        learned.add(lesson);
    });
    let decision = price_by(
        plan,
        Some(&learned),
        sizes,
        captures,
        (None, ready),
        options,
    );
    if decision.is_other(lesson.device) {
        plan.learning.take_in(lesson);
    }
    decision
}

/// The decision, or now and then one for a device that may turn out to be better.
fn perhaps_tried(plan: &Plan, decision: Decision, options: &Options) -> Decision {
    if !options.learning || !options.learns() {
        return decision;
    }
    let compile = |device: Device| match plan.tiers.has_optimised(device) {
        true => Seconds(0.0),
        false => of_first(plan.analysed.prices(), device),
    };
    let tried = plan
        .learning
        .corrected(|learned| learned.trial(decision.device, &decision.ranked, &compile));
    match tried {
        Some(device) => decision.tried(device),
        None => perhaps_interpreted(plan, decision, options),
    }
}

/// The decision, or now and then one for CPython where that may turn out to be better.
fn perhaps_interpreted(plan: &Plan, decision: Decision, options: &Options) -> Decision {
    let free = options.device == DeviceChoice::Auto && !options.verify;
    if !free || !options.learning || !options.learns() {
        return decision;
    }
    let tries = |learned: &Learned| learned.tries_interpreter(decision.device, &decision.ranked);
    match plan.learning.corrected(tries) {
        true => decision.tried(Device::Interpreter),
        false => decision,
    }
}
