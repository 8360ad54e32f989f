//! Records of reductions, which the threads of a kernel leave behind.
//!
//! Each thread starts from what changes nothing, and in the end has a record of what it came to. The records of a
//! block's threads are combined two by two ([`crate::lower::gpu::warps`]); its first thread leaves the result behind
//! the status. The host's part combines the blocks' records, and the outcome with the values from before the loop.
//! Which records are combined with which depends on the grid alone, not on which thread is ready first.
//!
//! A thread's iterations lie scattered over the loop. Where it matters which came first (of zeros of either sign, of
//! equal values whose positions are kept, of assignments of which the last counts), a record also tells where its value
//! was assigned: the iteration of each axis.

use nestwise_ir::schedule::RedOp;
use nestwise_ir::{For, Span};

use crate::abi::GuardFailure;
use crate::abi::part::CELL;
use crate::error::{Result, invalid};
use crate::llvm::{IntPred, V};
use crate::lower::combine;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::records::{Placed, Records};
use crate::lower::gpu::{fold, warps};
use crate::lower::part_cells::mark_cell;

/// Begins the records of a kernel's thread, in which nothing is reduced yet.
pub(crate) fn start_records(
    em: &mut Emitter<'_, '_>,
    records: &Records,
) -> Result<Vec<Option<Placed>>> {
    let mut placed = Vec::with_capacity(records.each.len());
    for r in &records.each {
        let mut seen = None;
        let ir = em.ir;
        let mut nowhere = i64::MAX;
        match r.op {
            // Looked at only where the best was assigned too.
            RedOp::Along(_) => {}
            RedOp::Last => {
                combine::keep_mark(em, r.var);
                nowhere = -1;
            }
            op => {
                let home = em.vars.home(&em.lanes, r.var, false)?;
                let identity = combine::identity(em, r.repr, op)?;
                home.store(em.ir, identity);
                em.vars.reduced.push(r.var);
                if r.placed {
                    let ir = em.ir;
                    let bits = fold::bits(em.ir, identity.a, r.repr);
                    let word = ir.alloca(ir.type_of(bits));
                    ir.store(bits, word);
                    seen = Some(word);
                }
            }
        }
        placed.push(r.placed.then(|| {
            let word = |_| {
                let word = ir.alloca(ir.i64());
                ir.store(ir.const_i64(nowhere), word);
                word
            };
            let at = (0..records.axes).map(word).collect();
            Placed { seen, at }
        }));
    }
    Ok(placed)
}

/// Notes in a kernel that an iteration of the innermost axis begins.
pub(crate) fn enter_iteration(em: &Emitter<'_, '_>, records: &Records) {
    let ir = em.ir;
    let last = records.each.iter().filter(|r| r.op == RedOp::Last);
    for mark in last.filter_map(|r| em.vars.marks.get(&r.var)) {
        ir.store(ir.const_bool(false), *mark);
    }
}

/// Notes in a kernel that an iteration of the innermost axis is over; `now` has the current iteration of each axis.
pub(crate) fn leave_iteration(
    em: &mut Emitter<'_, '_>,
    records: &Records,
    placed: &[Option<Placed>],
    now: &[V],
) -> Result<()> {
    for (r, placed) in records.each.iter().zip(placed) {
        let Some(placed) = placed else { continue };
        let assigned = match placed.seen {
            // What is assigned is better than what there was, or it would not be.
            Some(seen) => {
                let home = em.vars.home(&em.lanes, r.var, false)?;
                let bits = fold::bits(em.ir, home.load(em.ir).a, r.repr);
                let ir = em.ir;
                let before = ir.load(ir.type_of(bits), seen);
                ir.store(bits, seen);
                ir.icmp(IntPred::LLVMIntNE, bits, before)
            }
            None => match em.vars.marks.get(&r.var) {
                Some(mark) => em.ir.load(em.ir.i1(), *mark),
                None => return invalid("a mark that is not kept"),
            },
        };
        let ir = em.ir;
        for (at, now) in placed.at.iter().zip(now) {
            let (now, before) = (ir.load(ir.i64(), *now), ir.load(ir.i64(), *at));
            ir.store(ir.select(assigned, now, before), *at);
        }
    }
    Ok(())
}

/// Stores the record of a kernel's thread to `to`.
pub(crate) fn leave_record(
    em: &mut Emitter<'_, '_>,
    records: &Records,
    placed: &[Option<Placed>],
    to: V,
) -> Result<()> {
    for (k, (r, placed)) in records.each.iter().zip(placed).enumerate() {
        let home = em.vars.home(&em.lanes, r.var, false)?;
        let value = home.load(em.ir);
        let ir = em.ir;
        em.unit
            .store_cell(r.repr, value, ir.offset_const(to, CELL * k));
        let Some(placed) = placed else { continue };
        for (axis, at) in placed.at.iter().enumerate() {
            let at = ir.load(ir.i64(), *at);
            ir.store(at, ir.offset_const(to, records.place(k, axis)));
            if r.op == RedOp::Last {
                let mark = ir.icmp(IntPred::LLVMIntSGE, at, ir.const_i64(0));
                let cell = ir.offset_const(to, mark_cell(&records.as_threads, k));
                ir.store(ir.zext(mark, ir.i64()), cell);
            }
        }
    }
    Ok(())
}

/// Combines, on the host, the records of `blocks` blocks into the first one; also returns whether a sum left its
/// representation.
fn combine_blocks(em: &Emitter<'_, '_>, records: &Records, first: V, blocks: V) -> Result<(V, V)> {
    let ir = em.ir;
    let overflow = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), overflow);
    let one = ir.const_i64(1);
    fold::each_record(em, records, first, (one, blocks, one), |f, from| {
        let bad = fold::fold(f, records, first, from)?;
        let old = f.ir.load(f.ir.i1(), overflow);
        f.ir.store(f.ir.or(old, bad), overflow);
        Ok(())
    })?;
    Ok((first, ir.load(ir.i1(), overflow)))
}

/// Combines, on the host or in a cooperative kernel, the records of a kernel's blocks with the values that variables
/// had before the loop.
pub(crate) fn take_records(
    em: &mut Emitter<'_, '_>,
    l: &For,
    records: &Records,
    (first, blocks): (V, V),
    span: Span,
) -> Result<()> {
    let (first, overflow) = match em.gpu.cooperative {
        Some(_) => warps::combine_cooperative(em, records, first, blocks)?,
        None => combine_blocks(em, records, first, blocks)?,
    };
    let bad = combine::combine(em, l, &records.as_threads, first)?;
    let ir = em.ir;
    let bad = ir.or(overflow, bad);
    let fine = em.ir.fresh();
    em.exits
        .leave_if(em.ir, bad, fine, GuardFailure::Overflow, span);
    ir.at(fine);
    Ok(())
}
