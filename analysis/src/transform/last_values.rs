//! Last values: what the last iteration of a band leaves in variables is assigned behind the band.
//!
//! ```text
//! for i in range(n):                for i in range(n):
//!     for j in range(m):    =>          for j in range(m):
//!         x = i + j                         a[i, j] = 0.0
//!         a[i, j] = 0.0             x = (n - 1) + (m - 1)
//! ```
//!
//! Source: last-value assignment of privatised scalars (Wolfe, High Performance Compilers for Parallel Computing,
//! 1996).

use nestwise_ir::VarId;
use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::nest::{Expr, ExprKind, For, Nest, Stmt, StmtKind};

use crate::structure::{assigned, invariant};
use crate::transform::build::Builder;
use crate::transform::rewritten::with_for_mut;

/// Takes the assignments of `vars` out of the body of a perfect band of two loops, and returns the assignments that
/// replace them behind the band. Both loops have step 1 and are known to run.
///
/// Legal iff each variable `v` in `vars`
///   - is assigned by one statement of the body's own block, whose value has no guard;
///   - is read nowhere in the body;
///   - has a value that reads nothing that the body writes, but for the counters: behind the band they have their last
///     values.
pub(crate) fn assign_behind(
    nest: &mut Nest,
    (outer, inner): (&For, &For),
    vars: &[VarId],
) -> Option<Vec<Stmt>> {
    let changed = assigned(&inner.body);
    let simple = |s: &&Stmt| match &s.kind {
        StmtKind::Let { var, value } => {
            vars.contains(var) && !any_expr_may_fail(value) && invariant(value, &changed)
        }
        _ => false,
    };
    let taken: Vec<Stmt> = inner.body.iter().filter(simple).cloned().collect();
    let (mut stay, mut reads) = (inner.body.clone(), vec![]);
    stay.retain(|s| !simple(&s));
    for s in &inner.body {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Var(v) = e.kind {
                        reads.push(v);
                    }
                });
            }
        });
    }
    let left = assigned(&stay);
    if taken.len() != vars.len() || vars.iter().any(|v| left.contains(v) || reads.contains(v)) {
        return None;
    }
    let last = |mut s: Stmt| {
        let b = Builder { span: s.span };
        let ends = [outer, inner].map(|l| {
            let last = b.sub(b.wide(&l.stop), b.number(1));
            (l.counter, last)
        });
        for e in s.exprs_mut() {
            ends.iter()
                .for_each(|(v, end)| replace(e, *v, &b.narrow(end.clone())));
        }
        s
    };
    with_for_mut(nest, inner.id, &mut |l| l.body = stay.clone());
    Some(taken.into_iter().map(last).collect())
}

fn replace(e: &mut Expr, var: VarId, by: &Expr) {
    if matches!(e.kind, ExprKind::Var(v) if v == var) {
        *e = by.clone();
        return;
    }
    e.children_mut()
        .into_iter()
        .for_each(|c| replace(c, var, by));
}
