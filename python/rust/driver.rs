//! What the hook gives back to CPython, and the small functions that the rewritten code calls next.
//!
//! `for () in CALL(...)` keeps the [`Driver`] on CPython's value stack: it lives exactly as long as the site's
//! statement runs, however that is left, so its end is the end of the interpreter's share. While it lives it is
//! the innermost entry of this thread's stack of running sites, which is how `OUT()`, `REST()` and the others find
//! it without a name in anybody's namespace.

use crate::site::Site;
use nestwise_runtime::Ended;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// One running site.
pub struct Active {
    /// The site.
    pub site: Arc<Site>,
    /// How far native code came; `None`: nothing was done, CPython runs all of it.
    pub ended: Option<Ended>,
    /// Values of local names to assign, in the order of the interface's `writes`; null: nothing to assign.
    pub writes: Vec<*mut PyObject>,
    /// The same for `maybe`.
    pub maybe: Vec<*mut PyObject>,
    /// What `return` returns.
    pub value: *mut PyObject,
    /// Iterator over the values of the top loop's range that are left; null: not a range, or nothing left.
    pub rest: Cell<*mut PyObject>,
    /// An exception that a signal handler raised between two chunks.
    pub raised: RefCell<Option<PyErr>>,
    /// When CPython took over.
    pub started: Instant,
}

impl Drop for Active {
    fn drop(&mut self) {
        // SAFETY: strong references of ours.
        unsafe {
            for object in self.writes.iter().chain(&self.maybe).chain([&self.value, &self.rest.get()]) {
                ffi::Py_XDECREF(*object);
            }
        }
        self.site.interpreted(self.started.elapsed(), self.ended.as_ref());
    }
}

thread_local! {
    static RUNNING: RefCell<Vec<Rc<Active>>> = const { RefCell::new(Vec::new()) };
}

/// The iterator that `for ()` runs over: yields the empty tuple once.
#[pyclass(unsendable, frozen, name = "site", module = "nestwise")]
pub struct Driver {
    active: Rc<Active>,
    fresh: Cell<bool>,
}

impl Driver {
    /// Makes `active` the innermost running site of this thread.
    pub fn start(active: Active) -> Driver {
        let active = Rc::new(active);
        RUNNING.with_borrow_mut(|r| r.push(active.clone()));
        Driver { active, fresh: Cell::new(true) }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(|r| {
            if let Some(at) = r.iter().rposition(|a| Rc::ptr_eq(a, &self.active)) {
                r.remove(at);
            }
        });
    }
}

#[pymethods]
impl Driver {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Option<Bound<'py, pyo3::types::PyTuple>> {
        self.fresh.replace(false).then(|| pyo3::types::PyTuple::empty(py))
    }
}

/// Runs `f` on the innermost running site of this thread.
pub fn with_active<T>(f: impl FnOnce(&Active) -> T) -> Option<T> {
    let active = RUNNING.with_borrow(|r| r.last().cloned())?;
    Some(f(&active))
}

impl Active {
    /// Whether native code finished the loop in any way.
    fn finished(&self) -> bool {
        !matches!(self.ended, None | Some(Ended::Partial { .. }))
    }

    /// `REST()`: what is left of the top loop's range; an empty iterator when nothing is; `None` when CPython runs
    /// all of it or has to skip along the original iterable.
    pub fn rest(&self) -> PyResult<*mut PyObject> {
        if let Some(error) = self.raised.borrow_mut().take() {
            return Err(error);
        }
        let rest = self.rest.replace(std::ptr::null_mut());
        if !rest.is_null() {
            return Ok(rest);
        }
        // SAFETY: new references of immortal or fresh objects.
        unsafe {
            if self.finished() {
                return Ok(ffi::PyObject_GetIter(ffi::PyTuple_New(0)));
            }
            let none = ffi::Py_None();
            ffi::Py_INCREF(none);
            Ok(none)
        }
    }

    /// Iterations already done, for `SKIP(iterable)`.
    pub fn skipped(&self) -> i64 {
        match self.ended {
            Some(Ended::Partial { next }) => next,
            _ => 0,
        }
    }

    /// `MORE()`: whether CPython has anything left to do of a `while`.
    pub fn more(&self) -> PyResult<bool> {
        match self.raised.borrow_mut().take() {
            Some(error) => Err(error),
            None => Ok(!self.finished()),
        }
    }

    /// `ELSE()`: whether the loop's `else` clause runs, once the loop itself is over.
    pub fn orelse(&self) -> bool {
        !matches!(self.ended, Some(Ended::Broke | Ended::Returned))
    }

    /// `RETURNED()`: whether native code reached a `return`.
    pub fn returned(&self) -> bool {
        self.ended == Some(Ended::Returned)
    }
}
