//! A way to run a nest: what was done to its loops, and how they are mapped.

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{LoopId, Schedule};

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
    /// In words.
    pub kind: Kind,
}
