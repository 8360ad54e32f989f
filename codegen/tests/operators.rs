//! Every operator on every representation against expectations computed here, edge values included, under every
//! treatment: serial with exact events, sticky events, vector loops, threads.

mod common;

use common::*;
use nestwise_codegen::abi::Status;
use nestwise_codegen::{CodegenError, compile};
use nestwise_ir::nest::Cast;
use nestwise_ir::{BinOp, CmpOp, Expr, LoopId, Nest, Scalar, Schedule, Ty, UnOp};

/// `for i in range(n): out[i] = f(a[i], b[i])`
fn elementwise(
    inputs: [(Scalar, Ty); 2],
    out: (Scalar, Ty),
    f: impl Fn(Expr, Expr) -> Expr,
) -> Nest {
    let mut b = Builder::new();
    let [x, y] = inputs.map(|(s, t)| b.array(s, t, 1));
    let o = b.array(out.0, out.1, 1);
    let (l, i) = (b.loop_id(), b.var(I64));
    let (lx, ly) = (
        b.load(x, vec![b.v(i)], false),
        b.load(y, vec![b.v(i)], false),
    );
    let s = b.store(o, vec![b.v(i)], f(lx, ly), false);
    let top = b.for_(l, i, upto(dim(o, 0)), vec![s]);
    b.finish(top)
}

fn treatments() -> Vec<(&'static str, Schedule)> {
    let l = LoopId(0);
    vec![
        ("serial", Schedule::serial()),
        ("independent", independent(l)),
        ("vector 4", vector(l, 4)),
        ("vector 16", vector(l, 16)),
        ("threads", threads(l)),
    ]
}

/// Runs `nest` on all pairs; `expect` gives the value, or nothing for an event.
fn check(
    what: &str,
    nest: &Nest,
    pairs: &[(Value, Value)],
    expect: impl Fn(Value, Value) -> Option<Value>,
) {
    let decl = |k: usize| nest.arrays.values().nth(k).unwrap().storage;
    let buffers = |pairs: &[(Value, Value)]| {
        let xs: Vec<Value> = pairs.iter().map(|p| p.0).collect();
        let ys: Vec<Value> = pairs.iter().map(|p| p.1).collect();
        let out = Buffer::new(decl(2), &[pairs.len() as i64]);
        vec![Buffer::of(decl(0), &xs), Buffer::of(decl(1), &ys), out]
    };
    let fine: Vec<(Value, Value)> = pairs
        .iter()
        .copied()
        .filter(|(x, y)| expect(*x, *y).is_some())
        .collect();
    for (name, schedule) in treatments() {
        let k = match compile(spec(nest, &schedule)) {
            Ok(c) => nestwise_codegen::load(&c.object).unwrap(),
            Err(CodegenError::Unsupported(_)) if name.starts_with("vector") => continue,
            Err(e) => panic!("{what}, {name}: {e}"),
        };
        // One at a time: events exactly where they belong.
        for (x, y) in pairs {
            let mut run = Run::new(nest, buffers(&[(*x, *y)]));
            let h = run.run(&k, 0, 1);
            match expect(*x, *y) {
                None => {
                    assert_eq!(
                        status(&h),
                        Status::Event,
                        "{what}, {name}: {x:?} {y:?} gave {:?}",
                        run.arrays[2].get(0)
                    );
                    assert_eq!(h.at, 0);
                    assert_ne!(h.event_code, 0);
                }
                Some(v) => {
                    assert_eq!(
                        status(&h),
                        Status::Done,
                        "{what}, {name}: {x:?} {y:?} fired"
                    );
                    let got = run.arrays[2].get(0);
                    assert!(
                        got.same(v),
                        "{what}, {name}: {x:?} {y:?} gave {got:?}, not {v:?}"
                    );
                }
            }
        }
        // Together: whole vectors and a rest.
        if fine.is_empty() {
            continue;
        }
        let mut run = Run::new(nest, buffers(&fine));
        run.done(&k, 0, fine.len() as i64);
        for (k, (x, y)) in fine.iter().enumerate() {
            let (got, v) = (run.arrays[2].get(k), expect(*x, *y).unwrap());
            assert!(
                got.same(v),
                "{what}, {name}, together: {x:?} {y:?} gave {got:?}, not {v:?}"
            );
        }
        // One event among many is noticed.
        if let Some(bad) = pairs.iter().find(|(x, y)| expect(*x, *y).is_none()) {
            for at in [0, fine.len() / 2, fine.len()] {
                let mut mixed = fine.clone();
                mixed.insert(at, *bad);
                let mut run = Run::new(nest, buffers(&mixed));
                let h = run.run(&k, 0, mixed.len() as i64);
                assert_eq!(
                    status(&h),
                    Status::Event,
                    "{what}, {name}: event at {at} of {} missed",
                    mixed.len()
                );
            }
        }
    }
}

fn product<T: Copy>(values: &[T], wrap: impl Fn(T) -> Value) -> Vec<(Value, Value)> {
    let mut all = vec![];
    for x in values {
        for y in values {
            all.push((wrap(*x), wrap(*y)));
        }
    }
    all
}

const INTS: [Scalar; 8] = [
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
];

fn int_values(s: Scalar) -> Vec<i128> {
    let (lo, hi) = s.int_range().unwrap();
    let mut v: Vec<i128> = vec![
        lo,
        lo + 1,
        -8,
        -7,
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        13,
        60,
        63,
        hi / 2,
        hi - 1,
        hi,
    ];
    v.retain(|x| (lo..=hi).contains(x));
    v.dedup();
    v
}

fn as_int(v: Value) -> i128 {
    match v {
        Value::Int(v) => v,
        other => panic!("{other:?}"),
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    let q = a / b;
    if a % b != 0 && (a < 0) != (b < 0) {
        q - 1
    } else {
        q
    }
}

fn exact(op: BinOp, a: i128, b: i128, bits: u32) -> Option<i128> {
    Some(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a.checked_mul(b)?,
        BinOp::FloorDiv => floor_div(a, if b == 0 { return None } else { b }),
        BinOp::Mod => a - floor_div(a, if b == 0 { return None } else { b }) * b,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Shl if !(0..i128::from(bits)).contains(&b) => return None,
        BinOp::Shl => a << b,
        BinOp::Shr if b < 0 => return None,
        BinOp::Shr => a >> b.min(127),
        BinOp::Pow if b < 0 => return None,
        BinOp::Pow => {
            let mut r = 1i128;
            for _ in 0..b.min(200) {
                r = r.checked_mul(a)?;
            }
            if b > 200 && !matches!(a, -1..=1) {
                return None;
            }
            if b > 200 && a == -1 {
                if b % 2 == 0 { 1 } else { -1 }
            } else {
                r
            }
        }
        BinOp::Div => return None,
    })
}

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
                // The one quotient that fires although the remainder exists.
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

fn float_values() -> Vec<f64> {
    vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.0,
        -2.0,
        3.0,
        -7.25,
        10.0,
        1e-20,
        -1e-20,
        0.1,
        1e16,
        -1e16,
        1e300,
        -1e300,
        5e-324,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        std::f64::consts::PI,
    ]
}

fn as_f64(v: Value) -> f64 {
    match v {
        Value::F64(v) => v,
        other => panic!("{other:?}"),
    }
}

/// CPython's float_rem.
fn py_mod(x: f64, y: f64) -> f64 {
    let mut m = libm_fmod(x, y);
    if m != 0.0 {
        if (y < 0.0) != (m < 0.0) {
            m += y;
        }
        m
    } else {
        0f64.copysign(y)
    }
}

/// CPython's _float_div_mod, the quotient.
fn py_floor_div(x: f64, y: f64) -> f64 {
    let m = libm_fmod(x, y);
    let mut div = (x - m) / y;
    if m != 0.0 && (y < 0.0) != (m < 0.0) {
        div -= 1.0;
    }
    if div != 0.0 {
        let f = div.floor();
        if div - f > 0.5 { f + 1.0 } else { f }
    } else {
        0f64.copysign(x / y)
    }
}

fn libm_fmod(x: f64, y: f64) -> f64 {
    unsafe extern "C" {
        safe fn fmod(x: f64, y: f64) -> f64;
    }
    fmod(x, y)
}

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
