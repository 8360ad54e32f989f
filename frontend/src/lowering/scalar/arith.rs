//! Arithmetic on scalars: every combination of operand types must agree on one computation.

use nestwise_ir::model::nest::{Expr, UnOp};
use nestwise_ir::surface::{BinOp as Op, UnOp as Sign};
use nestwise_ir::{BinOp, Fun, Lib, Prov, Scalar, Span, Ty};

use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::scalar::{bigint, convert};
use crate::lowering::types::facts::Wish;
use crate::lowering::types::kinds::{self, Kind, Kinds, Rule, natural_in};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::{intervals, provenance};
use crate::lowering::value::scalar::{Sv, Tag};
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse};

fn wrong_operands(op: Op, a: &Sv, b: &Sv, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let operands = vec![a.kinds.to_string(), b.kinds.to_string()];
    refuse(
        span,
        Refusal::Operator {
            op: op.symbol(),
            operands,
        },
    )
}

/// Lowers `a op b`.
pub(crate) fn arith(cx: &mut Lowering<'_>, op: Op, a: Sv, b: Sv, span: Span) -> R<Sv> {
    if a.is_bottom() || b.is_bottom() {
        return Ok(Sv::bottom(span));
    }
    if op == Op::Pow && a.kinds.py_integral() && b.kinds.py_integral() && b.range.1 < 0 {
        // int ** negative int: CPython converts both to float.
        let (a, b) = (as_float(a, span)?, as_float(b, span)?);
        return arith(cx, op, a, b, span);
    }
    if let (Op::Pow, Some(n @ 1..=16)) = (op, b.as_int())
        && cx.env.options.python_minor <= 13
        && a.kinds == Kinds::of(Kind::PyComplex)
        && b.kinds == Kinds::of(Kind::PyInt)
    {
        return complex_power(cx, &a, n, span);
    }
    if let Some(sv) = by_provenance(cx, op, &a, &b, span)? {
        return Ok(sv);
    }
    let rules = rules(op, &a, &b, span)?;
    let kinds = rules
        .iter()
        .fold(Kinds::NONE, |set, (_, _, r)| set.union(Kinds::of(r.result)));
    let first = rules[0].2.compute;
    let agreed = rules.iter().all(|(_, _, r)| r.compute == first);
    if agreed && a.kinds.py_integral() && b.kinds.py_integral() && op != Op::Div {
        return if first == Scalar::Bool {
            bools(op, a, b, kinds, span)
        } else {
            bigint::ints(op, a, b, span)
        };
    }
    let has_num = a.repr() == Scalar::Num || b.repr() == Scalar::Num;
    let compute = if agreed {
        first
    } else if has_num {
        num_rule(op, &a, &b, kinds, span)?
    } else {
        match mixed(op, &a, &b, &rules) {
            Some(compute) => compute,
            None => return demand_num(&mut cx.env, op, a, b, kinds, span),
        }
    };
    // Python divides ints exactly: both must be floats first.
    let exact = (op == Op::Div
        && rules
            .iter()
            .any(|(x, y, _)| x.is_py() && y.is_py() && x.is_integral() && y.is_integral()))
        || !agreed;
    apply(op, a, b, compute, kinds, exact, span)
}

/// Computes operands that may be Python floats or NumPy's float32, for which Python computes in 64 bits and NumPy in
/// 32, both ways, and chooses by the tag. `None` where that is not the case.
fn by_provenance(cx: &mut Lowering<'_>, op: Op, a: &Sv, b: &Sv, span: Span) -> R<Option<Sv>> {
    let single = Kind::Np(Scalar::F32);
    let pair = Kinds::all(&[Kind::PyFloat, single]);
    let real =
        |sv: &Sv| sv.kinds.within(pair) || (sv.kinds.py_integral() && sv.repr() != Scalar::Num);
    let open = |sv: &Sv| sv.kinds == pair;
    let arithmetic = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div);
    let certain = [a, b].iter().any(|sv| sv.kinds == Kinds::of(single));
    if !arithmetic || !real(a) || !real(b) || certain || !(open(a) || open(b)) {
        return Ok(None);
    }
    let (a, b) = (
        operands::spill_sv(cx, a.clone()),
        operands::spill_sv(cx, b.clone()),
    );
    let tag = Tag::AnyNp(vec![(a.kinds, a.tag.clone()), (b.kinds, b.tag.clone())]);
    let Some(numpy) = provenance::is_among(cx, pair, &tag, Kinds::of(single), span) else {
        return Ok(None);
    };
    let as_kind = |sv: &Sv, kind: Kind| match sv.kinds.py_integral() {
        true => sv.clone(),
        false => Sv {
            kinds: Kinds::of(kind),
            tag: Tag::Unknown,
            ..sv.clone()
        },
    };
    // What is open is NumPy's in the one case; what is Python's for certain stays so.
    let narrow = |sv: &Sv| as_kind(sv, if open(sv) { single } else { Kind::PyFloat });
    let wide = |sv: &Sv| as_kind(sv, Kind::PyFloat);
    let in_32 = arith(cx, op, narrow(&a), narrow(&b), span)?;
    let in_64 = arith(cx, op, wide(&a), wide(&b), span)?;
    let x = convert::in_repr(&in_32, Scalar::F64, false);
    let y = convert::in_repr(&in_64, Scalar::F64, false);
    let (Some(x), Some(y)) = (x, y) else {
        return Ok(None);
    };
    let e = build::select(numpy, x, y, pair.ty(Scalar::F64));
    Ok(Some(Sv::new(e, pair).with_tag(tag)))
}

fn rules(op: Op, a: &Sv, b: &Sv, span: Span) -> R<Vec<(Kind, Kind, Rule)>> {
    let mut rules = Vec::new();
    for x in a.kinds.iter() {
        for y in b.kinds.iter() {
            let rule = kinds::binary(op, x, y).ok_or_else(|| wrong_operands(op, a, b, span))?;
            rules.push((x, y, rule));
        }
    }
    if rules.is_empty() {
        return Err(wrong_operands(op, a, b, span));
    }
    Ok(rules)
}

/// The representation in which tagged numbers are computed: they add, subtract and multiply only.
fn num_rule(op: Op, a: &Sv, b: &Sv, kinds: Kinds, span: Span) -> R<Scalar> {
    let pair = Kinds::all(&[Kind::PyInt, Kind::PyFloat]);
    // A float that may stand for an int or a bool has lost its tag.
    let lost = |sv: &Sv| sv.repr().is_float() && sv.kinds.any(Kind::is_integral);
    if kinds.within(pair) && matches!(op, Op::Add | Op::Sub | Op::Mul) && !lost(a) && !lost(b) {
        return Ok(Scalar::Num);
    }
    Err(wrong_operands(op, a, b, span))
}

/// The one representation for operands whose combinations disagree: Python ints are computed as ints, the other types
/// as floats or as NumPy ints. One computation serves both if the ints are so small that it gives the int's value too;
/// not a product, which could be a negative zero, which no int is.
fn mixed(op: Op, a: &Sv, b: &Sv, rules: &[(Kind, Kind, Rule)]) -> Option<Scalar> {
    let ints = |x: Kind, y: Kind| x.is_py() && y.is_py() && x.is_integral() && y.is_integral();
    let mut others = rules
        .iter()
        .filter(|(x, y, _)| !ints(*x, *y))
        .map(|(_, _, r)| r.compute);
    let compute = others.next()?;
    if others.any(|c| c != compute) {
        return None;
    }
    let signless = a.range.0 >= 0 && b.range.0 >= 0;
    let float = !compute.is_int();
    let safe = match op {
        Op::Add | Op::Sub => true,
        Op::Mul => signless || !float,
        _ => false,
    };
    let limit = build::exact_limit(compute);
    let bounds = if float {
        (-limit, limit)
    } else {
        intervals::of(compute)?
    };
    let result = intervals::binary(op.typed(), a.range, b.range)?;
    let fits = [a.range, b.range, result]
        .iter()
        .all(|r| intervals::within(*r, bounds));
    (safe && fits && compute != Scalar::Num).then_some(compute)
}

/// Asks that the variables involved carry a tag; the next round will see tagged numbers.
fn demand_num(env: &mut Environment<'_>, op: Op, a: Sv, b: Sv, kinds: Kinds, span: Span) -> R<Sv> {
    let pair = Kinds::all(&[Kind::PyInt, Kind::PyFloat]);
    let within = a.kinds.union(b.kinds).union(kinds).within(pair);
    let live_ranges = [&a, &b]
        .into_iter()
        .filter(|sv| sv.kinds == pair && within)
        .filter_map(|sv| sv.live);
    let live_ranges: Vec<LiveRangeId> = live_ranges.collect();
    if live_ranges.is_empty() {
        return Err(wrong_operands(op, &a, &b, span));
    }
    live_ranges
        .into_iter()
        .for_each(|live| env.facts.wish(Wish::LiveRange(live)));
    Ok(Sv::bottom(span))
}

/// The value `float(value)` as an operand of float arithmetic.
fn as_float(sv: Sv, span: Span) -> R<Sv> {
    let sv = convert::commit(sv);
    let e = convert::in_repr(&sv, Scalar::F64, false);
    let e = e.ok_or_else(|| {
        refuse(
            span,
            Refusal::Internal {
                message: "not a number".into(),
            },
        )
    })?;
    Ok(Sv::of(build::retype(e, Ty::PY_FLOAT), Kind::PyFloat))
}

#[allow(clippy::too_many_arguments)]
fn apply(op: Op, a: Sv, b: Sv, compute: Scalar, kinds: Kinds, exact: bool, span: Span) -> R<Sv> {
    let (a, b) = (convert::commit(a), convert::commit(b));
    let x = convert::in_repr(&a, compute, exact).ok_or_else(|| wrong_operands(op, &a, &b, span))?;
    let y = convert::in_repr(&b, compute, exact).ok_or_else(|| wrong_operands(op, &a, &b, span))?;
    let ty = kinds.ty(compute);
    let (x, y) = (build::retype(x, ty), build::retype(y, ty));
    let typed = op.typed();
    let bounds = intervals::of(compute);
    let exact_range = intervals::binary(typed, a.range, b.range);
    let overflows = match (bounds, exact_range) {
        (Some(all), Some(r)) => !intervals::within(r, all),
        _ => true,
    };
    let guard = match op {
        Op::Add | Op::Sub | Op::Mul => compute == Scalar::Num || (compute.is_int() && overflows),
        Op::Div if compute == Scalar::C128 && kinds.prov() == Prov::Dyn => {
            // Python's and NumPy's complex division are different algorithms.
            return Err(wrong_operands(op, &a, &b, span));
        }
        Op::Div => !b.nonzero(),
        Op::FloorDiv | Op::Mod => {
            let traps = |all: intervals::Range| intervals::traps(typed, a.range, b.range, all.0);
            let int = compute.is_int();
            !b.nonzero() || (int && (overflows || bounds.is_none_or(traps)))
        }
        Op::Pow => true,
        Op::Shl => true,
        Op::Shr => b.range.0 < 0,
        Op::BitAnd | Op::BitOr | Op::BitXor => false,
    };
    let e = match power_route(op, &a, &b, compute, kinds) {
        Some(true) => build::call(Fun::Pow, Lib::Numpy, vec![x, y], ty, true, span),
        Some(false) => build::binary(typed, x, y, ty, guard, span),
        None => return Err(wrong_operands(op, &a, &b, span)),
    };
    let tag = Tag::AnyNp(vec![(a.kinds, a.tag), (b.kinds, b.tag)]);
    let mut sv = Sv::new(e, kinds).with_tag(if kinds.prov() == Prov::Dyn {
        tag
    } else {
        Tag::Unknown
    });
    if let (Some(all), Some(r)) = (bounds, exact_range) {
        sv.range = intervals::clamp(r, all);
    } else if let Some(r) = exact_range.filter(|_| kinds.any(Kind::is_integral)) {
        sv.range = r;
    }
    Ok(sv)
}

/// Whether a power of floats is computed by NumPy's ufunc, whose bits differ from the C library's `pow` that
/// Python and NumPy's scalars call. NumPy's scalars hand over to the ufunc where neither operand is of the
/// result's type (`2.0 ** np.int64(3)`). `None`: some types do, others do not.
fn power_route(op: Op, a: &Sv, b: &Sv, compute: Scalar, kinds: Kinds) -> Option<bool> {
    if op != Op::Pow || !compute.is_float() || kinds.numpy().is_empty() {
        return Some(false);
    }
    let result = Kind::Np(compute);
    let mut routes = a
        .kinds
        .iter()
        .flat_map(|x| b.kinds.iter().map(move |y| (x, y)))
        .map(|(x, y)| {
            let python = x.is_py() && y.is_py();
            // np.bool has no power of its own.
            let flag = x == Kind::Np(Scalar::Bool);
            !python && (flag || x != result && y != result)
        });
    let first = routes.next()?;
    routes.all(|r| r == first).then_some(first)
}

/// The operators `&`, `|`, `^` on Python's bools.
fn bools(op: Op, a: Sv, b: Sv, kinds: Kinds, span: Span) -> R<Sv> {
    let e = build::binary(op.typed(), a.e, b.e, kinds.ty(Scalar::Bool), false, span);
    Ok(Sv::new(e, kinds))
}

/// Whether an int type is held in another representation than its own, where wrapping or range limits would show.
fn held_apart(a: &Sv) -> bool {
    a.is_int() && !a.kinds.every(|k| natural_in(k, a.repr()))
}

/// Lowers `-a`, `+a`, `~a`.
pub(crate) fn sign(env: &mut Environment<'_>, op: Sign, a: Sv, span: Span) -> R<Sv> {
    if a.is_bottom() {
        return Ok(a);
    }
    let symbol = match op {
        Sign::Neg => "-",
        Sign::Pos => "+",
        Sign::Invert => "~",
        Sign::Not => "not",
    };
    let wrong = || {
        refuse(
            span,
            Refusal::Operator {
                op: symbol,
                operands: vec![a.kinds.to_string()],
            },
        )
    };
    // A Python bool inverted warns of its deprecation.
    let deprecated = op == Sign::Invert && env.options.python_minor >= 12;
    if deprecated && a.kinds.has(Kind::PyBool) {
        return Err(wrong());
    }
    let bad = a
        .kinds
        .any(|k| k == Kind::Char || (op != Sign::Invert && k == Kind::Np(Scalar::Bool)));
    if bad || (op == Sign::Invert && !a.is_int()) {
        return Err(wrong());
    }
    if a.kinds.py_integral() && a.repr() != Scalar::Num {
        return bigint::int_sign(op, a, span);
    }
    if op == Sign::Pos {
        // Only a Python bool becomes something else, and those were ints above.
        return if a.kinds.has(Kind::PyBool) {
            Err(wrong())
        } else {
            Ok(Sv { live: None, ..a })
        };
    }
    if held_apart(&a) || (a.kinds.any(Kind::is_complex) && !a.kinds.every(Kind::is_complex)) {
        return Err(wrong());
    }
    let mixes = a.kinds.any(Kind::is_integral) && !a.kinds.integral();
    if mixes && a.repr() != Scalar::Num {
        // -0 is 0 where -0.0 is not.
        let kinds = a.kinds;
        let zero = Sv::int(0, span);
        let nonzero = a.range.0 > 0 || a.range.1 < 0;
        if !nonzero {
            return demand_num(env, Op::Sub, a, zero, kinds, span);
        }
    }
    if op == Sign::Invert {
        let ty = a.e.ty;
        return Ok(Sv::new(build::unary(UnOp::Invert, a.e, ty, false), a.kinds).with_tag(a.tag));
    }
    let ty = a.e.ty;
    let negated = intervals::binary(BinOp::Sub, (0, 0), a.range);
    let fits = intervals::of(ty.repr)
        .zip(negated)
        .is_some_and(|(all, r)| intervals::within(r, all));
    let guard = ty.repr.is_int() && !fits;
    let e = match a.as_float() {
        Some(v) if ty.repr.is_float() => build::float(-v, ty, span),
        _ => build::unary(UnOp::Neg, a.e, ty, guard),
    };
    let mut sv = Sv::new(e, a.kinds).with_tag(a.tag);
    if let Some(r) = negated {
        sv.range = intervals::of(ty.repr).map_or(r, |all| intervals::clamp(r, all));
    }
    Ok(sv)
}

/// Lowers `abs(a)`; NumPy's `abs` is the same with NumPy's result types.
pub(crate) fn absolute(a: Sv, span: Span) -> R<Sv> {
    if a.is_bottom() {
        return Ok(a);
    }
    let wrong = || {
        refuse(
            span,
            Refusal::Operator {
                op: "abs",
                operands: vec![a.kinds.to_string()],
            },
        )
    };
    if a.kinds.has(Kind::Char) {
        return Err(wrong());
    }
    if a.kinds.py_integral() && a.repr() != Scalar::Num {
        let a = bigint::int_sign(Sign::Pos, a, span)?;
        let a = convert::commit(a);
        if a.range.0 >= 0 {
            return Ok(a);
        }
        let guard = a.range.0 <= intervals::I64.0;
        let high = a.range.1.max(-a.range.0).min(intervals::I64.1);
        let e = build::unary(UnOp::Abs, a.e, Ty::PY_INT, guard);
        return Ok(Sv::of(e, Kind::PyInt).with_range((0, high)));
    }
    if let Some(size) = size_of_mixed(&a) {
        return Ok(size);
    }
    let complex = a.kinds.every(Kind::is_complex);
    let bad = a.kinds.has(Kind::PyBool) || (a.kinds.any(Kind::is_complex) && !complex);
    if bad || held_apart(&a) {
        return Err(wrong());
    }
    match a.repr() {
        Scalar::Bool => Ok(Sv { live: None, ..a }),
        Scalar::C128 => {
            let part = |k: Kind| {
                if k.is_py() {
                    Kind::PyFloat
                } else {
                    Kind::Np(Scalar::F64)
                }
            };
            let kinds = a
                .kinds
                .iter()
                .fold(Kinds::NONE, |set, k| set.union(Kinds::of(part(k))));
            // Both call the C library's hypot; CPython raises where the result is too large.
            let e = build::unary(UnOp::Abs, a.e, kinds.ty(Scalar::F64), true);
            Ok(Sv::new(e, kinds).with_tag(Tag::AnyNp(vec![(a.kinds, a.tag)])))
        }
        repr => {
            let ty = a.e.ty;
            let guard = repr == Scalar::Num
                || (repr.is_signed() && intervals::of(repr).is_some_and(|r| a.range.0 <= r.0));
            let high = a.range.1.max(a.range.0.saturating_neg());
            let high = intervals::of(repr).map_or(high, |r| high.min(r.1));
            let low = if repr.is_unsigned() { a.range.0 } else { 0 };
            let e = if repr.is_unsigned() {
                a.e
            } else {
                build::unary(UnOp::Abs, a.e, ty, guard)
            };
            Ok(Sv::new(e, a.kinds).with_tag(a.tag).with_range((low, high)))
        }
    }
}

/// The `abs` of a value that starts as an int or float and becomes complex (`z = 0; z = z * z + c`): the distance from
/// zero is the same number. `None` for other values.
fn size_of_mixed(a: &Sv) -> Option<Sv> {
    let all = Kinds::all(&[Kind::PyInt, Kind::PyFloat, Kind::PyComplex]);
    let mixed = a.kinds.has(Kind::PyComplex) && a.kinds.len() > 1 && a.kinds.within(all);
    if !mixed || a.repr() != Scalar::C128 {
        return None;
    }
    let mut kinds = Kinds::of(Kind::PyFloat);
    if a.kinds.has(Kind::PyInt) {
        kinds = kinds.union(Kinds::of(Kind::PyInt));
    }
    let e = build::unary(UnOp::Abs, a.e.clone(), kinds.ty(Scalar::F64), true);
    let limit = build::exact_limit(Scalar::F64);
    Some(Sv::new(e, kinds).with_range((0, limit)))
}

/// Lowers `z ** n` for a small literal `n`: repeated squaring from `1 + 0j`, as `c_powu` in CPython's `complexobject.c`
/// does it. A guard fails for an infinite result, for which CPython raises.
fn complex_power(cx: &mut Lowering<'_>, z: &Sv, n: i128, span: Span) -> R<Sv> {
    let one = nestwise_ir::Const::Complex(1.0, 0.0);
    let one = Sv::of(Expr::constant(one, Ty::PY_COMPLEX, span), Kind::PyComplex);
    let (mut result, mut square, mut mask) = (one, operands::spill_sv(cx, z.clone()), 1);
    while mask <= n {
        if n & mask != 0 {
            let product = arith(cx, Op::Mul, result, square.clone(), span)?;
            result = operands::spill_sv(cx, product);
        }
        mask <<= 1;
        if mask <= n {
            let squared = arith(cx, Op::Mul, square.clone(), square, span)?;
            square = operands::spill_sv(cx, squared);
        }
    }
    for part in [UnOp::Real, UnOp::Imag] {
        let part = build::unary(part, result.e.clone(), Ty::PY_FLOAT, false);
        let infinite = build::call(Fun::IsInf, Lib::C, vec![part], Ty::PY_BOOL, false, span);
        cx.builder.emit_check(build::not(infinite));
    }
    Ok(result)
}

/// A value marked as NumPy's or Python's of one type.
pub(crate) fn as_kind(e: Expr, kind: Kind) -> Sv {
    let ty = Kinds::of(kind).ty(e.ty.repr);
    Sv::of(build::retype(e, ty), kind)
}
