//! Which legal schedule of a nest a kernel is compiled under.

use nestwise_analysis as analysis;
use nestwise_analysis::dataflow::undo::{UndoPlan, undo_plan_for};
use nestwise_analysis::schedule::Rewrite;
use nestwise_analysis::{LaunchInfo, Ranges};
use nestwise_codegen as codegen;
use nestwise_costmodel::{Target, choose_schedule};
use nestwise_ir::{ArrayDecl, LoopId, Nest, Schedule, Tier};

use crate::kernel::key::{Key, SHORT};
use crate::options::Options;
use crate::testing::forced_schedules;

/// The number of vectors of independent results that a vectorised outer loop computes together, to hide the latency of
/// their sums.
const ACCUMULATORS: u32 = 4;

/// What is compiled: the nest as written with its proven guards cleared, the nest that it was rewritten to if it was,
/// and the mapping of that.
pub(crate) struct Scheduled<'a> {
    pub(crate) written: &'a Nest,
    pub(crate) rewritten: Option<Nest>,
    pub(crate) rewrite: Rewrite,
    pub(crate) schedule: Schedule,
    /// For each loop: the loop as written that it is, or is a part of.
    pub(crate) origin: Vec<LoopId>,
}

impl Scheduled<'_> {
    /// The undo plan of the nest as written; `ranges`: those of the nest that it was rewritten to, or else its own.
    pub(crate) fn undo_plan(&self, ranges: &Ranges, key: &Key) -> UndoPlan {
        match self.rewritten {
            None => undo_plan_for(self.written, ranges, key.disjoint()),
            Some(_) => {
                let ranges = analysis::ranges(self.written);
                undo_plan_for(self.written, &ranges, key.disjoint())
            }
        }
    }

    /// The nest as written, one iteration after the other.
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

/// For each slot: whether elements along the last axis follow each other.
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
    let target = Target {
        profile: &options.profile,
        lanes: codegen::vector_bits() / 64,
        threads: options.threads.max(2) as u32,
        vectors: &|fun, repr| codegen::has_vector_form(fun, repr, options.fp),
    };
    let priced = || choose_schedule(nest, &candidates, &launch, &target);
    let Some(selected) = forced.or_else(priced) else {
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
    let trips = nest
        .loops
        .ids()
        .map(|id| key.short.contains(id).then_some(SHORT - 1.0));
    LaunchInfo {
        trips: trips.collect(),
        unit_stride: key.unit_stride.clone(),
        lanes: ACCUMULATORS * codegen::vector_bits() / 64,
        copyable: nest
            .arrays
            .ids()
            .map(|a| key.copyable.contains(a))
            .collect(),
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

/// The loops of a rewritten nest that come from interruptible ones, or from the top loop, of which no other chunks are
/// made.
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
