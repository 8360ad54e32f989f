//! Which legal schedule of a nest a kernel is compiled under.

use nestwise_analysis as analysis;
use nestwise_analysis::dataflow::undo::{UndoPlan, undo_plan_for};
use nestwise_analysis::schedule::Rewrite;
use nestwise_analysis::{Candidate, LaunchInfo, Ranges};
use nestwise_codegen as codegen;
use nestwise_ir::{ArrayDecl, LoopId, Nest, Schedule, Tier};

use crate::kernel::key::{Key, SHORT, is_roomy};
use crate::options::Options;
use crate::testing::forced_schedules;

/// Vectors of independent results that a vectorised outer loop computes together, to hide the latency of their sums.
const ACCUMULATORS: u32 = 4;

/// What is compiled: the nest as written with its proven guards cleared, what it was rewritten to if it was, and the
/// mapping of that.
pub(crate) struct Scheduled<'a> {
    pub(crate) written: &'a Nest,
    pub(crate) rewritten: Option<Nest>,
    pub(crate) rewrite: Rewrite,
    pub(crate) schedule: Schedule,
    /// By loop: the one as written that it is, or is a part of.
    pub(crate) origin: Vec<LoopId>,
}

impl Scheduled<'_> {
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
    pub(crate) fn plain(written: &Nest) -> Scheduled<'_> {
        Scheduled {
            written,
            rewritten: None,
            rewrite: Rewrite::None,
            schedule: Schedule::serial(),
            origin: written.loops.ids().collect(),
        }
    }
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

/// Schedules a nest for the facts of `key`: rewrites and maps it as the selected candidate says, or as one of a test's
/// choice. `turn` counts the kernels made of the nest before this one.
pub(crate) fn schedule<'a>(
    nest: &'a Nest,
    key: &Key,
    verdicts: &analysis::Staged,
    turn: usize,
    options: &Options,
) -> Scheduled<'a> {
    if key.memory == analysis::Memory::Unknown || key.tier == Tier::Quick {
        // What may overlap in any way runs in the order it was written, and so does what is to be made soon.
        return Scheduled::plain(nest);
    }
    let launch = launch_info(nest, key, verdicts, options);
    let analysed = analysis::analyse_with(nest, launch.assumed.clone());
    let mut candidates = analysis::candidates(nest, &analysed, &launch);
    let forced = options.forced;
    let forced = forced.and_then(|trial| trial.pick(&candidates, key.threaded, turn));
    let Some(selected) = forced.or_else(|| select(&candidates, &launch)) else {
        return Scheduled::plain(nest);
    };
    let mut candidate = candidates.swap_remove(selected);
    if let Some(rewritten) = &mut candidate.nest {
        rewritten.interruptible = interruptible(rewritten, nest, &candidate.origin);
    }
    Scheduled {
        written: nest,
        rewritten: candidate.nest,
        rewrite: candidate.kind.rewrite,
        schedule: candidate.schedule,
        origin: candidate.origin,
    }
}

/// What the facts of `key` tell a schedule of a launch.
fn launch_info(
    nest: &Nest,
    key: &Key,
    verdicts: &analysis::Staged,
    options: &Options,
) -> LaunchInfo {
    let short = |id: LoopId| id.index() < 64 && key.short >> id.index() & 1 == 1;
    let trips = nest.loops.ids().map(|id| short(id).then_some(SHORT - 1.0));
    LaunchInfo {
        trips: trips.collect(),
        unit_stride: key.unit_stride.clone(),
        lanes: ACCUMULATORS * codegen::vector_bits() / 64,
        roomy: nest.arrays.ids().map(|a| is_roomy(key.roomy, a)).collect(),
        tile: match options.tests_forms() {
            true => forced_schedules::TILE,
            false => analysis::launch_info::TILE,
        },
        threads: key.threaded,
        undo: true,
        eager: options.tests_forms(),
        assumed: assumed(key, verdicts, options),
    }
}

/// Selects the schedule to compile: the index of the candidate that is likely the fastest in launches like `launch`, or
/// none if there are no candidates. Every candidate is legal; the first is serial and as written.
pub(crate) fn select(candidates: &[Candidate], launch: &LaunchInfo) -> Option<usize> {
    (0..candidates.len()).max_by_key(|c| preference(&candidates[*c], launch.threads))
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
fn preference(candidate: &Candidate, threaded: bool) -> (bool, usize, u8) {
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
