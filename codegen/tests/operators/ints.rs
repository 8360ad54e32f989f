//! Ints: exact, or a guard failure; wrapping where NumPy wraps.

use nestwise_ir::model::nest::Cast;
use nestwise_ir::{BinOp, Expr, Scalar, Ty, UnOp};

use crate::common::*;
use crate::{INTS, as_int, check, elementwise, exact, int_values, product};

#[test]
fn int_arithmetic_is_exact_or_fires() {
    let ops = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::FloorDiv,
        BinOp::Mod,
        BinOp::Pow,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Min,
        BinOp::Max,
    ];
    for s in INTS {
        let (lo, hi) = s.int_range().unwrap();
        let pairs = product(&int_values(s), Value::Int);
        for op in ops {
            let side = (s, np(s));
            let nest = elementwise([side, side], side, |a, b| bin(op, a, b, true));
            check(&format!("{op:?} {s}"), &nest, &pairs, |x, y| {
                let (x, y) = (as_int(x), as_int(y));
                // The one quotient that fails although the remainder exists.
                if matches!(op, BinOp::Mod) && x == lo && y == -1 && s.is_signed() {
                    return None;
                }
                exact(op, x, y, s.bits())
                    .filter(|r| (lo..=hi).contains(r))
                    .map(Value::Int)
            });
        }
    }
}

/// Sums, differences and products by constants of either sign, on either side, at the edges of the ranges for which
/// they are right.
#[test]
fn what_constants_add_and_multiply() {
    for s in [
        Scalar::I8,
        Scalar::U8,
        Scalar::I32,
        Scalar::I64,
        Scalar::U64,
    ] {
        let (lo, hi) = s.int_range().unwrap();
        let constants = [1, 2, 3, 7, 100, -1, -2, -3, -100, lo, hi, lo + 1, hi - 1];
        for c in constants
            .into_iter()
            .filter(|c| (lo..=hi).contains(c) && *c != 0)
        {
            let mut values = int_values(s);
            for edge in [lo / c, hi / c, lo - c, hi - c, lo + c, hi + c] {
                values.extend((-1..=1).map(|d| edge + d));
            }
            values.retain(|v| (lo..=hi).contains(v));
            let pairs: Vec<_> = values
                .into_iter()
                .map(|v| (Value::Int(v), Value::Int(0)))
                .collect();
            for op in [BinOp::Add, BinOp::Sub, BinOp::Mul] {
                let side = (s, np(s));
                let k = constant(nestwise_ir::Const::Int(c), np(s));
                for left in [false, true] {
                    let nest = elementwise([side, side], side, |a, _| match left {
                        true => bin(op, k.clone(), a, true),
                        false => bin(op, a, k.clone(), true),
                    });
                    check(&format!("{op:?} {s} {c} {left}"), &nest, &pairs, |x, _| {
                        let (x, y) = if left { (c, as_int(x)) } else { (as_int(x), c) };
                        exact(op, x, y, s.bits())
                            .filter(|r| (lo..=hi).contains(r))
                            .map(Value::Int)
                    });
                }
            }
        }
    }
}

#[test]
fn int_operations_by_constants() {
    for s in [Scalar::I8, Scalar::I64, Scalar::U32] {
        let (lo, hi) = s.int_range().unwrap();
        let pairs: Vec<_> = int_values(s)
            .into_iter()
            .map(|v| (Value::Int(v), Value::Int(0)))
            .collect();
        for c in [1i128, 2, 3, 7, 8, 10, 64, 100] {
            for op in [
                BinOp::FloorDiv,
                BinOp::Mod,
                BinOp::Mul,
                BinOp::Pow,
                BinOp::Shr,
                BinOp::Shl,
            ] {
                let side = (s, np(s));
                let k = constant(nestwise_ir::Const::Int(c), np(s));
                let nest = elementwise([side, side], side, |a, _| bin(op, a, k.clone(), true));
                check(&format!("{op:?} {s} by {c}"), &nest, &pairs, |x, _| {
                    exact(op, as_int(x), c, s.bits())
                        .filter(|r| (lo..=hi).contains(r))
                        .map(Value::Int)
                });
            }
        }
    }
}

#[test]
fn unguarded_shifts_and_powers_wrap_as_numpy_does() {
    let s = Scalar::I64;
    let side = (s, np(s));
    let pairs = product(&int_values(s), Value::Int);
    let nest = elementwise([side, side], side, |a, b| bin(BinOp::Shl, a, b, false));
    check("shl", &nest, &pairs, |x, y| {
        let (x, y) = (as_int(x) as i64, as_int(y));
        Some(Value::Int(if (0..64).contains(&y) {
            (x << y).into()
        } else {
            0
        }))
    });
    let nest = elementwise([side, side], side, |a, b| bin(BinOp::Shr, a, b, false));
    check("shr", &nest, &pairs, |x, y| {
        let (x, y) = (as_int(x) as i64, as_int(y));
        Some(Value::Int(
            (x >> if (0..64).contains(&y) { y } else { 63 }).into(),
        ))
    });
    let nest = elementwise([side, side], side, |a, _| bin(BinOp::Pow, a, int(3), false));
    check("pow", &nest, &pairs, |x, _| {
        Some(Value::Int((as_int(x) as i64).wrapping_pow(3).into()))
    });
}

#[test]
fn int_unary_operations() {
    for s in INTS {
        let (lo, hi) = s.int_range().unwrap();
        let pairs: Vec<_> = int_values(s)
            .into_iter()
            .map(|v| (Value::Int(v), Value::Int(0)))
            .collect();
        let side = (s, np(s));
        for op in [UnOp::Neg, UnOp::Abs, UnOp::Invert] {
            let nest = elementwise([side, side], side, |a, _| unary(op, a, np(s), true));
            check(&format!("{op:?} {s}"), &nest, &pairs, |x, _| {
                let x = as_int(x);
                let r = match op {
                    UnOp::Neg => -x,
                    UnOp::Abs => x.abs(),
                    _ if s.is_signed() => !x,
                    _ => hi - x,
                };
                Some(r).filter(|r| (lo..=hi).contains(r)).map(Value::Int)
            });
        }
    }
}

#[test]
fn wide_ints_between_64_bit_ends() {
    let side = (Scalar::I64, I64);
    let wide = |e: Expr| cast(Cast::Value, e, Ty::PY_WIDE, false);
    let values = [
        i64::MIN,
        -1_000_000_007,
        -17,
        -1,
        0,
        1,
        2,
        48271,
        6_364_136_223_846_793_005,
        i64::MAX,
    ];
    let pairs = product(&values, |v| Value::Int(v.into()));
    for m in [
        7i128,
        1 << 31,
        2_147_483_647,
        (1 << 62) - 57,
        -1_000_003,
        i64::MAX as i128,
    ] {
        for op in [BinOp::Mod, BinOp::FloorDiv, BinOp::And, BinOp::Shr] {
            let k = constant(
                nestwise_ir::Const::Int(if op == BinOp::Shr { 64 } else { m }),
                Ty::PY_WIDE,
            );
            let nest = elementwise([side, side], side, |a, b| {
                let p = add(
                    mul(wide(a), wide(b)),
                    constant(nestwise_ir::Const::Int(12345), Ty::PY_WIDE),
                );
                cast(Cast::Value, bin(op, p, k.clone(), true), I64, true)
            });
            check(&format!("{op:?} {m}"), &nest, &pairs, |x, y| {
                let p = as_int(x) * as_int(y) + 12345;
                let r = match op {
                    BinOp::Shr => p >> 64,
                    _ => exact(op, p, m, 128)?,
                };
                i64::try_from(r).ok().map(|r| Value::Int(r.into()))
            });
        }
    }
    // A divisor known only at run time.
    let nest = elementwise([side, side], side, |a, b| {
        let p = mul(
            wide(a.clone()),
            constant(nestwise_ir::Const::Int(3), Ty::PY_WIDE),
        );
        cast(Cast::Value, bin(BinOp::Mod, p, wide(b), true), I64, true)
    });
    check("wide % wide", &nest, &pairs, |x, y| {
        let y = as_int(y);
        (y != 0).then(|| Value::Int(exact(BinOp::Mod, as_int(x) * 3, y, 128).unwrap()))
    });
}
