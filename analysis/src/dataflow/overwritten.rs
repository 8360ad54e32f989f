//! Stores whose values LLVM may find overwritten: by a store to the same element in the same iteration, or by that of a
//! later iteration where the element is the same in all of them (it is kept in a register then, and stored once).

use std::collections::HashSet;

use nestwise_ir::{ArrayId, Expr, ExprKind, For, Nest, Span, Stmt, StmtKind, VarId};

use crate::dataflow::sampled::Assignments;
use crate::structure::same;

/// The most iterations of a loop that LLVM may unroll completely.
const FEW: i128 = 128;

/// The stores that may be overwritten: the array, and the position of the stored value.
pub fn stores(nest: &Nest) -> HashSet<(ArrayId, Span)> {
    let mut found = HashSet::new();
    block(std::slice::from_ref(&nest.top), None, &mut found);
    found
}

/// The innermost loop around a store that LLVM does not unroll completely.
struct Around<'n> {
    body: &'n [Stmt],
    /// The loop's counter, and the counters of loops inside it that are not unrolled completely.
    counters: HashSet<VarId>,
    /// The assignments in the loop's body.
    assignments: Assignments<'n>,
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
        let mut counters: HashSet<VarId> = counter.into_iter().collect();
        for s in body {
            s.walk(&mut |s| match &s.kind {
                StmtKind::For(l) if !is_short(l) => {
                    counters.insert(l.counter);
                }
                _ => {}
            });
        }
        Around {
            body,
            counters,
            assignments: Assignments::of(body),
        }
    }

    /// Whether a value that is not computed from the stored one may overwrite what `store` stores: later in the same
    /// iteration, or in the next one, if all iterations store to the same element.
    fn overwrites(&self, store: &Stmt, array: ArrayId, index: &[Expr]) -> bool {
        let moves = self.assignments.moves(index, &self.counters, true);
        let (mut again, mut later) = (!moves, !moves);
        for s in self.body {
            s.walk(&mut |s| {
                if let StmtKind::For(l) = &s.kind
                    && is_short(l)
                    && holds(&l.body, store)
                {
                    let counter = HashSet::from([l.counter]);
                    again |= !self.assignments.moves(index, &counter, false);
                    later = true;
                }
            });
        }
        let mut found = false;
        for s in self.body {
            s.walk(&mut |s| {
                let itself = std::ptr::eq(s, store);
                let same = matches!(s.kind, StmtKind::Store { array: a, .. } if a == array)
                    && self.may_be_place(s, index);
                let may = match itself {
                    true => again,
                    false => later && (again || !self.apart(s, store)),
                };
                found |= same && may && !updates(s);
                later |= itself;
            });
        }
        found
    }

    fn may_be_place(&self, s: &Stmt, place: &[Expr]) -> bool {
        let StmtKind::Store { index, .. } = &s.kind else {
            return false;
        };
        !self.assignments.differ(index, place, &self.counters)
    }

    /// Whether an iteration that runs one of two statements does not run the other.
    fn apart(&self, a: &Stmt, b: &Stmt) -> bool {
        let mut found = false;
        for s in self.body {
            s.walk(&mut |s| {
                if let StmtKind::If { then, orelse, .. } = &s.kind {
                    found |= holds(then, a) && holds(orelse, b);
                    found |= holds(orelse, a) && holds(then, b);
                }
            });
        }
        found
    }
}

fn holds(body: &[Stmt], what: &Stmt) -> bool {
    let mut found = false;
    for s in body {
        s.walk(&mut |s| found |= std::ptr::eq(s, what));
    }
    found
}

/// Whether a store's value is computed from the element that it overwrites.
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
