//! Loops mapped to the grid of a device.
//!
//! The entry runs on the host: outer loops and what else has to do with numbers alone. A mapped loop becomes a kernel in a
//! module of its own, whose threads run its iterations, and so does what else looks at elements ([`crate::lower::gpu::single_thread`]). The entry
//! has a kernel launched (`nw_grid`) and goes on at once, unless variables come back, which it waits for. A word says that
//! something fired; whoever launches looks at it when all kernels have run. Then nothing of the launch counts, and the host's
//! arrays are as they were.
//!
//! A device has no floating-point flags. A result that is not finite counts as fired: NumPy may have warned.

use std::mem::offset_of;

use nestwise_analysis::dataflow::definite_assignment::{self, Target};
use nestwise_analysis::dataflow::finite::Finite;
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{Expr, ExprKind, For, LoopId, Span, Stmt, StmtKind, VarId};

use crate::abi::{EventCode, FrameHeader, Order, part};
use crate::error::{Result, invalid, unsupported};
use crate::grid::GridKernel;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::exits::Jump;
use crate::lower::control::loops;
use crate::lower::control::loops::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::cooperative;
use crate::lower::gpu::deferred_results;
use crate::lower::gpu::kernel;
use crate::lower::gpu::kernel::{AXES, Axes, Threaded};
use crate::lower::gpu::reductions;
use crate::lower::gpu::reductions::Records;
use crate::lower::gpu::register_tiles;
use crate::lower::gpu::register_tiles::Tile;
use crate::lower::gpu::updates;
use crate::lower::gpu::updates::Unshared;
use crate::lower::gpu::uses::uses;
use crate::lower::scalar::expr;
use crate::lower::threads;
use crate::lower::threads::{CELL, thread_flow};
use crate::lower::value::Val;

/// What the host asks a kernel for.
pub(crate) struct Asked {
    pub(crate) range: Range,
    /// Loops on axes.
    pub(crate) axes: usize,
    /// Iterations of the second axis; below zero: not known.
    pub(crate) inner: V,
    /// Bytes of each thread's copies.
    pub(crate) copies: V,
    /// Cells of results, and bytes of each block's record: for either it waits.
    pub(crate) cells: usize,
    pub(crate) record: usize,
}

/// What it has left behind: its status, as long as no other is launched, and the number of blocks.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    pub(crate) status: V,
    pub(crate) blocks: V,
}

/// Launches a loop's kernel.
pub(crate) fn grid(em: &mut Emitter<'_, '_>, l: &For, g: &GridLoop, range: Range) -> Result<()> {
    let u = em.unit;
    let device = kernel::device(em)?;
    check(l, g)?;
    let t = &g.mapped;
    let flow = thread_flow(u, l, t)?;
    let reduced = |v: &VarId| t.reductions.iter().any(|r| r.0 == *v);
    let mut shared: Vec<VarId> = flow.exposed.iter().copied().collect();
    shared.retain(|v| !reduced(v));
    shared.sort();
    let records = Records::of(u, l, g)?;
    let tile = Tile::of(device, l, g);
    let span = u.nest.loops.get(l.id).map_or(Span::default(), |d| d.span);
    let unshared = Unshared::of(l, g);
    // Those that nothing waits for, and the others.
    let mut late = Vec::new();
    let mut awaited = Vec::new();
    for v in t.last_values.iter().copied() {
        match deferred_results::late_cell(em, v) {
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
            team: None,
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
        let range = threads::part_range(f, l);
        f.counted(l, range, None)
    })?;

    let ir = em.ir;
    let (run, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), run, end);
    ir.at(run);
    let inner = inner_trips(em, l, g)?;
    let asked = Asked {
        range,
        axes: g.axes.len(),
        inner,
        copies: updates::thread_bytes(em, l, &unshared)?,
        cells: awaited.len(),
        record: records.size(),
    };
    let left = launch(em, made, &shared, asked, span)?;
    for (v, at) in &awaited {
        take_cell(em, *v, em.ir.offset_const(left.status, *at))?;
        deferred_results::left_late(em, *v, None);
    }
    for (v, at) in &late {
        deferred_results::left_late(em, *v, Some(*at));
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

/// Launches a kernel that is given the values of `shared`, or has a part of one run.
pub(crate) fn launch(
    em: &mut Emitter<'_, '_>,
    made: Threaded,
    shared: &[VarId],
    asked: Asked,
    span: Span,
) -> Result<Left> {
    if asked.cells > part::MOST_CELLS {
        return unsupported("so many results of a kernel");
    }
    let (u, ir) = (em.unit, em.ir);
    let size = u.layout.size as u64;
    let env = ir.alloca_aligned(ir.array(ir.i8(), size), 16);
    em.slots.store(em.unit, env, true);
    for v in shared {
        em.vars.store_var(&em.lanes, *v, env)?;
    }
    let range = asked.range;
    let bounds = ir.offset_const(env, FrameHeader::BOUNDS);
    ir.store(range.start, bounds);
    ir.store(range.step, ir.offset_const(bounds, 8));
    let kernel = match made {
        Threaded::Kernel(number) => number,
        Threaded::Part(..) => return cooperative::run_part(em, made, env, &asked, span),
    };
    let order = order(em);
    let field = |at: usize| ir.offset_const(order, at);
    let number = |n: usize| ir.const_i64(n as i64);
    ir.store(number(kernel), field(offset_of!(Order, kernel)));
    ir.store(env, field(offset_of!(Order, env)));
    ir.store(ir.const_i64(size as i64), field(offset_of!(Order, size)));
    ir.store(asked.copies, field(offset_of!(Order, copies)));
    ir.store(range.lo, field(offset_of!(Order, lo)));
    ir.store(range.hi, field(offset_of!(Order, hi)));
    ir.store(asked.inner, field(offset_of!(Order, inner)));
    ir.store(number(CELL * asked.cells), field(offset_of!(Order, cells)));
    ir.store(number(asked.record), field(offset_of!(Order, record)));
    hand(em, order, span);
    Ok(Left {
        status: ir.load(ir.ptr(), field(offset_of!(Order, left))),
        blocks: ir.load(ir.i64(), field(offset_of!(Order, blocks))),
    })
}

/// On the host: memory for what is asked of the device.
pub(crate) fn order(em: &Emitter<'_, '_>) -> V {
    let ir = em.ir;
    let bytes = size_of::<Order>() as u64;
    ir.alloca_aligned(ir.array(ir.i8(), bytes), 8)
}

/// On the host: asks for it; leaves where something has fired.
pub(crate) fn hand(em: &Emitter<'_, '_>, order: V, span: Span) {
    let ir = em.ir;
    let ty = ir.function(ir.i64(), &[ir.ptr(), ir.ptr()]);
    let launch = ir.add_function(c"nw_grid", ty);
    let user = ir.load(
        ir.ptr(),
        ir.offset_const(em.function.frame, FrameHeader::USER),
    );
    let failed = ir.call(ty, launch, &[user, order]);
    let failed = ir.icmp(IntPred::LLVMIntNE, failed, ir.const_i64(0));
    let fine = em.ir.fresh();
    em.exits
        .leave_if(em.ir, failed, fine, EventCode::Several, span);
    ir.at(fine);
}

/// On the host: the cells that a kernel has left.
pub(crate) fn cells(em: &Emitter<'_, '_>, left: Left) -> V {
    em.ir.offset_const(left.status, part::CELLS)
}

/// On the host: a variable has the value of a cell.
pub(crate) fn take_cell(em: &mut Emitter<'_, '_>, v: VarId, cell: V) -> Result<()> {
    let (home, repr) = (em.vars.home(&em.lanes, v, false)?, em.unit.repr(v)?);
    let got = em.unit.load_cell(repr, cell);
    home.store(em.ir, got);
    Ok(())
}

/// In a kernel: a cell has the value of a variable.
pub(crate) fn leave_cell(em: &mut Emitter<'_, '_>, v: VarId, cell: V) -> Result<()> {
    let (home, repr) = (em.vars.home(&em.lanes, v, false)?, em.unit.repr(v)?);
    let value = home.load(em.ir);
    em.unit.store_cell(repr, value, cell);
    Ok(())
}

/// The iterations of the next loop on an axis, where they are the same in each of this one's and tell without elements;
/// else -1.
fn inner_trips(em: &mut Emitter<'_, '_>, l: &For, g: &GridLoop) -> Result<V> {
    let none = em.ir.const_i64(-1);
    let Some(inner) = g.axes.get(1).and_then(|id| loop_in(&l.body, *id)) else {
        return Ok(none);
    };
    let mut flow = definite_assignment::flow(&[], &l.body, Some(l.id), 0);
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
        same && !nestwise_ir::guarded::expr_may_fire(e)
    };
    let step = inner.step.as_int().filter(|s| *s != 0);
    if step.is_none() || ![&inner.start, &inner.stop].into_iter().all(same) {
        return Ok(none);
    }
    let (start, stop) = (em.expr(&inner.start)?.a, em.expr(&inner.stop)?.a);
    let by = em.expr(&inner.step)?.a;
    Ok(loops::trips(em, start, stop, by, step, false))
}

/// The number of a loop's axis, the first being the innermost's.
pub(crate) fn axis_of(em: &Emitter<'_, '_>, id: LoopId) -> Option<usize> {
    let axes = em.gpu.axes.as_ref()?;
    axes.loops.iter().rev().position(|l| *l == id)
}

/// This thread's iterations of a loop on an axis: from its own place on, as far apart as there are threads.
pub(crate) fn strided(em: &mut Emitter<'_, '_>, l: &For, range: Range, axis: usize) -> Result<()> {
    let ir = em.ir;
    let [thread, threads, block, blocks] =
        [0, 1, 2, 3].map(|kind| kernel::register(em, kind, axis));
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
    // Of a tile around it the last copy is the one that leaves something behind.
    em.lanes.copy = em.lanes.jam.as_ref().map_or(0, |jam| jam.count - 1);
    loops::enter_counter(
        em,
        l,
        Val::one(expr::index_fma(em, range.start, k, range.step)),
    )?;
    em.lanes.copy = 0;
    note_iteration(em, axis, k);
    let highest = ir.sub(range.hi, ir.const_i64(1), Wrap::Signed);
    note_last(em, axis, ir.icmp(IntPred::LLVMIntEQ, k, highest));
    em.exits.jumps.push(Jump {
        target: Target::Loop(l.id),
        on_break: end,
        on_continue: latch,
        lanes: None,
    });
    let shared = match axis {
        0 => Some(updates::enter_copies(em, l, is_last(em))?),
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
    after_iteration(em, axis)?;
    let next = ir.add(k, stride, Wrap::Signed);
    ir.add_incoming(k, next, ir.here());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, next, range.hi), body, end);
    ir.at(end);
    Ok(())
}

/// Keeps what an iteration of the innermost axis has reduced, and what one of the outermost leaves behind.
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
fn note_iteration(em: &Emitter<'_, '_>, axis: usize, k: V) {
    let Some(axes) = &em.gpu.axes else { return };
    if let Some(now) = axes.now.get(axis) {
        em.ir.store(k, *now);
    }
    if let Some(records) = axes.records.as_ref().filter(|_| axis == 0) {
        reductions::enter_iteration(em, records);
    }
}

/// Keeps what the iteration of all axes that is over has reduced.
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

/// Keeps whether this is an axis's last iteration; those inside have run none of the new one.
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
fn is_last(em: &Emitter<'_, '_>) -> V {
    let ir = em.ir;
    let flags = em.gpu.axes.iter().flat_map(|axes| &axes.last);
    let flags = flags.map(|flag| ir.load(ir.i1(), *flag));
    flags.fold(ir.const_bool(true), |all, flag| ir.and(all, flag))
}

/// After an iteration of the outermost axis: if it was the last of all, what outlives the loop.
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
        leave_cell(em, v, em.ir.offset_const(status, at))?;
    }
    ir.br(end);
    ir.at(end);
    Ok(())
}

/// Checks what a mapping promises of the statements around inner axes: every thread runs them for itself, at any time.
fn check(l: &For, g: &GridLoop) -> Result<()> {
    if g.axes.len() > AXES.len() {
        return unsupported("more axes than a grid has");
    }
    let mut around = l;
    for id in &g.axes[1..] {
        let Some(inner) = loop_in(&around.body, *id) else {
            return invalid(format!("{id} is not in {}", around.id));
        };
        let stored = nestwise_ir::model::nest::stored(&inner.body);
        let steady = |e: &Expr| !e.reads(|array| stored.contains(&array));
        let reduced = |v: &VarId| g.mapped.reductions.iter().any(|r| r.0 == *v);
        let plain = |s: &Stmt| matches!(&s.kind, StmtKind::Let { var, value } if steady(value) && !reduced(var));
        let before = around.body.split_last().map_or(&[][..], |split| split.1);
        let bounds = [&inner.start, &inner.stop, &inner.step];
        if !before.iter().all(plain) || !bounds.into_iter().all(steady) {
            return unsupported("something beside an inner axis");
        }
        let mut breaks = false;
        for s in &inner.body {
            s.walk(&mut |s| breaks |= matches!(s.kind, StmtKind::Break(b) if b == *id));
        }
        if breaks {
            return invalid(format!("{id} is mapped to an axis and left early"));
        }
        around = inner;
    }
    Ok(())
}

/// The loop that a block ends with, if it is that one.
pub(crate) fn loop_in(block: &[Stmt], id: LoopId) -> Option<&For> {
    match &block.last()?.kind {
        StmtKind::For(l) if l.id == id => Some(l),
        _ => None,
    }
}
