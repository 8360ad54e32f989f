//! What a call of an object runs: a function of the user's, or the text of a random generator's method.

use std::sync::Arc;

use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use crate::objects::functions::{UserFunction, method, parsed_function};
use crate::objects::random;

/// The function that a call of `object` runs, and the object that a bound method is bound to.
pub fn callee(py: Python<'_>, object: *mut PyObject) -> Option<(Py<PyAny>, Option<Py<PyAny>>)> {
    // SAFETY: a live object.
    let own = || unsafe { Bound::from_borrowed_ptr(py, object) }.unbind();
    // SAFETY: the same.
    if let Some((generator, _)) = unsafe { random::method_of(py, object) } {
        return Some((own(), Some(generator)));
    }
    if let Some((function, receiver)) = method(py, object) {
        return Some((function, Some(receiver)));
    }
    Some((own(), None))
}

/// The function that a call of `object` runs, in surface form; `None` where it cannot be inlined.
pub fn user_function(py: Python<'_>, object: *mut PyObject) -> Option<Arc<UserFunction>> {
    // SAFETY: a live object.
    let drawn = unsafe { random::method_of(py, object) };
    match drawn {
        Some((_, function)) => Some(function),
        None => parsed_function(py, object),
    }
}
