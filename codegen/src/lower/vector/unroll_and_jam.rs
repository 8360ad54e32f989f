//! The emission of unrolled-and-jammed loops ([`crate::lower::vector::jam`]).

use std::rc::Rc;

use nestwise_analysis::dataflow::reads::reads_in;
use nestwise_analysis::dataflow::unroll_and_jam::has_loop;
use nestwise_ir::{For, Stmt, VarId};

use crate::error::Result;
use crate::llvm::{IntPred, Wrap};
use crate::lower::control::iterations;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;
use crate::lower::vector::jam::UnrollAndJam;

/// Runs the range by groups of iterations, the rest one by one.
pub(crate) fn jam_loop(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    mut jam: UnrollAndJam,
) -> Result<()> {
    let ir = em.ir;
    let n = ir.const_i64(jam.count.into());
    let last_full = ir.sub(range.hi, n, Wrap::Any);
    let (group, rest) = (em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.cond_br(
        ir.icmp(IntPred::LLVMIntSLE, range.lo, last_full),
        group,
        rest,
    );
    ir.at(group);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, range.lo, before);
    let value = |copy: u32| {
        let k = ir.add(k, ir.const_i64(copy.into()), Wrap::Signed);
        em.ir.affine(range.start, k, range.step)
    };
    jam.counters = vec![(l.counter, (0..jam.count).map(value).collect())];
    let jam = Rc::new(jam);
    em.lanes.jam = Some(jam.clone());
    enter_copy(em, &jam, 0);
    em.block(&l.body)?;
    leave_last_copy(em, l, &jam)?;
    em.vars.fixed.remove(&l.counter);
    em.lanes.jam = None;
    let next = ir.add(k, n, Wrap::Signed);
    let latch = ir.here();
    ir.add_incoming(k, next, latch);
    let back = ir.cond_br(ir.icmp(IntPred::LLVMIntSLE, next, last_full), group, rest);
    iterations::mark_loop(em.ir, back, l.id, &[]);
    ir.at(rest);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, range.lo, before);
    ir.add_incoming(k, next, latch);
    em.serial(l, Range { lo: k, ..range }, None)
}

pub(crate) fn enter_copy(em: &mut Emitter<'_, '_>, jam: &UnrollAndJam, copy: u32) {
    em.lanes.copy = copy;
    for (counter, values) in &jam.counters {
        if let Some(v) = values.get(copy as usize) {
            em.vars.fixed.insert(*counter, Val::one(*v));
        }
    }
}

/// Emits a block of an interleaved loop: statements without loops once for each copy, the others once for all.
pub(crate) fn interleaved(em: &mut Emitter<'_, '_>, block: &[Stmt]) -> Result<()> {
    let Some(jam) = em.lanes.jam.clone() else {
        return Ok(());
    };
    for s in block {
        if has_loop(s) {
            em.stmt(s)?;
            continue;
        }
        em.lanes.in_copy = true;
        for copy in 0..jam.count {
            enter_copy(em, &jam, copy);
            em.stmt(s)?;
        }
        em.lanes.in_copy = false;
        enter_copy(em, &jam, 0);
    }
    Ok(())
}

/// Gives a variable in copy `to` of the body the value that it has in copy `from`.
pub(crate) fn copy_home(em: &mut Emitter<'_, '_>, v: VarId, from: u32, to: u32) -> Result<()> {
    em.lanes.copy = from;
    let home = em.vars.home(&em.lanes, v, false)?;
    let value = home.load(em.ir);
    em.lanes.copy = to;
    let home = em.vars.home(&em.lanes, v, false)?;
    home.store(em.ir, value);
    Ok(())
}

/// Gives variables that are read behind the loop the last copy's value.
fn leave_last_copy(em: &mut Emitter<'_, '_>, l: &For, jam: &UnrollAndJam) -> Result<()> {
    for v in jam.live_after.iter().filter(|v| jam.varying.contains(v)) {
        copy_home(em, *v, jam.count - 1, 0)?;
    }
    let inside = reads_in(&l.body);
    let values = jam.counters.iter().find(|c| c.0 == l.counter);
    if let Some(last) = values
        .and_then(|c| c.1.last())
        .filter(|_| em.unit.scheduled.live_after(l.counter, &inside))
    {
        let home = em.vars.home(&em.lanes, l.counter, false)?;
        home.store(em.ir, Val::one(*last));
    }
    Ok(())
}
