//! What is known of a nest for one signature, and the kernels made for it so far.

mod learn;
pub(crate) mod losses;
pub mod on_disk;
mod price;
mod recent;
mod record;
pub(crate) mod sizes;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use nestwise_analysis as analysis;
use nestwise_analysis::dependence::Property;
use nestwise_analysis::guards::{self, GuardSet};
use nestwise_analysis::values::trip_bounds::TripBounds;
use nestwise_codegen as codegen;
use nestwise_costmodel::estimate::gpu::Axes;
use nestwise_costmodel::record::NestRecord;
use nestwise_costmodel::{Device, Learned, Prices, Ready};
use nestwise_ir::model::nest::Cast;
use nestwise_ir::{ArrayId, ArrayKind, BinOp, ExprKind, LoopId, Nest, Scalar, Tier, interrupts};
use nestwise_tiering::{Lost, Tiers};

use crate::estimate::trip_sampling;
use crate::kernel::compile::{compile, has_room};
use crate::kernel::key::{Way, short_loops};
use crate::kernel::select::{Scheduled, schedule};
use crate::kernel::{cache, making};
use crate::launch::proof::Found;
use crate::memory::overlap::{self, ArrayView};
use crate::options::{Options, TierChoice, Unchecked};
use crate::pipeline::{HasValue, PricedBy, ROOM, Value, extents, held};
use crate::plan::recent::Recent;
use crate::plan::sizes::{mean_trips, top_range};
use crate::reason::Reason;

pub use crate::estimate::launch_work::CallFeatures;
pub use crate::kernel::key::Key;
pub use crate::kernel::{About, CompileInfo, Kernel, MadeCode};
pub use crate::plan::recent::Known;
pub use crate::plan::sizes::{Sizes, TopRange};

/// Kernels kept per plan; a nest called with ever new facts gets one more, which holds for all of them.
const MAX_KERNELS: usize = 32;

/// What the stages of planning have found: all of it by types alone.
pub struct Stages {
    /// The nest.
    pub nest: Nest,
    /// What its loops may do.
    pub verdicts: analysis::Staged,
    /// Guards that the values of a call may prove.
    pub bounds: analysis::BoundsPlan,
    /// How often loops inside run at most, where no value tells how often they do.
    pub trip_bounds: TripBounds,
    /// The features and the memory traffic that prices are computed from.
    pub priced_by: PricedBy,
    /// What undoing takes, if that was asked for.
    pub undo: Option<analysis::UndoPlan>,
    /// A test has made it wrong.
    pub broken: bool,
}

/// A nest for one signature.
pub struct Plan {
    pub(crate) nest: Nest,
    pub(crate) verdicts: analysis::Staged,
    bounds: analysis::BoundsPlan,
    /// How often loops inside run at most, where no value tells how often they do.
    trip_bounds: TripBounds,
    priced_by: PricedBy,
    pub(crate) prices: Prices,
    kernels: Mutex<Vec<(Key, Arc<Kernel>)>>,
    /// The kernels that were last asked for, for each native device.
    pub(crate) made: Mutex<[Option<Arc<Kernel>>; 3]>,
    /// When code is made, and of which tier.
    pub(crate) tiers: Tiers,
    /// Its loops that a card could have, by how many loops they are in at least; and that it cannot after all.
    pub(crate) axes: OnceLock<Vec<(Way, Axes)>>,
    pub(crate) off_grid: AtomicBool,
    /// How its estimates are to be corrected.
    learned: Mutex<Learned>,
    /// What the call that comes now finds.
    ready: Mutex<Ready>,
    /// Launches before a decision was made last.
    decided_at: AtomicU64,
    /// Counts what has made decisions doubtful since.
    pub(crate) lessons: AtomicU32,
    /// Hash of the nest and of what compiles it, once it is needed.
    fingerprint: OnceLock<blake3::Hash>,
    /// The cache had kernels of this nest when that was asked first, and which it had not.
    on_disk: [OnceLock<bool>; 2],
    not_on_disk: Mutex<Vec<Key>>,
    /// Where it is kept on disk, and what earlier processes lost.
    kept_at: OnceLock<cache::Key>,
    lost_before: OnceLock<Lost>,
    recent: Mutex<VecDeque<Recent>>,
    /// Its data has NaN in it, which comparisons by vectors take for an invalid operation.
    quiet: AtomicBool,
    /// Captures of floats that the bounds of the top loop are computed from.
    bounding: Vec<u32>,
    /// A test has made it wrong.
    broken: bool,
    /// Some float becomes an int, whose range no form tells.
    truncates: bool,
    /// Arrays by whose elements sums and products may be known to stay in range.
    added: Vec<ArrayId>,
    /// What undoing takes, once a price needs it.
    pub(crate) undo: OnceLock<analysis::UndoPlan>,
    /// Guards that no type has cleared.
    pub(crate) guards: usize,
    /// Floating-point flags are looked at after a range of iterations.
    pub(crate) warns: bool,
    found: Found,
    /// What guesses of trips rest on, once one is needed.
    pub(crate) followed: OnceLock<trip_sampling::Followed>,
    pub(crate) guesses: Mutex<trip_sampling::Guesses>,
    /// Held by whoever makes a kernel.
    making: Mutex<()>,
    /// Its calls, where they are kept.
    record: Mutex<Option<Box<NestRecord>>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

impl Plan {
    /// Puts the stages' results together.
    pub fn new(
        Stages {
            nest,
            verdicts,
            bounds,
            trip_bounds,
            priced_by,
            undo,
            broken,
        }: Stages,
        options: &Options,
    ) -> Plan {
        let PricedBy {
            features,
            traffic,
            lanes,
        } = &priced_by;
        let prices = Prices::new(features, traffic, *lanes, &options.profile);
        Plan {
            trip_bounds,
            bounds,
            prices,
            priced_by,
            bounding: bounding_floats(&nest),
            truncates: truncates(&nest),
            added: nestwise_analysis::guards::by_values::worth_looking(&nest),
            guards: guards::count_set(&nest),
            warns: analysis::warns(&nest),
            nest,
            verdicts,
            kernels: Mutex::default(),
            made: Mutex::default(),
            tiers: Tiers::default(),
            axes: OnceLock::new(),
            off_grid: AtomicBool::new(false),
            learned: Mutex::default(),
            decided_at: AtomicU64::new(0),
            lessons: AtomicU32::new(0),
            ready: Mutex::default(),
            undo: undo.map_or_else(OnceLock::new, OnceLock::from),
            recent: Mutex::default(),
            fingerprint: OnceLock::new(),
            on_disk: Default::default(),
            not_on_disk: Mutex::default(),
            kept_at: OnceLock::new(),
            lost_before: OnceLock::new(),
            quiet: AtomicBool::new(false),
            found: Found::default(),
            followed: OnceLock::new(),
            guesses: Mutex::default(),
            making: Mutex::default(),
            record: Mutex::default(),
            broken,
        }
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

    /// What the call that comes now finds.
    pub fn finds(&self, ready: Ready) {
        *lock(&self.ready) = ready;
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

    /// The number of guards that no type has cleared.
    pub(crate) fn guards(&self) -> usize {
        self.guards
    }

    /// Arrays by whose elements sums and products may be known to stay in range.
    pub(crate) fn added(&self) -> &[ArrayId] {
        &self.added
    }

    /// What index arrays would have to be for loops to run in parallel.
    pub(crate) fn elements(&self) -> &[(ArrayId, Property)] {
        self.verdicts.elements()
    }

    /// The nest.
    pub fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Each loop's verdict in words.
    pub fn verdicts(&self) -> Vec<String> {
        let verdicts = self.verdicts.verdicts(&self.nest);
        self.nest
            .loops
            .iter()
            .map(|(id, l)| {
                let indent = "  ".repeat(l.depth as usize);
                format!(
                    "{indent}line {}: {}",
                    l.span.line,
                    verdicts.explain(&self.nest, id)
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
            let value = captures.get(array.capture as usize).map(HasValue::value);
            let (rank, extents) = match value {
                _ if array.kind == ArrayKind::Scratch => {
                    let size = array.storage.size() as i64;
                    let own =
                        ArrayView::of_nothing(&array.like, extents(&self.nest, captures), size);
                    (own.rank, own.extents)
                }
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

    /// What the values prove and decide. `resumed`: they are those of a nest that goes on half-way.
    pub fn resolve(
        &self,
        mut values: analysis::LaunchValues,
        resumed: bool,
    ) -> Result<Sizes, Reason> {
        nestwise_analysis::values::eval::prologue(&self.nest, &mut values);
        let top = self.nest.top_for().map(|top| top_range(top, &values));
        let top = top.transpose()?;
        if resumed {
            // Proofs count from what a variable has when the top loop begins, which is not what it has now.
            let changed = analysis::structure::assigned(std::slice::from_ref(&self.nest.top));
            changed.iter().for_each(|v| values.vars[v.index()] = None);
        }
        let mut proven = GuardSet::new(self.bounds.guards());
        let (resolved, trips) = self.bounds.resolve_with_trips(&values, &mut proven);
        if !resolved.extents_ok {
            return Err(Reason::TooLarge);
        }
        Ok(Sizes {
            refuted: self.verdicts.refuted(&values),
            nonempty: resolved.nonempty,
            mean: mean_trips(&self.nest, &trips, &values),
            trips,
            values,
            proven,
            top,
            untouched: Vec::new(),
            there: Vec::new(),
            least: OnceLock::new(),
        })
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

    /// Whether what is known of the nest counts from values at entry, and says nothing of a call that goes on half-way.
    pub(crate) fn counts_from_entry(&self) -> bool {
        self.verdicts.counts_from_entry()
    }

    /// What the kernel for a launch is made for. `value`: the site is an expression.
    pub fn key(
        &self,
        (sizes, proven, elements): (&Sizes, &GuardSet, u64),
        (resumed, value): (bool, bool),
        views: &[ArrayView],
        device: Device,
        options: &Options,
    ) -> Key {
        let written = |slot: usize| {
            self.nest
                .arrays
                .values()
                .nth(slot)
                .is_some_and(|a| a.written)
        };
        Key {
            proven: proven.clone(),
            memory: match resumed && self.counts_from_entry() {
                // In the order as written, whatever iterations have in common.
                true => analysis::Memory::Unknown,
                false => overlap::memory(views, written).throughout(&self.nest),
            },
            refuted: sizes.refuted,
            elements,
            unit_stride: views.iter().map(ArrayView::unit_strides).collect(),
            threaded: device == Device::Threads,
            grid: match device {
                Device::Gpu if !resumed => {
                    let way = || self.way(sizes, options);
                    options.grid_target().map(|target| (target, way()))
                }
                _ => None,
            },
            nonempty: sizes.nonempty,
            short: match options.tests_forms() {
                true => 0,
                false => short_loops(&sizes.trips),
            },
            roomy: match device {
                Device::Threads => self.roomy(sizes, options),
                _ => 0,
            },
            quiet: self.is_quiet(),
            interruptible: match device {
                // What runs there is cut into short launches.
                Device::Gpu => Vec::new(),
                _ if options.unchecked.is_some() => Vec::new(),
                // CPython would evaluate all of an expression, whether somebody waits or not.
                _ if value && !nestwise_codegen::link::interrupts::is_waiting_known() => Vec::new(),
                _ => self.interruptible(sizes),
            },
            tier: match (device, options.tier) {
                (Device::Serial, Some(TierChoice::Quick)) => Tier::Quick,
                _ => Tier::Optimised,
            },
        }
    }

    /// The loops in which a kernel for a launch of these sizes has to ask whether somebody waits.
    pub(crate) fn interruptible(&self, sizes: &Sizes) -> Vec<LoopId> {
        if self.nest.loops.len() == 1 {
            return Vec::new();
        }
        let mut trips = sizes.trips.clone();
        self.trip_bounds.fill(&mut trips, &sizes.values);
        interrupts::interruptible(&self.nest, &trips)
    }

    /// The kernel for a launch: from this plan, from disk, or from LLVM.
    pub fn kernel(
        &self,
        key: &Key,
        options: &Options,
        entered: Instant,
    ) -> Result<(Arc<Kernel>, CompileInfo), Reason> {
        match self.find(key) {
            Some(found) => Ok(found),
            None => self.get_or_make(key.clone(), options, entered, false),
        }
    }

    /// Whether the iterations of the top loop may be shared among threads, for all that is known before a call.
    pub(crate) fn shares_top(&self) -> bool {
        self.verdicts.shares_top()
    }

    /// Whether there is optimised code for a device, for calls of some kind.
    pub(crate) fn has_made(&self, device: Device) -> bool {
        self.tiers.has_optimised(device)
    }

    /// The kernel, if it is there.
    pub(crate) fn find(&self, key: &Key) -> Option<(Arc<Kernel>, CompileInfo)> {
        let kernels = lock(&self.kernels);
        let (_, kernel) = kernels.iter().find(|(k, _)| k == key)?;
        let kernel = kernel.clone();
        drop(kernels);
        let news = kernel.news();
        Some((self.last(&kernel), news))
    }

    /// The same, made if it is not there, unless somebody else makes it at the moment. `ahead`: of any launch, the first of
    /// which is to tell.
    pub(crate) fn get_or_make(
        &self,
        mut key: Key,
        options: &Options,
        entered: Instant,
        ahead: bool,
    ) -> Result<(Arc<Kernel>, CompileInfo), Reason> {
        let _making = lock(&self.making);
        if lock(&self.kernels).len() >= MAX_KERNELS {
            key = Key::general(self.bounds.guards(), &self.nest);
        }
        if let Some(found) = self.find(&key) {
            return Ok(found);
        }
        let turn = lock(&self.kernels).len();
        let (predicted, begun) = (self.making(Device::Serial, key.tier), Instant::now());
        let (mut kernel, from_disk) = self.build(&key, turn, options)?;
        let made = MadeCode {
            tier: key.tier,
            predicted,
            took: begun.elapsed(),
        };
        let made = (!from_disk && kernel.grid.is_none()).then_some(made);
        // Predictions of quick code are for whoever waits for it: beside CPython it takes longer, by as much as `WAITS` allows for.
        let waited = |made: &MadeCode| !ahead || made.tier == Tier::Optimised;
        if let Some(made) = made.filter(waited) {
            making::took(made.tier.into(), made.predicted, made.took);
        }
        let info = CompileInfo {
            happened: true,
            from_disk,
            time: entered.elapsed(),
            made,
        };
        kernel.tells(info, ahead);
        let kernel = Arc::new(kernel);
        lock(&self.kernels).push((key, kernel.clone()));
        Ok((self.last(&kernel), info))
    }

    fn last(&self, kernel: &Arc<Kernel>) -> Arc<Kernel> {
        let (device, tier) = (kernel.device(), kernel.about.tier);
        if tier == Tier::Optimised {
            lock(&self.made)[device.kind()] = Some(kernel.clone());
        }
        self.tiers.came(device, tier);
        kernel.clone()
    }

    /// Makes a kernel: the `turn`-th of this plan.
    fn build(&self, key: &Key, turn: usize, options: &Options) -> Result<(Kernel, bool), Reason> {
        let entry = options
            .cache_dir
            .is_some()
            .then(|| self.cache_key(key, options));
        if let Some(kernel) = entry.and_then(|entry| Kernel::from_disk(options, &entry)) {
            if key.grid.is_some() && kernel.grid.is_none() {
                self.leave_grid();
            }
            return Ok((kernel, true));
        }
        if !has_room() {
            return Err(Reason::Codegen("there is too little memory left".into()));
        }
        let mut off_grid = None;
        if let Some(grid) = key.grid {
            match self.build_grid(key, grid, options) {
                Ok((kernel, object)) => {
                    if let Some(entry) = entry {
                        Kernel::to_disk(options, entry, &object, &kernel.about);
                    }
                    return Ok((kernel, false));
                }
                Err(why) => {
                    self.leave_grid();
                    off_grid = Some(format!("not on a grid: {why}"));
                }
            }
        }
        let mut nest = match options.unchecked {
            None => guards::apply(&self.nest, &key.proven),
            Some(Unchecked { wraps }) => guards::unchecked(&self.nest, &key.proven, wraps),
        };
        nest.interruptible.clone_from(&key.interruptible);
        let scheduled = |key: &Key| {
            let made = schedule(&nest, key, &self.verdicts, turn, options);
            compile(&made, key, options)
        };
        let first = scheduled(key);
        let refused = match &first {
            Err(Reason::Codegen(why)) => Some(format!("refused schedule: {why}")),
            _ => None,
        };
        let compiled = match first {
            // A schedule that code generation cannot carry out is worth less than another, or the nest as it was written.
            Err(Reason::Codegen(_)) if key.threaded => scheduled(&Key {
                threaded: false,
                ..key.clone()
            }),
            result => result,
        };
        let compiled = match compiled {
            Err(Reason::Codegen(_)) => compile(&Scheduled::plain(&nest), key, options),
            result => result,
        };
        let (object, mut about) = compiled?;
        about.means.extend(off_grid);
        about.means.extend(refused);
        if self.broken {
            about.means.push("broken".into());
        }
        if let Some(entry) = entry {
            Kernel::to_disk(options, entry, &object, &about);
        }
        let kernel = Kernel::load(&object, about, options).map_err(Reason::Codegen)?;
        Ok((kernel, false))
    }

    /// Where the cache keeps a kernel.
    fn cache_key(&self, key: &Key, options: &Options) -> cache::Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{key:?}").as_bytes());
        if key.grid.is_some() {
            hasher.update(codegen::libdevice_description().as_bytes());
        }
        cache::Key {
            kind: key.tier.into(),
            of: self.fingerprint(options),
            facts: hasher.finalize(),
        }
    }

    /// A hash of the nest, of the machine, and of the code that turns the one into the other's.
    fn fingerprint(&self, options: &Options) -> blake3::Hash {
        *self.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&postcard::to_stdvec(&self.nest).unwrap_or_default());
            hasher.update(&on_disk::made_by(options));
            hasher.finalize()
        })
    }

    /// Whether the cache has code of this tier of this nest.
    pub(crate) fn is_on_disk(&self, tier: Tier, options: &Options) -> bool {
        *self.on_disk[usize::from(tier == Tier::Quick)].get_or_init(|| {
            let dir = options.cache_dir.as_deref();
            dir.is_some_and(|dir| cache::has(dir, tier.into(), &self.fingerprint(options)))
        })
    }

    /// Whether the cache has no kernel for this key, or lacked so many others that it is not asked any more.
    fn is_missing_on_disk(&self, key: &Key) -> bool {
        let missing = lock(&self.not_on_disk);
        missing.len() >= MAX_KERNELS || missing.contains(key)
    }

    /// The kernel, if it is there or on disk.
    pub(crate) fn find_or_load(
        &self,
        key: &Key,
        options: &Options,
        entered: Instant,
    ) -> Option<(Arc<Kernel>, CompileInfo)> {
        if let Some(found) = self.find(key) {
            return Some(found);
        }
        if lock(&self.kernels).len() >= MAX_KERNELS {
            return self.find(&Key::general(self.bounds.guards(), &self.nest));
        }
        if !self.is_on_disk(key.tier, options) || self.is_missing_on_disk(key) {
            return None;
        }
        let Some(mut kernel) = Kernel::from_disk(options, &self.cache_key(key, options)) else {
            lock(&self.not_on_disk).push(key.clone());
            return None;
        };
        let info = CompileInfo {
            happened: true,
            from_disk: true,
            time: entered.elapsed(),
            made: None,
        };
        kernel.tells(info, false);
        let kernel = Arc::new(kernel);
        lock(&self.kernels).push((key.clone(), kernel.clone()));
        Some((self.last(&kernel), info))
    }
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
