//! Attributes of the objects in a list, items of its tuples, and what its dictionaries have under texts, as a list of
//! their own: what a nest knows as an array.
//!
//! When a call is bound, the first object tells what type an attribute has; the list is made when the nest is going to
//! run, converted like any other, and what the nest has changed in it is set on the objects afterwards. So each object
//! must stand in the list only once, and an attribute that is assigned through the list may not be read in another way
//! meanwhile, nor the other way round.
//!
//! A list of tuples whose items differ in type is bound in this way first. Where a nest is refused then and the tuples
//! hold nothing but ints and floats, the list is bound once more, as an array of both.

use std::collections::HashSet;

use nestwise_frontend::{item_name, key_of_name};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::objects::numpy::Numpy;
use crate::objects::{attributes, functions, layout, lists};

/// The most items of a tuple that a nest takes for an object.
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

/// The number of items of the tuples in an exact list or tuple, as the first one tells it; `None` if it begins with no
/// tuple, or with one of items of one type and shape, so that it is an array.
///
/// # Safety
/// `list` is alive; the GIL is held.
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

/// Whether a list of tuples begins with one of only ints and floats: such tuples may be of more use as rows of an array
/// that mixes both.
///
/// # Safety
/// `list` is alive; the GIL is held.
pub unsafe fn begins_with_numbers(list: *mut PyObject) -> bool {
    // SAFETY: as promised by the caller; items of a live tuple.
    unsafe {
        let first = lists::items(list).and_then(|items| items.first());
        let items = first.and_then(|first| tuple(*first)).unwrap_or_default();
        items.iter().all(|item| lists::is_int_or_float(*item))
    }
}

/// The items of an exact tuple; `None` for any other object.
unsafe fn tuple<'a>(object: *mut PyObject) -> Option<&'a [*mut PyObject]> {
    // SAFETY: a live object, whose type is looked at.
    unsafe {
        let is_tuple = ffi::Py_TYPE(object) == &raw mut ffi::PyTuple_Type;
        is_tuple.then(|| layout::tuple_items(object))
    }
}

/// The objects in an exact list or tuple, if all are of one class, and tuples of one length; else `None`.
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

/// Whether no object stands in `objects` twice.
pub fn are_distinct(objects: &[*mut PyObject]) -> bool {
    let mut seen = HashSet::with_capacity(objects.len());
    objects.iter().all(|object| seen.insert(*object))
}

/// Whether an exact list or tuple begins with a plain dictionary that is not empty.
///
/// # Safety
/// `list` is alive; the GIL is held.
pub unsafe fn begins_with_dict(list: *mut PyObject) -> bool {
    // SAFETY: as promised by the caller; the exact type is looked at first.
    unsafe {
        let first = lists::items(list).and_then(|items| items.first());
        first.is_some_and(|o| is_dict(*o) && ffi::PyDict_Size(*o) > 0)
    }
}

unsafe fn is_dict(object: *mut PyObject) -> bool {
    // SAFETY: a live object, whose type is looked at.
    unsafe { ffi::Py_TYPE(object) == &raw mut ffi::PyDict_Type }
}

/// An attribute of objects, an item of tuples, or what dictionaries have under a text.
pub struct Part {
    /// The name of the part, interned.
    pub name: Py<PyString>,
    /// What the part is.
    pub of: PartOf,
}

/// What a [`Part`] is.
pub enum PartOf {
    /// An attribute.
    Attribute,
    /// The item of tuples with this index.
    Item(usize),
    /// What dictionaries have under this text.
    Key(Py<PyString>),
}

impl Part {
    /// The attribute with this interned name, or what dictionaries have under the text that it is the name of.
    pub fn named(py: Python<'_>, name: &Py<PyString>) -> Part {
        let text = name.bind(py).to_str().unwrap_or_default();
        let of = match key_of_name(text) {
            Some(key) => PartOf::Key(PyString::intern(py, key).unbind()),
            None => PartOf::Attribute,
        };
        let name = name.clone_ref(py);
        Part { name, of }
    }

    /// The items of tuples of this length.
    pub fn items(py: Python<'_>, length: usize) -> Vec<Part> {
        let item = |which| Part {
            name: PyString::intern(py, &item_name(which)).unbind(),
            of: PartOf::Item(which),
        };
        (0..length).map(item).collect()
    }

    /// Another reference to the same attribute or item.
    pub fn clone_ref(&self, py: Python<'_>) -> Part {
        Part {
            name: self.name.clone_ref(py),
            of: match &self.of {
                PartOf::Attribute => PartOf::Attribute,
                PartOf::Item(which) => PartOf::Item(*which),
                PartOf::Key(key) => PartOf::Key(key.clone_ref(py)),
            },
        }
    }

    /// The value of an object's part, as a new reference; null, without an error, if it has none.
    ///
    /// # Safety
    /// The object is alive, and a tuple, a plain dictionary or one whose attribute is [readable](attributes::readable); the GIL is held.
    unsafe fn of(&self, object: *mut PyObject) -> *mut PyObject {
        // SAFETY: as promised by the caller.
        unsafe {
            let value = match &self.of {
                PartOf::Item(which) => {
                    let items = tuple(object).unwrap_or_default();
                    let item = items.get(*which).copied().unwrap_or(std::ptr::null_mut());
                    ffi::Py_XINCREF(item);
                    item
                }
                PartOf::Key(key) if is_dict(object) => {
                    let value = ffi::PyDict_GetItemWithError(object, key.as_ptr());
                    ffi::Py_XINCREF(value);
                    value
                }
                PartOf::Key(_) => std::ptr::null_mut(),
                PartOf::Attribute => ffi::PyObject_GenericGetAttr(object, self.name.as_ptr()),
            };
            if value.is_null() {
                ffi::PyErr_Clear();
            }
            value
        }
    }
}

/// The object that tells the type of an attribute or item of the objects in a list, as a new reference: a list of the
/// first object's value alone, or, for a method, its function. Null where the first object has no such part, or reading
/// it could run user code.
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

/// The values of an attribute or item of all `objects`, as a new reference: a list of them, or, for a method, its
/// function. Null where an object has no such part, or reading it could run user code.
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
        if let PartOf::Attribute = part.of {
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

/// The function behind a method of all `objects`, as a new reference; null where it is not the same for all.
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

/// An attribute or item of the objects in a list, which is bound as a capture.
pub struct Field {
    /// The capture of the attribute or item, whose object tells the type ([`first`]).
    pub capture: usize,
    /// The capture of the list of the objects.
    pub list: usize,
    /// The attribute or item.
    pub part: Part,
}
