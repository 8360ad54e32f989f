//! The arrays that a kernel of a device looks at: whoever launches it brings them to the device, and knows by them
//! which other kernels it has to come behind.

use std::collections::HashSet;

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::reads::reads_in;
use nestwise_ir::{ArrayId, Expr, ExprKind, Stmt, StmtKind, VarId};

use crate::grid::Use;
use crate::lower::unit::Unit;

/// The arrays that statements, and some values besides, look at.
pub(crate) fn uses(u: &Unit<'_>, block: &[Stmt], values: &[&Expr]) -> Vec<Use> {
    let mut stored = nestwise_ir::model::nest::stored(block);
    let mut read = HashSet::new();
    let mut note = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Load { array, .. } = e.kind {
                read.insert(array);
            }
        });
    };
    values.iter().for_each(|e| note(e));
    for s in block {
        s.walk(&mut |s| s.exprs().for_each(&mut note));
    }
    if rebinds(block) {
        // Any of these may be where any other was.
        let moved: Vec<ArrayId> = u
            .nest
            .arrays
            .ids()
            .filter(|id| u.rebound.contains(&id.index()))
            .collect();
        if moved.iter().any(|id| stored.contains(id)) {
            stored.extend(&moved);
        }
        read.extend(moved);
    }
    let used = |id: &ArrayId| stored.contains(id) || read.contains(id);
    let all = u.nest.arrays.ids().filter(used);
    all.filter_map(|id| {
        Some(Use {
            at: u.layout.slot(id)?.ptr,
            written: stored.contains(&id),
        })
    })
    .collect()
}

/// Whether statements rebind arrays.
pub(crate) fn rebinds(block: &[Stmt]) -> bool {
    let mut found = false;
    for s in block {
        s.walk(&mut |s| found |= matches!(s.kind, StmtKind::Rebind(_)));
    }
    found
}

/// The variables whose values a kernel of statements, evaluated behind values, is given, and those whose values it
/// leaves behind.
pub(crate) fn given_and_left(
    u: &Unit<'_>,
    values: &[&Expr],
    block: &[Stmt],
) -> (Vec<VarId>, Vec<VarId>) {
    let flow = definite_assignment::flow(values, block, None, u.spec.schedule.nonempty);
    let inside = reads_in(block);
    // What is needed behind it, or by itself the next time.
    let needed = |v: &&VarId| flow.exposed.contains(v) || u.scheduled.live_after(**v, &inside);
    let mut left: Vec<VarId> = flow.assigned.iter().filter(needed).copied().collect();
    left.sort();
    // What is assigned on some paths only has its old value on the others.
    let kept = left.iter().filter(|v| !flow.definite.contains(v));
    let mut given: Vec<VarId> = flow.exposed.iter().chain(kept).copied().collect();
    given.sort();
    given.dedup();
    (given, left)
}
