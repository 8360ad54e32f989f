//! The best value kept beside its position.

pub(crate) mod legality;

use nestwise_ir::model::nest::{Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{LoopId, Ty, VarId};

use crate::parallelism::legality::Given;
use crate::transform::build::{Builder, hidden_of};
use crate::transform::rewritten::{Rewritten, splice_for};

/// The nest with loops that look for the position of the best keeping the best value, too: then they combine what their
/// iterations find, like those in which it was kept as written. None if there is no such loop. The top loop has to be
/// [opened](crate::transform::open) for that.
pub fn keep_best(given: &Given<'_>) -> Option<Rewritten> {
    let mut todo: Vec<(LoopId, VarId, usize)> = vec![];
    given.nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && l.id != LoopId(0)
        {
            let found = given.may_keep_best(l).into_iter();
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
        let l = crate::structure::find_for(&nest, id)?;
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

/// What a comparison finds for the position `v`, and what it compares that with.
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
