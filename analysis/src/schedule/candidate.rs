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
    /// Loops on threads.
    pub threads: bool,
    /// Loops as vector lanes, or left to the compiler's vectoriser.
    pub vector: bool,
    /// What was done to the nest.
    pub rewrite: Rewrite,
}

/// What was done to a candidate's nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Nothing.
    None,
    /// What only counts along with loops is computed from their counters; the best is kept beside its position.
    Freed,
    /// Elements that a loop keeps storing are held in variables.
    Promoted,
    /// The loop was made the innermost of its band.
    Interchanged(LoopId),
    /// Loops were made into several, some of them parallel.
    Distributed,
    /// Two loops run as waves of tiles, those of a wave on threads.
    Wavefront,
    /// Loops were made into several over consecutive ranges of their iterations, some of them parallel.
    Split,
    /// Subscripts are looked at before a loop, for all of its iterations.
    Hoisted,
}

impl Rewrite {
    /// The names that [`Rewrite::name`] gives.
    pub const NAMES: [&str; 7] = [
        "promoted",
        "interchanged",
        "distributed",
        "waves",
        "freed",
        "parted",
        "hoisted",
    ];

    /// What was done in a word.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Rewrite::None => None,
            Rewrite::Promoted => Some("promoted"),
            Rewrite::Interchanged(_) => Some("interchanged"),
            Rewrite::Distributed => Some("distributed"),
            Rewrite::Wavefront => Some("waves"),
            Rewrite::Freed => Some("freed"),
            Rewrite::Split => Some("parted"),
            Rewrite::Hoisted => Some("hoisted"),
        }
    }

    /// Whether iterations may run before others that came earlier as written.
    pub fn reorders(self) -> bool {
        !matches!(
            self,
            Rewrite::None | Rewrite::Freed | Rewrite::Promoted | Rewrite::Split | Rewrite::Hoisted
        )
    }
}

/// A way to run a nest.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rewritten nest; `None`: as it was.
    pub nest: Option<Nest>,
    /// By loop of the candidate's nest: the loop it was.
    pub origin: Vec<LoopId>,
    /// The mapping of its loops.
    pub schedule: Schedule,
    /// What kind of schedule it is.
    pub kind: Kind,
    /// The memory that its nest goes through.
    pub traffic: TrafficPlan,
    /// By loop of the candidate's nest: what its iterations do to memory and to each other.
    pub loops: Vec<LoopFacts>,
}

/// What an estimate of a candidate needs to know of one of its loops.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LoopFacts {
    /// The strides of the accesses in the loop.
    pub strides: Strides,
    /// An iteration waits for a value that the one before computed.
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
