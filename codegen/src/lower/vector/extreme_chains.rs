//! Which expressions are chains of minima or maxima, and which variables a chain may be taken for.

use std::collections::HashSet;

use nestwise_ir::model::nest::{BinOp, CmpOp};
use nestwise_ir::{Const, Expr, ExprKind, Nest, StmtKind, VarId};

/// The operands of nested minima (maxima) of one representation, left to right; two or more.
pub(crate) fn operands<'e>(
    op: BinOp,
    e: &'e Expr,
    repr: nestwise_ir::Scalar,
    out: &mut Vec<&'e Expr>,
) {
    match &e.kind {
        ExprKind::Binary { op: own, a, b, .. } if *own == op && e.ty.repr == repr => {
            operands(op, a, repr, out);
            operands(op, b, repr, out);
        }
        _ => out.push(e),
    }
}

/// Whether an expression is the minimum or maximum of three ints or more.
pub(crate) fn is_chain(e: &Expr) -> bool {
    let ExprKind::Binary { op, a, b, .. } = &e.kind else {
        return false;
    };
    let nested = |x: &Expr| matches!(&x.kind, ExprKind::Binary { op: own, .. } if own == op);
    e.ty.repr.is_int() && matches!(op, BinOp::Min | BinOp::Max) && (nested(a) || nested(b))
}

/// Variables of the front end's own that are checked to be above or below zero, which NaN is not: it has them for the
/// extremes of arrays alone, and checks them before anything else reads them.
pub(crate) fn checked(nest: &Nest) -> HashSet<VarId> {
    let mut found = HashSet::new();
    nest.walk(&mut |s| {
        if let StmtKind::Check { cond, guard: true } = &s.kind
            && let ExprKind::Select { cond, then, orelse } = &cond.kind
            && matches!(then.kind, ExprKind::Const(Const::Bool(true)))
            && let (Some(above), Some(below)) =
                (beside_zero(CmpOp::Gt, cond), beside_zero(CmpOp::Lt, orelse))
            && above == below
            && nest.vars.get(above).is_some_and(|v| v.name.is_empty())
        {
            found.insert(above);
        }
    });
    found
}

/// The variable that is compared with zero.
fn beside_zero(op: CmpOp, e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Compare { op: own, a, b } if *own == op => match (&a.kind, &b.kind) {
            (ExprKind::Var(v), ExprKind::Const(Const::Float(zero))) if *zero == 0.0 => Some(*v),
            _ => None,
        },
        _ => None,
    }
}
