//! Keys of entries: what compiled code hands over, in a form that is equal where Python's keys are.

use nestwise_codegen::link::entries::Class;
use nestwise_codegen::link::host::CELL;
use nestwise_ir::model::entry::{Key, Part};
use nestwise_ir::model::texts;
use nestwise_ir::{Fragment, Prov, Scalar, Ty};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::objects::boxing;

/// The most items of a tuple that is a key.
pub const MOST_PARTS: usize = 4;

/// A key: equal to another one of as many parts exactly where Python's keys are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// One word a part; the rest is 0.
    pub parts: [u64; MOST_PARTS],
    /// The classes of the parts, two bits each.
    pub classes: u8,
}

/// How the key of an operation is made.
pub struct KeyForm {
    parts: Vec<Made>,
    is_tuple: bool,
}

enum Made {
    Cell(usize, Ty),
    Always(Class, u64),
}

impl KeyForm {
    /// The form of a fragment's key; `None` for keys of other types.
    pub fn of(fragment: &Fragment, key: &Key) -> Option<KeyForm> {
        if key.parts.len() > MOST_PARTS {
            return None;
        }
        let mut parts = Vec::with_capacity(key.parts.len());
        for part in &key.parts {
            parts.push(match part {
                Part::Scalar(at) => {
                    let ty = fragment.values.get(*at as usize)?.ty;
                    let held = !ty.repr.is_complex() && !matches!(ty.repr, Scalar::F32);
                    held.then_some(Made::Cell(*at as usize, ty))?
                }
                Part::Int(v) => Made::Always(Class::Whole, *v as u64),
                Part::Text(text) => Made::Always(Class::Text, texts::number(text).into()),
            });
        }
        Some(KeyForm {
            parts,
            is_tuple: key.is_tuple,
        })
    }

    /// The number of parts, and whether they are the items of a tuple: keys of other shapes are never equal.
    pub fn shape(&self) -> (usize, bool) {
        (self.parts.len(), self.is_tuple)
    }

    /// Leaves the key of these scalars in `key`, which is empty; false for a NaN, for a negative zero, and for an int beyond
    /// 64 bits.
    ///
    /// # Safety
    /// Each cell holds a value of its type.
    pub unsafe fn key(&self, cells: *const u8, key: &mut Words) -> bool {
        for (k, part) in self.parts.iter().enumerate() {
            let (class, word) = match part {
                Made::Cell(at, ty) => {
                    // SAFETY: as promised by the caller.
                    let word = unsafe { word(ty.repr, cells.add(CELL * at)) };
                    match ty.repr {
                        Scalar::I64 => (Class::Whole, word),
                        repr => match classed(repr, word) {
                            Some(found) => found,
                            None => return false,
                        },
                    }
                }
                Made::Always(class, word) => (*class, *word),
            };
            key.parts[k] = word;
            key.classes |= (class as u8) << (2 * k);
        }
        true
    }

    /// The object of a key that was made by this form; null, with an exception set, where there is no memory.
    pub fn object(&self, py: Python<'_>, key: &Words) -> *mut PyObject {
        let part = |k: usize| {
            let word = key.parts[k];
            let (class, ty) = match &self.parts[k] {
                Made::Cell(_, ty) => (None, *ty),
                Made::Always(class, _) => (Some(*class), Ty::PY_INT),
            };
            if class == Some(Class::Text) {
                return boxed(py, Ty::CHAR, word);
            }
            let fraction = key.classes >> (2 * k) & 3 == Class::Fraction as u8;
            match ty.repr {
                Scalar::F64 if !fraction => boxed(py, ty, (word as i64 as f64).to_bits()),
                _ => boxed(py, ty, word),
            }
        };
        if !self.is_tuple {
            return part(0);
        }
        // SAFETY: a new tuple takes over the items.
        unsafe {
            let tuple = ffi::PyTuple_New(self.parts.len() as isize);
            if tuple.is_null() {
                return tuple;
            }
            for k in 0..self.parts.len() {
                let item = part(k);
                if item.is_null() {
                    ffi::Py_DECREF(tuple);
                    return std::ptr::null_mut();
                }
                ffi::PyTuple_SetItem(tuple, k as isize, item);
            }
            tuple
        }
    }
}

/// A new object for a scalar in a word.
pub fn boxed(py: Python<'_>, ty: Ty, word: u64) -> *mut PyObject {
    let mut cell = [0_u64; 2];
    // SAFETY: room for a scalar; what `put` leaves is a value of the type.
    unsafe {
        let cell = cell.as_mut_ptr().cast();
        put(ty.repr, word, cell);
        boxing::boxed(py, ty, cell, ty.prov == Prov::Np)
    }
}

/// The class and the word of a scalar in a key; `None` for what is in no key.
fn classed(repr: Scalar, word: u64) -> Option<(Class, u64)> {
    match repr {
        Scalar::Char => Some((Class::Text, word)),
        Scalar::U64 => i64::try_from(word).ok().map(|v| (Class::Whole, v as u64)),
        Scalar::F64 => {
            let value = f64::from_bits(word);
            if value.is_nan() || word == (-0.0_f64).to_bits() {
                return None;
            }
            let fits = value.abs() < 9_223_372_036_854_775_808.0;
            match fits && value.trunc() == value {
                true => Some((Class::Whole, value as i64 as u64)),
                false => Some((Class::Fraction, word)),
            }
        }
        _ => Some((Class::Whole, word)),
    }
}

/// A scalar of at most 8 bytes as a word: ints with their sign, floats as their bits.
///
/// # Safety
/// The cell holds a value of this representation.
pub unsafe fn word(repr: Scalar, cell: *const u8) -> u64 {
    // SAFETY: as promised by the caller.
    unsafe {
        match repr {
            Scalar::Bool | Scalar::U8 => u64::from(*cell),
            Scalar::I8 => *cell.cast::<i8>() as i64 as u64,
            Scalar::I16 => *cell.cast::<i16>() as i64 as u64,
            Scalar::I32 => *cell.cast::<i32>() as i64 as u64,
            Scalar::U16 => u64::from(*cell.cast::<u16>()),
            Scalar::U32 | Scalar::Char | Scalar::F32 => u64::from(*cell.cast::<u32>()),
            _ => *cell.cast(),
        }
    }
}

/// Leaves the scalar that a word holds in a cell.
///
/// # Safety
/// There is room for a value of this representation, of at most 8 bytes.
pub unsafe fn put(repr: Scalar, word: u64, cell: *mut u8) {
    // SAFETY: as promised by the caller; the first bytes of a word are those of a narrower int.
    unsafe {
        let bytes = word.to_le_bytes();
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), cell, repr.size().min(8));
    }
}
