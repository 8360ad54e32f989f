//! The least or greatest of several values, where the order in which they are compared does not matter.
//!
//! For ints, `min(a, b, c)`, the order decides how soon the value is there: in a table filled by dynamic programming
//! the neighbour that the last iteration stored comes late, so the others are compared before.
//!
//! For the floats of an array, `np.max(a)`, the order decides which NaN it is, and which zero. Where the nest goes on
//! only if it is neither ([`checked`](crate::lower::vector::extreme_chains::checked)), vectors may compare them in any
//! order.

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Expr, ExprKind, VarId};

use crate::error::{Result, invalid};
use crate::lower::emitter::Emitter;
use crate::lower::scalar::int;
use crate::lower::value::Val;
use crate::lower::vector::extreme_chains;

/// The operands of `v = max(v, x)`, or of the least, of a variable that is [`checked`].
pub(crate) fn updates_extreme<'e>(
    em: &Emitter<'_, '_>,
    var: VarId,
    value: &'e Expr,
) -> Option<(BinOp, &'e Expr, &'e Expr)> {
    let ExprKind::Binary { op, a, b, .. } = &value.kind else {
        return None;
    };
    let own = matches!(a.kind, ExprKind::Var(v) if v == var);
    let extreme = matches!(op, BinOp::Min | BinOp::Max) && value.ty.repr.is_float();
    let scalar = em.lanes.open.is_none() && em.unit.device.is_none();
    (own && extreme && scalar && em.unit.extremes.contains(&var)).then_some((*op, a, b))
}

/// The value of `v = max(v, x)`, or of the minimum, for such a variable.
pub(crate) fn extreme_update(
    em: &mut Emitter<'_, '_>,
    op: BinOp,
    before: &Expr,
    x: &Expr,
) -> Result<Val> {
    let (before, x) = (em.expr(before)?, em.expr(x)?);
    let (before, x) = em.lanes.unify(before, x);
    let ir = em.ir;
    let name = match op {
        BinOp::Min => "llvm.minimum",
        _ => "llvm.maximum",
    };
    let v = ir.intrinsic(name, &[ir.type_of(x.a)], &[before.a, x.a]);
    Ok(Val::shaped(ir.without_signs(v), x.wide))
}

/// The minimum or maximum of several ints: evaluates all operands in order, then compares those first that are there
/// first.
pub(crate) fn extreme_chain(em: &mut Emitter<'_, '_>, e: &Expr) -> Result<Val> {
    let ExprKind::Binary { op, .. } = &e.kind else {
        return invalid("no minimum");
    };
    let mut exprs = Vec::new();
    extreme_chains::operands(*op, e, e.ty.repr, &mut exprs);
    let mut values = Vec::with_capacity(exprs.len());
    for operand in exprs {
        values.push((comes_late(em, operand), em.expr(operand)?));
    }
    values.sort_by_key(|(late, _)| *late);
    let mut all = values.into_iter().map(|(_, v)| v);
    let Some(mut result) = all.next() else {
        return invalid("a minimum of nothing");
    };
    for v in all {
        let (x, y) = em.lanes.unify(result, v);
        result = int::binary(em, *op, x, y, e.ty.repr, None, false, e.span)?;
    }
    Ok(result)
}

/// Whether an expression may wait for the iteration before: it reads a slot that the nest stores to, or a variable
/// that is no counter.
fn comes_late(em: &Emitter<'_, '_>, e: &Expr) -> bool {
    let mut late = false;
    e.walk(&mut |e| {
        late |= match &e.kind {
            // The slot itself: after a swap of rows the other slot holds what was stored a row ago.
            ExprKind::Load { array, .. } => em.unit.stored.contains(array),
            ExprKind::Var(v) => !em.vars.fixed.contains_key(v),
            _ => false,
        };
    });
    late
}
