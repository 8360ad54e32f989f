//! What a launch's ints and extents decide: proofs, and how often each loop runs.

use std::sync::{Arc, OnceLock};

use nestwise_analysis as analysis;
use nestwise_analysis::guards::GuardSet;
use nestwise_costmodel::Seconds;
use nestwise_ir::{ArrayId, IdSet, LoopId, Nest};

use crate::resume::Resume;

/// What a launch's values decide.
pub struct Sizes {
    /// The ints and extents.
    pub values: analysis::LaunchValues,
    /// Guards proven by them.
    pub proven: GuardSet,
    /// Clauses of the verdicts' conditions that do not hold, a bit each.
    pub refuted: u64,
    /// Loops that run at least once whenever they are entered.
    pub nonempty: IdSet<LoopId>,
    /// Mean trip count per loop.
    pub trips: Vec<Option<f64>>,
    /// The trips to reckon with: those, or fewer where a loop may be left before, or a guess. Where the loop is under conditions, which
    /// prices take to hold half the time, as many more or fewer as they hold more or less often.
    pub mean: Vec<f64>,
    /// Exact trip count of the top loop and its range (start, stop, step); none for a `while`.
    pub top: Option<TopRange>,
    /// Written arrays with memory that nobody has touched, and the share of it.
    pub untouched: Untouched,
    /// Arrays of which a card has copies.
    pub there: There,
    /// See [`Plan::least`](crate::plan::Plan::least), once it was asked for.
    pub(super) least: OnceLock<Arc<[i64]>>,
}

/// Arrays, and whether a card has computed what the host has not.
pub type There = Vec<(ArrayId, bool)>;

/// Arrays and shares of them.
pub type Untouched = Vec<(ArrayId, f64)>;

impl Sizes {
    /// The trips of a loop to reckon with.
    pub fn expected(&self, id: LoopId) -> f64 {
        self.mean.get(id.index()).copied().unwrap_or(1.0)
    }

    /// Whether the trips of all loops inside the top loop are known.
    pub fn knows_inner(&self) -> bool {
        self.trips.iter().skip(1).all(Option::is_some)
    }

    /// The elements of an array at entry.
    pub(crate) fn elements(&self, array: ArrayId, nest: &Nest) -> f64 {
        let rank = nest.arrays[array].rank as usize;
        let extents = &self.values.dims[array.index()][..rank];
        extents.iter().map(|e| *e as f64).product()
    }

    /// Start, stop and step of the top loop.
    pub fn range(&self) -> Option<(i64, i64, i64)> {
        self.top.map(|t| (t.start, t.stop, t.step))
    }

    /// The part of the top loop's iterations that is left from one of them on.
    pub(crate) fn rest(&self, next: i64) -> f64 {
        match self.top {
            Some(top) if top.trips > 0 => (top.trips - next).max(0) as f64 / top.trips as f64,
            _ => 1.0,
        }
    }

    /// What CPython would take for that part at the pace it has shown.
    pub(super) fn measured(&self, resume: Resume) -> Option<Seconds> {
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
