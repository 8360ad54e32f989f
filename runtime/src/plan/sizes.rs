//! What a launch's ints and extents decide: proofs, and how often each loop runs.

use std::sync::{Arc, OnceLock};

use nestwise_analysis as analysis;
use nestwise_analysis::guards::GuardSet;
use nestwise_costmodel::Seconds;
use nestwise_ir::{ArrayId, ClauseId, IdSet, LoopId, Nest};

use crate::resume::Resume;

/// What the values of a launch decide.
pub struct Sizes {
    /// The ints and extents.
    pub values: analysis::LaunchValues,
    /// The guards proven by the values.
    pub proven: GuardSet,
    /// The clauses of the verdicts' conditions that do not hold.
    pub refuted: IdSet<ClauseId>,
    /// The loops that run at least once whenever they are entered.
    pub nonempty: IdSet<LoopId>,
    /// The mean trip count of each loop, if the values tell it.
    pub trips: Vec<Option<f64>>,
    /// The trips of each loop to reckon with: `trips`, or fewer where a loop may be left before, or a guess. Where a
    /// loop is under conditions, which prices take to hold half the time, as many more or fewer as they hold more or
    /// less often.
    pub mean: Vec<f64>,
    /// The exact trip count of the top loop and its range (start, stop, step); none for a `while`.
    pub top: Option<TopRange>,
    /// The written arrays with memory that nobody has touched, and the untouched share of each.
    pub untouched: Untouched,
    /// The arrays of which a GPU has copies.
    pub there: There,
    /// The outcome of [`least`](crate::plan::sharing::least), once it was asked for.
    pub(super) least: OnceLock<Arc<[i64]>>,
}

/// Arrays, each with whether a GPU has computed what the host has not.
pub type There = Vec<(ArrayId, bool)>;

/// Arrays, each with a share of it.
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

    /// The number of elements of an array at entry.
    pub(crate) fn elements(&self, array: ArrayId, nest: &Nest) -> f64 {
        let rank = nest.arrays[array].rank as usize;
        let extents = &self.values.dims[array.index()][..rank];
        extents.iter().map(|e| *e as f64).product()
    }

    /// The start, stop and step of the top loop; none for a `while`.
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

    /// The time that CPython would take for the rest of a call at the pace it has shown.
    pub(super) fn measured(&self, resume: Resume) -> Option<Seconds> {
        let left = (self.top?.trips - resume.next).max(0) as f64;
        (resume.done > 0).then(|| resume.spent * (left / resume.done as f64))
    }
}

/// The top loop's range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopRange {
    /// The number of iterations.
    pub trips: i64,
    /// The first value of the counter.
    pub start: i64,
    /// The exclusive end.
    pub stop: i64,
    /// The step.
    pub step: i64,
}
