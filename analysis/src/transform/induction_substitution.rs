//! Induction-variable substitution: a variable that counts along with a loop is computed from the loop's counter, so
//! that its value no longer passes from one iteration to the next.
//!
//! ```text
//! for i in range(start, stop):      for i in range(start, stop):
//!     a[v] = b[i]           =>          w = v + (i - start) * 2
//!     v += 2                            a[w] = b[i]
//!                                       w += 2
//!                                   v += max(0, stop - start) * 2
//! ```
//!
//! Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 4.5.

use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::nest::{BinOp, Expr, For, Nest, Stmt, StmtKind};
use nestwise_ir::{LoopId, Ty, VarId};

use crate::parallelism::legality::Given;
use crate::structure::{assigned, early_exit, invariant};
use crate::transform::build::{Builder, hidden, rename};
use crate::transform::rewritten::{Rewritten, splice_for};
use crate::values::induction::addends;

/// A variable that counts along with a loop.
pub struct Counting {
    /// The variable.
    pub var: VarId,
    /// The parts of what one iteration adds to the variable.
    pub steps: Vec<Step>,
}

/// A part of what an iteration adds to a variable.
#[derive(Clone)]
pub struct Step {
    /// The value that is added each time.
    pub by: Expr,
    /// Whether the value is subtracted instead.
    pub minus: bool,
    /// The loops inside the iteration around the update, which repeat it.
    pub times: Vec<Times>,
}

/// How often a loop inside an iteration runs.
#[derive(Clone)]
pub struct Times {
    /// The counter's first value.
    pub start: Expr,
    /// The counter's end, exclusive.
    pub stop: Expr,
    /// The counter's step, not zero.
    pub step: i128,
    /// Whether the loop is known to run at least once.
    pub runs: bool,
}

impl Given<'_> {
    /// What determines how often a loop runs, if its step is a literal.
    pub fn times(&self, l: &For) -> Option<Times> {
        Some(Times {
            start: l.start.clone(),
            stop: l.stop.clone(),
            step: l.step.as_int().filter(|s| *s != 0)?,
            runs: self.runs(l.id),
        })
    }

    /// The variables `V` that pass from one iteration of a loop to the next, if all of them can be computed from its
    /// counter.
    ///
    /// Legal iff
    ///   - the loop's step is a literal, and the loop is not left early;
    ///   - each `v` in `V` is a Python int of 64 bits whose value in iteration `i` is affine in `i`;
    ///   - no guard of an update of `v` can fail, so each of these values fits 64 bits; nor can one in the loop's
    ///     bounds;
    ///   - what is added to `v`, and how often, reads nothing that the loop writes.
    pub fn may_substitute_induction(&self, l: &For) -> Option<Vec<Counting>> {
        let info = self.info(l.id)?;
        self.times(l)?;
        let guarded = any_expr_may_fail(&l.start) || any_expr_may_fail(&l.stop);
        if guarded || early_exit(l.id, &l.body).is_some() || info.carried.is_empty() {
            return None;
        }
        let mut changed = assigned(&l.body);
        changed.push(l.counter);
        let counting = |v: &VarId| {
            let known = self.forms().counted.contains(&(l.id, *v));
            let int = self.nest.vars.get(*v).is_some_and(|d| d.ty == Ty::PY_INT);
            let mut steps = vec![];
            (known && int).then_some(())?;
            self.collect(&l.body, (*v, &changed), &[], &mut steps)?;
            Some(Counting { var: *v, steps })
        };
        info.carried.iter().map(counting).collect()
    }

    /// Adds to `out` what one run of a block adds to a variable; `changed` is what the loop around assigns. `None`: it
    /// cannot be computed before the loop.
    fn collect(
        &self,
        block: &[Stmt],
        (v, changed): (VarId, &[VarId]),
        times: &[Times],
        out: &mut Vec<Step>,
    ) -> Option<()> {
        let same = |e: &Expr| !any_expr_may_fail(e) && invariant(e, changed);
        let own = |s: &&Stmt| assigned(std::slice::from_ref(*s)).contains(&v);
        for s in block.iter().filter(own) {
            match &s.kind {
                StmtKind::Let { var, value } if *var == v && !any_expr_may_fail(value) => {
                    for (by, minus) in addends(v, value)? {
                        same(by).then_some(())?;
                        let (by, times) = (by.clone(), times.to_vec());
                        out.push(Step { by, minus, times });
                    }
                }
                StmtKind::Scope { body, .. } => self.collect(body, (v, changed), times, out)?,
                StmtKind::For(inner) => {
                    (same(&inner.start) && same(&inner.stop)).then_some(())?;
                    let times = [times, &[self.times(inner)?]].concat();
                    self.collect(&inner.body, (v, changed), &times, out)?;
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// The nest with variables that count along with a loop computed from the loop's counter, so that their values no
/// longer pass from one iteration to the next. `None` if there is no such loop. The top loop has to be
/// [sunk](crate::transform::sink_top_loop) for that.
pub fn substitute_induction(given: &Given<'_>) -> Option<Rewritten> {
    let mut todo: Vec<(LoopId, Vec<Counting>)> = vec![];
    given.nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && l.id != LoopId(0)
            && let Some(counting) = given.may_substitute_induction(l)
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

/// The variables that the rewriting of one loop declares.
struct Fresh {
    /// For each variable that counts along: the variable with its value in an iteration, and the one with what an
    /// iteration adds.
    values: Vec<[VarId; 2]>,
    /// The variables with the loop's start and stop, used if the loop changes what they are computed from.
    ends: [VarId; 2],
    /// The variables with the number of an iteration, and with the number of all iterations.
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

    /// Rewrites a loop so that the variables that count along with it are computed from its counter:
    ///
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

    /// Evaluates start and stop in front of a loop that changes what they are computed from; returns the assignments.
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

    /// Makes the loop run over the numbers of its iterations, from which its counter is computed, so that no iteration
    /// has to compute its number by a division. Returns the assignment of how many there are.
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

/// The distance of the counter from its start when it is `at`, not negative.
fn until(b: Builder, l: &Times, at: Expr) -> Expr {
    match l.step > 0 {
        true => b.sub(at, b.wide(&l.start)),
        false => b.sub(b.wide(&l.start), at),
    }
}

/// The number of all iterations.
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

/// The sum of what an iteration adds.
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
