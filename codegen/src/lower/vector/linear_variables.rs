//! Linear variables of a vector loop: lane 0 has a narrow value of its own.

use nestwise_ir::{Expr, ExprKind};

use crate::error::{Result, invalid};
use crate::llvm::{V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;

/// Remembers lane 0's value of a linear variable in its narrow home.
pub(crate) fn track_first_lane(
    em: &mut Emitter<'_, '_>,
    var: nestwise_ir::VarId,
    value: &Expr,
) -> Result<()> {
    let linear = em
        .lanes
        .open
        .as_ref()
        .is_some_and(|l| l.facts.varying.contains(&var) && l.facts.linear.contains_key(&var));
    if linear {
        let v = first_lane(em, value)?;
        let home = em.vars.home(&em.lanes, var, false)?;
        home.store(em.ir, Val::one(v));
    }
    Ok(())
}

/// Lane 0's value of a linear expression.
pub(crate) fn first_lane(em: &mut Emitter<'_, '_>, e: &Expr) -> Result<V> {
    let Some(facts) = em.lanes.open.as_ref().map(|l| l.facts.clone()) else {
        return invalid("a lane outside a vector loop");
    };
    if !facts.is_varying(e) {
        return Ok(em.expr(e)?.a);
    }
    let ir = em.ir;
    match &e.kind {
        ExprKind::Var(v) => {
            if let Some(first) = em.lanes.open.as_ref().and_then(|l| l.first.get(v)) {
                return Ok(*first);
            }
            let home = em.vars.home(&em.lanes, *v, false)?;
            Ok(home.load(em.ir).a)
        }
        ExprKind::Unary { a, .. } => {
            let v = first_lane(em, a)?;
            Ok(ir.sub(ir.const_i64(0), v, Wrap::Signed))
        }
        ExprKind::Cast { a, .. } => first_lane(em, a),
        ExprKind::Binary { op, a, b, .. } => {
            let (x, y) = (first_lane(em, a)?, first_lane(em, b)?);
            match op {
                nestwise_ir::BinOp::Add => Ok(ir.add(x, y, Wrap::Signed)),
                nestwise_ir::BinOp::Sub => Ok(ir.sub(x, y, Wrap::Signed)),
                nestwise_ir::BinOp::Mul => Ok(ir.mul(x, y, Wrap::Signed)),
                _ => invalid("an expression that is not linear"),
            }
        }
        _ => invalid("an expression that is not linear"),
    }
}
