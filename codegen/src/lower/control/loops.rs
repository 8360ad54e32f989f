//! Serial loops, and which way each loop is run.

use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment::{self, Target};
use nestwise_ir::model::nest::While;
use nestwise_ir::{
    ArrayId, Expr, ExprKind, For, LoopId, Nest, Span, Stmt, StmtKind, VarId, guarded,
};

use crate::abi::{EventCode, Status};
use crate::error::{Result, invalid};
use crate::llvm::{Block, IntPred, Md, V, Wrap};
use crate::lower::control::exits::Jump;
use crate::lower::control::guards;
use crate::lower::control::interrupts;
use crate::lower::control::peeled;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::cooperative;
use crate::lower::gpu::mapped_loops;
use crate::lower::gpu::register_tiles;
use crate::lower::math::numpy_loops;
use crate::lower::threads;
use crate::lower::value::Val;
use crate::lower::vector::aligned;
use crate::lower::vector::jam::Jam;
use crate::lower::vector::lane_loops;
use crate::lower::vector::lanes::Facts;
use crate::lower::vector::masks;
use crate::lower::vector::unroll_and_jam;

/// The iterations `lo..hi` of a counted loop with its counter's first value and step.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) start: V,
    pub(crate) step: V,
    pub(crate) lo: V,
    pub(crate) hi: V,
}

/// The top loop over the iterations of this call.
pub(crate) fn top_for(em: &mut Emitter<'_, '_>, l: &For, start: V, step: V) -> Result<()> {
    if let Some(end) = em.unit.nest.whole {
        return top_whole(em, l, end, start, step);
    }
    let range = Range {
        start,
        step,
        lo: em.function.lo,
        hi: em.function.hi,
    };
    if cooperative::cooperates(em, l.id) {
        return cooperative::cooperate_at_top(em, range);
    }
    // Where iterations are not run one after the other, an event is only known to lie in the range.
    let serial = !mapped(em, l);
    em.counted(l, range, serial.then_some(em.exits.at))?;
    em.ir.store(em.function.hi, em.exits.at);
    Ok(())
}

/// The body once for all iterations of this call; an event in it is only known to lie in their range.
fn top_whole(em: &mut Emitter<'_, '_>, l: &For, end: VarId, start: V, step: V) -> Result<()> {
    let ir = em.ir;
    let value = |k: V| ir.add(start, ir.mul(k, step, Wrap::Signed), Wrap::Signed);
    let (first, behind) = (value(em.function.lo), value(em.function.hi));
    let home = em.vars.home(&em.lanes, end, false)?;
    home.store(em.ir, Val::one(behind));
    let some = ir.icmp(IntPred::LLVMIntSLT, em.function.lo, em.function.hi);
    let once = Range {
        start: first,
        step,
        lo: ir.const_i64(0),
        hi: ir.zext(some, ir.i64()),
    };
    iterate(em, l, once, None)?;
    em.ir.store(em.function.hi, em.exits.at);
    Ok(())
}

fn mapped(em: &Emitter<'_, '_>, l: &For) -> bool {
    let s = em.unit.spec.schedule;
    let threads = s.threads.iter().any(|t| t.id == l.id);
    threads || em.unit.deferred.contains(&l.id) || vector_lanes(em, l).is_some()
}

pub(crate) fn vector_lanes(em: &Emitter<'_, '_>, l: &For) -> Option<u32> {
    let lanes = em
        .unit
        .spec
        .schedule
        .vector
        .iter()
        .find(|(id, _)| *id == l.id)
        .map(|(_, n)| *n)?;
    (lanes.is_power_of_two() && (2..=64).contains(&lanes)).then_some(lanes.min(most_lanes(l)))
}

/// All iterations.
pub(crate) fn range(em: &mut Emitter<'_, '_>, l: &For, span: Span) -> Result<Range> {
    let start = em.expr(&l.start)?.a;
    let stop = em.expr(&l.stop)?.a;
    let step = step(em, &l.step, span)?;
    let trips = trips(em, start, stop, step, l.step.as_int(), false);
    let trips = no_trips_after_event(em, trips);
    Ok(Range {
        start,
        step,
        lo: em.ir.const_i64(0),
        hi: trips,
    })
}

/// The step; zero fires, and is one afterwards.
pub(crate) fn step(em: &mut Emitter<'_, '_>, e: &Expr, span: Span) -> Result<V> {
    let v = em.expr(e)?;
    if e.as_int().is_some_and(|s| s != 0) {
        return Ok(v.a);
    }
    let ir = em.ir;
    let zero = ir.icmp(
        IntPred::LLVMIntEQ,
        v.a,
        em.lanes.spread(ir.const_i64(0), v.wide),
    );
    guards::fail_where(em, zero, v.wide, EventCode::Step, span);
    Ok(ir.select(zero, em.lanes.spread(ir.const_i64(1), v.wide), v.a))
}

/// The number of iterations: unsigned, so that the distance between any two i64 is right.
pub(crate) fn trips(
    em: &Emitter<'_, '_>,
    start: V,
    stop: V,
    step: V,
    constant: Option<i128>,
    wide: bool,
) -> V {
    let ir = em.ir;
    let c = |v: i64| em.lanes.spread(ir.const_i64(v), wide);
    let up = |step: V| {
        let some = ir.icmp(IntPred::LLVMIntSLT, start, stop);
        let distance = ir.sub(stop, start, Wrap::Any);
        (some, distance, step)
    };
    let down = || {
        let some = ir.icmp(IntPred::LLVMIntSGT, start, stop);
        let distance = ir.sub(start, stop, Wrap::Any);
        (some, distance, ir.sub(c(0), step, Wrap::Any))
    };
    let (some, distance, size) = match constant {
        Some(s) if s > 0 => up(step),
        Some(_) => down(),
        None => {
            let positive = ir.icmp(IntPred::LLVMIntSGT, step, c(0));
            let (u, d) = (up(step), down());
            (
                ir.select(positive, u.0, d.0),
                ir.select(positive, u.1, d.1),
                ir.select(positive, u.2, d.2),
            )
        }
    };
    let whole = if constant.is_some_and(|s| s == 1 || s == -1) {
        distance
    } else {
        let rest = ir.sub(distance, c(1), Wrap::Any);
        ir.add(ir.udiv(rest, size), c(1), Wrap::Any)
    };
    ir.select(some, whole, c(0))
}

/// After an event in a vector loop values may be off, and so may trip counts: run nothing.
pub(crate) fn no_trips_after_event(em: &Emitter<'_, '_>, trips: V) -> V {
    let Some(l) = em.lanes.open.as_ref().filter(|l| l.facts.may_fire) else {
        return trips;
    };
    let ir = em.ir;
    let fired = em
        .lanes
        .any(ir.load(ir.vector(ir.i1(), l.count), l.deferred));
    ir.select(fired, ir.const_i64(0), trips)
}

/// The same for a loop, or a part of it, that is not cut up.
pub(crate) fn unsplit(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    at: Option<V>,
) -> Result<()> {
    let mut range = range;
    if let Some(first) = aligned::aligned_from(em, l, range)? {
        peeled::one_by_one(em, l, Range { hi: first, ..range }, at)?;
        range.lo = first;
    }
    if em.lanes.open.is_none() && vector_loop(em, l, range)? {
        return Ok(());
    }
    let u = em.unit;
    if em.lanes.open.is_none() && em.guards.deferred.is_none() && u.deferred.contains(&l.id) {
        return deferred_loop(em, l, range);
    }
    em.serial(l, range, at)
}

/// The range by lanes, if the schedule says so and the loop allows it.
fn vector_loop(em: &mut Emitter<'_, '_>, l: &For, range: Range) -> Result<bool> {
    let Some(count) = vector_lanes(em, l) else {
        return Ok(false);
    };
    if let Some(jam) = Jam::of(em.unit, l, count) {
        return unroll_and_jam::jam_loop(em, l, range, jam).map(|()| true);
    }
    match Facts::of(em.unit, l) {
        Some(facts) => lane_loops::run_lanes(em, l, range, count, facts).map(|()| true),
        None => Ok(false),
    }
}

/// A loop whose events are tested after it, so that LLVM may vectorise it.
fn deferred_loop(em: &mut Emitter<'_, '_>, l: &For, range: Range) -> Result<()> {
    if !guarded::block_may_fire(em.unit.nest, &l.body) {
        return em.serial(l, range, None);
    }
    let ir = em.ir;
    let flag = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), flag);
    em.guards.deferred = Some(flag);
    let flow = definite_assignment::flow(&[], &l.body, Some(l.id), 0);
    em.guards.loose = Some(Rc::new(definite_assignment::loose(&l.body, &flow)));
    em.serial(l, range, None)?;
    em.guards.deferred = None;
    em.guards.loose = None;
    let bad = ir.load(ir.i1(), flag);
    let span = em
        .unit
        .nest
        .loops
        .get(l.id)
        .map_or(Span::default(), |d| d.span);
    guards::fail_where(em, bad, false, EventCode::Several, span);
    Ok(())
}

/// Rotated: a test before the loop and one behind each iteration.
fn iterate(em: &mut Emitter<'_, '_>, l: &For, range: Range, at: Option<V>) -> Result<()> {
    let ir = em.ir;
    if em.lanes.open.is_none() && em.lanes.edge.is_none() && is_innermost(&l.body) {
        em.unit.scalar_loops.set(true);
    }
    let target = Target::Loop(l.id);
    let (body, latch, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let masked = masks::enter_masked(em, target, &l.body);
    let group = em
        .unit
        .groups
        .get(&l.id)
        .copied()
        .filter(|_| em.lanes.open.is_none() && em.lanes.edge.is_none());
    em.slots.groups.extend(group);
    let before = ir.here();
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), body, end);
    ir.at(body);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, range.lo, before);
    if let Some(at) = at {
        ir.store(k, at);
    }
    let counter = ir.add(
        range.start,
        ir.mul(k, range.step, Wrap::Signed),
        Wrap::Signed,
    );
    enter_counter(em, l, Val::one(counter))?;
    interrupts::ask_in_counted(em, l);
    let lanes = masked.as_ref().map(|m| (m.broken, m.waiting));
    // The top loop's break leaves the nest with a status of its own.
    let on_break = break_block(em, l, end);
    em.exits.jumps.push(Jump {
        target,
        on_break,
        on_continue: latch,
        lanes,
    });
    em.block(&l.body)?;
    em.exits.jumps.pop();
    em.vars.fixed.remove(&l.counter);
    ir.br(latch);
    ir.at(latch);
    let next = ir.add(k, ir.const_i64(1), Wrap::Signed);
    ir.add_incoming(k, next, latch);
    let mut more = ir.icmp(IntPred::LLVMIntSLT, next, range.hi);
    if let Some(m) = &masked {
        masks::next_masked(em, m);
        more = ir.and(more, em.lanes.any_active());
    }
    let branch = ir.cond_br(more, body, end);
    annotate(em, branch, l);
    if group.is_some() {
        em.slots.groups.pop();
    }
    ir.at(end);
    if let Some(m) = masked {
        masks::leave_masked(em, m);
    }
    Ok(())
}

/// Where `break` of a loop goes: for the top loop to a block that sets the status.
fn break_block(em: &Emitter<'_, '_>, l: &For, end: Block) -> Block {
    let top = em.goes_through_nest() && l.id.index() == 0;
    if !top { end } else { top_break(em) }
}

fn top_break(em: &Emitter<'_, '_>) -> Block {
    let ir = em.ir;
    let here = ir.here();
    let block = em.ir.fresh();
    ir.at(block);
    ir.store(ir.const_i64(Status::Broke as i64), em.exits.status);
    ir.br(em.exits.done);
    ir.at(here);
    block
}

/// Binds a counter for the body. Reads after the loop see the last iteration's value.
pub(crate) fn enter_counter(em: &mut Emitter<'_, '_>, l: &For, v: Val) -> Result<()> {
    let inside = em.unit.reads_of_loop(l);
    if em.unit.live_after(l.counter, &inside) && !v.wide {
        let home = em.vars.home(&em.lanes, l.counter, false)?;
        home.store(em.ir, v);
    }
    em.vars.fixed.insert(l.counter, v);
    Ok(())
}

/// Loop metadata for LLVM's vectoriser.
fn annotate(em: &Emitter<'_, '_>, branch: V, l: &For) {
    let ir = em.ir;
    if let Some(edge) = em.lanes.edge {
        let off = |what: &str, value: V| ir.md_node(&[ir.md_string(what), ir.md_value(value)]);
        let mut facts = vec![
            off("llvm.loop.vectorize.enable", ir.const_bool(false)),
            ir.md_node(&[ir.md_string("llvm.loop.unroll.disable")]),
        ];
        if edge == l.id {
            facts.push(ir.md_node(&[ir.md_string(crate::shape::EDGE)]));
        }
        return mark_loop(em, branch, l.id, &facts);
    }
    let mut facts = Vec::new();
    if let Some(group) = em
        .unit
        .groups
        .get(&l.id)
        .filter(|_| em.lanes.open.is_none())
    {
        facts.push(ir.md_node(&[ir.md_string("llvm.loop.parallel_accesses"), *group]));
    }
    if let Some(count) = register_tiles::unrolled_in_tile(em, l) {
        let count = ir.md_value(ir.const_i64(count));
        facts.push(ir.md_node(&[ir.md_string("llvm.loop.unroll.count"), count]));
    }
    if is_innermost(&l.body) && gathers_bytes(em.unit.nest, &l.body) {
        // There are no such instructions: LLVM would take vectors apart and put them together again.
        let no = ir.md_value(ir.const_bool(false));
        facts.push(ir.md_node(&[ir.md_string("llvm.loop.vectorize.enable"), no]));
    }
    mark_loop(em, branch, l.id, &facts);
}

/// Says on a loop's jump back whose iterations it runs, and what else is known.
pub(crate) fn mark_loop(em: &Emitter<'_, '_>, branch: V, id: LoopId, facts: &[Md]) {
    let ir = em.ir;
    let mark = format!("{}{}", crate::shape::MARK, id.index());
    let mut all = vec![ir.md_node(&[ir.md_string(&mark)])];
    all.extend_from_slice(facts);
    ir.set_md(branch, "llvm.loop", ir.md_self_node(&all));
}

/// The top `while`: at most `hi - lo` iterations in this call.
pub(crate) fn top_while(em: &mut Emitter<'_, '_>, l: &While) -> Result<()> {
    let ir = em.ir;
    if cooperative::cooperates(em, l.id) {
        let zero = ir.const_i64(0);
        return cooperative::cooperate_at_top(
            em,
            Range {
                start: zero,
                step: zero,
                lo: em.function.lo,
                hi: em.function.hi,
            },
        );
    }
    let (head, test, body, latch, end, over) = (
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
        em.ir.fresh(),
    );
    let before = ir.here();
    ir.br(head);
    ir.at(head);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, em.function.lo, before);
    ir.store(k, em.exits.at);
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, k, em.function.hi), test, end);
    ir.at(test);
    let c = em.expr(&l.cond)?;
    ir.cond_br(c.a, body, over);
    ir.at(body);
    let on_break = top_break(em);
    em.exits.jumps.push(Jump {
        target: Target::Loop(l.id),
        on_break,
        on_continue: latch,
        lanes: None,
    });
    em.block(&l.body)?;
    em.exits.jumps.pop();
    ir.br(latch);
    ir.at(latch);
    ir.add_incoming(k, ir.add(k, ir.const_i64(1), Wrap::Signed), latch);
    let back = ir.br(head);
    mark_loop(em, back, l.id, &[]);
    ir.at(over);
    ir.store(ir.const_i64(Status::Finished as i64), em.exits.status);
    ir.br(end);
    ir.at(end);
    Ok(())
}

/// `while` inside the nest.
pub(crate) fn while_loop(em: &mut Emitter<'_, '_>, l: &While) -> Result<()> {
    let ir = em.ir;
    let target = Target::Loop(l.id);
    let (head, body, latch, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let masked = masks::enter_masked(em, target, &l.body);
    ir.br(head);
    ir.at(head);
    if let Some(x) = em.lanes.open.as_ref().filter(|x| x.facts.may_fire) {
        // With wrong values it might never end.
        let fired = em
            .lanes
            .any(ir.load(ir.vector(ir.i1(), x.count), x.deferred));
        let next = em.ir.fresh();
        ir.cond_br(fired, end, next);
        ir.at(next);
    }
    let c = em.expr(&l.cond)?;
    match (&masked, c.wide) {
        (Some(m), true) => {
            let any = masks::keep_lanes(em, m, c);
            ir.cond_br(any, body, end);
        }
        (None, true) => return invalid(format!("{} differs between lanes", l.id)),
        (_, false) => {
            ir.cond_br(c.a, body, end);
        }
    }
    ir.at(body);
    interrupts::ask_in_iteration(em, l.id, &l.body, interrupts::loop_span(em, l.id));
    let lanes = masked.as_ref().map(|m| (m.broken, m.waiting));
    em.exits.jumps.push(Jump {
        target,
        on_break: end,
        on_continue: latch,
        lanes,
    });
    em.block(&l.body)?;
    em.exits.jumps.pop();
    ir.br(latch);
    ir.at(latch);
    let back = match &masked {
        Some(m) => {
            masks::next_masked(em, m);
            let any = em.lanes.any_active();
            ir.cond_br(any, head, end)
        }
        None => ir.br(head),
    };
    mark_loop(em, back, l.id, &[]);
    ir.at(end);
    if let Some(m) = masked {
        masks::leave_masked(em, m);
    }
    Ok(())
}

pub(crate) fn is_innermost(body: &[Stmt]) -> bool {
    let mut inner = false;
    for s in body {
        s.walk(&mut |s| inner |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_)));
    }
    !inner
}

/// Whether elements of one or two bytes are accessed at subscripts that are read from an array.
fn gathers_bytes(nest: &Nest, body: &[Stmt]) -> bool {
    let narrow = |a: &ArrayId| nest.arrays.get(*a).is_some_and(|a| a.storage.size() < 4);
    let indirect = |index: &[Expr]| {
        let mut loads = false;
        let mut look = |e: &Expr| loads |= matches!(e.kind, ExprKind::Load { .. });
        index.iter().for_each(|e| e.walk(&mut look));
        loads
    };
    let mut found = false;
    for s in body {
        s.walk(&mut |s| {
            if let StmtKind::Store { array, index, .. } = &s.kind {
                found |= narrow(array) && indirect(index);
            }
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Load { array, index, .. } = &e.kind {
                        found |= narrow(array) && indirect(index);
                    }
                });
            }
        });
    }
    found
}

/// Many lanes mean several registers for each value: good for the short bodies whose latency they hide, bad for
/// long ones, which would keep their values in memory.
fn most_lanes(l: &For) -> u32 {
    let mut size = 0;
    for s in &l.body {
        s.walk(&mut |s| s.exprs().for_each(|e| e.walk(&mut |_| size += 1)));
    }
    match size {
        0..=80 => 64,
        81..=200 => 16,
        _ => 8,
    }
}

impl Emitter<'_, '_> {
    /// A counted loop inside the nest.
    pub(crate) fn for_loop(&mut self, l: &For, span: Span) -> Result<()> {
        let varying = self.lanes.open.as_ref().is_some_and(|x| {
            [&l.start, &l.stop, &l.step]
                .iter()
                .any(|e| x.facts.is_varying(e))
        });
        if varying {
            return lane_loops::wide_for(self, l, span);
        }
        let range = range(self, l, span)?;
        interrupts::in_pieces(self, l, range, span)
    }

    /// Chooses how to run the range. `at` receives the number of the current iteration.
    pub(crate) fn counted(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let u = self.unit;
        if numpy_loops::folded(self, l, range)? {
            return Ok(());
        }
        if let Some(axis) = mapped_loops::axis_of(self, l.id) {
            return mapped_loops::strided(self, l, range, axis);
        }
        if let Some(g) = u
            .spec
            .schedule
            .grid
            .iter()
            .find(|g| g.axes.first() == Some(&l.id))
            && self.has_grid()
        {
            return mapped_loops::grid(self, l, g, range);
        }
        if self.lanes.open.is_none() {
            if let Some(t) = u
                .spec
                .schedule
                .threads
                .iter()
                .find(|t| t.id == l.id)
                .filter(|_| self.function.is_entry)
            {
                return threads::threads(self, l, t, range);
            }
            if u.spec.schedule.split.contains(&l.id)
                && let Some(split) = nestwise_analysis::transform::peeling::split(u.nest, l)
            {
                return peeled::split_loop(self, l, split, range, at);
            }
        }
        unsplit(self, l, range, at)
    }

    /// One iteration after the other. What only the last one leaves behind is computed after the loop: LLVM finds
    /// nothing in the loop then that keeps it from vectorising the rest behind full vectors, too.
    pub(crate) fn serial(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let (last, body): (Vec<&Stmt>, Vec<&Stmt>) = match self.lanes.open {
            None => crate::lower::control::last_iteration::partition(l),
            Some(_) => (vec![], vec![]),
        };
        if last.is_empty() {
            return iterate(self, l, range, at);
        }
        let rest = For {
            body: body.into_iter().cloned().collect(),
            ..l.clone()
        };
        iterate(self, &rest, range, at)?;
        let ir = self.ir;
        let (ran, end) = (self.ir.fresh(), self.ir.fresh());
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), ran, end);
        ir.at(ran);
        let k = ir.sub(range.hi, ir.const_i64(1), Wrap::Signed);
        let distance = ir.mul(k, range.step, Wrap::Signed);
        let counter = ir.add(range.start, distance, Wrap::Signed);
        self.vars.fixed.insert(l.counter, Val::one(counter));
        let last: Vec<Stmt> = last.into_iter().cloned().collect();
        self.block(&last)?;
        self.vars.fixed.remove(&l.counter);
        self.ir.br(end);
        self.ir.at(end);
        Ok(())
    }
}
