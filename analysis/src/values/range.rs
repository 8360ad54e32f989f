//! Value ranges of every variable and expression, by abstract interpretation of the typed nest.
//!
//! The method is Cousot and Cousot's interval analysis (1977): loops are iterated to a fixpoint with delayed widening
//! to thresholds (the nest's own constants), followed by decreasing steps that are kept only if they stay a fixpoint.
//! Conditions refine the variables they compare. A final pass over the stable states records which guards may fail.

use std::collections::{BTreeSet, HashMap, HashSet};

use nestwise_ir::model::nest::{Expr, ExprKind, For, Nest, Stmt, StmtKind, While};
use nestwise_ir::{ArrayId, LoopId, ScopeId, VarId};

use crate::guards::launch_values::LaunchValues;
use crate::guards::{expr_guard, stmt_guard};
use crate::structure::Classes;
use crate::values::float_enclosure::Floats;
use crate::values::interval::Interval;
use crate::values::refine::Evaluate;
use crate::values::state::{State, get, join, set};
use crate::values::transfer::{self, DIM_MAX, Outcome, Val};
use crate::values::widen::Thresholds;

/// The most rounds before a fixpoint is given up and replaced by "anything".
const MAX_ROUNDS: usize = 200;

/// The number of recent entries of a loop whose fixpoints are kept.
const HEADS: usize = 4;

/// What the analysis found; node addresses are valid while the nest stays where it is.
#[derive(Default)]
pub struct Ranges {
    /// Addresses of guarded nodes whose guards may fail as far as ranges tell.
    pub unsafe_nodes: HashSet<usize>,
    /// The interval of each integer expression wider than 64 bits, by address.
    pub wide: HashMap<usize, Interval>,
    /// By slot of ints: the interval of the values stored into it.
    pub stored: HashMap<ArrayId, Interval>,
    /// The interval of each `Let`'s right side, by the statement's address.
    pub lets: HashMap<usize, Interval>,
    /// By loop: the state at the start of any of its iterations.
    pub head: Vec<Option<State>>,
    /// By loop: the state after it.
    pub after: Vec<Option<State>>,
    /// By scope: the state after it.
    pub scopes: Vec<Option<State>>,
}

impl Ranges {
    /// The interval of an int variable in a recorded state.
    pub fn interval(state: Option<&Option<State>>, var: VarId, nest: &Nest) -> Interval {
        let known = state
            .and_then(|s| s.as_ref())
            .and_then(|s| s.get(var.index()));
        let ty = Interval::of_type(nest.vars[var].ty.repr);
        match known {
            Some(Val::Int(i, _)) => i.clamp_to(ty),
            _ => ty,
        }
    }
}

/// Computes the ranges of a nest for any values that its signature allows.
pub fn ranges(nest: &Nest) -> Ranges {
    run(Analyser::new(nest, None))
}

fn run(mut an: Analyser<'_>) -> Ranges {
    let nest = an.nest;
    let mut state = an.entry();
    an.recording = true;
    for stmt in &nest.prologue {
        match an.stmt(state, stmt) {
            Some(s) => state = s,
            None => return an.out,
        }
    }
    an.stmt(state, &nest.top);
    an.out
}

/// Computes the ranges of a nest for the values of one launch.
pub(crate) fn ranges_known(nest: &Nest, values: &LaunchValues) -> Ranges {
    let known = Known {
        values,
        classes: Classes::of(nest),
    };
    run(Analyser::new(nest, Some(known)))
}

/// The values of one launch.
struct Known<'n> {
    values: &'n LaunchValues,
    classes: Classes,
}

impl Known<'_> {
    /// The extent of an axis, of a slot that keeps its array.
    fn extent(&self, array: ArrayId, axis: u32) -> Option<i128> {
        if self.classes.permuted(array) {
            return None;
        }
        let dims = self.values.dims.get(array.index())?;
        dims.get(axis as usize).map(|d| i128::from(*d))
    }

    /// The value of a variable at entry.
    fn entry(&self, var: VarId, repr: nestwise_ir::Scalar) -> Option<Val> {
        let at = var.index();
        if repr.is_int() {
            let value = self.values.vars.get(at).copied().flatten()?;
            return Some(Val::int(Interval::point(value.into())));
        }
        let value = self.values.floats.get(at).copied().flatten()?;
        (repr == nestwise_ir::Scalar::F64).then(|| Val::Float(Floats::point(value)))
    }

    /// The interval of the elements of a slot, if it is known.
    fn content(&self, array: ArrayId) -> Option<Interval> {
        let ends = self.values.contents.get(array.index()).copied().flatten();
        ends.map(|(lo, hi)| Interval::new(lo.into(), hi.into()))
    }
}

/// The last states in which a loop was entered, with the states found at its head.
#[derive(Clone, Default)]
struct Heads {
    /// The variables that the loop reads or assigns, by index: no others change in it, or influence it.
    vars: Vec<usize>,
    /// The variables' values at an entry, and at the loop's head.
    known: Vec<[State; 2]>,
}

impl Heads {
    fn of(&self, state: &State) -> State {
        self.vars.iter().map(|v| state[*v]).collect()
    }
}

fn heads(nest: &Nest) -> Vec<Heads> {
    let mut all = vec![Heads::default(); nest.loops.len()];
    nest.walk(&mut |s| {
        let id = match &s.kind {
            StmtKind::For(l) => l.id,
            StmtKind::While(l) => l.id,
            _ => return,
        };
        let mut vars = BTreeSet::new();
        s.walk(&mut |s| {
            match &s.kind {
                StmtKind::Let { var, .. } => _ = vars.insert(var.index()),
                StmtKind::For(l) => _ = vars.insert(l.counter.index()),
                _ => {}
            }
            let mut read = |e: &Expr| {
                if let ExprKind::Var(v) = e.kind {
                    vars.insert(v.index());
                }
            };
            s.exprs().for_each(|e| e.walk(&mut read));
        });
        if let Some(own) = all.get_mut(id.index()) {
            own.vars = vars.into_iter().collect();
        }
    });
    all
}

struct Analyser<'n> {
    nest: &'n Nest,
    known: Option<Known<'n>>,
    thresholds: Thresholds,
    recording: bool,
    /// By loop: the fixpoints found for recent entries.
    heads: Vec<Heads>,
    breaks: Vec<Option<State>>,
    continues: Vec<Option<State>>,
    leaves: Vec<Option<State>>,
    out: Ranges,
}

impl<'n> Analyser<'n> {
    fn new(nest: &'n Nest, known: Option<Known<'n>>) -> Self {
        let loops = nest.loops.len();
        let scopes = nest.scopes as usize;
        let out = Ranges {
            head: vec![None; loops],
            after: vec![None; loops],
            scopes: vec![None; scopes],
            ..Ranges::default()
        };
        Analyser {
            nest,
            known,
            thresholds: Thresholds::of(nest),
            recording: false,
            heads: heads(nest),
            breaks: vec![None; loops],
            continues: vec![None; loops],
            leaves: vec![None; scopes],
            out,
        }
    }

    fn entry(&self) -> State {
        let known = |v: VarId, d: &nestwise_ir::VarDecl| {
            let known = self.known.as_ref().filter(|_| d.live_in.is_some())?;
            known.entry(v, d.ty.repr)
        };
        let value = |(v, d): (VarId, &nestwise_ir::VarDecl)| match (d.live_in, d.range) {
            _ if known(v, d).is_some() => known(v, d).unwrap_or(Val::None),
            // Flags are false at entry.
            (None, _) if d.ty.repr == nestwise_ir::Scalar::Bool => Val::of_type(d.ty.repr),
            (None, _) => Val::None,
            (Some(_), Some((lo, hi))) if d.ty.repr.is_int() => {
                Val::int(Interval::new(lo.into(), hi.into()))
            }
            _ => Val::of_type(d.ty.repr),
        };
        let mut state: State = self.nest.vars.iter().map(value).collect();
        let end = self.nest.whole.and_then(|end| state.get_mut(end.index()));
        if let Some(end) = end {
            *end = Val::of_type(nestwise_ir::Scalar::I64);
        }
        state
    }

    fn record(&mut self, address: usize, safe: bool) {
        if self.recording && !safe {
            self.out.unsafe_nodes.insert(address);
        }
    }

    fn block(&mut self, state: State, stmts: &[Stmt]) -> Option<State> {
        let mut state = Some(state);
        for stmt in stmts {
            state = self.stmt(state?, stmt);
        }
        state
    }

    fn stmt(&mut self, mut st: State, stmt: &Stmt) -> Option<State> {
        let address = crate::guards::stmt_key(stmt);
        match &stmt.kind {
            StmtKind::Let { var, value } => {
                let v = self.expr(&mut st, value);
                if let (true, Val::Int(i, _)) = (self.recording, v) {
                    let all = self.out.lets.entry(address).or_insert(i);
                    *all = all.join(i);
                }
                set(&mut st, *var, v);
            }
            StmtKind::Store {
                array,
                index,
                value,
                guard,
                ..
            } => {
                let at = self.subscripts(&mut st, index);
                let v = self.expr(&mut st, value);
                if let (true, Val::Int(i, _)) = (self.recording, v) {
                    let all = self.out.stored.entry(*array).or_insert(i);
                    *all = all.join(i);
                }
                self.record(address, !*guard || self.inside(*array, &at));
            }
            StmtKind::Rebind(_) => {}
            StmtKind::If { cond, then, orelse } => {
                self.expr(&mut st, cond);
                let yes = self
                    .refined(&st, cond, true)
                    .and_then(|s| self.block(s, then));
                let no = self
                    .refined(&st, cond, false)
                    .and_then(|s| self.block(s, orelse));
                return join(yes, no);
            }
            StmtKind::For(l) => return self.for_loop(st, l),
            StmtKind::While(l) => return self.while_loop(st, l),
            StmtKind::Break(l) => return leave(&mut self.breaks, l.index(), st),
            StmtKind::Continue(l) => return leave(&mut self.continues, l.index(), st),
            StmtKind::Leave(s) => return leave(&mut self.leaves, s.index(), st),
            StmtKind::Return => return None,
            StmtKind::Scope { id, body } => return self.scope(st, *id, body),
            StmtKind::Check { cond, .. } => {
                let v = self.expr(&mut st, cond);
                self.record(address, stmt_guard(stmt) == Some(false) || v.nonzero());
                return self.refined(&st, cond, true);
            }
            StmtKind::Eval(e) => {
                self.expr(&mut st, e);
            }
        }
        Some(st)
    }

    fn scope(&mut self, st: State, id: ScopeId, body: &[Stmt]) -> Option<State> {
        let end = self.block(st, body);
        let left = self.leaves.get_mut(id.index()).and_then(|s| s.take());
        let out = join(end, left);
        self.remember(id.index(), &out, |o| &mut o.scopes);
        out
    }

    /// Joins a state into a table of the results; does so in the recording pass only.
    fn remember(
        &mut self,
        index: usize,
        state: &Option<State>,
        table: impl Fn(&mut Ranges) -> &mut Vec<Option<State>>,
    ) {
        if self.recording
            && let Some(slot) = table(&mut self.out).get_mut(index)
        {
            *slot = join(slot.take(), state.clone());
        }
    }

    fn for_loop(&mut self, mut st: State, l: &For) -> Option<State> {
        let [start, stop, step] =
            [&l.start, &l.stop, &l.step].map(|e| self.expr(&mut st, e).interval());
        let up = Interval {
            lo: start.lo,
            hi: stop.hi.saturating_sub(1),
        };
        let down = Interval {
            lo: stop.lo.saturating_add(1),
            hi: start.hi,
        };
        let counter = match (step.lo > 0, step.hi < 0) {
            (true, _) => Some(up),
            (_, true) => Some(down),
            _ => Some(Interval::new(up.lo.min(down.lo), up.hi.max(down.hi))),
        };
        let counter = counter
            .filter(|c| c.lo <= c.hi)
            .and_then(|c| c.meet(Interval::of_type(nestwise_ir::Scalar::I64)));
        let id = l.id;
        let enter = move |_: &mut Self, head: &State| {
            let mut s = head.clone();
            set(&mut s, l.counter, Val::int(counter?));
            Some(s)
        };
        let head = self.fixpoint(st, id, &enter, &l.body);
        self.finish(id, Some(head))
    }

    fn while_loop(&mut self, st: State, l: &While) -> Option<State> {
        let enter = |this: &mut Self, head: &State| {
            let mut s = head.clone();
            this.expr(&mut s, &l.cond);
            this.refined(&s, &l.cond, true)
        };
        let head = self.fixpoint(st, l.id, &enter, &l.body);
        let mut at_exit = head;
        let was = std::mem::replace(&mut self.recording, false);
        self.expr(&mut at_exit, &l.cond);
        self.recording = was;
        let exit = self.refined(&at_exit, &l.cond, false);
        self.finish(l.id, exit)
    }

    fn finish(&mut self, id: LoopId, normal: Option<State>) -> Option<State> {
        let broken = self.breaks.get_mut(id.index()).and_then(|s| s.take());
        let out = join(normal, broken);
        self.remember(id.index(), &out, |o| &mut o.after);
        out
    }

    /// The state at the end of the body after one abstract iteration from `head`.
    fn iterate(
        &mut self,
        head: &State,
        id: LoopId,
        enter: &dyn Fn(&mut Self, &State) -> Option<State>,
        body: &[Stmt],
    ) -> Option<State> {
        // A break of an earlier round started from a smaller state: forgotten.
        for table in [&mut self.breaks, &mut self.continues] {
            if let Some(slot) = table.get_mut(id.index()) {
                *slot = None;
            }
        }
        let inside = enter(self, head);
        self.remember(id.index(), &inside, |o| &mut o.head);
        let end = inside.and_then(|s| self.block(s, body));
        let continued = self.continues.get_mut(id.index()).and_then(|s| s.take());
        join(end, continued)
    }

    /// The state at the head of a loop that holds before every iteration.
    fn fixpoint(
        &mut self,
        entry: State,
        id: LoopId,
        enter: &dyn Fn(&mut Self, &State) -> Option<State>,
        body: &[Stmt],
    ) -> State {
        if let Some(head) = self.known_head(id, &entry) {
            // Once more, for what iterations do to the loops around and to what is recorded.
            self.iterate(&head, id, enter, body);
            return head;
        }
        let was = std::mem::replace(&mut self.recording, false);
        // Breaks and leaves of enclosing constructs that are met while iterating belong to states that the
        // last, stable round covers, so they may stay.
        let mut head = entry.clone();
        let mut widened = false;
        for round in 0usize.. {
            let end = self.iterate(&head, id, enter, body);
            let next = join(Some(head.clone()), end).unwrap_or_else(|| head.clone());
            if next == head {
                break;
            }
            if round > MAX_ROUNDS {
                // Widening ends long before; should it not, everything is possible.
                let all = self.nest.vars.values().map(|d| Val::of_type(d.ty.repr));
                head = all.collect();
                self.iterate(&head, id, enter, body);
                break;
            }
            widened = round >= 2;
            head = match widened {
                true => self.thresholds.widen(&head, &next, round > 40),
                false => next,
            };
        }
        // The last round was from the head itself, so its breaks are the loop's.
        if widened && let Some(lower) = self.narrow(&entry, &head, id, enter, body) {
            head = lower;
        }
        self.recording = was;
        if was || widened {
            self.iterate(&head, id, enter, body);
        }
        if let Some(own) = self.heads.get_mut(id.index()) {
            let kept = [&entry, &head].map(|state| own.of(state));
            own.known.truncate(HEADS - 1);
            own.known.insert(0, kept);
        }
        head
    }

    /// The state at the head of a loop that was entered in the same state before: repeated analysis of the loops around
    /// it enters it in few different states.
    fn known_head(&self, id: LoopId, entry: &State) -> Option<State> {
        let own = self.heads.get(id.index())?;
        let now = own.of(entry);
        let [_, head] = own.known.iter().find(|[before, _]| *before == now)?;
        let mut state = entry.clone();
        for (var, val) in own.vars.iter().zip(head) {
            state[*var] = *val;
        }
        Some(state)
    }

    /// A smaller state at the head that still holds before every iteration, found by decreasing steps that are kept if
    /// they are a fixpoint.
    fn narrow(
        &mut self,
        entry: &State,
        head: &State,
        id: LoopId,
        enter: &dyn Fn(&mut Self, &State) -> Option<State>,
        body: &[Stmt],
    ) -> Option<State> {
        let mut best = None;
        for _ in 0..2 {
            let from = best.as_ref().unwrap_or(head);
            let end = self.iterate(from, id, enter, body);
            let lower = join(Some(entry.clone()), end)?;
            if lower == *from {
                break;
            }
            let again = self.iterate(&lower, id, enter, body);
            if join(Some(lower.clone()), again)? != lower {
                break;
            }
            best = Some(lower);
        }
        best
    }

    fn node(&mut self, st: &mut State, e: &Expr) -> Outcome {
        let pure = |value: Val| Outcome { value, safe: true };
        match &e.kind {
            ExprKind::Const(c) => pure(Val::constant(*c)),
            ExprKind::Var(v) => pure(get(st, *v, e)),
            ExprKind::Dim(array, axis) => {
                let known = self.known.as_ref().and_then(|k| k.extent(*array, *axis));
                pure(match known {
                    Some(extent) => Val::int(Interval::point(extent)),
                    None => Val::Int(Interval::new(0, DIM_MAX), false),
                })
            }
            ExprKind::Load { index, array, .. } => {
                let at = self.subscripts(st, index);
                let value = match Val::of_type(e.ty.repr) {
                    Val::Int(..) => {
                        let all = transfer::loaded(self.nest, *array, e.ty);
                        let content = self.known.as_ref().and_then(|k| k.content(*array));
                        Val::int(content.map_or(all, |c| c.clamp_to(all)))
                    }
                    other => other,
                };
                let safe = self.inside(*array, &at);
                Outcome { value, safe }
            }
            ExprKind::Unary { op, a, guard } => {
                let v = self.expr(st, a);
                transfer::unary(*op, v, e.ty, *guard)
            }
            ExprKind::Binary { op, a, b, guard } => {
                let (x, y) = (self.expr(st, a), self.expr(st, b));
                transfer::binary(*op, x, y, e.ty, *guard, same_var(a, b))
            }
            ExprKind::Compare { op, a, b } => {
                let (x, y) = (self.expr(st, a), self.expr(st, b));
                pure(crate::values::refine::compare(*op, x, y))
            }
            ExprKind::Select { cond, then, orelse } => {
                self.expr(st, cond);
                let mut side = |value: bool, e: &Expr| {
                    let mut s = self.refined(st, cond, value)?;
                    Some(self.expr(&mut s, e))
                };
                let (a, b) = (side(true, then), side(false, orelse));
                pure(match (a, b) {
                    (Some(a), Some(b)) => a.join(b),
                    (Some(x), None) | (None, Some(x)) => x,
                    (None, None) => Val::of_type(e.ty.repr),
                })
            }
            ExprKind::Cast { kind, a, .. } => {
                let v = self.expr(st, a);
                transfer::cast(*kind, a.ty.repr, v, e.ty)
            }
            ExprKind::Call { fun, lib, args, .. } => {
                let values: Vec<Val> = args.iter().map(|a| self.expr(st, a)).collect();
                transfer::call(*fun, *lib, &values, e.ty)
            }
            ExprKind::HostCall { args, .. } => {
                for a in args {
                    self.expr(st, a);
                }
                pure(Val::of_type(e.ty.repr))
            }
            ExprKind::Bind { var, value, body } => {
                let v = self.expr(st, value);
                set(st, *var, v);
                pure(self.expr(st, body))
            }
        }
    }

    fn subscripts(&mut self, st: &mut State, index: &[Expr]) -> Vec<Interval> {
        let each = |e| self.expr(st, e).interval();
        index.iter().map(each).collect()
    }

    /// Whether subscripts lie in a slot whose extents are known.
    fn inside(&self, array: ArrayId, index: &[Interval]) -> bool {
        let Some(known) = &self.known else {
            return false;
        };
        index.iter().enumerate().all(|(axis, i)| {
            let extent = known.extent(array, axis as u32);
            extent.is_some_and(|n| i.lo >= 0 && i.hi < n)
        })
    }

    /// The state where `cond` is `truth`; `None` if that cannot be.
    fn refined(&mut self, st: &State, cond: &Expr, truth: bool) -> Option<State> {
        let was = std::mem::replace(&mut self.recording, false);
        let mut s = st.clone();
        let possible = crate::values::refine::refine(self, &mut s, cond, truth);
        self.recording = was;
        possible.then_some(s)
    }
}

impl Evaluate for Analyser<'_> {
    fn expr(&mut self, st: &mut State, e: &Expr) -> Val {
        let out = self.node(st, e);
        let address = crate::guards::expr_key(e);
        if expr_guard(e) == Some(true) {
            self.record(address, out.safe);
        }
        if self.recording
            && e.ty.repr == nestwise_ir::Scalar::I128
            && let Val::Int(i, _) = out.value
        {
            let all = self.out.wide.entry(address).or_insert(i);
            *all = all.join(i);
        }
        out.value
    }
}

fn leave(table: &mut [Option<State>], index: usize, st: State) -> Option<State> {
    if let Some(slot) = table.get_mut(index) {
        *slot = join(slot.take(), Some(st));
    }
    None
}

fn same_var(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
        _ => false,
    }
}
