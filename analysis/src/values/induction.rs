//! Induction variables: scalars that a loop changes by the same amount in each iteration, or in one direction.
//!
//! `k += 1` once per iteration makes `k` an affine function of the counter (the classical closed form, Allen and
//! Kennedy 2001, section 4.5), also through inner loops of invariant length. A variable that only grows
//! (`if c: k += 1`, `while`) is at least bounded by where it started and by how often it can grow.

use nestwise_ir::model::nest::{Cast, Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{BinOp, LoopId, Prov, Scalar, VarId};

use crate::guards::static_facts;
use crate::structure::{any, early_exit, for_each_assigned, invariant, leaves};
use crate::values::affine::{Affine, Ix, Sym};
use crate::values::forms::{Bounds, Form, LoopForm, Op, Step};
use crate::values::increment::{Induction, Reach};
use crate::values::interval::Interval;
use crate::values::walk::Walker;

/// The largest step for which bounds are computed.
const MAX_STEP: u128 = 1 << 40;

/// The other operands of `var = var + c - d + ...`, each with whether it is subtracted, if `value` has that form.
pub(crate) fn addends(var: VarId, value: &Expr) -> Option<Vec<(&Expr, bool)>> {
    if matches!(value.kind, ExprKind::Var(v) if v == var) {
        return Some(vec![]);
    }
    let exact = |guard: bool| (guard || value.ty.prov == Prov::Py) && value.ty.repr.is_int();
    if let ExprKind::Cast {
        kind: Cast::Value,
        a,
        guard,
    } = &value.kind
        && exact(*guard)
        && a.ty.repr.is_int()
    {
        return addends(var, a);
    }
    let ExprKind::Binary { op, a, b, guard } = &value.kind else {
        return None;
    };
    if !exact(*guard) {
        return None;
    }
    let (rest, other, minus) = match op {
        BinOp::Add => match addends(var, a) {
            Some(rest) => (rest, b, false),
            None => (addends(var, b)?, a, false),
        },
        BinOp::Sub => (addends(var, a)?, b, true),
        _ => return None,
    };
    let mut mentions = false;
    other.walk(&mut |e| mentions |= matches!(e.kind, ExprKind::Var(v) if v == var));
    let mut out = rest;
    out.push((other, minus));
    (!mentions).then_some(out)
}

impl Walker<'_> {
    /// Whether an invariant form is positive (`true`) or negative (`false`), where ranges decide it.
    pub(crate) fn static_sign(&self, a: &Affine) -> Option<bool> {
        let i = static_facts::invariant_interval(self.nest, &self.out, a);
        match (i.lo > 0, i.hi < 0) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The trip count `max(0, stop - start)` of a loop with step 1 (or the mirror image with -1).
    fn trips(&mut self, start: &Affine, stop: &Affine, step: i64) -> Option<Affine> {
        let diff = if step > 0 {
            stop.sub(start)?
        } else {
            start.sub(stop)?
        };
        if static_facts::nonneg(self.nest, &self.out, &diff, self.ctx) {
            return Some(diff);
        }
        let zero = Form::Aff(Affine::default());
        Some(self.named(Form::Op(Op::Max, vec![zero, Form::Aff(diff)]), None))
    }

    /// Derives closed forms and bounds for `v`, which the loop's body assigns; called at the start of the body.
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
        let exact = match self.nest.whole.filter(|_| id == LoopId(0)) {
            Some(end) => exact.and_then(|range| self.each(&form, end, &range)),
            None => exact.filter(fixed),
        };
        let reach = self.reach(id, body, v);
        if reach.is_none() {
            self.chosen(&form, v, body, &init);
        }
        let reach = reach.unwrap_or_default();
        let ind = Induction { init, reach, exact };
        self.inductions.insert((id, v), ind.clone());
        if let Some(inc) = &ind.exact
            && let Some(added) = self.added_before(&form, inc)
            && let Some(value) = added.add(&ind.init)
        {
            self.set(v, value);
            self.out.counted.push((id, v));
            return;
        }
        let done = self.added_before(&form, &Affine::constant(1));
        let here = self.get(v);
        self.bound(&here, &ind, done.as_ref());
    }

    /// What each iteration of a top loop that runs as a whole adds to a variable, if a range of them up to `end` adds
    /// `range` at once: ranges follow each other.
    fn each(&self, top: &LoopForm, end: VarId, range: &Affine) -> Option<Affine> {
        let (first, end) = (Affine::ix(Ix::Counter(top.id)), Affine::sym(Sym::Var(end)));
        let by = range.coef(Ix::Counter(top.id)).neg()?;
        let telescopes = *range == end.sub(&first)?.mul(&by)?;
        match top.step {
            Step::Const(1) if telescopes => Some(by),
            Step::Const(-1) if telescopes => by.neg(),
            _ => None,
        }
    }

    /// Derives that `v` has the value from before the loop, or one that some iteration assigned, if the values assigned
    /// depend on nothing that changes but the counter; called at the start of the loop's body.
    fn chosen(&mut self, form: &LoopForm, v: VarId, body: &[Stmt], init: &Affine) -> Option<()> {
        let here = match self.get(v).ixs()[..] {
            [Ix::Def(d)] => d,
            _ => return None,
        };
        let (mut values, mut all) = (vec![], 0);
        for s in body {
            for_each_assigned(s, &mut |w| all += usize::from(w == v));
            s.walk(&mut |s| {
                if let StmtKind::Let { var, value } = &s.kind
                    && *var == v
                {
                    values.push(value);
                }
            });
        }
        let changed = self.assigned.by_block(body);
        if values.len() < all || !values.iter().all(|e| invariant(e, &changed)) {
            return None;
        }
        let some = Form::Range(Interval::of_type(Scalar::I64));
        let some = self.define(None, some, form.bounds()?.clone());
        let mut among = vec![Form::Aff(init.clone())];
        for e in values {
            let value = self.quietly(|w| w.visit(e));
            among.push(Form::Aff(
                value.affine()?.subst(Ix::Counter(form.id), &some)?,
            ));
        }
        let info = self.out.defs.get_mut(here.index())?;
        if let Form::Range(range) = info.value {
            info.value = Form::Op(Op::Clamp(range), vec![Form::Op(Op::Join, among)]);
        }
        Some(())
    }

    /// What the iterations completed before the current one have added, if each adds `inc`.
    fn added_before(&mut self, form: &LoopForm, inc: &Affine) -> Option<Affine> {
        let Step::Const(step) = form.step else {
            return None;
        };
        let (counter, start) = (Affine::ix(Ix::Counter(form.id)), form.start.affine()?);
        let distance = match step > 0 {
            true => counter.sub(start)?,
            false => start.sub(&counter)?,
        };
        let size = i128::from(step).abs();
        if let Some(each) = inc.divided(size) {
            return distance.mul(&each);
        }
        let done = vec![Form::Aff(distance), Form::Aff(Affine::constant(size))];
        self.named(Form::Op(Op::FloorDiv, done), None).mul(inc)
    }

    /// Sets the bounds of the definition `here`, the variable's value after `times` iterations.
    fn bound(&mut self, here: &Affine, ind: &Induction, times: Option<&Affine>) {
        let [Ix::Def(d)] = here.ixs()[..] else { return };
        let end = |by: Option<Affine>| by?.add(&ind.init);
        let total = ind.reach.clone().repeated(times);
        let mut bounds = Bounds::default();
        bounds.lower.extend(end(total.low));
        bounds.upper.extend(end(total.high));
        if let Some(info) = self.out.defs.get_mut(d.index()) {
            info.bounds = bounds;
        }
    }

    /// Sets the final values of the variables that a loop counted; called after the loop.
    pub(crate) fn after_induction(&mut self, id: LoopId, body: &[Stmt]) {
        let Some(form) = self.out.loop_form(id).cloned() else {
            return;
        };
        for v in self.assigned.by_block(body) {
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
        for stmt in block {
            if !self.assigned.is_by(stmt, v) {
                continue;
            }
            let part = match &stmt.kind {
                StmtKind::Let { var, value } if *var == v => {
                    let mut sum = Affine::default();
                    for (c, minus) in addends(v, value)? {
                        let c = self.quietly(|w| w.visit(c));
                        let c = c.affine()?;
                        sum = if minus { sum.sub(c)? } else { sum.add(c)? };
                    }
                    sum
                }
                StmtKind::Scope { id, body } if !leaves(body, *id) => {
                    self.net_increment(body, v)?
                }
                StmtKind::For(l) if l.counter != v && early_exit(l.id, &l.body).is_none() => {
                    let continues = any(
                        &l.body,
                        &mut |s| matches!(s.kind, StmtKind::Continue(c) if c == l.id),
                    );
                    let step = l.step.as_int().filter(|s| s.abs() == 1 && !continues)?;
                    let (start, stop) = self.quietly(|w| (w.visit(&l.start), w.visit(&l.stop)));
                    let trips = self.trips(start.affine()?, stop.affine()?, step as i64)?;
                    trips.mul(&self.net_increment(&l.body, v)?)?
                }
                _ => return None,
            };
            total = total.add(&part)?;
        }
        Some(total)
    }

    /// What one run of `block` inside the loop `id` adds to `v`; `None` if something else happens to it.
    fn reach(&mut self, id: LoopId, block: &[Stmt], v: VarId) -> Option<Reach> {
        let mut total = Reach::nothing();
        for stmt in block {
            if !self.assigned.is_by(stmt, v) {
                continue;
            }
            let part = match &stmt.kind {
                StmtKind::Let { var, value } if *var == v => {
                    let mut i = Interval::point(0);
                    for (c, minus) in addends(v, value)? {
                        let c = self.quietly(|w| w.visit(c));
                        let part = static_facts::form_interval(self.nest, &self.out, &c, 4);
                        i = i.add(if minus { part.neg() } else { part });
                    }
                    let end = |x: i128| (x.unsigned_abs() <= MAX_STEP).then(|| Affine::constant(x));
                    Reach {
                        low: end(i.lo.min(0)),
                        high: end(i.hi.max(0)),
                    }
                }
                StmtKind::If { .. } | StmtKind::Scope { .. } => {
                    let mut sum = Reach::nothing();
                    for block in stmt.blocks() {
                        sum = sum.and(self.reach(id, block, v)?);
                    }
                    sum
                }
                StmtKind::For(l) if l.counter != v => {
                    let (start, stop) = self.quietly(|w| (w.visit(&l.start), w.visit(&l.stop)));
                    let span = match l.step.as_int() {
                        Some(1..) => Some((start, stop)),
                        Some(..=-1) => Some((stop, start)),
                        _ => None,
                    };
                    let times = span.and_then(|(a, b)| self.most_trips(id, &a, &b));
                    self.reach(id, &l.body, v)?.repeated(times.as_ref())
                }
                StmtKind::While(l) => self.reach(id, &l.body, v)?.repeated(None),
                _ => return None,
            };
            total = total.and(part);
        }
        Some(total)
    }

    /// An upper bound of `max(0, high - low)` that is the same in each iteration of the loop `id`.
    fn most_trips(&mut self, id: LoopId, low: &Form, high: &Form) -> Option<Affine> {
        let mut span = high.affine()?.sub(low.affine()?)?;
        for _ in 0..4 {
            let inside = span
                .ixs()
                .into_iter()
                .find(|ix| self.out.home(*ix) == Some(id));
            let Some(ix) = inside else {
                return self.trips(&Affine::default(), &span, 1);
            };
            let up = span.const_coef(ix)? > 0;
            let b = match ix {
                Ix::Counter(l) => self.out.loop_form(l)?.bounds()?,
                Ix::Def(d) => &self.out.def(d)?.bounds,
            };
            let bound = if up {
                b.upper.first()?
            } else {
                b.lower.first()?
            };
            span = span.subst(ix, &bound.clone())?;
        }
        None
    }
}
