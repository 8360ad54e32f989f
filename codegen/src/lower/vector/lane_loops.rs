//! Vector loops: the execution of a loop by lanes.
//!
//! The main part runs full vectors, without masks where control is uniform; what is left runs in one more copy of the
//! body under a mask, in narrower vectors where those of the main part are several registers wide.

use std::collections::HashMap;
use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_analysis::dataflow::lane_facts::Facts;
use nestwise_ir::{For, Span};

use crate::abi::GuardFailure;
use crate::error::{Result, invalid};
use crate::llvm::{Block, IntPred, V, Wrap};
use crate::lower::control::exits::Jump;
use crate::lower::control::ranges::Range;
use crate::lower::control::{guards, interrupts, iterations, ranges};
use crate::lower::emitter::Emitter;
use crate::lower::scalar::flag_state::words;
use crate::lower::scalar::flag_values;
use crate::lower::value::Val;
use crate::lower::vector::lane_state::Lanes;
use crate::lower::vector::{linear_variables, masks};

/// The fewest lanes of partial vectors, however narrow registers are.
const LEAST: u32 = 4;

/// Runs the range by lanes.
pub(crate) fn run_lanes(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    count: u32,
    facts: Facts,
) -> Result<()> {
    let facts = Rc::new(facts);
    if facts.may_fail {
        let loose = facts.loose.iter().filter(|v| !facts.linear.contains_key(v));
        em.guards.loose = Some(Rc::new(loose.copied().collect()));
    }
    let ir = em.ir;
    let (rest, left) = full_vectors(em, l, range, count, &facts)?;
    ir.at(rest);
    let k = ir.phi(ir.i64());
    left.iter()
        .for_each(|(v, from)| ir.add_incoming(k, *v, *from));
    let mut failed = close_lanes(em);
    failed = ir.or(failed, partial_vectors(em, l, range, k, count, &facts)?);
    em.guards.loose = None;
    if facts.may_fail {
        let known = em.unit.nest.loops.get(l.id);
        let span = known.map_or(Span::default(), |d| d.span);
        guards::fail_where(em, failed, false, GuardFailure::Several, span);
    }
    Ok(())
}

/// Runs as many full vectors as there are, without masks where control is uniform. Returns the block where control goes
/// then, and the first iteration that is left, by where it comes from; the lanes are still open.
fn full_vectors(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    count: u32,
    facts: &Rc<Facts>,
) -> Result<(Block, [(V, Block); 2])> {
    let ir = em.ir;
    let all = ir.splat(ir.const_bool(true), count);
    let exec = open_lanes(em, count, facts, false);
    let n = ir.const_i64(count.into());
    let (main, rest) = (em.ir.fresh(), em.ir.fresh());
    let last_full = ir.sub(range.hi, n, Wrap::Any);
    let before = ir.here();
    let some = ir.icmp(IntPred::LLVMIntSLE, range.lo, last_full);
    ir.cond_br(some, main, rest);
    ir.at(main);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, range.lo, before);
    ir.store(all, exec);
    lane_body(em, l, range, k, ir.const_i64(i64::from(count) - 1))?;
    let next = ir.add(k, n, Wrap::Signed);
    let latch = ir.here();
    ir.add_incoming(k, next, latch);
    let back = ir.cond_br(ir.icmp(IntPred::LLVMIntSLE, next, last_full), main, rest);
    let groups = ir.md_node(&[ir.md_string(crate::shape::GROUPS)]);
    iterations::mark_loop(em.ir, back, l.id, &[groups]);
    Ok((rest, [(range.lo, before), (next, latch)]))
}

/// Runs what full vectors leave, from iteration `first` on, under masks, a register of the widest elements at a time:
/// where a loop has few iterations that is all of them. Returns whether a guard failed.
fn partial_vectors(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    first: V,
    count: u32,
    facts: &Rc<Facts>,
) -> Result<V> {
    let ir = em.ir;
    let count = count.min((em.unit.host.vector_bits / 64).max(LEAST));
    let exec = open_lanes(em, count, facts, true);
    let (partial, end) = (em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, first, range.hi), partial, end);
    ir.at(partial);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, first, before);
    let n = ir.const_i64(count.into());
    let left = ir.sub(range.hi, k, Wrap::Any);
    let active = ir.icmp(IntPred::LLVMIntULT, em.lanes.iota(1), ir.splat(left, count));
    ir.store(active, exec);
    if let Some(x) = &mut em.lanes.open {
        x.diverged = false;
    }
    let fewer = ir.icmp(IntPred::LLVMIntSLT, left, n);
    let last = ir.sub(ir.select(fewer, left, n), ir.const_i64(1), Wrap::Signed);
    lane_body(em, l, range, k, last)?;
    let next = ir.add(k, n, Wrap::Any);
    ir.add_incoming(k, next, ir.here());
    let more = ir.icmp(IntPred::LLVMIntSGT, left, n);
    let back = ir.cond_br(more, partial, end);
    iterations::mark_loop(em.ir, back, l.id, &[]);
    ir.at(end);
    Ok(close_lanes(em))
}

/// Begins to run `count` iterations at once; returns the alloca of the mask of active ones.
fn open_lanes(em: &mut Emitter<'_, '_>, count: u32, facts: &Rc<Facts>, partial: bool) -> V {
    let ir = em.ir;
    let mask_type = ir.vector(ir.i1(), count);
    let [exec, deferred] = [(); 2].map(|()| ir.alloca(mask_type));
    ir.store(ir.zero(mask_type), deferred);
    let kept = words(em.unit, count);
    em.lanes.open = Some(Lanes {
        count,
        facts: facts.clone(),
        exec,
        partial,
        diverged: false,
        deferred,
        kept,
        first: HashMap::new(),
    });
    exec
}

/// Ends what [`open_lanes`] began; returns whether a guard failed in one of the lanes.
fn close_lanes(em: &mut Emitter<'_, '_>) -> V {
    let ir = em.ir;
    let Some(lanes) = &em.lanes.open else {
        return ir.const_bool(false);
    };
    let (count, kept) = (lanes.count, lanes.kept);
    let failed = em
        .lanes
        .any(ir.load(ir.vector(ir.i1(), count), lanes.deferred));
    flag_values::keep_lanes_words(em, kept, count);
    em.lanes.open = None;
    em.vars.forget_wide_homes();
    failed
}

/// Emits the body for the iterations from `k` on; `last` is the last active lane.
fn lane_body(em: &mut Emitter<'_, '_>, l: &For, range: Range, k: V, last: V) -> Result<()> {
    let ir = em.ir;
    let count = em.lanes.count();
    let first = ir.add(
        range.start,
        ir.mul(k, range.step, Wrap::Signed),
        Wrap::Signed,
    );
    let steps = match l.step.as_int().and_then(|s| i64::try_from(s).ok()) {
        Some(step) => em.lanes.iota(step),
        None => ir.mul(em.lanes.iota(1), ir.splat(range.step, count), Wrap::Any),
    };
    let counter = ir.add(ir.splat(first, count), steps, Wrap::Any);
    if let Some(x) = &mut em.lanes.open {
        x.first.insert(l.counter, first);
    }
    em.vars.fixed.insert(l.counter, Val::shaped(counter, true));
    let target = Target::Loop(l.id);
    let next = em.ir.fresh();
    let is_masked = em
        .lanes
        .open
        .as_ref()
        .is_some_and(|x| x.facts.masked.contains(&target));
    let lanes = is_masked.then(|| (em.lanes.mask_home(), em.lanes.mask_home()));
    em.exits.jumps.push(Jump {
        target,
        on_break: next,
        on_continue: next,
        lanes,
    });
    em.block(&l.body)?;
    em.exits.jumps.pop();
    ir.br(next);
    ir.at(next);
    em.vars.fixed.remove(&l.counter);
    let copies = em.lanes.jam.as_ref().map_or(1, |j| j.count);
    for copy in 0..copies {
        em.lanes.copy = copy;
        leave_last_lane(em, l, counter, last)?;
    }
    em.lanes.copy = 0;
    Ok(())
}

/// Gives variables that are read after the loop the last iteration's value.
fn leave_last_lane(em: &mut Emitter<'_, '_>, l: &For, counter: V, last: V) -> Result<()> {
    let Some(facts) = em.lanes.open.as_ref().map(|x| x.facts.clone()) else {
        return Ok(());
    };
    let ir = em.ir;
    for v in &facts.live_after {
        if !facts.varying.contains(v) {
            continue;
        }
        let home = em.vars.home(&em.lanes, *v, true)?;
        let wide = home.load(em.ir);
        let narrow = Val {
            a: ir.extract(wide.a, last),
            b: wide.b.map(|b| ir.extract(b, last)),
            wide: false,
        };
        let home = em.vars.home(&em.lanes, *v, false)?;
        home.store(em.ir, narrow);
    }
    let inside = nestwise_analysis::dataflow::reads::reads_in(&l.body);
    if em.unit.scheduled.live_after(l.counter, &inside) {
        let home = em.vars.home(&em.lanes, l.counter, false)?;
        home.store(em.ir, Val::one(ir.extract(counter, last)));
    }
    Ok(())
}

/// Emits a counted loop whose trip count differs between lanes: it runs while any lane has iterations left.
pub(crate) fn wide_for(em: &mut Emitter<'_, '_>, l: &For, span: Span) -> Result<()> {
    let ir = em.ir;
    let start = em.expr(&l.start)?;
    let stop = em.expr(&l.stop)?;
    let step = ranges::step(em, &l.step, span)?;
    let Some(facts) = em.lanes.open.as_ref().map(|x| x.facts.clone()) else {
        return invalid("a wide loop without lanes");
    };
    let step = Val::shaped(step, facts.is_varying(&l.step));
    let (wide_start, wide_stop, wide_step) = (
        em.lanes.widen(start),
        em.lanes.widen(stop),
        em.lanes.widen(step),
    );
    let trips = ranges::trips(
        em,
        wide_start.a,
        wide_stop.a,
        wide_step.a,
        l.step.as_int(),
        true,
    );
    let linear = facts.linear.contains_key(&l.counter);
    let first = if linear {
        Some(linear_variables::first_lane(em, &l.start)?)
    } else {
        None
    };

    let target = Target::Loop(l.id);
    let (head, body, latch, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let Some(m) = masks::enter_masked(em, target, &l.body) else {
        return invalid(format!("{} differs between lanes", l.id));
    };
    let before = ir.here();
    ir.br(head);
    ir.at(head);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, ir.const_i64(0), before);
    if facts.may_fail {
        let failed = em
            .lanes
            .any(ir.load(ir.type_of(m.saved), deferred_home(em)));
        let next = em.ir.fresh();
        ir.cond_br(failed, end, next);
        ir.at(next);
    }
    let inside = ir.icmp(IntPred::LLVMIntULT, ir.splat(k, em.lanes.count()), trips);
    let any = masks::keep_lanes(em, &m, Val::shaped(inside, true));
    ir.cond_br(any, body, end);
    ir.at(body);
    let varying = facts.varying.contains(&l.counter);
    let narrow = |f: &Emitter<'_, '_>, start: V, step: V| f.ir.affine(start, k, step);
    let counter = if varying {
        let distance = ir.mul(ir.splat(k, em.lanes.count()), wide_step.a, Wrap::Any);
        Val::shaped(ir.add(wide_start.a, distance, Wrap::Any), true)
    } else {
        Val::one(narrow(em, start.a, step.a))
    };
    if let Some(first) = first {
        let at = narrow(em, first, step.a);
        if let Some(x) = &mut em.lanes.open {
            x.first.insert(l.counter, at);
        }
    }
    em.vars.fixed.insert(l.counter, counter);
    em.exits.jumps.push(Jump {
        target,
        on_break: end,
        on_continue: latch,
        lanes: Some((m.broken, m.waiting)),
    });
    interrupts::ask_in_iteration(em, l.id, &l.body, span);
    em.block(&l.body)?;
    em.exits.jumps.pop();
    em.vars.fixed.remove(&l.counter);
    ir.br(latch);
    ir.at(latch);
    masks::next_masked(em, &m);
    ir.add_incoming(k, ir.add(k, ir.const_i64(1), Wrap::Signed), latch);
    let back = ir.br(head);
    iterations::mark_loop(em.ir, back, l.id, &[]);
    ir.at(end);
    masks::leave_masked(em, m);
    Ok(())
}

fn deferred_home(em: &Emitter<'_, '_>) -> V {
    em.lanes.open.as_ref().map_or(em.exits.at, |l| l.deferred)
}
