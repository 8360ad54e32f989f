//! Opens and closes loops, and emits those that the program does not have.

use nestwise_ir::model::nest::{Expr, For, LoopDecl, StmtKind};
use nestwise_ir::{LoopId, ScopeId, Span, Ty, VarId};

use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::iterable::LEN;
use crate::lowering::hir;
use crate::refusal::R;

/// Numbers a loop and makes it the innermost one.
pub(crate) fn open_loop(cx: &mut Lowering<'_>, name: String, span: Span) -> LoopId {
    let parent = cx.control.open_loops.last().copied();
    let depth = cx.control.open_loops.len() as u32;
    let id = cx.builder.loops.push(LoopDecl {
        span,
        name,
        depth,
        parent,
    });
    cx.control.open_loops.push(id);
    cx.builder.meter.open_loop();
    id
}

/// Closes the innermost open loop.
pub(crate) fn close_loop(cx: &mut Lowering<'_>) {
    cx.control.open_loops.pop();
    cx.builder.meter.close_loop();
}

/// Emits a loop, and its `else` clause, which runs unless `break` leaves the scope around both.
pub(crate) fn emit_loop(
    cx: &mut Lowering<'_>,
    kind: StmtKind,
    broken: Option<ScopeId>,
    orelse: &[hir::Stmt],
    span: Span,
) -> R<()> {
    let Some(scope) = broken else {
        cx.builder.emit(kind, span);
        return Ok(());
    };
    let ((), body) = cx.inner(|cx| {
        cx.builder.emit(kind, span);
        cx.block(orelse)
    })?;
    cx.builder.emit(StmtKind::Scope { id: scope, body }, span);
    Ok(())
}

/// Emits a loop that the program does not have, `for name in range(first, stop)`; `body` gets the counter.
pub(crate) fn hidden_loop(
    cx: &mut Lowering<'_>,
    name: &str,
    (first, stop): (i64, Expr),
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, VarId) -> R<()>,
) -> R<()> {
    let id = open_loop(cx, name.into(), span);
    let counter = cx.builder.var(name, Ty::PY_INT);
    cx.builder.counters.insert(counter, LEN);
    let lowered = cx.inner(|cx| {
        cx.builder.stable.push(counter);
        body(cx, counter)
    });
    close_loop(cx);
    let ((), body) = lowered?;
    let (start, step) = (Expr::int(first, span), Expr::int(1, span));
    cx.builder.emit(
        StmtKind::For(For {
            id,
            counter,
            start,
            stop,
            step,
            body,
        }),
        span,
    );
    Ok(())
}
