//! The owner that keeps an array's memory in place while a device has a copy of it.

use nestwise_runtime::device::{Keeps, Owner};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::objects::{layout, numpy};

/// A strong reference that keeps an array alive.
struct Reference(*mut PyObject);

impl Keeps for Reference {
    fn holders(&self) -> Option<(usize, usize)> {
        // SAFETY: an exact ndarray that lives.
        let all = unsafe {
            let header = layout::array_header(self.0);
            let own = header.flags & layout::OWNDATA != 0 && header.weak.is_null();
            own.then(|| ffi::Py_REFCNT(self.0))?
        };
        Some((self.0 as usize, usize::try_from(all).ok()?))
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // SAFETY: a reference of ours; copies are given up with the GIL held.
        unsafe { ffi::Py_DECREF(self.0) };
    }
}

/// The owner that keeps the memory of an exact ndarray in place; `None` where the memory is neither NumPy's own nor
/// that of a `bytes`.
pub fn owner(py: Python<'_>, array: *mut PyObject) -> Option<Owner> {
    // SAFETY: a live object, an exact ndarray.
    unsafe {
        if !numpy::owns_memory(py, array) {
            return None;
        }
        ffi::Py_INCREF(array);
    }
    Some(Box::new(Reference(array)))
}
