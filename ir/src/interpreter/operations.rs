//! Operations on single values.

use crate::interpreter::{Step, Value as V, failed};
use crate::model::nest::Expr;
use crate::model::ops::{BinOp, Cast, CmpOp, Fun, UnOp};
use crate::model::types::{Prov, Scalar};

fn wrap_range(repr: Scalar) -> (i128, i128) {
    repr.int_range().expect("an int")
}

/// Whether an integer representation (or bool) holds the value.
///
/// # Panics
/// If the representation is not one of integers or bools.
pub fn fits(repr: Scalar, v: i128) -> bool {
    let (lo, hi) = wrap_range(repr);
    lo <= v && v <= hi
}

/// The remainder as CPython's `float_rem` computes it.
fn float_mod(a: f64, b: f64) -> f64 {
    let m = a % b;
    if m != 0.0 {
        if (b < 0.0) != (m < 0.0) { m + b } else { m }
    } else {
        0.0f64.copysign(b)
    }
}

macro_rules! floor_div {
    ($name:ident, $ty:ty) => {
        /// The quotient as CPython's `float_floor_div` computes it.
        fn $name(a: $ty, b: $ty) -> $ty {
            let m = a % b;
            let mut div = (a - m) / b;
            if m != 0.0 && (b < 0.0) != (m < 0.0) {
                div -= 1.0;
            }
            if div != 0.0 {
                let f = div.floor();
                if div - f > 0.5 { f + 1.0 } else { f }
            } else {
                (0.0 as $ty).copysign(a / b)
            }
        }
    };
}
floor_div!(float_floor_div, f64);
floor_div!(float_floor_div_f32, f32);

fn round_to(repr: Scalar, v: f64) -> f64 {
    if repr == Scalar::F32 {
        f64::from(v as f32)
    } else {
        v
    }
}

pub(super) fn unary<'a>(op: UnOp, v: V, e: &'a Expr, guard: bool) -> Step<'a, V> {
    let repr = e.ty.repr;
    Ok(match (op, v) {
        (UnOp::Neg, V::Int(i)) => int(i.checked_neg(), repr, e, guard)?,
        (UnOp::Neg, V::Float(f)) => V::Float(-f),
        (UnOp::Neg, V::Complex(re, im)) => V::Complex(-re, -im),
        (UnOp::Neg, V::Num(f, true)) => V::Num(0.0 - f, true),
        (UnOp::Neg, V::Num(f, false)) => V::Num(-f, false),
        (UnOp::Invert, V::Int(i)) if repr.is_unsigned() => V::Int(wrap_range(repr).1 - i),
        (UnOp::Invert, V::Int(i)) => V::Int(!i),
        (UnOp::Not | UnOp::Invert, V::Bool(b)) => V::Bool(!b),
        (UnOp::Abs, V::Int(i)) => int(i.checked_abs(), repr, e, guard)?,
        (UnOp::Abs, V::Float(f)) => V::Float(f.abs()),
        (UnOp::Abs, V::Num(f, tag)) => V::Num(f.abs(), tag),
        (UnOp::Abs, V::Complex(re, im)) => V::Float(re.hypot(im)),
        (UnOp::Real, V::Complex(re, _)) => V::Float(re),
        (UnOp::Imag, V::Complex(_, im)) => V::Float(im),
        _ => panic!("{e}: {v:?}"),
    })
}

/// The value of an exact result; without one, or if the representation does not hold it, the operation fails or wraps.
fn int<'a>(v: Option<i128>, repr: Scalar, e: &'a Expr, guard: bool) -> Step<'a, V> {
    match v {
        Some(v) if fits(repr, v) => Ok(V::Int(v)),
        _ => failed(guard, e, "an int that leaves its representation"),
    }
}

pub(super) fn binary<'a>(op: BinOp, x: V, y: V, e: &'a Expr, guard: bool) -> Step<'a, V> {
    let repr = e.ty.repr;
    match (x, y) {
        (V::Bool(a), V::Bool(b)) => Ok(V::Bool(match op {
            BinOp::Add | BinOp::Or => a || b,
            BinOp::Mul | BinOp::And => a && b,
            BinOp::Xor => a != b,
            _ => panic!("{e}"),
        })),
        (V::Int(a), V::Int(b)) => int_binary(op, a, b, e, guard),
        (V::Float(a), V::Float(b)) => {
            let v = float_binary(op, a, b, e, guard)?;
            let v = round_to(repr, v);
            // NumPy's warning, which the runtime finds in the sticky flags.
            let fine = |v: f64| v.is_finite();
            let moves = !matches!(op, BinOp::Min | BinOp::Max);
            if e.ty.prov != Prov::Py && moves && fine(a) && fine(b) && !fine(v) {
                return failed(true, e, "");
            }
            Ok(V::Float(v))
        }
        (V::Complex(a, b), V::Complex(c, d)) => Ok(match op {
            BinOp::Add => V::Complex(a + c, b + d),
            BinOp::Sub => V::Complex(a - c, b - d),
            BinOp::Mul => V::Complex(a * c - b * d, a * d + b * c),
            BinOp::Div => {
                if c == 0.0 && d == 0.0 {
                    return failed(guard, e, "a complex division by zero");
                }
                smith(a, b, c, d, e.ty.prov == Prov::Py)
            }
            _ => panic!("{e}"),
        }),
        (V::Num(a, i), V::Num(b, j)) => {
            let v = match op {
                BinOp::Add => a + b,
                BinOp::Sub => a - b,
                BinOp::Mul => a * b,
                _ => panic!("{e}"),
            };
            let int = i && j;
            if int && v.abs() > (1u64 << 53) as f64 {
                return failed(guard, e, "a number that no double holds exactly");
            }
            Ok(V::Num(if int { v + 0.0 } else { v }, int))
        }
        _ => panic!("{e}: {x:?} {y:?}"),
    }
}

/// The quotient of complex numbers by Smith's method, as CPython computes it, or with NumPy's reciprocal.
fn smith(a: f64, b: f64, c: f64, d: f64, python: bool) -> V {
    let over = |x: f64, denom: f64| if python { x / denom } else { x * (1.0 / denom) };
    if c.abs() >= d.abs() {
        let ratio = d / c;
        let denom = c + d * ratio;
        V::Complex(over(a + b * ratio, denom), over(b - a * ratio, denom))
    } else {
        let ratio = c / d;
        let denom = c * ratio + d;
        V::Complex(over(a * ratio + b, denom), over(b * ratio - a, denom))
    }
}

fn int_binary<'a>(op: BinOp, a: i128, b: i128, e: &'a Expr, guard: bool) -> Step<'a, V> {
    let repr = e.ty.repr;
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::FloorDiv | BinOp::Mod if b == 0 => None,
        BinOp::FloorDiv => {
            let q = a / b;
            Some(if a % b != 0 && ((a < 0) != (b < 0)) {
                q - 1
            } else {
                q
            })
        }
        BinOp::Mod => {
            let m = a % b;
            Some(if m != 0 && ((m < 0) != (b < 0)) {
                m + b
            } else {
                m
            })
        }
        BinOp::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        BinOp::Shl if !(0..i128::from(repr.bits().min(127))).contains(&b) => None,
        BinOp::Shl => a.checked_mul(1 << b),
        BinOp::Shr if b < 0 => None,
        BinOp::Shr => Some(a >> b.min(127)),
        BinOp::And => Some(a & b),
        BinOp::Or => Some(a | b),
        BinOp::Xor => Some(a ^ b),
        BinOp::Min => Some(a.min(b)),
        BinOp::Max => Some(a.max(b)),
        BinOp::Div => panic!("{e}"),
    };
    int(exact, repr, e, guard)
}

fn float_binary<'a>(op: BinOp, a: f64, b: f64, e: &'a Expr, guard: bool) -> Step<'a, f64> {
    Ok(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div | BinOp::FloorDiv | BinOp::Mod if b == 0.0 => {
            return failed(guard, e, "a float division by zero");
        }
        BinOp::Div => a / b,
        BinOp::FloorDiv if e.ty.repr == Scalar::F32 => {
            f64::from(float_floor_div_f32(a as f32, b as f32))
        }
        BinOp::FloorDiv => float_floor_div(a, b),
        BinOp::Mod => float_mod(a, b),
        BinOp::Pow => {
            let v = if e.ty.repr == Scalar::F32 {
                f64::from((a as f32).powf(b as f32))
            } else {
                a.powf(b)
            };
            let finite = a.is_finite() && b.is_finite();
            if finite && !v.is_finite() || (a < 0.0 && b.fract() != 0.0) {
                return failed(guard, e, "a power without a result");
            }
            v
        }
        // NumPy's: NaN propagates.
        BinOp::Min => {
            if a.is_nan() || a < b {
                a
            } else {
                b
            }
        }
        BinOp::Max => {
            if a.is_nan() || a > b {
                a
            } else {
                b
            }
        }
        _ => panic!("{e}"),
    })
}

pub(super) fn compare(op: CmpOp, x: V, y: V) -> bool {
    let ordering = match (x, y) {
        (V::Bool(a), V::Bool(b)) => Some(a.cmp(&b)),
        (V::Int(a), V::Int(b)) => Some(a.cmp(&b)),
        (V::Float(a), V::Float(b)) | (V::Num(a, _), V::Num(b, _)) => a.partial_cmp(&b),
        (V::Complex(a, b), V::Complex(c, d)) => Some((a == c && b == d).cmp(&true)),
        _ => panic!("{x:?} against {y:?}"),
    };
    use std::cmp::Ordering as O;
    match op {
        CmpOp::Eq => ordering == Some(O::Equal),
        CmpOp::Ne => ordering != Some(O::Equal),
        CmpOp::Lt => ordering == Some(O::Less),
        CmpOp::Le => matches!(ordering, Some(O::Less | O::Equal)),
        CmpOp::Gt => ordering == Some(O::Greater),
        CmpOp::Ge => matches!(ordering, Some(O::Greater | O::Equal)),
    }
}

pub(super) fn cast<'a>(kind: Cast, v: V, e: &'a Expr, guard: bool) -> Step<'a, V> {
    let to = e.ty.repr;
    const EXACT: i128 = 1 << 53;
    Ok(match (kind, v) {
        (Cast::Value, V::Bool(b)) if to.is_int() => V::Int(b.into()),
        (Cast::Value, V::Bool(b)) if to.is_float() => V::Float(b.into()),
        (Cast::Value, V::Bool(b)) if to == Scalar::Bool => V::Bool(b),
        (Cast::Value, V::Int(i)) if to.is_int() => int(Some(i), to, e, guard)?,
        (Cast::Value, V::Int(i)) if to.is_float() => {
            if guard && i.abs() > EXACT {
                return failed(true, e, "");
            }
            V::Float(if to == Scalar::F32 {
                f64::from(i as f32)
            } else {
                i as f64
            })
        }
        (Cast::Value, V::Int(i)) if to == Scalar::Num => {
            if i.abs() > EXACT {
                return failed(guard, e, "an int that no double holds exactly");
            }
            V::Num(i as f64, true)
        }
        (Cast::Value, V::Float(f)) if to.is_float() => V::Float(f),
        (Cast::Value, V::Float(f)) if to == Scalar::C128 => V::Complex(f, 0.0),
        (Cast::Value, V::Float(f)) if to == Scalar::Num => V::Num(f, false),
        (Cast::Value, V::Num(f, _)) if to == Scalar::F64 => V::Float(f),
        (Cast::Round, V::Float(f)) if to == Scalar::F32 => {
            let r = f64::from(f as f32);
            if f.is_finite() && !r.is_finite() {
                return failed(guard, e, "a float that no f32 holds");
            }
            V::Float(r)
        }
        (Cast::Trunc, V::Float(f)) if to.is_int() => {
            let t = f.trunc();
            if t.is_nan() || t.abs() > 2e19 || !fits(to, t as i128) {
                return failed(guard, e, "a float that no int holds");
            }
            V::Int(t as i128)
        }
        (Cast::Truth, V::Int(i)) => V::Bool(i != 0),
        (Cast::Truth, V::Float(f)) => V::Bool(f != 0.0),
        (Cast::Ord, V::Int(i)) => V::Int(i),
        _ => panic!("{e}: {v:?}"),
    })
}

pub(super) fn call<'a>(fun: Fun, x: &[f64], e: &'a Expr, guard: bool) -> Step<'a, V> {
    let single = e.ty.repr == Scalar::F32;
    let v = match fun {
        Fun::Sqrt if single => f64::from((x[0] as f32).sqrt()),
        Fun::Sqrt => x[0].sqrt(),
        Fun::Fabs => x[0].abs(),
        Fun::Floor => x[0].floor(),
        Fun::Ceil => x[0].ceil(),
        Fun::Trunc => x[0].trunc(),
        Fun::Rint => x[0].round_ties_even(),
        Fun::Exp => x[0].exp(),
        Fun::Log => x[0].ln(),
        Fun::Sin => x[0].sin(),
        Fun::Cos => x[0].cos(),
        Fun::Atan2 => x[0].atan2(x[1]),
        Fun::Fmod => x[0] % x[1],
        Fun::Copysign => x[0].copysign(x[1]),
        Fun::Pow => x[0].powf(x[1]),
        Fun::Pair => return Ok(V::Complex(x[0], x[1])),
        Fun::IsNan => return Ok(V::Bool(x[0].is_nan())),
        Fun::IsInf => return Ok(V::Bool(x[0].is_infinite())),
        Fun::IsFinite => return Ok(V::Bool(x[0].is_finite())),
        _ => panic!("{e}: not interpreted"),
    };
    let bad = (v.is_nan() && !x.iter().any(|x| x.is_nan()))
        || (v.is_infinite() && x.iter().all(|x| x.is_finite()));
    if bad {
        return failed(guard, e, "a function without a result");
    }
    Ok(V::Float(v))
}
