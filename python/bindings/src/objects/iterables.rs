//! Counts the elements of an iterable without running user code and without taking any.

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyRange, PyRangeMethods, PyString, PyTuple};

use crate::objects::numpy;

/// The start, stop and step of the counter of a loop over `iterable`; elements of anything but a range are numbered
/// from 0. `None` where the length is not known.
pub fn counter(iterable: &Bound<'_, PyAny>) -> Option<(i64, i64, i64)> {
    if let Ok(range) = iterable.cast_exact::<PyRange>() {
        let (start, stop, step) = (range.start(), range.stop(), range.step());
        return Some((start.ok()? as i64, stop.ok()? as i64, step.ok()? as i64));
    }
    Some((0, length(iterable)?, 1))
}

fn length(iterable: &Bound<'_, PyAny>) -> Option<i64> {
    let counted = iterable.is_exact_instance_of::<PyList>()
        || iterable.is_exact_instance_of::<PyTuple>()
        || iterable.is_exact_instance_of::<PyString>()
        || iterable.is_exact_instance_of::<PyBytes>()
        || is_array(iterable);
    if counted {
        return i64::try_from(iterable.len().ok()?).ok();
    }
    if is(iterable, &raw mut ffi::PyEnum_Type) {
        return left(&inner(iterable)?.get_item(0).ok()?);
    }
    if is(iterable, &raw mut ffi::PyZip_Type) {
        let all = inner(iterable)?;
        let all = all.cast_exact::<PyTuple>().ok()?;
        let lengths: Option<Vec<i64>> = all.iter().map(|one| left(&one)).collect();
        return lengths?.into_iter().min();
    }
    None
}

/// The object that an iterator runs over, taken from its pickle.
fn inner<'py>(iterator: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    iterator.call_method0("__reduce__").ok()?.get_item(1).ok()
}

/// Whether an iterator runs over a string or bytes, whose iterators' types have no names in C.
fn over_text(iterator: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = iterator.py();
    let samples = [
        PyString::new(py, "").try_iter()?,
        PyString::new(py, "\u{e9}").try_iter()?,
        PyBytes::new(py, b"").try_iter()?,
    ];
    Ok(samples
        .iter()
        .any(|s| s.get_type_ptr() == iterator.get_type_ptr()))
}

fn is_array(object: &Bound<'_, PyAny>) -> bool {
    numpy::numpy(object.py()).is_some_and(|np| np.ndarray == object.get_type_ptr())
}

/// The number of elements that an iterator over a list, a tuple, a range, a string, bytes or an array has left; `None`
/// for other iterators.
fn left(iterator: &Bound<'_, PyAny>) -> Option<i64> {
    let over_array = || {
        let sequence = inner(iterator)?.get_item(0).ok()?;
        is_array(&sequence).then_some(())
    };
    let known = is(iterator, &raw mut ffi::PyListIter_Type)
        || is(iterator, &raw mut ffi::PyTupleIter_Type)
        || is(iterator, &raw mut ffi::PyRangeIter_Type)
        || is(iterator, &raw mut ffi::PySeqIter_Type) && over_array().is_some()
        || over_text(iterator).unwrap_or(false);
    let hint = known.then(|| iterator.call_method0("__length_hint__").ok())??;
    hint.extract().ok()
}

fn is(object: &Bound<'_, PyAny>, ty: *mut ffi::PyTypeObject) -> bool {
    // SAFETY: a live object.
    unsafe { ffi::Py_TYPE(object.as_ptr().cast::<PyObject>()) == ty }
}
