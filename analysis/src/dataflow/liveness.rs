//! Which variables a loop reads before it assigns them, and which are read after it.

use nestwise_ir::model::nest::{Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::{IdSet, LoopId, VarId};

/// A set of variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VarSet {
    words: Vec<u64>,
}

impl VarSet {
    /// An empty set for `n` variables.
    pub fn new(n: usize) -> VarSet {
        VarSet {
            words: vec![0; n.div_ceil(64)],
        }
    }
    /// Adds a variable.
    pub fn insert(&mut self, v: VarId) {
        if let Some(w) = self.words.get_mut(v.index() / 64) {
            *w |= 1 << (v.index() % 64);
        }
    }
    /// Removes a variable.
    pub fn remove(&mut self, v: VarId) {
        if let Some(w) = self.words.get_mut(v.index() / 64) {
            *w &= !(1 << (v.index() % 64));
        }
    }
    /// Whether the set contains the variable.
    pub fn contains(&self, v: VarId) -> bool {
        self.words
            .get(v.index() / 64)
            .is_some_and(|w| w >> (v.index() % 64) & 1 == 1)
    }
    /// Adds all of another set.
    pub fn union(&mut self, o: &VarSet) {
        self.words
            .iter_mut()
            .zip(&o.words)
            .for_each(|(a, b)| *a |= b);
    }
    /// Keeps what is in both.
    pub fn intersect(&mut self, o: &VarSet) {
        self.words
            .iter_mut()
            .zip(&o.words)
            .for_each(|(a, b)| *a &= b);
    }
}

/// What one iteration of a loop does with variables.
#[derive(Clone, Debug)]
pub struct Exposure {
    /// The variables read on some path before being assigned in the iteration.
    pub exposed: VarSet,
    /// The variables assigned on every path through an iteration.
    pub always: VarSet,
}

/// Definite assignment over one iteration of the loop with this body (and, for a `while`, its condition). Loops in
/// `nonempty` run at least once whenever they are entered.
pub fn exposure(
    nest: &Nest,
    id: LoopId,
    cond: Option<&Expr>,
    body: &[Stmt],
    nonempty: IdSet<LoopId>,
) -> Exposure {
    let n = nest.vars.len();
    let mut w = Definite {
        exposed: VarSet::new(n),
        target: id,
        nonempty,
        continues: None,
        leaves: vec![None; nest.scopes as usize],
        ends: vec![None; nest.loops.len()],
    };
    let mut set = VarSet::new(n);
    if let Some(c) = cond {
        w.expr(&mut set, c);
    }
    let end = w.block(Some(set), body);
    let always = meet(end, w.continues.take());
    Exposure {
        exposed: w.exposed,
        always: always.unwrap_or_else(|| VarSet::new(n)),
    }
}

fn meet(a: Option<VarSet>, b: Option<VarSet>) -> Option<VarSet> {
    match (a, b) {
        (None, x) | (x, None) => x,
        (Some(mut a), Some(b)) => {
            a.intersect(&b);
            Some(a)
        }
    }
}

struct Definite {
    exposed: VarSet,
    target: LoopId,
    nonempty: IdSet<LoopId>,
    continues: Option<VarSet>,
    leaves: Vec<Option<VarSet>>,
    /// By inner loop: the variables assigned at all of its `continue`s and `break`s.
    ends: Vec<Option<VarSet>>,
}

impl Definite {
    fn expr(&mut self, set: &mut VarSet, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) if !set.contains(*v) => self.exposed.insert(*v),
            ExprKind::Bind { var, value, body } => {
                self.expr(set, value);
                set.insert(*var);
                self.expr(set, body);
            }
            // Either side's bindings are its own.
            ExprKind::Select { cond, then, orelse } => {
                self.expr(set, cond);
                for side in [then, orelse] {
                    self.expr(&mut set.clone(), side);
                }
            }
            _ => {
                for c in e.children() {
                    self.expr(set, c);
                }
            }
        }
    }

    fn block(&mut self, set: Option<VarSet>, stmts: &[Stmt]) -> Option<VarSet> {
        stmts.iter().fold(set, |set, s| self.stmt(set?, s))
    }

    fn stmt(&mut self, mut set: VarSet, s: &Stmt) -> Option<VarSet> {
        if !matches!(s.kind, StmtKind::While(_)) {
            for e in s.exprs() {
                self.expr(&mut set, e);
            }
        }
        match &s.kind {
            StmtKind::Let { var, .. } => set.insert(*var),
            StmtKind::If { then, orelse, .. } => {
                let a = self.block(Some(set.clone()), then);
                let b = self.block(Some(set), orelse);
                return meet(a, b);
            }
            StmtKind::For(l) => {
                let mut inside = set.clone();
                inside.insert(l.counter);
                let after = self.block(Some(inside), &l.body);
                // The first iteration ends at the body's end or at a jump; later ones only add.
                let id = l.id.index();
                let jumped = self.ends.get_mut(id).and_then(Option::take);
                if self.nonempty.contains(l.id) {
                    return meet(after, jumped);
                }
            }
            StmtKind::While(l) => {
                self.expr(&mut set, &l.cond);
                self.block(Some(set.clone()), &l.body);
            }
            StmtKind::Scope { id, body } => {
                let end = self.block(Some(set), body);
                let left = self.leaves.get_mut(id.index()).and_then(Option::take);
                return meet(end, left);
            }
            StmtKind::Leave(id) => {
                if let Some(slot) = self.leaves.get_mut(id.index()) {
                    *slot = meet(slot.take(), Some(set));
                }
                return None;
            }
            StmtKind::Continue(l) if *l == self.target => {
                self.continues = meet(self.continues.take(), Some(set));
                return None;
            }
            StmtKind::Break(l) | StmtKind::Continue(l) => {
                if let Some(slot) = self.ends.get_mut(l.index()) {
                    *slot = meet(slot.take(), Some(set));
                }
                return None;
            }
            StmtKind::Return => return None,
            _ => {}
        }
        Some(set)
    }
}

/// Variables that may be read after each loop, by [`LoopId`]. Backward liveness over structured statements.
pub fn live_after(nest: &Nest) -> Vec<VarSet> {
    let n = nest.vars.len();
    let mut end = VarSet::new(n);
    for out in &nest.live_outs {
        out.kind.vars().into_iter().for_each(|v| end.insert(v));
        out.assigned.into_iter().for_each(|v| end.insert(v));
    }
    // A variable's shadow tag is read wherever the variable is boxed.
    for (v, d) in nest.vars.iter() {
        if let (true, Some(tag)) = (end.contains(v), d.np_tag) {
            end.insert(tag);
        }
    }
    let mut at_return = end.clone();
    for v in nest.returns.iter().flat_map(|r| &r.vars) {
        at_return.insert(*v);
        nest.vars
            .get(*v)
            .and_then(|d| d.np_tag)
            .into_iter()
            .for_each(|t| at_return.insert(t));
    }
    let loops = nest.loops.len();
    let mut w = Live {
        at_return,
        after: vec![VarSet::new(n); loops],
        head: vec![VarSet::new(n); loops],
        scopes: vec![VarSet::new(n); nest.scopes as usize],
    };
    w.stmt(end, &nest.top);
    w.after
}

struct Live {
    at_return: VarSet,
    after: Vec<VarSet>,
    head: Vec<VarSet>,
    scopes: Vec<VarSet>,
}

impl Live {
    fn expr(out: &mut VarSet, e: &Expr) {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                out.insert(v);
            }
        });
    }

    fn block(&mut self, out: VarSet, stmts: &[Stmt]) -> VarSet {
        stmts.iter().rev().fold(out, |out, s| self.stmt(out, s))
    }

    /// What is live before a statement, given what is live after it.
    fn stmt(&mut self, mut out: VarSet, s: &Stmt) -> VarSet {
        match &s.kind {
            StmtKind::Let { var, .. } => out.remove(*var),
            StmtKind::If { then, orelse, .. } => {
                let mut a = self.block(out.clone(), then);
                a.union(&self.block(out, orelse));
                out = a;
            }
            StmtKind::For(l) => out = self.repeat(out, l.id, Some(l.counter), &l.body, &[]),
            StmtKind::While(l) => out = self.repeat(out, l.id, None, &l.body, &[&l.cond]),
            StmtKind::Scope { id, body } => {
                if let Some(slot) = self.scopes.get_mut(id.index()) {
                    *slot = out.clone();
                }
                out = self.block(out, body);
            }
            StmtKind::Break(l) => out = self.after.get(l.index()).cloned().unwrap_or(out),
            StmtKind::Continue(l) => out = self.head.get(l.index()).cloned().unwrap_or(out),
            StmtKind::Leave(id) => out = self.scopes.get(id.index()).cloned().unwrap_or(out),
            StmtKind::Return => out = self.at_return.clone(),
            _ => {}
        }
        if !matches!(s.kind, StmtKind::While(_)) {
            s.exprs().for_each(|e| Live::expr(&mut out, e));
        }
        out
    }

    fn repeat(
        &mut self,
        out: VarSet,
        id: LoopId,
        counter: Option<VarId>,
        body: &[Stmt],
        conds: &[&Expr],
    ) -> VarSet {
        let i = id.index();
        if i >= self.after.len() {
            return out;
        }
        // Outer rounds only add.
        self.after[i].union(&out);
        loop {
            let mut head = self.head[i].clone();
            head.union(&self.after[i]);
            conds.iter().for_each(|c| Live::expr(&mut head, c));
            self.head[i] = head.clone();
            let mut at_body = self.block(head.clone(), body);
            counter.into_iter().for_each(|c| at_body.remove(c));
            head.union(&at_body);
            if head == self.head[i] {
                return head;
            }
            self.head[i] = head;
        }
    }
}
