//! What is known of a nest for one signature, and the kernels made for it so far.

use crate::cache;
pub use crate::kernel::{About, CompileInfo, Kernel};
use crate::options::{DeviceChoice, Options};
use crate::overlap::{self, ArrayView};
use crate::pipeline::{HasValue, ROOM, Resume, Value, held};
use crate::proof::Found;
use crate::reason::Reason;
use nestwise_analysis as analysis;
use nestwise_analysis::guards::{self, GuardSet};
use nestwise_analysis::schedule::Rewrite;
use nestwise_codegen as codegen;
use nestwise_costmodel::{Decision, Device, Prices, Seconds, Situation, decide};
use nestwise_ir::nest::Cast;
use nestwise_ir::{
    ArrayDecl, ArrayKind, BinOp, ExprKind, For, LoopId, Nest, Scalar, Schedule, StmtKind,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

/// Kernels kept per plan; a nest called with ever new facts gets one more, which holds for all of them.
const MAX_KERNELS: usize = 32;
/// Calls whose facts are kept: a nest is often called with a handful of sizes in turn.
const MAX_RECENT: usize = 8;
/// Trips below which a loop is neither split among threads nor run by vectors.
const SHORT: f64 = 4.0;
/// Assumed trips of a loop whose count no value of the call tells (a `while`).
pub const UNKNOWN_TRIPS: f64 = 100.0;
/// Vectors of independent results that a vectorised outer loop computes together, to hide the latency of their sums.
const ACCUMULATORS: u32 = 4;

/// A nest for one signature.
pub struct Plan {
    nest: Nest,
    verdicts: analysis::Analysis,
    bounds: analysis::BoundsPlan,
    prices: Prices,
    /// The outermost loops that may run on threads.
    roots: Vec<LoopId>,
    /// Some loop may run on vector lanes.
    vectorisable: bool,
    kernels: Mutex<Vec<(Key, Arc<Kernel>)>>,
    lost: Mutex<Seconds>,
    /// Hash of the nest, once it is needed.
    fingerprint: OnceLock<blake3::Hash>,
    shows_identity: OnceLock<bool>,
    recent: Mutex<VecDeque<Recent>>,
    /// Its data has NaN in it, which comparisons by vectors take for an invalid operation.
    quiet: AtomicBool,
    /// Captures of floats that the bounds of the top loop are computed from.
    bounding: Vec<u32>,
    /// Some float becomes an int, whose range no form tells.
    truncates: bool,
    found: Found,
}

/// A call that ran natively: one with the same facts needs neither proofs nor prices.
struct Recent {
    facts: Vec<i64>,
    device: DeviceChoice,
    sizes: Arc<Sizes>,
    decision: Decision,
}

/// What a launch's values decide.
pub struct Sizes {
    /// The ints and extents.
    pub values: analysis::LaunchValues,
    /// Guards proven by them.
    pub proven: GuardSet,
    /// Loops that run at least once whenever they are entered, a bit each.
    pub nonempty: u64,
    /// Mean trip count per loop.
    pub trips: Vec<Option<f64>>,
    /// For loops whose count no value tells: that of the first entry, if the values at entry tell it. A guess, for prices.
    pub first: Vec<Option<f64>>,
    /// Exact trip count of the top loop and its range (start, stop, step); none for a `while`.
    pub top: Option<TopRange>,
}

impl Sizes {
    /// The trips of a loop to reckon with.
    pub fn expected(&self, id: LoopId) -> f64 {
        let of = |all: &[Option<f64>]| all.get(id.index()).copied().flatten();
        let known = of(&self.trips).or_else(|| of(&self.first));
        known.unwrap_or(UNKNOWN_TRIPS)
    }

    /// Start, stop and step of the top loop.
    pub fn range(&self) -> Option<(i64, i64, i64)> {
        self.top.map(|t| (t.start, t.stop, t.step))
    }

    /// The part of the top loop's iterations that is left.
    fn rest(&self, resume: Option<Resume>) -> f64 {
        match (resume, self.top) {
            (Some(resume), Some(top)) if top.trips > 0 => {
                (top.trips - resume.next).max(0) as f64 / top.trips as f64
            }
            _ => 1.0,
        }
    }

    /// What CPython would take for that part at the pace it has shown.
    fn measured(&self, resume: Resume) -> Option<Seconds> {
        let left = (self.top?.trips - resume.next).max(0) as f64;
        (resume.done > 0).then(|| resume.spent * (left / resume.done as f64))
    }
}

/// The top loop's range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopRange {
    /// Iterations.
    pub trips: i64,
    /// First value.
    pub start: i64,
    /// Exclusive end.
    pub stop: i64,
    /// Step.
    pub step: i64,
}

/// Everything that a kernel is made for: what is equal here shares a kernel.
#[derive(Clone, PartialEq, Debug)]
struct Key {
    proven: GuardSet,
    disjoint: bool,
    unit_stride: Vec<[bool; 8]>,
    threaded: bool,
    nonempty: u64,
    /// Loops of only a few trips, a bit each: no schedule splits them.
    short: u64,
    /// For data with NaN: comparisons raise no flag.
    quiet: bool,
}

impl Key {
    /// The facts that hold for every launch.
    fn general(guards: usize, slots: usize) -> Key {
        Key {
            proven: GuardSet::new(guards),
            disjoint: false,
            unit_stride: vec![[false; 8]; slots],
            threaded: false,
            nonempty: 0,
            short: 0,
            quiet: true,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

impl Plan {
    /// Puts the stages' results together.
    pub fn new(
        nest: Nest,
        verdicts: analysis::Analysis,
        bounds: analysis::BoundsPlan,
        prices: Prices,
    ) -> Plan {
        Plan {
            bounds,
            prices,
            roots: verdicts.parallel_roots(&nest),
            vectorisable: verdicts.vectorisable(&nest),
            bounding: bounding_floats(&nest),
            truncates: truncates(&nest),
            nest,
            verdicts,
            kernels: Mutex::default(),
            lost: Mutex::new(Seconds(0.0)),
            shows_identity: OnceLock::new(),
            recent: Mutex::default(),
            fingerprint: OnceLock::new(),
            quiet: AtomicBool::new(false),
            found: Found::default(),
        }
    }

    /// All that decisions rest on besides types: the values of ints, the arrays' extents, and floats that the bounds
    /// of the top loop are computed from.
    pub fn facts<V: HasValue>(&self, captures: &[V]) -> Vec<i64> {
        let mut facts = Vec::with_capacity(2 * captures.len());
        for (index, capture) in captures.iter().enumerate() {
            match capture.value() {
                Value::Float(v) if self.bounding.contains(&(index as u32)) => {
                    facts.push(v.to_bits() as i64);
                }
                Value::Int(v) => facts.push(*v),
                Value::Uint(v) => facts.push(*v as i64),
                Value::Bool(v) => facts.push(i64::from(*v)),
                Value::Array(view) => facts.extend(&view.extents[..view.rank]),
                Value::Sequence { rank, extents } => facts.extend(&extents[..*rank]),
                Value::Append { length } => facts.push(held(&self.nest, index as u32, *length)),
                Value::Float(_) | Value::Complex(..) | Value::None => {}
            }
        }
        facts
    }

    /// Whether another value of this capture could change a proof, a price or a kernel.
    pub fn decides(&self, capture: usize, value: &Value) -> bool {
        match value {
            Value::Float(_) => self.bounding.contains(&(capture as u32)),
            Value::Complex(..) => false,
            _ => true,
        }
    }

    /// Whether kernels compare without raising flags.
    pub fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed)
    }

    /// Sizes and decision of an earlier call with these facts, if one of the last few had them.
    pub fn recent(&self, facts: &[i64], options: &Options) -> Option<(Arc<Sizes>, Decision)> {
        let mut recent = lock(&self.recent);
        let same = |r: &Recent| r.facts == facts && r.device == options.device;
        let at = recent.iter().position(same)?;
        // The latest in front.
        recent.swap(0, at);
        recent.front().map(|r| (r.sizes.clone(), r.decision))
    }

    /// Keeps what was found out about a call that ran natively.
    pub fn remember(
        &self,
        facts: Vec<i64>,
        options: &Options,
        sizes: &Arc<Sizes>,
        decision: Decision,
    ) {
        let mut recent = lock(&self.recent);
        recent.truncate(MAX_RECENT - 1);
        recent.push_front(Recent {
            facts,
            device: options.device,
            sizes: sizes.clone(),
            decision,
        });
    }

    /// What values decide.
    pub(crate) fn bounds(&self) -> &analysis::BoundsPlan {
        &self.bounds
    }

    /// What launches found out beyond their sizes.
    pub(crate) fn found(&self) -> &Found {
        &self.found
    }

    /// Whether some float becomes an int.
    pub(crate) fn truncates(&self) -> bool {
        self.truncates
    }

    /// The nest.
    pub fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Whether `is` and `id()` could tell a native run.
    pub fn shows_identity(&self) -> bool {
        *self
            .shows_identity
            .get_or_init(|| analysis::identity::matters(&self.nest))
    }

    /// Each loop's verdict in words.
    pub fn verdicts(&self) -> Vec<String> {
        self.nest
            .loops
            .iter()
            .map(|(id, l)| {
                let indent = "  ".repeat(l.depth as usize);
                format!(
                    "{indent}line {}: {}",
                    l.span.line,
                    self.verdicts.explain(&self.nest, id)
                )
            })
            .collect()
    }

    /// The ints and extents of a call.
    pub fn launch_values<V: HasValue>(
        &self,
        captures: &[V],
    ) -> Result<analysis::LaunchValues, Reason> {
        let mut values = analysis::LaunchValues::unknown(&self.nest);
        for (id, var) in self.nest.vars.iter() {
            let Some(capture) = var.live_in else { continue };
            match captures.get(capture as usize).map(HasValue::value) {
                Some(Value::Int(v)) => values.vars[id.index()] = Some(*v),
                Some(Value::Uint(v)) => values.vars[id.index()] = i64::try_from(*v).ok(),
                Some(Value::Bool(v)) => values.vars[id.index()] = Some(i64::from(*v)),
                Some(Value::Float(v)) => values.floats[id.index()] = Some(*v),
                Some(Value::Append { length }) => {
                    values.vars[id.index()] = Some(held(&self.nest, capture, *length));
                }
                Some(Value::Complex(..)) => {}
                _ => return Err(Reason::Unbound(var.name.clone())),
            }
        }
        for (id, array) in self.nest.arrays.iter() {
            let (rank, extents) = match captures.get(array.capture as usize).map(HasValue::value) {
                Some(Value::Array(view)) => (view.rank, view.extents),
                Some(Value::Sequence { rank, extents }) => (*rank, *extents),
                Some(Value::Append { length }) => {
                    let held = held(&self.nest, array.capture, *length);
                    (1, [held + ROOM, 0, 0, 0, 0, 0, 0, 0])
                }
                _ => return Err(Reason::Unbound(array.name.clone())),
            };
            if rank != array.rank as usize {
                return Err(Reason::Array {
                    name: array.name.clone(),
                    why: "its rank changed",
                });
            }
            values.dims[id.index()] = extents;
        }
        Ok(values)
    }

    /// What the values prove and decide.
    pub fn resolve(&self, mut values: analysis::LaunchValues) -> Result<Sizes, Reason> {
        analysis::eval::prologue(&self.nest, &mut values);
        let mut proven = GuardSet::new(self.bounds.guards());
        let (resolved, trips) = self.bounds.resolve_with_trips(&values, &mut proven);
        if !resolved.trips_ok {
            let line = self
                .nest
                .needs_trip
                .first()
                .map_or(0, |l| self.nest.loops[*l].span.line);
            return Err(Reason::NoTrip { line });
        }
        let top = match self.nest.top_for() {
            Some(top) => Some(top_range(top, &values)?),
            None => None,
        };
        Ok(Sizes {
            nonempty: resolved.nonempty,
            first: first_trips(&self.nest, &trips, &values),
            trips,
            values,
            proven,
            top,
        })
    }

    /// Prices the devices.
    pub fn price<V: HasValue>(
        &self,
        sizes: &Sizes,
        captures: &[V],
        resume: Option<Resume>,
        options: &Options,
    ) -> Decision {
        let mut list_elements = 0.0;
        for array in self.nest.arrays.values() {
            if let Some(Value::Sequence { rank, extents }) =
                captures.get(array.capture as usize).map(HasValue::value)
            {
                let cost = if array.kind == ArrayKind::Str {
                    0.1
                } else {
                    1.0
                };
                list_elements += cost * extents[..*rank].iter().map(|e| *e as f64).product::<f64>();
            }
        }
        let trips = |id: LoopId| sizes.expected(id);
        let forks: f64 = self
            .roots
            .iter()
            .map(|id| self.times_entered(*id, &trips))
            .sum();
        let situation = Situation {
            list_elements,
            undo_bytes: 0.0,
            compiled: !lock(&self.kernels).is_empty(),
            lost: *lock(&self.lost) + resume.map_or(Seconds(0.0), |r| r.spent),
            rest: sizes.rest(resume),
            measured: resume.and_then(|r| sizes.measured(r)),
            threads: if !self.roots.is_empty() {
                options.threads as u32
            } else {
                1
            },
            forks,
            vectorised: self.vectorisable,
        };
        decide(&self.prices, &options.profile, &trips, &situation)
    }

    /// How often a loop is started.
    pub(crate) fn times_entered(&self, id: LoopId, trips: &dyn Fn(LoopId) -> f64) -> f64 {
        let mut product = 1.0;
        let mut at = self.nest.loops[id].parent;
        while let Some(outer) = at {
            product *= trips(outer).max(1.0);
            at = self.nest.loops[outer].parent;
        }
        product
    }

    /// From now on kernels compare without raising flags. False: they do already, or compare nothing.
    pub fn make_quiet(&self) -> bool {
        let mut compares = false;
        self.nest.walk_exprs(&mut |e| {
            compares |= match &e.kind {
                ExprKind::Compare { a, .. } => a.ty.repr.is_float(),
                ExprKind::Binary { op, .. } => {
                    e.ty.repr.is_float() && matches!(op, BinOp::Min | BinOp::Max)
                }
                _ => false,
            };
        });
        compares && !self.quiet.swap(true, Ordering::Relaxed)
    }

    /// Adds to the time lost by not being compiled.
    pub fn add_lost(&self, time: Seconds) {
        let mut lost = lock(&self.lost);
        *lost = *lost + time;
    }

    /// How much more time may be lost before compiling pays.
    pub fn patience(&self) -> Seconds {
        Seconds((self.prices.compile().0 - lock(&self.lost).0).max(0.0))
    }

    /// The kernel for a launch: from this plan, from disk, or from LLVM.
    pub fn kernel(
        &self,
        (sizes, proven): (&Sizes, &GuardSet),
        views: &[ArrayView],
        device: Device,
        options: &Options,
        entered: Instant,
    ) -> Result<(Arc<Kernel>, CompileInfo), Reason> {
        let written = |slot: usize| {
            self.nest
                .arrays
                .values()
                .nth(slot)
                .is_some_and(|a| a.written)
        };
        let mut key = Key {
            proven: proven.clone(),
            disjoint: overlap::disjoint(views, written),
            unit_stride: views.iter().map(ArrayView::unit_strides).collect(),
            threaded: device == Device::Threads,
            nonempty: sizes.nonempty,
            short: short_loops(&sizes.trips),
            quiet: self.is_quiet(),
        };
        let mut kernels = lock(&self.kernels);
        let find = |key: &Key, kernels: &[(Key, Arc<Kernel>)]| {
            let found = kernels.iter().find(|(k, _)| k == key);
            found.map(|(_, kernel)| (kernel.clone(), CompileInfo::default()))
        };
        if let Some(found) = find(&key, &kernels) {
            return Ok(found);
        }
        if kernels.len() >= MAX_KERNELS {
            key = Key::general(self.bounds.guards(), self.nest.arrays.len());
            if let Some(found) = find(&key, &kernels) {
                return Ok(found);
            }
        }
        let (kernel, from_disk) = self.build(&key, options)?;
        let kernel = Arc::new(kernel);
        kernels.push((key, kernel.clone()));
        Ok((
            kernel,
            CompileInfo {
                happened: true,
                from_disk,
                time: entered.elapsed(),
            },
        ))
    }

    fn build(&self, key: &Key, options: &Options) -> Result<(Kernel, bool), Reason> {
        let entry = options
            .cache_dir
            .is_some()
            .then(|| self.cache_key(key, options));
        if let Some(kernel) = entry.and_then(|entry| Kernel::from_disk(options, &entry)) {
            return Ok((kernel, true));
        }
        let nest = guards::apply(&self.nest, &key.proven);
        let (rewritten, mapping) = schedule(&nest, key, options);
        let compiled = match compile(rewritten.as_ref().unwrap_or(&nest), &mapping, key, options) {
            // A schedule that code generation cannot carry out is worth less than the nest as it was written.
            Err(Reason::Codegen(_)) => compile(&nest, &Schedule::serial(), key, options),
            result => result,
        };
        let (object, about) = compiled?;
        if let Some(entry) = entry {
            Kernel::to_disk(options, &entry, &object, &about);
        }
        let code = codegen::load(&object).map_err(|e| Reason::Codegen(e.to_string()))?;
        Ok((Kernel::new(code, about), false))
    }

    /// A hash of everything that a kernel depends on: the nest, the facts of the launch, the machine, and the code
    /// that turns the one into the other.
    fn cache_key(&self, key: &Key, options: &Options) -> cache::Key {
        let nest = self.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&serde_json::to_vec(&self.nest).unwrap_or_default());
            hasher.finalize()
        });
        let mut hasher = blake3::Hasher::new();
        hasher.update(nest.as_bytes());
        let facts = format!("{key:?} {:?} {}", options.fp, options.versions);
        hasher.update(facts.as_bytes());
        hasher.update(codegen::target_description().as_bytes());
        hasher.update(env!("NESTWISE_PLAN_FINGERPRINT").as_bytes());
        hasher.finalize()
    }
}

/// Loops of fewer trips than a vector or two threads could share, a bit each.
fn short_loops(trips: &[Option<f64>]) -> u64 {
    let short = |t: &Option<f64>| u64::from(t.is_some_and(|t| t < SHORT));
    let bits = trips.iter().take(64).enumerate();
    bits.fold(0, |all, (i, t)| all | short(t) << i)
}

/// Object code for a nest under a schedule, and what a launch has to know of it.
fn compile(
    nest: &Nest,
    schedule: &Schedule,
    key: &Key,
    options: &Options,
) -> Result<(Vec<u8>, About), Reason> {
    let last_axis = |(a, unit): (&ArrayDecl, &[bool; 8])| unit[a.rank as usize - 1];
    let unit_stride: Vec<bool> = nest
        .arrays
        .values()
        .zip(&key.unit_stride)
        .map(last_axis)
        .collect();
    let spec = codegen::KernelSpec {
        nest,
        schedule,
        disjoint: key.disjoint,
        unit_stride: &unit_stride,
        fp: options.fp,
        quiet: key.quiet,
    };
    let compiled = codegen::compile(spec).map_err(|e| Reason::Codegen(e.to_string()))?;
    let undo = analysis::undo::undo_plan_for(nest, key.disjoint);
    let mut done = schedule.clone();
    if compiled.without_lanes {
        done.vector.clear();
    }
    Ok((compiled.object, About::of(nest, undo, &done)))
}

/// The rewriting (if any) and mapping for these facts.
fn schedule(nest: &Nest, key: &Key, options: &Options) -> (Option<Nest>, Schedule) {
    if !key.disjoint {
        // What may overlap runs in the order it was written.
        return (None, Schedule::serial());
    }
    let short = |id: LoopId| id.index() < 64 && key.short >> id.index() & 1 == 1;
    let info = analysis::LaunchInfo {
        trips: nest
            .loops
            .ids()
            .map(|id| short(id).then_some(SHORT - 1.0))
            .collect(),
        unit_stride: key.unit_stride.clone(),
        lanes: ACCUMULATORS * codegen::vector_bits() / 64,
        disjoint: true,
        undo: true,
        fp: options.fp,
        nonempty: key.nonempty,
    };
    let assumed = analysis::Options {
        fp: options.fp,
        disjoint: true,
        nonempty: key.nonempty,
    };
    let verdicts = analysis::analyse_with(nest, assumed);
    let mut candidates = analysis::candidates(nest, &verdicts, &info);
    let best = (0..candidates.len()).max_by_key(|c| preference(&candidates[*c], key.threaded));
    match best {
        Some(best) => {
            let candidate = candidates.swap_remove(best);
            (candidate.nest, candidate.schedule)
        }
        None => (None, Schedule::serial()),
    }
}

/// Which of several legal forms is likely the fastest: the most loops on vectors first, then elements held in
/// registers rather than stored again and again, then the order as written.
fn preference(candidate: &analysis::Candidate, threaded: bool) -> (bool, usize, u8) {
    let (kind, mapping) = (&candidate.kind, &candidate.schedule);
    let vectors = mapping.vector.len() + mapping.independent.len();
    let form = match kind.rewrite {
        Rewrite::Promoted => 2,
        Rewrite::None => 1,
        Rewrite::Interchanged(_) => 0,
    };
    (kind.threads == threaded, vectors, form)
}

/// Whether some float becomes an int and may be out of its range.
fn truncates(nest: &Nest) -> bool {
    let mut found = false;
    nest.walk_exprs(&mut |e| {
        found |= matches!(
            e.kind,
            ExprKind::Cast {
                kind: Cast::Trunc,
                guard: true,
                ..
            }
        );
    });
    found
}

/// The captures of the floats that are read before the top loop, or in its bounds; all of them, where subscripts may be
/// computed from floats.
fn bounding_floats(nest: &Nest) -> Vec<u32> {
    if truncates(nest) {
        let real = |r: Scalar| r.is_float() || r == Scalar::Num;
        let floats = nest.vars.values().filter(|v| real(v.ty.repr));
        return floats.filter_map(|v| v.live_in).collect();
    }
    let before = nest.prologue.iter().flat_map(|s| s.exprs());
    let bounds = nest.top_for().map(|l| [&l.start, &l.stop, &l.step]);
    let mut found = Vec::new();
    for e in before.chain(bounds.into_iter().flatten()) {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind
                && e.ty.repr.is_float()
            {
                found.extend(nest.vars[v].live_in);
            }
        });
    }
    found
}

/// The trips of loops whose mean is not known, when they are first entered: by the values that variables have at entry.
fn first_trips(
    nest: &Nest,
    trips: &[Option<f64>],
    values: &analysis::LaunchValues,
) -> Vec<Option<f64>> {
    let mut first = vec![None; trips.len()];
    if trips.iter().all(Option::is_some) {
        return first;
    }
    nest.top.walk(&mut |stmt| {
        if let StmtKind::For(l) = &stmt.kind
            && let Some(None) = trips.get(l.id.index())
            && let Ok(range) = top_range(l, values)
        {
            first[l.id.index()] = Some(range.trips as f64);
        }
    });
    first
}

/// The exact range of the top loop.
fn top_range(top: &For, values: &analysis::LaunchValues) -> Result<TopRange, Reason> {
    let value = |e| analysis::eval::eval(e, values).ok_or(Reason::Bounds);
    let (start, stop, step) = (value(&top.start)?, value(&top.stop)?, value(&top.step)?);
    if step == 0 {
        return Err(Reason::ZeroStep);
    }
    let trips = analysis::trip_count(start, stop, step).and_then(|t| i64::try_from(t).ok());
    let trips = trips.ok_or(Reason::Bounds)?;
    // The counter after the last trip must not leave 64 bits either.
    trips
        .checked_mul(step)
        .and_then(|d| start.checked_add(d))
        .ok_or(Reason::Bounds)?;
    Ok(TopRange {
        trips,
        start,
        stop,
        step,
    })
}
