//! Loops over tuple displays, written out: `for di, dj in ((0, 1), (1, 0))` around subscripts like `A[i + di]`.
//!
//! Each item gets a copy of the body in which the loop variable is that item, so that constant offsets stay constants
//! for everything that looks at subscripts. `continue` leaves a copy's scope, `break` the scope around all copies.

use nestwise_ir::model::nest::StmtKind;
use nestwise_ir::{ScopeId, Span, Work};

use crate::lowering::context::Lowering;
use crate::lowering::control::state::LoopFrame;
use crate::lowering::hir::{self, Expr, ExprKind, Kind, Target};
use crate::lowering::value::Val;
use crate::refusal::R;

/// The most expressions and statements that the copies of a loop's body may have in all.
const WEIGHT_LIMIT: usize = 1500;

/// Whether the body is worth a copy for each of this number of items.
pub(crate) fn pays(items: usize, body: &[hir::Stmt]) -> bool {
    items <= 16 && items.saturating_mul(weight(body)) <= WEIGHT_LIMIT
}

/// The number of statements and expressions, with loops over tuples counted as often as they will be written.
fn weight(stmts: &[hir::Stmt]) -> usize {
    let of_stmt = |stmt: &hir::Stmt| {
        1 + match &stmt.kind {
            Kind::Assign { targets, value } => {
                targets.iter().map(of_target).sum::<usize>() + of_expr(value)
            }
            Kind::Aug { target, value, .. } => of_target(target) + of_expr(value),
            Kind::If { test, body, orelse } | Kind::While { test, body, orelse } => {
                of_expr(test) + weight(body) + weight(orelse)
            }
            Kind::For {
                iter, body, orelse, ..
            } => {
                let copies = match &iter.kind {
                    ExprKind::Tuple(items) => items.len().max(1),
                    _ => 1,
                };
                of_expr(iter) + weight(body).saturating_mul(copies) + weight(orelse)
            }
            Kind::Return(Some(value))
            | Kind::Effect(value)
            | Kind::Append { value, .. }
            | Kind::AppendToMade { value, .. } => of_expr(value),
            _ => 0,
        }
    };
    stmts.iter().map(of_stmt).fold(0, usize::saturating_add)
}

fn of_expr(e: &Expr) -> usize {
    let own = match &e.kind {
        ExprKind::Inline(call) => weight(&call.body),
        ExprKind::ListComprehension(all) => weight(std::slice::from_ref(&all.each)),
        _ => 1,
    };
    own + e.children().into_iter().map(of_expr).sum::<usize>()
}

fn of_target(target: &Target) -> usize {
    match target {
        Target::Local(_) => 1,
        Target::Subscript(base, index) => of_expr(base) + index.iter().map(of_expr).sum::<usize>(),
        Target::Attr(base, _) => 1 + of_expr(base),
        Target::Tuple(items) => items.iter().map(of_target).sum(),
    }
}

/// Whether the loop's own body has a `break`, and whether it has a `continue`.
fn jumps(stmts: &[hir::Stmt]) -> (bool, bool) {
    let mut found = (false, false);
    for stmt in stmts {
        let inner = match &stmt.kind {
            Kind::Break => (true, false),
            Kind::Continue => (false, true),
            Kind::If { body, orelse, .. } => {
                let (a, b) = (jumps(body), jumps(orelse));
                (a.0 || b.0, a.1 || b.1)
            }
            // Inside another loop they are that loop's, but for its else clause.
            Kind::For { orelse, .. } | Kind::While { orelse, .. } => jumps(orelse),
            _ => (false, false),
        };
        found = (found.0 || inner.0, found.1 || inner.1);
    }
    found
}

/// Lowers the body of a loop once for each item.
pub(crate) fn unrolled(
    cx: &mut Lowering<'_>,
    target: &Target,
    items: Vec<Val>,
    body: &[hir::Stmt],
    orelse: &[hir::Stmt],
    span: Span,
) -> R<()> {
    let (breaks, continues) = jumps(body);
    let broken = breaks.then(|| cx.builder.scope());
    let Some(scope) = broken else {
        copies(cx, target, items, body, (None, continues), span)?;
        return cx.block(orelse);
    };
    let ((), all) = cx.inner(|cx| {
        copies(cx, target, items, body, (broken, continues), span)?;
        cx.block(orelse)
    })?;
    cx.builder.emit(
        StmtKind::Scope {
            id: scope,
            body: all,
        },
        span,
    );
    Ok(())
}

fn copies(
    cx: &mut Lowering<'_>,
    target: &Target,
    items: Vec<Val>,
    body: &[hir::Stmt],
    (broken, continues): (Option<ScopeId>, bool),
    span: Span,
) -> R<()> {
    for item in items {
        let next = continues.then(|| cx.builder.scope());
        // What has no jump needs no place to go.
        let leave = |scope: Option<ScopeId>| scope.map_or(StmtKind::Return, StmtKind::Leave);
        cx.control.frames.push(LoopFrame {
            on_break: leave(broken),
            on_continue: leave(next),
        });
        cx.builder.tally(Work::ListStep, 1.0);
        let lowered = cx.inner(|cx| {
            cx.assign(target, item, span)?;
            cx.block(body)
        });
        cx.control.frames.pop();
        let ((), copy) = lowered?;
        match (next, cx.builder.blocks.last_mut()) {
            (Some(id), _) => cx.builder.emit(StmtKind::Scope { id, body: copy }, span),
            (None, Some(block)) => block.extend(copy),
            (None, None) => {}
        }
    }
    Ok(())
}
