//! The bodies of the functions of a region's first site, which the rewritten code calls between nests.

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::hooks::bundle::{Bundle, arguments, bool_object, only, raised, shielded};
use crate::region::{self, Flushing, Region, makers};

/// The body of `REGION()`: see [`region::Region`].
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

/// A new reference to `True`, or null with the exception set.
fn done(py: Python<'_>, done: PyResult<()>) -> *mut PyObject {
    done.map_or_else(|e| raised(py, e), |()| bool_object(true))
}

/// The body of `KEEP(roles, names...)`: true, see [`region::keep`].
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

/// The body of `FLUSH()`: true; afterwards the arrays of the host hold what the device computed.
pub(crate) unsafe extern "C" fn flush(
    this: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| done(py, region::flush(py, &this.site)))
}

/// The body of `OVER(iterable)`: see [`Flushing::over`].
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

/// The body of `KNOWN(object)`: the object, a function or type that [`makers::known`] checks.
pub(crate) unsafe extern "C" fn known(
    _: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: as above.
        let Some(object) = (unsafe { only(py, args, count) }) else {
            return py.None().into_ptr();
        };
        let looked = makers::known(py, &object);
        looked.map_or_else(|e| raised(py, e), |()| object.into_ptr())
    })
}

/// The body of `MADE(place, array, alone)`: the array, see [`makers::made`].
pub(crate) unsafe extern "C" fn made(
    this: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: as above.
        let [place, array, alone] = (unsafe { arguments(args, count) }) else {
            return py.None().into_ptr();
        };
        // SAFETY: they live through the call.
        let (place, array, alone) = unsafe {
            let object = |of: &*mut PyObject| Bound::from_borrowed_ptr(py, *of);
            (number(*place), object(array), *alone == ffi::Py_True())
        };
        let done = makers::made(&this.site, place, &array, alone);
        done.map_or_else(|e| raised(py, e), |()| array.into_ptr())
    })
}

/// The number of the place in the region where an array is made, or another small int, which the rewritten code has as
/// a constant.
unsafe fn number(place: *mut PyObject) -> usize {
    // SAFETY: a live object, a small int.
    unsafe { ffi::PyLong_AsLong(place) as usize }
}

/// The body of `COPY(place, object)`: what the object's method gives, see [`makers::copy`].
pub(crate) unsafe extern "C" fn copy(
    this: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: as above.
        let [place, object] = (unsafe { arguments(args, count) }) else {
            return py.None().into_ptr();
        };
        // SAFETY: they live through the call.
        let (place, object) = unsafe { (number(*place), Bound::from_borrowed_ptr(py, *object)) };
        makers::copy(&this.site, place, &object).map_or_else(|e| raised(py, e), Bound::into_ptr)
    })
}

/// The body of `ASSIGN(from, to, axes)`: whether the device has done the assignment, see [`makers::assign`].
pub(crate) unsafe extern "C" fn assign(
    _: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: as above.
        let [from, to, axes] = (unsafe { arguments(args, count) }) else {
            return bool_object(false);
        };
        // SAFETY: they live through the call.
        let axes = unsafe { number(*axes) };
        let [from, to] = [from, to].map(|of| unsafe { Bound::from_borrowed_ptr(py, *of) });
        makers::assign(&from, &to, axes).map_or_else(|e| raised(py, e), bool_object)
    })
}
