//! Loops that a cooperative kernel runs as a whole.
//!
//! For a loop around mapped ones the host hands over a kernel for each of its parts, and waits wherever one leaves
//! something behind. Where the parts are short, that is what takes the time. A cooperative kernel has all of its
//! threads go through the outer loop together: what has to do with numbers alone each of them computes for itself, with
//! the same result; of a part each thread runs its own iterations, or one of them all of it, and then every thread
//! waits for every other. All blocks have room at once, as whoever launches such a kernel sees to (CUDA's cooperative
//! launches).
//!
//! A part is the function that would have been a kernel, with the grid that it is to see in memory. What it leaves
//! behind lies in one of two areas, in turn: a thread that is ahead may write the next area while others still look at
//! this one, but not the one after that, before which there is another barrier. Where something fails, it shows behind
//! the barrier, to all threads, and all leave.

use nestwise_ir::{LoopId, Stmt, StmtKind, VarId};

use crate::abi::part::CELL;
use crate::abi::{FrameHeader, Status, part};
use crate::error::{Result, invalid};
use crate::grid::{BLOCK_THREADS, CooperativeKernel, GridKernel};
use crate::llvm::{IntPred, V};
use crate::lower::control::ranges;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::orders::Request;
use crate::lower::gpu::state::{Axes, Cooperative};
use crate::lower::gpu::threaded::DeviceFunction;
use crate::lower::gpu::unshared::Unshared;
use crate::lower::gpu::uses::{given_and_left, rebinds, uses};
use crate::lower::gpu::{cooperative_parts, deferred_results, launch, orders, registers, updates};
use crate::lower::memory::slots::Cell;
use crate::lower::scalar::flag_values;
use crate::lower::unit::{Registers, Unit};

/// What a cooperative kernel runs.
#[derive(Clone, Copy)]
struct Whole<'s> {
    stmt: &'s Stmt,
    /// Whether the statement is the nest's top loop, of which the launch has a range.
    is_top: bool,
}

/// Whether, on the host, a loop is run by a cooperative kernel of its own.
pub(crate) fn cooperates(unit: &Unit<'_>, id: LoopId) -> bool {
    unit.grid.is_some() && unit.spec.schedule.cooperative.contains(&id)
}

/// Whether, on the host, a statement is a loop that is run by a cooperative kernel of its own.
pub(crate) fn is_cooperative(unit: &Unit<'_>, s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::For(l) => cooperates(unit, l.id),
        StmtKind::While(l) => cooperates(unit, l.id),
        _ => false,
    }
}

/// Has a cooperative kernel run a loop inside the nest, on the host.
pub(crate) fn cooperate(em: &mut Emitter<'_, '_>, stmt: &Stmt) -> Result<()> {
    let zero = em.ir.const_i64(0);
    let once = Range {
        start: zero,
        step: em.ir.const_i64(1),
        lo: zero,
        hi: em.ir.const_i64(1),
    };
    let is_top = false;
    have_run(em, Whole { stmt, is_top }, once).map(|_| ())
}

/// Has a cooperative kernel run iterations of the top loop, on the host, and leaves as the kernel left the loop.
pub(crate) fn cooperate_at_top(em: &mut Emitter<'_, '_>, range: Range) -> Result<()> {
    let stmt = &em.unit.nest.top;
    let is_top = true;
    let cell = have_run(em, Whole { stmt, is_top }, range)?;
    let ir = em.ir;
    for (k, word) in [em.exits.status, em.exits.at].into_iter().enumerate() {
        let left = ir.load(ir.i64(), ir.offset_const(cell, CELL * k));
        ir.store(left, word);
    }
    Ok(())
}

/// Launches a cooperative kernel, and takes the values of the variables that it assigns; returns the first cell behind
/// them.
fn have_run(em: &mut Emitter<'_, '_>, whole: Whole<'_>, range: Range) -> Result<V> {
    let u = em.unit;
    let Some(grid) = &u.grid else {
        return invalid("no device");
    };
    let block = std::slice::from_ref(whole.stmt);
    let (shared, assigned) = given_and_left(u, &[], block);
    let rebinds = rebinds(block);
    let number = grid.len();
    let cooperative = cooperative_kernel(grid.device, number, whole, rebinds, &shared, &assigned)?;
    let words = match rebinds {
        true => moved_cells(em).len(),
        false => 0,
    };
    let cells = assigned.len() + words + if whole.is_top { 2 } else { 0 };
    grid.next(GridKernel {
        uses: uses(u, block, &[]),
        leaves: cells > 0,
        cooperative: Some(CooperativeKernel {
            record: cooperative.record,
            parts: cooperative.parts,
        }),
        ..GridKernel::alone()
    });
    let asked = Request {
        range,
        axes: 0,
        inner: em.ir.const_i64(-1),
        copies: most_thread_bytes(em, block)?,
        cells,
        record: 0,
    };
    let left = launch::launch(
        em,
        DeviceFunction::Kernel(number),
        &shared,
        asked,
        whole.stmt.span,
    )?;
    let mut cell = orders::cells(em.ir, left);
    let next = |f: &Emitter<'_, '_>, cell: V| f.ir.offset_const(cell, CELL);
    for v in &assigned {
        orders::take_cell(em, *v, cell)?;
        deferred_results::left_deferred(em, *v, None);
        cell = next(em, cell);
    }
    if rebinds {
        for (home, ty) in moved_cells(em) {
            em.ir.store(em.ir.load(ty, cell), home);
            cell = next(em, cell);
        }
    }
    Ok(cell)
}

/// The fields of descriptors that rebindings change, always in the same order.
fn moved_cells(em: &Emitter<'_, '_>) -> Vec<(V, crate::llvm::T)> {
    let cells = em.slots.all.iter().flat_map(|slot| slot.cells());
    let moved = cells.filter_map(|cell| match cell {
        Cell::Memory(home, ty) => Some((home, ty)),
        Cell::Value(_) => None,
    });
    moved.collect()
}

/// The most bytes of copies that a thread has in any of the parts.
fn most_thread_bytes(em: &Emitter<'_, '_>, block: &[Stmt]) -> Result<V> {
    let ir = em.ir;
    let mut most = ir.const_i64(0);
    for g in &em.unit.spec.schedule.grid {
        let mut bytes = None;
        for s in block {
            s.walk(&mut |s| {
                if let StmtKind::For(l) = &s.kind
                    && l.id == g.mapped.id
                {
                    bytes = Some(updates::thread_bytes(em, l, &Unshared::of(l, g)));
                }
            });
        }
        if let Some(bytes) = bytes.transpose()? {
            let more = ir.icmp(IntPred::LLVMIntSGT, bytes, most);
            most = ir.select(more, bytes, most);
        }
    }
    Ok(most)
}

/// Stores what outlives the cooperative kernel, in its first thread.
fn leave_cells(
    em: &mut Emitter<'_, '_>,
    whole: Whole<'_>,
    rebinds: bool,
    assigned: &[VarId],
    first: V,
) -> Result<()> {
    let mut cell = first;
    for v in assigned {
        orders::leave_cell(em, *v, cell)?;
        cell = em.ir.offset_const(cell, CELL);
    }
    let mut words = match rebinds {
        true => moved_cells(em),
        false => vec![],
    };
    if whole.is_top {
        let word = em.ir.i64();
        words.extend([(em.exits.status, word), (em.exits.at, word)]);
    }
    let ir = em.ir;
    for (home, ty) in words {
        ir.store(ir.load(ty, home), cell);
        cell = ir.offset_const(cell, CELL);
    }
    Ok(())
}

/// Emits a cooperative kernel, and the functions of its parts; returns what is known of its launch.
fn cooperative_kernel<'u, 'a>(
    u: &'u Unit<'a>,
    number: usize,
    whole: Whole<'_>,
    rebinds: bool,
    shared: &[VarId],
    assigned: &[VarId],
) -> Result<Cooperative> {
    let ir = &u.ir;
    let mut f: Emitter<'u, 'a> = DeviceFunction::Kernel(number).function(u);
    if u.device == Some(Registers::Ptx) {
        // A processor has room for a block, whatever its registers, and for more nobody asks.
        ir.string_attribute(f.function.value, "nvvm.maxntid", &BLOCK_THREADS.to_string());
        ir.string_attribute(f.function.value, "nvvm.minctasm", "1");
    }
    let status = ir.param(f.function.value, 3);
    f.start_body();
    let (odd, turn) = (ir.alloca(ir.i1()), ir.alloca(ir.i64()));
    ir.store(ir.const_bool(false), odd);
    ir.store(ir.const_i64(0), turn);
    if u.device == Some(Registers::Memory) {
        f.gpu.axes = Some(Axes::at(ir.param(f.function.value, 4)));
    }
    f.gpu.cooperative = Some(Cooperative {
        memory: ir.load(ir.ptr(), ir.offset_const(f.function.frame, FrameHeader::AT)),
        turn,
        number,
        parts: vec![],
        record: 0,
    });
    ir.watch(Some(odd));
    f.slots
        .load(f.unit, f.function.frame, f.goes_through_nest())?;
    for v in shared {
        f.vars.load_var(&f.lanes, *v, f.function.frame)?;
    }
    go_through(&mut f, whole)?;
    ir.br(f.exits.done);
    ir.at(f.exits.done);
    flag_values::release_kept(&f);
    let (thread, block) = (registers::register(&f, 0, 0), registers::register(&f, 2, 0));
    let zero = ir.const_i64(0);
    let is_first = ir.icmp(IntPred::LLVMIntEQ, ir.or(thread, block), zero);
    let (leave, check, told, out) = (f.ir.fresh(), f.ir.fresh(), f.ir.fresh(), f.ir.fresh());
    ir.cond_br(is_first, leave, check);
    ir.at(leave);
    leave_cells(
        &mut f,
        whole,
        rebinds,
        assigned,
        ir.offset_const(status, part::CELLS),
    )?;
    ir.br(check);
    ir.at(f.exits.failed);
    registers::tell(
        f.ir,
        status,
        ir.load(ir.i64(), f.exits.line),
        ir.load(ir.i64(), f.exits.code),
    );
    ir.br(out);
    ir.at(check);
    ir.watch(None);
    ir.cond_br(ir.load(ir.i1(), odd), told, out);
    ir.at(told);
    cooperative_parts::tell_failure(f.ir, status, whole.stmt.span);
    ir.br(out);
    ir.at(out);
    ir.ret_void();
    let cooperative = f.gpu.cooperative.take();
    cooperative.map_or_else(|| invalid("no cooperative launch"), Ok)
}

/// Emits all that a cooperative kernel runs.
fn go_through(em: &mut Emitter<'_, '_>, whole: Whole<'_>) -> Result<()> {
    let ir = em.ir;
    ir.store(em.function.lo, em.exits.at);
    ir.store(ir.const_i64(Status::Done as i64), em.exits.status);
    match &whole.stmt.kind {
        StmtKind::For(l) if whole.is_top => {
            let range = ranges::part_range(em, l);
            em.top_for(l, range.start, range.step)
        }
        StmtKind::While(l) if whole.is_top => em.top_while(l),
        _ => em.block(std::slice::from_ref(whole.stmt)),
    }
}
