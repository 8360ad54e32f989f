//! The work of `CALL` and `ASK`: an attempt to run natively, and what the rewritten code gets back of it.

use std::cell::RefCell;
use std::sync::Arc;

use nestwise_runtime::Ended;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::hooks::iterator;
use crate::hooks::running::{self, Active, enter};
use crate::host::waiting;
use crate::site::progress::Progress;
use crate::site::{Around, Site};

/// The functions through which a site asks about the running sites around it on its thread.
pub const AROUND: Around = Around {
    wait: running::waits_for_all,
    inside: running::is_inside,
};

thread_local! {
    /// The values of expressions that native code has computed: strong references that `GOT` gives away at once.
    static VALUES: RefCell<Vec<*mut PyObject>> = const { RefCell::new(Vec::new()) };
}

/// The work of `CALL(reads...)`: begins a call of the site and returns the iterator of its loop. `asked`: see
/// [`start`]. `keeps`: a device's copies of arrays may outlive the call.
pub fn call(
    py: Python<'_>,
    site: &Arc<Site>,
    arguments: &[*mut PyObject],
    asked: bool,
    keeps: bool,
) -> PyResult<*mut PyObject> {
    let parsed = site.parsed(py).ok();
    // The loop's iterable comes last where the loop assigns a name that it is made from. Evaluated for the hook, it
    // is not evaluated again.
    let reads = parsed.map_or(usize::MAX, |p| p.interface.reads.len());
    let iterable = arguments.get(reads);
    let progress = site.begin(py, parsed, arguments, keeps, false);
    let progress = progress.unwrap_or_else(Progress::none);
    // SAFETY: a borrowed reference that lives through the call.
    let iterable = iterable.map(|i| unsafe { Bound::from_borrowed_ptr(py, *i) });
    let writes = parsed.map_or(0, |p| p.interface.writes.len());
    let kept = Kept {
        iterable,
        computed: parsed.map_or_else(Vec::new, |p| p.computed(py, arguments)),
    };
    start(py, site, progress, writes, asked, kept)
}

/// What was evaluated for a call and is not evaluated again.
pub struct Kept<'py> {
    /// The loop's iterable; CPython's shares are taken from it.
    pub iterable: Option<Bound<'py, PyAny>>,
    /// The parts of the iterable that CPython computed, in their order.
    pub computed: Vec<Py<PyAny>>,
}

/// The work of `ASK(reads...)`: returns whether native code has computed the expression, whose value is then kept for
/// `GOT()`.
pub fn ask(py: Python<'_>, site: &Arc<Site>, arguments: &[*mut PyObject]) -> PyResult<bool> {
    let parsed = site.parsed(py).ok();
    let computed = parsed.map_or_else(Vec::new, |p| p.computed(py, arguments));
    let bare = computed.is_empty();
    match site.begin(py, parsed, arguments, false, bare) {
        Some(progress) => start_value(site, progress, computed),
        None => {
            iterator::hand_over(None);
            Ok(false)
        }
    }
}

/// Makes the iterator that `CALL` returns after an attempt. `asked`: the rewritten code asks for more than the values
/// of `writes` even if all of the site ran natively.
pub fn start(
    py: Python<'_>,
    site: &Arc<Site>,
    mut progress: Progress,
    writes: usize,
    asked: bool,
    kept: Kept<'_>,
) -> PyResult<*mut PyObject> {
    let finished = !matches!(progress.ended, None | Some(Ended::Partial { .. }));
    // Whoever waits is served in the loop, behind the call of `REST` or `MORE`, when names have been assigned.
    let served = progress.raised.is_none() && !waiting::is_somebody();
    if finished && served && progress.writes.len() == writes {
        let values = tuple(std::mem::take(&mut progress.writes));
        let active = asked.then(|| Active::new(site, progress, false));
        if let Some(active) = &active {
            enter(active.clone());
        }
        return iterator::finished(py, values, active);
    }
    let active = Active::new(site, progress, !finished);
    active.keep_computed(kept.computed);
    if let Some(iterable) = &kept.iterable {
        active.find_range(iterable);
        active.keep(iterable)?;
    }
    iterator::left(py, active)
}

/// Finishes an `ASK` after an attempt: returns whether the expression was computed; if not, `INSTEAD()` is told what
/// CPython is to do. `computed`: the parts of the iterable that CPython computed.
pub fn start_value(
    site: &Arc<Site>,
    mut progress: Progress,
    computed: Vec<Py<PyAny>>,
) -> PyResult<bool> {
    if let Some(error) = progress.raised.take() {
        return Err(error);
    }
    let finished = !matches!(progress.ended, None | Some(Ended::Partial { .. }));
    if finished && !progress.value.is_null() {
        let value = std::mem::replace(&mut progress.value, std::ptr::null_mut());
        VALUES.with_borrow_mut(|values| values.push(value));
        return Ok(true);
    }
    let active = Active::of(site, progress, !finished, true);
    active.keep_computed(computed);
    iterator::hand_over(Some(active));
    Ok(false)
}

/// Takes what the last `ASK` of this thread computed, for `GOT()`: a new reference, or null if there is nothing.
pub fn got() -> *mut PyObject {
    let value = VALUES.with_borrow_mut(Vec::pop);
    value.unwrap_or(std::ptr::null_mut())
}

/// A tuple of `values`, whose references it takes over; null if there is no memory.
fn tuple(values: Vec<*mut PyObject>) -> *mut PyObject {
    // SAFETY: the tuple takes over its items; without a tuple they are released.
    unsafe {
        let tuple = ffi::PyTuple_New(values.len() as isize);
        for (i, value) in values.into_iter().enumerate() {
            if tuple.is_null() {
                ffi::Py_XDECREF(value);
            } else {
                ffi::PyTuple_SetItem(tuple, i as isize, value);
            }
        }
        tuple
    }
}
