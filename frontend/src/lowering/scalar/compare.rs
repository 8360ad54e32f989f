//! Comparisons, choices between values, `min` and `max`.

use nestwise_ir::model::nest::{Cast, Expr};
use nestwise_ir::surface::CmpOp as Cmp;
use nestwise_ir::{BinOp, Prov, Scalar, Span, Ty};

use crate::lowering::context::Lowering;
use crate::lowering::scalar::{convert, named, strings};
use crate::lowering::types::kinds::{self, Kind, Kinds};
use crate::lowering::types::{intervals, provenance};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse};

/// Lowers `a op b` on values; strings compare with characters.
pub(crate) fn compare_vals(cx: &mut Lowering<'_>, op: Cmp, a: Val, b: Val, span: Span) -> R<Sv> {
    let (a, b) = match (a, b) {
        (Val::Str(x), Val::Str(y)) => {
            let result = match op {
                Cmp::Eq => x == y,
                Cmp::Ne => x != y,
                Cmp::Lt => x < y,
                Cmp::Le => x <= y,
                Cmp::Gt => x > y,
                Cmp::Ge => x >= y,
            };
            return Ok(Sv::bool(result, span));
        }
        (Val::Scalar(c), Val::Str(s)) | (Val::Str(s), Val::Scalar(c))
            if c.kinds == Kinds::of(Kind::Char)
                && convert::is_character(&c)
                && s.chars().count() != 1
                && matches!(op, Cmp::Eq | Cmp::Ne) =>
        {
            // One character never equals a string of another length; the read may still raise.
            convert::keep_guards(&mut cx.builder, &c);
            return Ok(Sv::bool(op == Cmp::Ne, span));
        }
        (Val::View(view), Val::Scalar(c)) | (Val::Scalar(c), Val::View(view))
            if c.kinds == Kinds::of(Kind::Char)
                && !convert::is_character(&c)
                && matches!(op, Cmp::Eq | Cmp::Ne)
                && let Some(text) = strings::number(cx, &view, span) =>
        {
            (Val::Scalar(text), Val::Scalar(c))
        }
        (Val::View(view), other) if cx.builder.is_text(&view) => {
            return strings::compare_text(&mut cx.builder, op, view, other, span);
        }
        (other, Val::View(view)) if cx.builder.is_text(&view) => {
            return strings::compare_text(&mut cx.builder, op.mirrored(), view, other, span);
        }
        pair => pair,
    };
    let a = convert::need_scalar(a, op.symbol(), span)?;
    let b = convert::need_scalar(b, op.symbol(), span)?;
    let longer = |sv: &Sv| sv.kinds.has(Kind::Char) && !convert::is_character(sv);
    if !matches!(op, Cmp::Eq | Cmp::Ne) && (longer(&a) || longer(&b)) {
        // The numbers of longer texts are in no order.
        let operands = vec!["str".into(), "str".into()];
        let op = op.symbol();
        return Err(refuse(span, Refusal::Operator { op, operands }));
    }
    compare(cx, op, a, b, span)
}

/// Lowers the comparison `a op b` of scalars.
pub(crate) fn compare(cx: &mut Lowering<'_>, op: Cmp, a: Sv, b: Sv, span: Span) -> R<Sv> {
    if a.is_bottom() || b.is_bottom() {
        return Ok(Sv::bottom(span));
    }
    let wrong = || {
        let operands = vec![a.kinds.to_string(), b.kinds.to_string()];
        refuse(
            span,
            Refusal::Operator {
                op: op.symbol(),
                operands,
            },
        )
    };
    let (text, other) = match a.kinds == Kinds::of(Kind::Char) {
        true => (true, &b),
        false => (b.kinds == Kinds::of(Kind::Char), &a),
    };
    if text && !other.kinds.has(Kind::Char) && matches!(op, Cmp::Eq | Cmp::Ne) {
        // A text never equals a number; reading either may still raise.
        convert::keep_guards(&mut cx.builder, &a);
        convert::keep_guards(&mut cx.builder, &b);
        return Ok(Sv::bool(op == Cmp::Ne, span));
    }
    if let Some(sv) = compare_by_provenance(cx, op, &a, &b, span)? {
        return Ok(sv);
    }
    let ordered = !matches!(op, Cmp::Eq | Cmp::Ne);
    let mut rules = Vec::new();
    for x in a.kinds.iter() {
        for y in b.kinds.iter() {
            rules.push(kinds::compare(ordered, x, y).ok_or_else(wrong)?);
        }
    }
    let kinds = rules
        .iter()
        .fold(Kinds::NONE, |set, r| set.union(Kinds::of(r.result)));
    let ty = kinds.ty(Scalar::Bool);
    let tag = Tag::AnyNp(vec![(a.kinds, a.tag.clone()), (b.kinds, b.tag.clone())]);
    let (x, y) = if rules
        .iter()
        .all(|r| r.compute.is_int() || r.compute == Scalar::Bool)
    {
        int_operands(&a, &b, ordered).ok_or_else(wrong)?
    } else {
        let floats = rules.iter().filter(|r| !r.compute.is_int());
        let mut computes: Vec<Scalar> = floats.map(|r| r.compute).collect();
        computes.dedup();
        let mut exact = rules.iter().any(|r| r.exact || r.compute.is_int());
        let numbers = a.repr() == Scalar::Num || b.repr() == Scalar::Num;
        // Tagged numbers compare as the floats that they are: their ints are exact.
        let compute = match computes.as_slice() {
            [one] => *one,
            _ => return Err(wrong()),
        };
        exact |= numbers;
        let (a, b) = (convert::commit(a.clone()), convert::commit(b.clone()));
        let x = convert::in_repr(&a, compute, exact).ok_or_else(wrong)?;
        (x, convert::in_repr(&b, compute, exact).ok_or_else(wrong)?)
    };
    let tag = if kinds.prov() == Prov::Dyn {
        tag
    } else {
        Tag::Unknown
    };
    Ok(Sv::new(build::compare(op, x, y, ty, span), kinds).with_tag(tag))
}

/// Compares floats both ways where their provenance is dynamic: Python compares floats in 64 bits, NumPy a float32 with
/// another one in 32. `None` where that is not the case.
fn compare_by_provenance(
    cx: &mut Lowering<'_>,
    op: Cmp,
    a: &Sv,
    b: &Sv,
    span: Span,
) -> R<Option<Sv>> {
    let single = Kind::Np(Scalar::F32);
    let pair = Kinds::all(&[Kind::PyFloat, single]);
    let floats = |sv: &Sv| sv.kinds.within(pair) && sv.repr().is_float();
    let open = |sv: &Sv| sv.kinds == pair;
    let certain = [a, b].iter().any(|sv| sv.kinds == Kinds::of(single));
    if !floats(a) || !floats(b) || certain || !(open(a) || open(b)) {
        return Ok(None);
    }
    let (a, b) = (
        operands::spill_sv(cx, a.clone()),
        operands::spill_sv(cx, b.clone()),
    );
    let tag = Tag::AnyNp(vec![(a.kinds, a.tag.clone()), (b.kinds, b.tag.clone())]);
    let bools = Kinds::all(&[Kind::PyBool, Kind::Np(Scalar::Bool)]);
    let numpy = Kinds::of(Kind::Np(Scalar::Bool));
    let Some(numpy) = provenance::is_among(cx, bools, &tag, numpy, span) else {
        return Ok(None);
    };
    let mut sides = Vec::new();
    for repr in [Scalar::F32, Scalar::F64] {
        let x = convert::in_repr(&a, repr, false);
        let y = convert::in_repr(&b, repr, false);
        let (Some(x), Some(y)) = (x, y) else {
            return Ok(None);
        };
        sides.push(build::compare(op, x, y, bools.ty(Scalar::Bool), span));
    }
    let (Some(wide), Some(narrow)) = (sides.pop(), sides.pop()) else {
        return Ok(None);
    };
    let e = build::select(numpy, narrow, wide, bools.ty(Scalar::Bool));
    Ok(Some(Sv::new(e, bools).with_tag(tag)))
}

/// The Python int of a comparison with a NumPy bool: NumPy takes it as 64 bits, and raises where it needs more.
fn beside(int: &Sv, bool: &Sv) -> Option<Sv> {
    if !int.kinds.has(Kind::PyInt) || !bool.kinds.has(Kind::Np(Scalar::Bool)) {
        return Some(int.clone());
    }
    let committed = convert::commit(int.clone());
    let e = convert::in_repr(&committed, Scalar::I64, true)?;
    let range = intervals::clamp(committed.range, intervals::I64);
    Some(Sv {
        e,
        range,
        ..committed
    })
}

/// Two ints in one representation that holds both.
fn int_operands(a: &Sv, b: &Sv, ordered: bool) -> Option<(Expr, Expr)> {
    let (a, b) = (&beside(a, b)?, &beside(b, a)?);
    let exact = |sv: &Sv| sv.wide.as_ref().filter(|w| w.exact).map(|w| w.e.clone());
    let unsigned = |sv: &Sv| sv.repr() == Scalar::U64;
    if a.wide.is_some()
        || b.wide.is_some()
        || unsigned(a) != unsigned(b)
        || a.repr() == Scalar::I128
    {
        let wide = |sv: &Sv| {
            exact(sv).unwrap_or_else(|| build::cast(Cast::Value, sv.e.clone(), Ty::PY_WIDE, false))
        };
        return Some((wide(a), wide(b)));
    }
    // A literal takes the other's representation if that holds it.
    let holds = |to: &Sv, v: i128| intervals::of(to.repr()).is_some_and(|r| intervals::has(r, v));
    let common = if a.repr() == b.repr() || b.as_int().is_some_and(|v| holds(a, v)) {
        a.repr()
    } else if a.as_int().is_some_and(|v| holds(b, v)) {
        b.repr()
    } else if unsigned(a) {
        Scalar::U64
    } else {
        Scalar::I64
    };
    let common = if common == Scalar::Bool && ordered {
        Scalar::I64
    } else {
        common
    };
    Some((int_as(a, common)?, int_as(b, common)?))
}

fn int_as(sv: &Sv, repr: Scalar) -> Option<Expr> {
    if let (Scalar::Bool, Some(v)) = (repr, sv.as_int()) {
        return Some(build::boolean(
            v != 0,
            Ty {
                prov: sv.e.ty.prov,
                repr,
            },
            sv.span(),
        ));
    }
    convert::in_repr(sv, repr, true)
}

/// Lowers `then if cond else orelse` on scalars.
pub(crate) fn pick(cx: &mut Lowering<'_>, cond: Expr, then: Sv, orelse: Sv, span: Span) -> R<Sv> {
    if then.is_bottom() {
        return Ok(orelse);
    }
    if orelse.is_bottom() {
        return Ok(then);
    }
    let (then, orelse) = (convert::settle(then), convert::settle(orelse));
    let kinds = then.kinds.union(orelse.kinds);
    let repr = common_repr(&then, &orelse).ok_or_else(|| no_common(&then, &orelse, span))?;
    let x = convert::exact_repr(&then, repr).ok_or_else(|| no_common(&then, &orelse, span))?;
    let y = convert::exact_repr(&orelse, repr).ok_or_else(|| no_common(&then, &orelse, span))?;
    let mut cond = build::condition(cond);
    let mut tag = Tag::Unknown;
    if kinds.len() > 1 && cx.env.want_tag && repr != Scalar::Num {
        // Which it was must be known afterwards.
        let var = match cond.kind {
            nestwise_ir::ExprKind::Var(var) if cx.builder.stable.contains(&var) => var,
            _ => {
                let var = cx.builder.hidden(Ty::PY_BOOL);
                cx.builder.emit_let(var, cond);
                cx.builder.stable.push(var);
                cond = build::var(var, Ty::PY_BOOL, span);
                var
            }
        };
        tag = Tag::Select(
            var,
            Box::new((then.kinds, then.tag)),
            Box::new((orelse.kinds, orelse.tag)),
        );
    }
    let range = match (
        then.kinds.any(Kind::is_integral),
        orelse.kinds.any(Kind::is_integral),
    ) {
        (true, false) => then.range,
        (false, true) => orelse.range,
        _ => intervals::union(then.range, orelse.range),
    };
    let e = build::select(cond, x, y, kinds.ty(repr));
    Ok(Sv::new(e, kinds)
        .with_range(range)
        .with_tag(tag)
        .with_wide())
}

fn no_common(a: &Sv, b: &Sv, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let name = "the value of the expression".into();
    refuse(
        span,
        Refusal::TypeChanges {
            name,
            from: a.kinds.to_string(),
            to: b.kinds.to_string(),
        },
    )
}

/// The representation that keeps both values, if there is one.
fn common_repr(a: &Sv, b: &Sv) -> Option<Scalar> {
    use Scalar as S;
    let (x, y) = (a.repr(), b.repr());
    if x == y {
        return Some(x);
    }
    if x == S::Char || y == S::Char {
        return None;
    }
    if x == S::Num || y == S::Num {
        return Some(S::Num);
    }
    if x == S::C128 || y == S::C128 {
        return Some(S::C128);
    }
    let narrow = |sv: &Sv| {
        sv.as_float().is_some_and(|v| f64::from(v as f32) == v)
            || (sv.is_int() && intervals::within(sv.range, (-(1 << 24), 1 << 24)))
    };
    match (x.is_float(), y.is_float()) {
        (true, true) => Some(
            if (x == S::F32 && narrow(b)) || (y == S::F32 && narrow(a)) {
                S::F32
            } else {
                S::F64
            },
        ),
        (true, false) => Some(if x == S::F32 && !narrow(b) { S::F64 } else { x }),
        (false, true) => Some(if y == S::F32 && !narrow(a) { S::F64 } else { y }),
        (false, false) if x == S::I128 || y == S::I128 => Some(S::I128),
        (false, false) => {
            let unsigned = x == S::U64 || y == S::U64;
            let all = intervals::union(a.range, b.range);
            if !unsigned {
                return Some(S::I64);
            }
            Some(
                if all.0 >= 0 && a.kinds.py_integral() && b.kinds.py_integral() {
                    S::U64
                } else {
                    S::I64
                },
            )
        }
    }
}

/// Lowers `min(a, b)` or `max(a, b)`: the first operand unless the second is less (greater).
pub(crate) fn min_max(cx: &mut Lowering<'_>, greater: bool, a: Sv, b: Sv, span: Span) -> R<Sv> {
    if a.is_bottom() {
        return Ok(b);
    }
    if b.is_bottom() {
        return Ok(a);
    }
    let (a, b) = (convert::settle(a), convert::settle(b));
    if a.is_int() && b.is_int() && a.kinds == b.kinds && a.kinds.len() == 1 && a.repr() == b.repr()
    {
        let op = if greater { BinOp::Max } else { BinOp::Min };
        if a.repr() != Scalar::Bool {
            let range = intervals::binary(op, a.range, b.range).unwrap_or(a.range);
            let ty = a.kinds.ty(a.repr());
            let e = build::binary(op, a.e, b.e, ty, false, span);
            return Ok(Sv::new(e, a.kinds).with_range(range).with_wide());
        }
    }
    let op = if greater { Cmp::Gt } else { Cmp::Lt };
    let spills = cx.env.want_tag && a.kinds != b.kinds;
    if spills || (build::is_atom(&a.e) && build::is_atom(&b.e)) {
        // A variable needs no copy: nothing is assigned before the choice is made.
        let mut atom = |sv: Sv| {
            if build::is_atom(&sv.e) {
                sv
            } else {
                operands::spill_sv(cx, sv)
            }
        };
        let (a, b) = (atom(a), atom(b));
        let cond = compare(cx, op, b.clone(), a.clone(), span)?;
        return pick(cx, cond.e, b, a, span);
    }
    let mark = named::statements(&cx.builder);
    let (x, a) = named::named(&mut cx.builder, a);
    let (y, b) = named::named(&mut cx.builder, b);
    let cond = compare(cx, op, b.clone(), a.clone(), span)?;
    let sv = pick(cx, cond.e, b, a, span)?;
    Ok(named::under_names(
        &mut cx.builder,
        mark,
        [x, y].into_iter().flatten().collect(),
        sv,
    ))
}
