//! What is known of a nest for one signature, and the kernels made for it so far.

use crate::cache;
use crate::options::Options;
use crate::overlap::{self, ArrayView};
use crate::pipeline::{HasValue, Value};
use crate::reason::Reason;
use nestwise_analysis as analysis;
use nestwise_analysis::guards::{self, GuardSet};
use nestwise_analysis::schedule::Rewrite;
use nestwise_codegen as codegen;
use nestwise_costmodel::{Decision, Device, Prices, Seconds, Situation, decide};
use nestwise_ir::{ArrayDecl, ArrayKind, BinOp, ExprKind, For, LoopId, Nest, Schedule};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Kernels kept per plan; when more are needed the nest is likely to be called with ever new facts.
const MAX_KERNELS: usize = 32;
/// Assumed trips of a loop whose count no value of the call tells (a `while`).
const UNKNOWN_TRIPS: f64 = 100.0;
/// Vectors of independent results that a vectorised outer loop computes together, to hide the latency of their sums.
const ACCUMULATORS: u32 = 4;

/// A nest for one signature.
pub struct Plan {
    nest: Nest,
    verdicts: analysis::Analysis,
    bounds: analysis::BoundsPlan,
    prices: Prices,
    kernels: Mutex<Vec<(Key, Arc<Kernel>)>>,
    lost: Mutex<Seconds>,
    /// Its data has NaN in it, which comparisons by vectors take for an invalid operation.
    quiet: AtomicBool,
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
    /// Exact trip count of the top loop and its range (start, stop, step); none for a `while`.
    pub top: Option<TopRange>,
}

impl Sizes {
    /// Start, stop and step of the top loop.
    pub fn range(&self) -> Option<(i64, i64, i64)> {
        self.top.map(|t| (t.start, t.stop, t.step))
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

#[derive(Clone, PartialEq)]
struct Key {
    proven: GuardSet,
    disjoint: bool,
    unit_stride: Vec<[bool; 8]>,
    threaded: bool,
    nonempty: u64,
    /// For data with NaN: comparisons raise no flag.
    quiet: bool,
}

/// A compiled nest under one schedule, for launches that share all facts it was compiled for.
pub struct Kernel {
    /// The nest as compiled: proven guards cleared, perhaps rewritten.
    pub nest: Nest,
    /// The machine code.
    pub code: codegen::Kernel,
    /// Offsets in its frame.
    pub layout: codegen::abi::FrameLayout,
    /// What a chunk may have to take back.
    pub undo: analysis::UndoPlan,
    /// It stops exactly where an event fires: nothing behind that point has run.
    pub in_order: bool,
    /// Whether some loop runs on threads.
    pub threaded: bool,
}

/// How a kernel came about.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileInfo {
    /// It was not there before this call.
    pub happened: bool,
    /// It came from the cache on disk.
    pub from_disk: bool,
    /// Time from entering the hook until the kernel was there.
    pub time: Duration,
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
            nest,
            verdicts,
            bounds,
            prices,
            kernels: Mutex::default(),
            lost: Mutex::new(Seconds(0.0)),
            quiet: AtomicBool::new(false),
        }
    }

    /// The nest.
    pub fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Whether `is` and `id()` could tell a native run.
    pub fn shows_identity(&self) -> bool {
        analysis::identity::matters(&self.nest)
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
                Some(Value::Float(_) | Value::Complex(..)) => {}
                _ => return Err(Reason::Unbound(var.name.clone())),
            }
        }
        for (id, array) in self.nest.arrays.iter() {
            let (rank, extents) = match captures.get(array.capture as usize).map(HasValue::value) {
                Some(Value::Array(view)) => (view.rank, view.extents),
                Some(Value::Sequence { rank, extents }) => (*rank, *extents),
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
    pub fn resolve(&self, values: analysis::LaunchValues) -> Result<Sizes, Reason> {
        let mut proven = GuardSet::new(self.bounds.guards());
        let resolved = self.bounds.resolve(&values, &mut proven);
        if !resolved.trips_ok {
            let line = self
                .nest
                .needs_trip
                .first()
                .map_or(0, |l| self.nest.loops[*l].span.line);
            return Err(Reason::NoTrip { line });
        }
        let top = match self.nest.top_for() {
            Some(top) => Some(top_range(&self.nest, top, &values)?),
            None => None,
        };
        let trips = self
            .nest
            .loops
            .ids()
            .map(|id| self.bounds.trips(&values, id));
        Ok(Sizes {
            nonempty: resolved.nonempty,
            trips: trips.collect(),
            values,
            proven,
            top,
        })
    }

    /// Prices the devices.
    pub fn price<V: HasValue>(&self, sizes: &Sizes, captures: &[V], options: &Options) -> Decision {
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
        let trips = |id: LoopId| {
            sizes
                .trips
                .get(id.index())
                .copied()
                .flatten()
                .unwrap_or(UNKNOWN_TRIPS)
        };
        let roots = self.verdicts.parallel_roots(&self.nest);
        let forks: f64 = roots.iter().map(|id| self.times_entered(*id, &trips)).sum();
        let situation = Situation {
            list_elements,
            undo_bytes: 0.0,
            compiled: !lock(&self.kernels).is_empty(),
            lost: *lock(&self.lost),
            threads: if !roots.is_empty() {
                options.threads as u32
            } else {
                1
            },
            forks,
            vectorised: self.verdicts.vectorisable(&self.nest),
        };
        decide(&self.prices, &options.profile, &trips, &situation)
    }

    /// How often a loop is started.
    fn times_entered(&self, id: LoopId, trips: &dyn Fn(LoopId) -> f64) -> f64 {
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

    /// The kernel for a launch: from this plan, from disk, or from LLVM.
    pub fn kernel(
        &self,
        sizes: &Sizes,
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
        let key = Key {
            proven: sizes.proven.clone(),
            disjoint: overlap::disjoint(views, written),
            unit_stride: views.iter().map(ArrayView::unit_strides).collect(),
            threaded: device == Device::Threads,
            nonempty: sizes.nonempty,
            quiet: self.quiet.load(Ordering::Relaxed),
        };
        let mut kernels = lock(&self.kernels);
        if let Some((_, kernel)) = kernels.iter().find(|(k, _)| *k == key) {
            return Ok((kernel.clone(), CompileInfo::default()));
        }
        if kernels.len() >= MAX_KERNELS {
            return Err(Reason::Off);
        }
        let (kernel, from_disk) = self.build(&key, sizes, options)?;
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

    fn build(&self, key: &Key, sizes: &Sizes, options: &Options) -> Result<(Kernel, bool), Reason> {
        let nest = guards::apply(&self.nest, &key.proven);
        let (scheduled, mapping) = schedule(nest.clone(), key, sizes, options);
        match self.code(scheduled, mapping, key, options) {
            // A schedule that code generation cannot carry out is worth less than the nest as it was written.
            Err(Reason::Codegen(_)) => self.code(nest, Schedule::serial(), key, options),
            result => result,
        }
    }

    fn code(
        &self,
        nest: Nest,
        schedule: Schedule,
        key: &Key,
        options: &Options,
    ) -> Result<(Kernel, bool), Reason> {
        let last_axis = |(a, unit): (&ArrayDecl, &[bool; 8])| unit[a.rank as usize - 1];
        let unit_stride: Vec<bool> = nest
            .arrays
            .values()
            .zip(&key.unit_stride)
            .map(last_axis)
            .collect();
        let spec = codegen::KernelSpec {
            nest: &nest,
            schedule: &schedule,
            disjoint: key.disjoint,
            unit_stride: &unit_stride,
            fp: fp_mode(options.fp),
            quiet: key.quiet,
        };
        let cached = options
            .cache_dir
            .as_deref()
            .map(|dir| (dir, cache_key(&spec, options)));
        let stored = cached.as_ref().and_then(|(dir, key)| cache::load(dir, key));
        let from_disk = stored
            .as_ref()
            .and_then(|object| codegen::load(object).ok());
        let found = from_disk.is_some();
        let code = match from_disk {
            Some(code) => code,
            None => {
                let compiled =
                    codegen::compile(spec).map_err(|e| Reason::Codegen(e.to_string()))?;
                if let Some((dir, key)) = &cached {
                    // A cache that cannot be written only costs time.
                    let _ = cache::store(dir, key, &compiled.object);
                }
                codegen::load(&compiled.object).map_err(|e| Reason::Codegen(e.to_string()))?
            }
        };
        let layout = codegen::abi::FrameLayout::of(&nest);
        let options = analysis::Options {
            fp: options.fp,
            disjoint: key.disjoint,
            nonempty: 0,
        };
        let forms = analysis::analyse_with(&nest, options).forms;
        let undo = analysis::undo::undo_plan_with(&nest, &forms, key.disjoint);
        let threaded = !schedule.threads.is_empty();
        // Whether a kernel that fires has run nothing beyond that point. The floating-point flags are looked at
        // only after the whole chunk.
        let plain = !threaded && schedule.vector.is_empty() && schedule.independent.is_empty();
        let in_order = plain && !undo.warns;
        let kernel = Kernel {
            nest,
            code,
            layout,
            undo,
            in_order,
            threaded,
        };
        Ok((kernel, found))
    }
}

/// The rewriting and mapping for these facts.
fn schedule(nest: Nest, key: &Key, sizes: &Sizes, options: &Options) -> (Nest, Schedule) {
    if !key.disjoint {
        // What may overlap runs in the order it was written.
        return (nest, Schedule::serial());
    }
    let info = analysis::LaunchInfo {
        trips: sizes.trips.clone(),
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
    let verdicts = analysis::analyse_with(&nest, assumed);
    let mut candidates = analysis::candidates(&nest, &verdicts, &info);
    let best = (0..candidates.len()).max_by_key(|c| preference(&candidates[*c].kind, key.threaded));
    match best {
        Some(best) => {
            let candidate = candidates.swap_remove(best);
            (candidate.nest.unwrap_or(nest), candidate.schedule)
        }
        None => (nest, Schedule::serial()),
    }
}

/// Which of several legal forms is likely the fastest: vectors first, then elements held in registers rather than
/// stored again and again, then the order as written.
fn preference(kind: &analysis::schedule::Kind, threaded: bool) -> (bool, bool, u8) {
    let form = match kind.rewrite {
        Rewrite::Promoted => 2,
        Rewrite::None => 1,
        Rewrite::Interchanged(_) => 0,
    };
    (kind.threads == threaded, kind.vector, form)
}

/// The exact range of the top loop.
fn top_range(nest: &Nest, top: &For, values: &analysis::LaunchValues) -> Result<TopRange, Reason> {
    let mut values = values.clone();
    analysis::eval::prologue(nest, &mut values);
    let value = |e| analysis::eval::eval(e, &values).ok_or(Reason::Bounds);
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

fn fp_mode(fp: nestwise_ir::FpMode) -> codegen::FpMode {
    match fp {
        nestwise_ir::FpMode::Strict => codegen::FpMode::Strict,
        nestwise_ir::FpMode::Faithful => codegen::FpMode::Faithful,
        nestwise_ir::FpMode::Fast => codegen::FpMode::Fast,
    }
}

/// Everything the object code depends on.
fn cache_key(spec: &codegen::KernelSpec<'_>, options: &Options) -> cache::Key {
    let mut hasher = blake3::Hasher::new();
    let _ = serde_json::to_writer(
        &mut hasher,
        &(
            spec.nest,
            spec.schedule,
            spec.disjoint,
            spec.unit_stride,
            spec.quiet,
        ),
    );
    hasher.update(format!("{:?}", spec.fp).as_bytes());
    hasher.update(codegen::target_description().as_bytes());
    hasher.update(options.versions.as_bytes());
    hasher.finalize()
}
