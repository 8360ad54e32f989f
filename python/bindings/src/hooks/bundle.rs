//! What every function of a site holds, and what their bodies share: arguments, results, exceptions.

use std::sync::Arc;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::region::Place;
use crate::site::Site;

/// What one function of a site is about.
pub struct Bundle {
    /// Its site.
    pub site: Arc<Site>,
    /// Which `maybe` name, for that function; for `CALL`, whether more is asked than its values.
    pub index: usize,
    /// For `GATE` and `CALL` in a region.
    pub place: Option<Place>,
}

impl Bundle {
    /// A function of a site outside of any region.
    pub fn of(site: &Arc<Site>, index: usize) -> Bundle {
        Bundle {
            site: site.clone(),
            index,
            place: None,
        }
    }
}

/// The arguments as a slice.
///
/// # Safety
/// CPython's promise about vectorcall arguments.
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

/// The one argument.
///
/// # Safety
/// As above; it lives through the call.
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

pub fn bool_object(value: bool) -> *mut PyObject {
    // SAFETY: a new reference to an immortal object.
    unsafe { ffi::PyBool_FromLong(value.into()) }
}

pub fn raised(py: Python<'_>, error: PyErr) -> *mut PyObject {
    error.restore(py);
    std::ptr::null_mut()
}

/// Runs the body of a function that C calls: a panic must not cross into C, and becomes an exception.
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
