//! Containers that nests do not hold natively, but call CPython for: which they are, and what their items are likely to
//! be.

use nestwise_frontend::host_functions::Container;
use nestwise_ir::Ty;
use pyo3::ffi::{self, PyObject, PyTypeObject};
use pyo3::intern;
use pyo3::prelude::*;

use crate::objects::{layout, lists, modules};
use crate::process::once::Once;

/// What tells of which type the items of a container are likely to be.
pub enum Items {
    /// Nothing.
    Unknown,
    /// One of the items, borrowed.
    Like(*mut PyObject),
    /// The type of what the container makes for a key that it does not have.
    Of(Ty),
}

impl Items {
    fn like(item: Option<*mut PyObject>) -> Items {
        item.map_or(Items::Unknown, Items::Like)
    }
}

/// What a list or tuple that is no array is likely to hold.
///
/// # Safety
/// `object` is an exact list or tuple, alive.
pub unsafe fn sequence(object: *mut PyObject, list: bool) -> (Container, Items) {
    // SAFETY: as promised by the caller.
    unsafe {
        let (kind, items) = match list {
            true => (Container::List, &*layout::list_items(object)),
            false => (Container::Tuple, layout::tuple_items(object)),
        };
        (kind, Items::like(items.first().copied()))
    }
}

/// What any other container is likely to hold; `None` for other objects.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn container(py: Python<'_>, object: *mut PyObject) -> Option<(Container, Items)> {
    // SAFETY: types are compared, and contents are looked at after the exact type is known.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyDict_Type {
            return Some((Container::Dict, Items::like(first_value(object))));
        }
        if ty == &raw mut ffi::PySet_Type {
            return Some((Container::Set, Items::Unknown));
        }
        if ty == &raw mut ffi::PyFrozenSet_Type {
            return Some((Container::FrozenSet, Items::Unknown));
        }
        let kind = of_collections(py, ty)?;
        let items = match kind {
            Container::Deque => Items::like(first_of_deque(object)),
            Container::Counter => Items::Of(Ty::PY_INT),
            Container::DefaultDict if first_value(object).is_none() => {
                made_by(py, object).map_or(Items::Unknown, Items::Of)
            }
            _ => Items::like(first_value(object)),
        };
        Some((kind, items))
    }
}

/// The dictionary or set that an iteration over `object` runs over, borrowed: the object itself, or what it is a view of;
/// null for any other object, and where iterating could run user code.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn iterated(py: Python<'_>, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as promised by the caller; a view holds its dictionary directly behind the head.
    unsafe {
        let views = [
            &raw mut ffi::PyDictKeys_Type,
            &raw mut ffi::PyDictValues_Type,
            &raw mut ffi::PyDictItems_Type,
        ];
        if views.contains(&ffi::Py_TYPE(object)) {
            return layout::payload::<*mut PyObject>(object);
        }
        let kind = container(py, object).map(|(kind, _)| kind);
        match kind {
            Some(
                Container::Dict
                | Container::DefaultDict
                | Container::Counter
                | Container::Set
                | Container::FrozenSet,
            ) => object,
            _ => std::ptr::null_mut(),
        }
    }
}

/// The keys of a dictionary, or of the one that a view of items belongs to, in a new list; null for other objects.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn keys(py: Python<'_>, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as promised by the caller.
    unsafe { listed(py, object, ffi::PyDict_Keys) }
}

/// The values of a dictionary, or of the one that a view of items belongs to, in a new list; null for other objects.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn values(py: Python<'_>, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: as promised by the caller.
    unsafe { listed(py, object, ffi::PyDict_Values) }
}

unsafe fn listed(
    py: Python<'_>,
    object: *mut PyObject,
    list: unsafe extern "C" fn(*mut PyObject) -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as promised by the caller; a view holds its dictionary directly behind the head.
    unsafe {
        let dict = match ffi::Py_TYPE(object) {
            ty if ty == &raw mut ffi::PyDictItems_Type => layout::payload(object),
            _ if iterated(py, object) == object => object,
            _ => std::ptr::null_mut(),
        };
        // A set has no such lists.
        if dict.is_null() || ffi::PyDict_Check(dict) == 0 {
            return std::ptr::null_mut();
        }
        let list = list(dict);
        if list.is_null() {
            ffi::PyErr_Clear();
        }
        list
    }
}

/// What a dictionary, list or tuple holds under an int or text, as a new reference; null if it holds nothing there, or
/// the key or the container is of another type.
///
/// # Safety
/// `object` and `key` are alive; the GIL is held.
pub unsafe fn item_under(
    py: Python<'_>,
    object: *mut PyObject,
    key: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as promised by the caller; exact types are looked at first. The hash of an exact int or text runs no
    // user code.
    unsafe {
        let of = ffi::Py_TYPE(key);
        let is_int = of == &raw mut ffi::PyLong_Type;
        if !is_int && of != &raw mut ffi::PyUnicode_Type {
            return std::ptr::null_mut();
        }
        let found = if let Some(items) = lists::items(object).filter(|_| is_int) {
            let at = ffi::PyLong_AsSsize_t(key);
            let at = if at < 0 {
                at.saturating_add(items.len() as isize)
            } else {
                at
            };
            let at = usize::try_from(at).ok();
            at.and_then(|at| items.get(at).copied())
        } else if container(py, object).is_some_and(|(kind, _)| kind.is_mapping()) {
            Some(ffi::PyDict_GetItemWithError(object, key))
        } else {
            None
        };
        ffi::PyErr_Clear();
        let found = found.unwrap_or(std::ptr::null_mut());
        ffi::Py_XINCREF(found);
        found
    }
}

/// The type of what a `defaultdict` makes for a key that it does not have.
pub fn made_by(py: Python<'_>, object: *mut PyObject) -> Option<Ty> {
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

/// The first item of a deque, borrowed.
///
/// # Safety
/// `object` is a deque, alive; the GIL is held.
unsafe fn first_of_deque(object: *mut PyObject) -> Option<*mut PyObject> {
    // SAFETY: as promised by the caller; the deque holds the item after the reference is given back.
    unsafe {
        let first = ffi::PySequence_GetItem(object, 0);
        if first.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        ffi::Py_DECREF(first);
        Some(first)
    }
}

/// The container of `collections` with this exact type. The types are looked up once: every call of a nest asks.
fn of_collections(py: Python<'_>, ty: *mut PyTypeObject) -> Option<Container> {
    const KINDS: [(&str, Container); 4] = [
        ("deque", Container::Deque),
        ("OrderedDict", Container::OrderedDict),
        ("Counter", Container::Counter),
        ("defaultdict", Container::DefaultDict),
    ];
    static TYPES: Once<Vec<(Py<PyAny>, Container)>> = Once::new();
    let types = TYPES.get_or_try_init(|| {
        let module = modules::imported(py, intern!(py, "collections")).ok_or(())?;
        let of = |(name, kind)| Some((module.getattr(name).ok()?.unbind(), kind));
        Ok::<_, ()>(KINDS.into_iter().filter_map(of).collect())
    });
    let mut types = types.ok()?.iter();
    types
        .find(|(of, _)| of.as_ptr() == ty.cast())
        .map(|(_, kind)| *kind)
}
