//! Mathematical functions of the C library's vectors (`--fp faithful`): within 4 ulps of the scalar ones, the same bits
//! wherever an argument stands, and strict results, errors and flags for every argument that is not ordinary.

mod common;

use common::*;
use nestwise_codegen::abi::Status;
use nestwise_codegen::{FpMode, KernelSpec, llvm_ir};
use nestwise_ir::{BinOp, Expr, Fun, Lib, LoopId, Nest, Scalar, Schedule, Ty};

/// The most units in the last place that a function may be off: what the library is documented to keep within, and half
/// an ulp for the scalar function compared with.
const MOST_ULPS: u64 = 5;

const ONE: [Fun; 21] = [
    Fun::Exp,
    Fun::Exp2,
    Fun::Expm1,
    Fun::Log,
    Fun::Log2,
    Fun::Log10,
    Fun::Log1p,
    Fun::Sin,
    Fun::Cos,
    Fun::Tan,
    Fun::Asin,
    Fun::Acos,
    Fun::Atan,
    Fun::Sinh,
    Fun::Cosh,
    Fun::Tanh,
    Fun::Asinh,
    Fun::Acosh,
    Fun::Atanh,
    Fun::Cbrt,
    Fun::Erf,
];

/// `for i: out[i] = f(x[i], y[i])`
fn apply(f: impl Fn(Expr, Expr) -> Expr) -> Nest {
    let mut b = Builder::new();
    let ty = Ty::py(Scalar::F64);
    let [x, y, out] = [(); 3].map(|()| b.array(Scalar::F64, ty, 1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let (vx, vy) = (
        b.load(x, vec![b.v(i)], false),
        b.load(y, vec![b.v(i)], false),
    );
    let put = b.store(out, vec![b.v(i)], f(vx, vy), false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    b.finish(top)
}

fn nests() -> Vec<(String, Nest)> {
    let one = |fun| {
        let nest = apply(move |x, _| call(fun, Lib::C, vec![x], F64, true));
        (format!("{fun:?}"), nest)
    };
    let two = |fun| {
        let nest = apply(move |x, y| call(fun, Lib::C, vec![x, y], F64, true));
        (format!("{fun:?}"), nest)
    };
    let mut all: Vec<_> = ONE.into_iter().chain([Fun::Erfc]).map(one).collect();
    all.extend([Fun::Atan2, Fun::Pow].map(two));
    all.push(("**".into(), apply(|x, y| bin(BinOp::Pow, x, y, true))));
    all
}

fn schedules() -> Vec<Schedule> {
    let l = LoopId(0);
    let mut all = vec![Schedule::serial(), independent(l)];
    all.extend([2, 4, 8, 16, 64].map(|lanes| vector(l, lanes)));
    all
}

fn faithful<'a>(nest: &'a Nest, schedule: &'a Schedule) -> KernelSpec<'a> {
    KernelSpec {
        fp: FpMode::Faithful,
        ..spec(nest, schedule)
    }
}

/// Whether this machine has the library at all.
fn has_library() -> bool {
    let nest = apply(|x, _| call(Fun::Exp, Lib::C, vec![x], F64, true));
    let (raw, _) = llvm_ir(faithful(&nest, &Schedule::serial())).expect("compiles");
    raw.contains("_ZGV")
}

fn special() -> Vec<f64> {
    let mut all = vec![
        0.0,
        5e-324,
        1e-310,
        2.2e-308,
        f64::MIN_POSITIVE,
        1e-300,
        1e-20,
        0.9999,
        0.999_999,
        1.0,
        1.0625,
        15.0,
        26.0,
        700.0,
        709.7,
        710.0,
        745.0,
        1000.0,
        1e4,
        1e15,
        1e22,
        1e150,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let near: Vec<f64> = all
        .iter()
        .flat_map(|v| [v.next_up(), v.next_down()])
        .collect();
    all.extend(near);
    let negative: Vec<f64> = all.iter().map(|v| -v).collect();
    all.extend(negative);
    all
}

fn random(count: usize, seed: u64) -> Vec<f64> {
    let mut r = Random(seed);
    let mut next = || match r.below(4) {
        0 => (r.unit() - 0.5) * 2.0,
        1 => (r.unit() - 0.5) * 40.0,
        2 => r.unit() * 700.0,
        _ => (r.unit() - 0.5) * 10f64.powi(r.below(40) as i32 - 20),
    };
    (0..count).map(|_| next()).collect()
}

/// The results of a kernel in which no guard must fail.
fn results(nest: &Nest, spec: KernelSpec<'_>, x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len() as i64;
    let buffers = vec![
        Buffer::floats(&[n], |k| x[k]),
        Buffer::floats(&[n], |k| y[k]),
        Buffer::new(Scalar::F64, &[n]),
    ];
    let mut run = Run::new(nest, buffers);
    run.done(&kernel_of(spec), 0, n);
    run.arrays[2].f64s()
}

/// The pairs for which no guard of strict code fails.
fn fine(nest: &Nest, pairs: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let kernel = kernel(nest, &Schedule::serial());
    let fails = |p: &(f64, f64)| {
        let buffers = vec![
            Buffer::floats(&[1], |_| p.0),
            Buffer::floats(&[1], |_| p.1),
            Buffer::new(Scalar::F64, &[1]),
        ];
        status(&Run::new(nest, buffers).run(&kernel, 0, 1)) == Status::GuardFailed
    };
    pairs.iter().copied().filter(|p| !fails(p)).collect()
}

fn ulps_apart(a: f64, b: f64) -> u64 {
    if a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan() {
        return 0;
    }
    if a.is_sign_negative() != b.is_sign_negative() || !a.is_finite() || !b.is_finite() {
        return u64::MAX;
    }
    a.to_bits().abs_diff(b.to_bits())
}

#[test]
fn near_to_the_scalar_functions_and_the_same_in_every_position() {
    let x: Vec<f64> = special().into_iter().chain(random(400, 1)).collect();
    let mut differ = 0;
    for (what, nest) in nests() {
        let shift = x.iter().cycle().skip(7).step_by(3);
        let pairs: Vec<(f64, f64)> = x.iter().copied().zip(shift.copied()).collect();
        let (x, y): (Vec<f64>, Vec<f64>) = fine(&nest, &pairs).into_iter().unzip();
        assert!(x.len() > 100, "{what}");
        let serial = Schedule::serial();
        let strict = results(&nest, spec(&nest, &serial), &x, &y);
        let first = results(&nest, faithful(&nest, &serial), &x, &y);
        for (k, (a, b)) in first.iter().zip(&strict).enumerate() {
            let ulps = ulps_apart(*a, *b);
            assert!(
                ulps <= MOST_ULPS,
                "{what}({:e}, {:e}): {a:e}, not {b:e}",
                x[k],
                y[k]
            );
            differ += usize::from(ulps > 0);
        }
        for schedule in schedules() {
            // Each argument at other places, in whole vectors and in what is left behind them.
            for start in [0, 1, 2, 5] {
                let got = results(&nest, faithful(&nest, &schedule), &x[start..], &y[start..]);
                for (k, (a, b)) in got.iter().zip(&first[start..]).enumerate() {
                    let (x, y) = (x[start + k], y[start + k]);
                    assert_eq!(ulps_apart(*a, *b), 0, "{what}({x:e}, {y:e}): {a:e}, {b:e}");
                }
            }
        }
    }
    assert!(
        differ > 0 || !has_library(),
        "nothing came from the library"
    );
}

#[test]
fn what_raises_raises() {
    let x = special();
    for (what, nest) in nests() {
        let y: Vec<f64> = x.iter().rev().copied().collect();
        let pairs: Vec<(f64, f64)> = x.iter().copied().zip(y).collect();
        let fine = fine(&nest, &pairs);
        for schedule in [
            Schedule::serial(),
            independent(LoopId(0)),
            vector(LoopId(0), 8),
        ] {
            let kernel = kernel_of(faithful(&nest, &schedule));
            for p in &pairs {
                let n = 9;
                // In the company of an ordinary argument.
                let pick = |k: usize, v: f64| if k == 4 { v } else { 1.5 };
                let buffers = vec![
                    Buffer::floats(&[n], |k| pick(k, p.0)),
                    Buffer::floats(&[n], |k| pick(k, p.1)),
                    Buffer::new(Scalar::F64, &[n]),
                ];
                let alone = fine
                    .iter()
                    .any(|q| q.0.to_bits() == p.0.to_bits() && q.1.to_bits() == p.1.to_bits());
                let company = !matches!(what.as_str(), "Asin" | "Acos" | "Atanh");
                let got = status(&Run::new(&nest, buffers).run(&kernel, 0, n));
                let expected = if alone && company {
                    Status::Done
                } else {
                    Status::GuardFailed
                };
                assert_eq!(got, expected, "{what} {p:?}");
            }
        }
    }
}

#[test]
fn ordinary_arguments_raise_no_flag() {
    unsafe extern "C" {
        fn feclearexcept(which: i32) -> i32;
        fn fetestexcept(which: i32) -> i32;
    }
    // Invalid, division by zero, overflow: what NumPy looks at.
    const WATCHED: i32 = 1 | 4 | 8;
    let mut x: Vec<f64> = special();
    x.extend(random(3000, 2));
    x.retain(|v| v.is_finite());
    for (what, nest) in nests() {
        let pairs: Vec<(f64, f64)> = x.iter().map(|v| (*v, 1.5)).collect();
        let fine = fine(&nest, &pairs);
        let kernel = kernel_of(faithful(&nest, &vector(LoopId(0), 8)));
        for batch in fine.chunks(16) {
            let n = batch.len() as i64;
            let buffers = vec![
                Buffer::floats(&[n], |k| batch[k].0),
                Buffer::floats(&[n], |k| batch[k].1),
                Buffer::new(Scalar::F64, &[n]),
            ];
            let mut run = Run::new(&nest, buffers);
            unsafe { feclearexcept(0x3f) };
            run.done(&kernel, 0, n);
            let raised = unsafe { fetestexcept(WATCHED) };
            assert_eq!(raised, 0, "{what} {batch:?}");
        }
    }
}

#[test]
fn vectors_call_the_library_and_strict_code_never_does() {
    let nest = apply(|x, _| call(Fun::Exp, Lib::C, vec![x], F64, true));
    for schedule in schedules() {
        let (raw, text) = llvm_ir(spec(&nest, &schedule)).expect("compiles");
        assert!(!raw.contains("_ZGV") && !text.contains("_ZGV"));
        if !has_library() {
            continue;
        }
        let (_, text) = llvm_ir(faithful(&nest, &schedule)).expect("compiles");
        assert!(text.contains("x double> @_ZGV"), "{text}");
        if schedule != Schedule::serial() {
            let body = text.split("@nw_entry").last().unwrap_or_default();
            assert!(
                body.contains("x double> @nw_"),
                "no vectors of exp:\n{text}"
            );
        }
        // Forms that nobody asked for are gone.
        assert!(text.matches("define internal").count() <= 5, "{text}");
    }
}
