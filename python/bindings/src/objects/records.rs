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

use crate::bind::classify::OBJECTS;
use crate::bind::{BindPlace, Binding};
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
unsafe fn alike<'a>(list: *mut PyObject) -> Option<&'a [*mut PyObject]> {
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
unsafe fn each(py: Python<'_>, objects: &[*mut PyObject], part: &Part) -> *mut PyObject {
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

/// The attributes of all objects, as lists.
#[derive(Default)]
pub struct Values {
    /// By their captures.
    lists: Vec<(usize, Py<PyAny>)>,
    /// Captures of lists whose objects are of one class.
    alike: Vec<usize>,
}

impl Values {
    /// Of the captures that are wanted: lists of objects, and attributes of theirs; with those, what they are attributes of is wanted,
    /// too. None: some are not of one class, or lack an attribute.
    pub fn of(py: Python<'_>, binding: &Binding, wanted: impl Fn(usize) -> bool) -> Option<Values> {
        let mut values = Values::default();
        // Those of objects that are attributes come behind these.
        for field in binding.fields.iter().filter(|field| wanted(field.capture)) {
            let objects = values.look(binding, field.list)?;
            // SAFETY: kept alive by the binding, or here; null or a new reference.
            let all = unsafe {
                let all = each(py, objects, &field.part);
                Bound::from_owned_ptr_or_opt(py, all)
            };
            values.lists.push((field.capture, all?.unbind()));
        }
        let is_list = |index: &usize| binding.captures[*index].word & 0xff == OBJECTS;
        for capture in (0..binding.captures.len()).filter(is_list) {
            if wanted(capture) {
                values.look(binding, capture)?;
            }
        }
        Some(values)
    }

    /// The objects of a list, once it is known that they are of one class.
    fn look(&mut self, binding: &Binding, capture: usize) -> Option<&'static [*mut PyObject]> {
        // SAFETY: a list that is kept alive by the binding, or here; the GIL is held.
        unsafe {
            let list = self.object(binding, capture);
            if self.alike.contains(&capture) {
                return lists::items(list);
            }
            let objects = alike(list)?;
            self.alike.push(capture);
            Some(objects)
        }
    }

    /// What a capture holds, all of it.
    pub fn object(&self, binding: &Binding, capture: usize) -> *mut PyObject {
        let own = self.lists.iter().find(|(own, _)| *own == capture);
        own.map_or(binding.captures[capture].object, |(_, list)| list.as_ptr())
    }

    /// The objects that it holds; none where they are not known to be of one class.
    pub fn objects<'a>(&'a self, binding: &'a Binding, capture: usize) -> &'a [*mut PyObject] {
        if !self.alike.contains(&capture) {
            return &[];
        }
        // SAFETY: a list that is kept alive by the binding, or here; the GIL is held.
        unsafe { lists::items(self.object(binding, capture)) }.unwrap_or_default()
    }
}

impl Field {
    /// Whether the nest may assign it: no object stands there twice, and setting it runs nobody's code, and makes no attribute
    /// that an object did not have. Of a tuple's item only what is in it changes.
    pub fn settable(&self, py: Python<'_>, binding: &Binding, values: &Values) -> bool {
        let name = self.part.name.bind(py);
        let objects = values.objects(binding, self.list);
        if self.part.item.is_some() {
            return are_distinct(objects);
        }
        // SAFETY: live objects.
        unsafe {
            let first = objects.first();
            are_distinct(objects)
                && first.is_some_and(|object| attributes::writable(py, *object, name))
                && objects.iter().all(|o| attributes::is_own(py, *o, name))
        }
    }

    /// Sets the attributes that differ from what the list of them holds; false: there is no memory.
    ///
    /// # Safety
    /// They were found [settable](Field::settable), and are as they were then.
    pub unsafe fn put(&self, py: Python<'_>, binding: &Binding, values: &Values) -> bool {
        if self.part.item.is_some() {
            return true;
        }
        let name = self.part.name.bind(py).as_ptr();
        // SAFETY: as promised by the caller; the old value is a number, so releasing it runs nobody's code.
        unsafe {
            let new = lists::items(values.object(binding, self.capture)).unwrap_or_default();
            let mut pairs = values.objects(binding, self.list).iter().zip(new);
            pairs.all(|(object, value)| {
                let old = ffi::PyObject_GenericGetAttr(*object, name);
                ffi::Py_XDECREF(old);
                old == *value || ffi::PyObject_GenericSetAttr(*object, name, *value) == 0
            })
        }
    }

    /// Whether the objects are those, and what they have under the name is what it was.
    pub fn holds(
        &self,
        py: Python<'_>,
        binding: &Binding,
        values: &Values,
        objects: &[Py<PyAny>],
    ) -> bool {
        // SAFETY: kept alive by the binding, or by the values.
        let now = unsafe { alike(values.object(binding, self.list)) }.unwrap_or_default();
        let mut pairs = now.iter().zip(objects);
        if now.len() != objects.len() || !pairs.all(|(now, then)| *now == then.as_ptr()) {
            return false;
        }
        let then = values.object(binding, self.capture);
        // SAFETY: live objects; null or a new reference.
        let found = unsafe { Bound::from_owned_ptr_or_opt(py, each(py, now, &self.part)) };
        let Some(found) = found.map(Bound::into_ptr) else {
            return false;
        };
        // SAFETY: both are alive, and lists are not changed meanwhile.
        unsafe {
            let same = match (lists::items(found), lists::items(then)) {
                (Some(now), Some(then)) => now == then,
                _ => found == then,
            };
            ffi::Py_DECREF(found);
            same
        }
    }
}

/// The name of an attribute that is assigned, and could be looked at in two ways: through a list that the nest uses, and through
/// another, or as a place of its own.
pub fn shared(
    site: &[BindPlace],
    binding: &Binding,
    values: &Values,
    used: &[bool],
    written: &[bool],
) -> Option<String> {
    let used: Vec<&Field> = binding.fields.iter().filter(|f| used[f.capture]).collect();
    for (k, field) in used.iter().enumerate() {
        let own: HashSet<_> = values.objects(binding, field.list).iter().collect();
        let in_lists = used[..k].iter().any(|other| {
            let assigned = written[field.capture] || written[other.capture];
            let mut others = values.objects(binding, other.list).iter();
            assigned
                && other.part.name.is(&field.part.name)
                && others.any(|object| own.contains(object))
        });
        let is_place = |index: usize| {
            let (place, parent) = binding.place(site, index);
            let owner = parent.map(|parent| binding.captures[parent].object);
            place.name.is(&field.part.name)
                && (written[field.capture] || place.is_written)
                && owner.is_some_and(|owner| own.contains(&owner))
        };
        let is_field = |index: &usize| binding.fields.iter().any(|f| f.capture == *index);
        let mut places = (0..binding.captures.len()).filter(|index| !is_field(index));
        if in_lists || places.any(is_place) {
            return Some(field.part.name.to_string());
        }
    }
    None
}
