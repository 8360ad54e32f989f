//! The variables of live ranges.

use nestwise_ir::{Prov, Span, Ty, VarId};

use crate::lowering::context::Lowering;
use crate::lowering::types::live_ranges::WebId;
use crate::refusal::R;
use crate::site::captures::Capture;

/// The live range's variable.
pub(crate) fn web_var(cx: &mut Lowering<'_>, web: WebId, span: Span) -> R<VarId> {
    if let Some(var) = cx.env.web_vars.get(&web) {
        return Ok(*var);
    }
    let repr = cx.env.web_repr(web, span)?;
    let kinds = cx.env.boxed_kinds(web, repr);
    let prov = if kinds.is_empty() {
        Prov::Py
    } else {
        kinds.prov()
    };
    let name = cx.env.web_name(web);
    let var = cx.builder.var(&name, Ty { prov, repr });
    let entry = cx.env.webs.entry.get(web).copied().flatten();
    if let Some(index) = entry
        .and_then(|l| cx.env.hir.locals.get(l))
        .and_then(|l| l.capture)
        && let Some(Capture::Scalar { range, .. }) = cx.env.captures.get(index as usize)
    {
        let decl = &mut cx.builder.vars[var];
        decl.live_in = Some(index);
        decl.range = range.filter(|_| repr.is_int());
    }
    if cx.env.webs.defs.get(web).is_none_or(|d| d.is_empty()) {
        cx.builder.fixed.insert(var);
    }
    cx.env.web_vars.insert(web, var);
    Ok(var)
}

/// The hidden variables that hold the subscripts of a view, or the numbers that say which part of an array it is.
pub(crate) fn web_view_vars(cx: &mut Lowering<'_>, web: WebId, axes: usize) -> Vec<VarId> {
    if let Some(vars) = cx.env.view_vars.get(&web) {
        return vars.clone();
    }
    let vars: Vec<VarId> = (0..axes).map(|_| cx.builder.hidden(Ty::PY_INT)).collect();
    cx.env.view_vars.insert(web, vars.clone());
    vars
}
