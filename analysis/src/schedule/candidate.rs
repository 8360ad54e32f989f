//! A way to run a nest: what was done to its loops, and how they are mapped.

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{LoopId, Schedule};

use crate::dependence::{self, Dependence};
use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Analysis, Verdict, Why};
use crate::traffic::TrafficPlan;
use crate::values::strides::{Strides, strides};

/// How a candidate runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Whether loops run on threads.
    pub threads: bool,
    /// Whether loops run as vector lanes, or are left to the compiler's vectoriser.
    pub vector: bool,
    /// What was done to the nest.
    pub rewrite: Rewrite,
}

/// What was done to a candidate's nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// The nest is as written.
    None,
    /// Induction variables are computed from loop counters, and the best value is kept beside its position.
    InductionSubstitution,
    /// Elements that a loop keeps storing are held in variables over it.
    ScalarReplacement,
    /// The loop (of the nest as written) became the innermost of its band.
    Interchange(LoopId),
    /// The statements of loops got loops of their own, some of them parallel.
    Distribution,
    /// Two loops run as waves of tiles, the tiles of a wave on threads.
    Wavefront,
    /// Loops became several over consecutive ranges of their iterations, some of them parallel.
    IndexSetSplitting,
    /// Loops have a version without the guards of their subscripts, which are checked before the loop.
    LoopVersioning,
}

impl Rewrite {
    /// All names that [`Rewrite::name`] returns.
    pub const NAMES: [&str; 7] = [
        "scalar-replacement",
        "interchange",
        "distribution",
        "wavefront",
        "induction-substitution",
        "index-set-splitting",
        "loop-versioning",
    ];

    /// The name of the rewriting in reports and options.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Rewrite::None => None,
            Rewrite::ScalarReplacement => Some("scalar-replacement"),
            Rewrite::Interchange(_) => Some("interchange"),
            Rewrite::Distribution => Some("distribution"),
            Rewrite::Wavefront => Some("wavefront"),
            Rewrite::InductionSubstitution => Some("induction-substitution"),
            Rewrite::IndexSetSplitting => Some("index-set-splitting"),
            Rewrite::LoopVersioning => Some("loop-versioning"),
        }
    }

    /// Whether iterations may run before others that came earlier as written.
    pub fn reorders(self) -> bool {
        !matches!(
            self,
            Rewrite::None
                | Rewrite::InductionSubstitution
                | Rewrite::ScalarReplacement
                | Rewrite::IndexSetSplitting
                | Rewrite::LoopVersioning
        )
    }
}

/// A way to run a nest.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rewritten nest; `None`: the nest is as written.
    pub nest: Option<Nest>,
    /// By loop of the candidate's nest: the loop of the nest as written that it comes from.
    pub origin: Vec<LoopId>,
    /// The mapping of its loops.
    pub schedule: Schedule,
    /// What kind of schedule it is.
    pub kind: Kind,
    /// The memory traffic of its nest.
    pub traffic: TrafficPlan,
    /// By loop of the candidate's nest: what its iterations do to memory and to each other.
    pub loops: Vec<LoopFacts>,
}

/// What an estimate of a candidate needs to know of one of its loops.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LoopFacts {
    /// The strides of the accesses in the loop.
    pub strides: Strides,
    /// Whether an iteration waits for a value that the one before computed.
    pub waits: bool,
}

impl LoopFacts {
    /// The facts of every loop of a nest.
    pub(crate) fn of(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<LoopFacts> {
        let facts = |id: LoopId| LoopFacts {
            strides: strides(analysis, info, id),
            waits: analysis.loop_info(id).is_some_and(|l| {
                let flow = |d: &Dependence| d.kind == dependence::Kind::Flow;
                !l.carried.is_empty()
                    || matches!(&l.verdict, Verdict::Serial(Why::Dependence(d)) if flow(d))
            }),
        };
        nest.loops.ids().map(facts).collect()
    }
}
