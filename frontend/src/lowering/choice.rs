//! Choices between two values, by a condition or by a position.

use nestwise_ir::model::nest::{CmpOp, Expr, StmtKind};
use nestwise_ir::{Span, Ty};

use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::compare;
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse};

/// Emits an `if` statement that sets a hidden variable to one of two expressions of one type; returns the variable.
pub(crate) fn branches(
    builder: &mut Builder,
    cond: Expr,
    then: (Expr, Vec<nestwise_ir::Stmt>),
    orelse: (Expr, Vec<nestwise_ir::Stmt>),
    span: Span,
) -> Expr {
    let ty = then.0.ty;
    let var = builder.hidden(ty);
    let finish = |(e, mut block): (Expr, Vec<nestwise_ir::Stmt>)| {
        let value = build::retype(e, ty);
        block.push(nestwise_ir::Stmt {
            kind: StmtKind::Let { var, value },
            span,
        });
        block
    };
    let kind = StmtKind::If {
        cond: build::condition(cond),
        then: finish(then),
        orelse: finish(orelse),
    };
    builder.emit(kind, span);
    builder.stable.push(var);
    build::var(var, ty, span)
}

/// Chooses one of two values; only the chosen one is evaluated.
pub(crate) fn choose(
    cx: &mut Lowering<'_>,
    cond: Expr,
    then: impl FnOnce(&mut Lowering<'_>) -> R<Val>,
    orelse: impl FnOnce(&mut Lowering<'_>) -> R<Val>,
    span: Span,
) -> R<Val> {
    let (a, then) = cx.inner(then)?;
    let (b, other) = cx.inner(orelse)?;
    if then.is_empty() && other.is_empty() {
        return choose_val(cx, cond, a, b, span);
    }
    // Statements are needed: a hidden variable gets the one or the other.
    let (Val::Scalar(a), Val::Scalar(b)) = (a, b) else {
        let what = "a choice between arrays or tuples that are computed by calls".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    };
    if a.is_bottom() || b.is_bottom() {
        cx.builder.emit(
            StmtKind::If {
                cond: build::condition(cond),
                then,
                orelse: other,
            },
            span,
        );
        return Ok(Val::Scalar(if a.is_bottom() { b } else { a }));
    }
    let cond = cx.builder.spill(build::condition(cond));
    let shape = compare::pick(cx, cond.clone(), a.clone(), b.clone(), span)?;
    let (a, b) = (convert::settle(a), convert::settle(b));
    let kinds = shape.kinds;
    let repr = shape.repr();
    let wrong = || {
        refuse(
            span,
            Refusal::Internal {
                message: "no common form".into(),
            },
        )
    };
    let x = build::retype(
        convert::exact_repr(&a, repr).ok_or_else(wrong)?,
        kinds.ty(repr),
    );
    let y = build::retype(
        convert::exact_repr(&b, repr).ok_or_else(wrong)?,
        kinds.ty(repr),
    );
    let e = branches(&mut cx.builder, cond, (x, then), (y, other), span);
    Ok(Val::Scalar(
        Sv {
            e,
            wide: None,
            ..shape
        }
        .with_wide(),
    ))
}

/// Chooses one of two values that cost nothing to evaluate.
pub(crate) fn choose_val(cx: &mut Lowering<'_>, cond: Expr, a: Val, b: Val, span: Span) -> R<Val> {
    match (a, b) {
        (Val::View(a), Val::View(b)) => {
            if a.array != b.array || a.index.len() != b.index.len() {
                let what = "a choice between different arrays".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            let cond = if a.index.len() > 1 {
                cx.builder.spill(build::condition(cond))
            } else {
                build::condition(cond)
            };
            let pairs = a.index.into_iter().zip(b.index);
            let index = pairs
                .map(|(x, y)| build::select(cond.clone(), x, y, Ty::PY_INT))
                .collect();
            let checked = a
                .checked
                .iter()
                .zip(&b.checked)
                .map(|(x, y)| *x && *y)
                .collect();
            Ok(Val::View(View {
                index,
                checked,
                ..View::all(a.capture, a.array)
            }))
        }
        (Val::Tuple(a), Val::Tuple(b)) if a.len() == b.len() => {
            let cond = cx.builder.spill(build::condition(cond));
            let items: R<Vec<Val>> = a
                .into_iter()
                .zip(b)
                .map(|(x, y)| choose_val(cx, cond.clone(), x, y, span))
                .collect();
            Ok(Val::Tuple(items?))
        }
        (a, b) => {
            let a = convert::need_scalar(a, "a choice", span)?;
            let b = convert::need_scalar(b, "a choice", span)?;
            compare::pick(cx, cond, a, b, span).map(Val::Scalar)
        }
    }
}

/// The most items of a literal: an item is chosen by comparing the subscript with each position.
pub(crate) const ITEM_LIMIT: usize = 64;

/// The items of a literal: characters of a string, ints of bytes; `None` for other values.
pub(crate) fn literal_items(value: &Val, span: Span) -> Option<Vec<Val>> {
    match value {
        Val::Str(text) => Some(
            text.chars()
                .map(|c| Val::Scalar(convert::text(&c.to_string(), span)))
                .collect(),
        ),
        Val::Bytes(bytes) => Some(
            bytes
                .iter()
                .map(|b| Val::Scalar(Sv::int((*b).into(), span)))
                .collect(),
        ),
        Val::Tuple(items) => Some(items.clone()),
        _ => None,
    }
}

/// The item `items[at]`: negative positions count from the end; a guard fails for positions out of range.
pub(crate) fn item_at(cx: &mut Lowering<'_>, items: Vec<Val>, at: Sv, span: Span) -> R<Val> {
    let len = items.len();
    if len > ITEM_LIMIT || len == 0 {
        let what = "a computed subscript of such a literal".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let items: Vec<Val> = items
        .into_iter()
        .map(|v| operands::spill_val(cx, v))
        .collect();
    let at = operands::spill_sv(cx, at);
    let int = |v: i64| Expr::int(v, span);
    let n = len as i64;
    let compare = |op, b| build::compare(op, at.e.clone(), int(b), Ty::PY_BOOL, span);
    if at.range.0 < -i128::from(n) || at.range.1 >= i128::from(n) {
        let inside = build::and(compare(CmpOp::Ge, -n), compare(CmpOp::Lt, n));
        cx.builder.emit_check(inside);
    }
    let mut chosen: Option<Val> = None;
    for (k, item) in items.into_iter().enumerate().rev() {
        let mut here = compare(CmpOp::Eq, k as i64);
        if at.range.0 < 0 {
            here = build::or(here, compare(CmpOp::Eq, k as i64 - n));
        }
        chosen = Some(match chosen {
            None => item,
            Some(rest) => choose_val(cx, here, item, rest, span)?,
        });
    }
    Ok(chosen.unwrap_or(Val::Scalar(Sv::bottom(span))))
}
