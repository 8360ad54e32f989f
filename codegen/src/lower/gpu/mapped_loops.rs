//! Loops mapped to the grid of a device.
//!
//! The entry runs on the host: outer loops and what else has to do with numbers alone. A mapped loop becomes a kernel
//! in a module of its own, whose threads run its iterations, and so does what else looks at elements
//! ([`crate::lower::gpu::single_thread`]). The entry has a kernel launched (`nw_grid`) and goes on at once, unless
//! variables come back, which it waits for. A word says that something failed; whoever launches looks at it when all
//! kernels have run. Then nothing of the launch counts, and the host's arrays are as they were.
//!
//! A device has no floating-point flags. A result that is not finite counts as failed: NumPy may have warned.

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::finite::Finite;
use nestwise_analysis::schedule::runnable;
use nestwise_analysis::schedule::runnable::{loop_in, thread_flow};
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{Expr, ExprKind, For, IdSet, Span, Stmt, StmtKind, VarId};

use crate::abi::part;
use crate::abi::part::CELL;
use crate::error::Result;
use crate::grid::GridKernel;
use crate::llvm::{IntPred, V};
use crate::lower::control::ranges;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::orders::Request;
use crate::lower::gpu::records::Records;
use crate::lower::gpu::state::Axes;
use crate::lower::gpu::tile::Tile;
use crate::lower::gpu::unshared::Unshared;
use crate::lower::gpu::uses::uses;
use crate::lower::gpu::{deferred_results, kernel, launch, orders, reductions, updates};

/// Launches a loop's kernel.
pub(crate) fn grid(em: &mut Emitter<'_, '_>, l: &For, g: &GridLoop, range: Range) -> Result<()> {
    let u = em.unit;
    let device = kernel::device(em)?;
    runnable::axes(l, g)?;
    let t = &g.mapped;
    let flow = thread_flow(&u.scheduled, l, t)?;
    let reduced = |v: &VarId| t.reductions.iter().any(|r| r.0 == *v);
    let mut shared: Vec<VarId> = flow.exposed.iter().copied().collect();
    shared.retain(|v| !reduced(v));
    shared.sort();
    let records = Records::of(u, l, g)?;
    let tile = Tile::of(device, l, g);
    let span = u.nest.loops.get(l.id).map_or(Span::default(), |d| d.span);
    let unshared = Unshared::of(l, g);
    // Last values that nothing waits for, and the others.
    let mut late = Vec::new();
    let mut awaited = Vec::new();
    for v in t.last_values.iter().copied() {
        match deferred_results::deferred_cell(em, v) {
            Some(at) => late.push((v, at)),
            None => awaited.push((v, part::CELLS + CELL * awaited.len())),
        }
    }
    let made = kernel::next_threaded(
        em,
        GridKernel {
            loops: g.axes.clone(),
            record: records.size(),
            tile: Tile::counts(tile.as_ref(), &g.axes),
            uses: uses(u, &l.body, &[]),
            leaves: records.size() + late.len() + awaited.len() > 0,
            cooperative: None,
        },
    )?;
    let axes = Axes {
        loops: g.axes.clone(),
        tile,
        results: [&late[..], &awaited].concat(),
        records: (records.size() > 0).then(|| records.clone()),
        unshared: unshared.clone(),
        ..Axes::default()
    };
    let finite = Finite::of(&[Stmt {
        kind: StmtKind::For(l.clone()),
        span,
    }]);
    kernel::kernel(em, made, span, axes, &shared, |f, _| {
        f.gpu.finite = Some(finite);
        let range = ranges::part_range(f, l);
        f.counted(l, range, None)
    })?;

    let ir = em.ir;
    let (run, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), run, end);
    ir.at(run);
    let inner = inner_trips(em, l, g)?;
    let asked = Request {
        range,
        axes: g.axes.len(),
        inner,
        copies: updates::thread_bytes(em, l, &unshared)?,
        cells: awaited.len(),
        record: records.size(),
    };
    let left = launch::launch(em, made, &shared, asked, span)?;
    for (v, at) in &awaited {
        orders::take_cell(em, *v, em.ir.offset_const(left.status, *at))?;
        deferred_results::left_deferred(em, *v, None);
    }
    for (v, at) in &late {
        deferred_results::left_deferred(em, *v, Some(*at));
    }
    if records.size() > 0 {
        let first = em.ir.offset_const(left.status, part::RECORDS);
        reductions::take_records(em, l, &records, (first, left.blocks), span)?;
    }
    let ir = em.ir;
    ir.br(end);
    ir.at(end);
    Ok(())
}

/// The iterations of the next loop on an axis, where they are the same in each iteration of this loop and can be told
/// without elements; else -1.
fn inner_trips(em: &mut Emitter<'_, '_>, l: &For, g: &GridLoop) -> Result<V> {
    let none = em.ir.const_i64(-1);
    let Some(inner) = g.axes.get(1).and_then(|id| loop_in(&l.body, *id)) else {
        return Ok(none);
    };
    let mut flow = definite_assignment::flow(&[], &l.body, Some(l.id), IdSet::new());
    flow.assigned.insert(l.counter);
    let same = |e: &Expr| {
        let mut same = true;
        e.walk(&mut |e| {
            same &= match &e.kind {
                ExprKind::Var(v) => !flow.assigned.contains(v),
                ExprKind::Load { .. } => false,
                _ => true,
            }
        });
        same && !nestwise_ir::guarded::expr_may_fail(e)
    };
    let step = inner.step.as_int().filter(|s| *s != 0);
    if step.is_none() || ![&inner.start, &inner.stop].into_iter().all(same) {
        return Ok(none);
    }
    let (start, stop) = (em.expr(&inner.start)?.a, em.expr(&inner.stop)?.a);
    let by = em.expr(&inner.step)?.a;
    Ok(ranges::trips(em, start, stop, by, step, false))
}
