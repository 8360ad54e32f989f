//! Reading and writing attributes without running user code.
//!
//! `object.__getattribute__` on an instance runs somebody's code only if the class (or a base) overrides
//! `__getattribute__` or `__getattr__`, or has a descriptor under that name. Both are looked up in the classes' own
//! dictionaries, once per class and name.

use std::cell::RefCell;
use std::collections::HashMap;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::objects::{layout, random};
use crate::process::once::Once;

#[derive(Clone, Copy, PartialEq)]
struct Safety {
    read: bool,
    write: bool,
    /// The class has a value of that name (not a slot), which an object may hide by one of its own.
    shadowed: bool,
    /// The class's value of that name is a function.
    method: bool,
}

/// The addresses of a class and of an interned name.
type Asked = (usize, usize);

/// What was found out about a class and a name.
struct Checked {
    _held: Py<PyType>,
    version: u32,
    safety: Safety,
}

/// The most pairs of class and name that are remembered; then all are forgotten.
const MAX_CHECKED: usize = 256;

thread_local! {
    /// What was found for each class and name, with the class's version when it was looked at. The classes are kept
    /// alive, so that an address means one class for ever.
    static CHECKED: RefCell<HashMap<Asked, Checked>> = RefCell::default();
}

/// Forgets the classes that this thread has met.
pub fn let_go() {
    let all = CHECKED.take();
    drop(all);
}

/// The value of an attribute of `object`, as a new reference; null if there is none or reading it could run user code.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn read(
    py: Python<'_>,
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
) -> *mut PyObject {
    // SAFETY: as promised by the caller.
    unsafe {
        if ffi::PyModule_CheckExact(object) != 0 {
            let dict = ffi::PyModule_GetDict(object);
            let value = ffi::PyDict_GetItemWithError(dict, name.as_ptr());
            ffi::Py_XINCREF(value);
            return value;
        }
        // Methods of C types that nests use; they are made anew each time.
        let known = || {
            let append = ffi::PyList_CheckExact(object) != 0
                && name.as_ptr() == pyo3::intern!(py, "append").as_ptr();
            append || random::has_method(py, object, name)
        };
        if !safety(py, object, name).is_some_and(|s| s.read) && !known() {
            return std::ptr::null_mut();
        }
        let value = ffi::PyObject_GenericGetAttr(object, name.as_ptr());
        if value.is_null() {
            ffi::PyErr_Clear();
        }
        value
    }
}

/// Whether the type of a live object may be a class of Python's; the types of arrays, lists and numbers are C's.
pub fn is_of_class(object: *mut PyObject) -> bool {
    // SAFETY: a live object's type.
    unsafe { ffi::PyType_GetFlags(ffi::Py_TYPE(object)) & ffi::Py_TPFLAGS_HEAPTYPE != 0 }
}

/// A special method of the class of `object`, as a new reference bound to it; null if the class has none that is
/// written in Python. One that the object itself has under that name is ignored, as CPython ignores it.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn special(
    py: Python<'_>,
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
) -> *mut PyObject {
    // SAFETY: as promised by the caller.
    unsafe {
        if !is_of_class(object) || !is_method(py, object, name) || is_own(py, object, name) {
            return std::ptr::null_mut();
        }
        read(py, object, name)
    }
}

/// Whether an attribute of `object`, and of all other objects of its class, can be read without running user code.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn readable(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> bool {
    // SAFETY: as promised by the caller.
    unsafe { safety(py, object, name).is_some_and(|s| s.read) }
}

/// Whether the class of `object` has a function of that name.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn is_method(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> bool {
    // SAFETY: as promised by the caller.
    unsafe { safety(py, object, name).is_some_and(|s| s.method) }
}

/// Whether the attribute is the object's own, in a slot or in its dictionary, rather than only its class's.
///
/// # Safety
/// `object` is alive and the attribute [`writable`]; the GIL is held.
pub unsafe fn is_own(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> bool {
    // SAFETY: as promised by the caller; a class that overrides nothing has plain dictionaries.
    unsafe {
        if !safety(py, object, name).is_some_and(|s| s.shadowed) {
            return true;
        }
        let dict = ffi::PyObject_GenericGetDict(object, std::ptr::null_mut());
        if dict.is_null() {
            ffi::PyErr_Clear();
            return false;
        }
        let own = ffi::PyDict_Contains(dict, name.as_ptr()) == 1;
        ffi::Py_DECREF(dict);
        own
    }
}

/// Whether an attribute of `object` can be set without running user code.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn writable(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        let sets = || safety(py, object, name).is_some_and(|s| s.write);
        ffi::PyModule_CheckExact(object) == 0 && (random::is_kept(py, object, name) || sets())
    }
}

unsafe fn safety(
    py: Python<'_>,
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
) -> Option<Safety> {
    // SAFETY: a live object's type.
    let ty = unsafe { ffi::Py_TYPE(object) };
    let key = (ty as usize, name.as_ptr() as usize);
    // A class that was changed since has another version.
    let version = version(py, ty);
    let known = CHECKED.with_borrow(|c| c.get(&key).map(|k| (k.version, k.safety)));
    if let Some((then, safety)) = known
        && version == Some(then)
    {
        return Some(safety);
    }
    // SAFETY: types are objects.
    let class: Bound<'_, PyType> = unsafe { Bound::from_borrowed_ptr(py, ty.cast()) }
        .cast_into()
        .ok()?;
    let safety = examine(py, &class, name).ok()?;
    // Not that attribute is looked up for a version: one with a `__get__` would run it, as a metaclass of the user's
    // would run its own code. Without a version the class is looked at anew each time.
    let plain = class.get_type().is(py.get_type::<PyType>());
    let version = match plain {
        true => version_of(py, &class),
        false => version,
    };
    if let Some(version) = version {
        let checked = Checked {
            _held: class.unbind(),
            version,
            safety,
        };
        let old = CHECKED.with_borrow_mut(|c| {
            let full = c.len() >= MAX_CHECKED;
            let old = full.then(|| std::mem::take(c));
            c.insert(key, checked);
            old
        });
        // Not while it is borrowed: a class that goes may have somebody's finalizers go with it.
        drop(old);
    }
    Some(safety)
}

/// The version of a class, which it is given where it has none: changed, the class has another one. `None` where
/// CPython's objects are not laid out as expected, or no versions are left.
pub fn version_of(py: Python<'_>, class: &Bound<'_, PyType>) -> Option<u32> {
    // A lookup makes CPython give the class a version.
    version(py, class.as_type_ptr()).or_else(|| {
        let _ = class.hasattr(pyo3::intern!(py, "__hash__"));
        version(py, class.as_type_ptr())
    })
}

/// The version of a class, where CPython's objects are laid out as expected; `None` elsewhere.
fn version(py: Python<'_>, ty: *mut ffi::PyTypeObject) -> Option<u32> {
    static WORK: Once<bool> = Once::new();
    let work = WORK.get_or_init(|| layout::versions_work(py).unwrap_or(false));
    // SAFETY: a live type.
    work.then(|| unsafe { layout::version_tag(ty) })?
}

fn examine(
    py: Python<'_>,
    class: &Bound<'_, PyType>,
    name: &Bound<'_, PyString>,
) -> PyResult<Safety> {
    let none = Safety {
        read: false,
        write: false,
        shadowed: false,
        method: false,
    };
    // Only heap classes made by `class` statements; a metaclass could intercept what follows.
    if !class.get_type().is(py.get_type::<PyType>()) {
        return Ok(none);
    }
    let object = py.import("builtins")?.getattr("object")?;
    let function = py.import("types")?.getattr("FunctionType")?;
    let member = py.import("types")?.getattr("MemberDescriptorType")?;
    let mut safety = Safety {
        read: true,
        write: true,
        shadowed: false,
        method: false,
    };
    let mut shadowed = false;
    for base in class.getattr("__mro__")?.cast::<PyTuple>()?.iter() {
        if base.is(&object) {
            break;
        }
        let dict = base.getattr("__dict__")?;
        for special in ["__getattribute__", "__getattr__"] {
            if dict.contains(special)? {
                return Ok(none);
            }
        }
        for special in ["__setattr__", "__delattr__"] {
            safety.write &= !dict.contains(special)?;
        }
        if !shadowed && dict.contains(name)? {
            shadowed = true;
            let value = dict.get_item(name)?;
            let kind = value.get_type();
            let is_slot = kind.is(&member);
            let descriptor = kind.hasattr("__get__")? || kind.hasattr("__set__")?;
            // A plain function of the class: reading it makes a bound method, unless the object has an attribute of
            // its own of that name.
            let is_method = kind.is(&function);
            safety.shadowed = !is_slot;
            safety.method = is_method;
            if is_method {
                safety.write = false;
            } else if descriptor && !is_slot {
                return Ok(none);
            }
        }
    }
    Ok(safety)
}

/// The name of an object's type, for messages.
pub fn type_name(py: Python<'_>, object: *mut PyObject) -> String {
    if object.is_null() {
        return "unbound".into();
    }
    // SAFETY: a live object.
    let object = unsafe { Bound::from_borrowed_ptr(py, object) };
    let name = object.get_type().fully_qualified_name();
    let name = name.map_or_else(|_| "unknown".into(), |n| n.to_string());
    if name.starts_with("numpy.") && crate::objects::numpy::numpy(py).is_none() {
        return format!("{name} of a NumPy before 2.0");
    }
    name
}

/// The dictionary of the frame's builtins, borrowed; null if it is not an exact dictionary.
pub fn builtins(_py: Python<'_>) -> *mut PyObject {
    // SAFETY: borrowed references of the current frame.
    unsafe {
        let dict = ffi::PyEval_GetBuiltins();
        if !dict.is_null() && ffi::PyDict_CheckExact(dict) != 0 {
            dict
        } else {
            std::ptr::null_mut()
        }
    }
}

/// The globals of the current frame; an empty dictionary where the frame has none, or not an exact one.
pub fn globals(py: Python<'_>) -> Bound<'_, PyDict> {
    // SAFETY: a borrowed reference of the current frame, or null.
    unsafe {
        let dict = ffi::PyEval_GetGlobals();
        if dict.is_null() || ffi::PyDict_CheckExact(dict) == 0 {
            PyDict::new(py)
        } else {
            Bound::from_borrowed_ptr(py, dict).cast_into_unchecked()
        }
    }
}
