//! The accesses that stand in the nest.
//!
//! Code behind a guard that certainly fails is lowered but not placed in the nest; the accesses of such expressions do
//! not count as the nest's.

use nestwise_ir::model::nest::{Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{Access, AccessId, Arena};

/// Numbers the accesses that stand in the nest, in the order of its text.
pub(crate) fn placed(top: &mut Stmt, all: &Arena<AccessId, Access>) -> Arena<AccessId, Access> {
    let mut kept = Arena::new();
    renumber_stmt(top, all, &mut kept);
    kept
}

fn renumber_stmt(
    stmt: &mut Stmt,
    all: &Arena<AccessId, Access>,
    kept: &mut Arena<AccessId, Access>,
) {
    for e in stmt.exprs_mut() {
        renumber_expr(e, all, kept);
    }
    if let StmtKind::Store { access, .. } = &mut stmt.kind {
        renumber(access, all, kept);
    }
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|s| renumber_stmt(s, all, kept));
    }
}

fn renumber_expr(e: &mut Expr, all: &Arena<AccessId, Access>, kept: &mut Arena<AccessId, Access>) {
    for child in e.children_mut() {
        renumber_expr(child, all, kept);
    }
    if let ExprKind::Load { access, .. } = &mut e.kind {
        renumber(access, all, kept);
    }
}

fn renumber(
    access: &mut AccessId,
    all: &Arena<AccessId, Access>,
    kept: &mut Arena<AccessId, Access>,
) {
    if let Some(entry) = all.get(*access) {
        *access = kept.push(entry.clone());
    }
}
