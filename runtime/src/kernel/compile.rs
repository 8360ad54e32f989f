//! What a kernel is made for, and making it: the form and the schedule for these facts, object code from LLVM.

use nestwise_analysis as analysis;
use nestwise_analysis::Ranges;
use nestwise_analysis::dataflow::undo::{UndoPlan, undo_plan_for};
use nestwise_analysis::guards::GuardSet;
use nestwise_analysis::schedule::Rewrite;
use nestwise_codegen as codegen;
use nestwise_ir::{ArrayDecl, ArrayId, LoopId, Nest, Schedule, Tier, interrupts};

use crate::kernel::About;
use crate::options::Options;
use crate::reason::Reason;
use crate::testing::forced_schedules;
use crate::testing::planted_mistakes::Broken;

/// Trips below which a loop is neither split among threads nor run by vectors.
const SHORT: f64 = 4.0;
/// Vectors of independent results that a vectorised outer loop computes together, to hide the latency of their sums.
const ACCUMULATORS: u32 = 4;

/// Which loops a grid has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// In how many loops they are at least.
    pub(crate) depth: u32,
    /// Those around them are cooperative kernels.
    pub(crate) cooperative: bool,
}

/// Everything that a kernel is made for: what is equal here shares a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    pub(crate) proven: GuardSet,
    pub(crate) memory: analysis::Memory,
    /// Clauses that do not hold, a bit each.
    pub(crate) refuted: u64,
    /// Index arrays that are as conditions ask, a bit each.
    pub(crate) elements: u64,
    pub(crate) unit_stride: Vec<[bool; 8]>,
    pub(crate) threaded: bool,
    /// What device's grid loops run on, where they may, and which.
    pub(crate) grid: Option<(codegen::GridTarget, Way)>,
    pub(crate) nonempty: u64,
    /// Loops of only a few trips, a bit each: no schedule splits them.
    pub(crate) short: u64,
    /// Arrays of which every thread may have a copy, a bit each.
    pub(crate) roomy: u64,
    /// For data with NaN: comparisons raise no flag.
    pub(crate) quiet: bool,
    /// Loops of the nest as written in which the kernel asks whether somebody waits.
    pub(crate) interruptible: Vec<LoopId>,
    pub(crate) tier: Tier,
}

impl Key {
    /// The facts that hold for every launch.
    pub(crate) fn general(guards: usize, nest: &Nest) -> Key {
        let slots = nest.arrays.len();
        Key {
            interruptible: interrupts::interruptible(nest, &[]),
            proven: GuardSet::new(guards),
            memory: analysis::Memory::Unknown,
            refuted: 0,
            elements: 0,
            unit_stride: vec![[false; 8]; slots],
            threaded: false,
            grid: None,
            nonempty: 0,
            short: 0,
            roomy: 0,
            quiet: true,
            tier: Tier::Optimised,
        }
    }
    /// This key for code of another tier.
    pub fn of(self, tier: Tier) -> Key {
        Key { tier, ..self }
    }
    /// Whether its loops are to run on a device's grid.
    pub fn is_for_grid(&self) -> bool {
        self.grid.is_some()
    }
    pub(crate) fn disjoint(&self) -> bool {
        self.memory == analysis::Memory::Disjoint
    }
    /// What a launch found out that decided more than its types do.
    pub(crate) fn means(&self) -> impl Iterator<Item = &'static str> {
        let shifted = matches!(self.memory, analysis::Memory::Overlaps(_));
        let all = [
            (shifted, "overlaps"),
            (self.refuted != 0, "values"),
            (self.elements != 0, "elements"),
        ];
        all.into_iter().filter(|m| m.0).map(|m| m.1)
    }
}

/// Bytes that the copies of one array may take for all threads together.
const COPIED_BYTES: i64 = 16 << 20;

/// Bytes of one copy of a slot's array, whatever its strides.
pub(crate) fn copy_bytes(nest: &Nest, array: ArrayId, values: &analysis::LaunchValues) -> i64 {
    let (Some(decl), Some(dims)) = (nest.arrays.get(array), values.dims.get(array.index())) else {
        return i64::MAX;
    };
    let size = decl.storage.size() as i64;
    let extents = dims[..decl.rank as usize].iter();
    extents.fold(size, |bytes, n| bytes.saturating_mul(*n))
}

/// Arrays that some loop would copy of which so many threads may each have a copy, a bit each.
pub(crate) fn roomy_arrays(
    nest: &Nest,
    copied: &[ArrayId],
    values: &analysis::LaunchValues,
    threads: usize,
) -> u64 {
    let fits =
        |a: ArrayId| copy_bytes(nest, a, values).saturating_mul(threads as i64) <= COPIED_BYTES;
    copied
        .iter()
        .filter(|a| a.index() < 64 && fits(**a))
        .fold(0, |bits, a| bits | 1 << a.index())
}

/// Loops of fewer trips than a vector or two threads could share, a bit each.
pub(crate) fn short_loops(trips: &[Option<f64>]) -> u64 {
    let short = |t: &Option<f64>| u64::from(t.is_some_and(|t| t < SHORT));
    let bits = trips.iter().take(64).enumerate();
    bits.fold(0, |all, (i, t)| all | short(t) << i)
}

/// Whether an array is among those of some bits.
pub(crate) fn is_roomy(bits: u64, array: ArrayId) -> bool {
    array.index() < 64 && bits >> array.index() & 1 == 1
}

/// What is compiled: the nest as written with its proven guards cleared, what it was rewritten to if it was, and the
/// mapping of that.
pub(crate) struct Made<'a> {
    pub(crate) written: &'a Nest,
    pub(crate) rewritten: Option<Nest>,
    pub(crate) rewrite: Rewrite,
    pub(crate) schedule: Schedule,
    /// By loop: the one as written that it is, or is a part of.
    pub(crate) origin: Vec<LoopId>,
}

impl Made<'_> {
    /// The undo plan of the nest as written; `ranges`: of what it was rewritten to, or else its own.
    pub(crate) fn undo_plan(&self, ranges: &Ranges, key: &Key) -> UndoPlan {
        match self.rewritten {
            None => undo_plan_for(self.written, ranges, key.disjoint()),
            Some(_) => {
                let ranges = analysis::ranges(self.written);
                undo_plan_for(self.written, &ranges, key.disjoint())
            }
        }
    }

    /// As written, one iteration after the other.
    pub(crate) fn plain(written: &Nest) -> Made<'_> {
        Made {
            written,
            rewritten: None,
            rewrite: Rewrite::None,
            schedule: Schedule::serial(),
            origin: written.loops.ids().collect(),
        }
    }
}

/// Bytes that LLVM may need for a kernel. Where it gets none it ends the process.
const COMPILE_BYTES: usize = 64 << 20;

/// Whether there is memory to compile a kernel.
pub(crate) fn has_room() -> bool {
    // SAFETY: fresh pages that nobody looks at, given back at once.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let pages = libc::mmap(
            std::ptr::null_mut(),
            COMPILE_BYTES,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        );
        pages != libc::MAP_FAILED && libc::munmap(pages, COMPILE_BYTES) == 0
    }
}

/// Object code for a nest under a schedule, and what a launch has to know of it.
pub(crate) fn compile(
    made: &Made<'_>,
    key: &Key,
    options: &Options,
) -> Result<(Vec<u8>, About), Reason> {
    let schedule = &made.schedule;
    let nest = made.rewritten.as_ref().unwrap_or(made.written);
    let unit_stride = unit_strides(nest, key);
    let spec = codegen::KernelSpec {
        nest,
        schedule,
        disjoint: key.disjoint(),
        unit_stride: &unit_stride,
        fp: options.fp,
        quiet: key.quiet,
        unchecked: options.unchecked.is_some(),
        tier: key.tier,
    };
    let compiled = codegen::compile(spec).map_err(|e| Reason::Codegen(e.to_string()))?;
    // CPython runs an undone range in the order as written, and it is that order's elements that may be there already.
    let ranges = analysis::ranges(nest);
    let mut undo = made.undo_plan(&ranges, key);
    if options.unchecked.is_some() {
        (undo.events, undo.warns) = (false, false);
    }
    undo.warns &= options.broken != Some(Broken::Warning);
    let mut done = schedule.clone();
    if compiled.without_lanes {
        done.vector.clear();
    }
    let mut about = About::of(nest, &ranges, undo, &done, made.rewrite);
    about.shape = compiled.shape;
    about.tier = key.tier;
    if key.tier == Tier::Quick {
        about.means.push("quick".into());
    }
    about.come_from(&made.origin);
    about.means.extend(key.means().map(str::to_string));
    Ok((compiled.object, about))
}

/// What the analysis may take for granted.
pub(crate) fn assumed(
    key: &Key,
    verdicts: &analysis::Staged,
    options: &Options,
) -> analysis::Options {
    analysis::Options {
        fp: options.fp,
        memory: key.memory.clone(),
        nonempty: key.nonempty,
        absent: verdicts.clauses(key.refuted),
        elements: verdicts.elements_of(key.elements),
    }
}

/// By slot: elements along the last axis follow each other.
pub(crate) fn unit_strides(nest: &Nest, key: &Key) -> Vec<bool> {
    let last_axis = |(a, unit): (&ArrayDecl, &[bool; 8])| unit[a.rank as usize - 1];
    let arrays = nest.arrays.values().zip(&key.unit_stride);
    arrays.map(last_axis).collect()
}

/// The rewriting (if any) and mapping for these facts.
pub(crate) fn schedule<'a>(
    nest: &'a Nest,
    key: &Key,
    verdicts: &analysis::Staged,
    turn: usize,
    options: &Options,
) -> Made<'a> {
    if key.memory == analysis::Memory::Unknown || key.tier == Tier::Quick {
        // What may overlap in any way runs in the order it was written, and so does what is to be made soon.
        return Made::plain(nest);
    }
    let assumed = assumed(key, verdicts, options);
    let short = |id: LoopId| id.index() < 64 && key.short >> id.index() & 1 == 1;
    let info = analysis::LaunchInfo {
        trips: nest
            .loops
            .ids()
            .map(|id| short(id).then_some(SHORT - 1.0))
            .collect(),
        unit_stride: key.unit_stride.clone(),
        lanes: ACCUMULATORS * codegen::vector_bits() / 64,
        roomy: nest.arrays.ids().map(|a| is_roomy(key.roomy, a)).collect(),
        tile: match options.tests_forms() {
            true => forced_schedules::TILE,
            false => analysis::schedule::TILE,
        },
        threads: key.threaded,
        undo: true,
        eager: options.tests_forms(),
        assumed: assumed.clone(),
    };
    let now = analysis::analyse_with(nest, assumed);
    let mut candidates = analysis::candidates(nest, &now, &info);
    let tried = options.trial;
    let tried = tried.and_then(|trial| trial.pick(&candidates, key.threaded, turn));
    let best = || (0..candidates.len()).max_by_key(|c| preference(&candidates[*c], key.threaded));
    match tried.or_else(best) {
        Some(best) => {
            let mut candidate = candidates.swap_remove(best);
            if let Some(rewritten) = &mut candidate.nest {
                rewritten.interruptible = interruptible(rewritten, nest, &candidate.origin);
            }
            Made {
                written: nest,
                rewritten: candidate.nest,
                rewrite: candidate.kind.rewrite,
                schedule: candidate.schedule,
                origin: candidate.origin,
            }
        }
        None => Made::plain(nest),
    }
}

/// The loops of a rewritten nest that come from interruptible ones, or from the top loop, of which no other chunks are made.
fn interruptible(rewritten: &Nest, written: &Nest, origin: &[LoopId]) -> Vec<LoopId> {
    if written.interruptible.is_empty() {
        return Vec::new();
    }
    let asks = |id: &LoopId| {
        let from = origin.get(id.index()).copied().unwrap_or(*id);
        from == LoopId(0) || written.interruptible.contains(&from)
    };
    rewritten.loops.ids().skip(1).filter(asks).collect()
}

/// Which of several legal forms is likely the fastest: the most loops on vectors first, then elements held in
/// registers rather than stored again and again, then the order as written.
fn preference(candidate: &analysis::Candidate, threaded: bool) -> (bool, usize, u8) {
    let (kind, mapping) = (&candidate.kind, &candidate.schedule);
    // By the loops as written: copies of one are not more than it.
    let mut vectors: Vec<LoopId> = mapping
        .on_vectors()
        .filter_map(|id| candidate.origin.get(id.index()).copied())
        .collect();
    vectors.sort_unstable();
    vectors.dedup();
    let form = match kind.rewrite {
        // Made only where loops then run on threads or vectors; otherwise it is but more work.
        Rewrite::Freed if kind.threads => 6,
        Rewrite::Freed => 0,
        // Made only where nothing else runs these loops on threads or as vectors.
        Rewrite::Split => 5,
        // On one core nothing is gained but vectors.
        Rewrite::Distributed if !threaded => 0,
        // Made for threads only where nothing else runs these loops on them.
        Rewrite::Wavefront | Rewrite::Distributed => 4,
        Rewrite::Promoted | Rewrite::Hoisted => 3,
        Rewrite::None => 2,
        Rewrite::Interchanged(_) => 1,
    };
    (kind.threads == threaded, vectors.len(), form)
}
