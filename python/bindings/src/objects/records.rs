//! Attributes of the objects in a list, and items of its tuples, as a list of their own: what a nest knows as an array.
//!
//! When a call is bound, the first object tells what type an attribute has; the list is made when the nest is going to run, converted
//! like any other, and what the nest has changed in it is set on the objects afterwards. So each object must stand in the list but once, and nobody else may look at an attribute meanwhile that is
//! assigned through the list, or the other way round.

use std::collections::HashSet;

use nestwise_frontend::item_name;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::objects::numpy::Numpy;
use crate::objects::{attributes, functions, layout, lists};

/// Tuples that are longer are no objects to a nest.
const MOST_ITEMS: usize = 16;

/// Whether an exact list or tuple begins with an object of a class of the user's.
///
/// # Safety
/// `list` is alive; the GIL is held.
pub unsafe fn begins_with_object(list: *mut PyObject) -> bool {
    // SAFETY: as promised by the caller; a live object's type.
    unsafe {
        let first = lists::items(list).and_then(|items| items.first());
        first
            .is_some_and(|o| ffi::PyType_GetFlags(ffi::Py_TYPE(*o)) & ffi::Py_TPFLAGS_HEAPTYPE != 0)
    }
}

/// How many items the tuples have that an exact list or tuple begins with, if these are not all alike: then it is no array.
///
/// # Safety
/// As for [`begins_with_object`].
pub unsafe fn tuple_length(list: *mut PyObject, np: Option<&Numpy>) -> Option<usize> {
    // SAFETY: as promised by the caller; items of a live tuple.
    unsafe {
        let items = tuple(*lists::items(list)?.first()?)?;
        let mut outlines = items.iter().map(|item| lists::outline(*item, np));
        let array = match outlines.next()? {
            Some(first) => outlines.all(|other| other == Some(first)),
            None => false,
        };
        (!array && items.len() <= MOST_ITEMS).then_some(items.len())
    }
}

/// Whether the first of those tuples has nothing but ints and floats: as rows of an array that holds both they may be of more use.
///
/// # Safety
/// As for [`begins_with_object`].
pub unsafe fn begins_with_numbers(list: *mut PyObject) -> bool {
    // SAFETY: as promised by the caller; items of a live tuple.
    unsafe {
        let first = lists::items(list).and_then(|items| items.first());
        let items = first.and_then(|first| tuple(*first)).unwrap_or_default();
        items.iter().all(|item| lists::is_int_or_float(*item))
    }
}

/// The items of an exact tuple.
unsafe fn tuple<'a>(object: *mut PyObject) -> Option<&'a [*mut PyObject]> {
    // SAFETY: a live object, whose type is looked at.
    unsafe {
        let is_tuple = ffi::Py_TYPE(object) == &raw mut ffi::PyTuple_Type;
        is_tuple.then(|| layout::tuple_items(object))
    }
}

/// What is in an exact list or tuple, if all are of one class, and tuples of one length.
///
/// # Safety
/// `list` is alive, and nothing changes it while the slice lives; the GIL is held.
pub unsafe fn alike<'a>(list: *mut PyObject) -> Option<&'a [*mut PyObject]> {
    // SAFETY: as promised by the caller; live objects' types.
    unsafe {
        let objects = lists::items(list)?;
        let first = *objects.first()?;
        let (class, length) = (ffi::Py_TYPE(first), tuple(first).map(<[_]>::len));
        let all = objects.iter().all(|object| {
            ffi::Py_TYPE(*object) == class
                && (length.is_none() || tuple(*object).map(<[_]>::len) == length)
        });
        all.then_some(objects)
    }
}

/// Whether each of them stands there but once.
pub fn are_distinct(objects: &[*mut PyObject]) -> bool {
    let mut seen = HashSet::with_capacity(objects.len());
    objects.iter().all(|object| seen.insert(*object))
}

/// An attribute of objects, or an item of tuples.
pub struct Part {
    /// Interned.
    pub name: Py<PyString>,
    /// Which item it is.
    pub item: Option<usize>,
}

impl Part {
    pub fn attribute(py: Python<'_>, name: &Py<PyString>) -> Part {
        let name = name.clone_ref(py);
        Part { name, item: None }
    }

    /// Those of tuples of so many items.
    pub fn items(py: Python<'_>, length: usize) -> Vec<Part> {
        let item = |which| Part {
            name: PyString::intern(py, &item_name(which)).unbind(),
            item: Some(which),
        };
        (0..length).map(item).collect()
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Part {
        Part {
            name: self.name.clone_ref(py),
            item: self.item,
        }
    }

    /// What an object has there, as a new reference; null, without an error, if there is nothing.
    ///
    /// # Safety
    /// The object is alive, and a tuple or one whose attribute is [readable](attributes::readable); the GIL is held.
    unsafe fn of(&self, object: *mut PyObject) -> *mut PyObject {
        // SAFETY: as promised by the caller.
        unsafe {
            let value = match self.item {
                Some(which) => {
                    let items = tuple(object).unwrap_or_default();
                    let item = items.get(which).copied().unwrap_or(std::ptr::null_mut());
                    ffi::Py_XINCREF(item);
                    item
                }
                None => ffi::PyObject_GenericGetAttr(object, self.name.as_ptr()),
            };
            if value.is_null() {
                ffi::PyErr_Clear();
            }
            value
        }
    }
}

/// What tells of what type a part of theirs is: a list of the first one's alone, or the function that is a method of it, as a
/// new reference. Null where it has none, or reading it could run user code.
///
/// # Safety
/// `list` is null or alive; the GIL is held.
pub unsafe fn first(py: Python<'_>, list: *mut PyObject, part: &Part) -> *mut PyObject {
    if list.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: as promised by the caller.
    match unsafe { lists::items(list) } {
        Some(objects) if !objects.is_empty() => unsafe { each(py, &objects[..1], part) },
        _ => std::ptr::null_mut(),
    }
}

/// The same of all of them.
///
/// # Safety
/// The objects are alive and of one class; the GIL is held.
pub unsafe fn each(py: Python<'_>, objects: &[*mut PyObject], part: &Part) -> *mut PyObject {
    let null = std::ptr::null_mut();
    // SAFETY: as promised by the caller; the new list is filled before anybody sees it.
    unsafe {
        let Some(one) = objects.first() else {
            return null;
        };
        if part.item.is_none() {
            let name = part.name.bind(py);
            if !attributes::readable(py, *one, name) {
                return null;
            }
            if attributes::is_method(py, *one, name) {
                return method(py, objects, name);
            }
        }
        let all = ffi::PyList_New(objects.len() as isize);
        if all.is_null() {
            ffi::PyErr_Clear();
            return null;
        }
        for (at, object) in objects.iter().enumerate() {
            let value = part.of(*object);
            if value.is_null() {
                ffi::Py_DECREF(all);
                return null;
            }
            ffi::PyList_SetItem(all, at as isize, value);
        }
        all
    }
}

/// The function that is a method of each of the objects, as a new reference; null where it is not of all.
///
/// # Safety
/// The objects are alive, and their attribute readable; the GIL is held.
unsafe fn method(
    py: Python<'_>,
    objects: &[*mut PyObject],
    name: &Bound<'_, PyString>,
) -> *mut PyObject {
    let bound = |object: &*mut PyObject| {
        // SAFETY: as promised by the caller; a new reference or null.
        let value = unsafe {
            let value = ffi::PyObject_GenericGetAttr(*object, name.as_ptr());
            Bound::from_owned_ptr_or_opt(py, value)
        };
        if value.is_none() {
            drop(PyErr::take(py));
        }
        functions::method(py, value?.as_ptr()).filter(|(_, own)| own.as_ptr() == *object)
    };
    let mut found = objects.iter().map(bound);
    let Some((function, _)) = found.next().flatten() else {
        return std::ptr::null_mut();
    };
    match found.all(|other| other.is_some_and(|(other, _)| other.is(&function))) {
        true => function.into_ptr(),
        false => std::ptr::null_mut(),
    }
}

/// A part of the objects in a list.
pub struct Field {
    /// Its capture: that tells the type ([`first`]).
    pub capture: usize,
    /// The capture of the list of the objects.
    pub list: usize,
    pub part: Part,
}
