//! Parts of a cooperative kernel: which threads run them, and how all threads wait for each other.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use nestwise_ir::Span;

use crate::abi::{FrameHeader, GuardFailure, cooperative, part};
use crate::error::{Result, invalid};
use crate::grid::GridKernel;
use crate::llvm::{IntPred, Ir, V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::orders::{Launched, Request};
use crate::lower::gpu::threaded::DeviceFunction;
use crate::lower::gpu::warps::SHARED_WORD;
use crate::lower::gpu::{registers, warps};
use crate::lower::unit::Registers;

/// For one, two and three axes in use: the threads of a block that lie along its second and third axis. A block has a
/// multiple of their product.
const ACROSS: [[i64; 2]; 3] = [[1, 1], [8, 1], [4, 2]];

/// The number of blocks along an axis whose iterations are not known.
const UNKNOWN_BLOCKS: i64 = 16;

/// The most times that a thread looks for the others (two minutes, if a look takes a microsecond, which nobody has
/// measured): then the launch fails, and the nest runs on the CPU, instead of a program that stands still.
const MOST_LOOKS: i64 = 1 << 27;

/// Adds a part to the cooperative kernel: a function for its threads.
pub(crate) fn next_part(em: &mut Emitter<'_, '_>, kernel: GridKernel) -> Result<DeviceFunction> {
    let Some(cooperative) = &mut em.gpu.cooperative else {
        return invalid("no cooperative launch");
    };
    cooperative.record = cooperative.record.max(kernel.record);
    cooperative.parts.push(kernel.loops);
    Ok(DeviceFunction::Part(
        cooperative.number,
        cooperative.parts.len() - 1,
    ))
}

/// Has threads of the cooperative launch run a part in the environment `env`; all go on when it is over.
pub(crate) fn run_part(
    em: &Emitter<'_, '_>,
    made: DeviceFunction,
    env: V,
    asked: &Request,
    span: Span,
) -> Result<Launched> {
    let Some(cooperative) = &em.gpu.cooperative else {
        return invalid("no cooperative launch");
    };
    let (ir, memory, word) = (em.ir, cooperative.memory, cooperative.turn);
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
    let (failed, fine) = (em.ir.fresh(), em.ir.fresh());
    let bad = ir.icmp(IntPred::LLVMIntNE, status, ir.const_i64(0));
    ir.expect(ir.cond_br(bad, failed, fine), 1, 1 << 20);
    ir.at(failed);
    for (at, to) in [(part::LINE, em.exits.line), (part::CODE, em.exits.code)] {
        ir.store(ir.load(ir.i64(), ir.offset_const(left, at)), to);
    }
    ir.br(em.exits.failed);
    ir.at(fine);
    Ok(Launched {
        status: left,
        blocks,
    })
}

/// The address of the area in which the part of this turn leaves its results.
fn place_of(em: &Emitter<'_, '_>, memory: V, turn: V) -> V {
    let ir = em.ir;
    let blocks = registers::register(em, 3, 0);
    let records = ir.mul(
        blocks,
        ir.const_i64(crate::grid::MOST_RECORD as i64),
        Wrap::Signed,
    );
    let bytes = ir.add(records, ir.const_i64(part::RECORDS as i64), Wrap::Signed);
    let odd = ir.and(turn, ir.const_i64(1));
    let at = ir.offset(memory, ir.mul(odd, bytes, Wrap::Signed), true);
    ir.offset_const(at, cooperative::PLACES)
}

/// The grid that a part is to see, as memory holds it ([`crate::abi::GridThread`]), whether this thread takes part, and
/// the number of blocks that do. Blocks lie along inner axes first, as many as the iterations of these ask for.
fn grid_of(em: &Emitter<'_, '_>, asked: &Request) -> (V, V, V) {
    let ir = em.ir;
    let [thread, threads, block, blocks] =
        [0, 1, 2, 3].map(|kind| registers::register(em, kind, 0));
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
            true => blocks_along(em.ir, asked, axis, size),
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

/// The number of blocks, of `size` threads along an axis, that the axis's iterations ask for; axis 0 is the innermost.
fn blocks_along(ir: &Ir<'_>, asked: &Request, axis: usize, size: V) -> V {
    let (range, outermost) = (asked.range, asked.axes - 1);
    let unknown = ir.const_i64(UNKNOWN_BLOCKS);
    let blocks = |trips: V| {
        let up = ir.sub(size, ir.const_i64(1), Wrap::Signed);
        let blocks = ir.sdiv(ir.add(trips, up, Wrap::Signed), size);
        at_least(ir, blocks, ir.const_i64(1))
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

fn at_least(ir: &Ir<'_>, v: V, least: V) -> V {
    ir.select(ir.icmp(IntPred::LLVMIntSLT, v, least), least, v)
}

/// Emits a barrier for all threads of the cooperative launch. A block that comes to it counts up, and waits until the
/// count tells that every block has come to as many barriers (CUDA's own barrier of a grid does that, too).
fn wait_for_all(em: &Emitter<'_, '_>, memory: V, turn: V, left: V, span: Span) {
    if em.unit.device != Some(Registers::Ptx) {
        return warps::emulated_barrier(em.ir, 1);
    }
    let ir = em.ir;
    warps::barrier(em.unit);
    let (thread, blocks) = (registers::register(em, 0, 0), registers::register(em, 3, 0));
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
    let count = ir.offset_const(memory, cooperative::ARRIVED);
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
    tell_failure(em.ir, left, span);
    ir.br(over);
    ir.at(over);
    ir.fence();
    ir.br(end);
    ir.at(end);
    warps::barrier(em.unit);
}

/// Notes that something has failed in statements that are watched together.
pub(crate) fn tell_failure(ir: &Ir<'_>, status: V, span: Span) {
    let (line, code) = (span.line.into(), GuardFailure::Several as i64);
    registers::tell(ir, status, ir.const_i64(line), ir.const_i64(code));
}
