//! Values of entries, in two registers.

use nestwise_codegen::link::entries;
use nestwise_codegen::link::host::keeping_flags;
use nestwise_ir::model::entry::Update;
use nestwise_ir::{Prov, Scalar, Ty};
use nestwise_runtime::Value as Native;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use crate::bind::classify;
use crate::objects::numpy;
use crate::objects::texts::Texts;

/// The value of an entry, as a [`Head`](nestwise_codegen::link::entries::Head) has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// What the value is.
    pub code: u32,
    /// A scalar's bits.
    pub word: u64,
}

const PROVENANCES: [Prov; 3] = [Prov::Py, Prov::Np, Prov::Dyn];

impl Value {
    /// There is no such entry.
    pub const MISSING: Value = Value {
        code: entries::MISSING,
        word: 0,
    };
    /// Anything but a scalar: the container alone holds it.
    pub const OBJECT: Value = Value {
        code: entries::OBJECT,
        word: 0,
    };

    /// A scalar of this type, in a word.
    pub const fn scalar(ty: Ty, word: u64) -> Value {
        let code = entries::code(ty);
        Value { code, word }
    }

    /// The type of a scalar.
    pub fn ty(self) -> Option<Ty> {
        let at = entries::place(self.code)?;
        let prov = *PROVENANCES.get(at / Scalar::ALL.len())?;
        let repr = Scalar::ALL[at % Scalar::ALL.len()];
        Some(Ty { prov, repr })
    }

    /// Whether the value is a scalar of this type.
    pub fn is(self, ty: Ty) -> bool {
        self.code == entries::code(ty)
    }
}

/// Whether a cache holds scalars of this type.
pub fn is_held(ty: Ty) -> bool {
    ty.repr.size() <= 8 && !matches!(ty.repr, Scalar::C64 | Scalar::Num)
}

/// What a launch holds of an object.
///
/// # Safety
/// `object` is alive.
pub unsafe fn held(py: Python<'_>, object: *mut PyObject) -> Value {
    // SAFETY: as promised by the caller.
    let Some((word, value)) = (unsafe { classify::number(numpy::numpy(py), object) }) else {
        // SAFETY: the same.
        let text = unsafe { Texts::new(py).number_of(object) };
        return text.map_or(Value::OBJECT, |number| {
            Value::scalar(Ty::CHAR, number.into())
        });
    };
    let Some(ty) = classify::scalar_type(word).filter(|ty| is_held(*ty)) else {
        return Value::OBJECT;
    };
    let word = match value {
        Native::Int(v) => v as u64,
        Native::Uint(v) => v,
        Native::Bool(v) => u64::from(v),
        Native::Float(v) if ty.repr == Scalar::F64 => v.to_bits(),
        _ => return Value::OBJECT,
    };
    Value::scalar(ty, word)
}

/// The value of `before op= operand`, as Python or NumPy computes it; missing where it is no number that the cache holds,
/// or a warning is due.
pub fn updated(update: Update, before: Value, operand: Value) -> Value {
    let (Some(a), Some(b)) = (before.ty(), operand.ty()) else {
        return Value::MISSING;
    };
    let (x, y) = (before.word, operand.word);
    let is_int = |ty: Ty| ty.repr == Scalar::I64 || ty == Ty::PY_BOOL;
    let prov = match a.prov == Prov::Np || b.prov == Prov::Np {
        true => Prov::Np,
        false => Prov::Py,
    };
    if is_int(a) && is_int(b) {
        let (x, y) = (x as i64, y as i64);
        let result = match update {
            Update::Add => x.checked_add(y),
            Update::Sub => x.checked_sub(y),
            Update::Mul => x.checked_mul(y),
        };
        let ty = Ty { prov, ..Ty::PY_INT };
        return result.map_or(Value::MISSING, |v| Value::scalar(ty, v as u64));
    }
    let float = |ty: Ty, word: u64| match ty.repr {
        Scalar::F64 => Some(f64::from_bits(word)),
        _ if is_int(ty) => Some(word as i64 as f64),
        _ => None,
    };
    let (Some(x), Some(y)) = (float(a, x), float(b, y)) else {
        return Value::MISSING;
    };
    let result = keeping_flags(|| match update {
        Update::Add => x + y,
        Update::Sub => x - y,
        Update::Mul => x * y,
    });
    // NumPy warns of an overflow, and of an invalid operation.
    if prov == Prov::Np && !(result.is_finite() && x.is_finite() && y.is_finite()) {
        return Value::MISSING;
    }
    let ty = Ty {
        prov,
        ..Ty::PY_FLOAT
    };
    Value::scalar(ty, result.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_type() {
        for repr in Scalar::ALL {
            for prov in PROVENANCES {
                let ty = Ty { prov, repr };
                let value = Value::scalar(ty, 7);
                assert_eq!(value.ty(), Some(ty));
                assert!(value.is(ty));
            }
        }
        let others = [Value::MISSING, Value::OBJECT];
        assert!(others.iter().all(|v| v.ty().is_none()));
    }
}
