//! Facts about a vector loop: its consecutive iterations are the lanes of vectors, the loops inside it run with
//! all lanes together.
//!
//! A variable or an expression is *varying* if lanes may disagree about it. Control is varying behind a varying
//! condition, and inside a loop or scope that some lanes may leave before others; such a construct is *masked*: it
//! goes on while any lane is in it. A varying variable is *linear* if lane `k` holds the value of lane 0 plus `k`
//! times a constant: subscripts of that form are consecutive or strided accesses.

use std::collections::{HashMap, HashSet};

use crate::dataflow::definite_assignment;
use crate::dataflow::definite_assignment::{Flow, Target};
use nestwise_ir::model::nest::{BinOp, Cast};
use nestwise_ir::{Expr, ExprKind, For, LoopId, Scalar, Stmt, StmtKind, UnOp, VarId, guarded};

use crate::dataflow::ordered_sums;
use crate::dataflow::reads::reads_in;
use crate::dataflow::scheduled::Scheduled;

/// What is known about a vector loop before it is emitted.
#[derive(Default)]
pub struct Facts {
    /// Variables whose values differ from lane to lane.
    pub varying: HashSet<VarId>,
    /// By linear variable: how much its value grows from one lane to the next.
    pub linear: HashMap<VarId, i64>,
    /// Jumps that only some lanes take.
    pub masked: HashSet<Target>,
    /// Whether some guard in the loop may fail.
    pub may_fail: bool,
    /// Variables whose values may be wrong after a guard failure.
    pub loose: HashSet<VarId>,
    /// Variables assigned inside the loop and read outside of it.
    pub live_after: Vec<VarId>,
    /// Carried sums of floats, added up lane by lane (see [`crate::dataflow::ordered_sums`]); one narrow value each.
    pub ordered: HashSet<VarId>,
}

impl Facts {
    /// The facts, or nothing if the loop cannot be run by lanes.
    pub fn of(scheduled: &Scheduled<'_>, l: &For) -> Option<Facts> {
        let flow = definite_assignment::flow(&[], &l.body, Some(l.id), scheduled.schedule.nonempty);
        let carries = |v: &&VarId| flow.exposed.contains(v);
        let ordered: HashSet<VarId> = flow.assigned.iter().filter(carries).copied().collect();
        if !ordered.is_empty() {
            let sums = ordered_sums::ordered(scheduled.nest, l);
            if !ordered.is_subset(&sums) {
                return None;
            }
        }
        if !only_continues(l) || !lanes_can_run(scheduled, l, &flow) {
            return None;
        }
        let reads = reads_in(&l.body);
        let mut live_after: Vec<VarId> = flow
            .assigned
            .iter()
            .copied()
            .filter(|v| !ordered.contains(v) && scheduled.live_after(*v, &reads))
            .collect();
        live_after.sort();
        if live_after.iter().any(|v| !flow.definite.contains(v)) {
            return None;
        }
        let mut facts = Facts {
            may_fail: guarded::block_may_fail(scheduled.nest, &l.body),
            loose: definite_assignment::loose(&l.body, &flow),
            live_after,
            ordered,
            ..Facts::default()
        };
        facts.varying.insert(l.counter);
        facts.spread(l);
        facts.find_linear(l);
        Some(facts)
    }

    /// Whether lanes may disagree about `e`.
    pub fn is_varying(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                found |= self.varying.contains(&v);
            }
        });
        found
    }

    /// Finds what varies, and what is masked, to a fixpoint.
    pub fn spread(&mut self, l: &For) {
        loop {
            let before = (self.varying.len(), self.masked.len());
            let outer = self.masked.contains(&Target::Loop(l.id));
            self.block(&l.body, outer, &mut vec![Target::Loop(l.id)]);
            if before == (self.varying.len(), self.masked.len()) {
                return;
            }
        }
    }

    fn block(&mut self, block: &[Stmt], varying: bool, open: &mut Vec<Target>) {
        for s in block {
            self.stmt(s, varying, open);
        }
    }

    /// Marks bindings inside `e`.
    fn expr(&mut self, e: &Expr, varying: bool) {
        match &e.kind {
            ExprKind::Bind { var, value, body } => {
                self.expr(value, varying);
                if varying || self.is_varying(value) {
                    self.varying.insert(*var);
                }
                self.expr(body, varying);
            }
            ExprKind::Select { cond, then, orelse } => {
                self.expr(cond, varying);
                let sides = varying || self.is_varying(cond);
                self.expr(then, sides);
                self.expr(orelse, sides);
            }
            _ => e.children().for_each(|c| self.expr(c, varying)),
        }
    }

    fn stmt(&mut self, s: &Stmt, varying: bool, open: &mut Vec<Target>) {
        for e in s.exprs() {
            self.expr(e, varying);
        }
        match &s.kind {
            StmtKind::Let { var, .. } if self.ordered.contains(var) => {}
            StmtKind::Let { var, value } if varying || self.is_varying(value) => {
                self.varying.insert(*var);
            }
            StmtKind::If { cond, then, orelse } => {
                let sides = varying || self.is_varying(cond);
                self.block(then, sides, open);
                self.block(orelse, sides, open);
            }
            StmtKind::For(l) => {
                let bounds = [&l.start, &l.stop, &l.step];
                if bounds.iter().any(|e| self.is_varying(e)) {
                    self.masked.insert(Target::Loop(l.id));
                }
                if self.is_varying(&l.start) || self.is_varying(&l.step) {
                    self.varying.insert(l.counter);
                }
                self.construct(Target::Loop(l.id), &l.body, varying, open);
            }
            StmtKind::While(l) => {
                if self.is_varying(&l.cond) {
                    self.masked.insert(Target::Loop(l.id));
                }
                self.construct(Target::Loop(l.id), &l.body, varying, open);
            }
            StmtKind::Scope { id, body } => self.construct(Target::Scope(*id), body, varying, open),
            StmtKind::Break(l) | StmtKind::Continue(l) if varying => {
                self.exit(Target::Loop(*l), open)
            }
            StmtKind::Leave(s) if varying => self.exit(Target::Scope(*s), open),
            _ => {}
        }
    }

    fn construct(&mut self, target: Target, body: &[Stmt], varying: bool, open: &mut Vec<Target>) {
        open.push(target);
        let inside = varying || self.masked.contains(&target);
        self.block(body, inside, open);
        open.pop();
    }

    /// Marks `target` and everything between here and there as masked, since only some lanes jump there.
    fn exit(&mut self, target: Target, open: &[Target]) {
        let from = open.iter().position(|t| *t == target).unwrap_or(0);
        self.masked.extend(&open[from..]);
    }

    /// Finds the linear variables: the counter, the counters of inner loops whose start is linear, and variables with
    /// one assignment, of a linear value.
    fn find_linear(&mut self, l: &For) {
        if let Some(step) = l.step.as_int().and_then(|s| i64::try_from(s).ok()) {
            self.linear.insert(l.counter, step);
        }
        let mut assignments: HashMap<VarId, Vec<&Expr>> = HashMap::new();
        let mut counters: Vec<(&For, VarId)> = Vec::new();
        for s in &l.body {
            s.walk(&mut |s| {
                match &s.kind {
                    StmtKind::Let { var, value } => {
                        assignments.entry(*var).or_default().push(value)
                    }
                    StmtKind::For(inner) => counters.push((inner, inner.counter)),
                    _ => {}
                }
                for e in s.exprs() {
                    e.walk(&mut |e| {
                        if let ExprKind::Bind { var, value, .. } = &e.kind {
                            assignments.entry(*var).or_default().push(value);
                        }
                    });
                }
            });
        }
        loop {
            let before = self.linear.len();
            for (var, values) in &assignments {
                if let [value] = values[..]
                    && self.varying.contains(var)
                    && let Some(step) = self.linear_step(value)
                {
                    self.linear.insert(*var, step);
                }
            }
            for (inner, counter) in &counters {
                if self.varying.contains(counter)
                    && !self.is_varying(&inner.step)
                    && let Some(step) = self.linear_step(&inner.start)
                {
                    self.linear.insert(*counter, step);
                }
            }
            if before == self.linear.len() {
                return;
            }
        }
    }

    /// What `e` gains from one lane to the next, if that is one constant. Guarded arithmetic does not qualify: lane
    /// 0's value is computed by a second evaluation, which must not fail.
    pub fn linear_step(&self, e: &Expr) -> Option<i64> {
        if !self.is_varying(e) {
            return Some(0);
        }
        if e.ty.repr != Scalar::I64 {
            return None;
        }
        match &e.kind {
            ExprKind::Var(v) => self.linear.get(v).copied(),
            ExprKind::Unary {
                op: UnOp::Neg,
                a,
                guard: false,
            } => self.linear_step(a)?.checked_neg(),
            ExprKind::Cast {
                kind: Cast::Value,
                a,
                ..
            } if a.ty.repr == Scalar::I64 => self.linear_step(a),
            ExprKind::Binary {
                op,
                a,
                b,
                guard: false,
            } => {
                let (x, y) = (self.linear_step(a)?, self.linear_step(b)?);
                match op {
                    BinOp::Add => x.checked_add(y),
                    BinOp::Sub => x.checked_sub(y),
                    BinOp::Mul => {
                        let by = |e: &Expr| e.as_int().and_then(|v| i64::try_from(v).ok());
                        match (by(a), by(b)) {
                            (Some(c), _) => y.checked_mul(c),
                            (_, Some(c)) => x.checked_mul(c),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn only_continues(l: &For) -> bool {
    let mut breaks = false;
    for s in &l.body {
        s.walk(&mut |s| breaks |= matches!(s.kind, StmtKind::Break(id) if id == l.id));
    }
    let outside = definite_assignment::exits(&l.body)
        .into_iter()
        .any(|t| t != Target::Loop(l.id));
    !breaks && !outside
}

/// Whether all statements and types in the loop have a vector form, and no loop inside is mapped itself.
fn lanes_can_run(scheduled: &Scheduled<'_>, l: &For, flow: &Flow) -> bool {
    let schedule = &scheduled.schedule;
    let mapped = |id: LoopId| {
        schedule.threads.iter().any(|t| t.id == id) || schedule.vector.iter().any(|(v, _)| *v == id)
    };
    let narrow_only = |r: Scalar| matches!(r, Scalar::I128 | Scalar::Num);
    let mut ok = !flow.assigned.iter().any(|v| {
        scheduled
            .nest
            .vars
            .get(*v)
            .is_none_or(|d| narrow_only(d.ty.repr))
    });
    for s in &l.body {
        s.walk(&mut |s| {
            ok &= match &s.kind {
                StmtKind::Rebind(_) | StmtKind::Return | StmtKind::Check { .. } => false,
                StmtKind::For(inner) => !mapped(inner.id),
                _ => true,
            };
            for e in s.exprs() {
                e.walk(&mut |e| {
                    ok &= !narrow_only(e.ty.repr)
                        && !matches!(&e.kind, ExprKind::Binary { op: BinOp::Pow, .. } if e.ty.repr.is_int());
                });
            }
        });
    }
    ok
}
