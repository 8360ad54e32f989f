//! What a kernel keeps about the iterations of its axes.

use nestwise_ir::LoopId;

use crate::error::Result;
use crate::llvm::V;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::state::Axes;
use crate::lower::gpu::{orders, reductions};

/// The number of a loop's axis, 0 for the innermost; none if it is on no axis.
pub(crate) fn axis_of(em: &Emitter<'_, '_>, id: LoopId) -> Option<usize> {
    let axes = em.gpu.axes.as_ref()?;
    axes.loops.iter().rev().position(|l| *l == id)
}

/// Keeps what an iteration of the innermost axis has reduced, and what an iteration of the outermost leaves behind.
pub(crate) fn after_iteration(em: &mut Emitter<'_, '_>, axis: usize) -> Result<()> {
    if axis == 0 {
        reduced_so_far(em)?;
    }
    let axes = em.gpu.axes.as_ref().map_or(0, |a| a.loops.len());
    match axis + 1 == axes {
        true => leave_results(em),
        false => Ok(()),
    }
}

/// Keeps which iteration of an axis this is, if what is reduced wants to know.
pub(crate) fn note_iteration(em: &Emitter<'_, '_>, axis: usize, k: V) {
    let Some(axes) = &em.gpu.axes else { return };
    if let Some(now) = axes.now.get(axis) {
        em.ir.store(k, *now);
    }
    if let Some(records) = axes.records.as_ref().filter(|_| axis == 0) {
        reductions::enter_iteration(em, records);
    }
}

/// Keeps what the iteration of all axes that is just over has reduced.
fn reduced_so_far(em: &mut Emitter<'_, '_>) -> Result<()> {
    let Some(axes) = em.gpu.axes.take() else {
        return Ok(());
    };
    if let Some(records) = &axes.records {
        reductions::leave_iteration(em, records, &axes.placed, &axes.now)?;
    }
    em.gpu.axes = Some(axes);
    Ok(())
}

/// Notes whether this is an axis's last iteration; the axes inside have run none of the new one.
pub(crate) fn note_last(em: &Emitter<'_, '_>, axis: usize, last: V) {
    let ir = em.ir;
    let wanted = |a: &&Axes| !a.results.is_empty() || a.unshared.has_copies();
    let Some(axes) = em.gpu.axes.as_ref().filter(wanted) else {
        return;
    };
    ir.store(last, axes.last[axis]);
    for inner in &axes.last[..axis] {
        ir.store(ir.const_bool(false), *inner);
    }
}

/// Whether this is the last iteration of all.
pub(crate) fn is_last(em: &Emitter<'_, '_>) -> V {
    let ir = em.ir;
    let flags = em.gpu.axes.iter().flat_map(|axes| &axes.last);
    let flags = flags.map(|flag| ir.load(ir.i1(), *flag));
    flags.fold(ir.const_bool(true), |all, flag| ir.and(all, flag))
}

/// Stores what outlives the loop, after an iteration of the outermost axis, if it was the last of all.
fn leave_results(em: &mut Emitter<'_, '_>) -> Result<()> {
    let ir = em.ir;
    let Some((axes, status)) = em.gpu.axes.as_ref().and_then(|a| Some((a, a.status?))) else {
        return Ok(());
    };
    let vars = axes.results.clone();
    let all = is_last(em);
    let (leave, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(all, leave, end);
    ir.at(leave);
    for (v, at) in vars {
        orders::leave_cell(em, v, em.ir.offset_const(status, at))?;
    }
    ir.br(end);
    ir.at(end);
    Ok(())
}
