//! Makes objects of parts of arrays, and of arrays and lists that a nest has made.

use nestwise_ir::{PartAxis, Scalar, Ty, VarId};
use nestwise_runtime::{ArrayView, Launch};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::host::scratch;
use crate::objects::{boxing, layout, numpy};

fn int(launch: &Launch, var: VarId) -> i64 {
    // SAFETY: the slot of an int.
    unsafe { *launch.slot(var).cast() }
}

/// The part `array[i, start:stop:step, ...]` of an exact ndarray: a new reference, or null with an error.
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

/// A new array with the first elements of `view`, memory of the nest's own; variable `lens[k]` says how many along axis
/// `k`. A new reference, or null with an error.
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

/// The view `array[...]` of a new array, which nothing else refers to then: a new reference, or null with an error.
/// Takes over the reference to `array`, which may be null with an error.
pub fn view(py: Python<'_>, array: *mut PyObject) -> *mut PyObject {
    // SAFETY: null or a reference of our own; an exact ndarray runs no code of the user's.
    match unsafe { Bound::from_owned_ptr_or_opt(py, array) } {
        Some(array) => finish(py, array.get_item(py.Ellipsis())),
        None => std::ptr::null_mut(),
    }
}

/// A list of the first elements of `view`, memory of the nest's own, as many as variable `len` says; elements are lists
/// where `view` has more than one axis. A new reference, or null with an error.
///
/// # Safety
/// `view` points to elements of type `ty`; the GIL is held.
pub unsafe fn list(
    py: Python<'_>,
    view: &ArrayView,
    ty: Ty,
    launch: &Launch,
    len: Option<&VarId>,
) -> *mut PyObject {
    let mut extents = view.extents;
    if let Some(len) = len {
        extents[0] = int(launch, *len).clamp(0, extents[0]);
    }
    let extents = &extents[..view.rank];
    let size = ty.repr.size();
    // SAFETY: as promised by the caller.
    unsafe {
        if ty == Ty::PY_FLOAT {
            let element = |at| ffi::PyFloat_FromDouble(*view.ptr.cast::<f64>().add(at));
            return list_of(extents, 0, &element);
        }
        if ty == Ty::PY_INT {
            let element = |at| ffi::PyLong_FromLongLong(*view.ptr.cast::<i64>().add(at));
            return list_of(extents, 0, &element);
        }
    }
    // SAFETY: as promised by the caller; an element is copied to where its tag is next to it.
    let element = |at: usize| unsafe {
        let mut slot = [0u64; 3];
        let to = slot.as_mut_ptr().cast::<u8>();
        std::ptr::copy_nonoverlapping(view.ptr.add(at * size), to, size);
        if !view.tags.is_null() {
            *to.add(8) = *view.tags.add(at);
        }
        boxing::boxed(py, ty, to, false)
    };
    // SAFETY: as promised by the caller.
    unsafe { list_of(extents, 0, &element) }
}

/// Nested lists with these extents, of the elements from number `first` on; null with an error.
///
/// # Safety
/// The GIL is held.
unsafe fn list_of(
    extents: &[i64],
    first: usize,
    element: &impl Fn(usize) -> *mut PyObject,
) -> *mut PyObject {
    let Some((length, inner)) = extents.split_first() else {
        return element(first);
    };
    let step = inner.iter().product::<i64>() as usize;
    // SAFETY: a new list is filled before anybody sees it; lists with empty places may be released.
    unsafe {
        let all = ffi::PyList_New(*length as isize);
        if all.is_null() || *length == 0 {
            return all;
        }
        for (k, place) in layout::list_items(all).iter_mut().enumerate() {
            let item = list_of(inner, first + k * step, element);
            if item.is_null() {
                ffi::Py_DECREF(all);
                return std::ptr::null_mut();
            }
            *place = item;
        }
        all
    }
}

/// The item `list[i][j]...` of nested lists, at the subscripts that `axes` has: a new reference, or null with an error.
///
/// # Safety
/// `list` is alive, and a list of lists to the depth of `axes`; the GIL is held.
pub unsafe fn item(mut list: *mut PyObject, launch: &Launch, axes: &[PartAxis]) -> *mut PyObject {
    for axis in axes {
        if let PartAxis::At(at) = axis {
            // SAFETY: as promised by the caller; what is not there is an error.
            list = unsafe { ffi::PyList_GetItem(list, int(launch, *at) as isize) };
            if list.is_null() {
                return list;
            }
        }
    }
    // SAFETY: alive.
    unsafe { ffi::Py_INCREF(list) };
    list
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
