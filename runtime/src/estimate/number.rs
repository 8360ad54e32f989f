//! Arithmetic on what is followed through a few iterations: about what a kernel would compute, for guesses. A result is
//! unknown where a guard would fail, or that needs more than 64 bits.

use std::cmp::Ordering;

use nestwise_ir::model::nest::{Cast, Const};
use nestwise_ir::{BinOp, CmpOp, Fun, Scalar, UnOp};

use crate::value::Value;

/// A number; a bool is 0 or 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
    Complex(f64, f64),
}

use Number::{Complex, Float, Int};

impl Number {
    pub fn constant(c: Const) -> Option<Number> {
        match c {
            Const::Bool(b) => Some(Int(b.into())),
            Const::Int(v) => i64::try_from(v).ok().map(Int),
            Const::Float(v) => Some(Float(v)),
            Const::Complex(re, im) => Some(Complex(re, im)),
        }
    }

    /// The number that a captured value is, if it is one.
    pub fn of(value: &Value) -> Option<Number> {
        match value {
            Value::Int(v) => Some(Int(*v)),
            Value::Bool(v) => Some(Int((*v).into())),
            Value::Float(v) => Some(Float(*v)),
            Value::Complex(re, im) => Some(Complex(*re, *im)),
            _ => None,
        }
    }

    pub fn int(self) -> Option<i64> {
        match self {
            Int(v) => Some(v),
            _ => None,
        }
    }

    pub fn float(self) -> Option<f64> {
        match self {
            Int(v) => Some(v as f64),
            Float(v) => Some(v),
            Complex(..) => None,
        }
    }

    fn parts(self) -> (f64, f64) {
        match self {
            Int(v) => (v as f64, 0.0),
            Float(v) => (v, 0.0),
            Complex(re, im) => (re, im),
        }
    }

    pub fn is_true(self) -> bool {
        self.parts() != (0.0, 0.0)
    }

    pub fn unary(self, op: UnOp, repr: Scalar) -> Option<Number> {
        Some(match (op, self) {
            (UnOp::Neg, Int(v)) => Int(v.checked_neg()?),
            (UnOp::Neg, Float(v)) => Float(-v),
            (UnOp::Neg, Complex(re, im)) => Complex(-re, -im),
            (UnOp::Invert, Int(v)) if repr == Scalar::Bool => Int(1 - v),
            (UnOp::Invert, Int(v)) => Int(!v),
            (UnOp::Not, v) => Int((!v.is_true()).into()),
            (UnOp::Abs, Int(v)) => Int(v.checked_abs()?),
            (UnOp::Abs, Float(v)) => Float(v.abs()),
            (UnOp::Abs, Complex(re, im)) => Float(re.hypot(im)),
            (UnOp::Real, v) => Float(v.parts().0),
            (UnOp::Imag, v) => Float(v.parts().1),
            (UnOp::Conj, v) => Complex(v.parts().0, -v.parts().1),
            (UnOp::Invert, _) => return None,
        })
    }

    pub fn binary(op: BinOp, a: Number, b: Number) -> Option<Number> {
        match (a, b) {
            (Int(a), Int(b)) => ints(op, a, b),
            (Complex(..), _) | (_, Complex(..)) => complex(op, a.parts(), b.parts()),
            _ => floats(op, a.float()?, b.float()?),
        }
    }

    pub fn compare(op: CmpOp, a: Number, b: Number) -> bool {
        let order = match (a, b) {
            (Int(a), Int(b)) => Some(a.cmp(&b)),
            _ if a.parts().1 == b.parts().1 => a.parts().0.partial_cmp(&b.parts().0),
            _ => None,
        };
        match op {
            CmpOp::Eq => order == Some(Ordering::Equal),
            CmpOp::Ne => order != Some(Ordering::Equal),
            CmpOp::Lt => order == Some(Ordering::Less),
            CmpOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            CmpOp::Gt => order == Some(Ordering::Greater),
            CmpOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }

    pub fn cast(self, kind: Cast, to: Scalar) -> Option<Number> {
        Some(match kind {
            Cast::Truth => Int(self.is_true().into()),
            Cast::Trunc => {
                let v = self.float()?.trunc();
                (v.abs() < 9e18).then_some(Int(v as i64))?
            }
            Cast::Ord => self,
            Cast::Value | Cast::Round if to.is_complex() => {
                let (re, im) = self.parts();
                Complex(re, im)
            }
            Cast::Value | Cast::Round if to.is_float() => Float(self.float()?),
            Cast::Value | Cast::Round => self,
        })
    }

    pub fn call(fun: Fun, args: &[Number]) -> Option<Number> {
        let x = args.first()?;
        if let (Fun::Pair, [re, im]) = (fun, args) {
            return Some(Complex(re.float()?, im.float()?));
        }
        let x = x.float()?;
        let y = || args.get(1)?.float();
        let truth = |b: bool| Some(Int(b.into()));
        let value = match fun {
            Fun::IsNan => return truth(x.is_nan()),
            Fun::IsInf => return truth(x.is_infinite()),
            Fun::IsFinite => return truth(x.is_finite()),
            Fun::Sqrt => x.sqrt(),
            Fun::Fabs => x.abs(),
            Fun::Floor => x.floor(),
            Fun::Ceil => x.ceil(),
            Fun::Trunc => x.trunc(),
            Fun::Rint => x.round_ties_even(),
            Fun::Exp => x.exp(),
            Fun::Log => x.ln(),
            Fun::Log2 => x.log2(),
            Fun::Log10 => x.log10(),
            Fun::Sin => x.sin(),
            Fun::Cos => x.cos(),
            Fun::Tan => x.tan(),
            Fun::Atan => x.atan(),
            Fun::Tanh => x.tanh(),
            Fun::Atan2 => x.atan2(y()?),
            Fun::Hypot => x.hypot(y()?),
            Fun::Fmod => x % y()?,
            Fun::Copysign => x.copysign(y()?),
            Fun::Pow => x.powf(y()?),
            _ => return None,
        };
        Some(Float(value))
    }
}

fn ints(op: BinOp, a: i64, b: i64) -> Option<Number> {
    let floor = |a: i64, b: i64| {
        let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
        let below = r != 0 && (r < 0) != (b < 0);
        Some((q - i64::from(below), if below { r + b } else { r }))
    };
    let value = match op {
        BinOp::Add => a.checked_add(b)?,
        BinOp::Sub => a.checked_sub(b)?,
        BinOp::Mul => a.checked_mul(b)?,
        BinOp::Div => return floats(op, a as f64, b as f64),
        BinOp::FloorDiv => floor(a, b)?.0,
        BinOp::Mod => floor(a, b)?.1,
        BinOp::Pow => a.checked_pow(u32::try_from(b).ok()?)?,
        BinOp::Shl => {
            let shifted = a.checked_shl(u32::try_from(b).ok()?)?;
            (shifted >> b == a).then_some(shifted)?
        }
        BinOp::Shr => a >> u32::try_from(b).ok()?.min(63),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
    };
    Some(Int(value))
}

fn floats(op: BinOp, a: f64, b: f64) -> Option<Number> {
    let nonzero = |v: f64| (b != 0.0).then_some(v);
    let value = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => nonzero(a / b)?,
        BinOp::FloorDiv => nonzero((a / b).floor())?,
        BinOp::Mod => nonzero(a - (a / b).floor() * b)?,
        BinOp::Pow => a.powf(b),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor => return None,
    };
    Some(Float(value))
}

fn complex(op: BinOp, (a, b): (f64, f64), (c, d): (f64, f64)) -> Option<Number> {
    Some(match op {
        BinOp::Add => Complex(a + c, b + d),
        BinOp::Sub => Complex(a - c, b - d),
        BinOp::Mul => Complex(a * c - b * d, a * d + b * c),
        BinOp::Div => {
            let size = c * c + d * d;
            (size != 0.0).then_some(Complex((a * c + b * d) / size, (b * c - a * d) / size))?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ints_are_pythons_and_end_where_64_bits_do() {
        assert_eq!(ints(BinOp::FloorDiv, -7, 2), Some(Int(-4)));
        assert_eq!(ints(BinOp::Mod, -7, 2), Some(Int(1)));
        assert_eq!(ints(BinOp::Mod, 7, -2), Some(Int(-1)));
        assert_eq!(ints(BinOp::Mod, 7, 0), None);
        assert_eq!(ints(BinOp::FloorDiv, i64::MIN, -1), None);
        assert_eq!(ints(BinOp::Shl, 1, 62), Some(Int(1 << 62)));
        assert_eq!(ints(BinOp::Shl, 1, 63), None);
        assert_eq!(ints(BinOp::Shl, 1, -1), None);
        assert_eq!(ints(BinOp::Shr, -5, 200), Some(Int(-1)));
        assert_eq!(ints(BinOp::Mul, i64::MAX, 2), None);
    }

    #[test]
    fn kinds_mix_as_python_mixes_them() {
        let sum = Number::binary(BinOp::Add, Int(2), Float(0.5));
        assert_eq!(sum, Some(Float(2.5)));
        let product = Number::binary(BinOp::Mul, Complex(0.0, 1.0), Complex(0.0, 1.0));
        assert_eq!(product, Some(Complex(-1.0, 0.0)));
        assert!(Number::compare(CmpOp::Lt, Int(2), Float(2.5)));
        assert!(!Number::compare(
            CmpOp::Eq,
            Float(f64::NAN),
            Float(f64::NAN)
        ));
        assert!(Number::compare(CmpOp::Ne, Float(f64::NAN), Float(f64::NAN)));
        assert_eq!(
            Complex(3.0, 4.0).unary(UnOp::Abs, Scalar::F64),
            Some(Float(5.0))
        );
        assert_eq!(Float(-2.5).cast(Cast::Trunc, Scalar::I64), Some(Int(-2)));
        assert_eq!(Float(f64::NAN).cast(Cast::Trunc, Scalar::I64), None);
    }
}
