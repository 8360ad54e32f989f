//! Types of the extension module's own, made through the C API.

use std::ffi::{CStr, c_int};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The flag for types whose objects only this crate makes; a number, since the flag is not in the limited API of all
/// supported versions.
const NO_INSTANTIATION: u32 = 1 << 7;

/// Makes a type from `slots`, whose objects have `size` bytes; only this crate can make objects of it.
pub fn new_type(
    py: Python<'_>,
    name: &'static CStr,
    size: usize,
    flags: u32,
    slots: &mut [ffi::PyType_Slot],
) -> PyResult<Py<PyType>> {
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as u32 | NO_INSTANTIATION | flags,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: a complete specification; members and slots are read during the call only.
    unsafe {
        let ty = ffi::PyType_FromSpec(&raw mut spec);
        Ok(Bound::from_owned_ptr_or_err(py, ty)?
            .cast_into::<PyType>()?
            .unbind())
    }
}
