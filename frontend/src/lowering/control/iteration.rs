//! The end of an iteration.

use nestwise_ir::Span;

use crate::lowering::arrays::borrowed_views;
use crate::lowering::context::Lowering;
use crate::lowering::hir::{self, Kind};
use crate::refusal::R;

/// Whether what follows the statement in its block is never reached.
pub(crate) fn is_jump(stmt: &hir::Stmt) -> bool {
    matches!(
        stmt.kind,
        Kind::Break | Kind::Continue | Kind::Return(_) | Kind::Leave(_) | Kind::Raise
    )
}

/// Lowers the body of the innermost loop.
pub(crate) fn loop_stmts(cx: &mut Lowering<'_>, body: &[hir::Stmt], span: Span) -> R<()> {
    cx.block(body)?;
    if !body.last().is_some_and(is_jump) {
        leave_iteration(cx, span)?;
    }
    Ok(())
}

/// Emits what has to happen before an iteration of the innermost loop ends.
pub(crate) fn leave_iteration(cx: &mut Lowering<'_>, span: Span) -> R<()> {
    match cx.control.frames.len() {
        1 => borrowed_views::check_parts_left(cx, span),
        _ => Ok(()),
    }
}
