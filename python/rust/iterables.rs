//! How many elements something has that a loop runs over, found without running user code and without taking any.

use crate::numpy;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyRange, PyRangeMethods, PyTuple};

/// Start, stop and step of the loop's counter; the elements of anything but a range are numbered from 0.
pub fn counter(iterable: &Bound<'_, PyAny>) -> Option<(i64, i64, i64)> {
    if let Ok(range) = iterable.cast_exact::<PyRange>() {
        let (start, stop, step) = (range.start(), range.stop(), range.step());
        return Some((start.ok()? as i64, stop.ok()? as i64, step.ok()? as i64));
    }
    Some((0, length(iterable)?, 1))
}

fn length(iterable: &Bound<'_, PyAny>) -> Option<i64> {
    let is_array = |o: &Bound<'_, PyAny>| {
        numpy::numpy(o.py()).is_some_and(|np| np.ndarray == o.get_type_ptr())
    };
    let counted = iterable.is_exact_instance_of::<PyList>()
        || iterable.is_exact_instance_of::<PyTuple>()
        || is_array(iterable);
    if counted {
        return i64::try_from(iterable.len().ok()?).ok();
    }
    // What these run over is what their pickles hold.
    let inner = || iterable.call_method0("__reduce__").ok()?.get_item(1).ok();
    if is(iterable, &raw mut ffi::PyEnum_Type) {
        return left(&inner()?.get_item(0).ok()?);
    }
    if is(iterable, &raw mut ffi::PyZip_Type) {
        let all = inner()?;
        let all = all.cast_exact::<PyTuple>().ok()?;
        let lengths: Option<Vec<i64>> = all.iter().map(|one| left(&one)).collect();
        return lengths?.into_iter().min();
    }
    None
}

/// Elements that an iterator over a list, a tuple or a range has left.
fn left(iterator: &Bound<'_, PyAny>) -> Option<i64> {
    let known = is(iterator, &raw mut ffi::PyListIter_Type)
        || is(iterator, &raw mut ffi::PyTupleIter_Type)
        || is(iterator, &raw mut ffi::PyRangeIter_Type);
    let hint = known.then(|| iterator.call_method0("__length_hint__").ok())??;
    hint.extract().ok()
}

fn is(object: &Bound<'_, PyAny>, ty: *mut ffi::PyTypeObject) -> bool {
    // SAFETY: a live object.
    unsafe { ffi::Py_TYPE(object.as_ptr().cast::<PyObject>()) == ty }
}
