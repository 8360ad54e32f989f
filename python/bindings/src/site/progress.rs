//! The outcome of a native run, as it is left for the driver.

use std::collections::VecDeque;
use std::sync::Arc;

use nestwise_costmodel::Seconds;
use nestwise_runtime::{Ended, Plan};
use nestwise_tiering::constants::{FIRST_SHARE, SHORTEST_WAIT};
use nestwise_tiering::{Attempted, Budget, shares};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::host::fragments::Recorded;
use crate::verify::Check;

/// How far one native run came and what it left to hand over.
pub struct Progress {
    /// `None`: nothing was done, CPython runs all of it.
    pub ended: Option<Ended>,
    /// Values of local names to assign, in the order of the interface's `writes`; empty: nothing to assign.
    pub writes: Vec<*mut PyObject>,
    /// Values of local names, in the order of the interface's `maybe`; null where a name is not assigned.
    pub maybe: Vec<*mut PyObject>,
    /// The value that the site's `return` returns; null where there is none.
    pub value: *mut PyObject,
    /// Start, stop and step of the top loop's counter, unless it is a `while`.
    pub range: Option<(i64, i64, i64)>,
    /// The top loop runs over exactly the range in `range`; otherwise it runs over elements, which the counter numbers.
    pub is_range: bool,
    /// An exception that a signal handler raised between two chunks.
    pub raised: Option<PyErr>,
    /// Native code waits until CPython has lost as much time as compiling costs.
    pub waits: Option<Waits>,
    /// The comparison under way, where CPython does over again what native code did.
    pub check: Option<Check>,
    /// Set where the attempt came to nothing: the reason, and the work of the call, if it is known.
    pub futile: Option<Attempted>,
    /// The iterations that ran natively would have taken CPython less time than asking takes.
    pub brief: bool,
    /// The site has no plan for what the call binds: the loops inside are nests of their own.
    pub refused: bool,
    /// An iteration took too long for somebody who waited: the loops inside are to run natively by themselves.
    pub interrupted: bool,
    /// The results that were recorded in an iteration which CPython is to run over again.
    pub recorded: VecDeque<Recorded>,
    /// The time that the native run took, without making a kernel.
    pub cost: Seconds,
    /// The number of iterations that the native run completed.
    pub completed: i64,
    /// The time that CPython would have taken for these iterations, by the model.
    pub replaced: Seconds,
}

/// A wait for planning or compiling, which does not pay yet.
pub struct Waits {
    /// The plan that waits to be compiled; `None` while there is no plan.
    pub plan: Option<Arc<Plan>>,
    /// The time that CPython may take before compiling, or planning, pays.
    pub budget: Budget,
    /// The time that CPython was expected to take for all of the call; zero where it is not known.
    pub modelled: Seconds,
    /// The trip counts of the loops are known, so that `modelled` is about right.
    pub sure: bool,
    /// What the best device would have taken, if CPython is only tried.
    pub trial: Option<Seconds>,
}

impl Waits {
    /// A wait because a plan is not worth its time yet. `whole`: the time that CPython is expected to take for the
    /// whole call, if that is known.
    pub fn unplanned(budget: Budget, whole: Option<Seconds>) -> Waits {
        Waits {
            plan: None,
            budget,
            modelled: whole.unwrap_or(Seconds(0.0)),
            sure: whole.is_some(),
            trial: None,
        }
    }

    /// The number of iterations of CPython's first share of a loop with this counter: as long as the wait is, if the
    /// expected time is reliable, else the shortest wait.
    fn first_share(&self, (start, stop, step): (i64, i64, i64)) -> i64 {
        let trips = nestwise_runtime::launch::chunks::trip_count(start, stop, step);
        let time = match self.sure {
            true => Seconds(self.budget.time.0.max(SHORTEST_WAIT.0)),
            false => SHORTEST_WAIT,
        };
        shares::first(time, self.modelled, trips)
    }
}

impl Progress {
    /// The progress of an attempt that did nothing.
    pub fn none() -> Progress {
        Progress {
            ended: None,
            writes: Vec::new(),
            maybe: Vec::new(),
            value: std::ptr::null_mut(),
            range: None,
            is_range: false,
            raised: None,
            waits: None,
            check: None,
            futile: None,
            brief: false,
            refused: false,
            interrupted: false,
            recorded: VecDeque::new(),
            cost: Seconds(0.0),
            completed: 0,
            replaced: Seconds(0.0),
        }
    }

    /// The progress with which CPython goes on from iteration `next`, with the names as it has them: nothing is handed
    /// over a second time.
    pub fn goes_on(&mut self, next: i64) -> Progress {
        let mut on = Progress::none();
        on.ended = Some(Ended::Partial { next });
        (on.range, on.is_range) = (self.range, self.is_range);
        on.waits = self.waits.take();
        on.recorded = std::mem::take(&mut self.recorded);
        on
    }

    /// Whether the site is a `while` in which a guard has failed, and that may soon run natively again.
    pub fn stopped_while(&self) -> bool {
        self.range.is_none()
            && !self.interrupted
            && matches!(self.ended, Some(Ended::Partial { .. }))
    }

    /// The number of iterations of CPython's first share.
    pub fn first_share(&self) -> i64 {
        match (&self.check, &self.waits, self.range) {
            (Some(check), ..) => check.burst(),
            (None, Some(waits), Some(range)) => waits.first_share(range),
            _ => FIRST_SHARE,
        }
    }

    /// The progress of an attempt that did nothing, for a reason that the next call may have too.
    pub fn futile(attempted: Attempted) -> Progress {
        let mut progress = Progress::none();
        progress.futile = Some(attempted);
        progress
    }

    /// The progress with which CPython begins, and native code may take over later: after some iterations of a counted
    /// loop (`range`), after some time in a `while`.
    pub fn waiting(waits: Waits, range: Option<(i64, i64, i64)>, is_range: bool) -> Progress {
        let mut progress = Progress::none();
        progress.ended = range.map(|_| Ended::Partial { next: 0 });
        progress.range = range;
        progress.is_range = is_range;
        progress.waits = Some(waits);
        progress
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        for object in self.writes.iter().chain(&self.maybe).chain([&self.value]) {
            // SAFETY: null or a strong reference of ours.
            unsafe { ffi::Py_XDECREF(*object) };
        }
    }
}
