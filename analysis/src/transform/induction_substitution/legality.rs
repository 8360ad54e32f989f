//! Computing from a loop's counter what only counts along with it: induction variable substitution (Allen and Kennedy,
//! Optimizing Compilers for Modern Architectures, 2001, section 4.5).

use nestwise_ir::guarded::any_expr_may_fire;
use nestwise_ir::model::nest::{Expr, For, Stmt, StmtKind};
use nestwise_ir::{Ty, VarId};

use crate::parallelism::legality::Given;
use crate::structure::{assigned, early_exit, invariant};
use crate::values::induction::addends;

/// A variable that counts along with a loop.
pub struct Counting {
    /// The variable.
    pub var: VarId,
    /// What one iteration adds to it.
    pub steps: Vec<Step>,
}

/// A part of what an iteration adds to a variable.
#[derive(Clone)]
pub struct Step {
    /// What is added each time.
    pub by: Expr,
    /// It is subtracted.
    pub minus: bool,
    /// The loops inside the iteration in which it is added again and again.
    pub times: Vec<Times>,
}

/// How often a loop inside an iteration runs.
#[derive(Clone)]
pub struct Times {
    /// Its first value.
    pub start: Expr,
    /// Its end.
    pub stop: Expr,
    /// Its step, not zero.
    pub step: i128,
    /// It is known to run.
    pub runs: bool,
}

impl Given<'_> {
    /// How often a loop runs, if its step is a literal.
    pub fn times(&self, l: &For) -> Option<Times> {
        Some(Times {
            start: l.start.clone(),
            stop: l.stop.clone(),
            step: l.step.as_int().filter(|s| *s != 0)?,
            runs: self.runs(l.id),
        })
    }

    /// The variables that pass from one iteration of a loop to the next, if all of them can be computed from its counter.
    ///
    /// Legal iff
    ///   - the loop's step is a literal, and it is not left early;
    ///   - each of the variables is a Python int of 64 bits that has, in each iteration, an affine function of the counter
    ///     for its value;
    ///   - no update of it can fire, so each of these values fits; nor can the loop's bounds;
    ///   - what is added, and how often, depends on nothing that the loop assigns.
    pub fn may_count(&self, l: &For) -> Option<Vec<Counting>> {
        let info = self.info(l.id)?;
        self.times(l)?;
        let fires = any_expr_may_fire(&l.start) || any_expr_may_fire(&l.stop);
        if fires || early_exit(l.id, &l.body).is_some() || info.carried.is_empty() {
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

    /// What one run of a block adds to a variable; `changed` is what the loop around assigns.
    fn collect(
        &self,
        block: &[Stmt],
        (v, changed): (VarId, &[VarId]),
        times: &[Times],
        out: &mut Vec<Step>,
    ) -> Option<()> {
        let same = |e: &Expr| !any_expr_may_fire(e) && invariant(e, changed);
        let own = |s: &&Stmt| assigned(std::slice::from_ref(*s)).contains(&v);
        for s in block.iter().filter(own) {
            match &s.kind {
                StmtKind::Let { var, value } if *var == v && !any_expr_may_fire(value) => {
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
