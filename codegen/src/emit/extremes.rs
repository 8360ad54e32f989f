//! The least or greatest of several ints, `min(a, b, c)`.
//!
//! The order does not matter to the value, but to how soon it is there: in a table filled by dynamic programming the
//! neighbour that the last iteration stored comes late, so the others are compared before.

use nestwise_ir::nest::BinOp;
use nestwise_ir::{Expr, ExprKind};

use super::{Func, Val};
use crate::error::{Result, invalid};

/// The operands of nested minima (maxima) of one representation, left to right; two or more.
fn operands<'e>(op: BinOp, e: &'e Expr, repr: nestwise_ir::Scalar, out: &mut Vec<&'e Expr>) {
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

impl Func<'_, '_> {
    /// Evaluates all operands in order, then compares those first that are there first.
    pub(crate) fn extreme_chain(&mut self, e: &Expr) -> Result<Val> {
        let ExprKind::Binary { op, .. } = &e.kind else {
            return invalid("no minimum");
        };
        let mut exprs = Vec::new();
        operands(*op, e, e.ty.repr, &mut exprs);
        let mut values = Vec::with_capacity(exprs.len());
        for operand in exprs {
            values.push((self.comes_late(operand), self.expr(operand)?));
        }
        values.sort_by_key(|(late, _)| *late);
        let mut all = values.into_iter().map(|(_, v)| v);
        let Some(mut result) = all.next() else {
            return invalid("a minimum of nothing");
        };
        for v in all {
            let (x, y) = self.unify(result, v);
            result = self.int_binary(*op, x, y, e.ty.repr, None, false, e.span)?;
        }
        Ok(result)
    }

    /// Whether an expression may wait for the iteration before: it reads a slot that the nest stores to, or a variable
    /// that is no counter.
    fn comes_late(&self, e: &Expr) -> bool {
        let mut late = false;
        e.walk(&mut |e| {
            late |= match &e.kind {
                // The slot itself: after a swap of rows the other slot holds what was stored a row ago.
                ExprKind::Load { array, .. } => self.u.stored.contains(array),
                ExprKind::Var(v) => !self.fixed.contains_key(v),
                _ => false,
            };
        });
        late
    }
}
