//! What only counts along with a loop, computed from its counter.

pub(crate) mod legality;

use nestwise_ir::model::nest::{BinOp, Expr, For, Nest, Stmt, StmtKind};
use nestwise_ir::{LoopId, VarId};

use crate::parallelism::legality::Given;
use crate::structure::{assigned, invariant};
use crate::transform::build::{Builder, hidden, rename};
use crate::transform::induction_substitution::legality::{Counting, Step, Times};
use crate::transform::rewritten::{Rewritten, splice_for};

/// The nest with whatever only counts along with a loop computed from the loop's counter, so that it passes nothing from
/// one iteration to the next. None if there is no such loop. The top loop has to be [opened](crate::transform::open) for that.
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
    Some(Rewritten::of(
        "induction-variable substitution",
        nest,
        given.analysis.options.nonempty,
        &[],
    ))
}

/// Variables of our own for one loop.
struct Fresh {
    /// For each variable that counts along, what has its value in an iteration, and what one adds to it.
    values: Vec<[VarId; 2]>,
    /// Start and stop, where the loop changes what they are computed from.
    ends: [VarId; 2],
    /// The number of an iteration, and of all.
    number: [VarId; 2],
}

impl Fresh {
    fn of(nest: &mut Nest, counting: &[Counting]) -> Fresh {
        Fresh {
            values: counting
                .iter()
                .map(|_| [hidden(nest), hidden(nest)])
                .collect(),
            ends: [hidden(nest), hidden(nest)],
            number: [hidden(nest), hidden(nest)],
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
        let mut before = self.fixed_ends(b, l);
        let Some(times) = given.times(l) else {
            return vec![s];
        };
        let (done, all) = match times.step {
            1 | -1 => (until(b, &times, b.wide_var(l.counter)), length(b, &times)),
            _ => {
                before.push(self.numbered(b, l, &times));
                let [number, all] = self.number.map(|v| b.wide_var(v));
                (number, all)
            }
        };
        let (mut values, mut after) = (vec![], vec![]);
        for (c, [w, by]) in counting.iter().zip(&self.values) {
            l.body.iter_mut().for_each(|s| rename(s, c.var, *w));
            let mut step = sum(b, &c.steps);
            if step.as_int().is_none() {
                before.push(b.set(*by, b.narrow(step)));
                step = b.wide_var(*by);
            }
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

    /// Start and stop evaluated in front of a loop that changes what they are computed from.
    fn fixed_ends(&self, b: Builder, l: &mut For) -> Vec<Stmt> {
        let changed = [assigned(&l.body), vec![l.counter]].concat();
        let mut before = vec![];
        for (end, kept) in [&mut l.start, &mut l.stop].into_iter().zip(self.ends) {
            if !invariant(end, &changed) {
                before.push(b.set(kept, end.clone()));
                *end = b.var(kept);
            }
        }
        before
    }

    /// A loop over the numbers of iterations instead, from which its counter is computed: their number is no quotient in
    /// each of them.
    fn numbered(&self, b: Builder, l: &mut For, times: &Times) -> Stmt {
        let [number, all] = self.number;
        let distance = b.times(b.wide_var(number), times.step);
        let value = b.narrow(b.add(b.wide(&l.start), distance));
        l.body.insert(0, b.set(l.counter, value));
        l.counter = number;
        l.start = b.narrow(b.number(0));
        l.stop = b.var(all);
        l.step = Expr::int(1, b.span);
        b.set(all, b.narrow(length(b, times)))
    }
}

/// How far the counter has come when it is `at`.
fn until(b: Builder, l: &Times, at: Expr) -> Expr {
    match l.step > 0 {
        true => b.sub(at, b.wide(&l.start)),
        false => b.sub(b.wide(&l.start), at),
    }
}

/// All iterations.
fn length(b: Builder, l: &Times) -> Expr {
    let size = l.step.abs();
    let mut length = until(b, l, b.wide(&l.stop));
    if size != 1 {
        length = b.add(length, b.number(size - 1));
        length = b.op(BinOp::FloorDiv, length, b.number(size));
    }
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
