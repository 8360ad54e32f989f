//! Values that are evaluated where they stand, because something behind them may change what they are made of.

use crate::lowering::context::Lowering;
use crate::lowering::scalar::convert;
use crate::lowering::types::provenance;
use crate::lowering::value::{Sv, Val, View};

/// Evaluates a scalar into a hidden variable.
pub(crate) fn spill_sv(cx: &mut Lowering<'_>, sv: Sv) -> Sv {
    let sv = convert::commit(sv);
    let tag = provenance::snapshot(cx, &sv);
    Sv {
        e: cx.builder.spill(sv.e),
        wide: None,
        tag,
        ..sv
    }
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
