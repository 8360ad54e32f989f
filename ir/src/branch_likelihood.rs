//! How likely the sides of a nest's branches are.
//!
//! Nobody has seen them run. Each side counts half, but for what the nest itself tells: two things are seldom equal, numbers
//! are seldom below zero, a side that leaves its loop runs at most once in all its iterations, and one that goes on to the next
//! iteration is an exception (Ball and Larus, "Branch prediction for free", 1993). A side that sets a counter back when it has
//! reached a limit runs once in as many executions as the counter has steps to it.

use std::collections::HashMap;

use crate::model::nest::{Const, Expr, ExprKind, Nest, Stmt, StmtKind};
use crate::{BinOp, CmpOp, UnOp, VarId};

/// One side of a choice nobody knows more about.
pub const HALF: f64 = 0.5;
/// A side that ends with `break` or `return`: once a loop at most, and loops that one looks at have ten iterations or
/// more.
pub const LEAVES: f64 = 0.1;
/// A side that the nest makes unlikely.
pub const RARELY: f64 = 0.2;

/// What is known of a nest's branches.
#[derive(Debug, Default)]
pub struct Likely {
    /// The steps of variables that something is added to.
    steps: HashMap<VarId, i128>,
}

impl Likely {
    /// Looks at a nest.
    pub fn of(nest: &Nest) -> Likely {
        let mut steps = HashMap::new();
        nest.walk(&mut |stmt| {
            if let StmtKind::Let { var, value } = &stmt.kind
                && let Some(step) = step(*var, value)
            {
                let most = steps.entry(*var).or_insert(step);
                *most = step.max(*most);
            }
        });
        Likely { steps }
    }

    /// The share of an `if`'s executions that take its first side.
    pub fn then(&self, cond: &Expr, then: &[Stmt], orelse: &[Stmt]) -> f64 {
        if let Some(share) = self.sets_back(cond, then) {
            return share;
        }
        match (End::of(then), End::of(orelse)) {
            (End::Leaves, End::Leaves) => HALF,
            (End::Leaves, _) => LEAVES,
            (_, End::Leaves) => 1.0 - LEAVES,
            (End::Skips, End::Falls) => holds(cond).min(RARELY),
            (End::Falls, End::Skips) => holds(cond).max(1.0 - RARELY),
            _ => holds(cond),
        }
    }

    /// `if k >= limit: ...; k = start`, where `k` is stepped elsewhere.
    fn sets_back(&self, cond: &Expr, then: &[Stmt]) -> Option<f64> {
        let ExprKind::Compare { op, a, b } = &cond.kind else {
            return None;
        };
        let (ExprKind::Var(var), Some(limit)) = (&a.kind, b.as_int()) else {
            return None;
        };
        if !matches!(op, CmpOp::Ge | CmpOp::Gt | CmpOp::Eq) {
            return None;
        }
        let start = then.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Let { var: v, value } if v == var => value.as_int(),
            _ => None,
        })?;
        let steps = limit.checked_sub(start)? / self.steps.get(var)?;
        (steps > 0).then(|| (1.0 / steps as f64).min(HALF))
    }
}

/// What `var = var + step` adds.
fn step(var: VarId, value: &Expr) -> Option<i128> {
    let ExprKind::Binary {
        op: BinOp::Add,
        a,
        b,
        ..
    } = &value.kind
    else {
        return None;
    };
    let is_var = matches!(a.kind, ExprKind::Var(v) if v == var);
    b.as_int().filter(|step| is_var && *step > 0)
}

/// How likely a test is to hold.
fn holds(test: &Expr) -> f64 {
    let is_zero = |e: &Expr| e.as_int() == Some(0);
    match &test.kind {
        ExprKind::Const(Const::Bool(value)) => f64::from(u8::from(*value)),
        ExprKind::Unary {
            op: UnOp::Not, a, ..
        } => 1.0 - holds(a),
        ExprKind::Compare { op, a, b } => match op {
            CmpOp::Eq => match every(a) {
                Some(turns) => 1.0 / turns,
                None => RARELY,
            },
            CmpOp::Ne => match every(a) {
                Some(turns) => 1.0 - 1.0 / turns,
                None => 1.0 - RARELY,
            },
            CmpOp::Lt | CmpOp::Le if is_zero(b) => RARELY,
            CmpOp::Gt | CmpOp::Ge if is_zero(b) => 1.0 - RARELY,
            CmpOp::Lt | CmpOp::Le if is_zero(a) => 1.0 - RARELY,
            CmpOp::Gt | CmpOp::Ge if is_zero(a) => RARELY,
            _ => HALF,
        },
        _ => HALF,
    }
}

/// The divisor of a remainder by a constant, each of which is as likely as any other.
fn every(e: &Expr) -> Option<f64> {
    let ExprKind::Binary {
        op: BinOp::Mod, b, ..
    } = &e.kind
    else {
        return None;
    };
    b.as_int().filter(|n| *n > 1).map(|n| n as f64)
}

/// How a side of a branch ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Falls,
    /// With the next iteration, or behind a block.
    Skips,
    /// Out of the loop.
    Leaves,
}

impl End {
    fn of(side: &[Stmt]) -> End {
        match side.last().map(|stmt| &stmt.kind) {
            Some(StmtKind::Break(_) | StmtKind::Return) => End::Leaves,
            Some(StmtKind::Continue(_) | StmtKind::Leave(_)) => End::Skips,
            _ => End::Falls,
        }
    }
}
