//! Names that hold None or a number: a bool variable says which.
//!
//! The number is in the live range's variable as ever; where it is read, a guard fails while the name is None.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{Span, Ty, VarId};

use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::hir::{self, Def, ExprKind, LocalId};
use crate::lowering::live_outs::observe;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::refusal::R;
use crate::site::captures::Capture;

/// Whether None is assigned to a local somewhere in the nest.
pub(crate) fn may_be(cx: &Lowering<'_>, local: LocalId) -> bool {
    cx.env.facts.nullable.contains(&local)
}

/// The variable of a local: whether it has changed from None to a number, or the other way round. Variables are false at
/// entry.
fn changed_var(cx: &mut Lowering<'_>, local: LocalId) -> VarId {
    if let Some(var) = cx.env.none_vars.get(&local) {
        return *var;
    }
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.env.none_vars.insert(local, var);
    var
}

fn begins_as_none(cx: &Lowering<'_>, local: LocalId) -> bool {
    let capture = cx.env.hir.locals[local].capture;
    let capture = capture.and_then(|c| cx.env.captures.get(c as usize));
    matches!(capture, Some(Capture::None))
}

/// The condition that a local which may be None is that now.
pub(crate) fn is_now(cx: &mut Lowering<'_>, local: LocalId, span: Span) -> Expr {
    let changed = build::var(changed_var(cx, local), Ty::PY_BOOL, span);
    match begins_as_none(cx, local) {
        true => build::not(changed),
        false => changed,
    }
}

/// Notes by a condition that a local which may be None is that now.
pub(crate) fn set(cx: &mut Lowering<'_>, local: LocalId, is_none: Expr) {
    let var = changed_var(cx, local);
    let changed = match begins_as_none(cx, local) {
        true => build::not(is_none),
        false => is_none,
    };
    cx.builder.emit_let(var, changed);
}

/// Assigns None to a local.
pub(crate) fn assign(cx: &mut Lowering<'_>, def: Def, live: LiveRangeId, span: Span) -> R<()> {
    cx.env.facts.none(def.local, def.def);
    if cx.env.facts.live_ranges[live].holds_array() {
        return Err(cx.env.type_changes(live, span));
    }
    set(cx, def.local, build::boolean(true, Ty::PY_BOOL, span));
    if cx.env.observed(def) {
        observe::observe_none(cx, def, live, span)?;
    }
    Ok(())
}

/// The local whose value an expression is, if that may be None: one that is read, or the result of a call.
pub(crate) fn read_by(cx: &Lowering<'_>, e: &hir::Expr) -> Option<LocalId> {
    let local = match &e.kind {
        ExprKind::Read(read) => read.local,
        ExprKind::Inline(call) => match call.results.as_slice() {
            [result] if !call.tuple => result.local,
            _ => return None,
        },
        _ => return None,
    };
    may_be(cx, local).then_some(local)
}
