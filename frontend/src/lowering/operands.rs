//! Operands: the values of several expressions, each evaluated where the program evaluates it.

use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::hir;
use crate::lowering::scalar::{convert, strings};
use crate::lowering::types::provenance;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// Evaluates a scalar into a hidden variable.
pub(crate) fn spill_sv(cx: &mut Lowering<'_>, sv: Sv) -> Sv {
    let sv = convert::settle(sv);
    let tag = provenance::snapshot(cx, &sv);
    let spilled = Sv {
        e: cx.builder.spill(sv.e),
        wide: None,
        tag,
        ..sv
    };
    spilled.with_wide()
}

/// Evaluates the scalars of a value, and the subscripts of a view, into hidden variables.
pub(crate) fn spill_val(cx: &mut Lowering<'_>, val: Val) -> Val {
    match val {
        Val::Scalar(sv) => Val::Scalar(spill_sv(cx, sv)),
        Val::View(view) => {
            let index = view
                .index
                .into_iter()
                .map(|e| cx.builder.spill(e))
                .collect();
            Val::View(View { index, ..view })
        }
        Val::Tuple(items) => Val::Tuple(items.into_iter().map(|v| spill_val(cx, v)).collect()),
        other => other,
    }
}

/// The value of an expression that must be a scalar.
pub(crate) fn scalar(cx: &mut Lowering<'_>, e: &hir::Expr, what: &str) -> R<Sv> {
    let val = cx.expression(e)?;
    if let Val::View(view) = &val
        && let Some(text) = strings::number(cx, view, e.span)
    {
        return Ok(text);
    }
    convert::need_scalar(val, what, e.span)
}

/// Evaluates an operand that follows an array: refuses one whose evaluation may change the array.
pub(crate) fn beside_array(cx: &mut Lowering<'_>, e: &hir::Expr) -> R<Val> {
    if e.stores() {
        let what = "a call that assigns something, beside an array".into();
        return Err(refuse(e.span, Refusal::Unsupported { what }));
    }
    cx.expression(e)
}

/// Evaluates several expressions, left to right.
pub(crate) fn tuple(cx: &mut Lowering<'_>, items: &[hir::Expr]) -> R<Vec<Val>> {
    let mut values: Vec<Val> = Vec::with_capacity(items.len());
    for item in items {
        if item.stores() {
            if values.iter().any(|v| matches!(v, Val::Array(_))) {
                let what = "a call that assigns something, beside an array".into();
                return Err(refuse(item.span, Refusal::Unsupported { what }));
            }
            values = values.into_iter().map(|v| spill_val(cx, v)).collect();
        }
        values.push(cx.expression(item)?);
    }
    Ok(values)
}

/// Lowers a value that nobody uses: its guards stay.
pub(crate) fn discard(builder: &mut Builder, value: Val) {
    match value {
        Val::Scalar(sv) => convert::keep_guards(builder, &sv),
        Val::View(view) => drop(convert::check_view(builder, view)),
        Val::Tuple(items) => items.into_iter().for_each(|item| discard(builder, item)),
        _ => {}
    }
}
