//! What only counts along with a loop, computed from its counter.

use super::build::{Builder, hidden, rename};
use super::{Rewritten, splice_for};
use crate::legality::{Counting, Given, Step, Times, invariant};
use crate::structure::assigned;
use nestwise_ir::nest::{BinOp, Expr, Nest, Stmt, StmtKind};
use nestwise_ir::{LoopId, VarId};

/// The nest with whatever only counts along with a loop computed from the loop's counter, so that it passes nothing from
/// one iteration to the next. None if there is no such loop. The top loop has to be [opened](super::open) for that.
pub fn count(given: &Given<'_>) -> Option<Rewritten> {
    let mut todo: Vec<(LoopId, Vec<Counting>)> = vec![];
    given.nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && l.id != LoopId(0)
            && let Some(counting) = given.may_count(l)
        {
            todo.push((l.id, counting));
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    // Inner loops first: what they add up is then one update in the loop around them.
    for (id, counting) in todo.iter().rev() {
        let fresh = Fresh::of(&mut nest, counting);
        splice_for(std::slice::from_mut(&mut nest.top), *id, &mut |s| {
            fresh.around(s, counting, given)
        });
    }
    Some(Rewritten::of(nest, given.analysis.options.nonempty, &[]))
}

/// Variables of our own for one loop.
struct Fresh {
    /// What has the value of each variable that counts along, in an iteration.
    values: Vec<VarId>,
    /// Start and stop, where the loop changes what they are computed from.
    ends: [VarId; 2],
}

impl Fresh {
    fn of(nest: &mut Nest, counting: &[Counting]) -> Fresh {
        Fresh {
            values: counting.iter().map(|_| hidden(nest)).collect(),
            ends: [hidden(nest), hidden(nest)],
        }
    }

    /// ```text
    /// for i in range(start, stop):          for i in range(start, stop):
    ///     a[v] = b[i]                           w = v + (i - start) * 2
    ///     v += 2                                a[w] = b[i]
    ///                                           w += 2
    ///                                       v += max(0, stop - start) * 2
    /// ```
    fn around(&self, mut s: Stmt, counting: &[Counting], given: &Given<'_>) -> Vec<Stmt> {
        let b = Builder { span: s.span };
        let StmtKind::For(l) = &mut s.kind else {
            return vec![s];
        };
        let mut before = vec![];
        let changed = [assigned(&l.body), vec![l.counter]].concat();
        for (end, kept) in [&mut l.start, &mut l.stop].into_iter().zip(self.ends) {
            // Evaluated once, like a range.
            if !invariant(end, &changed) {
                before.push(b.set(kept, end.clone()));
                *end = b.var(kept);
            }
        }
        let whole = given.times(l);
        let (done, all) = (until(b, &whole, b.wide_var(l.counter)), length(b, &whole));
        let (mut values, mut after) = (vec![], vec![]);
        for (c, w) in counting.iter().zip(&self.values) {
            l.body.iter_mut().for_each(|s| rename(s, c.var, *w));
            let step = sum(b, &c.steps);
            let plus = |times: &Expr| {
                let added = product(b, times.clone(), step.clone());
                b.narrow(b.add(b.wide_var(c.var), added))
            };
            values.push(b.set(*w, plus(&done)));
            after.push(b.set(c.var, plus(&all)));
        }
        l.body.splice(0..0, values);
        before.into_iter().chain([s]).chain(after).collect()
    }
}

/// Iterations that come before the one whose counter is `at`.
fn until(b: Builder, l: &Times, at: Expr) -> Expr {
    match l.up {
        true => b.sub(at, b.wide(&l.start)),
        false => b.sub(b.wide(&l.start), at),
    }
}

/// All iterations.
fn length(b: Builder, l: &Times) -> Expr {
    let length = until(b, l, b.wide(&l.stop));
    match l.runs {
        true => length,
        false => b.op(BinOp::Max, b.number(0), length),
    }
}

/// What an iteration adds.
fn sum(b: Builder, steps: &[Step]) -> Expr {
    let mut total = b.number(0);
    for step in steps {
        let times = step.times.iter().map(|l| length(b, l));
        let part = times.fold(b.wide(&step.by), |part, n| product(b, n, part));
        total = match (total.as_int(), part.as_int(), step.minus) {
            (Some(x), Some(y), false) => b.number(x + y),
            (Some(x), Some(y), true) => b.number(x - y),
            (Some(0), _, false) => part,
            (_, _, false) => b.add(total, part),
            (_, _, true) => b.sub(total, part),
        };
    }
    total
}

fn product(b: Builder, x: Expr, y: Expr) -> Expr {
    match (x.as_int(), y.as_int()) {
        (Some(1), _) => y,
        (_, Some(factor)) => b.times(x, factor),
        _ => b.op(BinOp::Mul, x, y),
    }
}
