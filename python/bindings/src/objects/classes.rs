//! Classes of the user's that nests may make objects of.
//!
//! Making an object of such a class runs nothing but `__init__`, and reading or setting an attribute of it runs nothing
//! at all, as long as the class has nothing under the attribute's name that decides that itself: all classes that it is
//! derived from, but `object`, are made by `class` statements without a metaclass, and none has a method that says
//! otherwise.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use nestwise_frontend::site::captures::MemberKind;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::objects::attributes;

/// The methods by which a class changes what making, reading, setting or letting go of its objects does.
const UNUSUAL: [&str; 6] = [
    "__new__",
    "__getattribute__",
    "__getattr__",
    "__setattr__",
    "__delattr__",
    "__del__",
];

/// A class whose objects a nest may make.
pub struct UserClass {
    /// The class, kept alive so that the address of this record means the class for ever.
    pub class: Py<PyType>,
    /// The name of the class.
    pub name: String,
    /// Whether the class is a frozen dataclass, whose objects' attributes only `__init__` sets.
    pub frozen: bool,
    /// The names of the only attributes that objects can have, where they are all slots.
    pub slots: Option<Vec<String>>,
}

/// What a class has under a name.
pub struct Found {
    /// The place of the class that has it among those that are asked, from 0.
    pub place: u32,
    /// The kind of the member.
    pub kind: MemberKind,
    /// The function, or the value.
    pub value: Py<PyAny>,
    /// The function that sets a property, or `None`.
    pub setter: Option<Py<PyAny>>,
}

/// The address of a class, and its version.
type Key = (usize, u32);

/// Every class that was met, in any thread, for as long as the process lives: signatures hold addresses of records. The
/// lock is never held while Python runs.
static CLASSES: Mutex<Option<HashMap<Key, Option<Arc<UserClass>>>>> = Mutex::new(None);
/// The most classes that are remembered; objects of further ones are made by CPython.
const MAX_CLASSES: usize = 1_000;

fn with_classes<T>(work: impl FnOnce(&mut HashMap<Key, Option<Arc<UserClass>>>) -> T) -> T {
    let mut all = CLASSES.lock().unwrap_or_else(|e| e.into_inner());
    work(all.get_or_insert_default())
}

/// Forgets every class.
pub fn let_go() {
    // Not while they are locked: what goes may have finalizers.
    let all = with_classes(std::mem::take);
    drop(all);
}

/// The record of a class, as it is now, whose objects nests may make; `None` for other objects and classes.
pub fn user_class(py: Python<'_>, object: *mut PyObject) -> Option<Arc<UserClass>> {
    // SAFETY: a live object, whose type is looked at before it is taken for a class.
    let class: Bound<'_, PyType> = unsafe {
        let plain = ffi::Py_TYPE(object) == &raw mut ffi::PyType_Type
            && ffi::PyType_GetFlags(object.cast()) & ffi::Py_TPFLAGS_HEAPTYPE != 0;
        plain.then(|| Bound::from_borrowed_ptr(py, object).cast_into_unchecked())?
    };
    // A class without a version could change without anybody noticing.
    let version = attributes::version_of(py, &class)?;
    let key = (object as usize, version);
    let (known, count) = with_classes(|all| (all.get(&key).cloned(), all.len()));
    match known {
        Some(known) => known,
        None if count >= MAX_CLASSES => None,
        None => {
            let found = examine(&class).ok().flatten().map(Arc::new);
            // Whoever was first meanwhile is what signatures go by; ours is let go of without the lock.
            with_classes(|all| all.entry(key).or_insert_with(|| found.clone()).clone())
        }
    }
}

/// The record of the class of an object; `None` where nests may not make such objects.
pub fn class_of(py: Python<'_>, object: *mut PyObject) -> Option<Arc<UserClass>> {
    // SAFETY: a live object's type.
    let ty = unsafe { ffi::Py_TYPE(object) };
    user_class(py, ty.cast())
}

fn examine(class: &Bound<'_, PyType>) -> PyResult<Option<UserClass>> {
    let py = class.py();
    let object = py.get_type::<PyAny>();
    let (mut frozen, mut any_name, mut slots) = (false, false, vec![]);
    let member = py.import("types")?.getattr("MemberDescriptorType")?;
    for base in class.getattr("__mro__")?.cast::<PyTuple>()?.iter() {
        if base.is(&object) {
            continue;
        }
        // SAFETY: a live class.
        let made = unsafe { ffi::PyType_GetFlags(base.as_ptr().cast()) & ffi::Py_TPFLAGS_HEAPTYPE };
        if made == 0 || !base.get_type().is(py.get_type::<PyType>()) {
            return Ok(None);
        }
        let dict = base.getattr("__dict__")?;
        any_name |= dict.contains("__dict__")?;
        for item in dict.call_method0("items")?.try_iter()? {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            if value.get_type().is(&member) {
                slots.push(name);
            }
        }
        let is_frozen = is_frozen(&base)?;
        frozen |= is_frozen;
        for name in UNUSUAL {
            let set_by_dataclass = is_frozen && ["__setattr__", "__delattr__"].contains(&name);
            if dict.contains(name)? && !set_by_dataclass {
                return Ok(None);
            }
        }
        // A class of C's has no module of Python's text; its objects may hold more than attributes.
        if !dict.contains("__module__")? {
            return Ok(None);
        }
    }
    Ok(Some(UserClass {
        class: class.clone().unbind(),
        name: class.name()?.to_string(),
        frozen,
        slots: (!any_name).then_some(slots),
    }))
}

/// Whether a class is a frozen dataclass, with the `__setattr__` and `__delattr__` that `dataclasses` makes.
fn is_frozen(class: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = class.py();
    let dict = class.getattr("__dict__")?;
    if !dict.contains("__dataclass_params__")? {
        return Ok(false);
    }
    let function = py.import("types")?.getattr("FunctionType")?;
    for name in ["__setattr__", "__delattr__"] {
        let made = match dict.contains(name)? {
            true => dict.get_item(name)?,
            false => return Ok(false),
        };
        // No text of a file's.
        if !made.get_type().is(&function)
            || made
                .getattr("__code__")?
                .getattr("co_filename")?
                .extract::<String>()?
                != "<string>"
        {
            return Ok(false);
        }
    }
    dict.get_item("__dataclass_params__")?
        .getattr("frozen")?
        .extract()
}

impl UserClass {
    /// What the class and those that it is derived from have under a name, in the order in which they are asked; slots,
    /// which are the objects' own, are left out.
    pub fn members(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> Vec<Found> {
        self.find(py, name).unwrap_or_default()
    }

    fn find(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<Vec<Found>> {
        let object = py.get_type::<PyAny>();
        let types = py.import("types")?;
        let builtins = py.import("builtins")?;
        let mut all = vec![];
        for (place, base) in self
            .class
            .bind(py)
            .getattr("__mro__")?
            .cast::<PyTuple>()?
            .iter()
            .enumerate()
        {
            let dict = base.getattr("__dict__")?;
            if base.is(&object) || !dict.contains(name)? {
                continue;
            }
            let value = dict.get_item(name)?;
            let kind = value.get_type();
            let is = |of: &Bound<'_, PyModule>, name: &str| -> PyResult<bool> {
                Ok(kind.is(&of.getattr(name)?))
            };
            let found = if is(&types, "FunctionType")? {
                (MemberKind::Method, value.clone())
            } else if is(&types, "MemberDescriptorType")? {
                continue;
            } else if is(&builtins, "staticmethod")? {
                (MemberKind::Static, value.getattr("__func__")?)
            } else if is(&builtins, "classmethod")? {
                (MemberKind::OfClass, value.getattr("__func__")?)
            } else if is(&builtins, "property")? {
                (MemberKind::Property, value.getattr("fget")?)
            } else if kind.hasattr("__get__")? || kind.hasattr("__set__")? {
                (MemberKind::Descriptor, value.clone())
            } else {
                (MemberKind::Value, value.clone())
            };
            let setter = match found.0 {
                MemberKind::Property => Some(value.getattr("fset")?.unbind()),
                _ => None,
            };
            all.push(Found {
                place: place as u32,
                kind: found.0,
                value: found.1.unbind(),
                setter,
            });
        }
        Ok(all)
    }
}

/// A new object of a class, without attributes: `object.__new__(class)`. Null, with an error, if there is no memory.
///
/// # Safety
/// The GIL is held.
pub unsafe fn make(py: Python<'_>, class: &Bound<'_, PyAny>) -> *mut PyObject {
    let object = py.get_type::<PyAny>();
    let made = object
        .getattr(pyo3::intern!(py, "__new__"))
        .and_then(|new| new.call1((class,)));
    match made {
        Ok(made) => made.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}
