//! The attributes of the objects in lists, read for a launch and set after it.

use std::collections::HashSet;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::bind::classify::{CONTAINER, OBJECTS};
use crate::objects::access_path::AccessPath;
use crate::objects::records::{Field, PartOf, alike, are_distinct, each};
use crate::objects::{attributes, lists};

/// The attributes of the objects in lists, each as a list of one value for each object.
#[derive(Default)]
pub struct Values {
    /// The list of each attribute, with the attribute's capture.
    lists: Vec<(usize, Py<PyAny>)>,
    /// The captures of lists whose objects are of one class.
    alike: Vec<usize>,
}

impl Values {
    /// Reads the attributes whose captures are `wanted`, and checks the lists of objects that are. Returns `None` if
    /// the objects of such a list are not of one class, or one lacks an attribute.
    pub fn of(py: Python<'_>, binding: &Binding, wanted: impl Fn(usize) -> bool) -> Option<Values> {
        let mut values = Values::default();
        // Attributes of objects that are themselves attributes come later in `fields` than these.
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

    /// The objects of the list at `capture`, once they are known to be of one class; `None` where they are not.
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

    /// The object of a capture: for an attribute of objects in a list, the list of all its values.
    pub fn object(&self, binding: &Binding, capture: usize) -> *mut PyObject {
        let own = self.lists.iter().find(|(own, _)| *own == capture);
        own.map_or(binding.captures[capture].object, |(_, list)| list.as_ptr())
    }

    /// The objects of the list at `capture`; empty where they are not known to be of one class.
    pub fn objects<'a>(&'a self, binding: &'a Binding, capture: usize) -> &'a [*mut PyObject] {
        if !self.alike.contains(&capture) {
            return &[];
        }
        // SAFETY: a list that is kept alive by the binding, or here; the GIL is held.
        unsafe { lists::items(self.object(binding, capture)) }.unwrap_or_default()
    }
}

impl Field {
    /// Whether the nest may assign the attribute: no object stands in the list twice, and setting the attribute runs no
    /// user code and adds it to no object that lacks it. Of a tuple's item only the contents may change.
    pub fn settable(&self, py: Python<'_>, binding: &Binding, values: &Values) -> bool {
        let name = self.part.name.bind(py);
        let objects = values.objects(binding, self.list);
        if !matches!(self.part.of, PartOf::Attribute) {
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

    /// Sets the attribute on each object whose value differs from the list of values; returns false where there is no
    /// memory.
    ///
    /// # Safety
    /// The attributes were found [settable](Field::settable), and nothing has changed them since.
    pub unsafe fn put(&self, py: Python<'_>, binding: &Binding, values: &Values) -> bool {
        let name = match &self.part.of {
            PartOf::Item(_) => return true,
            PartOf::Attribute => self.part.name.bind(py).as_ptr(),
            PartOf::Key(key) => key.as_ptr(),
        };
        let of_dicts = matches!(self.part.of, PartOf::Key(_));
        // SAFETY: as promised by the caller; the old value is a number, so releasing it runs nobody's code.
        unsafe {
            let new = lists::items(values.object(binding, self.capture)).unwrap_or_default();
            let mut pairs = values.objects(binding, self.list).iter().zip(new);
            pairs.all(|(object, value)| {
                if of_dicts {
                    let old = ffi::PyDict_GetItemWithError(*object, name);
                    return old == *value || ffi::PyDict_SetItem(*object, name, *value) == 0;
                }
                let old = ffi::PyObject_GenericGetAttr(*object, name);
                ffi::Py_XDECREF(old);
                old == *value || ffi::PyObject_GenericSetAttr(*object, name, *value) == 0
            })
        }
    }

    /// Whether the list still holds exactly `objects`, and their attribute has the values that were read.
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

/// The name of an attribute that the nest assigns and that can be reached in two ways: through two lists that the nest
/// uses, or through a list and an access path of its own; `None` if there is no such attribute. `used` and `read` say
/// for each capture whether it is an array of the nest, and whether the nest uses it at all.
pub fn shared(
    site: &[AccessPath],
    binding: &Binding,
    values: &Values,
    (used, read): (&[bool], &[bool]),
    written: &[bool],
) -> Option<String> {
    let used: Vec<&Field> = binding.fields.iter().filter(|f| used[f.capture]).collect();
    let all = binding.captures.iter();
    let containers = all.filter(|bound| bound.word & 0xff == CONTAINER);
    for (k, field) in used.iter().enumerate() {
        let own: HashSet<_> = values.objects(binding, field.list).iter().collect();
        // A dictionary that is in the list may be changed by way of its name.
        if containers.clone().any(|bound| own.contains(&bound.object)) {
            return Some(field.part.name.to_string());
        }
        let in_lists = used[..k].iter().any(|other| {
            let assigned = written[field.capture] || written[other.capture];
            let mut others = values.objects(binding, other.list).iter();
            assigned
                && other.part.name.is(&field.part.name)
                && others.any(|object| own.contains(object))
        });
        let is_path = |index: usize| {
            let (path, parent) = binding.path_of(site, index);
            let owner = parent.map(|parent| binding.captures[parent].object);
            path.name.is(&field.part.name)
                && (!path.below_item || read[index])
                && (written[field.capture] || path.is_written)
                && owner.is_some_and(|owner| own.contains(&owner))
        };
        let all = 0..binding.captures.len();
        let mut paths = all.filter(|index| binding.is_access_path(site, *index));
        if in_lists || paths.any(is_path) {
            return Some(field.part.name.to_string());
        }
    }
    None
}
