//! The way of a nest, from a typed loop nest to a launch: the file to read first.
//!
//! [`plan`] runs once per site and signature, and takes what types alone decide:
//!
//! | stage | what it does | where |
//! |---|---|---|
//! | lower | text and types to a typed nest, before it comes here | `nestwise_frontend::lowering` |
//! | accept | verifies the nest, and gives each access an identity of its own | [`accept`] |
//! | prove | clears the guards that no value of these types can make fail | `nestwise_analysis::prove` |
//! | analyse | what each loop may do; what values of a call could prove | `nestwise_analysis` |
//! | price | what one trip of each loop costs on each device | `nestwise_costmodel` |
//!
//! [`run`] runs once per call, and does what needs values:
//!
//! | stage | what it does | where |
//! |---|---|---|
//! | recall | what an earlier call with the same facts has found out | `plan/recent.rs` |
//! | resolve | from values to proven guards and trip counts | `plan/resolve.rs`, `estimate/` |
//! | choose | where the call is cheapest | `plan/price.rs` |
//! | bind | the arrays to work on, and whether they fulfil the nest's preconditions | [`Host`] |
//! | get kernel | from this process, from disk, or from LLVM | `kernel/get.rs` |
//! | launch | chunk by chunk, to the end or to the first guard that fails | `launch/run/mod.rs` |
//! | hand over | what the nest computed, to the names and objects of the program | the caller |
//!
//! A call leaves this way early where CPython is cheaper ([`Outcome::Declined`]) or has to run it
//! ([`Outcome::Fallback`]).

use std::sync::Arc;

use nestwise_analysis as analysis;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_analysis::values::forms::Forms;
use nestwise_analysis::values::trip_bounds::TripBounds;
use nestwise_costmodel::{Decision, Device, Features, Seconds};
use nestwise_ir::verifier::{verify, verify_after};
use nestwise_ir::{LoopId, Nest, Tier};
use nestwise_tiering::Missing;
use nestwise_tiering::shares::Pace;

use crate::decline::has_long_iterations;
use crate::estimate::device_copies::there;
use crate::estimate::first_touch::untouched;
use crate::kernel::get::{Got, find_or_load, get};
use crate::kernel::key::Key;
use crate::kernel::order::{asks_for_kernel, is_overdue, making, order, room};
use crate::launch::call::Call;
use crate::launch::kernel_change::OtherKernels;
use crate::launch::preconditions::check_preconditions;
use crate::launch::run::launch;
use crate::options::{DeviceChoice, Options, options};
use crate::plan::analysed::{Analysed, PricedBy, Stages, assumed};
use crate::plan::price::{add_missing, price};
use crate::plan::recent::{Known, facts};
use crate::plan::resolve::{launch_values, resolve};
use crate::plan::sizes::{There, Untouched};
use crate::plan::{Plan, Sizes};

pub use crate::decline::Declined;
pub use crate::host::Host;
pub use crate::launch::{Entry, Launch};
pub use crate::reason::Reason;
pub use crate::value::HasValue;

/// Plans a nest: once per site and signature, what types alone decide.
///
/// # Errors
/// [`Reason::Internal`] if the nest breaks an invariant of the IR.
pub fn plan(mut nest: Nest, options: &Options) -> Result<Plan, Reason> {
    let mistaken = options.mistake.is_some_and(|b| b.plant(&mut nest));
    let nest = accept(nest)?;
    let (nest, ranges) = prove(nest);
    let stages = analyse(nest, &ranges, options);
    let stages = Stages { mistaken, ..stages };
    Ok(Plan::new(Analysed::new(stages, options)))
}

/// Verifies a lowered nest, and gives each of its accesses an identity of its own.
pub fn accept(mut nest: Nest) -> Result<Nest, Reason> {
    verify(&nest).map_err(Reason::Internal)?;
    analysis::dataflow::between_calls::hands_over(&nest).map_err(Reason::Internal)?;
    nest.spread_accesses();
    verify_after("spreading accesses", &nest);
    Ok(nest)
}

/// Clears the guards that no value of the nest's types can make fail. Returns the ranges of its variables, too.
pub fn prove(mut nest: Nest) -> (Nest, analysis::Ranges) {
    let ranges = nestwise_analysis::prove(&mut nest);
    verify_after("proving guards", &nest);
    (nest, ranges)
}

/// What each loop may do, if its arrays do not overlap and no inner loop is empty: each kernel's schedule rests on what
/// its launch really knows.
pub fn verdicts(nest: &Nest, ranges: &analysis::Ranges, options: &Options) -> analysis::Staged {
    let verdicts = analysis::analyse_in(nest, ranges, assumed(options));
    analysis::Staged::of(nest, verdicts)
}

/// What types tell of the nest's loops, its guards and its costs.
fn analyse(nest: Nest, ranges: &analysis::Ranges, options: &Options) -> Stages {
    let verdicts = verdicts(&nest, ranges, options);
    let forms = analysis::shared_forms(&nest, ranges);
    Stages {
        bounds: analysis::BoundsPlan::with(&nest, &forms),
        trip_bounds: TripBounds::of(&nest, ranges),
        priced_by: priced_by(&nest, &forms, &verdicts, options),
        nest,
        verdicts,
        undo: None,
        mistaken: false,
    }
}

/// What prices are computed from as long as there is no kernel. `forms`: see [`analysis::shared_forms`].
fn priced_by(
    nest: &Nest,
    forms: &Forms,
    verdicts: &analysis::Staged,
    options: &Options,
) -> PricedBy {
    let vectors = |fun, repr| nestwise_codegen::has_vector_form(fun, repr, options.fp);
    PricedBy {
        features: Features {
            vectors: verdicts.has_parallel(),
            ..Features::of(nest, &vectors)
        },
        traffic: TrafficPlan::with(nest, forms, &[]),
        lanes: nestwise_codegen::vector_bits() / 64,
    }
}

/// How a call went.
// Taken apart at once: a box would cost more than the copy.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub enum Outcome {
    /// The interpreter is cheaper.
    Declined(Declined),
    /// CPython has to run it, from the untouched beginning.
    Fallback(Reason),
    /// Native code ran, to the end or part of the way.
    Launched(Box<Launch>),
}

/// Runs a call of a nest, or says why CPython is to run it.
pub fn run<V: HasValue>(plan: &Arc<Plan>, entry: Entry<'_, V>, host: &mut dyn Host) -> Outcome {
    attempt(plan, entry, host).unwrap_or_else(Outcome::Fallback)
}

fn attempt<V: HasValue>(
    plan: &Arc<Plan>,
    entry: Entry<'_, V>,
    host: &mut dyn Host,
) -> Result<Outcome, Reason> {
    let options = options();
    let mut recalled = recall(plan, &entry, &options);
    let sizes = match &recalled.known {
        Some(known) => known.sizes.clone(),
        None => Arc::new(resolve_call(plan, &entry, &mut recalled)?),
    };
    if entry.resume.is_some_and(|r| sizes.range() != r.range) {
        // Python evaluates a range once: the names it came from have changed since.
        return Err(Reason::Bounds);
    }
    let decision = match recalled.decision() {
        Some(decision) => decision,
        None => choose(plan, &sizes, &entry, &options),
    };
    let declined = |decision: &Decision| {
        let declined = Declined::new(plan, &sizes, decision, entry.resume, &options);
        Ok(Outcome::Declined(declined))
    };
    let call = |views| Call {
        plan,
        options: &options,
        entry,
        sizes: &sizes,
        views,
    };
    if decision.device == Device::Interpreter {
        if asks_for_kernel(plan, &decision, entry.resume, &options) {
            let views = host.arrays()?;
            let (device, tier) = decision.next();
            order(plan, call(&views).key(device, host).0.of(tier), &options);
        }
        return declined(&decision);
    }
    if recalled.decision().is_none()
        && has_long_iterations(plan, &sizes, &decision, host.is_value())
    {
        return Err(Reason::Long);
    }
    let device_before = recalled.device();
    recalled.remember(plan, &entry, &sizes, &decision, &options);
    let views = host.arrays()?;
    check_preconditions(plan.analysed.nest(), &views)?;
    let call = call(&views);
    let (mut key, seen) = call.key(decision.device, host);
    if decision.device == Device::Gpu && !key.is_for_grid() {
        // The profile has a card, the machine has none, or not any more.
        plan.grid.leave(&plan.learning);
    }
    let kernel = match get_kernel(&call, &decision, &mut key, host)? {
        Some(kernel) => kernel,
        None => {
            return declined(&Decision {
                device: Device::Interpreter,
                waits_for_compile: true,
                ..decision
            });
        }
    };
    if decision.for_now {
        add_missing(plan, &sizes, &decision, &options);
        call.order_missing(&decision, host);
    }
    let contents = !seen.is_empty();
    let mut others = OtherKernels { call, key };
    let mut launch = launch(&call, kernel, seen, &decision, host, &mut others)?;
    if launch.device == Device::Gpu && launch.stopped_by.is_some() {
        // The arrays went to the device and back for nothing, and might again: a guard that fails there need not on a
        // core.
        plan.grid.leave(&plan.learning);
    }
    if options.prices {
        launch.runs = launch.executed(&|id| sizes.expected(id), &sizes);
    }
    // What arrays hold is no fact of a call: the next may find other elements. Where one came with arrays that nobody
    // had touched, so may the next, whose pages are to be found, too. And what is waited for is asked for once not
    // having it has cost enough.
    let again =
        device_before == Some(decision.device) && decision.trial.is_none() && !decision.for_now;
    launch.repeated = again && !contents && sizes.untouched.is_empty();
    Ok(Outcome::Launched(launch))
}

/// What is known of a call before its values are looked into.
struct Recalled {
    /// The facts that the decision rests on besides types.
    facts: Vec<i64>,
    untouched: Untouched,
    there: There,
    /// What an earlier call with the same facts has found out.
    known: Option<Known>,
}

/// Looks for an earlier call with the same facts; one that goes on where CPython was is like none.
fn recall<V: HasValue>(plan: &Plan, entry: &Entry<'_, V>, options: &Options) -> Recalled {
    let nest = plan.analysed.nest();
    let untouched = untouched(nest, entry.captures);
    let there = there(nest, entry.captures);
    let facts = facts(&plan.analysed, entry.captures, &untouched, &there);
    let lessons = plan.learning.lessons();
    let known = match entry.resume {
        None => plan.recent.find(&facts, entry.ready, lessons, options),
        Some(_) => None,
    };
    Recalled {
        facts,
        untouched,
        there,
        known,
    }
}

impl Recalled {
    /// The earlier call's decision, unless something was learned since.
    fn decision(&self) -> Option<Decision> {
        let known = self.known.as_ref().filter(|k| !k.outdated);
        known.map(|k| k.decision)
    }

    /// The device on which the earlier call ran.
    fn device(&self) -> Option<Device> {
        self.known.as_ref().map(|k| k.decision.device)
    }

    /// Keeps a decision that was just made for later calls with the same facts, if it holds for them as well.
    fn remember<V>(
        self,
        plan: &Plan,
        entry: &Entry<'_, V>,
        sizes: &Arc<Sizes>,
        decision: &Decision,
        options: &Options,
    ) {
        let warm = decision.estimate.compile.0 == 0.0;
        let lasts = entry.resume.is_none() && warm && decision.trial.is_none();
        if lasts && self.decision().is_none() {
            let lessons = plan.learning.lessons();
            plan.recent
                .remember(self.facts, sizes, *decision, lessons, options);
        }
    }
}

/// Finds the guards that the values of a call prove, and how often each loop runs, by samples where no value tells.
fn resolve_call<V: HasValue>(
    plan: &Plan,
    entry: &Entry<'_, V>,
    recalled: &mut Recalled,
) -> Result<Sizes, Reason> {
    let nest = plan.analysed.nest();
    let values = launch_values(nest, entry.captures)?;
    let mut sizes = resolve(&plan.analysed, values, entry.is_halfway())?;
    plan.guesses.guess(nest, &mut sizes, entry.captures);
    sizes.untouched = std::mem::take(&mut recalled.untouched);
    sizes.there = std::mem::take(&mut recalled.there);
    Ok(sizes)
}

/// Chooses where a call of these sizes runs: where it is cheapest, unless somebody has chosen.
fn choose<V: HasValue>(
    plan: &Plan,
    sizes: &Sizes,
    entry: &Entry<'_, V>,
    options: &Options,
) -> Decision {
    let asked = (entry.resume, entry.ready);
    let decision = price(plan, sizes, entry.captures, asked, options);
    match options.device {
        DeviceChoice::Auto if options.verify && decision.device == Device::Interpreter => {
            decision.forced(Device::Serial)
        }
        DeviceChoice::Auto => decision,
        DeviceChoice::Interpreter => decision.forced(Device::Interpreter),
        DeviceChoice::Serial => decision.forced(Device::Serial),
        DeviceChoice::Emulated | DeviceChoice::Gpu => decision.forced(Device::Gpu),
        DeviceChoice::Threads => decision.forced(Device::Threads),
    }
}

/// The kernel for a call; none where it is made while CPython goes on. `key` becomes the key of the kernel that is
/// there, which is quick code where only that is.
fn get_kernel<V: HasValue>(
    call: &Call<'_, V>,
    decision: &Decision,
    key: &mut Key,
    host: &dyn Host,
) -> Result<Option<Got>, Reason> {
    let Call {
        plan,
        options,
        entry,
        sizes,
        ..
    } = *call;
    let mut got = find_or_load(plan, key, options, entry.entered);
    if got.is_none() && decision.tier() == Tier::Quick {
        *key = key.clone().of(Tier::Quick);
        got = find_or_load(plan, key, options, entry.entered);
    }
    if got.is_some() {
        return Ok(got);
    }
    // What CPython does before native code may take over: an iteration, or all of it.
    let step = match host.is_value() || !host.can_stop() {
        true => decision.interpreted,
        false => {
            let rest = sizes.rest(entry.first());
            decision.interpreted * (1.0 / (sizes.expected(LoopId(0)) * rest).max(1.0))
        }
    };
    if is_made_beside(call, decision, key.tier, step) {
        order(plan, key.clone(), options);
        return Ok(None);
    }
    get(plan, key, options, entry.entered).map(Some)
}

/// Whether a kernel that is missing is made while CPython goes on, since that costs less than to wait. `step`: the time
/// that CPython takes before native code may take over.
fn is_made_beside<V>(call: &Call<'_, V>, decision: &Decision, tier: Tier, step: Seconds) -> bool {
    let Call {
        plan,
        options,
        entry,
        sizes,
        ..
    } = *call;
    // A guess of how long a loop goes on is not waited for; its pace is none.
    let paced = entry.resume.is_some_and(|r| {
        let (done, spent) = (r.done, r.spent);
        Pace { done, spent }.tells()
    });
    let missing = Missing {
        making: making(plan, decision.device, tier),
        step,
        rest: decision.interpreted,
        known: sizes.top.is_some() && (paced || sizes.knows_inner()),
        early: plan.analysed.may_be_left(),
    };
    let goes_on = plan.tiers.goes_on_without(missing, room(options));
    goes_on && decision.trial.is_none() && !is_overdue(plan, tier, options)
}
