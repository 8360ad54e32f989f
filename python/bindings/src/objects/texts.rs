//! Texts that nests know by their numbers: see `nestwise_ir::model::texts`.
//!
//! Every text that a nest has met keeps its number for as long as the process lives.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use nestwise_ir::model::texts::{LAST_CHARACTER, next, number};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The most texts that have numbers: lists with more are left to CPython.
const MOST: usize = 1 << 20;

struct Table {
    /// The text of each number behind the code points.
    texts: HashMap<u32, Py<PyAny>>,
    /// The number of each text, as an int.
    numbers: Py<PyDict>,
}

/// The lock is never held while Python runs code of the program's: texts are exact `str` objects.
static TABLE: Mutex<Option<Table>> = Mutex::new(None);

fn table(py: Python<'_>) -> MutexGuard<'static, Option<Table>> {
    let mut table = TABLE.lock().unwrap_or_else(|e| e.into_inner());
    table.get_or_insert_with(|| Table {
        texts: HashMap::new(),
        numbers: PyDict::new(py).unbind(),
    });
    table
}

/// Forgets all texts.
pub fn let_go() {
    let all = TABLE.lock().unwrap_or_else(|e| e.into_inner()).take();
    drop(all);
}

/// The code point of a text of one character; `None` for other texts, and for a lone surrogate, which is none.
///
/// # Safety
/// `object` is an exact `str`, alive.
unsafe fn character(object: *mut PyObject) -> Option<u32> {
    // SAFETY: as promised by the caller; there is a first character.
    unsafe {
        let one = ffi::PyUnicode_GetLength(object) == 1;
        let code = one.then(|| ffi::PyUnicode_ReadChar(object, 0))?;
        char::from_u32(code).map(u32::from)
    }
}

/// Whether an object is an exact `str`.
///
/// # Safety
/// `object` is alive.
pub unsafe fn is_text(object: *mut PyObject) -> bool {
    // SAFETY: as promised by the caller.
    unsafe { ffi::Py_TYPE(object) == &raw mut ffi::PyUnicode_Type }
}

/// Texts, whose numbers are asked for one after the other.
pub struct Texts<'py> {
    py: Python<'py>,
    table: MutexGuard<'static, Option<Table>>,
}

impl<'py> Texts<'py> {
    /// All texts of the process.
    pub fn new(py: Python<'py>) -> Texts<'py> {
        let table = table(py);
        Texts { py, table }
    }

    /// The number of an object, which a new text gets; `None` if the object is no `str`, or holds lone surrogates, or
    /// there are too many texts.
    ///
    /// # Safety
    /// `object` is alive; the GIL is held.
    pub unsafe fn number_of(&mut self, object: *mut PyObject) -> Option<u32> {
        let table = self.table.as_mut()?;
        // SAFETY: as promised by the caller; the type is looked at first, and hashing a text runs no code of the
        // program's.
        unsafe {
            if !is_text(object) {
                return None;
            }
            if let Some(code) = character(object) {
                return Some(code);
            }
            let known = ffi::PyDict_GetItemWithError(table.numbers.as_ptr(), object);
            if !known.is_null() {
                return u32::try_from(ffi::PyLong_AsUnsignedLong(known)).ok();
            }
            ffi::PyErr_Clear();
            let text = Bound::from_borrowed_ptr(self.py, object);
            let text = text.cast_into::<PyString>().ok()?;
            let wanted = number(text.to_str().ok()?);
            table.add(self.py, &text, wanted)
        }
    }
}

impl Table {
    /// Gives a new text the first free number from `wanted` on.
    fn add(&mut self, py: Python<'_>, text: &Bound<'_, PyString>, wanted: u32) -> Option<u32> {
        if self.texts.len() >= MOST {
            return None;
        }
        let mut number = wanted;
        while self.texts.contains_key(&number) {
            number = next(number);
        }
        self.numbers.bind(py).set_item(text, number).ok()?;
        self.texts.insert(number, text.clone().into_any().unbind());
        Some(number)
    }
}

/// Makes sure that a text in the program has the number that compiled code knows it by; false if another text has it.
pub fn has_its_number(py: Python<'_>, text: &str) -> bool {
    let wanted = number(text);
    if wanted <= LAST_CHARACTER {
        return true;
    }
    let mut table = table(py);
    let Some(table) = table.as_mut() else {
        return false;
    };
    let object = PyString::new(py, text);
    let known = table.numbers.bind(py).get_item(&object).ok().flatten();
    match known {
        Some(known) => known.extract::<u32>().is_ok_and(|known| known == wanted),
        None if table.texts.contains_key(&wanted) => false,
        None => table.add(py, &object, wanted) == Some(wanted),
    }
}

/// The text with this number, which a text of the process has, as a new reference; null where none has.
pub fn text(py: Python<'_>, number: u32) -> *mut PyObject {
    if let Some(character) = char::from_u32(number) {
        return PyString::new(py, character.encode_utf8(&mut [0; 4]))
            .into_any()
            .into_ptr();
    }
    let table = table(py);
    let known = table.as_ref().and_then(|table| table.texts.get(&number));
    known.map_or(std::ptr::null_mut(), |text| text.clone_ref(py).into_ptr())
}
