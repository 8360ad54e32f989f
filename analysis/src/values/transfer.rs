//! Abstract values and what each operation does to them, with the rule under which its guard cannot fail.

use nestwise_ir::model::nest::{Cast, Const};
use nestwise_ir::{ArrayId, BinOp, Fun, Lib, Nest, Prov, Scalar, Ty, UnOp};

use crate::values::float_enclosure::Floats;
use crate::values::interval::Interval;

/// The longest array axis (a binder refuses longer ones, which only stride 0 could make).
pub const DIM_MAX: i128 = 1 << 40;
/// The largest absolute value up to which every int converts to `f64` exactly.
const EXACT_F64: i128 = 1 << 53;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Val {
    /// The variable has no value yet.
    None,
    /// The value is an integer, bool or character in the interval; not zero if the flag is set.
    Int(Interval, bool),
    /// The value is a real float in the enclosure.
    Float(Floats),
    /// The value is a complex number or a `Num`, of which nothing is tracked.
    Any,
}

impl Val {
    /// The value that stands for everything of a type.
    pub fn of_type(s: Scalar) -> Val {
        match s {
            Scalar::F32 | Scalar::F64 => Val::Float(Floats::ALL),
            Scalar::C64 | Scalar::C128 | Scalar::Num => Val::Any,
            _ => Val::Int(Interval::of_type(s), false),
        }
    }
    /// The value of an integer in the interval.
    pub fn int(i: Interval) -> Val {
        Val::Int(i, !i.contains(0))
    }
    /// The value of a literal.
    pub fn constant(c: Const) -> Val {
        match c {
            Const::Bool(b) => Val::int(Interval::point(b.into())),
            Const::Int(v) => Val::int(Interval::point(v)),
            Const::Float(v) => Val::Float(Floats::point(v)),
            Const::Complex(..) => Val::Any,
        }
    }
    /// The interval of an integer value.
    pub fn interval(self) -> Interval {
        match self {
            Val::Int(i, _) => i,
            _ => Interval::ALL,
        }
    }
    /// The enclosure of a float value.
    pub fn floats(self) -> Floats {
        match self {
            Val::Float(f) => f,
            _ => Floats::ALL,
        }
    }
    /// The smallest value that contains both.
    pub fn join(self, o: Val) -> Val {
        match (self, o) {
            (Val::None, x) | (x, Val::None) => x,
            (Val::Int(a, p), Val::Int(b, q)) => Val::Int(a.join(b), p && q),
            (Val::Float(a), Val::Float(b)) => Val::Float(a.join(b)),
            _ => Val::Any,
        }
    }
    /// Whether zero is impossible.
    pub fn nonzero(self) -> bool {
        match self {
            Val::Int(i, nz) => nz || !i.contains(0),
            Val::Float(f) => !f.has_zero(),
            _ => false,
        }
    }
}

/// The ints that a load of type `ty` from a slot can give: those its storage can hold.
pub fn loaded(nest: &Nest, array: ArrayId, ty: Ty) -> Interval {
    let all = Interval::of_type(ty.repr);
    let storage = nest
        .arrays
        .get(array)
        .map(|d| d.storage)
        .filter(|s| s.int_range().is_some());
    storage.map_or(all, |s| Interval::of_type(s).clamp_to(all))
}

/// An operation's result and whether its guard cannot fail.
pub struct Outcome {
    /// The result, given that the guard did not fail.
    pub value: Val,
    /// Whether the guard cannot fail.
    pub safe: bool,
}

/// The outcome of an int operation whose exact result is in `exact`: if that does not fit, the guard fails, or the
/// value wraps.
fn fit(exact: Interval, ty: Ty, guard: bool) -> Outcome {
    let range = Interval::of_type(ty.repr);
    let fits = exact.within(range);
    // An unguarded operation on Python ints was proven exact; on NumPy's it may be meant to wrap.
    let exact_or_event = guard || fits || ty.prov == Prov::Py;
    let value = if exact_or_event {
        exact.clamp_to(range)
    } else {
        range
    };
    Outcome {
        value: Val::int(value),
        safe: fits,
    }
}

/// The outcome of binary arithmetic. `same`: both operands are the same variable.
pub fn binary(op: BinOp, a: Val, b: Val, ty: Ty, guard: bool, same: bool) -> Outcome {
    match ty.repr {
        Scalar::Bool => {
            let value = Val::int(Interval::new(0, 1));
            Outcome { value, safe: true }
        }
        Scalar::F32 | Scalar::F64 => float_binary(op, a.floats(), b.floats(), ty, guard, same),
        s if s.is_int() => int_binary(op, a, b, ty, guard),
        _ => {
            let divides = matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::Pow);
            // Num arithmetic may leave the exact ints, so only complex sums and products cannot fail.
            Outcome {
                value: Val::of_type(ty.repr),
                safe: !divides && ty.repr.is_complex(),
            }
        }
    }
}

fn int_binary(op: BinOp, va: Val, vb: Val, ty: Ty, guard: bool) -> Outcome {
    let (a, b) = (va.interval(), vb.interval());
    let range = Interval::of_type(ty.repr);
    let bits = i128::from(ty.repr.bits());
    match op {
        BinOp::Add => fit(a.add(b), ty, guard),
        BinOp::Sub => fit(a.sub(b), ty, guard),
        BinOp::Mul => fit(a.mul(b), ty, guard),
        BinOp::FloorDiv | BinOp::Mod => {
            let exact = if op == BinOp::Mod {
                a.modulo(b)
            } else {
                a.floor_div(b)
            };
            // MIN // -1 overflows, and hardware traps on MIN % -1 too.
            let traps = ty.repr.is_signed() && a.contains(range.lo) && b.contains(-1);
            let mut out = fit(exact, ty, true);
            // NumPy's unguarded division by zero gives 0.
            if !guard && !vb.nonzero() {
                out.value = Val::int(out.value.interval().join(Interval::point(0)));
            }
            out.safe = vb.nonzero() && !traps;
            out
        }
        BinOp::Pow => {
            let mut out = fit(a.pow(b), ty, guard);
            out.safe &= b.lo >= 0 && a.pow(b) != Interval::ALL;
            out
        }
        BinOp::Shl => {
            let mut out = fit(a.shl(b), ty, guard);
            out.safe &= b.lo >= 0 && b.hi < bits;
            if !(guard || b.lo >= 0 && b.hi < bits) {
                out.value = Val::int(range);
            }
            out
        }
        BinOp::Shr => Outcome {
            value: Val::int(a.shr(b).clamp_to(range)),
            safe: b.lo >= 0,
        },
        BinOp::And => fit(a.and(b), ty, true),
        BinOp::Or => fit(a.or(b), ty, true),
        BinOp::Xor => fit(a.xor(b), ty, true),
        BinOp::Min => fit(a.min(b), ty, true),
        BinOp::Max => fit(a.max(b), ty, true),
        BinOp::Div => Outcome {
            value: Val::int(range),
            safe: false,
        },
    }
}

fn float_binary(op: BinOp, a: Floats, b: Floats, ty: Ty, guard: bool, same: bool) -> Outcome {
    let mut safe = true;
    let value = match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul if same => a.square(),
        BinOp::Mul => a.mul(b),
        BinOp::Div => {
            safe = !b.has_zero();
            // With a guard a zero divisor has no quotient.
            a.div(Floats {
                zero: b.zero && !guard,
                ..b
            })
        }
        BinOp::FloorDiv | BinOp::Mod => {
            safe = !b.has_zero();
            if op == BinOp::Mod && b.lo > 0.0 && b.hi < f64::INFINITY {
                // The fix-up may round up to the divisor itself.
                Floats {
                    lo: 0.0,
                    hi: b.hi,
                    nan: true,
                    zero: true,
                }
            } else {
                Floats::ALL
            }
        }
        BinOp::Pow => {
            // x ** 2 of a number whose square is finite can neither raise nor be complex.
            safe = b.lo == 2.0 && b.hi == 2.0 && a.lo.abs().max(a.hi.abs()) < 1e150;
            let squares = b.lo == 2.0 && b.hi == 2.0;
            if squares {
                Floats {
                    lo: 0.0,
                    ..Floats::ALL
                }
            } else {
                Floats::ALL
            }
        }
        BinOp::Min | BinOp::Max => {
            let nan = a.nan || b.nan;
            let (lo, hi) = match op {
                BinOp::Min => (a.lo.min(b.lo), a.hi.min(b.hi)),
                _ => (a.lo.max(b.lo), a.hi.max(b.hi)),
            };
            Floats {
                lo,
                hi,
                nan,
                zero: true,
            }
        }
        _ => Floats::ALL,
    };
    let value = if ty.repr == Scalar::F32 {
        value.to_f32()
    } else {
        value
    };
    Outcome {
        value: Val::Float(value),
        safe,
    }
}

/// The outcome of a unary operation.
pub fn unary(op: UnOp, a: Val, ty: Ty, guard: bool) -> Outcome {
    match (op, ty.repr) {
        (_, Scalar::Bool) => Outcome {
            value: Val::int(Interval::new(0, 1)),
            safe: true,
        },
        (UnOp::Neg, s) if s.is_int() => fit(a.interval().neg(), ty, guard),
        (UnOp::Abs, s) if s.is_int() => fit(a.interval().abs(), ty, guard),
        (UnOp::Invert, s) if s.is_int() => {
            let i = a.interval();
            let value = if s.is_signed() {
                Interval::new(!i.hi, !i.lo)
            } else {
                Interval::of_type(s)
            };
            Outcome {
                value: Val::int(value),
                safe: true,
            }
        }
        (UnOp::Neg, s) if s.is_float() => Outcome {
            value: Val::Float(a.floats().neg()),
            safe: true,
        },
        (UnOp::Abs, s) if s.is_float() => {
            // The absolute value of a complex operand is computed by `hypot`, which may overflow.
            let real = matches!(a, Val::Float(_));
            let f = if real {
                a.floats().abs()
            } else {
                Floats {
                    lo: 0.0,
                    ..Floats::ALL
                }
            };
            Outcome {
                value: Val::Float(f),
                safe: real,
            }
        }
        (UnOp::Real | UnOp::Imag | UnOp::Conj, s) => Outcome {
            value: Val::of_type(s),
            safe: true,
        },
        (_, s) => Outcome {
            value: Val::of_type(s),
            safe: false,
        },
    }
}

/// The outcome of converting a value of representation `from` to `ty`.
pub fn cast(kind: Cast, from: Scalar, a: Val, ty: Ty) -> Outcome {
    let to = Interval::of_type(ty.repr);
    match (kind, ty.repr) {
        (Cast::Truth, _) => {
            let value = if a.nonzero() {
                Interval::point(1)
            } else {
                Interval::new(0, 1)
            };
            Outcome {
                value: Val::int(value),
                safe: true,
            }
        }
        (Cast::Value | Cast::Ord, s) if !s.is_float() && !matches!(a, Val::Float(_) | Val::Any) => {
            if s.is_complex() || s == Scalar::Num {
                let exact = a.interval().within(Interval::new(-EXACT_F64, EXACT_F64));
                return Outcome {
                    value: Val::Any,
                    safe: exact,
                };
            }
            let i = a.interval();
            let value = Val::Int(i.clamp_to(to), a.nonzero());
            Outcome {
                value,
                safe: i.within(to),
            }
        }
        (Cast::Value, s) if matches!(a, Val::Float(_)) && (s.is_complex() || s == Scalar::Num) => {
            Outcome {
                value: Val::Any,
                safe: true,
            }
        }
        (Cast::Value, s) if s.is_float() => match a {
            Val::Int(i, _) => {
                let exact = i.within(Interval::new(-EXACT_F64, EXACT_F64));
                let mut f = Floats::new(i.lo as f64, i.hi as f64);
                if s == Scalar::F32 {
                    f = f.to_f32();
                }
                f.zero = !a.nonzero();
                Outcome {
                    value: Val::Float(f),
                    safe: exact,
                }
            }
            Val::Float(f) => Outcome {
                value: Val::Float(f),
                safe: true,
            },
            _ => Outcome {
                value: Val::of_type(s),
                safe: from != Scalar::Num,
            },
        },
        (Cast::Round, Scalar::F32) => {
            let f = a.floats();
            let safe = f.lo.abs().max(f.hi.abs()) <= f64::from(f32::MAX);
            Outcome {
                value: Val::Float(f.to_f32()),
                safe,
            }
        }
        (Cast::Trunc, s) if !s.is_float() => trunc(a.floats(), s),
        (_, s) => Outcome {
            value: Val::of_type(s),
            safe: false,
        },
    }
}

fn trunc(f: Floats, to: Scalar) -> Outcome {
    let range = Interval::of_type(to);
    // Casts saturate, so a huge end becomes a huge int that is not within the range.
    let i = Interval::new(f.lo.trunc() as i128, f.hi.trunc() as i128);
    let safe = !f.nan && f.bounded() && i.within(range);
    Outcome {
        value: Val::int(i.clamp_to(range)),
        safe,
    }
}

/// The outcome of a mathematical function. Ends are widened: libraries differ in the last digits.
pub fn call(fun: Fun, lib: Lib, args: &[Val], ty: Ty) -> Outcome {
    let x = args.first().map_or(Floats::ALL, |v| v.floats());
    let exact = |value: Floats| Outcome {
        value: Val::Float(value),
        safe: true,
    };
    let general = |lo: f64, hi: f64, safe: bool| {
        let value = Floats {
            lo: widen(lo, -1.0),
            hi: widen(hi, 1.0),
            nan: true,
            zero: true,
        };
        Outcome {
            value: Val::Float(value),
            safe: safe && lib == Lib::C,
        }
    };
    let all = f64::INFINITY;
    if matches!(fun, Fun::IsNan | Fun::IsInf | Fun::IsFinite) {
        return Outcome {
            value: Val::int(Interval::new(0, 1)),
            safe: true,
        };
    }
    if !ty.repr.is_float() {
        return Outcome {
            value: Val::of_type(ty.repr),
            safe: false,
        };
    }
    match fun {
        Fun::Fabs => exact(x.abs()),
        Fun::Floor => exact(Floats {
            lo: x.lo.floor(),
            hi: x.hi.floor(),
            zero: true,
            ..x
        }),
        Fun::Ceil => exact(Floats {
            lo: x.lo.ceil(),
            hi: x.hi.ceil(),
            zero: true,
            ..x
        }),
        Fun::Trunc => exact(Floats {
            lo: x.lo.trunc(),
            hi: x.hi.trunc(),
            zero: true,
            ..x
        }),
        Fun::Rint => {
            let (lo, hi) = (x.lo.round_ties_even(), x.hi.round_ties_even());
            exact(Floats {
                lo,
                hi,
                zero: true,
                ..x
            })
        }
        Fun::Copysign => exact(Floats {
            lo: -x.abs().hi,
            hi: x.abs().hi,
            nan: x.nan,
            zero: true,
        }),
        Fun::Sqrt => {
            let safe = x.lo >= 0.0;
            let hi = widen(x.hi.max(0.0).sqrt(), 1.0);
            let lo = widen(x.lo.max(0.0).sqrt(), -1.0).max(0.0);
            // sqrt(x) is zero only for zero.
            let value = Floats {
                lo,
                hi,
                nan: x.nan || !safe,
                zero: x.has_zero(),
            };
            let value = if ty.repr == Scalar::F32 {
                value.to_f32()
            } else {
                value
            };
            Outcome {
                value: Val::Float(value),
                safe,
            }
        }
        Fun::Exp => {
            let mut out = general(0.0, all, x.hi <= 709.0);
            if x.lo >= -700.0
                && ty.repr == Scalar::F64
                && let Val::Float(f) = &mut out.value
            {
                f.lo = 1e-305; // exp(-700) is 9.8e-305
            }
            if let Val::Float(f) = &mut out.value {
                f.lo = f.lo.max(0.0);
            }
            out
        }
        Fun::Log | Fun::Log2 | Fun::Log10 => general(-all, all, x.lo > 0.0),
        Fun::Log1p => general(-all, all, x.lo > -1.0),
        Fun::Sin | Fun::Cos => general(-1.0, 1.0, x.bounded()),
        Fun::Tan => general(-all, all, x.bounded()),
        Fun::Tanh | Fun::Erf => general(-1.0, 1.0, true),
        Fun::Erfc => general(0.0, 2.0, true),
        Fun::Atan | Fun::Atan2 => general(-3.2, 3.2, true),
        Fun::Asinh | Fun::Cbrt => general(-all, all, true),
        Fun::Asin => general(-1.6, 1.6, x.lo >= -1.0 && x.hi <= 1.0),
        Fun::Acos => general(0.0, 3.2, x.lo >= -1.0 && x.hi <= 1.0),
        _ => general(-all, all, false),
    }
}

/// Moves an end outward by about a part in 10**9.
fn widen(v: f64, direction: f64) -> f64 {
    if v == 0.0 || v.is_infinite() {
        v
    } else {
        v + direction * v.abs() * 1e-9
    }
}
