//! Keeping the best value beside its position.

use nestwise_ir::VarId;
use nestwise_ir::guarded::any_expr_may_fire;
use nestwise_ir::model::nest::{Expr, ExprKind, For, Stmt, StmtKind};

use crate::parallelism::legality::Given;
use crate::parallelism::scalar_roles::best_position;
use crate::structure::{any, assigned};

impl Given<'_> {
    /// The variables of a loop that have the position of the best (`if a[i] > a[v]: v = i`), each with the place of that
    /// statement in the body, if the best value may be kept beside it (`if a[i] > best: best = a[i]; v = i`).
    ///
    /// Legal iff
    ///   - nothing else is done with the position, and nothing that is compared changes but by it: neither the elements (also
    ///     under another name) nor other variables;
    ///   - each iteration compares, the loop is known to run, and nothing fires: so the value at the first position may be
    ///     computed in front of the loop;
    ///   - whatever else passes from one iteration to the next counts along ([`Given::may_count`] sees to that next).
    pub fn may_keep_best(&self, l: &For) -> Vec<(VarId, usize)> {
        let stores = any(&l.body, &mut |s| matches!(s.kind, StmtKind::Store { .. }));
        if stores && !self.disjoint {
            return vec![];
        }
        let changed = [assigned(&l.body), vec![l.counter]].concat();
        let carried = self.info(l.id).map_or(&[][..], |i| &i.carried);
        let mut found = vec![];
        for v in carried {
            let position = best_position(self.nest, &l.body, *v).is_some();
            match l.body.iter().position(|s| compares(s, *v, &changed)) {
                Some(at) if position && self.runs(l.id) => found.push((*v, at)),
                _ if self.forms().counted.contains(&(l.id, *v)) => {}
                _ => return vec![],
            }
        }
        found
    }
}

/// `if f(x) < f(v): v = x` that cannot fire, where `f(v)` depends on nothing else that changes.
fn compares(s: &Stmt, v: VarId, changed: &[VarId]) -> bool {
    let StmtKind::If { cond, then, .. } = &s.kind else {
        return false;
    };
    let ExprKind::Compare { a, b, .. } = &cond.kind else {
        return false;
    };
    let assigns = |s: &Stmt| matches!(s.kind, StmtKind::Let { var, .. } if var == v);
    let fixed = |e: &Expr| {
        let (mut found, mut fixed) = (false, true);
        e.walk(&mut |e| match e.kind {
            ExprKind::Var(w) if w == v => found = true,
            ExprKind::Var(w) => fixed &= !changed.contains(&w),
            ExprKind::Bind { .. } => fixed = false,
            _ => {}
        });
        found && fixed
    };
    then.iter().any(assigns) && !any_expr_may_fire(cond) && (fixed(a) || fixed(b))
}
