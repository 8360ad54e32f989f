//! Assignments of a loop's body that matter after its last iteration alone.

use std::collections::HashMap;

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::fp_flags::warns;
use nestwise_analysis::dataflow::reads::reads_in;
use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::{Expr, ExprKind, For, Stmt, StmtKind, VarId};

/// Splits the body's statements in two parts: those that may be run once, after the loop, with the counter's last
/// value, and the others.
///
/// Legal iff nothing leaves the loop early, nothing in the body reads the variable or assigns it anywhere else, and the
/// value rests on the counter and on what the body does not assign, without elements, functions or guard failures, and
/// warns of nothing.
pub(crate) fn partition(l: &For) -> (Vec<&Stmt>, Vec<&Stmt>) {
    if !definite_assignment::exits(&l.body).is_empty() {
        return (vec![], l.body.iter().collect());
    }
    let (reads, assigned) = (reads_in(&l.body), assignments(&l.body));
    l.body.iter().partition(|s| match &s.kind {
        StmtKind::Let { var, value } => {
            assigned.get(var) == Some(&1)
                && !reads.contains_key(var)
                && *var != l.counter
                && !warns(value)
                && rests_on_counter(value, &assigned)
        }
        _ => false,
    })
}

fn rests_on_counter(e: &Expr, assigned: &HashMap<VarId, u32>) -> bool {
    let mut ok = !any_expr_may_fail(e);
    e.walk(&mut |e| {
        ok &= match &e.kind {
            ExprKind::Var(v) => !assigned.contains_key(v),
            ExprKind::Load { .. }
            | ExprKind::Call { .. }
            | ExprKind::HostCall { .. }
            | ExprKind::Bind { .. } => false,
            _ => true,
        };
    });
    ok
}

/// The number of statements that assign each variable.
fn assignments(block: &[Stmt]) -> HashMap<VarId, u32> {
    let mut counts = HashMap::new();
    for s in block {
        s.walk(&mut |s| {
            match &s.kind {
                StmtKind::Let { var, .. } => *counts.entry(*var).or_insert(0) += 1,
                StmtKind::For(l) => *counts.entry(l.counter).or_insert(0) += 1,
                _ => {}
            }
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Bind { var, .. } = e.kind {
                        *counts.entry(var).or_insert(0) += 1;
                    }
                });
            }
        });
    }
    counts
}
