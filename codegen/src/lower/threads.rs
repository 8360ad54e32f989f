//! Loops mapped to threads: the body becomes a function of its own, and what its parts leave behind is combined
//! in their order, so that the result does not depend on who ran what.

use nestwise_analysis::schedule::runnable::thread_flow;
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{For, VarId};

use crate::abi::part::CELL;
use crate::abi::{GuardFailure, Status, part};
use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::iterations::is_innermost;
use crate::lower::control::ranges::Range;
use crate::lower::control::{interrupts, iterations};
use crate::lower::emitter::Emitter;
use crate::lower::memory::{anti_dependence_copies, privatised};
use crate::lower::scalar::flag_values;
use crate::lower::unit::Unit;
use crate::lower::vector::lanes;
use crate::lower::{combine, part_cells};

pub(crate) fn threads(
    em: &mut Emitter<'_, '_>,
    l: &For,
    t: &ThreadLoop,
    range: Range,
) -> Result<()> {
    let flow = thread_flow(&em.unit.scheduled, l, t)?;
    let mut shared: Vec<VarId> = flow
        .exposed
        .iter()
        .copied()
        .filter(|v| !t.reductions.iter().any(|r| r.0 == *v))
        .collect();
    shared.sort();
    let ir = em.ir;
    let (run, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), run, end);
    ir.at(run);
    // The environment is laid out like a frame; the loop's start and step stand where a frame keeps them.
    let size = em.unit.layout.size as u64;
    let env = ir.alloca_aligned(ir.array(ir.i8(), size), 16);
    em.slots.store(em.unit, env, true);
    for v in &shared {
        em.vars.store_var(&em.lanes, *v, env)?;
    }
    let bounds = ir.offset_const(env, crate::abi::FrameHeader::BOUNDS);
    ir.store(range.start, bounds);
    ir.store(range.step, ir.offset_const(bounds, 8));
    interrupts::pass_deadline(em, env);
    let body = body_function(em, l, t, &shared)?;
    run_parts(em, l, t, body, env, range)?;
    em.ir.br(end);
    em.ir.at(end);
    Ok(())
}

/// The function `body(env, lo, hi, part)` of a loop on threads.
fn body_function(em: &Emitter<'_, '_>, l: &For, t: &ThreadLoop, shared: &[VarId]) -> Result<V> {
    let ir = em.ir;
    let here = ir.here();
    let name = format!("nw_body_{}", l.id);
    let mut f = Emitter::new(
        em.unit,
        &name,
        &[ir.ptr(), ir.i64(), ir.i64(), ir.ptr()],
        false,
    );
    ir.set_internal(f.function.value);
    let record = ir.param(f.function.value, 3);
    f.start_body();
    f.slots
        .load(f.unit, f.function.frame, f.goes_through_nest())?;
    privatised::use_copies(&mut f, t, record)?;
    for v in shared {
        f.vars.load_var(&f.lanes, *v, f.function.frame)?;
    }
    for (v, op) in &t.reductions {
        match op {
            // Looked at only where the best was assigned too.
            RedOp::Along(_) => {}
            RedOp::Last => combine::keep_mark(&mut f, *v),
            _ => {
                let home = f.vars.home(&f.lanes, *v, false)?;
                let identity = combine::identity(&f, f.unit.repr(*v)?, *op)?;
                home.store(f.ir, identity);
                f.vars.reduced.push(*v);
            }
        }
    }
    anti_dependence_copies::part_of(&mut f, l, t, record)?;
    for (k, v) in part_cells::results(t).enumerate() {
        let (home, repr) = (f.vars.home(&f.lanes, v, false)?, f.unit.repr(v)?);
        let value = home.load(f.ir);
        let cells = ir.offset_const(record, part::CELLS);
        f.unit
            .store_cell(repr, value, ir.offset_const(cells, CELL * k));
        if let Some(mark) = f.vars.marks.get(&v) {
            let assigned = ir.load(ir.i1(), *mark);
            let cell = ir.offset_const(cells, part_cells::mark_cell(t, k));
            ir.store(ir.zext(assigned, ir.i64()), cell);
        }
    }
    ir.br(f.exits.done);
    ir.at(f.exits.done);
    flag_values::release_kept(&f);
    ir.ret_void();
    ir.at(f.exits.failed);
    ir.store(
        ir.const_i64(Status::GuardFailed as i64),
        ir.offset_const(record, part::STATUS),
    );
    ir.store(
        ir.load(ir.i64(), f.exits.line),
        ir.offset_const(record, part::LINE),
    );
    ir.store(
        ir.load(ir.i64(), f.exits.code),
        ir.offset_const(record, part::CODE),
    );
    ir.ret_void();
    ir.at(here);
    Ok(f.function.value)
}

/// The number of iterations that vectors run at once, which parts should not cut up.
fn grain(unit: &Unit<'_>, l: &For) -> u32 {
    match lanes::vector_lanes(unit, l) {
        Some(lanes) => lanes,
        None if is_innermost(&l.body) => crate::target::vector_bits() / 64,
        None => 1,
    }
}

fn run_parts(
    em: &mut Emitter<'_, '_>,
    l: &For,
    t: &ThreadLoop,
    body: V,
    env: V,
    range: Range,
) -> Result<()> {
    let ir = em.ir;
    let size = (part::CELLS + part_cells::mark_cell(t, part_cells::results(t).count())) as i64;
    let size = ir.const_i64(size);
    let list = ir.alloca(ir.ptr());
    let i64t = ir.i64();
    let ptr = ir.ptr();
    let params = [ptr, ptr, i64t, i64t, i64t, ptr, i64t, i64t, ptr, i64t, i64t];
    let ty = ir.function(i64t, &params);
    let parallel = ir.add_function(c"nw_parallel", ty);
    let (copies, keep) = privatised::copy_bytes(em, t)?;
    let save = anti_dependence_copies::save_function(em, l, t)?;
    let Range { lo, hi, .. } = range;
    let grain = ir.const_i64(grain(em.unit, l).into());
    let id = ir.const_i64(l.id.0.into());
    let arguments = [body, env, lo, hi, size, list, copies, keep, save, grain, id];
    let count = ir.call(ty, parallel, &arguments);
    let parts = ir.load(ir.ptr(), list);

    // Parts in order: the first guard failure, the reductions; the last part's last values.
    let failed = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), failed);
    let (each, failure, fine, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.cond_br(
        ir.icmp(IntPred::LLVMIntSGT, count, ir.const_i64(0)),
        each,
        end,
    );
    ir.at(each);
    let k = ir.phi(i64t);
    ir.add_incoming(k, ir.const_i64(0), before);
    let record = ir.offset(parts, ir.mul(k, size, Wrap::Signed), true);
    let status = ir.load(i64t, ir.offset_const(record, part::STATUS));
    ir.cond_br(
        ir.icmp(
            IntPred::LLVMIntEQ,
            status,
            ir.const_i64(Status::GuardFailed as i64),
        ),
        failure,
        fine,
    );
    ir.at(failure);
    ir.store(
        ir.load(i64t, ir.offset_const(record, part::LINE)),
        em.exits.line,
    );
    ir.store(
        ir.load(i64t, ir.offset_const(record, part::CODE)),
        em.exits.code,
    );
    ir.store(ir.const_bool(true), failed);
    ir.br(end);
    ir.at(fine);
    let overflow = combine::combine(em, l, t, ir.offset_const(record, part::CELLS))?;
    let overflow = ir.or(overflow, privatised::merge_copies(em, l, t, env, record)?);
    let old = ir.load(ir.i1(), failed);
    ir.store(ir.or(old, overflow), failed);
    ir.store(ir.const_i64(GuardFailure::Overflow as i64), em.exits.code);
    ir.store(
        ir.const_i64(iterations::loop_span(em.unit, l.id).line.into()),
        em.exits.line,
    );
    let next = ir.add(k, ir.const_i64(1), Wrap::Signed);
    ir.add_incoming(k, next, ir.here());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, next, count), each, end);
    ir.at(end);
    let fty = ir.function(ir.void(), &[ir.ptr(), i64t, i64t]);
    let free = ir.add_function(c"nw_parts_free", fty);
    ir.call(fty, free, &[parts, count, size]);
    let after = em.ir.fresh();
    ir.cond_br(ir.load(ir.i1(), failed), em.exits.failed, after);
    ir.at(after);
    Ok(())
}
