//! Floats to the bit, and complex numbers.

use nestwise_ir::{BinOp, Scalar, Ty, UnOp};

use crate::common::*;
use crate::{as_f64, check, elementwise, float_values, product, py_floor_div, py_mod};

fn libm_pow(x: f64, y: f64) -> f64 {
    unsafe extern "C" {
        safe fn pow(x: f64, y: f64) -> f64;
    }
    pow(x, y)
}

#[test]
fn float_arithmetic_has_the_bits_of_cpython() {
    let ops = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::FloorDiv,
        BinOp::Mod,
        BinOp::Pow,
        BinOp::Min,
        BinOp::Max,
    ];
    let side = (Scalar::F64, F64);
    let mut pairs = product(&float_values(), Value::F64);
    let mut r = Random(7);
    for _ in 0..400 {
        let mut one = || (r.unit() - 0.5) * 10f64.powi(r.below(24) as i32 - 8);
        pairs.push((Value::F64(one()), Value::F64(one())));
    }
    for op in ops {
        let nest = elementwise([side, side], side, |a, b| bin(op, a, b, true));
        check(&format!("{op:?}"), &nest, &pairs, |x, y| {
            let (x, y) = (as_f64(x), as_f64(y));
            if y == 0.0 && matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod) {
                return None;
            }
            let v = match op {
                BinOp::Add => x + y,
                BinOp::Sub => x - y,
                BinOp::Mul => x * y,
                BinOp::Div => x / y,
                BinOp::FloorDiv => py_floor_div(x, y),
                BinOp::Mod => py_mod(x, y),
                BinOp::Min if x.is_nan() || x < y => x,
                BinOp::Max if x.is_nan() || x > y => x,
                BinOp::Min | BinOp::Max => y,
                _ => libm_pow(x, y),
            };
            let raises = op == BinOp::Pow
                && (v.is_nan() && !x.is_nan() && !y.is_nan()
                    || v.is_infinite() && x.is_finite() && y.is_finite());
            (!raises).then_some(Value::F64(v))
        });
    }
}

#[test]
fn f32_arithmetic_rounds_to_f32() {
    let side = (Scalar::F32, np(Scalar::F32));
    let values: Vec<f32> = float_values().into_iter().map(|v| v as f32).collect();
    let pairs = product(&values, Value::F32);
    let get = |v: Value| match v {
        Value::F32(v) => v,
        other => panic!("{other:?}"),
    };
    for op in [BinOp::Add, BinOp::Mul, BinOp::Div, BinOp::Mod, BinOp::Min] {
        let nest = elementwise([side, side], side, |a, b| bin(op, a, b, true));
        check(&format!("{op:?} f32"), &nest, &pairs, |x, y| {
            let (x, y) = (get(x), get(y));
            if y == 0.0 && matches!(op, BinOp::Div | BinOp::Mod) {
                return None;
            }
            Some(Value::F32(match op {
                BinOp::Add => x + y,
                BinOp::Mul => x * y,
                BinOp::Div => x / y,
                BinOp::Min if x.is_nan() || x < y => x,
                BinOp::Min => y,
                _ => {
                    let m = x % y;
                    match m {
                        _ if m == 0.0 => 0f32.copysign(y),
                        _ if (y < 0.0) != (m < 0.0) => m + y,
                        _ => m,
                    }
                }
            }))
        });
    }
}

#[test]
fn complex_arithmetic_of_both_provenances() {
    let parts = [
        0.0,
        -0.0,
        1.0,
        -2.5,
        3.0,
        1e-3,
        1e200,
        f64::INFINITY,
        f64::NAN,
    ];
    let mut values = vec![];
    for re in parts {
        for im in parts {
            values.push((re, im));
        }
    }
    let some: Vec<(f64, f64)> = values.iter().copied().step_by(3).collect();
    let pairs = product(&some, |(a, b)| Value::C128(a, b));
    let get = |v: Value| match v {
        Value::C128(a, b) => (a, b),
        other => panic!("{other:?}"),
    };
    for numpy in [false, true] {
        let ty = if numpy {
            np(Scalar::C128)
        } else {
            Ty::PY_COMPLEX
        };
        let side = (Scalar::C128, ty);
        for op in [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div] {
            let nest = elementwise([side, side], side, |a, b| bin(op, a, b, true));
            check(&format!("{op:?} {ty}"), &nest, &pairs, |x, y| {
                let ((ar, ai), (br, bi)) = (get(x), get(y));
                let (re, im) = match op {
                    BinOp::Add => (ar + br, ai + bi),
                    BinOp::Sub => (ar - br, ai - bi),
                    BinOp::Mul => (ar * br - ai * bi, ar * bi + ai * br),
                    _ if br == 0.0 && bi == 0.0 => return None,
                    _ if br.abs() >= bi.abs() => {
                        let r = bi / br;
                        let d = br + bi * r;
                        if numpy {
                            let s = 1.0 / d;
                            ((ar + ai * r) * s, (ai - ar * r) * s)
                        } else {
                            ((ar + ai * r) / d, (ai - ar * r) / d)
                        }
                    }
                    _ if !numpy && (br.is_nan() || bi.is_nan()) => (f64::NAN, f64::NAN),
                    _ => {
                        let r = br / bi;
                        let d = br * r + bi;
                        if numpy {
                            let s = 1.0 / d;
                            ((ar * r + ai) * s, (ai * r - ar) * s)
                        } else {
                            ((ar * r + ai) / d, (ai * r - ar) / d)
                        }
                    }
                };
                Some(Value::C128(re, im))
            });
        }
    }
    let side = (Scalar::C128, Ty::PY_COMPLEX);
    let nest = elementwise([side, side], (Scalar::F64, F64), |a, _| {
        unary(UnOp::Abs, a, F64, true)
    });
    check("abs", &nest, &pairs, |x, _| {
        let (re, im) = get(x);
        let r = re.hypot(im);
        (!(r.is_infinite() && re.is_finite() && im.is_finite())).then_some(Value::F64(r))
    });
}
