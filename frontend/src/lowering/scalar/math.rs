//! The `math` module and NumPy's functions of scalars.

use nestwise_ir::model::nest::{Cast, CmpOp, Expr};
use nestwise_ir::surface::{BinOp as Op, UnOp as Sign};
use nestwise_ir::{BinOp, Fun, Lib, Scalar, Span, Ty};

use crate::builtins::{Known, MathFn, MathSpecial, NumpyFn, NumpySpecial};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::{arith, compare, conversions, convert, named};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{self, Kind};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::refusal::{R, Refusal, refuse};

/// Whether a C library function is exact and cannot fail.
fn harmless(fun: Fun) -> bool {
    matches!(
        fun,
        Fun::Fabs | Fun::Floor | Fun::Ceil | Fun::Trunc | Fun::Rint | Fun::Copysign
    ) || matches!(fun, Fun::IsNan | Fun::IsInf | Fun::IsFinite)
}

fn wrong(name: &str, args: &[&Sv], span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let types: Vec<String> = args.iter().map(|a| a.kinds.to_string()).collect();
    refuse(
        span,
        Refusal::Arguments {
            name: name.into(),
            why: format!("arguments of type {}", types.join(", ")),
        },
    )
}

/// Converts an argument to a float as the math module takes it: any real number.
pub(crate) fn real(name: &str, a: &Sv, span: Span) -> R<Expr> {
    if a.kinds.any(|k| k == Kind::Char || k.is_complex()) {
        return Err(wrong(name, &[a], span));
    }
    let a = convert::commit(a.clone());
    let e = convert::in_repr(&a, Scalar::F64, false).ok_or_else(|| wrong(name, &[&a], span))?;
    Ok(build::retype(e, Ty::PY_FLOAT))
}

/// Lowers a call of a function of `math`.
pub(crate) fn math(cx: &mut Lowering<'_>, f: MathFn, args: Vec<Sv>, span: Span) -> R<Sv> {
    let name = Known::Math(f).name();
    let count = |n: usize| {
        let why = format!("{} arguments", args.len());
        if args.len() == n {
            Ok(())
        } else {
            Err(refuse(
                span,
                Refusal::Arguments {
                    name: name.clone(),
                    why,
                },
            ))
        }
    };
    let special = match f {
        MathFn::Unary(fun) => {
            count(1)?;
            let x = real(&name, &args[0], span)?;
            return Ok(c_call(fun, vec![x], span));
        }
        MathFn::Special(special) => special,
    };
    let fun = match special {
        MathSpecial::Floor | MathSpecial::Ceil | MathSpecial::Trunc => {
            count(1)?;
            return whole(special, &args[0], &name, span);
        }
        MathSpecial::Degrees | MathSpecial::Radians => {
            count(1)?;
            let x = real(&name, &args[0], span)?;
            let pi = std::f64::consts::PI;
            let factor = if special == MathSpecial::Degrees {
                180.0 / pi
            } else {
                pi / 180.0
            };
            let e = build::binary(
                BinOp::Mul,
                x,
                build::float(factor, Ty::PY_FLOAT, span),
                Ty::PY_FLOAT,
                false,
                span,
            );
            return Ok(Sv::of(e, Kind::PyFloat));
        }
        // Loops by now, unless they were given arguments by name.
        MathSpecial::Gcd | MathSpecial::Isqrt | MathSpecial::Factorial | MathSpecial::Comb => {
            let why = format!("{} arguments", args.len());
            return Err(refuse(span, Refusal::Arguments { name, why }));
        }
        MathSpecial::Log if args.len() == 2 => {
            // log(x) / log(base), as Python's division.
            let x = real(&name, &args[0], span)?;
            let base = real(&name, &args[1], span)?;
            let (x, base) = (
                c_call(Fun::Log, vec![x], span),
                c_call(Fun::Log, vec![base], span),
            );
            return arith::arith(cx, Op::Div, x, base, span);
        }
        MathSpecial::Log => Fun::Log,
        MathSpecial::Pow => Fun::Pow,
        MathSpecial::Atan2 => Fun::Atan2,
        MathSpecial::Hypot => Fun::Hypot,
        MathSpecial::Fmod => Fun::Fmod,
        MathSpecial::Copysign => Fun::Copysign,
        MathSpecial::IsNan => Fun::IsNan,
        MathSpecial::IsInf => Fun::IsInf,
        MathSpecial::IsFinite => Fun::IsFinite,
    };
    let two = matches!(
        fun,
        Fun::Pow | Fun::Atan2 | Fun::Fmod | Fun::Copysign | Fun::Hypot
    );
    count(if two { 2 } else { 1 })?;
    let mut reals = Vec::new();
    for a in &args {
        reals.push(real(&name, a, span)?);
    }
    if fun == Fun::Pow
        && cx.env.options.python_minor <= 10
        && let Some(y) = reals.pop()
    {
        // pow(0.0, -inf) raised until CPython 3.11: so does this power, which has the same value everywhere else.
        let least = build::float(-f64::MAX, Ty::PY_FLOAT, span);
        reals.push(build::binary(
            BinOp::Max,
            y,
            least,
            Ty::PY_FLOAT,
            false,
            span,
        ));
    }
    Ok(c_call(fun, reals, span))
}

fn c_call(fun: Fun, args: Vec<Expr>, span: Span) -> Sv {
    if matches!(fun, Fun::IsNan | Fun::IsInf | Fun::IsFinite) {
        return Sv::of(
            build::call(fun, Lib::C, args, Ty::PY_BOOL, false, span),
            Kind::PyBool,
        );
    }
    // math.hypot overflows to infinity, and nothing raises.
    let guard = !harmless(fun) && fun != Fun::Hypot;
    Sv::of(
        build::call(fun, Lib::C, args, Ty::PY_FLOAT, guard, span),
        Kind::PyFloat,
    )
}

/// Lowers `math.floor`, `ceil`, `trunc`, which give Python ints.
fn whole(f: MathSpecial, a: &Sv, name: &str, span: Span) -> R<Sv> {
    if a.kinds.any(|k| k == Kind::Char || k.is_complex()) {
        return Err(wrong(name, &[a], span));
    }
    // NumPy's scalars other than float64 (which is a float) have no __trunc__.
    let no_trunc = |k: Kind| !k.is_py() && k != Kind::Np(Scalar::F64);
    if f == MathSpecial::Trunc && a.kinds.any(no_trunc) {
        return Err(refuse(
            span,
            Refusal::AlwaysRaises {
                what: format!("{name} of {}", a.kinds),
            },
        ));
    }
    if a.is_int() {
        let limit = build::exact_limit(Scalar::F64);
        let python = a.kinds.py_integral();
        let small = intervals::within(a.range, (-limit, limit));
        if python || small {
            return conversions::int_of(a.clone(), span);
        }
    }
    // NumPy ints go through float64; beyond 2**53 that would show, and the guarded cast bails out.
    let a = convert::commit(a.clone());
    let x = convert::in_repr(&a, Scalar::F64, true).ok_or_else(|| wrong(name, &[&a], span))?;
    let x = build::retype(x, Ty::PY_FLOAT);
    let x = match f {
        MathSpecial::Floor => build::call(Fun::Floor, Lib::C, vec![x], Ty::PY_FLOAT, false, span),
        MathSpecial::Ceil => build::call(Fun::Ceil, Lib::C, vec![x], Ty::PY_FLOAT, false, span),
        _ => x,
    };
    Ok(Sv::of(
        build::cast(Cast::Trunc, x, Ty::PY_INT, true),
        Kind::PyInt,
    ))
}

/// The float type a ufunc computes in for an argument of this type.
fn float_type(kind: Kind) -> Option<Scalar> {
    match kind {
        Kind::PyInt | Kind::PyFloat => Some(Scalar::F64),
        Kind::Np(Scalar::F32) => Some(Scalar::F32),
        Kind::Np(s) if s == Scalar::F64 || (s.is_int() && s.bits() >= 32) => Some(Scalar::F64),
        Kind::Np(s) if s.is_int() && s.bits() == 16 => Some(Scalar::F32),
        // Bools and 8-bit ints give a float16.
        _ => None,
    }
}

/// The common representation of all combinations of argument types.
fn agreed(
    name: &str,
    args: &[&Sv],
    f: impl Fn(&[Kind]) -> Option<Scalar>,
    span: Span,
) -> R<Scalar> {
    let mut result: Option<Scalar> = None;
    let mut combos: Vec<Vec<Kind>> = vec![vec![]];
    for a in args {
        combos = combos
            .iter()
            .flat_map(|c| a.kinds.iter().map(|k| [c.clone(), vec![k]].concat()))
            .collect();
    }
    for combo in combos {
        let s = f(&combo).ok_or_else(|| wrong(name, args, span))?;
        if result.is_some_and(|r| r != s) {
            return Err(wrong(name, args, span));
        }
        result = Some(s);
    }
    result.ok_or_else(|| wrong(name, args, span))
}

/// Converts an argument to a ufunc's type.
fn argument(name: &str, a: &Sv, to: Scalar, span: Span) -> R<Expr> {
    let a = convert::commit(a.clone());
    let e = convert::in_repr(&a, to, false).ok_or_else(|| wrong(name, &[&a], span))?;
    Ok(build::retype(e, Ty::np(to)))
}

/// Lowers a call of one of NumPy's functions on scalars.
pub(crate) fn numpy(cx: &mut Lowering<'_>, f: NumpyFn, args: Vec<Sv>, span: Span) -> R<Sv> {
    let name = Known::Numpy(f).name();
    let name = name.as_str();
    match (f, args.as_slice()) {
        (NumpyFn::Unary(fun), [a]) => {
            let s = agreed(name, &[a], |k| float_type(k[0]), span)?;
            let x = argument(name, a, s, span)?;
            let e = build::call(fun, Lib::Numpy, vec![x], Ty::np(s), !harmless(fun), span);
            Ok(Sv::of(e, Kind::Np(s)))
        }
        (NumpyFn::Test(fun), [a]) => {
            let s = agreed(
                name,
                &[a],
                |k| {
                    if k[0].is_integral() {
                        Some(Scalar::I64)
                    } else {
                        float_type(k[0])
                    }
                },
                span,
            )?;
            if s == Scalar::I64 {
                // Every int is finite.
                let e = build::boolean(fun == Fun::IsFinite, Ty::NP_BOOL, span);
                convert::keep_guards(&mut cx.builder, a);
                return Ok(Sv::of(e, Kind::Np(Scalar::Bool)));
            }
            let x = argument(name, a, s, span)?;
            Ok(Sv::of(
                build::call(fun, Lib::Numpy, vec![x], Ty::NP_BOOL, false, span),
                Kind::Np(Scalar::Bool),
            ))
        }
        (NumpyFn::Binary(fun), [a, b]) => {
            let ints = matches!(fun, Fun::Pow | Fun::Fmod);
            let common = |k: &[Kind]| {
                let s = kinds::ufunc_type(k[0], k[1])?;
                if s.is_float() {
                    return Some(s);
                }
                // Two ints are computed as ints by some, as floats by others: in the least that has room for both.
                let room = |k: &Kind| float_type(*k);
                match k {
                    _ if ints => None,
                    [Kind::Np(_), Kind::Np(_)] => {
                        k.iter().filter_map(room).max_by_key(|s| s.size())
                    }
                    _ => float_type(Kind::Np(s)),
                }
            };
            let s = agreed(name, &[a, b], common, span)?;
            let (x, y) = (argument(name, a, s, span)?, argument(name, b, s, span)?);
            let e = build::call(fun, Lib::Numpy, vec![x, y], Ty::np(s), !harmless(fun), span);
            Ok(Sv::of(e, Kind::Np(s)))
        }
        (NumpyFn::Special(special), _) => numpy_special(cx, special, args, name, span),
        _ => Err(wrong(name, &args.iter().collect::<Vec<_>>(), span)),
    }
}

/// The argument as a NumPy scalar of its own type.
fn as_numpy(name: &str, a: &Sv, span: Span) -> R<Sv> {
    let s = agreed(name, &[a], |k| kinds::alone(k[0]), span)?;
    let e = argument(name, a, s, span)?;
    let range = a.range;
    let sv = Sv::of(e, Kind::Np(s));
    Ok(if s.is_int() {
        sv.with_range(intervals::of(s).map_or(range, |all| intervals::clamp(range, all)))
    } else {
        sv
    })
}

fn numpy_special(
    cx: &mut Lowering<'_>,
    f: NumpySpecial,
    args: Vec<Sv>,
    name: &str,
    span: Span,
) -> R<Sv> {
    use NumpySpecial as N;
    let unary = |args: &[Sv]| match args {
        [a] => Ok(a.clone()),
        _ => Err(wrong(name, &args.iter().collect::<Vec<_>>(), span)),
    };
    match f {
        N::Abs | N::Absolute => {
            let a = unary(&args)?;
            let a = as_numpy(name, &a, span)?;
            if a.kinds.any(Kind::is_complex) {
                // The ufunc's algorithm is not that of a scalar's abs().
                return Err(wrong(name, &[&a], span));
            }
            arith::absolute(a, span)
        }
        N::Floor | N::Ceil | N::Trunc => {
            let a = unary(&args)?;
            let a = as_numpy(name, &a, span)?;
            if !a.repr().is_float() {
                return if a.kinds.integral() && cx.env.options.whole_ints {
                    Ok(a)
                } else {
                    Err(wrong(name, &[&a], span))
                };
            }
            let fun = match f {
                N::Floor => Fun::Floor,
                N::Ceil => Fun::Ceil,
                _ => Fun::Trunc,
            };
            let ty = a.e.ty;
            Ok(Sv::new(
                build::call(fun, Lib::Numpy, vec![a.e], ty, false, span),
                a.kinds,
            ))
        }
        N::Square => {
            let a = unary(&args)?;
            let a = as_numpy(name, &a, span)?;
            if a.repr() == Scalar::Bool || a.repr() == Scalar::C128 {
                return Err(wrong(name, &[&a], span));
            }
            let (named, a) = named::named(&mut cx.builder, a);
            let mut square = arith::arith(cx, Op::Mul, a.clone(), a, span)?;
            if let Some((var, value)) = named {
                square.e = build::bind(var, value, square.e);
            }
            Ok(square)
        }
        N::Sign => {
            let a = unary(&args)?;
            numpy_sign(&mut cx.builder, &a, name, span)
        }
        N::Negative => {
            let a = unary(&args)?;
            let a = as_numpy(name, &a, span)?;
            arith::sign(&mut cx.env, Sign::Neg, a, span)
        }
        N::LogicalNot => {
            let a = unary(&args)?;
            let truth = convert::truth(&mut cx.builder, Val::Scalar(a), span)?;
            Ok(arith::as_kind(build::not(truth), Kind::Np(Scalar::Bool)))
        }
        _ => {
            let [a, b] = args.as_slice() else {
                return Err(wrong(name, &args.iter().collect::<Vec<_>>(), span));
            };
            numpy_binary(cx, f, a, b, name, span)
        }
    }
}

/// Lowers `np.sign`: NaN stays, zero gives +0.
fn numpy_sign(builder: &mut Builder, a: &Sv, name: &str, span: Span) -> R<Sv> {
    let a = as_numpy(name, a, span)?;
    if !a.repr().is_float() && !a.repr().is_int() {
        return Err(wrong(name, &[&a], span));
    }
    let (named, a) = named::named(builder, a);
    let ty = a.e.ty;
    let zero = convert::literal(&a, 0, span);
    let positive = build::compare(CmpOp::Gt, a.e.clone(), zero.clone(), Ty::PY_BOOL, span);
    let negative = build::compare(CmpOp::Lt, a.e.clone(), zero.clone(), Ty::PY_BOOL, span);
    let is_zero = build::compare(CmpOp::Eq, a.e.clone(), zero.clone(), Ty::PY_BOOL, span);
    let rest = build::select(is_zero, zero, a.e.clone(), ty);
    let e = if a.repr().is_unsigned() {
        rest
    } else {
        build::select(negative, convert::literal(&a, -1, span), rest, ty)
    };
    let mut e = build::select(positive, convert::literal(&a, 1, span), e, ty);
    if let Some((var, value)) = named {
        e = build::bind(var, value, e);
    }
    Ok(Sv::new(e, a.kinds))
}

fn numpy_binary(
    cx: &mut Lowering<'_>,
    f: NumpySpecial,
    a: &Sv,
    b: &Sv,
    name: &str,
    span: Span,
) -> R<Sv> {
    use NumpySpecial as N;
    if matches!(f, N::LogicalAnd | N::LogicalOr) {
        // Both are evaluated: a ufunc does not short-circuit.
        let x = convert::truth(&mut cx.builder, Val::Scalar(a.clone()), span)?;
        let y = convert::truth(&mut cx.builder, Val::Scalar(b.clone()), span)?;
        let op = if f == N::LogicalAnd {
            BinOp::And
        } else {
            BinOp::Or
        };
        let e = build::binary(op, x, y, Ty::PY_BOOL, false, span);
        return Ok(arith::as_kind(e, Kind::Np(Scalar::Bool)));
    }
    let s = agreed(name, &[a, b], |k| kinds::ufunc_type(k[0], k[1]), span)?;
    let (x, y) = (argument(name, a, s, span)?, argument(name, b, s, span)?);
    let bounded = |e: Expr, sv: &Sv| {
        let new = Sv::of(e, Kind::Np(s));
        let all = intervals::of(s).unwrap_or(sv.range);
        if s.is_int() {
            new.with_range(intervals::clamp(sv.range, all))
        } else {
            new
        }
    };
    let (x, y) = (bounded(x, a), bounded(y, b));
    if let Some(op) = f.comparison() {
        // NumPy has loops for ints with and without signs, which take them for no floats.
        if s.is_float() && a.kinds.integral() && b.kinds.integral() {
            return Err(wrong(name, &[a, b], span));
        }
        return compare::compare(cx, op, x, y, span);
    }
    if let Some(op) = f.bitwise() {
        return arith::arith(cx, op, x, y, span);
    }
    let op = match f {
        N::Minimum | N::Maximum => {
            if !s.is_float() && !s.is_int() {
                return Err(wrong(name, &[a, b], span));
            }
            let op = if f == N::Minimum {
                BinOp::Min
            } else {
                BinOp::Max
            };
            let range = intervals::binary(op, x.range, y.range).unwrap_or(x.range);
            let e = build::binary(op, x.e, y.e, Ty::np(s), false, span);
            return Ok(Sv::of(e, Kind::Np(s)).with_range(range));
        }
        N::Mod | N::Remainder => Op::Mod,
        N::FloorDivide => Op::FloorDiv,
        N::Add => Op::Add,
        N::Subtract => Op::Sub,
        N::Multiply => Op::Mul,
        _ => Op::Div,
    };
    // Integer ufuncs wrap silently where the operators warn: a guard sends either to CPython.
    arith::arith(cx, op, x, y, span)
}

/// Lowers `np.float32(a)` and its like.
pub(crate) fn numpy_type(cx: &mut Lowering<'_>, to: Scalar, args: Vec<Sv>, span: Span) -> R<Sv> {
    let name = Known::NumpyType(to).name();
    let [a] = args.as_slice() else {
        return Err(wrong(&name, &args.iter().collect::<Vec<_>>(), span));
    };
    let real_target = to != Scalar::C128;
    if a.kinds.has(Kind::Char)
        || (real_target && to != Scalar::Bool && a.kinds.any(Kind::is_complex))
    {
        return Err(wrong(&name, &[a], span));
    }
    if to == Scalar::Bool {
        let e = convert::truth(&mut cx.builder, Val::Scalar(a.clone()), span)?;
        return Ok(arith::as_kind(e, Kind::Np(to)));
    }
    let a = convert::commit(a.clone());
    let e = if to.is_int() && (a.repr().is_float() || a.repr() == Scalar::Num) {
        let x = convert::in_repr(
            &a,
            if a.repr() == Scalar::F32 {
                Scalar::F32
            } else {
                Scalar::F64
            },
            true,
        );
        let x = x.ok_or_else(|| wrong(&name, &[&a], span))?;
        build::cast(Cast::Trunc, x, Ty::np(to), true)
    } else {
        convert::in_repr(&a, to, false).ok_or_else(|| wrong(&name, &[&a], span))?
    };
    let mut sv = arith::as_kind(e, Kind::Np(to));
    if let (true, Some(all)) = (a.is_int() && to.is_int(), intervals::of(to)) {
        sv.range = intervals::clamp(a.range, all);
    }
    Ok(sv.with_tag(Tag::Unknown))
}
