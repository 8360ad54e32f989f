//! Values of entries, in two registers.

use nestwise_codegen::link::entries;
use nestwise_ir::{Prov, Scalar, Ty};
use nestwise_runtime::Value as Native;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

use crate::bind::classify;
use crate::objects::numpy;

/// The value of an entry, as a [`Head`](nestwise_codegen::link::entries::Head) has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// What the value is.
    pub code: u32,
    /// A scalar's bits, or the number of a text.
    pub word: u64,
}

const PROVENANCES: [Prov; 3] = [Prov::Py, Prov::Np, Prov::Dyn];

impl Value {
    /// There is no such entry.
    pub const MISSING: Value = Value {
        code: entries::MISSING,
        word: 0,
    };
    /// Anything but a scalar or a text of the launch: the container alone holds it.
    pub const OBJECT: Value = Value {
        code: entries::OBJECT,
        word: 0,
    };

    /// A scalar of this type, in a word.
    pub const fn scalar(ty: Ty, word: u64) -> Value {
        let code = entries::code(ty);
        Value { code, word }
    }

    /// A text of the launch's fragments.
    pub const fn text_of(at: u32) -> Value {
        let (code, word) = (entries::TEXT, at as u64);
        Value { code, word }
    }

    /// The type of a scalar.
    pub fn ty(self) -> Option<Ty> {
        let at = entries::place(self.code)?;
        let prov = *PROVENANCES.get(at / Scalar::ALL.len())?;
        let repr = Scalar::ALL[at % Scalar::ALL.len()];
        Some(Ty { prov, repr })
    }

    /// The number of a text.
    pub fn text(self) -> Option<u32> {
        (self.code == entries::TEXT).then_some(self.word as u32)
    }

    /// Whether the value is a scalar of this type.
    pub fn is(self, ty: Ty) -> bool {
        self.code == entries::code(ty)
    }
}

/// Whether a cache holds scalars of this type.
pub fn is_held(ty: Ty) -> bool {
    ty.repr.size() <= 8 && !matches!(ty.repr, Scalar::C64 | Scalar::Num | Scalar::Char)
}

/// What a launch holds of an object.
///
/// # Safety
/// `object` is alive.
pub unsafe fn held(py: Python<'_>, object: *mut PyObject) -> Value {
    // SAFETY: as promised by the caller.
    let Some((word, value)) = (unsafe { classify::number(numpy::numpy(py), object) }) else {
        return Value::OBJECT;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_type() {
        for repr in Scalar::ALL {
            for prov in PROVENANCES {
                let ty = Ty { prov, repr };
                let value = Value::scalar(ty, 7);
                assert_eq!((value.ty(), value.text()), (Some(ty), None));
                assert!(value.is(ty));
            }
        }
        let others = [Value::MISSING, Value::OBJECT, Value::text_of(3)];
        assert!(others.iter().all(|v| v.ty().is_none()));
        assert_eq!(Value::text_of(3).text(), Some(3));
    }
}
