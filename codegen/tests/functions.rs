//! Mathematical functions: libm's bits and CPython's errors, NumPy's loops through registration, the fast path of
//! squares against libm's `pow`.

mod common;

use std::ffi::c_void;
use std::hint::black_box;

use common::*;
use nestwise_codegen::abi::{GuardFailure, Status};
use nestwise_codegen::{CodegenError, compile, register_c_function, register_ufunc};
use nestwise_ir::{BinOp, Expr, Fun, Lib, LoopId, Nest, Scalar, Schedule, Ty};

unsafe extern "C" {
    safe fn exp(x: f64) -> f64;
    safe fn log(x: f64) -> f64;
    safe fn log1p(x: f64) -> f64;
    safe fn sin(x: f64) -> f64;
    safe fn tanh(x: f64) -> f64;
    safe fn acosh(x: f64) -> f64;
    safe fn erf(x: f64) -> f64;
    safe fn atan2(y: f64, x: f64) -> f64;
    safe fn fmod(x: f64, y: f64) -> f64;
    safe fn pow(x: f64, y: f64) -> f64;
}

/// The cube root of libm. The linker would take that of Rust's own runtime, which gives other bits.
fn cbrt(x: f64) -> f64 {
    // SAFETY: a function of this type in every libm.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"cbrt".as_ptr());
        assert!(!found.is_null());
        std::mem::transmute::<*mut c_void, extern "C" fn(f64) -> f64>(found)(x)
    }
}

/// `for i: out[i] = f(x[i], y[i])`
fn apply(repr: Scalar, f: impl Fn(Expr, Expr) -> Expr) -> Nest {
    let mut b = Builder::new();
    let ty = Ty::py(repr);
    let [x, y, out] = [(); 3].map(|()| b.array(repr, ty, 1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let (vx, vy) = (
        b.load(x, vec![b.v(i)], false),
        b.load(y, vec![b.v(i)], false),
    );
    let put = b.store(out, vec![b.v(i)], f(vx, vy), false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    b.finish(top)
}

fn schedules() -> Vec<Schedule> {
    let l = LoopId(0);
    vec![
        Schedule::serial(),
        independent(l),
        vector(l, 4),
        vector(l, 16),
    ]
}

fn values() -> Vec<f64> {
    let mut v = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        -2.0,
        0.3,
        -7.7,
        100.0,
        709.0,
        710.0,
        -745.0,
        1e300,
        -1e300,
        1e-300,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut r = Random(3);
    v.extend((0..40).map(|_| (r.unit() - 0.5) * 20.0));
    v
}

/// CPython's rule: a NaN from arguments that are none, or an infinity from finite ones, raises.
fn raises(v: f64, args: &[f64]) -> bool {
    v.is_nan() && args.iter().all(|a| !a.is_nan())
        || v.is_infinite() && args.iter().all(|a| a.is_finite())
}

fn check(what: &str, nest: &Nest, pairs: &[(f64, f64)], f: impl Fn(f64, f64) -> Option<f64>) {
    let buffers = |pairs: &[(f64, f64)]| {
        let n = pairs.len() as i64;
        vec![
            Buffer::floats(&[n], |k| pairs[k].0),
            Buffer::floats(&[n], |k| pairs[k].1),
            Buffer::floats(&[n], |_| 0.0),
        ]
    };
    let fine: Vec<(f64, f64)> = pairs
        .iter()
        .copied()
        .filter(|p| f(p.0, p.1).is_some())
        .collect();
    for schedule in schedules() {
        let kernel = kernel(nest, &schedule);
        for p in pairs.iter().filter(|p| f(p.0, p.1).is_none()) {
            let mut run = Run::new(nest, buffers(&[*p]));
            assert_eq!(
                status(&run.run(&kernel, 0, 1)),
                Status::GuardFailed,
                "{what} {p:?} must fail"
            );
        }
        let mut run = Run::new(nest, buffers(&fine));
        run.done(&kernel, 0, fine.len() as i64);
        for (k, p) in fine.iter().enumerate() {
            let (got, want) = (run.arrays[2].get(k), Value::F64(f(p.0, p.1).unwrap()));
            assert!(got.same(want), "{what} {p:?} gave {got:?}, not {want:?}");
        }
    }
}

type F1 = fn(f64) -> f64;
type F2 = fn(f64, f64) -> f64;

#[test]
fn libm_functions_with_cpython_s_errors() {
    let table: [(Fun, F1); 13] = [
        (Fun::Exp, |x| exp(x)),
        (Fun::Log, |x| log(x)),
        (Fun::Log1p, |x| log1p(x)),
        (Fun::Sin, |x| sin(x)),
        (Fun::Tanh, |x| tanh(x)),
        (Fun::Acosh, |x| acosh(x)),
        (Fun::Cbrt, |x| cbrt(x)),
        (Fun::Erf, |x| erf(x)),
        (Fun::Sqrt, f64::sqrt),
        (Fun::Fabs, f64::abs),
        (Fun::Floor, f64::floor),
        (Fun::Ceil, f64::ceil),
        (Fun::Rint, f64::round_ties_even),
    ];
    let pairs: Vec<(f64, f64)> = values().into_iter().map(|v| (v, 0.0)).collect();
    for (fun, f) in table {
        let nest = apply(Scalar::F64, |x, _| call(fun, Lib::C, vec![x], F64, true));
        check(&format!("{fun:?}"), &nest, &pairs, |x, _| {
            Some(f(x)).filter(|v| !raises(*v, &[x]))
        });
    }
}

#[test]
fn functions_of_two_arguments() {
    let table: [(Fun, F2); 4] = [
        (Fun::Atan2, |x, y| atan2(x, y)),
        (Fun::Fmod, |x, y| fmod(x, y)),
        (Fun::Pow, |x, y| pow(x, y)),
        (Fun::Copysign, f64::copysign),
    ];
    let mut pairs = vec![];
    for x in values().into_iter().step_by(2) {
        pairs.extend(values().into_iter().map(|y| (x, y)));
    }
    for (fun, f) in table {
        let nest = apply(Scalar::F64, |x, y| call(fun, Lib::C, vec![x, y], F64, true));
        check(&format!("{fun:?}"), &nest, &pairs, |x, y| {
            Some(f(x, y)).filter(|v| !raises(*v, &[x, y]))
        });
    }
}

/// Remainders of all magnitudes, where the quotient is near an integer too.
#[test]
fn remainders_are_exact() {
    let nest = apply(Scalar::F64, |x, y| {
        call(Fun::Fmod, Lib::C, vec![x, y], F64, true)
    });
    let mut r = Random(11);
    let mut pairs = vec![];
    for _ in 0..100_000 {
        let y = (r.unit() + 0.01) * 10f64.powi(r.below(40) as i32 - 20);
        let near = (r.below(1 << 53) as f64 / 2f64.powi(r.below(50) as i32)).floor();
        let x = match r.below(3) {
            0 => y * near,
            1 => (y * near).next_up(),
            _ => (r.unit() - 0.5) * 10f64.powi(r.below(40) as i32 - 20),
        };
        pairs.push((x, if r.below(2) == 0 { y } else { -y }));
    }
    check("fmod", &nest, &pairs, |x, y| Some(fmod(x, y)));
}

/// `x ** 2.0` is libm's `pow` to the bit, on more than ten million arguments.
#[test]
fn squares_have_the_bits_of_pow() {
    let two = || constant(nestwise_ir::Const::Float(2.0), F64);
    let nest = apply(Scalar::F64, |x, _| bin(BinOp::Pow, x, two(), true));
    let special: Vec<(f64, f64)> = values().into_iter().map(|v| (v, 0.0)).collect();
    check("square", &nest, &special, |x, _| {
        Some(pow(x, black_box(2.0))).filter(|v| !raises(*v, &[x]))
    });
    let mut r = Random(5);
    const N: usize = 1 << 16;
    for schedule in [Schedule::serial(), vector(LoopId(0), 8)] {
        let kernel = kernel(&nest, &schedule);
        for round in 0..80 {
            let mut next = || {
                let mantissa = 1.0 + r.unit();
                match round % 4 {
                    // Everyday sizes; all exponents that do not overflow; squares near powers of two; short numbers.
                    0 => (mantissa - 1.5) * 100.0,
                    1 => mantissa * 2f64.powi(r.below(1000) as i32 - 500),
                    2 => {
                        std::f64::consts::SQRT_2
                            * (1.0 + (r.unit() - 0.5) * 1e-15 * r.below(64) as f64)
                    }
                    _ => (r.below(1 << 30) as f64) / 1024.0,
                }
            };
            let xs: Vec<f64> = (0..N).map(|_| next()).collect();
            let input = Buffer::floats(&[N as i64], |k| xs[k]);
            let mut run = Run::new(
                &nest,
                vec![input.clone(), input, Buffer::new(Scalar::F64, &[N as i64])],
            );
            run.done(&kernel, 0, N as i64);
            for (x, got) in xs.iter().zip(run.arrays[2].f64s()) {
                // An exponent that the Rust compiler knows would become a product here.
                assert_eq!(got.to_bits(), pow(*x, black_box(2.0)).to_bits(), "{x:e}");
            }
        }
    }
}

/// A stand-in for a NumPy loop: 3 x + 1, or x + 10 y; one of them differs in batches.
unsafe extern "C" fn affine_loop(
    args: *mut *mut u8,
    n: *const isize,
    steps: *const isize,
    _: *mut c_void,
) {
    unsafe {
        for k in 0..*n {
            let x = *(*args).offset(k * *steps).cast::<f64>();
            *(*args.add(1)).offset(k * *steps.add(1)).cast::<f64>() = 3.0 * x + 1.0;
        }
    }
}
unsafe extern "C" fn weighted_loop(
    args: *mut *mut u8,
    n: *const isize,
    steps: *const isize,
    _: *mut c_void,
) {
    unsafe {
        for k in 0..*n {
            let x = *(*args).offset(k * *steps).cast::<f64>();
            let y = *(*args.add(1)).offset(k * *steps.add(1)).cast::<f64>();
            *(*args.add(2)).offset(k * *steps.add(2)).cast::<f64>() = x + 10.0 * y;
        }
    }
}
unsafe extern "C" fn moody_loop(
    args: *mut *mut u8,
    n: *const isize,
    steps: *const isize,
    _: *mut c_void,
) {
    unsafe {
        for k in 0..*n {
            let x = *(*args).offset(k * *steps).cast::<f64>();
            // Another result where it has company.
            *(*args.add(1)).offset(k * *steps.add(1)).cast::<f64>() =
                if *n > 1 { x + 1e-9 } else { x };
        }
    }
}

#[test]
fn numpy_functions_go_through_registered_loops() {
    let unregistered = apply(Scalar::F64, |x, _| {
        call(Fun::Asinh, Lib::Numpy, vec![x], F64, false)
    });
    let error = compile(spec(&unregistered, &Schedule::serial())).err();
    assert_eq!(
        error,
        Some(CodegenError::Unregistered(Fun::Asinh, Scalar::F64))
    );
    unsafe {
        assert!(register_ufunc(
            Fun::Exp,
            Scalar::F64,
            affine_loop,
            std::ptr::null_mut()
        ));
        assert!(register_ufunc(
            Fun::Atan2,
            Scalar::F64,
            weighted_loop,
            std::ptr::null_mut()
        ));
        assert!(register_ufunc(
            Fun::Tan,
            Scalar::F64,
            moody_loop,
            std::ptr::null_mut()
        ));
        assert!(!register_ufunc(
            Fun::Sqrt,
            Scalar::F64,
            affine_loop,
            std::ptr::null_mut()
        ));
    }
    let pairs: Vec<(f64, f64)> = (0..50).map(|k| (f64::from(k), f64::from(k * k))).collect();
    let nest = apply(Scalar::F64, |x, _| {
        call(Fun::Exp, Lib::Numpy, vec![x], F64, false)
    });
    check("np.exp", &nest, &pairs, |x, _| Some(3.0 * x + 1.0));
    let nest = apply(Scalar::F64, |x, y| {
        call(Fun::Atan2, Lib::Numpy, vec![x, y], F64, false)
    });
    check("np.arctan2", &nest, &pairs, |x, y| Some(x + 10.0 * y));
    let nest = apply(Scalar::F64, |x, _| {
        call(Fun::Tan, Lib::Numpy, vec![x], F64, false)
    });
    check("np.tan", &nest, &pairs, |x, _| Some(x));
}

extern "C" fn taxicab(x: f64, y: f64) -> f64 {
    x.abs() + y.abs()
}

#[test]
fn hypot_is_cpython_s_own() {
    let nest = apply(Scalar::F64, |x, y| {
        call(Fun::Hypot, Lib::C, vec![x, y], F64, true)
    });
    let error = compile(spec(&nest, &Schedule::serial())).err();
    assert_eq!(
        error,
        Some(CodegenError::Unregistered(Fun::Hypot, Scalar::F64))
    );
    assert!(unsafe { register_c_function(Fun::Hypot, taxicab as *const c_void) });
    check("hypot", &nest, &[(3.0, -4.0), (1e308, 1e308)], |x, y| {
        Some(taxicab(x, y)).filter(|v| !raises(*v, &[x, y]))
    });
}

/// A guard failure names what failed, and the line of the operation.
#[test]
fn events_say_what_and_where() {
    let nest = apply(Scalar::F64, |x, _| {
        call(Fun::Log, Lib::C, vec![x], F64, true)
    });
    let kernel = kernel(&nest, &Schedule::serial());
    let one = Buffer::floats(&[3], |k| 1.0 - k as f64);
    let mut run = Run::new(&nest, vec![one.clone(), one.clone(), one]);
    let h = run.run(&kernel, 0, 3);
    assert_eq!(
        GuardFailure::from_code(h.failure_code),
        Some(GuardFailure::Math)
    );
    assert_eq!((h.at, h.failure_line), (1, 9));
}
