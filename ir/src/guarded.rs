//! Which nodes' guards may fail: the one definition that analysis, code generation and the runtime share.
//!
//! A node *may fail* if an execution exists in which no guard has failed yet and this node's does. Code that goes on
//! after a guard failure (lanes, loops with deferred exceptions) may test more than that, but only values that an
//! earlier failure spoilt.

use crate::model::ids::ArrayId;
use crate::model::nest::{BinOp, Cast, Expr, ExprKind, For, Nest, Stmt, StmtKind, UnOp};
use crate::model::types::Scalar;
use crate::schedule::Schedule;

/// Whether the guard of the operation itself may fail, its operands aside.
pub fn expr_may_fail(e: &Expr) -> bool {
    let number = e.ty.repr == Scalar::Num;
    match &e.kind {
        ExprKind::Load { guard, .. } | ExprKind::Call { guard, .. } => *guard,
        ExprKind::HostCall { .. } => true,
        // A number that is an int must stay one that a double holds exactly, whatever the guard says: that guard is
        // about divisors.
        ExprKind::Unary { op, guard, .. } => *guard || number && *op == UnOp::Neg,
        ExprKind::Binary { op, guard, .. } => *guard || number && *op != BinOp::Div,
        // Which of the two a number is, only the run tells.
        ExprKind::Cast { kind, a, guard } => {
            *guard || *kind == Cast::Value && a.ty.repr == Scalar::Num && e.ty.repr.is_int()
        }
        _ => false,
    }
}

/// Whether a guard in `e` may fail.
pub fn any_expr_may_fail(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= expr_may_fail(e));
    found
}

/// Whether a loop's step may be zero.
pub fn step_may_fail(l: &For) -> bool {
    l.step.as_int().is_none_or(|step| step == 0)
}

/// Whether the guard of the statement itself may fail, the expressions and blocks in it aside.
pub fn stmt_may_fail(nest: &Nest, s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Store { array, guard, .. } => *guard || narrows(nest, *array),
        StmtKind::Check { guard, .. } => *guard,
        StmtKind::For(l) => step_may_fail(l) || nest.interruptible.contains(&l.id),
        StmtKind::While(l) => nest.interruptible.contains(&l.id),
        _ => false,
    }
}

/// Whether any guard in a statement may fail, in its blocks too.
pub fn any_may_fail(nest: &Nest, s: &Stmt) -> bool {
    let mut found = false;
    s.walk(&mut |s| {
        found |= stmt_may_fail(nest, s) || s.exprs().any(any_expr_may_fail);
    });
    found
}

/// Whether any guard in a block may fail.
pub fn block_may_fail(nest: &Nest, block: &[Stmt]) -> bool {
    block.iter().any(|s| any_may_fail(nest, s))
}

/// Whether any guard in the nest may fail.
pub fn nest_may_fail(nest: &Nest) -> bool {
    block_may_fail(nest, &nest.prologue) || any_may_fail(nest, &nest.top)
}

/// Whether every guard that may fail stands in loops that run one iteration after the other: when one fails, nothing
/// behind it has run.
pub fn guards_fail_in_order(nest: &Nest, schedule: &Schedule) -> bool {
    in_order(nest, schedule, &nest.top)
}

fn in_order(nest: &Nest, schedule: &Schedule, s: &Stmt) -> bool {
    let mapped = match &s.kind {
        StmtKind::For(l) => schedule.maps(l.id),
        StmtKind::While(l) => schedule.maps(l.id),
        _ => false,
    };
    let mut blocks = s.blocks();
    match mapped {
        true => blocks.all(|block| !block_may_fail(nest, block)),
        false => blocks.all(|block| block.iter().all(|s| in_order(nest, schedule, s))),
    }
}

/// Whether a store to the array narrows ints: the values are then tested, whether the index is or not.
fn narrows(nest: &Nest, array: ArrayId) -> bool {
    nest.arrays
        .get(array)
        .is_none_or(|a| a.storage != a.elem.repr && a.storage.is_int())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;
    use crate::Ty;
    use crate::VarId;

    fn var(ty: Ty) -> Box<Expr> {
        Box::new(Expr {
            kind: ExprKind::Var(VarId(0)),
            ty,
            span: Span::default(),
        })
    }

    fn may_fail(kind: ExprKind, ty: Ty) -> bool {
        let span = Span::default();
        any_expr_may_fail(&Expr { kind, ty, span })
    }

    #[test]
    fn numbers_fail_without_a_guard_and_floats_do_not() {
        let sum = |ty: Ty| ExprKind::Binary {
            op: BinOp::Add,
            a: var(ty),
            b: var(ty),
            guard: false,
        };
        assert!(may_fail(sum(Ty::PY_NUM), Ty::PY_NUM));
        assert!(!may_fail(sum(Ty::PY_FLOAT), Ty::PY_FLOAT));
        let negated = |ty: Ty| ExprKind::Unary {
            op: UnOp::Neg,
            a: var(ty),
            guard: false,
        };
        assert!(may_fail(negated(Ty::PY_NUM), Ty::PY_NUM));
        assert!(!may_fail(negated(Ty::PY_INT), Ty::PY_INT));
        let index = ExprKind::Cast {
            kind: Cast::Value,
            a: var(Ty::PY_NUM),
            guard: false,
        };
        assert!(may_fail(index, Ty::PY_INT));
    }
}
