//! How likely the sides of a nest's branches are.
//!
//! The likelihoods are estimated from the text alone. Each side counts half, except for what the nest itself tells: two
//! values are seldom equal, numbers are seldom below zero, a side that leaves its loop runs at most once in all its
//! iterations, and one that goes on to the next iteration is an exception (Ball and Larus, "Branch prediction for
//! free", 1993). A side that sets a counter back when it has reached a limit runs once in as many executions as the
//! counter has steps to it.

use std::collections::HashMap;

use crate::model::nest::{Const, Expr, ExprKind, Nest, Stmt, StmtKind};
use crate::{BinOp, CmpOp, UnOp, VarId};

/// The share of a side of a branch of which nothing is known.
pub const HALF: f64 = 0.5;
/// The share of a side that ends with `break` or `return`: it runs at most once per loop, and loops that matter have
/// ten iterations or more.
pub const LEAVES: f64 = 0.1;
/// The share of a side that the nest makes unlikely.
pub const RARELY: f64 = 0.2;

/// How a side of a branch ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The side ends at its last statement: what follows the branch is next.
    Falls,
    /// The side goes on with the next iteration, or behind a block.
    Skips,
    /// The side returns from an inlined function.
    Returns,
    /// The side leaves the loop.
    Leaves,
}

/// The share of a branch's executions that take its first side, by how both sides end and how likely the test is to
/// hold.
pub fn share_of_first(first: End, second: End, holds: f64) -> f64 {
    match (first, second) {
        (End::Leaves, End::Leaves) => HALF,
        (End::Leaves, _) => LEAVES,
        (_, End::Leaves) => 1.0 - LEAVES,
        (End::Skips, End::Falls) => holds.min(RARELY),
        (End::Falls, End::Skips) => holds.max(1.0 - RARELY),
        _ => holds,
    }
}

/// How likely a comparison is to hold, from 0 to 1. `left` and `right`: whether that operand is the constant zero.
/// `values`: the number of values of the left operand where that is a remainder by a constant, each as likely as any
/// other.
pub fn likelihood_of_comparison(op: CmpOp, left: bool, right: bool, values: Option<f64>) -> f64 {
    let equal = values.map_or(RARELY, |values| 1.0 / values);
    match op {
        CmpOp::Eq => equal,
        CmpOp::Ne => 1.0 - equal,
        CmpOp::Lt | CmpOp::Le if right => RARELY,
        CmpOp::Gt | CmpOp::Ge if right => 1.0 - RARELY,
        CmpOp::Lt | CmpOp::Le if left => 1.0 - RARELY,
        CmpOp::Gt | CmpOp::Ge if left => RARELY,
        _ => HALF,
    }
}

/// How likely the first of two comparisons in a row is to hold, from 0 to 1, as in `0 <= i < n`: a value that is tested
/// for a range usually lies in it if the range is that of an array's index.
pub fn likelihood_of_range(first: CmpOp, second: CmpOp) -> f64 {
    let upward = |op| matches!(op, CmpOp::Lt | CmpOp::Le);
    let downward = |op| matches!(op, CmpOp::Gt | CmpOp::Ge);
    match upward(first) && upward(second) || downward(first) && downward(second) {
        true => 1.0 - RARELY,
        false => HALF,
    }
}

/// What is known of a nest's branches.
#[derive(Debug, Default)]
pub struct Likely {
    /// The largest step of each variable that a constant is added to.
    steps: HashMap<VarId, i128>,
}

impl Likely {
    /// Collects the steps of a nest's variables.
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
        share_of_first(End::of(then), End::of(orelse), holds(cond))
    }

    /// The share of executions in which `if k >= limit: ...; k = start` takes its first side, where `k` is stepped
    /// elsewhere; `None` if the statement does not have that form.
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

/// The step of `var = var + step`, if it is a positive constant.
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

/// How likely a test is to hold, from 0 to 1.
fn holds(test: &Expr) -> f64 {
    let is_zero = |e: &Expr| e.as_int() == Some(0);
    match &test.kind {
        ExprKind::Const(Const::Bool(value)) => f64::from(u8::from(*value)),
        ExprKind::Unary {
            op: UnOp::Not, a, ..
        } => 1.0 - holds(a),
        ExprKind::Compare { op, a, b } => {
            let (left, right) = (is_zero(a), is_zero(b));
            likelihood_of_comparison(*op, left, right, every(a))
        }
        _ => HALF,
    }
}

/// The number of values of a remainder by a constant, each as likely as any other.
fn every(e: &Expr) -> Option<f64> {
    let ExprKind::Binary {
        op: BinOp::Mod, b, ..
    } = &e.kind
    else {
        return None;
    };
    b.as_int().filter(|n| *n > 1).map(|n| n as f64)
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
