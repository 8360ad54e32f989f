//! Containers that nests do not hold natively, but call CPython for: which they are, and what their items are likely to
//! be.

use nestwise_frontend::host_functions::Container;
use nestwise_frontend::site::captures::Capture;
use nestwise_ir::{Scalar, Ty};
use pyo3::ffi::{self, PyObject, PyTypeObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::bind::classify::{self, CONTAINER, SCALAR};
use crate::objects::numpy::Numpy;
use crate::objects::{layout, modules};

/// The bit of a signature word that says that the type of items is known.
const KNOWN_ITEM: u64 = 1 << 32;

fn word_of(kind: Container, item: Option<Ty>) -> u64 {
    let item = item.map_or(0, |ty| {
        KNOWN_ITEM | (ty.prov as u64) << 16 | (ty.repr as u64) << 24
    });
    CONTAINER | (kind as u64) << 8 | item
}

/// The capture that the front end is told of for a container with this signature word.
pub fn capture(word: u64) -> Option<Capture> {
    let kind = Container::ALL
        .into_iter()
        .find(|k| *k as u64 == (word >> 8) & 0xff)?;
    let repr = Scalar::ALL
        .into_iter()
        .find(|s| *s as u64 == (word >> 24) & 0xff);
    let item = repr
        .filter(|_| word & KNOWN_ITEM != 0)
        .map(|repr| match (word >> 16) & 0xff {
            0 => Ty::py(repr),
            _ => Ty::np(repr),
        });
    Some(Capture::Container { kind, item })
}

/// The signature word of a list or tuple that is no array.
///
/// # Safety
/// `object` is an exact list or tuple, alive.
pub unsafe fn sequence_word(np: Option<&'static Numpy>, object: *mut PyObject, list: bool) -> u64 {
    // SAFETY: as promised by the caller.
    unsafe {
        let (kind, items) = match list {
            true => (Container::List, &*layout::list_items(object)),
            false => (Container::Tuple, layout::tuple_items(object)),
        };
        word_of(kind, items.first().and_then(|item| type_of(np, *item)))
    }
}

/// The signature word of any other container; `None` for other objects.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn word(
    py: Python<'_>,
    np: Option<&'static Numpy>,
    object: *mut PyObject,
) -> Option<u64> {
    // SAFETY: types are compared, and contents are looked at after the exact type is known.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        let of_mapping = |kind: Container| {
            let item = first_value(object).and_then(|item| type_of(np, item));
            Some(word_of(kind, item))
        };
        if ty == &raw mut ffi::PyDict_Type {
            return of_mapping(Container::Dict);
        }
        if ty == &raw mut ffi::PySet_Type {
            return Some(word_of(Container::Set, None));
        }
        if ty == &raw mut ffi::PyFrozenSet_Type {
            return Some(word_of(Container::FrozenSet, None));
        }
        match of_collections(py, ty)? {
            Container::Deque => {
                let first = ffi::PySequence_GetItem(object, 0);
                if first.is_null() {
                    ffi::PyErr_Clear();
                    return Some(word_of(Container::Deque, None));
                }
                let item = type_of(np, first);
                ffi::Py_DECREF(first);
                Some(word_of(Container::Deque, item))
            }
            Container::Counter => Some(word_of(Container::Counter, Some(Ty::PY_INT))),
            Container::DefaultDict => {
                let item = first_value(object).and_then(|item| type_of(np, item));
                Some(word_of(
                    Container::DefaultDict,
                    item.or_else(|| made_by(py, object)),
                ))
            }
            kind => of_mapping(kind),
        }
    }
}

/// The type of what a `defaultdict` makes for a key that it does not have.
fn made_by(py: Python<'_>, object: *mut PyObject) -> Option<Ty> {
    // SAFETY: a live object, whose attribute is a slot of the exact type.
    let object = unsafe { Bound::from_borrowed_ptr(py, object) };
    let factory = object.getattr("default_factory").ok()?.as_ptr();
    match factory.cast() {
        ty if ty == &raw mut ffi::PyLong_Type => Some(Ty::PY_INT),
        ty if ty == &raw mut ffi::PyFloat_Type => Some(Ty::PY_FLOAT),
        ty if ty == &raw mut ffi::PyBool_Type => Some(Ty::PY_BOOL),
        _ => None,
    }
}

/// A value of a dictionary, borrowed.
///
/// # Safety
/// `object` is an instance of `dict`, alive.
unsafe fn first_value(object: *mut PyObject) -> Option<*mut PyObject> {
    let (mut at, mut value) = (0, std::ptr::null_mut());
    // SAFETY: as promised by the caller; nothing runs in between.
    let found =
        unsafe { ffi::PyDict_Next(object, &raw mut at, std::ptr::null_mut(), &raw mut value) };
    (found != 0).then_some(value)
}

/// The type of a scalar that fragments may give.
///
/// # Safety
/// `object` is alive.
unsafe fn type_of(np: Option<&'static Numpy>, object: *mut PyObject) -> Option<Ty> {
    // SAFETY: as promised by the caller.
    let (word, _) = unsafe { classify::number(np, object) }?;
    let ty = classify::scalar_type(word).filter(|_| word & 0xff == SCALAR)?;
    (ty != Ty::py(Scalar::U64)).then_some(ty)
}

/// The container of `collections` with this exact type.
fn of_collections(py: Python<'_>, ty: *mut PyTypeObject) -> Option<Container> {
    const KINDS: [(&str, Container); 4] = [
        ("deque", Container::Deque),
        ("OrderedDict", Container::OrderedDict),
        ("Counter", Container::Counter),
        ("defaultdict", Container::DefaultDict),
    ];
    let module = modules::imported(py, &PyString::new(py, "collections"))?;
    let is = |name: &str| module.getattr(name).is_ok_and(|t| t.as_ptr() == ty.cast());
    KINDS.into_iter().find(|(name, _)| is(name)).map(|(_, k)| k)
}
