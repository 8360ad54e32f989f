//! Loops mapped to the grid of a device.
//!
//! The entry runs on the host: outer loops and what else has to do with numbers alone. A mapped loop becomes a kernel in a
//! module of its own, whose threads run its iterations, and so does what else looks at elements ([`crate::lower::gpu::single_thread`]). The entry
//! has a kernel launched (`nw_grid`) and goes on at once, unless variables come back, which it waits for. A word says that
//! something fired; whoever launches looks at it when all kernels have run. Then nothing of the launch counts, and the host's
//! arrays are as they were.
//!
//! A device has no floating-point flags. A result that is not finite counts as fired: NumPy may have warned.

use std::cell::RefCell;
use std::mem::offset_of;

use nestwise_analysis::dataflow::definite_assignment::{self, Target};
use nestwise_analysis::dataflow::finite::Finite;
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{Expr, ExprKind, For, LoopId, Span, Stmt, StmtKind, VarId};

use crate::abi::{EventCode, FrameHeader, Order, part};
use crate::error::{Result, invalid, unsupported};
use crate::grid::GridKernel;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::loops::Range;
use crate::lower::func::Jump;
use crate::lower::gpu::kernel::{AXES, Axes, Threaded};
use crate::lower::gpu::reductions::Records;
use crate::lower::gpu::register_tiles::Tile;
use crate::lower::gpu::updates::Unshared;
use crate::lower::gpu::uses::uses;
use crate::lower::threads::{CELL, thread_flow};
use crate::lower::{Func, Unit, Val};

/// The kernels of a launch.
pub(crate) struct Grid<'a> {
    /// What they are made in.
    pub(crate) device: &'a Unit<'a>,
    pub(crate) kernels: RefCell<Vec<GridKernel>>,
}

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

impl<'a> Grid<'a> {
    pub(crate) fn new(device: &'a Unit<'a>) -> Grid<'a> {
        Grid {
            device,
            kernels: RefCell::default(),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.kernels.borrow().len()
    }

    /// The number of a new kernel.
    pub(crate) fn next(&self, kernel: GridKernel) -> usize {
        let mut kernels = self.kernels.borrow_mut();
        kernels.push(kernel);
        kernels.len() - 1
    }
}

impl<'u> Func<'u, '_> {
    /// Launches a loop's kernel.
    pub(crate) fn grid(&mut self, l: &For, g: &GridLoop, range: Range) -> Result<()> {
        let u = self.u;
        let device = self.device()?;
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
            match self.late_cell(v) {
                Some(at) => late.push((v, at)),
                None => awaited.push((v, part::CELLS + CELL * awaited.len())),
            }
        }
        let made = self.next_threaded(GridKernel {
            loops: g.axes.clone(),
            record: records.size(),
            tile: Tile::counts(tile.as_ref(), &g.axes),
            uses: uses(u, &l.body, &[]),
            leaves: records.size() + late.len() + awaited.len() > 0,
            team: None,
        })?;
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
        self.kernel(made, span, axes, &shared, |f, _| {
            f.finite = Some(finite);
            let range = f.part_range(l);
            f.counted(l, range, None)
        })?;

        let ir = self.ir();
        let (run, end) = (self.fresh(), self.fresh());
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), run, end);
        ir.at(run);
        let inner = self.inner_trips(l, g)?;
        let asked = Asked {
            range,
            axes: g.axes.len(),
            inner,
            copies: self.thread_bytes(l, &unshared)?,
            cells: awaited.len(),
            record: records.size(),
        };
        let left = self.launch(made, &shared, asked, span)?;
        for (v, at) in &awaited {
            self.take_cell(*v, self.ir().offset_const(left.status, *at))?;
            self.left_late(*v, None);
        }
        for (v, at) in &late {
            self.left_late(*v, Some(*at));
        }
        if records.size() > 0 {
            let first = self.ir().offset_const(left.status, part::RECORDS);
            self.take_records(l, &records, (first, left.blocks), span)?;
        }
        let ir = self.ir();
        ir.br(end);
        ir.at(end);
        Ok(())
    }

    /// Launches a kernel that is given the values of `shared`, or has a part of one run.
    pub(crate) fn launch(
        &mut self,
        made: Threaded,
        shared: &[VarId],
        asked: Asked,
        span: Span,
    ) -> Result<Left> {
        if asked.cells > part::MOST_CELLS {
            return unsupported("so many results of a kernel");
        }
        let (u, ir) = (self.u, self.ir());
        let size = u.layout.size as u64;
        let env = ir.alloca_aligned(self.entry, ir.array(ir.i8(), size), 16);
        self.store_slots(env, true);
        for v in shared {
            self.store_var(*v, env)?;
        }
        let range = asked.range;
        let bounds = ir.offset_const(env, FrameHeader::BOUNDS);
        ir.store(range.start, bounds);
        ir.store(range.step, ir.offset_const(bounds, 8));
        let kernel = match made {
            Threaded::Kernel(number) => number,
            Threaded::Part(..) => return self.run_part(made, env, &asked, span),
        };
        let order = self.order();
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
        self.hand(order, span);
        Ok(Left {
            status: ir.load(ir.ptr(), field(offset_of!(Order, left))),
            blocks: ir.load(ir.i64(), field(offset_of!(Order, blocks))),
        })
    }

    /// On the host: memory for what is asked of the device.
    pub(crate) fn order(&self) -> V {
        let ir = self.ir();
        let bytes = size_of::<Order>() as u64;
        ir.alloca_aligned(self.entry, ir.array(ir.i8(), bytes), 8)
    }

    /// On the host: asks for it; leaves where something has fired.
    pub(crate) fn hand(&self, order: V, span: Span) {
        let ir = self.ir();
        let ty = ir.function(ir.i64(), &[ir.ptr(), ir.ptr()]);
        let launch = ir.add_function(c"nw_grid", ty);
        let user = ir.load(ir.ptr(), ir.offset_const(self.frame, FrameHeader::USER));
        let failed = ir.call(ty, launch, &[user, order]);
        let failed = ir.icmp(IntPred::LLVMIntNE, failed, ir.const_i64(0));
        let fine = self.fresh();
        self.leave_if(failed, fine, EventCode::Several, span);
        ir.at(fine);
    }

    /// On the host: the cells that a kernel has left.
    pub(crate) fn cells(&self, left: Left) -> V {
        self.ir().offset_const(left.status, part::CELLS)
    }

    /// On the host: a variable has the value of a cell.
    pub(crate) fn take_cell(&mut self, v: VarId, cell: V) -> Result<()> {
        let (home, repr) = (self.home(v, false)?, self.repr(v)?);
        let got = self.load_cell(repr, cell);
        self.put(home, got);
        Ok(())
    }

    /// In a kernel: a cell has the value of a variable.
    pub(crate) fn leave_cell(&mut self, v: VarId, cell: V) -> Result<()> {
        let (home, repr) = (self.home(v, false)?, self.repr(v)?);
        let value = self.get(home, repr, false);
        self.store_cell(repr, value, cell);
        Ok(())
    }

    /// The iterations of the next loop on an axis, where they are the same in each of this one's and tell without elements;
    /// else -1.
    fn inner_trips(&mut self, l: &For, g: &GridLoop) -> Result<V> {
        let none = self.ir().const_i64(-1);
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
        let (start, stop) = (self.expr(&inner.start)?.a, self.expr(&inner.stop)?.a);
        let by = self.expr(&inner.step)?.a;
        Ok(self.trips(start, stop, by, step, false))
    }

    /// The number of a loop's axis, the first being the innermost's.
    pub(crate) fn axis_of(&self, id: LoopId) -> Option<usize> {
        let axes = self.axes.as_ref()?;
        axes.loops.iter().rev().position(|l| *l == id)
    }

    /// This thread's iterations of a loop on an axis: from its own place on, as far apart as there are threads.
    pub(crate) fn strided(&mut self, l: &For, range: Range, axis: usize) -> Result<()> {
        let ir = self.ir();
        let [thread, threads, block, blocks] = [0, 1, 2, 3].map(|kind| self.register(kind, axis));
        let place = ir.add(ir.mul(block, threads, Wrap::Signed), thread, Wrap::Signed);
        let stride = ir.mul(blocks, threads, Wrap::Signed);
        let mut first = ir.add(range.lo, place, Wrap::Signed);
        if let Some(count) = self.tile_of(l) {
            first = self.strided_tiles(l, count, range, axis, (first, stride))?;
        }
        let (body, latch, end) = (self.fresh(), self.fresh(), self.fresh());
        let before = ir.here();
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, first, range.hi), body, end);
        ir.at(body);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, first, before);
        // Of a tile around it the last copy is the one that leaves something behind.
        self.copy = self.jam.as_ref().map_or(0, |jam| jam.count - 1);
        self.enter_counter(l, Val::one(self.index_fma(range.start, k, range.step)))?;
        self.copy = 0;
        self.note_iteration(axis, k);
        let highest = ir.sub(range.hi, ir.const_i64(1), Wrap::Signed);
        self.note_last(axis, ir.icmp(IntPred::LLVMIntEQ, k, highest));
        self.jumps.push(Jump {
            target: Target::Loop(l.id),
            on_break: end,
            on_continue: latch,
            lanes: None,
        });
        let shared = match axis {
            0 => Some(self.enter_copies(l, self.is_last())?),
            _ => None,
        };
        self.block(&l.body)?;
        if let Some(shared) = shared {
            self.leave_copies(shared);
        }
        self.jumps.pop();
        self.fixed.remove(&l.counter);
        ir.br(latch);
        ir.at(latch);
        self.after_iteration(axis)?;
        let next = ir.add(k, stride, Wrap::Signed);
        ir.add_incoming(k, next, ir.here());
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, next, range.hi), body, end);
        ir.at(end);
        Ok(())
    }

    /// Keeps what an iteration of the innermost axis has reduced, and what one of the outermost leaves behind.
    pub(crate) fn after_iteration(&mut self, axis: usize) -> Result<()> {
        if axis == 0 {
            self.reduced_so_far()?;
        }
        let axes = self.axes.as_ref().map_or(0, |a| a.loops.len());
        match axis + 1 == axes {
            true => self.leave_results(),
            false => Ok(()),
        }
    }

    /// Keeps which iteration of an axis this is, if what is reduced wants to know.
    fn note_iteration(&self, axis: usize, k: V) {
        let Some(axes) = &self.axes else { return };
        if let Some(now) = axes.now.get(axis) {
            self.ir().store(k, *now);
        }
        if let Some(records) = axes.records.as_ref().filter(|_| axis == 0) {
            self.enter_iteration(records);
        }
    }

    /// Keeps what the iteration of all axes that is over has reduced.
    fn reduced_so_far(&mut self) -> Result<()> {
        let Some(axes) = self.axes.take() else {
            return Ok(());
        };
        if let Some(records) = &axes.records {
            self.leave_iteration(records, &axes.placed, &axes.now)?;
        }
        self.axes = Some(axes);
        Ok(())
    }

    /// Keeps whether this is an axis's last iteration; those inside have run none of the new one.
    pub(crate) fn note_last(&self, axis: usize, last: V) {
        let ir = self.ir();
        let wanted = |a: &&Axes| !a.results.is_empty() || a.unshared.has_copies();
        let Some(axes) = self.axes.as_ref().filter(wanted) else {
            return;
        };
        ir.store(last, axes.last[axis]);
        for inner in &axes.last[..axis] {
            ir.store(ir.const_bool(false), *inner);
        }
    }

    /// Whether this is the last iteration of all.
    fn is_last(&self) -> V {
        let ir = self.ir();
        let flags = self.axes.iter().flat_map(|axes| &axes.last);
        let flags = flags.map(|flag| ir.load(ir.i1(), *flag));
        flags.fold(ir.const_bool(true), |all, flag| ir.and(all, flag))
    }

    /// After an iteration of the outermost axis: if it was the last of all, what outlives the loop.
    fn leave_results(&mut self) -> Result<()> {
        let ir = self.ir();
        let Some((axes, status)) = self.axes.as_ref().and_then(|a| Some((a, a.status?))) else {
            return Ok(());
        };
        let vars = axes.results.clone();
        let all = self.is_last();
        let (leave, end) = (self.fresh(), self.fresh());
        ir.cond_br(all, leave, end);
        ir.at(leave);
        for (v, at) in vars {
            self.leave_cell(v, self.ir().offset_const(status, at))?;
        }
        ir.br(end);
        ir.at(end);
        Ok(())
    }
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
