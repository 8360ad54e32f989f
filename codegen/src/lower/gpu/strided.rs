//! The iterations of a loop on an axis that a thread of a kernel runs.

use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_ir::For;

use crate::error::Result;
use crate::llvm::{IntPred, Wrap};
use crate::lower::control::exits::Jump;
use crate::lower::control::iterations;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::{axes, register_tiles, registers, updates};
use crate::lower::value::Val;

/// Runs this thread's iterations of a loop on an axis: from its own position on, in steps of the number of threads.
pub(crate) fn strided(em: &mut Emitter<'_, '_>, l: &For, range: Range, axis: usize) -> Result<()> {
    let ir = em.ir;
    let [thread, threads, block, blocks] =
        [0, 1, 2, 3].map(|kind| registers::register(em, kind, axis));
    let place = ir.add(ir.mul(block, threads, Wrap::Signed), thread, Wrap::Signed);
    let stride = ir.mul(blocks, threads, Wrap::Signed);
    let mut first = ir.add(range.lo, place, Wrap::Signed);
    if let Some(count) = register_tiles::tile_of(em, l) {
        first = register_tiles::strided_tiles(em, l, count, range, axis, (first, stride))?;
    }
    let (body, latch, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, first, range.hi), body, end);
    ir.at(body);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, first, before);
    // In a tile around it the last copy is the one that leaves something behind.
    em.lanes.copy = em.lanes.jam.as_ref().map_or(0, |jam| jam.count - 1);
    iterations::enter_counter(em, l, Val::one(em.ir.affine(range.start, k, range.step)))?;
    em.lanes.copy = 0;
    axes::note_iteration(em, axis, k);
    let highest = ir.sub(range.hi, ir.const_i64(1), Wrap::Signed);
    axes::note_last(em, axis, ir.icmp(IntPred::LLVMIntEQ, k, highest));
    em.exits.jumps.push(Jump {
        target: Target::Loop(l.id),
        on_break: end,
        on_continue: latch,
        lanes: None,
    });
    let shared = match axis {
        0 => Some(updates::enter_copies(em, l, axes::is_last(em))?),
        _ => None,
    };
    em.block(&l.body)?;
    if let Some(shared) = shared {
        updates::leave_copies(em, shared);
    }
    em.exits.jumps.pop();
    em.vars.fixed.remove(&l.counter);
    ir.br(latch);
    ir.at(latch);
    axes::after_iteration(em, axis)?;
    let next = ir.add(k, stride, Wrap::Signed);
    ir.add_incoming(k, next, ir.here());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, next, range.hi), body, end);
    ir.at(end);
    Ok(())
}
