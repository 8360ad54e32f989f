//! Keeping the best value beside its position.

use super::Given;
use crate::scalars::best_position;
use nestwise_ir::VarId;
use nestwise_ir::events::any_expr_may_fire;
use nestwise_ir::nest::{For, Stmt, StmtKind};

impl Given<'_> {
    /// The variables of a loop that have the position of the best (`if a[i] > a[v]: v = i`), each with the place of that
    /// statement in the body, if the best value may be kept beside it (`if a[i] > best: best = a[i]; v = i`).
    ///
    /// Legal iff
    ///   - nothing else is done with the position, nor are the elements changed that are compared;
    ///   - each iteration compares, the loop is known to run, and nothing fires: so the value at the first position may be
    ///     computed in front of the loop;
    ///   - whatever else passes from one iteration to the next counts along ([`Given::may_count`] sees to that next).
    pub fn may_keep_best(&self, l: &For) -> Vec<(VarId, usize)> {
        let carried = self.info(l.id).map_or(&[][..], |i| &i.carried);
        let mut found = vec![];
        for v in carried {
            let position = best_position(self.nest, &l.body, *v).is_some();
            match l.body.iter().position(|s| compares(s, *v)) {
                Some(at) if position && self.runs(l.id) => found.push((*v, at)),
                _ if self.forms().counted.contains(&(l.id, *v)) => {}
                _ => return vec![],
            }
        }
        found
    }
}

/// `if ...: v = x` that cannot fire.
fn compares(s: &Stmt, v: VarId) -> bool {
    let StmtKind::If { cond, then, .. } = &s.kind else {
        return false;
    };
    let assigns = |s: &Stmt| matches!(s.kind, StmtKind::Let { var, .. } if var == v);
    then.iter().any(assigns) && !any_expr_may_fire(cond)
}
