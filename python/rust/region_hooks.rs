//! The functions of a region's first site: what the rewritten code calls between nests.

use crate::hooks::{Bundle, arguments, bool_object, only, raised, shielded};
use crate::region::{self, Flushing, Region};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

/// `REGION()`: see [`region::Region`].
pub(crate) unsafe extern "C" fn region_begins(
    this: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| match Bound::new(py, Region::new(&this.site)) {
        Ok(region) => region.into_any().into_ptr(),
        Err(error) => raised(py, error),
    })
}

/// True, or what went wrong.
fn done(py: Python<'_>, done: PyResult<()>) -> *mut PyObject {
    done.map_or_else(|e| raised(py, e), |()| bool_object(true))
}

/// `KEEP(roles, names...)`: true, see [`region::keep`].
pub(crate) unsafe extern "C" fn keep(
    this: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: called by CPython with the GIL held.
    shielded(|py| {
        done(
            py,
            region::keep(py, &this.site, unsafe { arguments(args, count) }),
        )
    })
}

/// `FLUSH()`: true, the arrays of the host hold what counts.
pub(crate) unsafe extern "C" fn flush(
    _: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| done(py, region::release(py)))
}

/// `OVER(iterable)`: see [`Flushing::over`].
pub(crate) unsafe extern "C" fn over(
    this: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: CPython's promise about vectorcall arguments; they are alive during the call.
        let Some(iterable) = (unsafe { only(py, args, count) }) else {
            return py.None().into_ptr();
        };
        Flushing::over(&this.site, &iterable).map_or_else(|e| raised(py, e), Bound::into_ptr)
    })
}
