//! The variables of live ranges.

use nestwise_ir::{ArrayKind, Prov, Scalar, Span, Ty, VarId};

use crate::lowering::context::Lowering;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::refusal::R;
use crate::site::captures::Capture;

/// The variable of a live range, made if there is none.
pub(crate) fn variable(cx: &mut Lowering<'_>, live: LiveRangeId, span: Span) -> R<VarId> {
    if let Some(var) = cx.env.variables.get(&live) {
        return Ok(*var);
    }
    let repr = cx.env.representation(live, span)?;
    let kinds = cx.env.boxed_kinds(live, repr);
    let prov = if kinds.is_empty() {
        Prov::Py
    } else {
        kinds.prov()
    };
    let name = cx.env.name_of(live);
    let var = cx.builder.var(&name, Ty { prov, repr });
    let entry = cx.env.live_ranges.entry.get(live).copied().flatten();
    if let Some(index) = entry
        .and_then(|l| cx.env.hir.locals.get(l))
        .and_then(|l| l.capture)
        && let Some(capture) = cx.env.captures.get(index as usize)
    {
        let range = match capture {
            Capture::Scalar { range, .. } => Some(range.filter(|_| repr.is_int())),
            // A text, by its number.
            Capture::Array {
                kind: ArrayKind::Str,
                ..
            } if repr == Scalar::Char => Some(None),
            _ => None,
        };
        if let Some(range) = range {
            let decl = &mut cx.builder.vars[var];
            decl.live_in = Some(index);
            decl.range = range;
        }
    }
    if cx
        .env
        .live_ranges
        .defs
        .get(live)
        .is_none_or(|d| d.is_empty())
    {
        cx.builder.fixed.insert(var);
    }
    cx.env.variables.insert(live, var);
    Ok(var)
}

/// The hidden variables that hold the subscripts of a view, or the numbers that say which part of an array it is.
pub(crate) fn view_variables(cx: &mut Lowering<'_>, live: LiveRangeId, axes: usize) -> Vec<VarId> {
    if let Some(vars) = cx.env.view_vars.get(&live) {
        return vars.clone();
    }
    let vars: Vec<VarId> = (0..axes).map(|_| cx.builder.hidden(Ty::PY_INT)).collect();
    cx.env.view_vars.insert(live, vars.clone());
    vars
}
