//! What the threads of a block do together.
//!
//! Records ([`crate::lower::gpu::reductions`]) are combined two by two: in a warp, whose threads hand each other what is in their registers, then
//! what the warps came to, by way of shared memory and a barrier, in the first of them (Luitjens, "Faster Parallel Reductions on
//! Kepler", 2014). The threads of an emulated device have small warps, so that small blocks have several.

use crate::abi::part;
use crate::error::Result;
use crate::grid::{EMULATED_WARP, WARP};
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::func::Func;
use crate::lower::gpu::kernel::{Registers, Threaded};
use crate::lower::gpu::reductions::Records;

/// Which of a place's words ([`crate::abi::GridThread`]) tells where shared memory is on an emulated device.
pub(crate) const SHARED_WORD: usize = 12;
/// Instead of a distance: the first thread of the warp.
const FIRST: i64 = -1;

impl Func<'_, '_> {
    /// In a kernel, or a part of one: shared memory for a record of each warp of a block.
    pub(crate) fn shared_memory(&self, made: Threaded, record: usize) -> V {
        let ir = self.ir();
        match self.axes.as_ref().and_then(|a| a.place) {
            Some(place) => ir.load(ir.ptr(), ir.offset_const(place, 8 * SHARED_WORD)),
            None => made.shared_memory(ir, record),
        }
    }

    /// In a kernel: the records that threads of a block have become one, which is left behind the status. Every thread has to come
    /// here.
    pub(crate) fn combine_block(
        &self,
        records: &Records,
        own: V,
        shared: V,
        status: V,
    ) -> Result<()> {
        let ir = self.ir();
        let number = |n: usize| ir.const_i64(n as i64);
        let (size, zero) = (number(records.size()), number(0));
        let in_warp = number(self.warp());
        let (thread, threads) = self.linear(0, 1);
        let (warp, lane) = (ir.udiv(thread, in_warp), ir.urem(thread, in_warp));
        let fewer = ir.icmp(IntPred::LLVMIntSLT, threads, in_warp);
        let note = |bad: V| ir.note(bad);
        self.combine_warp(records, own, lane, ir.select(fewer, threads, in_warp), note)?;
        let of_warp = |k: V| ir.offset(shared, ir.mul(k, size, Wrap::Signed), true);
        let (leave, left) = (self.fresh(), self.fresh());
        ir.cond_br(ir.icmp(IntPred::LLVMIntEQ, lane, zero), leave, left);
        ir.at(leave);
        self.copy_record(records, of_warp(warp), own);
        ir.br(left);
        ir.at(left);
        self.barrier();
        let (first, take, taken, end) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        ir.cond_br(ir.icmp(IntPred::LLVMIntEQ, warp, zero), first, end);
        ir.at(first);
        let up = ir.sub(in_warp, number(1), Wrap::Signed);
        let warps = ir.udiv(ir.add(threads, up, Wrap::Signed), in_warp);
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, lane, warps), take, taken);
        ir.at(take);
        self.copy_record(records, own, of_warp(lane));
        ir.br(taken);
        ir.at(taken);
        self.combine_warp(records, own, lane, warps, note)?;
        let tell = self.fresh();
        ir.cond_br(ir.icmp(IntPred::LLVMIntEQ, thread, zero), tell, end);
        ir.at(tell);
        let (block, _) = self.linear(2, 3);
        let to = ir.offset(status, ir.mul(block, size, Wrap::Signed), true);
        self.copy_record(records, ir.offset_const(to, part::RECORDS), own);
        ir.br(end);
        ir.at(end);
        Ok(())
    }

    /// In a team: each warp finds what so many records come to, and each thread has that; whether a sum left its representation.
    pub(crate) fn combine_team(&self, records: &Records, all: V, blocks: V) -> Result<(V, V)> {
        let ir = self.ir();
        let own = self.record(records);
        let bad = ir.alloca(self.entry, ir.i64());
        ir.store(ir.const_i64(0), bad);
        let in_warp = ir.const_i64(self.warp() as i64);
        let lane = ir.urem(self.register(0, 0), in_warp);
        let note = |v: V| {
            let old = ir.load(ir.i64(), bad);
            ir.store(ir.or(old, ir.zext(v, ir.i64())), bad);
        };
        let (some, rest) = (self.fresh(), self.fresh());
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, lane, blocks), some, rest);
        ir.at(some);
        let size = ir.const_i64(records.size() as i64);
        self.copy_record(
            records,
            own,
            ir.offset(all, ir.mul(lane, size, Wrap::Signed), true),
        );
        let next = ir.add(lane, in_warp, Wrap::Signed);
        self.each_record(records, all, (next, blocks, in_warp), |f, from| {
            note(f.fold(records, own, from)?);
            Ok(())
        })?;
        ir.br(rest);
        ir.at(rest);
        let fewer = ir.icmp(IntPred::LLVMIntSLT, blocks, in_warp);
        self.combine_warp(records, own, lane, ir.select(fewer, blocks, in_warp), note)?;
        // Whichever thread has found that a sum is no sum, all leave.
        let fired = self.any_in_warp(ir.load(ir.i64(), bad));
        for at in records.words() {
            let at = ir.offset_const(own, at);
            ir.store(self.of_first(ir.load(ir.i64(), at)), at);
        }
        Ok((own, ir.icmp(IntPred::LLVMIntNE, fired, ir.const_i64(0))))
    }

    /// In a warp, so many of whose threads have a record: the first one has what they come to together. Every thread of it has to
    /// come here.
    fn combine_warp(
        &self,
        records: &Records,
        own: V,
        lane: V,
        count: V,
        note: impl Fn(V),
    ) -> Result<()> {
        let ir = self.ir();
        let other = self.record(records);
        let (round, take, taken, over) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let before = ir.here();
        ir.br(round);
        ir.at(round);
        let distance = ir.phi(ir.i64());
        ir.add_incoming(distance, ir.const_i64(1), before);
        for at in records.words() {
            let word = ir.load(ir.i64(), ir.offset_const(own, at));
            let theirs = self.shuffle_down(word, distance);
            ir.store(theirs, ir.offset_const(other, at));
        }
        let twice = ir.mul(distance, ir.const_i64(2), Wrap::Signed);
        let rest = ir.and(lane, ir.sub(twice, ir.const_i64(1), Wrap::Signed));
        let mine = ir.icmp(IntPred::LLVMIntEQ, rest, ir.const_i64(0));
        let there = ir.add(lane, distance, Wrap::Signed);
        let there = ir.icmp(IntPred::LLVMIntSLT, there, count);
        ir.cond_br(ir.and(mine, there), take, taken);
        ir.at(take);
        note(self.fold(records, own, other)?);
        ir.br(taken);
        ir.at(taken);
        ir.add_incoming(distance, twice, ir.here());
        let more = ir.icmp(IntPred::LLVMIntSLT, twice, ir.const_i64(self.warp() as i64));
        ir.cond_br(more, round, over);
        ir.at(over);
        Ok(())
    }

    /// Threads of a warp.
    fn warp(&self) -> usize {
        match self.u.device {
            Some(Registers::Ptx) => WARP,
            _ => EMULATED_WARP,
        }
    }

    /// In a warp: the bits that any thread of it has, for all of them.
    fn any_in_warp(&self, bits: V) -> V {
        let ir = self.ir();
        let rounds = (0..self.warp().ilog2()).map(|k| ir.const_i64(1 << k));
        let all = rounds.fold(bits, |all, distance| {
            ir.or(all, self.shuffle_down(all, distance))
        });
        self.of_first(all)
    }

    /// What the thread so many places behind this one in its warp has there; where there is none, the same as here.
    fn shuffle_down(&self, word: V, distance: V) -> V {
        self.shuffle("down", word, distance)
    }

    /// What the first thread of the warp has there.
    fn of_first(&self, word: V) -> V {
        let from = match self.u.device {
            Some(Registers::Ptx) => 0,
            _ => FIRST,
        };
        self.shuffle("idx", word, self.ir().const_i64(from))
    }

    fn shuffle(&self, how: &str, word: V, by: V) -> V {
        let ir = self.ir();
        let i64t = ir.i64();
        if self.u.device != Some(Registers::Ptx) {
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

    /// A place along three axes, and the number of places, counted one after the other: registers of those kinds.
    pub(crate) fn linear(&self, place: usize, count: usize) -> (V, V) {
        let ir = self.ir();
        let [x, y, z] = [0, 1, 2].map(|axis| self.register(place, axis));
        let [columns, rows, layers] = [0, 1, 2].map(|axis| self.register(count, axis));
        let row = ir.add(ir.mul(z, rows, Wrap::Signed), y, Wrap::Signed);
        let at = ir.add(ir.mul(row, columns, Wrap::Signed), x, Wrap::Signed);
        let all = ir.mul(ir.mul(columns, rows, Wrap::Signed), layers, Wrap::Signed);
        (at, all)
    }

    /// Waits for all threads of the block.
    pub(crate) fn barrier(&self) {
        match self.u.device {
            Some(Registers::Ptx) => {
                let first = self.ir().const_int(self.ir().int(32), 0);
                let name = "llvm.nvvm.barrier.cta.sync.aligned.all";
                self.ir().intrinsic(name, &[], &[first]);
            }
            _ => self.emulated_barrier(0),
        }
    }

    /// On an emulated device: waits for all threads of the block, or of the grid.
    pub(crate) fn emulated_barrier(&self, all: i64) {
        let ir = self.ir();
        let ty = ir.function(ir.void(), &[ir.i64()]);
        ir.call(ty, ir.add_function(c"nw_barrier", ty), &[ir.const_i64(all)]);
    }
}
