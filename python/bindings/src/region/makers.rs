//! Arrays that are made between the nests of a region: a device gets copies of them at once, and nothing crosses.
//!
//! `un = u.copy()` and `tmp = np.zeros((n, n))` are `un = COPY(0, u)` and `tmp = MADE(1, KNOWN(np.zeros)((n, n)))` in the
//! rewritten code. Where the device has a copy of `u`, that is copied there, and the array on the host is only allocated. What the
//! name held before dies when it is bound again: that nobody's code runs then is seen to when the next array is made in the same
//! place, which is right before.

use std::collections::HashSet;
use std::sync::Arc;

use nestwise_runtime::ArrayView;
use nestwise_runtime::device::residency;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::classify;
use crate::objects::array_owner::owner;
use crate::objects::{builtins, layout, numpy};
use crate::process::once::Once;
use crate::region::{self, came, elements};
use crate::site::Site;

/// NumPy's functions that make arrays.
const MAKERS: [&str; 8] = [
    "zeros",
    "zeros_like",
    "empty",
    "empty_like",
    "ones",
    "ones_like",
    "full",
    "full_like",
];

/// Those that are NumPy's own in this process, by address.
fn makers(py: Python<'_>) -> &'static HashSet<usize> {
    static FOUND: Once<HashSet<usize>> = Once::new();
    let own = |name: &str| -> PyResult<Option<usize>> {
        let function = py.import("numpy")?.getattr(name)?;
        let called: String = function.getattr("__name__")?.extract()?;
        let own = called == name && builtins::is_at_home(&function, "numpy")?;
        // It lives as long as the process: a reference that is never given back keeps its address.
        Ok(own.then(|| function.into_ptr() as usize))
    };
    let find = |name| own(name).ok().flatten();
    FOUND.get_or_init(|| MAKERS.into_iter().filter_map(find).collect())
}

/// `KNOWN(object)`: a function that is called, or a type that is handed to it, in a statement that keeps copies. If it is not
/// NumPy's or Python's own, copies are no more.
pub fn known(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !residency::any() {
        return Ok(());
    }
    let at = object.as_ptr();
    let types = [
        (&raw mut ffi::PyFloat_Type).cast(),
        (&raw mut ffi::PyLong_Type).cast(),
        (&raw mut ffi::PyBool_Type).cast(),
        (&raw mut ffi::PyComplex_Type).cast(),
    ];
    let is_scalar = || numpy::numpy(py).is_some_and(|w| w.scalar_of(at.cast()).is_some());
    match types.contains(&at) || makers(py).contains(&(at as usize)) || is_scalar() {
        true => Ok(()),
        false => region::release(py),
    }
}

/// `MADE(place, array)`: NumPy has just made the array. Where copies are kept, it has one at once, of zeros: what it holds, or as
/// good as anything.
pub fn made(site: &Arc<Site>, place: usize, array: &Bound<'_, PyAny>, alone: bool) -> PyResult<()> {
    let py = array.py();
    remember(site, place, array)?;
    if let Some(view) = numbers(py, array.as_ptr()).filter(|_| alone && residency::any())
        && let Some(owner) = owner(py, array.as_ptr())
    {
        came(py, residency::made(&view, owner))?;
    }
    Ok(())
}

/// `COPY(place, object)`: what `object.copy()` gives.
pub fn copy<'py>(
    site: &Arc<Site>,
    place: usize,
    object: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let copy = match duplicated(object)? {
        Some(copy) => copy,
        None => {
            // It looks at elements, if it is an array's and not anybody's.
            if residency::any()
                && (numbers(py, object.as_ptr()).is_none()
                    || !elements(py, object.as_ptr(), false)?)
            {
                region::release(py)?;
            }
            object.call_method0("copy")?
        }
    };
    remember(site, place, &copy)?;
    Ok(copy)
}

/// A new array whose copy on the device holds what that of another one does, if that has one.
fn duplicated<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let view =
        numbers(py, object.as_ptr()).filter(|view| residency::any() && residency::has_copy(view));
    let Some((world, view)) = numpy::numpy(py).zip(view) else {
        return Ok(None);
    };
    // In the order of C, as the method does it.
    // SAFETY: a type that lives as long as the process.
    let ndarray = unsafe { Bound::from_borrowed_ptr(py, world.ndarray.cast()) };
    let array = ndarray.call1((object.getattr("shape")?, object.getattr("dtype")?))?;
    let (to, owner) = (numbers(py, array.as_ptr()), owner(py, array.as_ptr()));
    let Some((to, owner)) = to.zip(owner) else {
        return Ok(None);
    };
    let duplicated = came(py, residency::duplicated(&view, &to, owner))?;
    Ok(duplicated.then_some(array))
}

/// `ASSIGN(from, to, axes)`, for `to[:] = from` with subscripts that need so many axes: whether that is done, by the device. Else
/// CPython may do it.
pub fn assign(from: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>, axes: usize) -> PyResult<bool> {
    let py = from.py();
    if !residency::any() {
        return Ok(false);
    }
    let views = numbers(py, from.as_ptr()).zip(numbers(py, to.as_ptr()));
    if let Some((of, into)) = views
        // SAFETY: an exact ndarray.
        && unsafe { layout::array_header(to.as_ptr()) }.flags & layout::WRITEABLE != 0
        && axes <= into.rank
        && residency::has_copy(&of)
        && let Some(owner) = owner(py, to.as_ptr())
        && came(py, residency::assigned(&of, &into, owner))?
    {
        return Ok(true);
    }
    let plain =
        views.is_some() && elements(py, from.as_ptr(), false)? && elements(py, to.as_ptr(), true)?;
    if !plain {
        region::release(py)?;
    }
    Ok(false)
}

/// The elements of an array of numbers, which is nobody's own kind of array.
fn numbers(py: Python<'_>, object: *mut PyObject) -> Option<ArrayView> {
    let ndarray = numpy::numpy(py)?.ndarray;
    // SAFETY: a live object, which is an exact ndarray where it is looked into.
    unsafe { (ffi::Py_TYPE(object) == ndarray).then(|| classify::numbers(object))? }
}

/// Remembers what was made in a place. What was made there before dies when the name is bound to this: if anybody could see that,
/// copies are no more.
fn remember(site: &Arc<Site>, place: usize, array: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = array.py();
    let (before, known) = region::exchange(site, place, array);
    let silent = |before: &Bound<'_, PyAny>| {
        let at = before.as_ptr();
        // SAFETY: a live object, an exact ndarray where its header is read.
        numbers(py, at).is_some() && unsafe { layout::array_header(at).weak.is_null() }
    };
    match known && before.as_ref().is_none_or(silent) {
        true => Ok(()),
        false => region::release(py),
    }
}
