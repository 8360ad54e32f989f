//! The stack of running sites: those whose statements CPython is in. The functions that the rewritten code calls next
//! find their site there.
//!
//! An [iterator](crate::hooks::iterator) of ours lies on CPython's value stack exactly as long as the site's statement
//! runs, however that is left, so the iterator's end is the end of CPython's share. While it lives the site is an entry
//! of this thread's stack of running sites, which is how `OUT()`, `REST()` and the others find it without a name in
//! anybody's namespace.

use std::cell::{Cell, Ref, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use nestwise_costmodel::Seconds;
use nestwise_runtime::launch::chunks::trip_count;
use nestwise_runtime::{Ended, Plan, Resume};
use nestwise_tiering::constants::{FIRST_LOOK, FIRST_SHARE, LAST_SHARE, LATE, SHORT};
use nestwise_tiering::shares::{self, Pace};
use nestwise_tiering::{Attempted, Ongoing};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::host::fragments::Recorded;
use crate::objects::iterables;
use crate::site::Site;
use crate::site::progress::{Progress, Waits};
use crate::verify::{Check, Concluded, Exit, Part};

/// The most running sites around one that are looked at: there are more where functions call themselves.
const MOST_AROUND: usize = 16;

/// A running site: one whose statement CPython is in.
pub struct Active {
    site: Arc<Site>,
    /// The site is an expression, not a loop.
    value: bool,
    progress: RefCell<Progress>,
    /// Iterations that CPython runs before `AGAIN` tries natively.
    burst: Cell<i64>,
    /// The number of iterations that CPython has run.
    done: Cell<i64>,
    /// The iteration of a `while` at which the clock is looked at next.
    look: Cell<i64>,
    /// The iteration of a `while` stopped by a guard failure at which native code is tried again.
    due: Cell<i64>,
    /// CPython's share of a `while` is over, since native code is to be tried.
    over: Cell<bool>,
    /// The iterator of the loop's own iterable, where CPython's share is taken from it.
    kept: RefCell<Option<Py<PyAny>>>,
    /// The parts of the loop's iterable that were computed for `CALL`.
    computed: RefCell<Vec<Py<PyAny>>>,
    /// The number of elements that `kept` has given.
    consumed: Cell<i64>,
    /// The results that were recorded in the iteration which CPython runs over again, those taken left out.
    recorded: RefCell<VecDeque<Recorded>>,
    /// The turn of a share of a `while` that takes recorded results is still to come.
    turns: Cell<bool>,
    /// The value that CPython returns from within a share that is compared.
    returned: RefCell<Option<Py<PyAny>>>,
    /// The next turn of `STAY` has something to run.
    fresh: Cell<bool>,
    /// Set while nothing of the call has run natively: the attempt, with the work of the call, if that is known.
    futile: Cell<Option<Attempted>>,
    /// The time when CPython's share began, if it has any.
    started: Option<Instant>,
    /// The native run that `OUT` is to try.
    pending: Cell<Option<Attempt>>,
    /// The seconds since `started` that were native.
    native: Cell<f64>,
    /// The plan that the call waited for when it began; later, names may hold other types and so have another plan.
    began: Option<Arc<Plan>>,
}

/// A native run that is to be tried where CPython's share has ended.
#[derive(Clone, Copy)]
struct Attempt {
    resume: Resume,
    /// The loop is a `while` in which a guard has failed.
    stopped: bool,
    /// Where there is no plan, CPython may go on while one is made.
    beside: bool,
}

impl Drop for Active {
    fn drop(&mut self) {
        let progress = self.progress.borrow();
        if self.finished() && self.done.get() == 0 && progress.waits.is_none() {
            return;
        }
        let seconds = self.spent();
        self.site.interpreted(seconds, self.futile.get());
        let waits = progress.waits.as_ref();
        let plan = waits.and_then(|w| w.plan.as_ref());
        if waits.is_some() && plan.is_none() && self.futile.get().is_none() {
            self.site.was_early();
        }
        if self.futile.get().is_none() || seconds > SHORT {
            let before = self.began.as_ref();
            let before = before.filter(|p| plan.is_none_or(|plan| !Arc::ptr_eq(p, plan)));
            let plans = before.into_iter().chain(plan);
            plans.for_each(|plan| plan.tiers.add_lost(seconds));
        }
        if let (Some(waits), Some(plan)) = (waits, plan)
            && self.native.get() == 0.0
        {
            let own = shares::own_time(seconds);
            plan.learning
                .learn_interpreted(waits.modelled, own, waits.trial);
        }
    }
}

thread_local! {
    static RUNNING: RefCell<Vec<Rc<Active>>> = const { RefCell::new(Vec::new()) };
}

/// Makes a site the innermost running one of this thread.
pub fn enter(active: Rc<Active>) {
    RUNNING.with_borrow_mut(|r| r.push(active));
}

/// Notes for all running sites the value that CPython is about to return from within their statements.
pub fn note(value: &Bound<'_, PyAny>) {
    let old: Vec<Option<Py<PyAny>>> = RUNNING.with_borrow(|running| {
        let note = |a: &Rc<Active>| a.returned.replace(Some(value.clone().unbind()));
        running.iter().map(note).collect()
    });
    drop(old);
}

/// Notes the value that CPython has computed for the expression of a running site, if it is compared.
pub fn note_value(active: &Active, value: &Bound<'_, PyAny>) {
    if active.progress.borrow().check.is_some() {
        drop(active.returned.replace(Some(value.clone().unbind())));
    }
}

/// Ends a running site, whose statement was left.
pub fn leave(active: Rc<Active>) {
    active.left();
    // Dropped only after the stack is free again: releasing objects may run anybody's code, sites included.
    let removed = RUNNING.with_borrow_mut(|r| {
        let at = r.iter().rposition(|a| Rc::ptr_eq(a, &active))?;
        Some(r.remove(at))
    });
    if active.kept.borrow().is_some() || !active.computed.borrow().is_empty() {
        // In PyO3's own books, too: a reference that is given up would else wait for that.
        Python::attach(|_| drop((removed, active)));
    }
}

/// Whether CPython is running its share of some site on this thread, of those that may run natively.
pub fn is_inside() -> bool {
    RUNNING.with_borrow(|r| r.iter().any(|a| !a.progress.borrow().refused))
}

/// Whether CPython is in its share of a site that is soon to be planned, or whose plan waits to be compiled with a
/// known length, or whose kernel is being made: then no loop inside is worth compiling by itself, and whoever makes
/// plans and kernels is busy with that one.
pub fn waits_for_all() -> bool {
    let waits = |a: &Rc<Active>| {
        let progress = a.progress.borrow();
        let soon = |w: &Waits| !a.value && w.plan.is_none() && a.spent().0 < LATE * w.budget.time.0;
        let made = |w: &Waits| w.plan.as_ref().is_some_and(|plan| plan.tiers.is_making());
        progress
            .waits
            .as_ref()
            .is_some_and(|w| w.sure || soon(w) || made(w))
    };
    RUNNING.with_borrow(|r| r.iter().rev().take(MOST_AROUND).any(waits))
}

/// Runs `f` on the innermost running site of this thread.
pub fn with_active<T>(f: impl FnOnce(&Active) -> T) -> Option<T> {
    let active = RUNNING.with_borrow(|r| r.last().cloned())?;
    Some(f(&active))
}

impl Active {
    /// Makes the record of a running loop. `timed`: CPython's share begins now.
    pub fn new(site: &Arc<Site>, progress: Progress, timed: bool) -> Rc<Active> {
        Active::of(site, progress, timed, false)
    }

    /// Makes the record of a running site. `timed`: CPython's share begins now. `value`: the site is an expression,
    /// which CPython evaluates to its end.
    pub fn of(site: &Arc<Site>, mut progress: Progress, timed: bool, value: bool) -> Rc<Active> {
        site.attempted(progress.cost, progress.replaced);
        let recorded = std::mem::take(&mut progress.recorded);
        let replays = !recorded.is_empty();
        Rc::new(Active {
            site: site.clone(),
            value,
            began: progress.waits.as_ref().and_then(|w| w.plan.clone()),
            burst: Cell::new(if replays { 1 } else { progress.first_share() }),
            recorded: RefCell::new(recorded),
            turns: Cell::new(replays),
            futile: Cell::new(progress.futile),
            progress: RefCell::new(progress),
            done: Cell::new(0),
            look: Cell::new(FIRST_LOOK),
            due: Cell::new(FIRST_SHARE),
            over: Cell::new(false),
            kept: RefCell::new(None),
            computed: RefCell::default(),
            consumed: Cell::new(0),
            returned: RefCell::new(None),
            fresh: Cell::new(true),
            pending: Cell::new(None),
            started: timed.then(Instant::now),
            native: Cell::new(0.0),
        })
    }

    /// Whether the next turn of `STAY` has something to run; true once for each part.
    pub fn take_fresh(&self) -> bool {
        self.fresh.replace(false)
    }

    /// Borrowed references to the values of `writes`.
    pub fn writes(&self) -> Ref<'_, [*mut PyObject]> {
        Ref::map(self.progress.borrow(), |p| p.writes.as_slice())
    }

    /// Borrowed references to the values of `maybe`; null where a name is not assigned.
    pub fn maybe(&self) -> Ref<'_, [*mut PyObject]> {
        Ref::map(self.progress.borrow(), |p| p.maybe.as_slice())
    }

    /// The value that the site's `return` returns, borrowed; null where there is none.
    pub fn value(&self) -> *mut PyObject {
        self.progress.borrow().value
    }

    /// Whether native code finished the loop in any way.
    fn finished(&self) -> bool {
        !matches!(
            self.progress.borrow().ended,
            None | Some(Ended::Partial { .. })
        )
    }

    /// The time that CPython has taken so far.
    fn spent(&self) -> Seconds {
        let passed = self.started.map_or(0.0, |s| s.elapsed().as_secs_f64());
        Seconds((passed - self.native.get()).max(0.0))
    }

    /// CPython's share as a range: its first iteration, and the first after it. `None` where the loop is not counted or
    /// nothing is left.
    fn share(&self) -> Option<(i64, i64)> {
        let progress = self.progress.borrow();
        let (Some(Ended::Partial { next }), Some((start, stop, step))) =
            (progress.ended, progress.range)
        else {
            return None;
        };
        let trips = trip_count(start, stop, step);
        Some((next, next.saturating_add(self.burst.get()).min(trips)))
    }

    /// The result of `REST()`: an iterator over CPython's share of the loop, empty when there is none; `None` when the
    /// loop's own iterable is needed for that. Raises what a signal handler raised in native code.
    pub fn rest(&self, py: Python<'_>) -> PyResult<*mut PyObject> {
        let raised = self.progress.borrow_mut().raised.take();
        if let Some(error) = raised {
            return Err(error);
        }
        if self.finished() {
            // SAFETY: new references.
            return Ok(unsafe {
                let empty = ffi::PyTuple_New(0);
                let iterator = ffi::PyObject_GetIter(empty);
                ffi::Py_DECREF(empty);
                iterator
            });
        }
        if self.kept.borrow().is_some() {
            return Ok(self.kept_share(py)?.into_ptr());
        }
        let progress = self.progress.borrow();
        let (Some((next, end)), Some((start, _, step)), true, None) = (
            self.share(),
            progress.range,
            progress.is_range,
            &progress.waits,
        ) else {
            return Ok(py.None().into_ptr());
        };
        // Both fit: they lie between the range's own ends, which do.
        let (from, to) = (start + next * step, start + end * step);
        let range = py
            .get_type::<pyo3::types::PyRange>()
            .call1((from, to, step))?;
        Ok(range.try_iter()?.into_ptr())
    }

    /// An iterator over CPython's share, taken from what the loop's own iterator has left.
    fn kept_share<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept = self
            .kept
            .borrow()
            .as_ref()
            .map(|k| k.clone_ref(py).into_bound(py));
        let kept = kept.unwrap_or_else(|| py.None().into_bound(py));
        let Some((next, end)) = self.share() else {
            return Ok(kept);
        };
        let consumed = self.consumed.replace(end);
        let islice = py.import("itertools")?.getattr("islice")?;
        // The last share has no end: how many there are is the iterator's business.
        let stop = (!self.is_last(end)).then_some(end - consumed);
        islice.call1((kept, next - consumed, stop))
    }

    /// Whether iteration `end` is beyond the last of the loop.
    fn is_last(&self, end: i64) -> bool {
        self.progress
            .borrow()
            .range
            .is_none_or(|(start, stop, step)| end >= trip_count(start, stop, step))
    }

    /// The result of `AGAIN()`, when CPython's share is over: whether there is more to run, natively or in CPython.
    /// Native code is then tried by the `OUT` that comes next.
    pub fn again(&self) -> bool {
        let check = self.progress.borrow_mut().check.take();
        if let Some(check) = check {
            match Python::attach(|py| check.conclude(py, Exit::Completed)) {
                Concluded::Over(part) => return self.goes_on(part),
                Concluded::More(next, check) => return self.goes_on_with(next, check),
            }
        }
        let range = self.progress.borrow().range;
        let stopped = self.progress.borrow().stopped_while();
        let (next, done) = match (self.share(), range) {
            (Some((next, end)), Some(_)) => {
                if self.is_last(end) {
                    return false;
                }
                self.done.set(self.done.get() + end - next);
                (end, self.done.get())
            }
            _ if self.over.replace(false) => (0, 0),
            _ => return false,
        };
        if self.replays() {
            // Results of a further iteration were recorded before the native run was undone.
            self.stays(next, 1);
            return true;
        }
        let spent = self.spent();
        let ongoing = self.ongoing(spent);
        let left = match ongoing {
            Ongoing::GoOn(time) => time.0,
            _ => 0.0,
        };
        let early = Seconds(left.max(self.site.losses.wait(spent).0));
        if range.is_some() && early.0 > 0.0 {
            self.stays(next, self.pace().iterations_of(early));
            return true;
        }
        self.pending.set(Some(Attempt {
            resume: Resume {
                next,
                range,
                spent,
                done,
            },
            stopped,
            beside: ongoing != Ongoing::Plan,
        }));
        self.fresh.set(true);
        true
    }

    /// Lets CPython go on from iteration `next` for `share` iterations, with the names as it has them.
    fn stays(&self, next: i64, share: i64) {
        let on = self.progress.borrow_mut().goes_on(next);
        // Objects that nobody else holds go with what was handed over before.
        drop(self.progress.replace(on));
        self.burst.set(share);
        self.turns.set(self.replays());
        self.fresh.set(true);
    }

    /// The result of `REPLAYS()`: whether results were recorded in the iteration that CPython runs over again.
    pub fn replays(&self) -> bool {
        !self.recorded.borrow().is_empty()
    }

    /// The result of `IS_RECORDED<n>()`: whether the next recorded result is that of point `point`.
    pub fn is_recorded(&self, point: u32) -> bool {
        let recorded = self.recorded.borrow();
        recorded.front().is_some_and(|r| r.point == point)
    }

    /// The result of `RECORDED()`: the next recorded result.
    pub fn take_recorded(&self) -> Option<PyResult<Py<PyAny>>> {
        let next = self.recorded.borrow_mut().pop_front();
        next.map(|recorded| recorded.outcome)
    }

    /// The result of `TURN()`: true once in a share of a `while` that takes recorded results.
    pub fn turn(&self) -> bool {
        let turn = self.turns.replace(false);
        self.over.set(!turn);
        turn
    }

    /// Goes on natively when `OUT[reads...]` begins, if [`again`](Active::again) has found that it is time for that.
    pub fn try_again(&self, py: Python<'_>, arguments: &[*mut PyObject]) {
        let Some(attempt) = self.pending.take() else {
            return;
        };
        let Attempt {
            resume,
            stopped,
            beside,
        } = attempt;
        let Resume {
            next, range, spent, ..
        } = resume;
        let begun = Instant::now();
        let mut progress = self.site.resume(py, arguments, resume, beside);
        let took = begun.elapsed().as_secs_f64();
        self.native.set(self.native.get() + took);
        // What it cost besides the run itself counts, too; making a kernel is another matter.
        let gain = match self.done.get() {
            0 => progress.replaced,
            done => spent * (progress.completed as f64 / done as f64),
        };
        self.site.attempted(progress.cost, gain);
        let burst = self.burst.get();
        if progress.ended.is_none() && (range.is_some() || stopped && burst < LAST_SHARE) {
            // Not this time: CPython takes a longer share before the next attempt.
            progress.ended = Some(Ended::Partial { next });
            progress.range = range;
            progress.is_range = self.progress.borrow().is_range;
        }
        if progress.ended.is_some_and(|e| e != Ended::Partial { next }) && !progress.brief {
            self.futile.set(None);
        }
        let wait = progress.waits.as_mut().map(|waits| {
            let more = waits.budget.time;
            waits.budget.time = self.spent() + more;
            more
        });
        let ran = match progress.ended {
            Some(Ended::Partial { next: now }) => now - next,
            _ => 0,
        };
        let share = match (shares::after(burst, ran), wait) {
            (FIRST_SHARE, _) => FIRST_SHARE,
            (_, Some(more)) if range.is_some() => self.pace().iterations_in(more),
            (share, _) => share,
        };
        self.go_on_with(progress, share);
        // The turn for it has begun.
        self.fresh.set(false);
    }

    /// What is to be done about a plan after CPython has taken this long.
    fn ongoing(&self, spent: Seconds) -> Ongoing {
        let progress = self.progress.borrow();
        let Some(waits) = progress.waits.as_ref().filter(|w| w.plan.is_none()) else {
            return Ongoing::Order;
        };
        let done = self.done.get();
        let rest = progress.range.and_then(|(start, stop, step)| {
            Pace { done, spent }.rest(trip_count(start, stop, step))
        });
        waits.budget.after(spent, rest, || self.site.may_be_left())
    }

    /// CPython's pace: the iterations it has run, and the time they took.
    fn pace(&self) -> Pace {
        Pace {
            done: self.done.get(),
            spent: self.spent(),
        }
    }

    /// Lets CPython go on where `progress` ends, for `share` iterations, or for as many as are to be compared.
    fn go_on_with(&self, mut progress: Progress, share: i64) {
        let recorded = std::mem::take(&mut progress.recorded);
        let share = if recorded.is_empty() { share } else { 1 };
        drop(self.recorded.replace(recorded));
        self.turns.set(self.replays());
        if progress.check.is_some() && progress.range.is_none() {
            // The turns of a share that is compared are counted from its beginning.
            self.done.set(0);
        }
        self.burst
            .set(progress.check.as_ref().map_or(share, Check::burst));
        self.due.set(self.done.get().saturating_add(share));
        self.progress.replace(progress);
        self.fresh.set(true);
    }

    /// Whether there is more to run, natively or in CPython, after a share that was compared.
    fn goes_on(&self, part: Part) -> bool {
        match part {
            Part::All => return false,
            Part::Iterations { next, .. } => {
                self.progress.borrow_mut().ended = Some(Ended::Partial { next });
                self.burst.set(FIRST_SHARE);
            }
            Part::Turns(_) => {
                self.progress.borrow_mut().ended = Some(Ended::Partial { next: 0 });
                // The turn that was begun to find the share over is none.
                self.done.set(self.done.get() - 1);
                self.due.set(self.done.get() + FIRST_SHARE);
            }
        }
        self.fresh.set(true);
        true
    }

    /// Lets CPython run iteration `next` as one more iteration of a share that is compared; false if the loop has none.
    fn goes_on_with(&self, next: i64, check: Check) -> bool {
        let mut progress = self.progress.borrow_mut();
        if let Some(range) = progress.range {
            if next >= trip_count(range.0, range.1, range.2) {
                return false;
            }
            progress.ended = Some(Ended::Partial { next });
            self.burst.set(1);
        } else {
            // As above.
            self.done.set(self.done.get() - 1);
        }
        progress.check = Some(check);
        self.fresh.set(true);
        true
    }

    /// Ends a share that is compared when CPython leaves the statement, unless its iterations were over before.
    fn left(&self) {
        let Some(check) = self.progress.borrow_mut().check.take() else {
            return;
        };
        // In PyO3's own books, too: references that are given up would else wait for that.
        Python::attach(|py| {
            let error = PyErr::take(py);
            let exit = match (&error, self.returned.take()) {
                (Some(error), _) => Exit::Raised(error.value(py).clone().into_any()),
                (None, Some(value)) => Exit::Returned(value.into_bound(py)),
                (None, None) => Exit::Left,
            };
            check.conclude(py, exit);
            if let Some(error) = error {
                error.restore(py);
            }
        });
    }

    /// The result of `WAITS()`: whether CPython's share of a `while` may be ended by `TICK`.
    pub fn waits(&self) -> bool {
        let progress = self.progress.borrow();
        progress.waits.is_some() || progress.check.is_some() || progress.stopped_while()
    }

    /// The result of `TICK()`: whether CPython may run one more iteration of a `while`.
    pub fn tick(&self) -> bool {
        let done = self.done.get();
        self.done.set(done + 1);
        if let Some(check) = &self.progress.borrow().check {
            return check.goes_on(done);
        }
        if self.progress.borrow().stopped_while() {
            let over = done >= self.due.get() && !self.waits_for_losses();
            self.over.set(over);
            if over {
                self.done.set(done);
            }
            return !over;
        }
        if done < self.look.get() {
            return true;
        }
        let budget = match &self.progress.borrow().waits {
            Some(waits) => waits.budget.time,
            None => return true,
        };
        let spent = self.spent();
        if spent >= budget {
            self.over.set(true);
            return false;
        }
        self.look.set(Pace { done, spent }.next_look(budget));
        true
    }

    /// Whether CPython is to go on with a `while` because of what attempts have cost so far; if so, the question comes
    /// again after some iterations.
    fn waits_for_losses(&self) -> bool {
        let wait = self.site.losses.wait(self.spent());
        if wait.0 > 0.0 {
            let more = self.pace().iterations_in(wait);
            self.due.set(self.done.get().saturating_add(more));
        }
        wait.0 > 0.0
    }

    /// The result of `SKIP(iterable)`: the iterable itself, or an iterator over CPython's share of it.
    pub fn skip<'py>(&self, iterable: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let progress = self.progress.borrow();
        if let (Some(check), Some(range)) = (&progress.check, progress.range) {
            check.runs_over(iterable, range);
        }
        drop(progress);
        self.find_range(iterable);
        if self.share().is_none() {
            return Ok(iterable.clone());
        }
        self.keep(iterable)?;
        self.kept_share(iterable.py())
    }

    /// Finds from the loop's iterable how its iterations are numbered, where there is no plan yet that knows.
    pub fn find_range(&self, iterable: &Bound<'_, PyAny>) {
        let unplanned = |p: &Progress| p.waits.as_ref().is_some_and(|w| w.plan.is_none());
        let known = |p: &Progress| p.range.is_some();
        if !unplanned(&self.progress.borrow()) || known(&self.progress.borrow()) {
            return;
        }
        // Not borrowed meanwhile: it makes objects, and a garbage collection's finalizers may come by here.
        let range = iterables::counter(iterable);
        let mut progress = self.progress.borrow_mut();
        progress.range = range;
        progress.ended = progress.range.map(|_| Ended::Partial { next: 0 });
        self.burst.set(progress.first_share());
    }

    /// Takes CPython's shares from this iterable from now on: evaluated again, the expression could give another.
    pub fn keep(&self, iterable: &Bound<'_, PyAny>) -> PyResult<()> {
        let iterator = iterable.try_iter()?.into_any().unbind();
        *self.kept.borrow_mut() = Some(iterator);
        Ok(())
    }

    /// Keeps the parts of the loop's iterable that were computed for `CALL`, for `COMPUTED`.
    pub fn keep_computed(&self, parts: Vec<Py<PyAny>>) {
        *self.computed.borrow_mut() = parts;
    }

    /// The result of `COMPUTED<n>[()]`: part n of the loop's iterable.
    pub fn computed(&self, py: Python<'_>, number: usize) -> Option<Py<PyAny>> {
        let parts = self.computed.borrow();
        parts.get(number).map(|part| part.clone_ref(py))
    }

    /// The result of `MORE()`: whether CPython has anything left to run of a `while`. Raises what a signal handler
    /// raised in native code.
    pub fn more(&self) -> PyResult<bool> {
        let raised = self.progress.borrow_mut().raised.take();
        raised.map_or_else(|| Ok(!self.finished()), Err)
    }

    /// The result of `ELSE()`: whether the loop's `else` clause runs, once the loop itself is over.
    pub fn orelse(&self) -> bool {
        !matches!(
            self.progress.borrow().ended,
            Some(Ended::Broke | Ended::Returned)
        )
    }

    /// The result of `RETURNED()`: whether native code reached a `return`.
    pub fn returned(&self) -> bool {
        self.progress.borrow().ended == Some(Ended::Returned)
    }
}
