//! Conditions without branches.
//!
//! LLVM computes both sides of a condition, and chooses, where that is cheaper than a branch that is hard to predict. An
//! operation that leaves when it overflows it has to keep on its side. So where both sides are a few operations on ints, they
//! are computed here, and an operation fires if it overflows *and* its side is the one that counts.

use nestwise_ir::events::expr_may_fire;
use nestwise_ir::nest::BinOp;
use nestwise_ir::{Expr, ExprKind, Scalar, Stmt, StmtKind, VarId};

use super::expr::is_plain_but;
use super::{Func, Val};
use crate::error::Result;

/// Assignments of both sides together at most.
const MAX_ASSIGNED: usize = 4;

impl Func<'_, '_> {
    /// Whether both sides are such values, and one may fire; where execution goes on after an event, nothing branches.
    pub(super) fn flattens<'e>(&self, sides: impl IntoIterator<Item = &'e Expr>) -> bool {
        let (mut cheap, mut fires) = (true, false);
        for e in sides {
            cheap &= is_flat(e);
            e.walk(&mut |e| fires |= expr_may_fire(e));
        }
        cheap && fires && !self.continues()
    }

    /// The value of a side, which counts where the condition is `so`.
    pub(super) fn counting_if(&mut self, cond: Val, so: bool, side: &Expr) -> Result<Val> {
        let ir = self.ir();
        let outer = self.only_if;
        let counts = if so { cond.a } else { ir.not(cond.a) };
        self.only_if = Some(match outer {
            Some(outer) => ir.select(outer, counts, ir.const_bool(false)),
            None => counts,
        });
        let v = self.expr(side);
        self.only_if = outer;
        v
    }

    /// Both sides of a statement, if they only assign such values.
    pub(super) fn flatten(&mut self, cond: Val, then: &[Stmt], orelse: &[Stmt]) -> Result<bool> {
        let mut todo: Vec<(bool, VarId, &Expr)> = vec![];
        for (so, side) in [(true, then), (false, orelse)] {
            for s in side {
                match &s.kind {
                    StmtKind::Let { var, value } if self.chooses(*var) => {
                        todo.push((so, *var, value));
                    }
                    _ => return Ok(false),
                }
            }
        }
        if todo.len() > MAX_ASSIGNED || !self.flattens(todo.iter().map(|t| t.2)) {
            return Ok(false);
        }
        for (so, var, value) in todo {
            let new = self.counting_if(cond, so, value)?;
            let old = self.read(var)?;
            let (x, y) = if so { (new, old) } else { (old, new) };
            let v = self.choose(cond, x, y);
            self.write(var, v)?;
        }
        Ok(true)
    }

    /// Whether an assignment to this variable is but that.
    fn chooses(&self, var: VarId) -> bool {
        let special = self.reduced.contains(&var) || self.marks.contains_key(&var);
        !special && !self.is_ordered_sum(var) && self.jam.is_none()
    }
}

/// Whether a value is a few operations on ints of which only sums and products may fire.
fn is_flat(e: &Expr) -> bool {
    let int = |r: Scalar| r == Scalar::Bool || r.is_int() && r.bits() <= 64;
    let arithmetic = |e: &Expr| match &e.kind {
        ExprKind::Binary { op, .. } => {
            int(e.ty.repr) && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
        }
        _ => false,
    };
    int(e.ty.repr) && is_plain_but(e, &arithmetic)
}
