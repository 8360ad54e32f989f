//! Loops that one kernel of a device may run as a whole, by cooperative launch: its threads go through them together,
//! and wait for each other behind every loop on the grid and every other statement that accesses elements.
//!
//! Legal where a loop is left only to the statement that follows it: then every thread knows, from numbers that all
//! threads compute alike, what comes next. The nest's own outermost loop may be left in any way.

use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind, While};
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{LoopId, ScopeId};

/// The outermost loops around loops on the grid that may run by cooperative launch.
pub fn cooperative_loops(nest: &Nest, grid: &[GridLoop]) -> Vec<LoopId> {
    let top = std::slice::from_ref(&nest.top);
    let mut found = vec![];
    collect(nest, top, grid, &mut found);
    found
}

fn collect(nest: &Nest, block: &[Stmt], grid: &[GridLoop], found: &mut Vec<LoopId>) {
    let mapped = |id: LoopId| grid.iter().any(|g| g.mapped.id == id);
    for s in block {
        let own = match &s.kind {
            StmtKind::For(For { id, .. }) | StmtKind::While(While { id, .. }) => Some(*id),
            _ => None,
        };
        match own {
            Some(id) if mapped(id) => {}
            Some(id) if holds(s, &mapped) && stays(nest, s, id) => found.push(id),
            _ => s
                .blocks()
                .for_each(|inner| collect(nest, inner, grid, found)),
        }
    }
}

/// Whether a statement contains a mapped loop.
fn holds(s: &Stmt, mapped: &impl Fn(LoopId) -> bool) -> bool {
    let mut any = false;
    s.walk(&mut |s| any |= matches!(&s.kind, StmtKind::For(l) if mapped(l.id)));
    any
}

/// Whether a loop is left only to the statement behind it, or is the nest's outermost loop.
fn stays(nest: &Nest, s: &Stmt, id: LoopId) -> bool {
    let is_top = matches!(
        &nest.top.kind,
        StmtKind::For(For { id: top, .. }) | StmtKind::While(While { id: top, .. }) if *top == id
    );
    if is_top {
        // If the nest runs as a whole, the top loop has a single iteration, which stands for all.
        return nest.whole.is_none();
    }
    let (mut loops, mut scopes): (Vec<LoopId>, Vec<ScopeId>) = (vec![], vec![]);
    s.walk(&mut |s| match &s.kind {
        StmtKind::For(For { id, .. }) | StmtKind::While(While { id, .. }) => loops.push(*id),
        StmtKind::Scope { id, .. } => scopes.push(*id),
        _ => {}
    });
    let mut stays = true;
    s.walk(&mut |s| match &s.kind {
        StmtKind::Break(l) | StmtKind::Continue(l) => stays &= loops.contains(l),
        StmtKind::Leave(scope) => stays &= scopes.contains(scope),
        StmtKind::Return => stays = false,
        _ => {}
    });
    stays
}
