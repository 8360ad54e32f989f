//! Deferred exceptions: whether a loop may run as if its guards were looked at only at its end, memory accesses clamped
//! to their arrays.
//!
//! ```text
//! for i in range(n):                for i in range(n):
//!     check(d[i] != 0)      =>          failed |= d[i] == 0
//!     a[i] = b[i] // d[i]               a[i] = b[i] // d[i]     # any value where it failed
//!                                   check(not failed)
//! ```
//!
//! The values that a failed guard leaves behind must reach nothing on which unguarded accesses rest: taint analysis
//! from guards to subscripts, loop bounds and conditions.
//!
//! Source: deferred exceptions of speculative execution (Smith, Lam and Horowitz, Boosting beyond static scheduling in
//! a superscalar processor, 1990).

use nestwise_ir::VarId;
use nestwise_ir::guarded::expr_may_fail;
use nestwise_ir::model::nest::{Cast, Expr, ExprKind, Nest, Stmt, StmtKind, While};

use crate::dataflow::liveness::VarSet;
use crate::guards::expr_key;
use crate::structure::assigned;

/// Whether the exceptions of a loop may be deferred to its end.
///
/// Legal iff no guard in the loop, but those of loads and stores (a clamped load gives an ordinary element), has a
/// result that flows into
///   - a subscript or a loop bound;
///   - a condition, unless nothing that it compares has to do with a counter, a bound or a subscript anywhere in the
///     nest: then no proof rests on it. Nor does one rest on a condition inside a [`closed`] `while`: what that tells
///     is about values that begin there, and nothing there is accessed.
pub fn may_defer_exceptions(nest: &Nest, body: &[Stmt]) -> bool {
    let mut taint = Taint {
        vars: vec![],
        changed: true,
        safe: true,
        trunc: false,
        positions: positions(nest),
        closed: vec![],
        ends: vec![],
    };
    for s in body {
        s.walk(&mut |s| {
            if let StmtKind::While(l) = &s.kind
                && closed(l)
            {
                taint.ends.push(expr_key(&l.cond));
                taint.closed.extend(conditions(&l.body));
            }
        });
    }
    for s in body {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    taint.trunc |= matches!(
                        e.kind,
                        ExprKind::Cast {
                            kind: nestwise_ir::model::nest::Cast::Trunc,
                            ..
                        }
                    );
                });
            }
        });
    }
    while taint.changed {
        taint.changed = false;
        for s in body {
            s.walk(&mut |s| taint.stmt(s));
        }
    }
    taint.safe
}

struct Taint {
    vars: Vec<VarId>,
    changed: bool,
    safe: bool,
    /// Whether floats become ints somewhere in the nest, so that floats have to be followed, too.
    trunc: bool,
    /// Variables that proofs about accesses may speak of.
    positions: VarSet,
    /// The conditions inside closed `while`s; `ends` has the conditions of the closed `while`s themselves.
    closed: Vec<usize>,
    ends: Vec<usize>,
}

/// Whether a `while` only computes variables from one another, all of which it assigns: it accesses no element, has no
/// `for` and no jump, and reads nothing else. At its head each variable may have its value from before the loop or from
/// the last iteration, so that nothing is known of it in terms of what is outside.
fn closed(l: &While) -> bool {
    let own = assigned(&l.body);
    let mut ok = true;
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            ok &= match &e.kind {
                ExprKind::Var(v) => own.contains(v),
                ExprKind::Load { .. }
                | ExprKind::Call { .. }
                | ExprKind::HostCall { .. }
                | ExprKind::Dim(..) => false,
                ExprKind::Cast { kind, .. } => *kind == Cast::Value,
                _ => true,
            };
        });
    };
    look(&l.cond);
    let mut plain = true;
    for s in &l.body {
        s.walk(&mut |s| {
            plain &= matches!(
                s.kind,
                StmtKind::Let { .. } | StmtKind::If { .. } | StmtKind::While(_) | StmtKind::Eval(_)
            );
            s.exprs().for_each(&mut look);
        });
    }
    ok && plain
}

/// The conditions in a block.
fn conditions(block: &[Stmt]) -> Vec<usize> {
    let mut found = vec![];
    for s in block {
        s.walk(&mut |s| {
            match &s.kind {
                StmtKind::If { cond, .. } => found.push(expr_key(cond)),
                StmtKind::While(l) => found.push(expr_key(&l.cond)),
                _ => {}
            }
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Select { cond, .. } = &e.kind {
                        found.push(expr_key(cond));
                    }
                });
            }
        });
    }
    found
}

/// The counters, and the variables from which subscripts, bounds and counters are computed. A variable that is computed
/// from one of them (other than by loading an element there) is included, too.
fn positions(nest: &Nest) -> VarSet {
    let mut set = VarSet::new(nest.vars.len());
    let mut links: Vec<(VarId, Vec<VarId>)> = vec![];
    let add = |e: &Expr, set: &mut VarSet| {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                set.insert(v);
            }
        });
    };
    nest.walk(&mut |s| {
        match &s.kind {
            StmtKind::For(l) => {
                set.insert(l.counter);
                [&l.start, &l.stop, &l.step]
                    .into_iter()
                    .for_each(|e| add(e, &mut set));
            }
            StmtKind::Store { index, .. } => index.iter().for_each(|e| add(e, &mut set)),
            StmtKind::Let { var, value } => links.push((*var, compared(value))),
            _ => {}
        }
        for e in s.exprs() {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load { index, .. } => index.iter().for_each(|e| add(e, &mut set)),
                ExprKind::Bind { var, value, .. } => links.push((*var, compared(value))),
                _ => {}
            });
        }
    });
    loop {
        let before = set.clone();
        for (var, from) in &links {
            if set.contains(*var) {
                from.iter().for_each(|v| set.insert(*v));
            } else if from.iter().any(|v| set.contains(*v)) {
                set.insert(*var);
            }
        }
        if set == before {
            return set;
        }
    }
}

/// The variables in an expression, without those in the subscripts of its loads.
fn compared(e: &Expr) -> Vec<VarId> {
    match &e.kind {
        ExprKind::Var(v) => vec![*v],
        ExprKind::Load { .. } => vec![],
        _ => e.children().flat_map(compared).collect(),
    }
}

impl Taint {
    fn stmt(&mut self, s: &Stmt) {
        let sinks: Vec<&Expr> = match &s.kind {
            StmtKind::Let { var, value } => {
                self.flow(*var, value);
                vec![]
            }
            StmtKind::Store { index, .. } => index.iter().collect(),
            StmtKind::If { cond, .. } => {
                self.condition(cond);
                vec![]
            }
            StmtKind::For(l) => vec![&l.start, &l.stop, &l.step],
            // Lanes leave a `while` after a guard has failed.
            StmtKind::While(l) => {
                self.condition(&l.cond);
                vec![]
            }
            // What follows a check rests on it.
            StmtKind::Check { guard, .. } => {
                self.safe &= !guard;
                vec![]
            }
            _ => vec![],
        };
        for e in sinks {
            self.safe &= !self.tainted(e);
        }
        for e in s.exprs() {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load { index, .. } => {
                    self.safe &= !index.iter().any(|i| self.tainted(i));
                }
                ExprKind::Select { cond, .. } => self.condition(cond),
                ExprKind::Bind { var, value, .. } => self.flow(*var, value),
                _ => {}
            });
        }
    }

    fn condition(&mut self, cond: &Expr) {
        let about_positions = || compared(cond).iter().any(|v| self.positions.contains(*v));
        let key = expr_key(cond);
        // After a failed guard it may be left whatever its condition says, which then must tell of spoilt values only.
        let spoilt = || compared(cond).iter().all(|v| self.vars.contains(v));
        let inside = self.closed.contains(&key) || self.ends.contains(&key) && spoilt();
        self.safe &= !self.tainted(cond) || !self.trunc && (inside || !about_positions());
    }

    fn flow(&mut self, var: VarId, value: &Expr) {
        if self.tainted(value) && !self.vars.contains(&var) {
            self.vars.push(var);
            self.changed = true;
        }
    }

    fn tainted(&self, e: &Expr) -> bool {
        let matters = self.trunc || !(e.ty.repr.is_float() || e.ty.repr.is_complex());
        match &e.kind {
            ExprKind::Var(v) => self.vars.contains(v),
            ExprKind::Load { .. } => false,
            ExprKind::Compare { a, .. } if a.ty.repr.is_float() && !self.trunc => false,
            _ => {
                let own = matters && expr_may_fail(e);
                own || e.children().any(|c| self.tainted(c))
            }
        }
    }
}
