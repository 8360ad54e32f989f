//! The modules that the program has imported so far.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The module `sys.modules[name]`; `None` if it is not there. The look-up is made in every call of a nest, so that it
/// imports and raises nothing.
pub fn imported<'py>(py: Python<'py>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: borrowed references; the dictionary is exact unless somebody replaced it, and then there is no item.
    unsafe {
        let modules = ffi::PyImport_GetModuleDict();
        if modules.is_null() || ffi::PyDict_CheckExact(modules) == 0 {
            return None;
        }
        let module = ffi::PyDict_GetItemWithError(modules, name.as_ptr());
        Bound::from_borrowed_ptr_or_opt(py, module)
    }
}
