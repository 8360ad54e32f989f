//! Where a kernel for a device checks whether a result is finite.
//!
//! A device has no floating-point flags: what overflows, or has no result, is found by its value. What is not finite
//! stays so through sums, differences, products, signs, and quotients that it is divided in. So a result is *covered*,
//! and needs no check of its own, where on every path it goes into such an operation, whose own result is checked or
//! covered, before its variable is assigned again: a backward analysis, of the kind of [`crate::dataflow::fp_flags`]. A
//! sum over a loop is checked once, behind it.
//!
//! Operations are identified by their position in the source, since loops are copied while code is written; where
//! several share one position, the answer is that for all of them.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::{BinOp, Cast, While};
use nestwise_ir::{Expr, ExprKind, For, Scalar, Span, Stmt, StmtKind, UnOp, VarId};

use crate::dataflow::definite_assignment::{Target, Vars};

/// The results that a kernel checks for being finite.
#[derive(Default, Debug)]
pub struct Finite {
    /// Assignments whose values are checked where they are computed.
    looked: HashSet<(VarId, Span)>,
    /// Variables whose values may not have been checked yet.
    covered: Vars,
}

impl Finite {
    /// Analyses the statements that a kernel runs; nothing behind them checks a value.
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

    /// Whether another check covers the value that is assigned to `var`, so that the assignment needs none.
    pub fn covers(&self, var: VarId, value: &Expr) -> bool {
        !self.looked.contains(&(var, value.span))
    }

    /// Whether a store has to check the value that it is given, since nothing else may have.
    pub fn is_due(&self, value: &Expr) -> bool {
        let e = unchanged(value);
        matches!(e.kind, ExprKind::Var(v) if is_float(e) && self.covered.contains(&v))
    }
}

fn is_float(e: &Expr) -> bool {
    matches!(e.ty.repr, Scalar::F32 | Scalar::F64)
}

/// The operand of an operation that only changes the operand's sign or float type, and is never checked itself.
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

/// The expression left when operations that only change the sign or the float type are removed.
fn unchanged(mut e: &Expr) -> &Expr {
    while let Some(inside) = same(e) {
        e = inside;
    }
    e
}

/// Whether an operation's result is checked unless it is covered.
pub fn is_watched(e: &Expr) -> bool {
    let arithmetic = |op: &BinOp| matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div);
    matches!(&e.kind, ExprKind::Binary { op, .. } if is_float(e) && arithmetic(op))
}

/// Whether operand number `place` of `e` is covered; `covered` says whether `e` itself is.
pub fn covers_operand(e: &Expr, place: usize, covered: bool) -> bool {
    match &e.kind {
        ExprKind::Binary { op, .. } if is_watched(e) => place == 0 || *op != BinOp::Div,
        _ => covered && same(e).is_some(),
    }
}

#[derive(Default)]
struct Walk {
    finite: Finite,
    /// By jump: the variables that are covered where it goes.
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

    /// The variables covered before a statement, given those covered behind it.
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

    /// The variables covered at the start of an iteration; `head` are those covered where the next iteration begins.
    fn iteration(&mut self, after: &Vars, head: &Vars, target: Target, body: &[Stmt]) -> Vars {
        self.at.insert(Jump::Break(target), after.clone());
        self.at.insert(Jump::Continue(target), head.clone());
        self.block(head.clone(), body)
    }
}

fn is_variable(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(_)) && is_float(e)
}

/// Adds the variables that an expression covers; `covered` says whether the expression itself is. What it evaluates on
/// some paths only covers nothing.
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
        // LLVM may evaluate only one of two bools that are combined.
        ExprKind::Binary { .. } if e.ty.repr == Scalar::Bool => {}
        _ => e
            .children()
            .enumerate()
            .for_each(|(place, child)| uses(out, child, covers_operand(e, place, covered))),
    }
}
