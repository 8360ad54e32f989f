//! Serial loops, and which way each loop is run.

use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_analysis::dataflow::lane_facts::Facts;
use nestwise_ir::model::nest::While;
use nestwise_ir::{ArrayId, Expr, ExprKind, For, IdSet, Nest, Span, Stmt, StmtKind, guarded};

use crate::abi::GuardFailure;
use crate::error::{Result, invalid};
use crate::llvm::{Block, IntPred, V, Wrap};
use crate::lower::control::exits::Jump;
use crate::lower::control::ranges::Range;
use crate::lower::control::{guards, interrupts, iterations, peeled, ranges};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::{axes, mapped_loops, register_tiles, strided};
use crate::lower::math::numpy_loops;
use crate::lower::threads;
use crate::lower::value::Val;
use crate::lower::vector::jam::UnrollAndJam;
use crate::lower::vector::{aligned, lane_loops, lanes, masks, unroll_and_jam};

/// Runs a loop, or a part of it, that is not peeled.
fn unsplit(em: &mut Emitter<'_, '_>, l: &For, range: Range, at: Option<V>) -> Result<()> {
    let mut range = range;
    if let Some(first) = aligned::aligned_from(em, l, range)? {
        iterations::one_by_one(em, l, Range { hi: first, ..range }, at)?;
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

/// Runs the range by lanes, if the schedule says so and the loop allows it; returns whether it does.
fn vector_loop(em: &mut Emitter<'_, '_>, l: &For, range: Range) -> Result<bool> {
    let Some(count) = lanes::vector_lanes(em.unit, l) else {
        return Ok(false);
    };
    if let Some(jam) = UnrollAndJam::of(em.unit, l, count) {
        return unroll_and_jam::jam_loop(em, l, range, jam).map(|()| true);
    }
    match Facts::of(&em.unit.scheduled, l) {
        Some(facts) => lane_loops::run_lanes(em, l, range, count, facts).map(|()| true),
        None => Ok(false),
    }
}

/// Emits a loop whose guard failures are tested after it, so that LLVM may vectorise it.
fn deferred_loop(em: &mut Emitter<'_, '_>, l: &For, range: Range) -> Result<()> {
    if !guarded::block_may_fail(em.unit.nest, &l.body) {
        return em.serial(l, range, None);
    }
    let ir = em.ir;
    let flag = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), flag);
    em.guards.deferred = Some(flag);
    let flow = definite_assignment::flow(&[], &l.body, Some(l.id), IdSet::new());
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
    guards::fail_where(em, bad, false, GuardFailure::Several, span);
    Ok(())
}

/// Emits a rotated loop: a test before it and one behind each iteration.
pub(crate) fn iterate(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    at: Option<V>,
) -> Result<()> {
    let ir = em.ir;
    if em.lanes.open.is_none() && em.lanes.edge.is_none() && iterations::is_innermost(&l.body) {
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
    iterations::enter_counter(em, l, Val::one(counter))?;
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

/// The block that `break` of a loop goes to: for the top loop one that sets the status.
fn break_block(em: &Emitter<'_, '_>, l: &For, end: Block) -> Block {
    let top = em.goes_through_nest() && l.id.index() == 0;
    if !top { end } else { em.exits.top_break(em.ir) }
}

/// Attaches loop metadata for LLVM's vectoriser.
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
        return iterations::mark_loop(em.ir, branch, l.id, &facts);
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
    if iterations::is_innermost(&l.body) && gathers_bytes(em.unit.nest, &l.body) {
        // There are no such instructions: LLVM would take vectors apart and put them together again.
        let no = ir.md_value(ir.const_bool(false));
        facts.push(ir.md_node(&[ir.md_string("llvm.loop.vectorize.enable"), no]));
    }
    iterations::mark_loop(em.ir, branch, l.id, &facts);
}

/// Emits a `while` inside the nest.
pub(crate) fn while_loop(em: &mut Emitter<'_, '_>, l: &While) -> Result<()> {
    let ir = em.ir;
    let target = Target::Loop(l.id);
    let (head, body, latch, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let masked = masks::enter_masked(em, target, &l.body);
    ir.br(head);
    ir.at(head);
    if let Some(x) = em.lanes.open.as_ref().filter(|x| x.facts.may_fail) {
        // With wrong values it might never end.
        let failed = em
            .lanes
            .any(ir.load(ir.vector(ir.i1(), x.count), x.deferred));
        let next = em.ir.fresh();
        ir.cond_br(failed, end, next);
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
    interrupts::ask_in_iteration(em, l.id, &l.body, iterations::loop_span(em.unit, l.id));
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
    iterations::mark_loop(em.ir, back, l.id, &[]);
    ir.at(end);
    if let Some(m) = masked {
        masks::leave_masked(em, m);
    }
    Ok(())
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

impl Emitter<'_, '_> {
    /// Emits a counted loop inside the nest.
    pub(crate) fn for_loop(&mut self, l: &For, span: Span) -> Result<()> {
        let varying = self.lanes.open.as_ref().is_some_and(|x| {
            [&l.start, &l.stop, &l.step]
                .iter()
                .any(|e| x.facts.is_varying(e))
        });
        if varying {
            return lane_loops::wide_for(self, l, span);
        }
        let range = ranges::range(self, l, span)?;
        interrupts::in_pieces(self, l, range, span)
    }

    /// Chooses how to run the range. `at` receives the number of the current iteration.
    pub(crate) fn counted(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let u = self.unit;
        if numpy_loops::folded(self, l, range)? {
            return Ok(());
        }
        if let Some(axis) = axes::axis_of(self, l.id) {
            return strided::strided(self, l, range, axis);
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
                return peeled::split_loop(self, l, split, range, at, |em, l, interior| {
                    unsplit(em, l, interior, None)
                });
            }
        }
        unsplit(self, l, range, at)
    }

    /// Runs one iteration after the other. What only the last one leaves behind is computed after the loop: LLVM finds
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
