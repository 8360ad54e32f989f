//! Sinking: the assignments in front of an inner loop move into it, so that the two loops make a perfect band.
//!
//! ```text
//! for i in range(n):                for i in range(n):
//!     x = c[i] * 2                      for j in range(m):
//!     for j in range(m):        =>          x = c[i] * 2
//!         a[i, j] = x * b[j]                a[i, j] = x * b[j]
//! ```
//!
//! Source: code sinking for imperfect nests (Wolfe, High Performance Compilers for Parallel Computing, 1996).

use nestwise_ir::ArrayId;
use nestwise_ir::LoopId;
use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::nest::{ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::verifier::verify_after;

use crate::parallelism::legality::Given;
use crate::structure::{any, assigned, invariant};
use crate::transform::rewritten::with_for_mut;

/// Whether a statement is a check that is known not to fail.
fn is_passed_check(s: &Stmt) -> bool {
    matches!(&s.kind, StmtKind::Check { cond, guard: false } if !any_expr_may_fail(cond))
}

impl Given<'_> {
    /// Whether the assignments `S` in front of the inner loop of `l` may move into that loop. The only other statements
    /// in front of it are checks that are known to pass.
    ///
    /// Legal iff, with `W(s)` and `R(s)` for the variables and slots that a statement writes and reads,
    ///   - no value in `S` has a guard: it is computed more often, or, where the inner loop has no iteration, not at
    ///     all;
    ///   - `(W(S) ∪ R(S)) ∩ W(inner) = ∅`, slots being disjoint memory;
    ///   - `W(S) ∩ R(bounds of inner) = ∅`;
    ///   - each variable in `W(S)` is private to an iteration of `l`, and dead after `l` unless the inner loop is known
    ///     to run.
    pub fn may_sink_statements(&self, l: &For) -> bool {
        let Some((
            Stmt {
                kind: StmtKind::For(inner),
                ..
            },
            lets,
        )) = l.body.split_last()
        else {
            return false;
        };
        let Some(info) = self
            .info(l.id)
            .filter(|_| !lets.is_empty() && self.disjoint)
        else {
            return false;
        };
        let mut changed = assigned(&inner.body);
        changed.push(inner.counter);
        let stores = |a: ArrayId| {
            any(
                &inner.body,
                &mut |s| matches!(s.kind, StmtKind::Store { array, .. } if array == a),
            )
        };
        lets.iter().all(|s| {
            let StmtKind::Let { var, value } = &s.kind else {
                return is_passed_check(s);
            };
            let mut ok = !any_expr_may_fail(value) && !changed.contains(var);
            value.walk(&mut |e| {
                ok &= match &e.kind {
                    ExprKind::Var(v) => !changed.contains(v),
                    ExprKind::Load { array, .. } => !stores(*array),
                    ExprKind::Bind { .. } => false,
                    _ => true,
                };
            });
            let bounds = [&inner.start, &inner.stop, &inner.step];
            ok && bounds.into_iter().all(|e| invariant(e, &[*var]))
                && info.private.contains(var)
                && (!info.last_values.contains(var) || self.runs(inner.id))
        })
    }
}

/// The nest with `Let`s before an inner loop moved into it, where that makes a perfect band.
pub fn sink_statements(given: &Given<'_>) -> Option<Nest> {
    let mut todo: Vec<LoopId> = vec![];
    given.nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && given.may_sink_statements(l)
        {
            todo.push(l.id);
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    for id in todo {
        with_for_mut(&mut nest, id, &mut |l| {
            let Some(mut last) = l.body.pop() else { return };
            if let StmtKind::For(inner) = &mut last.kind {
                let mut lets = std::mem::take(&mut l.body);
                lets.retain(|s| !is_passed_check(s));
                inner.body.splice(0..0, lets);
            }
            l.body.push(last);
        });
    }
    verify_after("sinking of statements", &nest);
    Some(nest)
}
