//! The object that `for ()` runs over: yields the empty tuple once, and again after each `AGAIN()`.
//!
//! A type of its own as C has them: making, asking and dropping it is a good part of what a short call costs.

use crate::driver::Active;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

#[repr(C)]
struct Iterator {
    head: PyObject,
    active: Rc<Active>,
}

/// A new iterator, which keeps the site running for as long as it lives.
pub fn iterator(py: Python<'_>, active: Rc<Active>) -> PyResult<*mut PyObject> {
    let ty = iterator_type(py)?;
    // SAFETY: an object of our type, whose field is written before anybody sees it. `PyObject_Init` takes a reference
    // to the type.
    unsafe {
        let memory = ffi::PyObject_Malloc(size_of::<Iterator>());
        if memory.is_null() {
            return Err(pyo3::exceptions::PyMemoryError::new_err(()));
        }
        let object = ffi::PyObject_Init(memory.cast(), ty.as_ptr().cast());
        (&raw mut (*object.cast::<Iterator>()).active).write(active);
        Ok(object)
    }
}

unsafe extern "C" fn next(this: *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with an object of the type below. The empty tuple is a new reference; null without an
    // exception is the end.
    unsafe {
        if (*this.cast::<Iterator>()).active.take_fresh() {
            ffi::PyTuple_New(0)
        } else {
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn dealloc(this: *mut PyObject) {
    // SAFETY: called once, for an object made in `iterator`; instances of heap types own a reference to their type.
    unsafe {
        let ty = ffi::Py_TYPE(this);
        let active = (&raw mut (*this.cast::<Iterator>()).active).read();
        // A panic must not cross into C; what is lost by it is a figure of the report.
        let leave = std::panic::AssertUnwindSafe(|| active.leave());
        let _ = std::panic::catch_unwind(leave);
        ffi::PyObject_Free(this.cast());
        ffi::Py_DECREF(ty.cast());
    }
}

/// The flag for types that only their own code makes objects of; a number, since it is not in the limited API of all
/// supported versions.
pub const NO_INSTANTIATION: u32 = 1 << 7;

static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The type; CPython copies what it is made from.
fn iterator_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let ty = TYPE.get_or_try_init(py, || -> PyResult<Py<PyType>> {
        let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
        let mut slots = [
            slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as *mut c_void),
            slot(ffi::Py_tp_iternext, next as *mut c_void),
            slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
            slot(0, std::ptr::null_mut()),
        ];
        let mut spec = ffi::PyType_Spec {
            name: c"nestwise.site".as_ptr(),
            basicsize: size_of::<Iterator>() as c_int,
            itemsize: 0,
            flags: ffi::Py_TPFLAGS_DEFAULT as u32 | NO_INSTANTIATION,
            slots: slots.as_mut_ptr(),
        };
        // SAFETY: a complete specification, read during the call only.
        unsafe {
            let ty = ffi::PyType_FromSpec(&raw mut spec);
            Ok(Bound::from_owned_ptr_or_err(py, ty)?
                .cast_into::<PyType>()?
                .unbind())
        }
    })?;
    Ok(ty.bind(py))
}
