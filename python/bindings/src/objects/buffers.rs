//! Flat sequences that are used in place or copied whole: `array.array`, `bytes`, `bytearray`, `str`.

use nestwise_ir::{ArrayKind, Scalar};
use nestwise_runtime::{ArrayView, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::intern;
use pyo3::prelude::*;

use crate::objects::modules;
use crate::process::once::Once;

/// A flat sequence.
pub struct Flat {
    /// The kind of the sequence.
    pub kind: ArrayKind,
    /// The representation of the elements.
    pub storage: Scalar,
    /// Whether elements may be stored.
    pub writable: bool,
    /// The view of the elements, or for `str` the length (its code points are copied when a kernel needs them).
    pub value: Value,
}

/// Recognises a flat sequence; `None` for any other object.
pub fn view(py: Python<'_>, object: *mut PyObject) -> Option<Flat> {
    // SAFETY: a live object whose exact type is checked before its contents are asked for.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyUnicode_Type {
            let length = ffi::PyUnicode_GetLength(object) as i64;
            let value = Value::Sequence {
                rank: 1,
                extents: first(length),
            };
            return Some(Flat {
                kind: ArrayKind::Str,
                storage: Scalar::Char,
                writable: false,
                value,
            });
        }
        if ty == &raw mut ffi::PyBytes_Type {
            let data = ffi::PyBytes_AsString(object).cast::<u8>();
            let value = Value::Array(flat(data, ffi::PyBytes_Size(object) as i64, 1));
            return Some(Flat {
                kind: ArrayKind::Bytes,
                storage: Scalar::U8,
                writable: false,
                value,
            });
        }
        if ty == &raw mut ffi::PyByteArray_Type {
            let data = ffi::PyByteArray_AsString(object).cast::<u8>();
            let value = Value::Array(flat(data, ffi::PyByteArray_Size(object) as i64, 1));
            return Some(Flat {
                kind: ArrayKind::Bytes,
                storage: Scalar::U8,
                writable: true,
                value,
            });
        }
        if Some(ty) == array_type(py) {
            return array_array(&Bound::from_borrowed_ptr(py, object)).ok();
        }
        None
    }
}

/// The code points of a `str`; `None` if it holds lone surrogates.
pub fn code_points(object: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
    let text: String = object.extract().ok()?;
    Some(text.chars().map(u32::from).collect())
}

fn array_type(py: Python<'_>) -> Option<*mut ffi::PyTypeObject> {
    static TYPE: Once<Py<PyAny>> = Once::new();
    // Until the program has imported `array`, nothing can be one.
    let find = || {
        let module = modules::imported(py, intern!(py, "array")).ok_or(())?;
        module.getattr("array").map(Bound::unbind).map_err(drop)
    };
    Some(TYPE.get_or_try_init(find).ok()?.as_ptr().cast())
}

fn array_array(object: &Bound<'_, PyAny>) -> PyResult<Flat> {
    let (address, length): (usize, i64) = object.call_method0("buffer_info")?.extract()?;
    let code: char = object.getattr("typecode")?.extract()?;
    let storage = match code {
        'b' => Scalar::I8,
        'B' => Scalar::U8,
        'h' => Scalar::I16,
        'H' => Scalar::U16,
        'i' => Scalar::I32,
        'I' => Scalar::U32,
        'l' | 'q' => Scalar::I64,
        'f' => Scalar::F32,
        'd' => Scalar::F64,
        _ => return Err(pyo3::exceptions::PyTypeError::new_err("type code")),
    };
    let value = Value::Array(flat(address as *mut u8, length, storage.size() as i64));
    Ok(Flat {
        kind: ArrayKind::ArrayArray,
        storage,
        writable: true,
        value,
    })
}

fn first(length: i64) -> [i64; 8] {
    let mut extents = [0; 8];
    extents[0] = length;
    extents
}

fn flat(ptr: *mut u8, length: i64, size: i64) -> ArrayView {
    ArrayView {
        ptr,
        tags: std::ptr::null_mut(),
        rank: 1,
        extents: first(length),
        strides: first(size),
        size,
    }
}

/// The code point of a `str` of one character; `None` for any other object.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn character(object: *mut PyObject) -> Option<u32> {
    // SAFETY: an exact `str` with a first character.
    unsafe {
        let exact = ffi::Py_TYPE(object) == &raw mut ffi::PyUnicode_Type;
        if !exact || ffi::PyUnicode_GetLength(object) != 1 {
            return None;
        }
        char::from_u32(ffi::PyUnicode_ReadChar(object, 0)).map(u32::from)
    }
}
