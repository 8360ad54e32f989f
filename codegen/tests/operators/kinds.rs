//! Conversions from one representation to another, and operations on several.

use nestwise_ir::model::nest::Cast;
use nestwise_ir::{BinOp, CmpOp, Scalar, Ty, UnOp};

use crate::common::*;
use crate::{
    INTS, as_f64, as_int, check, elementwise, exact, float_values, int_values, product,
    py_floor_div, py_mod,
};

#[test]
fn comparisons_and_truth() {
    let out = (Scalar::Bool, Ty::NP_BOOL);
    for op in [
        CmpOp::Eq,
        CmpOp::Ne,
        CmpOp::Lt,
        CmpOp::Le,
        CmpOp::Gt,
        CmpOp::Ge,
    ] {
        let holds = |o: Option<std::cmp::Ordering>| match (op, o) {
            (CmpOp::Ne, None) => true,
            (_, None) => false,
            (CmpOp::Eq, Some(o)) => o.is_eq(),
            (CmpOp::Ne, Some(o)) => o.is_ne(),
            (CmpOp::Lt, Some(o)) => o.is_lt(),
            (CmpOp::Le, Some(o)) => o.is_le(),
            (CmpOp::Gt, Some(o)) => o.is_gt(),
            (CmpOp::Ge, Some(o)) => o.is_ge(),
        };
        let side = (Scalar::F64, F64);
        let nest = elementwise([side, side], out, |a, b| cmp(op, a, b));
        let pairs = product(&float_values(), Value::F64);
        check(&format!("{op:?}"), &nest, &pairs, |x, y| {
            Some(Value::Bool(holds(as_f64(x).partial_cmp(&as_f64(y)))))
        });
        for s in [Scalar::I8, Scalar::I64, Scalar::U8, Scalar::U64] {
            let side = (s, np(s));
            let nest = elementwise([side, side], out, |a, b| cmp(op, a, b));
            let pairs = product(&int_values(s), Value::Int);
            check(&format!("{op:?} {s}"), &nest, &pairs, |x, y| {
                Some(Value::Bool(holds(Some(as_int(x).cmp(&as_int(y))))))
            });
        }
    }
    let side = (Scalar::F64, F64);
    let nest = elementwise([side, side], out, |a, _| {
        cast(Cast::Truth, a, Ty::NP_BOOL, false)
    });
    check(
        "truth",
        &nest,
        &product(&float_values(), Value::F64),
        |x, _| Some(Value::Bool(as_f64(x) != 0.0)),
    );
}

#[test]
fn casts_between_ints() {
    for from in INTS {
        for to in INTS {
            let (lo, hi) = to.int_range().unwrap();
            let pairs: Vec<_> = int_values(from)
                .into_iter()
                .map(|v| (Value::Int(v), Value::Int(0)))
                .collect();
            let side = (from, np(from));
            let guarded = elementwise([side, side], (to, np(to)), |a, _| {
                cast(Cast::Value, a, np(to), true)
            });
            check(&format!("{from} to {to}"), &guarded, &pairs, |x, _| {
                Some(as_int(x))
                    .filter(|v| (lo..=hi).contains(v))
                    .map(Value::Int)
            });
            let wrapping = elementwise([side, side], (to, np(to)), |a, _| {
                cast(Cast::Value, a, np(to), false)
            });
            check(
                &format!("{from} wrapped to {to}"),
                &wrapping,
                &pairs,
                |x, _| Some(Value::read(to, &as_int(x).to_le_bytes(), false)),
            );
        }
    }
}

#[test]
fn casts_between_ints_and_floats() {
    let f = (Scalar::F64, F64);
    for to in INTS {
        let (lo, hi) = to.int_range().unwrap();
        let mut values = float_values();
        for end in [lo as f64, hi as f64] {
            values.extend([
                end,
                end + 0.5,
                end - 0.5,
                end + 1.0,
                end - 1.0,
                end * 1.0000001,
            ]);
        }
        values.extend([-0.9, 0.9, 127.9, -128.9, 255.99]);
        let pairs: Vec<_> = values
            .iter()
            .map(|v| (Value::F64(*v), Value::F64(0.0)))
            .collect();
        let nest = elementwise([f, f], (to, np(to)), |a, _| {
            cast(Cast::Trunc, a, np(to), true)
        });
        check(&format!("f64 to {to}"), &nest, &pairs, |x, _| {
            let x = as_f64(x);
            let fits = x.is_finite() && x.abs() < 1e30 && (lo..=hi).contains(&(x.trunc() as i128));
            fits.then(|| Value::Int(x.trunc() as i128))
        });
        let pairs: Vec<_> = int_values(to)
            .into_iter()
            .chain(
                [1 << 53, (1 << 53) + 1, -(1 << 53) - 1]
                    .into_iter()
                    .filter(|v| (lo..=hi).contains(v)),
            )
            .map(|v| (Value::Int(v), Value::Int(0)))
            .collect();
        let side = (to, np(to));
        let nest = elementwise([side, side], f, |a, _| cast(Cast::Value, a, F64, true));
        check(&format!("{to} to f64"), &nest, &pairs, |x, _| {
            let x = as_int(x);
            (x.abs() <= 1 << 53).then_some(Value::F64(x as f64))
        });
        let nest = elementwise([side, side], f, |a, _| cast(Cast::Value, a, F64, false));
        check(&format!("{to} rounded to f64"), &nest, &pairs, |x, _| {
            Some(Value::F64(as_int(x) as f64))
        });
    }
    let pairs: Vec<_> = float_values()
        .into_iter()
        .map(|v| (Value::F64(v), Value::F64(0.0)))
        .collect();
    let small = (Scalar::F32, np(Scalar::F32));
    let nest = elementwise([f, f], small, |a, _| {
        cast(Cast::Round, a, np(Scalar::F32), true)
    });
    check("f64 to f32", &nest, &pairs, |x, _| {
        let x = as_f64(x);
        let r = x as f32;
        (!(x.is_finite() && r.is_infinite())).then_some(Value::F32(r))
    });
}

#[test]
fn numbers_that_are_ints_or_floats() {
    let side = (Scalar::Num, Ty::PY_NUM);
    const BIG: f64 = 9_007_199_254_740_991.0;
    let values = [
        (0.0, true),
        (3.0, true),
        (-5.0, true),
        (BIG, true),
        (0.0, false),
        (-0.0, false),
        (2.5, false),
    ];
    let pairs = product(&values, |(v, t)| Value::Num(v, t));
    let get = |v: Value| match v {
        Value::Num(v, t) => (v, t),
        other => panic!("{other:?}"),
    };
    for op in [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::FloorDiv,
        BinOp::Mod,
    ] {
        let nest = elementwise([side, side], side, |a, b| bin(op, a, b, true));
        check(&format!("{op:?} num"), &nest, &pairs, |x, y| {
            let ((x, tx), (y, ty)) = (get(x), get(y));
            let both = tx && ty;
            if y == 0.0 && matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod) {
                return None;
            }
            if both && op != BinOp::Div {
                let r = exact(op, x as i128, y as i128, 128)?;
                return (r.abs() < 1 << 53).then_some(Value::Num(r as f64, true));
            }
            let v = match op {
                BinOp::Add => x + y,
                BinOp::Sub => x - y,
                BinOp::Mul => x * y,
                BinOp::Div => x / y,
                BinOp::FloorDiv => py_floor_div(x, y),
                _ => py_mod(x, y),
            };
            Some(Value::Num(v, false))
        });
    }
    let nest = elementwise([side, side], side, |a, _| {
        unary(UnOp::Neg, a, Ty::PY_NUM, false)
    });
    check("neg num", &nest, &pairs, |x, _| {
        let (v, t) = get(x);
        Some(Value::Num(if t { 0.0 - v } else { -v }, t))
    });
}

#[test]
fn bools_add_as_numpy_s() {
    let side = (Scalar::Bool, Ty::NP_BOOL);
    let pairs = product(&[false, true], Value::Bool);
    let get = |v: Value| matches!(v, Value::Bool(true));
    for (op, f) in [
        (BinOp::Add, (|a, b| a | b) as fn(bool, bool) -> bool),
        (BinOp::Mul, |a, b| a & b),
        (BinOp::Xor, |a, b| a ^ b),
        (BinOp::Min, |a, b| a & b),
    ] {
        let nest = elementwise([side, side], side, |a, b| bin(op, a, b, false));
        check(&format!("{op:?} bool"), &nest, &pairs, |x, y| {
            Some(Value::Bool(f(get(x), get(y))))
        });
    }
    let nest = elementwise([side, side], (Scalar::I64, I64), |a, b| {
        add(
            cast(Cast::Value, a, I64, false),
            cast(Cast::Value, b, I64, false),
        )
    });
    check("True + True", &nest, &pairs, |x, y| {
        Some(Value::Int(i128::from(get(x)) + i128::from(get(y))))
    });
}

#[test]
fn narrow_storage_of_wide_elements() {
    // array.array('i') holds 32 bits, its elements are Python ints.
    let side = (Scalar::I32, I64);
    let values = [i64::from(i32::MIN), -1, 0, 1, i64::from(i32::MAX)];
    let nest = elementwise([side, side], side, add);
    check(
        "array('i')",
        &nest,
        &product(&values, |v| Value::Int(v.into())),
        |x, y| {
            let r = as_int(x) + as_int(y);
            i32::try_from(r).ok().map(|r| Value::Int(r.into()))
        },
    );
    let side = (Scalar::U8, I64);
    let nest = elementwise([side, side], side, sub);
    check(
        "bytes",
        &nest,
        &product(&[0i64, 1, 200, 255], |v| Value::Int(v.into())),
        |x, y| {
            let r = as_int(x) - as_int(y);
            u8::try_from(r).ok().map(|r| Value::Int(r.into()))
        },
    );
}
