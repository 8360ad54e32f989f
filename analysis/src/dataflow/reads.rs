//! How often variables are read.

use std::collections::HashMap;

use nestwise_ir::{ExprKind, Nest, Stmt, VarId};

/// Counts reads of variables in the statements below `block`.
pub fn reads_in(block: &[Stmt]) -> HashMap<VarId, usize> {
    let mut counts = HashMap::new();
    for s in block {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Var(v) = e.kind {
                        *counts.entry(v).or_insert(0) += 1;
                    }
                });
            }
        });
    }
    counts
}

/// Counts reads of variables in the whole nest.
pub fn reads(nest: &Nest) -> HashMap<VarId, usize> {
    let mut counts = reads_in(&nest.prologue);
    for (v, n) in reads_in(std::slice::from_ref(&nest.top)) {
        *counts.entry(v).or_insert(0) += n;
    }
    counts
}
