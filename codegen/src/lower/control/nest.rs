//! The whole nest: the entry function of a kernel.

use nestwise_analysis::dataflow::between_calls::first_call_only;
use nestwise_ir::{StmtKind, VarId, guarded};

use crate::abi::{ENTRY_SYMBOL, FrameHeader, GuardFailure, Status};
use crate::error::{Result, invalid};
use crate::llvm::IntPred;
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::deferred_results;
use crate::lower::scalar::flag_values;
use crate::lower::unit::Unit;

/// Emits the kernel's functions.
pub(crate) fn emit(unit: &Unit<'_>) -> Result<()> {
    let mut func = entry(unit);
    nest(&mut func)?;
    // Whoever launches the kernel saves nothing for a nest that may not fail.
    if unit.may_fail.get() && !nestwise_ir::guarded::nest_may_fail(unit.nest) {
        return invalid("a guard in a nest without any");
    }
    Ok(())
}

pub(crate) fn entry<'u, 'a>(u: &'u Unit<'a>) -> Emitter<'u, 'a> {
    let ir = &u.ir;
    Emitter::new(u, ENTRY_SYMBOL, &[ir.ptr(), ir.i64(), ir.i64()], true)
}

/// The entry function.
pub(crate) fn nest(em: &mut Emitter<'_, '_>) -> Result<()> {
    let u = em.unit;
    let (nest, ir) = (u.nest, &u.ir);
    em.start_body();
    ir.store(em.function.lo, em.exits.at);
    ir.store(ir.const_i64(Status::Done as i64), em.exits.status);
    em.slots
        .load(em.unit, em.function.frame, em.goes_through_nest())?;
    let mut input: Vec<VarId> = u.scheduled.frame_in.iter().copied().collect();
    input.sort();
    for v in input {
        em.vars.load_var(&em.lanes, v, em.function.frame)?;
    }
    deferred_results::begin(em);
    let first_only = first_call_only(nest);
    let after = em.ir.fresh();
    if first_only {
        let first = em.ir.fresh();
        let is_first = ir.icmp(IntPred::LLVMIntEQ, em.function.lo, ir.const_i64(0));
        ir.cond_br(is_first, first, after);
        ir.at(first);
    }
    em.block(&nest.prologue)?;
    let bounds = match &nest.top.kind {
        StmtKind::For(l) => Some((em.expr(&l.start)?.a, em.expr(&l.step)?.a)),
        _ => None,
    };
    let bounds = match bounds {
        Some((start, step)) if first_only => {
            let at = |k: usize| ir.offset_const(em.function.frame, FrameHeader::BOUNDS + 8 * k);
            ir.store(start, at(0));
            ir.store(step, at(1));
            ir.br(after);
            ir.at(after);
            Some((ir.load(ir.i64(), at(0)), ir.load(ir.i64(), at(1))))
        }
        other => {
            ir.br(after);
            ir.at(after);
            other
        }
    };
    match (&nest.top.kind, bounds) {
        (StmtKind::For(l), Some((start, step))) => {
            if guarded::step_may_fail(l) {
                let zero = ir.icmp(IntPred::LLVMIntEQ, step, ir.const_i64(0));
                guards::fail_where(em, zero, false, GuardFailure::Step, nest.top.span);
            }
            em.top_for(l, start, step)?;
        }
        (StmtKind::While(l), _) => em.top_while(l)?,
        _ => return invalid("the top statement is no loop"),
    }
    ir.br(em.exits.done);
    finish_entry(em)
}

fn finish_entry(em: &mut Emitter<'_, '_>) -> Result<()> {
    let u = em.unit;
    let ir = &u.ir;
    let header = |at: usize| ir.offset_const(em.function.frame, at);
    ir.at(em.exits.failed);
    ir.store(
        ir.const_i64(Status::GuardFailed as i64),
        header(FrameHeader::STATUS),
    );
    ir.store(ir.load(ir.i64(), em.exits.at), header(FrameHeader::AT));
    ir.store(ir.load(ir.i64(), em.exits.line), header(FrameHeader::LINE));
    ir.store(ir.load(ir.i64(), em.exits.code), header(FrameHeader::CODE));
    ir.ret_void();
    ir.at(em.exits.done);
    ir.store(
        ir.load(ir.i64(), em.exits.status),
        header(FrameHeader::STATUS),
    );
    ir.store(ir.load(ir.i64(), em.exits.at), header(FrameHeader::AT));
    deferred_results::take(em, u.nest.top.span)?;
    flag_values::release_kept(em);
    em.slots.store(u, em.function.frame, false);
    let mut output: Vec<VarId> = u.scheduled.frame_out.iter().copied().collect();
    output.sort();
    for v in output {
        em.vars.store_var(&em.lanes, v, em.function.frame)?;
    }
    ir.ret_void();
    Ok(())
}
