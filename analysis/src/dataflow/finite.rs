//! Where a kernel of a device looks whether a result is finite.
//!
//! A device has no floating-point flags: what overflows, or has no result, is found by its value. What is not finite
//! stays so through sums, differences, products, signs, and quotients that it is divided in. So a result is *covered*,
//! and nobody has to look at it, where on every path it goes into such an operation, whose own result is looked at or
//! covered, before its variable is assigned again: a backward analysis, of the kind of [`crate::dataflow::fp_flags`]. A
//! sum over a loop is looked at once, behind it.
//!
//! Places are known by positions, since loops are copied while code is written; where several share one, the answer is
//! that for all of them.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::{BinOp, Cast, While};
use nestwise_ir::{Expr, ExprKind, For, Scalar, Span, Stmt, StmtKind, UnOp, VarId};

use crate::dataflow::definite_assignment::{Target, Vars};

/// What a kernel looks at.
#[derive(Default, Debug)]
pub struct Finite {
    /// Assignments whose values are looked at where they are computed.
    looked: HashSet<(VarId, Span)>,
    /// Variables whose values nobody may have looked at yet.
    covered: Vars,
}

impl Finite {
    /// Of statements that a kernel runs, behind which nobody looks at anything.
    pub fn of(block: &[Stmt]) -> Finite {
        let mut walk = Walk::default();
        walk.block(Vars::new(), block);
        let mut finite = walk.finite;
        loop {
            let before = finite.covered.len();
            for s in block {
                s.walk(&mut |s| {
                    if let StmtKind::Let { var, value } = &s.kind
                        && finite.covers(*var, value)
                        && (is_watched(unchanged(value)) || finite.is_due(value))
                    {
                        finite.covered.insert(*var);
                    }
                });
            }
            if finite.covered.len() == before {
                return finite;
            }
        }
    }

    /// Whether somebody else looks at what is assigned.
    pub fn covers(&self, var: VarId, value: &Expr) -> bool {
        !self.looked.contains(&(var, value.span))
    }

    /// Whether a store has to look at what it is given, since nobody may have.
    pub fn is_due(&self, value: &Expr) -> bool {
        let e = unchanged(value);
        matches!(e.kind, ExprKind::Var(v) if is_float(e) && self.covered.contains(&v))
    }
}

fn is_float(e: &Expr) -> bool {
    matches!(e.ty.repr, Scalar::F32 | Scalar::F64)
}

/// The operand of what only changes its sign or its type, at which nobody looks.
fn same(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Unary {
            op: UnOp::Neg | UnOp::Abs,
            a,
            ..
        }
        | ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } if is_float(e) && is_float(a) => Some(a),
        _ => None,
    }
}

/// What an expression's value is but for its sign and its type.
fn unchanged(mut e: &Expr) -> &Expr {
    while let Some(inside) = same(e) {
        e = inside;
    }
    e
}

/// Whether an operation's result is looked at unless it is covered.
pub fn is_watched(e: &Expr) -> bool {
    let arithmetic = |op: &BinOp| matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div);
    matches!(&e.kind, ExprKind::Binary { op, .. } if is_float(e) && arithmetic(op))
}

/// Whether the operand at that place of `e` is covered, where `e` is or is not.
pub fn covers_operand(e: &Expr, place: usize, covered: bool) -> bool {
    match &e.kind {
        ExprKind::Binary { op, .. } if is_watched(e) => place == 0 || *op != BinOp::Div,
        _ => covered && same(e).is_some(),
    }
}

#[derive(Default)]
struct Walk {
    finite: Finite,
    /// What is covered where a jump goes.
    at: HashMap<Jump, Vars>,
}

#[derive(PartialEq, Eq, Hash)]
enum Jump {
    Break(Target),
    Continue(Target),
}

fn meet(mut a: Vars, b: &Vars) -> Vars {
    a.retain(|v| b.contains(v));
    a
}

impl Walk {
    fn block(&mut self, mut out: Vars, block: &[Stmt]) -> Vars {
        for s in block.iter().rev() {
            out = self.stmt(out, s);
        }
        out
    }

    /// What is covered before a statement, given what is behind it.
    fn stmt(&mut self, mut out: Vars, s: &Stmt) -> Vars {
        let known =
            |at: &HashMap<Jump, Vars>, jump: Jump| at.get(&jump).cloned().unwrap_or_default();
        match &s.kind {
            StmtKind::Let { var, value } => self.assign(&mut out, *var, value),
            StmtKind::Store { index, value, .. } => {
                uses(&mut out, value, same(value).is_some() || is_variable(value));
                index.iter().for_each(|e| uses(&mut out, e, false));
            }
            StmtKind::Eval(e) => uses(&mut out, e, false),
            StmtKind::If { cond, then, orelse } => {
                let other = self.block(out.clone(), orelse);
                out = meet(self.block(out, then), &other);
                uses(&mut out, cond, false);
            }
            StmtKind::For(l) => out = self.counted(out, l),
            StmtKind::While(l) => out = self.repeated(out, l),
            StmtKind::Scope { id, body } => {
                self.at.insert(Jump::Break(Target::Scope(*id)), out.clone());
                out = self.block(out, body);
            }
            StmtKind::Break(l) => out = known(&self.at, Jump::Break(Target::Loop(*l))),
            StmtKind::Continue(l) => out = known(&self.at, Jump::Continue(Target::Loop(*l))),
            StmtKind::Leave(id) => out = known(&self.at, Jump::Break(Target::Scope(*id))),
            StmtKind::Return => out = Vars::new(),
            // Whether a check looks at its condition is not known here.
            StmtKind::Check { .. } | StmtKind::Rebind(_) => {}
        }
        out
    }

    fn assign(&mut self, out: &mut Vars, var: VarId, value: &Expr) {
        let covered = out.remove(&var);
        if !covered {
            self.finite.looked.insert((var, value.span));
        }
        uses(out, value, covered);
    }

    fn counted(&mut self, after: Vars, l: &For) -> Vars {
        let mut head = after.clone();
        loop {
            let mut first = self.iteration(&after, &head, Target::Loop(l.id), &l.body);
            first.remove(&l.counter);
            let next = meet(first, &head);
            if next == head {
                break;
            }
            head = next;
        }
        for e in [&l.step, &l.stop, &l.start] {
            uses(&mut head, e, false);
        }
        head
    }

    fn repeated(&mut self, after: Vars, l: &While) -> Vars {
        let mut head = after.clone();
        uses(&mut head, &l.cond, false);
        loop {
            let first = self.iteration(&after, &head, Target::Loop(l.id), &l.body);
            let mut next = meet(first, &after);
            uses(&mut next, &l.cond, false);
            let next = meet(next, &head);
            if next == head {
                return head;
            }
            head = next;
        }
    }

    /// What one iteration covers, `head` being what is covered where the next one begins.
    fn iteration(&mut self, after: &Vars, head: &Vars, target: Target, body: &[Stmt]) -> Vars {
        self.at.insert(Jump::Break(target), after.clone());
        self.at.insert(Jump::Continue(target), head.clone());
        self.block(head.clone(), body)
    }
}

fn is_variable(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(_)) && is_float(e)
}

/// Adds the variables that an expression covers, itself covered or not; what it evaluates on some paths alone covers
/// nothing.
fn uses(out: &mut Vars, e: &Expr, covered: bool) {
    match &e.kind {
        ExprKind::Var(v) if covered => {
            out.insert(*v);
        }
        ExprKind::Select { cond, .. } => uses(out, cond, false),
        ExprKind::Bind { var, value, body } => {
            uses(out, body, covered && is_float(e));
            out.remove(var);
            uses(out, value, false);
        }
        // Of two truths one may do.
        ExprKind::Binary { .. } if e.ty.repr == Scalar::Bool => {}
        _ => e
            .children()
            .enumerate()
            .for_each(|(place, child)| uses(out, child, covers_operand(e, place, covered))),
    }
}
