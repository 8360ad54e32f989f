//! Sums of floats in a vector loop, in the order of its iterations: the terms are computed by lanes, then taken out
//! and added one after the other, as the serial loop adds them.
//!
//! What a lane that is not active would add is replaced by the value that changes nothing, bits and
//! floating-point flags included: -0.0 to add, 0.0 to subtract, 1.0 to multiply by.

use nestwise_analysis::dataflow::ordered_sums::Update;
use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Expr, VarId};

use crate::error::{Result, invalid};
use crate::lower::emitter::Emitter;
use crate::lower::scalar::flag_values;
use crate::lower::value::Val;

/// Whether `var` is a sum kept in order by the open vector loop.
pub(crate) fn is_ordered_sum(em: &Emitter<'_, '_>, var: VarId) -> bool {
    em.lanes
        .open
        .as_ref()
        .is_some_and(|l| l.facts.ordered.contains(&var))
}

/// Emits `var = value` for the active lanes, first to last.
pub(crate) fn ordered_sum(em: &mut Emitter<'_, '_>, var: VarId, value: &Expr) -> Result<()> {
    let Some(update) = Update::of(var, value) else {
        return invalid(format!("{var} is no sum"));
    };
    let term = em.expr(update.term)?;
    let mut term = em.lanes.widen(term).a;
    let repr = em.unit.repr(var)?;
    if let Some(mask) = em.lanes.mask() {
        let nothing = match update.op {
            BinOp::Add => -0.0,
            BinOp::Sub => 0.0,
            _ => 1.0,
        };
        let nothing = em.lanes.const_float(repr, nothing, true);
        // LLVM must not see that the other lanes are dropped: it would undo what keeps them from raising flags.
        let kept = em.ir.opaque_if(term, true);
        term = em.ir.select(mask.a, kept, nothing);
    }
    let home = em.vars.home(&em.lanes, var, false)?;
    let mut sum = home.load(em.ir).a;
    let ir = em.ir;
    for lane in 0..i64::from(em.lanes.count()) {
        let x = ir.extract(term, ir.const_i64(lane));
        let (a, b) = if update.left { (sum, x) } else { (x, sum) };
        sum = match update.op {
            BinOp::Add => ir.fadd(a, b),
            BinOp::Sub => ir.fsub(a, b),
            _ => ir.fmul(a, b),
        };
    }
    home.store(em.ir, Val::one(sum));
    if em.unit.flag_only.assigns(var, value) {
        flag_values::keep(em, Val::one(sum), repr);
    }
    Ok(())
}
