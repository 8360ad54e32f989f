//! Every operator on every representation against expectations computed here, edge values included, under every
//! treatment: serial with exact guard failures, deferred exceptions, vector loops, threads.

#[path = "../common/mod.rs"]
mod common;
mod floats;
mod ints;
mod kinds;

use common::*;
use nestwise_codegen::abi::Status;
use nestwise_codegen::{CodegenError, compile};
use nestwise_ir::{BinOp, Expr, LoopId, Nest, Scalar, Schedule, Ty};

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

/// Runs `nest` on all pairs; `expect` gives the value, or nothing where a guard has to fail.
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
        // One at a time: guards fail exactly where they have to.
        for (x, y) in pairs {
            let mut run = Run::new(nest, buffers(&[(*x, *y)]));
            let h = run.run(&k, 0, 1);
            match expect(*x, *y) {
                None => {
                    assert_eq!(
                        status(&h),
                        Status::GuardFailed,
                        "{what}, {name}: {x:?} {y:?} gave {:?}",
                        run.arrays[2].get(0)
                    );
                    assert_eq!(h.at, 0);
                    assert_ne!(h.failure_code, 0);
                }
                Some(v) => {
                    assert_eq!(
                        status(&h),
                        Status::Done,
                        "{what}, {name}: {x:?} {y:?} failed"
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
        // One guard failure among many is noticed.
        if let Some(bad) = pairs.iter().find(|(x, y)| expect(*x, *y).is_none()) {
            for at in [0, fine.len() / 2, fine.len()] {
                let mut mixed = fine.clone();
                mixed.insert(at, *bad);
                let mut run = Run::new(nest, buffers(&mixed));
                let h = run.run(&k, 0, mixed.len() as i64);
                assert_eq!(
                    status(&h),
                    Status::GuardFailed,
                    "{what}, {name}: failure at {at} of {} missed",
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

/// CPython's `float_rem`.
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

/// The quotient of CPython's `_float_div_mod`.
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
