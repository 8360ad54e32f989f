//! Estimates how much work a call of a site is from the sizes of its arguments, without running user code.

use nestwise_frontend::site::bounds::{Atom, AtomKind};
use nestwise_ir::surface::Scope;
use nestwise_runtime::{DeviceChoice, options};
use nestwise_tiering::Work;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::read_path;
use crate::objects::access_path::Item;
use crate::objects::{attributes, layout};
use crate::site::parsed::Parsed;
use crate::verify;

/// Whether futile attempts are counted: only where the device is chosen automatically, runs are not compared and prices
/// are not summed up.
pub fn counts_futile() -> bool {
    options().device == DeviceChoice::Auto && !verify::on() && !options().prices
}

/// The work of a call: the product of the atoms' sizes; where there are no atoms, or one is not a plain int or
/// container now (a row of a list of lists may have any length), the product of the magnitudes of the access paths that
/// tell large calls from small ones. Runs no user code. `argument(i)` is the value of the `i`th name that the hook is
/// given.
pub fn work(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Work {
    let held = |index: usize| held(py, parsed, index, argument);
    let size = |atom: &Atom| size(py, held(atom.path.index())?.as_ptr(), atom.kind);
    let atoms = parsed.interface.atoms.as_ref();
    atoms
        .and_then(|atoms| bounded(atoms.iter().map(size)))
        .unwrap_or_else(|| {
            let large = |index: &usize| held(*index).map_or(1, |h| magnitude(py, h.as_ptr()));
            let product = parsed.telling.iter().map(large);
            Work {
                amount: product.fold(1, i64::saturating_mul),
                bounds: false,
            }
        })
}

/// The size of each atom that a site's effort depends on; `None` for an atom that is not a plain int or container now.
pub fn sizes(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Vec<Option<f64>> {
    let atoms = parsed.interface.effort.atoms.iter();
    let size = |atom: &Atom| {
        let held = held(py, parsed, atom.path.index(), argument)?;
        Some(size(py, held.as_ptr(), atom.kind)? as f64)
    };
    atoms.map(size).collect()
}

/// Whether a call works on arrays of which it takes more than an element at once.
pub fn uses_whole_arrays(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> bool {
    let Some(np) = crate::objects::numpy::numpy(py) else {
        return false;
    };
    parsed.interface.whole_array_uses.iter().any(|whole| {
        let held = held(py, parsed, whole.path.index(), argument);
        held.is_some_and(|held| {
            let object = held.as_ptr();
            // SAFETY: an object that is held; only an array's header is read as one.
            unsafe {
                !object.is_null()
                    && ffi::Py_TYPE(object) == np.ndarray
                    && layout::array_header(object).nd as u32 > whole.axes
            }
        })
    })
}

/// The work of a call whose atoms have these sizes; `None` where a size is unknown or the product overflows.
fn bounded(sizes: impl Iterator<Item = Option<i64>>) -> Option<Work> {
    let mut amount = 1i64;
    for size in sizes {
        amount = amount.checked_mul(size?.max(0))?;
    }
    Some(Work {
        amount,
        bounds: true,
    })
}

/// The object that an access path holds: borrowed from the hook's arguments, or a reference of this value's own.
pub enum Held<'py> {
    Borrowed(*mut PyObject),
    Owned(Bound<'py, PyAny>),
}

impl<'py> Held<'py> {
    /// A new reference to the object.
    pub fn bound(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        // SAFETY: what an access path holds lives as long as this does.
        unsafe { Bound::from_borrowed_ptr(py, self.as_ptr()) }
    }

    fn as_ptr(&self) -> *mut PyObject {
        match self {
            Held::Borrowed(object) => *object,
            Held::Owned(object) => object.as_ptr(),
        }
    }
}

/// The object that the access path with this index holds, or `None` where it is not found without running user code.
/// `argument(i)` is the value of the `i`th name that the hook is given.
pub fn held<'py>(
    py: Python<'py>,
    parsed: &Parsed,
    index: usize,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Option<Held<'py>> {
    let path = &parsed.paths[index];
    match path.argument.filter(|_| path.parent.is_none()) {
        Some(i) => argument(i).map(Held::Borrowed),
        None => object(py, parsed, index, argument).map(Held::Owned),
    }
}

/// The object that the access path with this index holds, or `None` where it is not found without running user code.
fn object<'py>(
    py: Python<'py>,
    parsed: &Parsed,
    index: usize,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Option<Bound<'py, PyAny>> {
    let path = &parsed.paths[index];
    // SAFETY: arguments and dictionaries live through the call; attributes are read as new references.
    unsafe {
        if let Some(parent) = path.parent {
            let parent = object(py, parsed, parent, argument)?;
            let key = match path.item {
                Some(Item::UnderPath(key)) => Some(object(py, parsed, key, argument)?),
                _ => None,
            };
            let key = || key.map_or(std::ptr::null_mut(), |key| key.as_ptr());
            let object = read_path(py, path, parent.as_ptr(), key);
            return Bound::from_owned_ptr_or_opt(py, object);
        }
        let object = match (path.scope, path.argument) {
            (Scope::Local | Scope::Computed, Some(i)) => argument(i)?,
            (Scope::Global, _) => {
                let globals = attributes::globals(py);
                ffi::PyDict_GetItemWithError(globals.as_ptr(), path.name.as_ptr())
            }
            _ => return None,
        };
        Bound::from_borrowed_ptr_or_opt(py, object)
    }
}

/// The size that an atom reads off an object, if that is possible without running user code.
fn size(py: Python<'_>, object: *mut PyObject, kind: AtomKind) -> Option<i64> {
    if object.is_null() {
        return None;
    }
    // SAFETY: a live object; exact types are checked before anything is read.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            let value = ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow);
            return (overflow == 0 && matches!(kind, AtomKind::Int)).then_some(value);
        }
        if matches!(kind, AtomKind::Int) {
            return None;
        }
        if layout::has_length(ty) {
            return matches!(kind, AtomKind::Len).then(|| layout::length(object));
        }
        if crate::objects::numpy::numpy(py).is_some_and(|np| ty == np.ndarray) {
            let header = layout::array_header(object);
            let axis = if let AtomKind::Dim(axis) = kind {
                axis as usize
            } else {
                0
            };
            return (axis < header.nd as usize).then(|| *header.dimensions.add(axis) as i64);
        }
    }
    None
}

/// The magnitude of a float where it bounds a loop: the larger of its absolute value and its reciprocal, since a
/// smaller tolerance means more iterations.
#[inline]
pub fn size_of_float(value: f64) -> i64 {
    let value = value.abs();
    value.max(value.recip()) as i64
}

/// The magnitude of a number or a container (the elements of an array), at least 1; 1 for any other object.
fn magnitude(py: Python<'_>, object: *mut PyObject) -> i64 {
    if object.is_null() {
        return 1;
    }
    // SAFETY: a live object; exact types are checked before anything is read.
    let size = unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            match ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow) {
                _ if overflow != 0 => i64::MAX,
                value => value.saturating_abs(),
            }
        } else if ty == &raw mut ffi::PyFloat_Type {
            size_of_float(ffi::PyFloat_AsDouble(object))
        } else if crate::objects::numpy::numpy(py).is_some_and(|np| ty == np.ndarray) {
            let header = layout::array_header(object);
            let extent = |axis: usize| *header.dimensions.add(axis) as i64;
            (0..header.nd as usize)
                .map(extent)
                .fold(1, i64::saturating_mul)
        } else if layout::has_length(ty) {
            layout::length(object)
        } else {
            1
        }
    };
    size.max(1)
}
