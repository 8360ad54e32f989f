//! Stores whose values LLVM may find overwritten: by a store to the same element in the same iteration, or by that of a
//! later iteration where the element is the same in all of them (it is kept in a register then, and stored once).

use std::collections::HashSet;

use nestwise_analysis::scalars::same;
use nestwise_ir::{ArrayId, Expr, ExprKind, For, Nest, Span, Stmt, StmtKind, VarId};

/// Loops with at most so many iterations may be written out.
const FEW: i128 = 128;

/// The array, and where the stored value stands.
pub(crate) fn stores(nest: &Nest) -> HashSet<(ArrayId, Span)> {
    let mut found = HashSet::new();
    block(std::slice::from_ref(&nest.top), None, &mut found);
    found
}

/// The innermost loop that is not written out.
struct Around<'n> {
    body: &'n [Stmt],
    /// What its iterations assign, but for counters of loops inside that are written out.
    assigned: HashSet<VarId>,
}

fn block<'n>(stmts: &'n [Stmt], around: Option<&Around<'n>>, found: &mut HashSet<(ArrayId, Span)>) {
    for s in stmts {
        let inside = match &s.kind {
            StmtKind::For(l) if around.is_some() && is_short(l) => None,
            StmtKind::For(l) => Some(Around::of(&l.body, Some(l.counter))),
            StmtKind::While(l) => Some(Around::of(&l.body, None)),
            StmtKind::Store {
                array,
                index,
                value,
                ..
            } => {
                if around.is_some_and(|a| a.overwrites(s, *array, index)) {
                    found.insert((*array, value.span));
                }
                None
            }
            _ => None,
        };
        for b in s.blocks() {
            block(b, inside.as_ref().or(around), found);
        }
    }
}

impl<'n> Around<'n> {
    fn of(body: &'n [Stmt], counter: Option<VarId>) -> Around<'n> {
        let mut assigned: HashSet<VarId> = counter.into_iter().collect();
        for s in body {
            s.walk(&mut |s| match &s.kind {
                StmtKind::Let { var, .. } => {
                    assigned.insert(*var);
                }
                StmtKind::For(l) if !is_short(l) => {
                    assigned.insert(l.counter);
                }
                _ => {}
            });
        }
        Around { body, assigned }
    }

    fn overwrites(&self, store: &Stmt, array: ArrayId, index: &[Expr]) -> bool {
        let mut others = Vec::new();
        for s in self.body {
            s.walk(&mut |s| {
                if let StmtKind::Store { array: a, .. } = s.kind
                    && a == array
                {
                    others.push(s);
                }
            });
        }
        // Each value is computed from the one that it replaces.
        if others.iter().all(|s| updates(s)) {
            return false;
        }
        let moves = index.iter().any(|e| self.moves(e));
        let again = |s: &&Stmt| !std::ptr::eq(*s, store) && same_place(s, index);
        !moves || others.iter().any(again)
    }

    fn moves(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            found |= matches!(e.kind, ExprKind::Var(v) if self.assigned.contains(&v));
        });
        found
    }
}

fn same_place(s: &Stmt, place: &[Expr]) -> bool {
    let StmtKind::Store { index, .. } = &s.kind else {
        return false;
    };
    index.iter().zip(place).all(|(x, y)| same(x, y))
}

/// Whether a store's value is computed from what is at its place.
fn updates(s: &Stmt) -> bool {
    let StmtKind::Store {
        array,
        index,
        value,
        ..
    } = &s.kind
    else {
        return false;
    };
    let here = |e: &Expr| match &e.kind {
        ExprKind::Load {
            array: a, index: i, ..
        } => a == array && i.iter().zip(index).all(|(x, y)| same(x, y)),
        _ => false,
    };
    match &value.kind {
        ExprKind::Binary { a, b, .. } => here(a) || here(b),
        _ => false,
    }
}

fn is_short(l: &For) -> bool {
    let bounds = [&l.start, &l.stop, &l.step].map(|e| e.as_int());
    match bounds {
        [Some(start), Some(stop), Some(step)] if step != 0 => {
            (stop - start).abs() <= FEW * step.abs()
        }
        _ => false,
    }
}
