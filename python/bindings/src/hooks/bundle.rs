//! The data of a site's functions, and what their bodies share: arguments, results, exceptions.

use std::sync::Arc;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::region::Place;
use crate::site::Site;

/// The data that one function of a site holds.
pub struct Bundle {
    /// The function's site.
    pub site: Arc<Site>,
    /// For `MAYBE`, the index of the name in the interface's `maybe`; for `CALL`, not 0 where the rewritten code asks
    /// for more than the values of `writes`.
    pub index: usize,
    /// The site's role in its region, for a `GATE` or `CALL` in one.
    pub place: Option<Place>,
}

impl Bundle {
    /// The data of a function of a site outside of any region.
    pub fn of(site: &Arc<Site>, index: usize) -> Bundle {
        Bundle {
            site: site.clone(),
            index,
            place: None,
        }
    }
}

/// The arguments of a vectorcall as a slice.
///
/// # Safety
/// `args` points to `count` live objects, as CPython promises for vectorcall; the slice is not used after the call.
pub unsafe fn arguments<'a>(
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> &'a [*mut PyObject] {
    if count <= 0 {
        return &[];
    }
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts(args, count as usize) }
}

/// The first argument of a vectorcall, which takes one; `None` where there is none.
///
/// # Safety
/// `args` points to `count` live objects, as CPython promises for vectorcall.
pub unsafe fn only<'py>(
    py: Python<'py>,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> Option<Bound<'py, PyAny>> {
    // SAFETY: as promised by the caller.
    unsafe {
        let first = arguments(args, count).first();
        first.map(|first| Bound::from_borrowed_ptr(py, *first))
    }
}

/// A new reference to `True` or `False`.
pub fn bool_object(value: bool) -> *mut PyObject {
    // SAFETY: a new reference to an immortal object.
    unsafe { ffi::PyBool_FromLong(value.into()) }
}

/// Sets an exception for CPython; returns the null that a C function returns then.
pub fn raised(py: Python<'_>, error: PyErr) -> *mut PyObject {
    error.restore(py);
    std::ptr::null_mut()
}

/// Runs the body of a function that C calls; a panic must not unwind into C, and becomes a SystemError.
pub fn shielded(body: impl FnOnce(Python<'_>) -> *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with the GIL held.
    let py = unsafe { Python::assume_attached() };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(py))).unwrap_or_else(|_| {
        raised(
            py,
            pyo3::exceptions::PySystemError::new_err("internal failure in nestwise's hook"),
        )
    })
}
