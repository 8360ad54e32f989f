//! Attributes of the objects in a list, as a list of their own: what a nest knows as an array.
//!
//! It is made when a call is bound, converted like any other list, and what the nest has changed in it is set on the objects
//! afterwards. So each object must stand in the list but once, and nobody else may look at an attribute meanwhile that is
//! assigned through the list, or the other way round.

use crate::attributes;
use crate::bind::{BindPlace, Binding};
use crate::functions;
use crate::lists;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashSet;

/// The objects in an exact list or tuple, if all are of one class of the user's.
///
/// # Safety
/// `list` is null or alive, and nothing changes it while the slice lives; the GIL is held.
pub unsafe fn of<'a>(list: *mut PyObject) -> Option<&'a [*mut PyObject]> {
    if list.is_null() {
        return None;
    }
    // SAFETY: as promised by the caller; live objects' types.
    unsafe {
        let objects = lists::items(list)?;
        let class = ffi::Py_TYPE(*objects.first()?);
        let by_user = ffi::PyType_GetFlags(class) & ffi::Py_TPFLAGS_HEAPTYPE != 0;
        let alike = by_user && objects.iter().all(|object| ffi::Py_TYPE(*object) == class);
        alike.then_some(&*objects)
    }
}

/// Whether each of them stands there but once.
///
/// # Safety
/// As for [`of`].
pub unsafe fn are_distinct(list: *mut PyObject) -> bool {
    // SAFETY: as promised by the caller.
    let objects = unsafe { of(list) }.unwrap_or_default();
    let mut seen = HashSet::with_capacity(objects.len());
    objects.iter().all(|object| seen.insert(*object))
}

/// A new list of an attribute of each of them, or the function that is a method of each; null where one has none, or reading it
/// could run user code.
///
/// # Safety
/// As for [`of`].
pub unsafe fn each(
    py: Python<'_>,
    list: *mut PyObject,
    name: &Bound<'_, PyString>,
) -> *mut PyObject {
    let null = std::ptr::null_mut();
    // SAFETY: as promised by the caller; the new list is filled before anybody sees it.
    unsafe {
        let Some(objects) = of(list) else { return null };
        if !attributes::readable(py, objects[0], name) {
            return null;
        }
        if attributes::is_method(py, objects[0], name) {
            return method(py, objects, name);
        }
        let all = ffi::PyList_New(objects.len() as isize);
        if all.is_null() {
            ffi::PyErr_Clear();
            return null;
        }
        for (at, object) in objects.iter().enumerate() {
            let value = ffi::PyObject_GenericGetAttr(*object, name.as_ptr());
            if value.is_null() {
                ffi::PyErr_Clear();
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
    let mut common: Option<Py<PyAny>> = None;
    for object in objects {
        // SAFETY: as promised by the caller; a new reference or null.
        let value = unsafe {
            let value = ffi::PyObject_GenericGetAttr(*object, name.as_ptr());
            Bound::from_owned_ptr_or_opt(py, value)
        };
        let bound = value.and_then(|value| functions::method(py, value.as_ptr()));
        let own = bound.filter(|(_, receiver)| receiver.as_ptr() == *object);
        let is_other = |f: &Py<PyAny>| common.as_ref().is_some_and(|c| !c.is(f));
        match own {
            Some((function, _)) if !is_other(&function) => common = Some(function),
            _ => {
                drop(PyErr::take(py));
                return std::ptr::null_mut();
            }
        }
    }
    common.map_or(std::ptr::null_mut(), Py::into_ptr)
}

/// An attribute of the objects in a list.
pub struct Field {
    /// The capture of the list of its values.
    pub capture: usize,
    /// The capture of the list of the objects.
    pub list: usize,
    /// Interned.
    pub name: Py<PyString>,
}

impl Field {
    /// The objects; none where they are no such objects any more.
    ///
    /// # Safety
    /// As for [`of`].
    pub unsafe fn objects<'a>(&self, binding: &'a Binding) -> &'a [*mut PyObject] {
        // SAFETY: as promised by the caller; the binding keeps the list alive.
        unsafe { of(binding.captures[self.list].object) }.unwrap_or_default()
    }

    /// Whether the nest may assign it: no object stands there twice, and setting it runs nobody's code, and makes no attribute
    /// that an object did not have.
    pub fn settable(&self, py: Python<'_>, binding: &Binding) -> bool {
        let name = self.name.bind(py);
        // SAFETY: the binding keeps the list alive; nothing has run since it was bound.
        unsafe {
            let objects = self.objects(binding);
            let first = objects.first();
            are_distinct(binding.captures[self.list].object)
                && first.is_some_and(|object| attributes::writable(py, *object, name))
                && objects.iter().all(|o| attributes::is_own(py, *o, name))
        }
    }

    /// Sets the attributes that differ from what the list of them holds; false: there is no memory.
    ///
    /// # Safety
    /// They were found [settable](Field::settable), and are as they were then.
    pub unsafe fn put(&self, py: Python<'_>, binding: &Binding) -> bool {
        let name = self.name.bind(py).as_ptr();
        // SAFETY: as promised by the caller; the old value is a number, so releasing it runs nobody's code.
        unsafe {
            let values = lists::items(binding.captures[self.capture].object);
            let mut pairs = self.objects(binding).iter().zip(values.unwrap_or_default());
            pairs.all(|(object, value)| {
                let old = ffi::PyObject_GenericGetAttr(*object, name);
                ffi::Py_XDECREF(old);
                old == *value || ffi::PyObject_GenericSetAttr(*object, name, *value) == 0
            })
        }
    }

    /// Whether it is a method of each, and the same one.
    pub fn is_still(&self, py: Python<'_>, binding: &Binding) -> bool {
        let list = binding.captures[self.list].object;
        // SAFETY: the binding keeps the list alive; null or a new reference.
        let now = unsafe { each(py, list, self.name.bind(py)) };
        // SAFETY: as above.
        unsafe { ffi::Py_XDECREF(now) };
        now == binding.captures[self.capture].object
    }

    /// Whether the objects are those, and their attributes what the list of them holds.
    pub fn holds(&self, py: Python<'_>, binding: &Binding, objects: &[Py<PyAny>]) -> bool {
        let name = self.name.bind(py);
        // SAFETY: the binding keeps both lists alive; reading an attribute runs nobody's code.
        unsafe {
            let values = lists::items(binding.captures[self.capture].object);
            let values = values.unwrap_or_default();
            let now = self.objects(binding);
            let same = now.len() == objects.len() && now.len() == values.len();
            let mut all = now.iter().zip(objects).zip(values);
            same && all.all(|((now, then), value)| {
                let found = match *now == then.as_ptr() {
                    true => attributes::read(py, *now, name),
                    false => std::ptr::null_mut(),
                };
                ffi::Py_XDECREF(found);
                found == *value
            })
        }
    }
}

/// The name of an attribute that is assigned, and could be looked at in two ways: through a list that the nest uses, and through
/// another, or as a place of its own.
pub fn shared(
    site: &[BindPlace],
    binding: &Binding,
    used: &[bool],
    written: &[bool],
) -> Option<String> {
    let used: Vec<&Field> = binding.fields.iter().filter(|f| used[f.capture]).collect();
    for (k, field) in used.iter().enumerate() {
        // SAFETY: kept alive by the binding; nothing has run since.
        let own: HashSet<_> = unsafe { field.objects(binding) }.iter().collect();
        let in_lists = used[..k].iter().any(|other| {
            let assigned = written[field.capture] || written[other.capture];
            // SAFETY: as above.
            let mut others = unsafe { other.objects(binding) }.iter();
            assigned && other.name.is(&field.name) && others.any(|object| own.contains(object))
        });
        let is_place = |index: usize| {
            let (place, parent) = binding.place(site, index);
            let owner = parent.map(|parent| binding.captures[parent].object);
            place.name.is(&field.name)
                && (written[field.capture] || place.is_written)
                && owner.is_some_and(|owner| own.contains(&owner))
        };
        let is_field = |index: &usize| binding.fields.iter().any(|f| f.capture == *index);
        let mut places = (0..binding.captures.len()).filter(|index| !is_field(index));
        if in_lists || places.any(is_place) {
            return Some(field.name.to_string());
        }
    }
    None
}
