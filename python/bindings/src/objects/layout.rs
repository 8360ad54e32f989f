//! The few object layouts that are read directly, since calls of the stable ABI would cost more than the work: list
//! items, float values, ndarray headers, NumPy scalars. They are the same in CPython 3.10 to 3.14 and in NumPy 2;
//! [`self_check`] compares them with what the slow calls say before anything relies on them.

use std::os::raw::{c_char, c_int};
use std::sync::OnceLock;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

#[repr(C)]
struct List {
    head: ffi::PyObject,
    size: ffi::Py_ssize_t,
    items: *mut *mut PyObject,
}

#[repr(C)]
struct Tuple {
    head: ffi::PyObject,
    size: ffi::Py_ssize_t,
    items: [*mut PyObject; 1],
}

/// Any object whose payload follows its head at once: `float`, and every NumPy scalar.
#[repr(C)]
struct Payload<T> {
    head: ffi::PyObject,
    value: T,
}

/// The offset of `tp_version_tag` in a type object, in bytes: 48 words, the same in CPython 3.10 to 3.14.
const VERSION_TAG: usize = 384;
/// The flag that says the tag is in force; CPython 3.10 leaves the number when it clears the flag.
const TAG_IS_VALID: std::os::raw::c_ulong = 1 << 19;

/// A number that changes whenever a class or one of its bases is changed; none while CPython keeps none.
///
/// # Safety
/// `ty` is a live type; the GIL is held.
pub unsafe fn version_tag(ty: *mut ffi::PyTypeObject) -> Option<u32> {
    // SAFETY: as promised by the caller; checked against the slow way by `self_check`.
    unsafe {
        let tag = *ty.cast::<u8>().add(VERSION_TAG).cast::<u32>();
        (tag != 0 && ffi::PyType_GetFlags(ty) & TAG_IS_VALID != 0).then_some(tag)
    }
}

/// The header of an ndarray.
#[repr(C)]
pub struct ArrayHeader {
    head: ffi::PyObject,
    /// The address of the first element.
    pub data: *mut u8,
    /// Number of axes.
    pub nd: c_int,
    /// The extents, in elements.
    pub dimensions: *mut isize,
    /// Byte strides.
    pub strides: *mut isize,
    /// Owner of the memory.
    pub base: *mut PyObject,
    /// The dtype.
    pub descr: *mut Descr,
    /// `NPY_ARRAY_*` flags.
    pub flags: c_int,
    /// The weak references to the array.
    pub weak: *mut PyObject,
}

/// The start of a dtype.
#[repr(C)]
pub struct Descr {
    head: ffi::PyObject,
    typeobj: *mut PyObject,
    kind: c_char,
    type_: c_char,
    /// `=` native, `|` not applicable, else swapped.
    pub byteorder: c_char,
    former_flags: c_char,
    /// `NPY_TYPES`.
    pub type_num: c_int,
}

/// `NPY_ARRAY_ALIGNED`.
pub const ALIGNED: c_int = 0x100;
/// `NPY_ARRAY_OWNDATA`.
pub const OWNDATA: c_int = 0x4;
/// `NPY_ARRAY_WRITEABLE`.
pub const WRITEABLE: c_int = 0x400;

/// The items of a list.
///
/// # Safety
/// `list` is an exact list, and nothing changes it while the slice lives.
pub unsafe fn list_items<'a>(list: *mut PyObject) -> &'a mut [*mut PyObject] {
    let list = list.cast::<List>();
    // SAFETY: as promised by the caller; an empty list may have no item block at all.
    unsafe {
        if (*list).size == 0 {
            &mut []
        } else {
            std::slice::from_raw_parts_mut((*list).items, (*list).size as usize)
        }
    }
}

/// The items of a tuple.
///
/// # Safety
/// `tuple` is an exact tuple.
pub unsafe fn tuple_items<'a>(tuple: *mut PyObject) -> &'a [*mut PyObject] {
    let tuple = tuple.cast::<Tuple>();
    // SAFETY: as promised by the caller.
    unsafe {
        std::slice::from_raw_parts((&raw const (*tuple).items).cast(), (*tuple).size as usize)
    }
}

/// The length of a list, tuple, `str` or `bytes`.
///
/// # Safety
/// `object` is exactly one of these.
pub unsafe fn length(object: *mut PyObject) -> i64 {
    // SAFETY: as promised by the caller; all of them have it behind the head.
    unsafe { (*object.cast::<Tuple>()).size as i64 }
}

/// Whether objects of exactly this type have a [`length`].
#[inline]
pub fn has_length(ty: *mut ffi::PyTypeObject) -> bool {
    [
        &raw mut ffi::PyList_Type,
        &raw mut ffi::PyTuple_Type,
        &raw mut ffi::PyUnicode_Type,
        &raw mut ffi::PyBytes_Type,
    ]
    .contains(&ty)
}

/// The payload of a `float` or a NumPy scalar.
///
/// # Safety
/// `object` is of a type whose payload is a `T` directly behind the head.
pub unsafe fn payload<T: Copy>(object: *mut PyObject) -> T {
    // SAFETY: as promised by the caller.
    unsafe { (*object.cast::<Payload<T>>()).value }
}

/// The address of the payload of a NumPy scalar.
pub fn payload_of(object: *mut PyObject) -> *const u8 {
    let offset = std::mem::offset_of!(Payload<u64>, value);
    object.cast::<u8>().wrapping_add(offset)
}

/// Sets the payload of a new NumPy scalar.
///
/// # Safety
/// `object` is of a type whose payload is a `T` directly behind the head, and nobody else has seen it yet.
pub unsafe fn set_payload<T: Copy>(object: *mut PyObject, value: T) {
    // SAFETY: as promised by the caller.
    unsafe { (*object.cast::<Payload<T>>()).value = value };
}

/// An int: a word that holds its number of digits and its sign, encoded as each version of CPython does it, and its
/// first digit.
#[repr(C)]
struct Int {
    head: ffi::PyObject,
    tag: usize,
    digit: u32,
}

/// The words in front of the digit of ints of one digit, in this CPython: of the smallest positive ones, of other
/// positive ones, and of 0. `None` where ints are not laid out as this file believes.
pub fn before_digit() -> Option<[u8; 3]> {
    static FOUND: OnceLock<Option<[u8; 3]>> = OnceLock::new();
    *FOUND.get_or_init(find_before_digit)
}

fn find_before_digit() -> Option<[u8; 3]> {
    let before = |value: u32| {
        // SAFETY: an int that is made here, checked for null, and released once.
        unsafe {
            let object = ffi::PyLong_FromLong(value.into());
            if object.is_null() {
                return None;
            }
            let int = object.cast::<Int>();
            let tag = u8::try_from((*int).tag).ok();
            let tag = tag.filter(|_| (*int).digit == value);
            ffi::Py_DECREF(object);
            tag
        }
    };
    Some([before(7)?, before(70_000)?, before(0)?])
}

/// The value of 0 or of a positive int of one digit, which has one of `before` in front of it; `None` for other ints.
///
/// # Safety
/// `int` is an exact int.
pub unsafe fn digit(int: *mut PyObject, before: [u8; 3]) -> Option<i64> {
    let int = int.cast::<Int>();
    // SAFETY: as promised by the caller; every int has room for a digit, which is 0 for 0.
    unsafe {
        let found = before.iter().any(|b| (*int).tag == usize::from(*b));
        found.then(|| i64::from((*int).digit))
    }
}

/// The header of an ndarray.
///
/// # Safety
/// `array` is an exact ndarray.
pub unsafe fn array_header<'a>(array: *mut PyObject) -> &'a ArrayHeader {
    // SAFETY: as promised by the caller.
    unsafe { &*array.cast::<ArrayHeader>() }
}

/// Whether lists, tuples, strings and floats are laid out as this file believes.
pub fn self_check() -> bool {
    // SAFETY: all objects are made here, checked for null, and released once.
    unsafe {
        let list = ffi::PyList_New(2);
        let tuple = ffi::PyTuple_New(1);
        let float = ffi::PyFloat_FromDouble(1.25);
        let bytes = ffi::PyBytes_FromStringAndSize(c"abcde".as_ptr(), 5);
        let text = ffi::PyUnicode_FromString(c"\u{e4}bc".as_ptr());
        let dict = ffi::PyDict_New();
        if dict.is_null() {
            return false;
        }
        let view = ffi::PyObject_CallMethod(dict, c"items".as_ptr(), std::ptr::null());
        let made = [list, tuple, float, bytes, text, dict, view];
        if made.contains(&std::ptr::null_mut()) {
            return false;
        }
        ffi::Py_INCREF(float);
        ffi::Py_INCREF(float);
        ffi::PyList_SetItem(list, 0, float);
        ffi::PyList_SetItem(list, 1, ffi::PyLong_FromLong(7));
        ffi::PyTuple_SetItem(tuple, 0, float);
        let items = list_items(list);
        let good = items.len() == 2
            && items[0] == float
            && items[1] == ffi::PyList_GetItem(list, 1)
            && tuple_items(tuple) == [float]
            && payload::<f64>(float) == 1.25
            && payload::<*mut PyObject>(view) == dict
            && [list, tuple, bytes, text].map(|o| length(o)) == [2, 1, 5, 3];
        for object in made {
            ffi::Py_DECREF(object);
        }
        good
    }
}

/// Whether a class's version stands where it is believed to be: it appears with a look-up and goes with a change.
pub fn versions_work(py: Python<'_>) -> PyResult<bool> {
    let code = c"class probe:\n    a = 1\n";
    let scope = pyo3::types::PyDict::new(py);
    py.run(code, Some(&scope), None)?;
    let class = scope.as_any().get_item("probe")?;
    let tag = || {
        class.getattr("a").ok()?;
        // SAFETY: a live class.
        unsafe { version_tag(class.as_ptr().cast()) }
    };
    let first = tag();
    let unchanged = tag();
    class.setattr("a", 2)?;
    // SAFETY: as above.
    let changed = unsafe { version_tag(class.as_ptr().cast()) };
    Ok(first.is_some() && first == unchanged && changed != first && tag() != first)
}
