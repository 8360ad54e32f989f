//! Loops that a cooperative kernel runs as a whole.
//!
//! A loop around mapped ones has the host hand over a kernel for each of its parts, and wait wherever one leaves something
//! behind. Where these are short, that is what takes the time. A cooperative kernel has all of its threads, the *team*, go through
//! the outer loop together: what has to do with numbers alone each of them computes for itself, and so comes to the same; of a
//! part each runs its own iterations, or one of them all of it, and then everyone waits for everyone. All blocks have room at
//! once, as whoever launches such a kernel sees to (CUDA's cooperative launches).
//!
//! A part is the function that would have been a kernel, with the grid that it is to see in memory. What it leaves behind lies in
//! one of two places, in turn: a thread that is ahead may write the next one while others still look at this one, but not the one
//! after that, before which there is another barrier. Where something fires, it shows behind the barrier, to all, and all leave.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use nestwise_ir::{LoopId, Span, Stmt, StmtKind, VarId};

use crate::abi::{EventCode, FrameHeader, Status, part, team};
use crate::error::{Result, invalid};
use crate::grid::{BLOCK_THREADS, GridKernel, TeamKernel};
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::loops;
use crate::lower::control::loops::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::deferred_results;
use crate::lower::gpu::kernel;
use crate::lower::gpu::kernel::{Axes, Threaded};
use crate::lower::gpu::mapped_loops;
use crate::lower::gpu::mapped_loops::{Asked, Left};
use crate::lower::gpu::single_thread::given_and_left;
use crate::lower::gpu::updates;
use crate::lower::gpu::updates::Unshared;
use crate::lower::gpu::uses::{rebinds, uses};
use crate::lower::gpu::warps;
use crate::lower::gpu::warps::SHARED_WORD;
use crate::lower::memory::slots::Cell;
use crate::lower::scalar::flag_values;
use crate::lower::threads;
use crate::lower::threads::CELL;
use crate::lower::unit::{Registers, Unit};

/// Threads of a block that lie along its second and third axis, by axes in use: it has a multiple of them.
const ACROSS: [[i64; 2]; 3] = [[1, 1], [8, 1], [4, 2]];
/// Blocks along an axis whose iterations are not known.
const UNKNOWN_BLOCKS: i64 = 16;
/// So often a thread looks for others at most (two minutes, if a look takes a microsecond, which nobody has measured): then the launch fails, and the nest runs on the
/// CPU, instead of a program that stands still.
const MOST_LOOKS: i64 = 1 << 27;

/// What the threads of a cooperative kernel have in common, as one of them sees it.
pub(crate) struct Team {
    /// See [`crate::abi::team`].
    memory: V,
    /// Parts that are over.
    turn: V,
    /// The kernel's number.
    number: usize,
    /// The loops on the axes of each part.
    parts: Vec<Vec<LoopId>>,
    /// Bytes of the largest record that blocks leave.
    record: usize,
}

/// What a cooperative kernel runs.
#[derive(Clone, Copy)]
struct Whole<'s> {
    stmt: &'s Stmt,
    /// It is the nest's top loop, of which the launch has a range.
    is_top: bool,
}

/// On the host: whether that loop is a kernel of its own.
pub(crate) fn cooperates(em: &Emitter<'_, '_>, id: LoopId) -> bool {
    em.unit.grid.is_some() && em.unit.spec.schedule.cooperative.contains(&id)
}

/// On the host: the same for a statement.
pub(crate) fn is_cooperative(em: &Emitter<'_, '_>, s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::For(l) => cooperates(em, l.id),
        StmtKind::While(l) => cooperates(em, l.id),
        _ => false,
    }
}

/// On the host: has a team go through a loop inside the nest.
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

/// On the host: has one go through these iterations of the top loop, and leaves as that was left.
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

/// Launches the kernel, and takes what the team assigns; the first cell that is nobody's.
fn have_run(em: &mut Emitter<'_, '_>, whole: Whole<'_>, range: Range) -> Result<V> {
    let u = em.unit;
    let Some(grid) = &u.grid else {
        return invalid("no device");
    };
    let block = std::slice::from_ref(whole.stmt);
    let (shared, assigned) = given_and_left(u, &[], block);
    let rebinds = rebinds(block);
    let number = grid.len();
    let team = team_kernel(grid.device, number, whole, rebinds, &shared, &assigned)?;
    let words = match rebinds {
        true => moved_cells(em).len(),
        false => 0,
    };
    let cells = assigned.len() + words + if whole.is_top { 2 } else { 0 };
    grid.next(GridKernel {
        uses: uses(u, block, &[]),
        leaves: cells > 0,
        team: Some(TeamKernel {
            record: team.record,
            parts: team.parts,
        }),
        ..GridKernel::alone()
    });
    let asked = Asked {
        range,
        axes: 0,
        inner: em.ir.const_i64(-1),
        copies: most_thread_bytes(em, block)?,
        cells,
        record: 0,
    };
    let left = mapped_loops::launch(
        em,
        Threaded::Kernel(number),
        &shared,
        asked,
        whole.stmt.span,
    )?;
    let mut cell = mapped_loops::cells(em, left);
    let next = |f: &Emitter<'_, '_>, cell: V| f.ir.offset_const(cell, CELL);
    for v in &assigned {
        mapped_loops::take_cell(em, *v, cell)?;
        deferred_results::left_late(em, *v, None);
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

/// Fields of descriptors that rebindings change, always in the same order.
fn moved_cells(em: &Emitter<'_, '_>) -> Vec<(V, crate::llvm::T)> {
    let cells = em.slots.all.iter().flat_map(|slot| slot.cells());
    let moved = cells.filter_map(|cell| match cell {
        Cell::Memory(home, ty) => Some((home, ty)),
        Cell::Value(_) => None,
    });
    moved.collect()
}

/// Bytes of the copies that a thread has in any of the parts.
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

/// A function for the threads of the next part.
pub(crate) fn next_part(em: &mut Emitter<'_, '_>, kernel: GridKernel) -> Result<Threaded> {
    let Some(team) = &mut em.gpu.team else {
        return invalid("no team");
    };
    team.record = team.record.max(kernel.record);
    team.parts.push(kernel.loops);
    Ok(Threaded::Part(team.number, team.parts.len() - 1))
}

/// Has threads of the team run a part in that environment; all go on when it is over.
pub(crate) fn run_part(
    em: &Emitter<'_, '_>,
    made: Threaded,
    env: V,
    asked: &Asked,
    span: Span,
) -> Result<Left> {
    let Some(team) = &em.gpu.team else {
        return invalid("no team");
    };
    let (ir, memory, word) = (em.ir, team.memory, team.turn);
    let turn = ir.load(ir.i64(), word);
    let left = place_of(em, memory, turn);
    let (place, takes_part, blocks) = grid_of(em, asked);
    let shared = match (em.unit.device, asked.record) {
        (Some(Registers::Memory), _) => em
            .gpu
            .axes
            .as_ref()
            .and_then(|a| a.place)
            .map(|place| ir.load(ir.ptr(), ir.offset_const(place, 8 * SHARED_WORD))),
        (_, 0) => None,
        (_, record) => Some(made.shared_memory(ir, record)),
    };
    if let Some(shared) = shared {
        ir.store(shared, ir.offset_const(place, 8 * SHARED_WORD));
    }
    let copies = ir.load(
        ir.ptr(),
        ir.offset_const(em.function.frame, FrameHeader::USER),
    );
    ir.store(copies, ir.offset_const(env, FrameHeader::USER));
    let (run, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(takes_part, run, end);
    ir.at(run);
    let ty = ir.function(
        ir.void(),
        &[ir.ptr(), ir.i64(), ir.i64(), ir.ptr(), ir.ptr()],
    );
    let part = ir.add_function(&made.symbol(), ty);
    ir.call(
        ty,
        part,
        &[env, asked.range.lo, asked.range.hi, left, place],
    );
    ir.br(end);
    ir.at(end);
    wait_for_all(em, memory, turn, left, span);
    let ir = em.ir;
    ir.store(ir.add(turn, ir.const_i64(1), Wrap::Signed), word);
    let status = ir.load(ir.i64(), ir.offset_const(left, part::STATUS));
    let (fired, fine) = (em.ir.fresh(), em.ir.fresh());
    let bad = ir.icmp(IntPred::LLVMIntNE, status, ir.const_i64(0));
    ir.expect(ir.cond_br(bad, fired, fine), 1, 1 << 20);
    ir.at(fired);
    for (at, to) in [(part::LINE, em.exits.line), (part::CODE, em.exits.code)] {
        ir.store(ir.load(ir.i64(), ir.offset_const(left, at)), to);
    }
    ir.br(em.exits.event);
    ir.at(fine);
    Ok(Left {
        status: left,
        blocks,
    })
}

/// Where parts leave things behind in that turn.
fn place_of(em: &Emitter<'_, '_>, memory: V, turn: V) -> V {
    let ir = em.ir;
    let blocks = kernel::register(em, 3, 0);
    let records = ir.mul(
        blocks,
        ir.const_i64(crate::grid::MOST_RECORD as i64),
        Wrap::Signed,
    );
    let bytes = ir.add(records, ir.const_i64(part::RECORDS as i64), Wrap::Signed);
    let odd = ir.and(turn, ir.const_i64(1));
    let at = ir.offset(memory, ir.mul(odd, bytes, Wrap::Signed), true);
    ir.offset_const(at, team::PLACES)
}

/// The grid that a part is to see, as memory holds it ([`crate::abi::GridThread`]), whether this thread takes part, and the
/// number of blocks that do. Blocks lie along inner axes first, as many as these ask for.
fn grid_of(em: &Emitter<'_, '_>, asked: &Asked) -> (V, V, V) {
    let ir = em.ir;
    let [thread, threads, block, blocks] = [0, 1, 2, 3].map(|kind| kernel::register(em, kind, 0));
    let number = |n: i64| ir.const_i64(n);
    let bytes = ir.array(ir.i8(), 8 * (SHARED_WORD as u64 + 1));
    let place = ir.alloca_aligned(bytes, 16);
    let put = |kind: usize, axis: usize, v: V| {
        ir.store(v, ir.offset_const(place, 8 * (3 * kind + axis)));
    };
    let Some(last) = asked.axes.checked_sub(1) else {
        for (kind, n) in [0, 1, 0, 1].into_iter().enumerate() {
            (0..3).for_each(|axis| put(kind, axis, number(n)));
        }
        let first = |v: V| ir.icmp(IntPred::LLVMIntEQ, v, number(0));
        return (place, ir.and(first(thread), first(block)), number(1));
    };
    let across = ACROSS[last];
    let along = ir.sdiv(threads, number(across[0] * across[1]));
    let size = [along, number(across[0]), number(across[1])];
    let (mut own, mut free, mut taken) = ([thread, block], blocks, number(1));
    for (axis, size) in size.into_iter().enumerate() {
        let wanted = match axis <= last {
            true => blocks_along(em, asked, axis, size),
            false => number(1),
        };
        let fewer = ir.icmp(IntPred::LLVMIntSLT, wanted, free);
        let count = ir.select(fewer, wanted, free);
        free = ir.sdiv(free, count);
        taken = ir.mul(taken, count, Wrap::Signed);
        for (kind, n) in [(0, size), (2, count)] {
            let k = kind / 2;
            put(kind, axis, ir.srem(own[k], n));
            put(kind + 1, axis, n);
            own[k] = ir.sdiv(own[k], n);
        }
    }
    (place, ir.icmp(IntPred::LLVMIntSLT, block, taken), taken)
}

/// Blocks of so many threads along an axis, the innermost being the first, that its iterations ask for.
fn blocks_along(em: &Emitter<'_, '_>, asked: &Asked, axis: usize, size: V) -> V {
    let ir = em.ir;
    let (range, outermost) = (asked.range, asked.axes - 1);
    let unknown = ir.const_i64(UNKNOWN_BLOCKS);
    let blocks = |trips: V| {
        let up = ir.sub(size, ir.const_i64(1), Wrap::Signed);
        let blocks = ir.sdiv(ir.add(trips, up, Wrap::Signed), size);
        at_least(em, blocks, ir.const_i64(1))
    };
    match outermost - axis {
        0 => blocks(ir.sub(range.hi, range.lo, Wrap::Signed)),
        1 => {
            // Below zero: not known.
            let known = ir.icmp(IntPred::LLVMIntSGE, asked.inner, ir.const_i64(0));
            ir.select(known, blocks(asked.inner), unknown)
        }
        _ => unknown,
    }
}

fn at_least(em: &Emitter<'_, '_>, v: V, least: V) -> V {
    let ir = em.ir;
    ir.select(ir.icmp(IntPred::LLVMIntSLT, v, least), least, v)
}

/// Waits for all threads of the team. A block that comes to its barriers tells the others by a count, as often as there are
/// blocks for each (CUDA's own barrier of a grid does that, too).
fn wait_for_all(em: &Emitter<'_, '_>, memory: V, turn: V, left: V, span: Span) {
    if em.unit.device != Some(Registers::Ptx) {
        return warps::emulated_barrier(em, 1);
    }
    let ir = em.ir;
    warps::barrier(em);
    let (thread, blocks) = (kernel::register(em, 0, 0), kernel::register(em, 3, 0));
    let is_first = ir.icmp(IntPred::LLVMIntEQ, thread, ir.const_i64(0));
    let several = ir.icmp(IntPred::LLVMIntSGT, blocks, ir.const_i64(1));
    let (tell, look, late, over, end) = (
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
    );
    ir.cond_br(ir.and(is_first, several), tell, end);
    ir.at(tell);
    ir.fence();
    let count = ir.offset_const(memory, team::ARRIVED);
    ir.update(Rmw::LLVMAtomicRMWBinOpAdd, count, ir.const_i64(1));
    let parts = ir.add(turn, ir.const_i64(1), Wrap::Signed);
    let all = ir.mul(parts, blocks, Wrap::Signed);
    ir.br(look);
    ir.at(look);
    let looks = ir.phi(ir.i64());
    ir.add_incoming(looks, ir.const_i64(0), tell);
    let there = ir.icmp(IntPred::LLVMIntSGE, ir.look(count), all);
    let more = ir.add(looks, ir.const_i64(1), Wrap::Signed);
    let again = em.ir.fresh();
    ir.cond_br(there, over, again);
    ir.at(again);
    ir.add_incoming(looks, more, again);
    let enough = ir.icmp(IntPred::LLVMIntSGE, more, ir.const_i64(MOST_LOOKS));
    ir.cond_br(enough, late, look);
    ir.at(late);
    tell_event(em, left, span);
    ir.br(over);
    ir.at(over);
    ir.fence();
    ir.br(end);
    ir.at(end);
    warps::barrier(em);
}

/// Something has fired in statements that are watched together.
fn tell_event(em: &Emitter<'_, '_>, status: V, span: Span) {
    let ir = em.ir;
    let (line, code) = (span.line.into(), EventCode::Several as i64);
    kernel::tell(em, status, ir.const_i64(line), ir.const_i64(code));
}

/// In the first thread: what outlives the kernel.
fn leave_cells(
    em: &mut Emitter<'_, '_>,
    whole: Whole<'_>,
    rebinds: bool,
    assigned: &[VarId],
    first: V,
) -> Result<()> {
    let mut cell = first;
    for v in assigned {
        mapped_loops::leave_cell(em, *v, cell)?;
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

/// Writes a cooperative kernel, and the functions of its parts; what has become of its team.
fn team_kernel<'u, 'a>(
    u: &'u Unit<'a>,
    number: usize,
    whole: Whole<'_>,
    rebinds: bool,
    shared: &[VarId],
    assigned: &[VarId],
) -> Result<Team> {
    let ir = &u.ir;
    let mut f: Emitter<'u, 'a> = Threaded::Kernel(number).function(u);
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
    f.gpu.team = Some(Team {
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
    let (thread, block) = (kernel::register(&f, 0, 0), kernel::register(&f, 2, 0));
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
    ir.at(f.exits.event);
    kernel::tell(
        &f,
        status,
        ir.load(ir.i64(), f.exits.line),
        ir.load(ir.i64(), f.exits.code),
    );
    ir.br(out);
    ir.at(check);
    ir.watch(None);
    ir.cond_br(ir.load(ir.i1(), odd), told, out);
    ir.at(told);
    tell_event(&f, status, whole.stmt.span);
    ir.br(out);
    ir.at(out);
    ir.ret_void();
    let team = f.gpu.team.take();
    team.map_or_else(|| invalid("no team"), Ok)
}

/// In a cooperative kernel: all that it runs.
fn go_through(em: &mut Emitter<'_, '_>, whole: Whole<'_>) -> Result<()> {
    let ir = em.ir;
    ir.store(em.function.lo, em.exits.at);
    ir.store(ir.const_i64(Status::Done as i64), em.exits.status);
    match &whole.stmt.kind {
        StmtKind::For(l) if whole.is_top => {
            let range = threads::part_range(em, l);
            loops::top_for(em, l, range.start, range.step)
        }
        StmtKind::While(l) if whole.is_top => loops::top_while(em, l),
        _ => em.block(std::slice::from_ref(whole.stmt)),
    }
}
