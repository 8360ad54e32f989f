//! What the threads of a block do together.
//!
//! Records ([`crate::lower::gpu::reductions`]) are combined two by two: in a warp, whose threads hand each other what
//! is in their registers, then what the warps came to, by way of shared memory and a barrier, in the first of them
//! (Luitjens, "Faster Parallel Reductions on Kepler", 2014). The threads of an emulated device have small warps, so
//! that small blocks have several.

use crate::abi::part;
use crate::error::Result;
use crate::grid::{EMULATED_WARP, WARP};
use crate::llvm::{IntPred, Ir, V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::records::Records;
use crate::lower::gpu::threaded::DeviceFunction;
use crate::lower::gpu::{fold, registers};
use crate::lower::unit::{Registers, Unit};

/// The index of the word of a thread's position ([`crate::abi::GridThread`]) that holds the address of shared memory on
/// an emulated device.
pub(crate) const SHARED_WORD: usize = 12;
/// A distance that stands for the first thread of the warp.
const FIRST: i64 = -1;

/// Shared memory for a record of each warp of a block, in a kernel or a part of one.
pub(crate) fn shared_memory(em: &Emitter<'_, '_>, made: DeviceFunction, record: usize) -> V {
    let ir = em.ir;
    match em.gpu.axes.as_ref().and_then(|a| a.place) {
        Some(place) => ir.load(ir.ptr(), ir.offset_const(place, 8 * SHARED_WORD)),
        None => made.shared_memory(ir, record),
    }
}

/// Combines the records of a block's threads into one, which is left behind the status. Every thread has to come here.
pub(crate) fn combine_block(
    em: &Emitter<'_, '_>,
    records: &Records,
    own: V,
    shared: V,
    status: V,
) -> Result<()> {
    let ir = em.ir;
    let number = |n: usize| ir.const_i64(n as i64);
    let (size, zero) = (number(records.size()), number(0));
    let in_warp = number(warp(em.unit));
    let (thread, threads) = linear(em, 0, 1);
    let (warp, lane) = (ir.udiv(thread, in_warp), ir.urem(thread, in_warp));
    let fewer = ir.icmp(IntPred::LLVMIntSLT, threads, in_warp);
    let note = |bad: V| ir.note(bad);
    combine_warp(
        em,
        records,
        own,
        lane,
        ir.select(fewer, threads, in_warp),
        note,
    )?;
    let of_warp = |k: V| ir.offset(shared, ir.mul(k, size, Wrap::Signed), true);
    let (leave, left) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntEQ, lane, zero), leave, left);
    ir.at(leave);
    fold::copy_record(em.ir, records, of_warp(warp), own);
    ir.br(left);
    ir.at(left);
    barrier(em.unit);
    let (first, take, taken, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntEQ, warp, zero), first, end);
    ir.at(first);
    let up = ir.sub(in_warp, number(1), Wrap::Signed);
    let warps = ir.udiv(ir.add(threads, up, Wrap::Signed), in_warp);
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, lane, warps), take, taken);
    ir.at(take);
    fold::copy_record(em.ir, records, own, of_warp(lane));
    ir.br(taken);
    ir.at(taken);
    combine_warp(em, records, own, lane, warps, note)?;
    let tell = em.ir.fresh();
    ir.cond_br(ir.icmp(IntPred::LLVMIntEQ, thread, zero), tell, end);
    ir.at(tell);
    let (block, _) = linear(em, 2, 3);
    let to = ir.offset(status, ir.mul(block, size, Wrap::Signed), true);
    fold::copy_record(em.ir, records, ir.offset_const(to, part::RECORDS), own);
    ir.br(end);
    ir.at(end);
    Ok(())
}

/// Combines, in a cooperative kernel, the records of `blocks` blocks at `all`: each warp does, and each thread has the
/// result. Also returns whether a sum left its representation.
pub(crate) fn combine_cooperative(
    em: &Emitter<'_, '_>,
    records: &Records,
    all: V,
    blocks: V,
) -> Result<(V, V)> {
    let ir = em.ir;
    let own = fold::record(em.ir, records);
    let bad = ir.alloca(ir.i64());
    ir.store(ir.const_i64(0), bad);
    let in_warp = ir.const_i64(warp(em.unit) as i64);
    let lane = ir.urem(registers::register(em, 0, 0), in_warp);
    let note = |v: V| {
        let old = ir.load(ir.i64(), bad);
        ir.store(ir.or(old, ir.zext(v, ir.i64())), bad);
    };
    let (some, rest) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, lane, blocks), some, rest);
    ir.at(some);
    let size = ir.const_i64(records.size() as i64);
    fold::copy_record(
        em.ir,
        records,
        own,
        ir.offset(all, ir.mul(lane, size, Wrap::Signed), true),
    );
    let next = ir.add(lane, in_warp, Wrap::Signed);
    fold::each_record(em, records, all, (next, blocks, in_warp), |f, from| {
        note(fold::fold(f, records, own, from)?);
        Ok(())
    })?;
    ir.br(rest);
    ir.at(rest);
    let fewer = ir.icmp(IntPred::LLVMIntSLT, blocks, in_warp);
    combine_warp(
        em,
        records,
        own,
        lane,
        ir.select(fewer, blocks, in_warp),
        note,
    )?;
    // Whichever thread has found that a sum is no sum, all leave.
    let failed = any_in_warp(em.unit, ir.load(ir.i64(), bad));
    for at in records.words() {
        let at = ir.offset_const(own, at);
        ir.store(of_first(em.unit, ir.load(ir.i64(), at)), at);
    }
    Ok((own, ir.icmp(IntPred::LLVMIntNE, failed, ir.const_i64(0))))
}

/// Combines the records of the first `count` threads of a warp; the first thread has the result. Every thread of the
/// warp has to come here.
fn combine_warp(
    em: &Emitter<'_, '_>,
    records: &Records,
    own: V,
    lane: V,
    count: V,
    note: impl Fn(V),
) -> Result<()> {
    let ir = em.ir;
    let other = fold::record(em.ir, records);
    let (round, take, taken, over) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.br(round);
    ir.at(round);
    let distance = ir.phi(ir.i64());
    ir.add_incoming(distance, ir.const_i64(1), before);
    for at in records.words() {
        let word = ir.load(ir.i64(), ir.offset_const(own, at));
        let theirs = shuffle_down(em.unit, word, distance);
        ir.store(theirs, ir.offset_const(other, at));
    }
    let twice = ir.mul(distance, ir.const_i64(2), Wrap::Signed);
    let rest = ir.and(lane, ir.sub(twice, ir.const_i64(1), Wrap::Signed));
    let mine = ir.icmp(IntPred::LLVMIntEQ, rest, ir.const_i64(0));
    let there = ir.add(lane, distance, Wrap::Signed);
    let there = ir.icmp(IntPred::LLVMIntSLT, there, count);
    ir.cond_br(ir.and(mine, there), take, taken);
    ir.at(take);
    note(fold::fold(em, records, own, other)?);
    ir.br(taken);
    ir.at(taken);
    ir.add_incoming(distance, twice, ir.here());
    let more = ir.icmp(
        IntPred::LLVMIntSLT,
        twice,
        ir.const_i64(warp(em.unit) as i64),
    );
    ir.cond_br(more, round, over);
    ir.at(over);
    Ok(())
}

/// The number of threads of a warp.
fn warp(unit: &Unit<'_>) -> usize {
    match unit.device {
        Some(Registers::Ptx) => WARP,
        _ => EMULATED_WARP,
    }
}

/// The bits that are set in any thread of the warp, in all of its threads.
fn any_in_warp(unit: &Unit<'_>, bits: V) -> V {
    let ir = &unit.ir;
    let rounds = (0..warp(unit).ilog2()).map(|k| ir.const_i64(1 << k));
    let all = rounds.fold(bits, |all, distance| {
        ir.or(all, shuffle_down(unit, all, distance))
    });
    of_first(unit, all)
}

/// The value of `word` in the thread that is `distance` places behind this one in its warp; where there is none, its
/// own.
fn shuffle_down(unit: &Unit<'_>, word: V, distance: V) -> V {
    shuffle(unit, "down", word, distance)
}

/// The value of `word` in the first thread of the warp.
fn of_first(unit: &Unit<'_>, word: V) -> V {
    let from = match unit.device {
        Some(Registers::Ptx) => 0,
        _ => FIRST,
    };
    shuffle(unit, "idx", word, unit.ir.const_i64(from))
}

fn shuffle(unit: &Unit<'_>, how: &str, word: V, by: V) -> V {
    let ir = &unit.ir;
    let i64t = ir.i64();
    if unit.device != Some(Registers::Ptx) {
        let ty = ir.function(i64t, &[i64t, i64t]);
        return ir.call(ty, ir.add_function(c"nw_shuffle", ty), &[word, by]);
    }
    let int = ir.int(32);
    let (all, last) = (ir.const_int(int, -1), ir.const_int(int, WARP as i128 - 1));
    let half = |half: V| {
        let arguments = [all, ir.trunc(half, int), ir.trunc(by, int), last];
        let name = format!("llvm.nvvm.shfl.sync.{how}.i32");
        ir.zext(ir.intrinsic(&name, &[], &arguments), i64t)
    };
    let high = half(ir.lshr(word, ir.const_i64(32)));
    ir.or(half(word), ir.shl(high, ir.const_i64(32)))
}

/// The position along three axes and the number of positions, both as one number: `place` and `count` are kinds of
/// registers.
pub(crate) fn linear(em: &Emitter<'_, '_>, place: usize, count: usize) -> (V, V) {
    let ir = em.ir;
    let [x, y, z] = [0, 1, 2].map(|axis| registers::register(em, place, axis));
    let [columns, rows, layers] = [0, 1, 2].map(|axis| registers::register(em, count, axis));
    let row = ir.add(ir.mul(z, rows, Wrap::Signed), y, Wrap::Signed);
    let at = ir.add(ir.mul(row, columns, Wrap::Signed), x, Wrap::Signed);
    let all = ir.mul(ir.mul(columns, rows, Wrap::Signed), layers, Wrap::Signed);
    (at, all)
}

/// Emits a barrier for all threads of the block.
pub(crate) fn barrier(unit: &Unit<'_>) {
    match unit.device {
        Some(Registers::Ptx) => {
            let first = unit.ir.const_int(unit.ir.int(32), 0);
            let name = "llvm.nvvm.barrier.cta.sync.aligned.all";
            unit.ir.intrinsic(name, &[], &[first]);
        }
        _ => emulated_barrier(&unit.ir, 0),
    }
}

/// Emits a barrier on an emulated device: for all threads of the block or, if `all` is not 0, of the grid.
pub(crate) fn emulated_barrier(ir: &Ir<'_>, all: i64) {
    let ty = ir.function(ir.void(), &[ir.i64()]);
    ir.call(ty, ir.add_function(c"nw_barrier", ty), &[ir.const_i64(all)]);
}
