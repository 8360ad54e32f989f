//! Classes whose objects a nest may make, and objects of such classes that a nest uses as a whole.
//!
//! What the nest and the functions that it calls may ask of a class, and of an object that is there already, by any of
//! the names in their texts, gets captures behind those of access paths.

use std::sync::Arc;

use nestwise_frontend::WholeUse;
use nestwise_frontend::site::captures::{Capture, IDENTITY, Member};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::bind::Binding;
use crate::bind::bound_objects::{BoundClass, BoundInstance};
use crate::bind::classify::{CLASS, INSTANCE, OBJECT, OTHER, pointer_word};
use crate::objects::access_path::AccessPath;
use crate::objects::attributes;
use crate::objects::classes::{self, UserClass};
use crate::objects::numpy::Numpy;
use crate::site::parsed::Parsed;

/// The most attributes of classes and objects that one call may bind.
const MOST_ATTRIBUTES: usize = 256;
/// The most objects that one call may bind with their attributes.
const MOST_INSTANCES: usize = 32;
/// The depth to which objects in attributes of objects are bound with theirs, and classes are asked for what another one
/// has, too.
const DEPTH: usize = 3;

/// The names out of `names` that are not among `asked` yet.
fn new_names(
    py: Python<'_>,
    names: &[Py<PyString>],
    asked: &mut Vec<Py<PyString>>,
) -> Vec<Py<PyString>> {
    let is_new = |name: &&Py<PyString>| !asked.iter().any(|known| known.is(*name));
    let new: Vec<Py<PyString>> = names
        .iter()
        .filter(is_new)
        .map(|n| n.clone_ref(py))
        .collect();
    asked.extend(new.iter().map(|name| name.clone_ref(py)));
    new
}

impl Binding {
    /// Binds what the site and the functions it calls may ask of classes and of objects that are used as a whole, as far
    /// as it is not bound yet; returns whether there was any.
    pub(super) fn add_objects(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        parsed: &Parsed,
        mixed: &[usize],
    ) -> bool {
        let before = self.captures.len();
        self.find_classes(py);
        self.find_instances(py, parsed);
        if self.classes.is_empty() {
            return false;
        }
        let mut names: Vec<Py<PyString>> = Vec::new();
        let users = self.users.iter().flat_map(|user| user.function.members(py));
        for name in parsed.members(py).iter().chain(users) {
            if !names.iter().any(|known| known.is(name)) {
                names.push(name.clone_ref(py));
            }
        }
        for at in 0..self.classes.len() {
            for name in new_names(py, &names, &mut self.classes[at].asked) {
                let found = self.classes[at].class.members(py, name.bind(py));
                // Those behind the first are asked for by `super()`.
                for one in found.into_iter().take(DEPTH) {
                    if self.captures.len() - before >= MOST_ATTRIBUTES {
                        break;
                    }
                    let capture = self.captures.len() as u32;
                    // SAFETY: strong references, which the captures take over.
                    unsafe {
                        self.push(py, np, one.value.into_ptr(), false, mixed);
                        if let Some(setter) = one.setter {
                            self.push(py, np, setter.into_ptr(), false, mixed);
                        }
                    }
                    self.classes[at].members.push(Member {
                        name: name.to_string(),
                        place: one.place,
                        kind: one.kind,
                        capture,
                    });
                }
            }
        }
        let mut at = 0;
        while at < self.instances.len() {
            for name in new_names(py, &names, &mut self.instances[at].asked) {
                let object = self.captures[self.instances[at].capture].object;
                // SAFETY: kept alive by its capture.
                let value = unsafe { own_attribute(py, object, name.bind(py)) };
                if value.is_null() {
                    continue;
                }
                let capture = self.captures.len();
                // SAFETY: a new reference, which the capture takes over.
                unsafe { self.push(py, np, value, false, mixed) };
                self.instances[at]
                    .fields
                    .push((name.to_string(), capture as u32));
                let around = &self.instances[at];
                let classes: Vec<usize> = around
                    .around
                    .iter()
                    .copied()
                    .chain([around.class])
                    .collect();
                if classes.len() < DEPTH {
                    self.add_instance(py, capture, classes);
                }
            }
            at += 1;
        }
        self.captures.len() > before
    }

    /// Notes the classes among the captures.
    fn find_classes(&mut self, py: Python<'_>) {
        for capture in 0..self.captures.len() {
            let bound = &self.captures[capture];
            if bound.word & 0xff != CLASS || bound.object.is_null() {
                continue;
            }
            if let Some(class) = classes::user_class(py, bound.object) {
                self.class_at(py, class, capture);
            }
        }
    }

    /// The index of a class among the binding's, which is captured at `capture`.
    fn class_at(&mut self, py: Python<'_>, class: Arc<UserClass>, capture: usize) -> usize {
        let known = self
            .classes
            .iter()
            .position(|known| Arc::ptr_eq(&known.class, &class));
        if let Some(known) = known {
            return known;
        }
        let zero = self.captures.len() as u32;
        // SAFETY: a new reference, which the capture takes over.
        unsafe { self.push(py, None, ffi::PyLong_FromLong(0), false, &[]) };
        self.classes.push(BoundClass {
            class,
            capture,
            asked: vec![],
            members: vec![],
            zero,
        });
        self.classes.len() - 1
    }

    /// Notes the objects, of classes that a nest may make objects of, that the site or a function uses as a whole.
    fn find_instances(&mut self, py: Python<'_>, parsed: &Parsed) {
        let mut whole: Vec<usize> = Vec::new();
        // Without a class only operators have a use for objects as a whole.
        let least = match self.classes.is_empty() {
            true => WholeUse::Operand,
            false => WholeUse::Handed,
        };
        let mut scope = |first: usize, paths: &[AccessPath]| {
            let used = paths.iter().enumerate();
            let is_used = |path: &AccessPath| {
                let assigned = path.is_written && path.parent.is_none();
                let handed = assigned.then_some(WholeUse::Handed);
                path.whole.max(handed).is_some_and(|how| how >= least)
            };
            let used = used.filter(|(_, path)| is_used(path));
            whole.extend(used.map(|(k, _)| first + k));
        };
        scope(0, &parsed.paths);
        for user in self.users.iter().filter(|user| user.first > 0) {
            scope(user.first, &user.function.paths);
        }
        for capture in whole {
            let is_known = self.instances.iter().any(|known| known.capture == capture);
            let bound = &self.captures[capture];
            if !is_known && matches!(bound.word & 0xff, OBJECT | OTHER) && !bound.object.is_null() {
                self.add_instance(py, capture, vec![]);
            }
        }
    }

    /// Notes the object at `capture`, if nests may make such objects and it is none of a class in `around`.
    fn add_instance(&mut self, py: Python<'_>, capture: usize, around: Vec<usize>) {
        let (word, object) = (self.captures[capture].word, self.captures[capture].object);
        if self.instances.len() >= MOST_INSTANCES || !matches!(word & 0xff, OBJECT | OTHER) {
            return;
        }
        let Some(class) = classes::class_of(py, object) else {
            return;
        };
        self.captures[capture].word = pointer_word(INSTANCE, Arc::as_ptr(&class).cast());
        let known = self
            .classes
            .iter()
            .position(|known| Arc::ptr_eq(&known.class, &class));
        let at = known.unwrap_or_else(|| {
            let word = pointer_word(CLASS, Arc::as_ptr(&class).cast());
            let object = class.class.clone_ref(py).into_any().into_ptr();
            self.captures.push(super::Bound {
                object,
                word,
                value: nestwise_runtime::Value::None,
            });
            self.class_at(py, class, self.captures.len() - 1)
        });
        if around.contains(&at) {
            return;
        }
        // Which object it is, as a number: one that several captures hold has that of the first.
        let number = self.captures.len() as u32;
        let mut others = self.instances.iter().map(|known| known.capture);
        let first = others.find(|other| self.captures[*other].object == object);
        let value = -1 - first.unwrap_or(capture) as i64;
        // SAFETY: a new reference, which the capture takes over.
        unsafe { self.push(py, None, ffi::PyLong_FromLongLong(value), false, &[]) };
        self.instances.push(BoundInstance {
            capture,
            class: at,
            around,
            asked: vec![],
            fields: vec![(IDENTITY.to_owned(), number)],
        });
    }

    /// Whether classes are what they were when they were bound, and objects have the attributes that they had.
    pub fn objects_hold(&self, py: Python<'_>) -> bool {
        let class_holds = |class: &BoundClass| {
            let now = classes::user_class(py, class.class.class.as_ptr());
            now.is_some_and(|now| Arc::ptr_eq(&now, &class.class))
        };
        let field_holds = |object: *mut PyObject, (name, field): &(String, u32)| {
            let then = self.captures[*field as usize].object;
            // SAFETY: kept alive by its capture; a new reference, or null, which is given up.
            unsafe {
                let now = own_attribute(py, object, &PyString::intern(py, name));
                ffi::Py_XDECREF(now);
                now == then
            }
        };
        let instance_holds = |own: &BoundInstance| {
            let object = self.captures[own.capture].object;
            let mut fields = own.fields.iter().filter(|(name, _)| name != IDENTITY);
            fields.all(|field| field_holds(object, field))
        };
        self.classes.iter().all(class_holds) && self.instances.iter().all(instance_holds)
    }

    /// What the front end is told of the class at `capture`.
    pub(super) fn class_capture(&self, capture: usize) -> Option<Capture> {
        let word = self.captures[capture].word;
        let is = |known: &BoundClass| self.captures[known.capture].word == word;
        let at = self.classes.iter().position(is)?;
        let class = &self.classes[at];
        Some(Capture::Class {
            name: class.class.name.clone(),
            number: at as u32,
            frozen: class.class.frozen,
            slots: class.class.slots.clone(),
            members: class.members.clone(),
            zero: class.zero,
        })
    }

    /// What the front end is told of the object at `capture`.
    pub(super) fn instance_capture(&self, capture: usize) -> Option<Capture> {
        let own = self
            .instances
            .iter()
            .find(|known| known.capture == capture)?;
        Some(Capture::Instance {
            class: self.classes[own.class].capture as u32,
            fields: own.fields.clone(),
        })
    }
}

/// The value of an attribute of an object's own; null where it has none.
///
/// # Safety
/// `object` is alive and of a class that nests may make objects of; the GIL is held.
unsafe fn own_attribute(
    py: Python<'_>,
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
) -> *mut PyObject {
    // What every object has, of `object`.
    if py.get_type::<PyAny>().hasattr(name).unwrap_or(true) {
        return std::ptr::null_mut();
    }
    // SAFETY: as promised by the caller.
    unsafe {
        match attributes::readable(py, object, name) && attributes::is_own(py, object, name) {
            true => attributes::read(py, object, name),
            false => std::ptr::null_mut(),
        }
    }
}
