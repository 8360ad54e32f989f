//! The way of a nest, as two functions.
//!
//! [`plan`] runs once per site and signature: everything that types alone decide. [`run`] runs once per call: only
//! what needs values.

use std::sync::Arc;
use std::time::Instant;

use nestwise_analysis as analysis;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_analysis::values::trip_bounds::TripBounds;
use nestwise_costmodel::{Decision, Device, Features, Seconds};
use nestwise_ir::{ArrayDecl, ArrayKind, BinOp, Extent, Length, LoopId, Nest, Tier};
use nestwise_tiering::shares::Pace;
use nestwise_tiering::tiers::waits;
use serde::{Deserialize, Serialize};

use crate::device::Owner;
use crate::launch::kernel_change::{Call, Kernels};
use crate::launch::{self, Launch};
use crate::memory::overlap::ArrayView;
use crate::options::{DeviceChoice, Options, options};
use crate::plan::{Key, Plan, Sizes, Stages};
use crate::reason::Reason;

/// A captured value in native form.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Not a value: unbound, a function, a module.
    None,
    /// An int that fits.
    Int(i64),
    /// An int of 64 bits without sign.
    Uint(u64),
    /// Any real float.
    Float(f64),
    /// A bool.
    Bool(bool),
    /// A complex number.
    Complex(f64, f64),
    /// An array used in place.
    Array(ArrayView),
    /// A sequence that has to be converted before a kernel can work on it.
    Sequence { rank: usize, extents: [i64; 8] },
    /// `append` of a list of that length, with [`ROOM`] for more.
    Append { length: i64 },
}

/// The elements that can be appended to one list before CPython has to take over for a while. Memory that is not
/// touched costs nothing.
pub const ROOM: i64 = 1 << 21;

impl Value {
    /// Whether two numbers are of one kind and the same to the bit.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Uint(a), Value::Uint(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

/// How many of a growing list's elements are at the front of its buffer: all, or none if the nest reads none.
pub fn held(nest: &Nest, method: u32, length: i64) -> i64 {
    let reads = |a: &ArrayDecl| a.kind == ArrayKind::Appended && a.capture == method && a.read;
    if nest.arrays.values().any(reads) {
        length
    } else {
        0
    }
}

/// Something that has a value.
pub trait HasValue {
    /// The value.
    fn value(&self) -> &Value;
    /// An element of a sequence, one subscript for each of its axes; below zero they count from the end. Good for guesses
    /// alone.
    fn element(&self, _at: &[i64]) -> Value {
        Value::None
    }
}

impl HasValue for Value {
    fn value(&self) -> &Value {
        self
    }
}

/// What a run needs of the world that called it.
pub trait Host {
    /// The windows of the nest's slots, in order; sequences are converted now.
    fn arrays(&mut self) -> Result<Vec<ArrayView>, Reason>;
    /// Between chunks: hands over what nobody in the nest looks at any more. False: there is no memory for it.
    fn hand_over(&mut self, _launch: &mut Launch) -> bool {
        true
    }
    /// Between chunks: handles signals, and lets other threads run; true: stop here.
    fn poll(&mut self, launch: &Launch) -> bool;
    /// Whether nobody's code runs between chunks, whatever signals come, unless the launch ends there.
    fn is_alone(&self) -> bool;
    /// Whether it is an expression, whose one iteration nobody can look into.
    fn is_value(&self) -> bool {
        false
    }
    /// Whether CPython can be stopped between two iterations, for native code to go on.
    fn can_stop(&self) -> bool {
        true
    }
    /// What keeps the memory of a slot in place for as long as it lives, where the program cannot look at its array before it asks
    /// us: a device's copy may outlive the launch then ([`kept`](crate::device::residency)).
    fn owner(&self, slot: usize) -> Option<Owner>;
    /// Whether NumPy is told to say nothing about overflows, invalid operations and divisions by zero.
    fn silent(&self) -> bool;
    /// Whether a warning of NumPy's may run anybody's code or become an exception, so that it matters how far the arrays
    /// are by then.
    fn warnings_stop(&self) -> bool;
    /// Whether the interpreter lock may be released at all.
    fn may_unlock(&self) -> bool;
    /// Whether nobody but Python code of this thread can write the memory of a slot while the interpreter lock is held.
    fn is_quiet(&self, slot: usize) -> bool;
    /// Runs `work` with the interpreter lock released.
    fn unlocked(&mut self, work: &mut (dyn FnMut() + Send));
}

/// Where to go on in a nest that CPython has run a part of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resume {
    /// The first iteration of the top loop that has not run; 0 for a `while`, which has no counter and goes on from
    /// what its names hold.
    pub next: i64,
    /// Start, stop and step as they were when the loop began; none for a `while`.
    pub range: Option<(i64, i64, i64)>,
    /// What CPython has taken for the part it ran.
    pub spent: Seconds,
    /// Iterations in that part, 0 if not known.
    pub done: i64,
}

impl Resume {
    /// Whether the nest's own counter has moved on from where it begins. Otherwise this is a call like any other.
    fn is_halfway(&self) -> bool {
        self.next != 0
    }
}

/// How long axes of memory of a nest's own are, by what is captured; what is not what it should be counts as 0.
pub fn extents<V: HasValue>(nest: &Nest, captures: &[V]) -> impl Fn(Extent) -> i64 {
    move |extent| length(nest, captures, extent).max(0)
}

/// The same, which may be below zero.
fn length<V: HasValue>(nest: &Nest, captures: &[V], extent: Extent) -> i64 {
    let value = |capture: u32| captures.get(capture as usize).map(HasValue::value);
    match extent {
        Extent::Fixed(n) => n.into(),
        Extent::Value { capture, plus } => match value(capture) {
            Some(Value::Int(v)) => v.saturating_add(plus.into()),
            _ => 0,
        },
        Extent::Computed(which) => {
            let Some(Length { op, a, b }) = nest.lengths.get(which as usize) else {
                return 0;
            };
            let [a, b] = [*a, *b].map(|extent| length(nest, captures, extent));
            match op {
                BinOp::Add => a.saturating_add(b),
                BinOp::Sub => a.saturating_sub(b),
                BinOp::Mul => a.saturating_mul(b),
                BinOp::Min => a.min(b),
                BinOp::Max => a.max(b),
                BinOp::FloorDiv if b > 0 => a.div_euclid(b),
                _ => 0,
            }
        }
        Extent::Axis {
            capture,
            axis,
            plus,
        } => match value(capture) {
            Some(Value::Array(ArrayView { extents, .. }) | Value::Sequence { extents, .. }) => {
                extents[axis as usize] + i64::from(plus)
            }
            _ => 0,
        },
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

/// A decision for the interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Declined {
    /// What it rests on.
    pub decision: Decision,
    /// When CPython has taken this long a native run may pay: only the time to compile spoke against it, or nothing tells how
    /// long the loop goes on.
    pub patience: Option<Seconds>,
    /// It is the latter: as far as anybody knows CPython is cheaper.
    pub doubted: bool,
    /// How often its loops run is known.
    pub sure: bool,
    /// The top loop's start, stop and step, unless it is a `while`.
    pub range: Option<(i64, i64, i64)>,
}

/// Makes a typed nest ready to be analysed. Returns what values its variables have.
pub fn prepare(nest: &mut Nest) -> Result<analysis::Ranges, Reason> {
    nestwise_ir::verifier::verify(nest).map_err(Reason::Internal)?;
    analysis::dataflow::between_calls::hands_over(nest).map_err(Reason::Internal)?;
    nest.spread_accesses();
    // Guards that no value of these types can make fire.
    Ok(nestwise_analysis::prove(nest))
}

/// What each loop may do, if its arrays do not overlap and no inner loop is empty: each kernel's schedule rests on what its
/// launch really knows.
pub fn verdicts(nest: &Nest, options: &Options) -> analysis::Staged {
    analysis::Staged::new(nest, assumed(options))
}

/// What verdicts take for granted before any value is known.
pub(crate) fn assumed(options: &Options) -> analysis::Options {
    analysis::Options {
        nonempty: u64::MAX,
        ..analysis::Options::new(options.fp)
    }
}

/// Once per site and signature: what types alone decide.
pub fn plan(mut nest: Nest, options: &Options) -> Result<Plan, Reason> {
    let broken = options.broken.is_some_and(|b| b.plant(&mut nest));
    let ranges = prepare(&mut nest)?;
    let verdicts = analysis::analyse_in(&nest, &ranges, assumed(options));
    let verdicts = analysis::Staged::of(&nest, verdicts);
    // Guards that the values of a call may prove.
    let forms = analysis::shared_forms(&nest, &ranges);
    let bounds = analysis::BoundsPlan::with(&nest, &forms);
    let trip_bounds = TripBounds::of(&nest, &ranges);
    // What one trip of each loop costs on each device.
    let priced_by = priced_by(&nest, &forms, &verdicts, options);
    let stages = Stages {
        nest,
        verdicts,
        bounds,
        trip_bounds,
        priced_by,
        undo: None,
        broken,
    };
    Ok(Plan::new(stages, options))
}

/// What a nest is priced by as long as there is no kernel of it, on whatever machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PricedBy {
    pub(crate) features: Features,
    pub(crate) traffic: TrafficPlan,
    /// Numbers of 64 bits in a vector register.
    pub(crate) lanes: u32,
}

/// `forms`: see [`analysis::shared_forms`].
fn priced_by(
    nest: &Nest,
    forms: &nestwise_analysis::values::forms::Forms,
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

/// Once per call: what needs values.
pub fn run<V: HasValue>(
    plan: &Arc<Plan>,
    captures: &[V],
    resume: Option<Resume>,
    host: &mut dyn Host,
    entered: Instant,
) -> Outcome {
    match attempt(plan, captures, resume, host, entered) {
        Ok(outcome) => outcome,
        Err(reason) => Outcome::Fallback(reason),
    }
}

fn attempt<V: HasValue>(
    plan: &Arc<Plan>,
    captures: &[V],
    resume: Option<Resume>,
    host: &mut dyn Host,
    entered: Instant,
) -> Result<Outcome, Reason> {
    let options = options();
    let halfway = resume.is_some_and(|r| r.is_halfway());
    let untouched = plan.untouched(captures);
    let there = plan.there(captures);
    let facts = plan.facts(captures, &untouched, &there);
    let known = plan.recent(&facts, &options).filter(|_| resume.is_none());
    let before = known.as_ref().map(|k| k.decision.device);
    let decided = known.as_ref().filter(|k| !k.outdated).map(|k| k.decision);
    let sizes = match known {
        Some(known) => known.sizes,
        None => {
            // The ints and extents that loop bounds and subscripts depend on.
            let values = plan.launch_values(captures)?;
            // Which guards they prove, how often each loop runs.
            let mut sizes = plan.resolve(values, halfway)?;
            plan.guess(&mut sizes, captures);
            sizes.untouched = untouched;
            sizes.there = there;
            Arc::new(sizes)
        }
    };
    if resume.is_some_and(|r| sizes.range() != r.range) {
        // Python evaluates a range once: the names it came from have changed since.
        return Err(Reason::Bounds);
    }
    // Where that is cheapest.
    let decision = match decided {
        Some(decision) => decision,
        None => decide(plan, &sizes, captures, resume, &options),
    };
    let call = |views| Call {
        plan,
        sizes: &sizes,
        views,
        resumed: halfway,
        options: &options,
    };
    if decision.device == Device::Interpreter {
        if plan.asks_for_kernel(&decision, resume, &options) {
            let views = host.arrays()?;
            let call = call(&views);
            let (device, tier) = decision.next();
            plan.order(call.key(device, host).0.of(tier), &options);
        }
        return Ok(Outcome::Declined(declined(
            plan, &sizes, &decision, resume, &options,
        )));
    }
    if decided.is_none() {
        if has_long_iterations(plan, &sizes, &decision, host.is_value()) {
            return Err(Reason::Long);
        }
        let warm = decision.estimate.compile.0 == 0.0;
        if resume.is_none() && warm && decision.trial.is_none() {
            plan.remember(facts, &options, &sizes, decision);
        }
    }
    // The memory to work on, and which of it may overlap.
    let views = host.arrays()?;
    plan.check_preconditions(&views)?;
    let call = call(&views);
    // Which more guards the elements of index arrays prove, and values followed through the nest.
    let (mut key, seen) = call.key(decision.device, host);
    if decision.device == Device::Gpu && !key.is_for_grid() {
        // The profile has a card, the machine has none, or not any more.
        plan.leave_grid();
    }
    // The kernel for all this: from this process, from disk, or from LLVM.
    let mut there = plan.find_or_load(&key, &options, entered);
    if there.is_none() && decision.tier() == Tier::Quick {
        key = key.of(Tier::Quick);
        there = plan.find_or_load(&key, &options, entered);
    }
    // What CPython does before native code may take over: an iteration, or all of it.
    let step = match host.is_value() || !host.can_stop() {
        true => decision.interpreted,
        false => {
            let rest = sizes.rest(resume.map_or(0, |r| r.next));
            decision.interpreted * (1.0 / (sizes.expected(LoopId(0)) * rest).max(1.0))
        }
    };
    let kernel = match there {
        Some(kernel) => kernel,
        // CPython goes on while it is made, if that costs less than to wait.
        None if is_made_beside(plan, &sizes, &decision, &key, step, resume, &options) => {
            plan.order(key, &options);
            let waits = Decision {
                device: Device::Interpreter,
                waits_for_compile: true,
                ..decision
            };
            return Ok(Outcome::Declined(declined(
                plan, &sizes, &waits, resume, &options,
            )));
        }
        None => plan.kernel(&key, &options, entered)?,
    };
    if decision.for_now {
        plan.add_missing(&sizes, &decision, &options);
        call.order_missing(&decision, host);
    }
    // Chunk by chunk, to the end or to the first thing that only CPython can do.
    let from = resume.map_or(0, |r| r.next);
    let contents = !seen.is_empty();
    let mut others = Kernels {
        call,
        captures,
        entered,
        key,
    };
    let mut launch = launch::launch(
        plan,
        kernel,
        &sizes,
        &views,
        seen,
        captures,
        &decision,
        from,
        host,
        &mut others,
    )?;
    if launch.device == Device::Gpu && launch.stopped_by.is_some() {
        // It went there and back for nothing, and might again: what fires there need not on a core.
        plan.leave_grid();
    }
    if options.prices {
        launch.runs = launch.executed(&|id| sizes.expected(id), &sizes);
    }
    // What arrays hold is no fact of a call: the next may find other elements. Where one came with arrays that nobody had touched,
    // so may the next, whose pages are to be found, too. And what is waited for is asked for once not having it has cost enough.
    let again = before == Some(decision.device) && decision.trial.is_none() && !decision.for_now;
    launch.repeated = again && !contents && sizes.untouched.is_empty();
    Ok(Outcome::Launched(launch))
}

/// Whether a kernel that is missing is made while CPython goes on.
fn is_made_beside(
    plan: &Plan,
    sizes: &Sizes,
    decision: &Decision,
    key: &Key,
    step: Seconds,
    resume: Option<Resume>,
    options: &Options,
) -> bool {
    let making = plan.making(decision.device, key.tier);
    // A guess of how long a loop goes on is not waited for; its pace is none.
    let paced = resume.is_some_and(|r| {
        let (done, spent) = (r.done, r.spent);
        Pace { done, spent }.tells()
    });
    let sure = sizes.top.is_some() && (paced || sizes.knows_inner());
    let worth_waiting =
        step > making || sure && waits(decision.interpreted, making, plan.may_be_left());
    let beside = plan.may_order(options) || plan.is_being_made();
    beside && decision.trial.is_none() && !worth_waiting && !plan.is_overdue(key.tier, options)
}

/// Signals are handled, and other threads get their turn, between two iterations of the top loop. Where one of them would
/// keep everybody waiting longer than this, CPython runs the top loop, which costs it little then, and the loops inside
/// are nests of their own.
const LONG_ITERATION: f64 = 0.25;
/// Seconds that one iteration may take where many threads share a loop: that may be the top loop, which CPython would run alone.
const LONG_SHARED: f64 = 2.0;
/// Seconds that one iteration may take where threads share the top loop, or the site is an expression. Kernels ask inside it whether
/// somebody waits, and an interrupt loses at most so much work.
const LONG_ASKED: f64 = 60.0;

fn has_long_iterations(plan: &Plan, sizes: &Sizes, decision: &Decision, value: bool) -> bool {
    let most = match decision.device {
        Device::Threads if plan.shares_top() => LONG_ASKED,
        Device::Threads | Device::Serial if value => LONG_ASKED,
        Device::Threads | Device::Gpu => LONG_SHARED,
        Device::Serial | Device::Interpreter => LONG_ITERATION,
    };
    let top = sizes.expected(LoopId(0)).max(1.0);
    let inner = plan.nest().loops.len() > 1 && sizes.knows_inner();
    inner && decision.estimate.compute.0 / top > most
}

/// Asking takes some microseconds: what is over sooner is not asked about a second time.
const WORTH_TRYING: f64 = 25e-6;

fn declined(
    plan: &Plan,
    sizes: &Sizes,
    decision: &Decision,
    resume: Option<Resume>,
    options: &Options,
) -> Declined {
    let free = options.device == DeviceChoice::Auto;
    let waits = decision.waits_for_compile && free;
    // Ski-rental: what a native run would have cost may be lost before it is tried, once.
    let doubted = !waits && free && sizes.top.is_none() && resume.is_none();
    let whole = decision.of(decision.wanted).total().0.max(WORTH_TRYING);
    Declined {
        decision: *decision,
        patience: match waits {
            true => Some(plan.patience(decision, resume, options)),
            false => doubted.then_some(Seconds(whole)),
        },
        doubted,
        sure: sizes.top.is_some() && sizes.knows_inner(),
        range: sizes.range(),
    }
}

fn decide<V: HasValue>(
    plan: &Plan,
    sizes: &Sizes,
    captures: &[V],
    resume: Option<Resume>,
    options: &Options,
) -> Decision {
    let decision = plan.price(sizes, captures, resume, options);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_lengths_end_at_zero() {
        let mut nest = crate::kernel::tests::nest();
        let int = |capture| Extent::Value { capture, plus: 0 };
        let of = |op, a, b| Length { op, a, b };
        nest.lengths = vec![
            of(BinOp::Sub, int(0), int(1)),
            of(BinOp::Add, Extent::Computed(0), Extent::Fixed(10)),
            of(BinOp::FloorDiv, Extent::Computed(0), Extent::Fixed(2)),
            of(BinOp::Mul, int(0), int(1)),
            of(BinOp::Max, Extent::Computed(0), Extent::Fixed(1)),
            of(BinOp::Min, int(0), int(1)),
        ];
        let all = |a, b| {
            let captures = [Value::Int(a), Value::Int(b)];
            let long = extents(&nest, &captures);
            (0..6)
                .map(|k| long(Extent::Computed(k)))
                .collect::<Vec<_>>()
        };
        assert_eq!(all(9, 4), [5, 15, 2, 36, 5, 4]);
        // What is below zero on the way counts as that.
        assert_eq!(all(4, 9), [0, 5, 0, 36, 1, 4]);
        assert_eq!(
            all(i64::MAX, -1),
            [i64::MAX, i64::MAX, i64::MAX / 2, 0, i64::MAX, 0]
        );
    }
}
