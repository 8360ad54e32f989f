//! Arrays that are made between the nests of a region: a device gets copies of them at once, without a transfer.
//!
//! The statements `un = u.copy()` and `tmp = np.zeros((n, n))` are `un = COPY(0, u)` and `tmp = MADE(1,
//! KNOWN(np.zeros)((n, n)))` in the rewritten code. Where the device has a copy of `u`, it copies that, and the array
//! on the host is only allocated. The array that the name held before dies when the name is bound again; that no user
//! code runs then is checked when the next array is made at the same place, just before.

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

/// The names of NumPy's functions that make arrays.
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

/// The addresses of the functions in [`MAKERS`] that are NumPy's own in this process.
fn makers(py: Python<'_>) -> &'static HashSet<usize> {
    static FOUND: Once<HashSet<usize>> = Once::new();
    let own = |name: &str| -> PyResult<Option<usize>> {
        let function = py.import("numpy")?.getattr(name)?;
        let called: String = function.getattr("__name__")?.extract()?;
        let own = called == name && builtins::is_at_home(&function, "numpy")?;
        // The function lives as long as the process: a reference that is never given back keeps its address.
        Ok(own.then(|| function.into_ptr() as usize))
    };
    let find = |name| own(name).ok().flatten();
    FOUND.get_or_init(|| MAKERS.into_iter().filter_map(find).collect())
}

/// Checks a function that is called in a statement that keeps copies, or a type that is handed to it. If it is neither
/// NumPy's nor Python's own, the copies are flushed.
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

/// Notes that NumPy has just made `array`. Where copies are kept and `alone` says that its elements are zeros or
/// unspecified, the device gets a copy of zeros at once. `place`: the number of the statement's place in the region.
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

/// The result of `object.copy()`, made on the device if that has a copy of `object`. `place`: the number of the
/// statement's place in the region.
pub fn copy<'py>(
    site: &Arc<Site>,
    place: usize,
    object: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let copy = match duplicated(object)? {
        Some(copy) => copy,
        None => {
            // The method reads elements if `object` is a plain array of numbers; of another object it may run any code.
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

/// A new array whose copy on the device is made from the device's copy of `object`; `None` if the device has none.
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

/// Assigns `from` to `to` on the device, for the statement `to[:] = from` with a subscript that needs `axes` axes;
/// returns whether that is done. If not, CPython may do it.
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

/// A view of an exact ndarray of numbers; `None` for any other object.
fn numbers(py: Python<'_>, object: *mut PyObject) -> Option<ArrayView> {
    let ndarray = numpy::numpy(py)?.ndarray;
    // SAFETY: a live object, which is an exact ndarray where it is looked into.
    unsafe { (ffi::Py_TYPE(object) == ndarray).then(|| classify::numbers(object))? }
}

/// Remembers the array that was made at a place in the region. The one that was made there before dies when the name is
/// bound to this one: if user code could notice, the copies are flushed.
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
