//! The best value kept beside its position, so that a search for the position becomes a reduction.
//!
//! ```text
//! for i in ...:                     best = a[v]
//!     if a[i] > a[v]:       =>      for i in ...:
//!         v = i                         found = a[i]
//!                                       if found > best:
//!                                           best = found
//!                                           v = i
//! ```
//!
//! Source: recognition of reductions (Pottenger and Eigenmann, Idiom recognition in the Polaris parallelizing compiler,
//! 1995).

use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::nest::{Expr, ExprKind, For, Stmt, StmtKind};
use nestwise_ir::{LoopId, Ty, VarId};

use crate::parallelism::legality::Given;
use crate::parallelism::scalar_roles::best_position;
use crate::structure::{any, assigned, find_for};
use crate::transform::build::{Builder, hidden_of};
use crate::transform::rewritten::{Rewritten, splice_for};

impl Given<'_> {
    /// The variables `v` of a loop that hold the position of the best value (`if a[i] > a[v]: v = i`), each with the
    /// index of that statement in the body, if the best value may be kept beside it.
    ///
    /// Legal iff
    ///   - `v` is read and written by that statement alone, and what `f(v)` reads besides `v` is not written in the
    ///     loop, slots being disjoint memory if the loop stores at all;
    ///   - every iteration compares, the loop is known to run, and no guard in the comparison can fail: so the value at
    ///     the first position may be computed in front of the loop;
    ///   - whatever else passes from one iteration to the next counts along ([`Given::may_substitute_induction`] sees
    ///     to that next).
    pub fn may_keep_best_value(&self, l: &For) -> Vec<(VarId, usize)> {
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

/// Whether a statement is `if f(x) < f(v): v = x` whose guards cannot fail, where `f(v)` depends on nothing else that
/// changes.
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
    then.iter().any(assigns) && !any_expr_may_fail(cond) && (fixed(a) || fixed(b))
}

/// The nest in which loops that search for the position of the best value also keep the best value, so that they are
/// reductions, like loops in which it was kept as written. `None` if there is no such loop. The top loop has to be
/// [sunk](crate::transform::sink_top_loop) for that.
pub fn keep_best_value(given: &Given<'_>) -> Option<Rewritten> {
    let mut todo: Vec<(LoopId, VarId, usize)> = vec![];
    given.nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && l.id != LoopId(0)
        {
            let found = given.may_keep_best_value(l).into_iter();
            todo.extend(found.map(|(v, at)| (l.id, v, at)));
        }
    });
    if todo.is_empty() {
        return None;
    }
    // From the last one on: what comes before it keeps its place.
    todo.sort_by_key(|(id, _, at)| (*id, std::cmp::Reverse(*at)));
    let mut nest = given.nest.clone();
    for (id, v, at) in todo {
        let l = find_for(&nest, id)?;
        let ty = match &l.body.get(at)?.kind {
            StmtKind::If { cond, .. } => sides(cond, v)?.0.ty,
            _ => return None,
        };
        let [best, found] = [(); 2].map(|()| hidden_of(&mut nest, ty));
        splice_for(std::slice::from_mut(&mut nest.top), id, &mut |s| {
            around(s, (v, at), (best, found, ty))
        });
    }
    Some(Rewritten::of(
        "best value",
        nest,
        given.analysis.options.nonempty,
        &[],
    ))
}

/// The two sides of a comparison: the one that reads `v`, and the other one; `None` if not exactly one side reads `v`.
fn sides(cond: &Expr, v: VarId) -> Option<(&Expr, &Expr)> {
    let ExprKind::Compare { a, b, .. } = &cond.kind else {
        return None;
    };
    match (reads(a, v), reads(b, v)) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    }
}

fn reads(e: &Expr, v: VarId) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Var(x) if x == v));
    found
}

/// Rewrites a loop that searches for the position `v` so that it keeps the best value beside it:
///
/// ```text
/// for i in ...:                   best = a[v]
///     if a[i] > a[v]:             for i in ...:
///         v = i                       found = a[i]
///                                     if found > best:
///                                         best = found
///                                         v = i
/// ```
fn around(
    mut s: Stmt,
    (v, at): (VarId, usize),
    (best, found, ty): (VarId, VarId, Ty),
) -> Vec<Stmt> {
    let b = Builder { span: s.span };
    let StmtKind::For(l) = &mut s.kind else {
        return vec![s];
    };
    let Some(StmtKind::If { cond, then, .. }) = l.body.get_mut(at).map(|s| &mut s.kind) else {
        return vec![s];
    };
    let ExprKind::Compare { a: x, b: y, .. } = &mut cond.kind else {
        return vec![s];
    };
    let (old, new) = if reads(x, v) { (x, y) } else { (y, x) };
    let at_first = std::mem::replace(&mut **old, b.value(best, ty));
    let here = std::mem::replace(&mut **new, b.value(found, ty));
    then.insert(0, b.set(best, b.value(found, ty)));
    l.body.insert(at, b.set(found, here));
    vec![b.set(best, at_first), s]
}
