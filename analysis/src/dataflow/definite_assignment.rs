//! Facts about variables that decide where they live: which a block assigns, which it may read before assigning
//! (*exposed*: carried in), which it assigns on every path (*definite*). Structured flow makes one forward walk
//! enough; where paths leave early the answer errs towards exposed and not definite.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::Cast;
use nestwise_ir::{Expr, ExprKind, IdSet, LoopId, ScopeId, Stmt, StmtKind, VarId};

/// A set of variables.
pub type Vars = HashSet<VarId>;

/// What a block does to variables.
#[derive(Default, Debug, Clone)]
pub struct Flow {
    /// The variables that the block assigns anywhere, counters and bindings included.
    pub assigned: Vars,
    /// The variables that may be read before the block assigned them.
    pub exposed: Vars,
    /// The variables that the block reads anywhere.
    pub read: Vars,
    /// The variables assigned on every path that reaches the end, or continues the loop the block is the body of.
    pub definite: Vars,
}

/// Where control may go from inside a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// The end of a loop, or its next iteration.
    Loop(LoopId),
    /// The end of a scope.
    Scope(ScopeId),
    /// The end of the nest.
    Nest,
}

/// Analyses the body of a loop (or any block); `extra` are expressions evaluated before it each time, as a `while`
/// condition is. Loops in `nonempty` run at least once whenever they are entered.
pub fn flow(
    extra: &[&Expr],
    body: &[Stmt],
    continued: Option<LoopId>,
    nonempty: IdSet<LoopId>,
) -> Flow {
    let mut walk = Walk {
        flow: Flow::default(),
        leaves: HashMap::new(),
        continued,
        nonempty,
    };
    let mut now = State::start();
    for e in extra {
        walk.expr(e, &mut now);
    }
    walk.block(body, &mut now);
    if let Some(id) = continued
        && let Some(at_continue) = walk.leaves.remove(&Target::Loop(id))
    {
        now.merge(&at_continue);
    }
    let mut flow = walk.flow;
    flow.definite = if now.dead {
        flow.assigned.clone()
    } else {
        now.assigned
    };
    flow
}

/// The variables assigned by `body` whose values may be outside what was proved about them once a guard has failed:
/// they are carried from one iteration to the next, or computed from such variables, from elements or by functions.
/// Values computed from counters and invariants by saturating arithmetic stay within what was proved.
pub fn loose(body: &[Stmt], flow: &Flow) -> Vars {
    let mut loose: Vars = flow.assigned.intersection(&flow.exposed).copied().collect();
    loop {
        let before = loose.len();
        for s in body {
            s.walk(&mut |s| {
                match &s.kind {
                    StmtKind::Let { var, value } if is_loose(value, &loose) => {
                        loose.insert(*var);
                    }
                    StmtKind::For(l) if [&l.start, &l.step].iter().any(|e| is_loose(e, &loose)) => {
                        loose.insert(l.counter);
                    }
                    _ => {}
                }
                for e in s.exprs() {
                    e.walk(&mut |e| {
                        if let ExprKind::Bind { var, value, .. } = &e.kind
                            && is_loose(value, &loose)
                        {
                            loose.insert(*var);
                        }
                    });
                }
            });
        }
        if loose.len() == before {
            return loose;
        }
    }
}

/// Whether the value of `e` may be loose (see [`loose`]), given that the variables in `loose` are.
pub fn is_loose(e: &Expr, loose: &Vars) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= match &e.kind {
            ExprKind::Var(v) => loose.contains(v),
            ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::HostCall { .. } => true,
            ExprKind::Cast { kind, .. } => *kind == Cast::Trunc,
            _ => false,
        };
    });
    found
}

#[derive(Clone, Debug)]
struct State {
    assigned: Vars,
    /// Whether no path reaches this point.
    dead: bool,
}

impl State {
    fn start() -> State {
        State {
            assigned: Vars::new(),
            dead: false,
        }
    }
    fn merge(&mut self, other: &State) {
        if self.dead {
            *self = other.clone();
        } else if !other.dead {
            self.assigned.retain(|v| other.assigned.contains(v));
        }
    }
}

struct Walk {
    flow: Flow,
    /// States at jumps to the end of a scope, or to the next iteration of the analysed loop.
    leaves: HashMap<Target, State>,
    continued: Option<LoopId>,
    nonempty: IdSet<LoopId>,
}

impl Walk {
    fn assign(&mut self, v: VarId, now: &mut State) {
        self.flow.assigned.insert(v);
        now.assigned.insert(v);
    }

    fn expr(&mut self, e: &Expr, now: &mut State) {
        match &e.kind {
            ExprKind::Var(v) => {
                self.flow.read.insert(*v);
                if !now.dead && !now.assigned.contains(v) {
                    self.flow.exposed.insert(*v);
                }
            }
            ExprKind::Select { cond, then, orelse } => {
                self.expr(cond, now);
                let mut other = now.clone();
                self.expr(then, now);
                self.expr(orelse, &mut other);
                now.merge(&other);
            }
            ExprKind::Bind { var, value, body } => {
                self.expr(value, now);
                self.assign(*var, now);
                self.expr(body, now);
            }
            _ => {
                for child in e.children() {
                    self.expr(child, now);
                }
            }
        }
    }

    fn block(&mut self, block: &[Stmt], now: &mut State) {
        for s in block {
            self.stmt(s, now);
        }
    }

    fn leave(&mut self, to: Target, now: &mut State) {
        match self.leaves.get_mut(&to) {
            Some(state) => state.merge(now),
            None => {
                self.leaves.insert(to, now.clone());
            }
        }
        now.dead = true;
    }

    fn stmt(&mut self, s: &Stmt, now: &mut State) {
        for e in s.exprs() {
            self.expr(e, now);
        }
        match &s.kind {
            StmtKind::Let { var, .. } => self.assign(*var, now),
            StmtKind::If { then, orelse, .. } => {
                let mut other = now.clone();
                self.block(then, now);
                self.block(orelse, &mut other);
                now.merge(&other);
            }
            StmtKind::For(l) => {
                // Where zero trips are possible, nothing inside is definite after it.
                let mut inside = now.clone();
                self.assign(l.counter, &mut inside);
                self.block(&l.body, &mut inside);
                // The first iteration ends at the body's end or at a jump; later ones only add.
                if let Some(jumped) = self.leaves.remove(&Target::Loop(l.id)) {
                    inside.merge(&jumped);
                }
                if self.nonempty.contains(l.id) && !inside.dead {
                    *now = inside;
                }
            }
            StmtKind::While(l) => {
                let mut inside = now.clone();
                self.block(&l.body, &mut inside);
            }
            StmtKind::Scope { id, body } => {
                self.block(body, now);
                if let Some(left) = self.leaves.remove(&Target::Scope(*id)) {
                    now.merge(&left);
                }
            }
            StmtKind::Leave(id) => self.leave(Target::Scope(*id), now),
            // The analysed loop's own break ends it: nothing of its body comes after.
            StmtKind::Break(id) if self.continued == Some(*id) => now.dead = true,
            StmtKind::Break(id) | StmtKind::Continue(id) => self.leave(Target::Loop(*id), now),
            StmtKind::Return => now.dead = true,
            _ => {}
        }
    }
}

/// Every jump target named inside `block` that is not itself inside it.
pub fn exits(block: &[Stmt]) -> HashSet<Target> {
    let (mut targets, mut inside) = (HashSet::new(), HashSet::new());
    for s in block {
        s.walk(&mut |s| match &s.kind {
            StmtKind::Break(l) | StmtKind::Continue(l) => {
                targets.insert(Target::Loop(*l));
            }
            StmtKind::Leave(s) => {
                targets.insert(Target::Scope(*s));
            }
            StmtKind::Return => {
                targets.insert(Target::Nest);
            }
            StmtKind::For(l) => {
                inside.insert(Target::Loop(l.id));
            }
            StmtKind::While(l) => {
                inside.insert(Target::Loop(l.id));
            }
            StmtKind::Scope { id, .. } => {
                inside.insert(Target::Scope(*id));
            }
            _ => {}
        });
    }
    targets.retain(|t| !inside.contains(t));
    targets
}
