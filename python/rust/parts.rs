//! Parts of arrays and arrays that a nest has made, as objects.

use nestwise_ir::{PartAxis, Scalar, VarId};
use nestwise_runtime::{ArrayView, Launch};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::layout;
use crate::numpy;
use crate::scratch;

fn int(launch: &Launch, var: VarId) -> i64 {
    // SAFETY: the slot of an int.
    unsafe { *launch.slot(var).cast() }
}

/// `array[i, start:stop:step, ...]` of an exact ndarray: a new reference, or null with an error.
///
/// # Safety
/// `array` is alive; the GIL is held.
pub unsafe fn part(
    py: Python<'_>,
    array: *mut PyObject,
    launch: &Launch,
    axes: &[PartAxis],
) -> *mut PyObject {
    let index = |axis: &PartAxis| -> PyResult<Bound<'_, PyAny>> {
        match axis {
            PartAxis::At(at) => Ok(int(launch, *at).into_pyobject(py)?.into_any()),
            PartAxis::Range { start, len, step } => {
                let (start, len) = (int(launch, *start), int(launch, *len).max(0));
                // Behind the last one; before the first element only the end of the array is left to say.
                let stop = start + len * step;
                let stop = (stop >= 0).then_some(stop);
                let slice = py.get_type::<pyo3::types::PySlice>();
                slice.call1((start.max(0), stop, *step))
            }
        }
    };
    let made = || -> PyResult<Bound<'_, PyAny>> {
        let index: PyResult<Vec<_>> = axes.iter().map(index).collect();
        let index = PyTuple::new(py, index?)?;
        // SAFETY: a live object; an exact ndarray runs no code of the user's.
        unsafe { Bound::from_borrowed_ptr(py, array) }.get_item(index)
    };
    finish(py, made())
}

/// A new array with the first elements of memory of the nest's own along each axis: a new reference, or null with an error.
pub fn made(
    py: Python<'_>,
    view: &ArrayView,
    storage: Scalar,
    launch: &Launch,
    lens: &[VarId],
) -> *mut PyObject {
    let shape: Vec<i64> = lens.iter().map(|v| int(launch, *v).max(0)).collect();
    let new = || -> PyResult<Bound<'_, PyAny>> {
        let array = numpy::new_array(py, &shape, storage)?;
        // SAFETY: a new array of this shape, row by row; the launch has written as many elements of its own.
        unsafe { scratch::copy(view, &shape, layout::array_header(array.as_ptr()).data) };
        Ok(array)
    };
    finish(py, new())
}

fn finish(py: Python<'_>, made: PyResult<Bound<'_, PyAny>>) -> *mut PyObject {
    match made {
        Ok(object) => object.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}
