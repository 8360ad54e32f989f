//! Induction variables: scalars that a loop changes by the same amount in each iteration, or in one direction.
//!
//! `k += 1` once per iteration makes `k` an affine function of the counter (the classical closed form, Allen and
//! Kennedy 2001, section 4.5), also through inner loops of invariant length. A variable that only grows
//! (`if c: k += 1`, `while`) is at least bounded by where it started and by how often it can grow.

use crate::affine::{Affine, Ix};
use crate::forms::{Bounds, Form, LoopForm, Op, Step};
use crate::statics;
use crate::structure::{any, early_exit, for_each_assigned, leaves};
use crate::walk::Walker;
use nestwise_ir::nest::{Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{BinOp, LoopId, Prov, VarId};

/// What one iteration of a loop adds to a variable.
#[derive(Clone)]
pub(crate) struct Induction {
    /// The value before the loop.
    init: Affine,
    /// Least and largest sum over one iteration, if it is never negative resp. never positive.
    monotone: Option<(i128, i128)>,
    /// The exact sum, if it is the same in each iteration.
    exact: Option<Affine>,
    /// Each iteration runs each addition at most once.
    once: bool,
}

/// `var = var + c` or `var = var - c`: the operand `c`, and whether it is subtracted.
fn step_of(var: VarId, value: &Expr) -> Option<(&Expr, bool)> {
    let ExprKind::Binary { op, a, b, guard } = &value.kind else {
        return None;
    };
    if !(*guard || value.ty.prov == Prov::Py) || !value.ty.repr.is_int() {
        return None;
    }
    let is_var = |e: &Expr| matches!(e.kind, ExprKind::Var(v) if v == var);
    match op {
        BinOp::Add if is_var(a) => Some((b, false)),
        BinOp::Add if is_var(b) => Some((a, false)),
        BinOp::Sub if is_var(a) => Some((b, true)),
        _ => None,
    }
}

fn assigns(stmt: &Stmt, var: VarId) -> bool {
    let mut found = false;
    for_each_assigned(stmt, &mut |v| found |= v == var);
    found
}

impl Walker<'_> {
    /// The sign of an invariant form, where ranges decide it: `Some(true)` positive.
    pub(crate) fn static_sign(&self, a: &Affine) -> Option<bool> {
        let i = statics::invariant_interval(self.nest, &self.out, a);
        match (i.lo > 0, i.hi < 0) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// `max(0, stop - start)` of a loop with step 1 (or the mirror with -1).
    fn trips(&mut self, start: &Affine, stop: &Affine, step: i64) -> Option<Affine> {
        let diff = if step > 0 {
            stop.sub(start)?
        } else {
            start.sub(stop)?
        };
        if statics::nonneg(self.nest, &self.out, &diff, self.ctx) {
            return Some(diff);
        }
        let zero = Form::Aff(Affine::default());
        Some(self.named(Form::Op(Op::Max, vec![zero, Form::Aff(diff)]), None))
    }

    /// At the start of a loop's body: closed forms and bounds for `v`, which the body assigns.
    pub(crate) fn induction(&mut self, id: LoopId, v: VarId, body: &[Stmt], entry: &[Affine]) {
        let Some(init) = entry.get(v.index()).cloned() else {
            return;
        };
        let Some(form) = self.out.loop_form(id).cloned() else {
            return;
        };
        let continues = any(
            body,
            &mut |s| matches!(s.kind, StmtKind::Continue(l) if l == id),
        );
        let exact = if continues {
            None
        } else {
            self.net_increment(body, v)
        };
        let fixed = |a: &Affine| a.ixs().iter().all(|ix| self.out.home(*ix) != Some(id));
        let exact = exact.filter(fixed);
        let mut once = true;
        let monotone = deltas(body, v, &mut once, false);
        let ind = Induction {
            init,
            monotone,
            exact,
            once,
        };
        self.inductions.insert((id, v), ind.clone());
        let done = iterations_before(&form);
        if let (Some(k), Some(inc)) = (&done, &ind.exact)
            && let Some(value) = k.mul(inc).and_then(|x| x.add(&ind.init))
        {
            self.set(v, value);
            return;
        }
        let here = self.get(v);
        self.bound(&here, &ind, done.as_ref());
    }

    /// Puts bounds on the definition `here` after `times` iterations.
    fn bound(&mut self, here: &Affine, ind: &Induction, times: Option<&Affine>) {
        let Some((lo, hi)) = ind.monotone else { return };
        let [Ix::Def(d)] = here.ixs()[..] else { return };
        let most = |by: i128| {
            let k = times.filter(|_| ind.once)?;
            k.scale(by)?.add(&ind.init)
        };
        let (up, down) = (lo >= 0, hi <= 0);
        let mut bounds = Bounds::default();
        if up {
            bounds.lower.push(ind.init.clone());
            bounds.upper.extend(most(hi));
        }
        if down {
            bounds.upper.push(ind.init.clone());
            bounds.lower.extend(most(lo));
        }
        if let Some(info) = self.out.defs.get_mut(d.index()) {
            info.bounds = bounds;
        }
    }

    /// After a loop: the final values of what it counted.
    pub(crate) fn after_induction(&mut self, id: LoopId, body: &[Stmt]) {
        let Some(form) = self.out.loop_form(id).cloned() else {
            return;
        };
        for v in crate::structure::assigned(body) {
            let Some(ind) = self.inductions.remove(&(id, v)) else {
                continue;
            };
            let trips = match (form.start.affine(), form.stop.affine(), &form.step) {
                (Some(a), Some(b), Step::Const(s @ (1 | -1))) => self.trips(a, b, *s),
                _ => None,
            };
            let total = trips
                .as_ref()
                .zip(ind.exact.as_ref())
                .and_then(|(t, e)| t.mul(e));
            match total.and_then(|t| t.add(&ind.init)) {
                Some(value) if !form.exits => self.set(v, value),
                _ => {
                    let here = self.get(v);
                    self.bound(&here, &ind, trips.as_ref());
                }
            }
        }
    }

    /// What one run of `block` adds to `v`, in forms at this point; `None` if it is not the same each time.
    fn net_increment(&mut self, block: &[Stmt], v: VarId) -> Option<Affine> {
        let mut total = Affine::default();
        for stmt in block.iter().filter(|s| assigns(s, v)) {
            let part = match &stmt.kind {
                StmtKind::Let { var, value } if *var == v => {
                    let (c, minus) = step_of(v, value)?;
                    let c = self.quietly(|w| w.visit(c));
                    let c = c.affine()?.clone();
                    if minus { c.neg()? } else { c }
                }
                StmtKind::Scope { id, body } if !leaves(body, *id) => {
                    self.net_increment(body, v)?
                }
                StmtKind::For(l) if l.counter != v && early_exit(l.id, &l.body).is_none() => {
                    let continues = any(
                        &l.body,
                        &mut |s| matches!(s.kind, StmtKind::Continue(c) if c == l.id),
                    );
                    if continues || l.step.as_int() != Some(1) {
                        return None;
                    }
                    let (start, stop) = self.quietly(|w| (w.visit(&l.start), w.visit(&l.stop)));
                    let trips = self.trips(start.affine()?, stop.affine()?, 1)?;
                    trips.mul(&self.net_increment(&l.body, v)?)?
                }
                _ => return None,
            };
            total = total.add(&part)?;
        }
        Some(total)
    }
}

/// Iterations completed before the current one, as a form.
fn iterations_before(form: &LoopForm) -> Option<Affine> {
    let counter = Affine::ix(Ix::Counter(form.id));
    match form.step {
        Step::Const(1) => counter.sub(form.start.affine()?),
        Step::Const(-1) => form.start.affine()?.sub(&counter),
        _ => None,
    }
}

/// The sums of negative and of positive constants that one iteration may add to `v`; `None` if something else
/// happens to it. `once` becomes false if an inner loop repeats an addition.
fn deltas(block: &[Stmt], v: VarId, once: &mut bool, nested: bool) -> Option<(i128, i128)> {
    let (mut lo, mut hi) = (0i128, 0i128);
    for stmt in block.iter().filter(|s| assigns(s, v)) {
        match &stmt.kind {
            StmtKind::Let { var, value } if *var == v => {
                let (c, minus) = step_of(v, value)?;
                let c = c.as_int()?;
                let c = if minus { c.checked_neg()? } else { c };
                *once &= !nested;
                lo = lo.checked_add(c.min(0))?;
                hi = hi.checked_add(c.max(0))?;
            }
            StmtKind::For(l) if l.counter == v => return None,
            StmtKind::If { .. }
            | StmtKind::Scope { .. }
            | StmtKind::For(_)
            | StmtKind::While(_) => {
                let inner = nested || matches!(stmt.kind, StmtKind::For(_) | StmtKind::While(_));
                for block in stmt.blocks() {
                    let (a, b) = deltas(block, v, once, inner)?;
                    lo = lo.checked_add(a)?;
                    hi = hi.checked_add(b)?;
                }
            }
            _ => return None,
        }
    }
    Some((lo, hi))
}
