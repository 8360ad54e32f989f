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
use crate::lower::func::Jump;
use crate::lower::{Func, Val};

/// The iterations `lo..hi` of a counted loop with its counter's first value and step.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) start: V,
    pub(crate) step: V,
    pub(crate) lo: V,
    pub(crate) hi: V,
}

impl Func<'_, '_> {
    /// The top loop over the iterations of this call.
    pub(crate) fn top_for(&mut self, l: &For, start: V, step: V) -> Result<()> {
        if let Some(end) = self.u.nest.whole {
            return self.top_whole(l, end, start, step);
        }
        let range = Range {
            start,
            step,
            lo: self.lo,
            hi: self.hi,
        };
        if self.cooperates(l.id) {
            return self.cooperate_at_top(range);
        }
        // Where iterations are not run one after the other, an event is only known to lie in the range.
        let serial = !self.mapped(l);
        self.counted(l, range, serial.then_some(self.exits.at))?;
        self.ir().store(self.hi, self.exits.at);
        Ok(())
    }

    /// The body once for all iterations of this call; an event in it is only known to lie in their range.
    fn top_whole(&mut self, l: &For, end: VarId, start: V, step: V) -> Result<()> {
        let ir = self.ir();
        let value = |k: V| ir.add(start, ir.mul(k, step, Wrap::Signed), Wrap::Signed);
        let (first, behind) = (value(self.lo), value(self.hi));
        let home = self.home(end, false)?;
        self.put(home, Val::one(behind));
        let some = ir.icmp(IntPred::LLVMIntSLT, self.lo, self.hi);
        let once = Range {
            start: first,
            step,
            lo: ir.const_i64(0),
            hi: ir.zext(some, ir.i64()),
        };
        self.iterate(l, once, None)?;
        self.ir().store(self.hi, self.exits.at);
        Ok(())
    }

    fn mapped(&self, l: &For) -> bool {
        let s = self.u.spec.schedule;
        let threads = s.threads.iter().any(|t| t.id == l.id);
        threads || self.u.sticky.contains(&l.id) || self.vector_lanes(l).is_some()
    }

    pub(crate) fn vector_lanes(&self, l: &For) -> Option<u32> {
        let lanes = self
            .u
            .spec
            .schedule
            .vector
            .iter()
            .find(|(id, _)| *id == l.id)
            .map(|(_, n)| *n)?;
        (lanes.is_power_of_two() && (2..=64).contains(&lanes)).then_some(lanes.min(most_lanes(l)))
    }

    /// A counted loop inside the nest.
    pub(crate) fn for_loop(&mut self, l: &For, span: Span) -> Result<()> {
        let varying = self.lanes.as_ref().is_some_and(|x| {
            [&l.start, &l.stop, &l.step]
                .iter()
                .any(|e| x.facts.is_varying(e))
        });
        if varying {
            return self.wide_for(l, span);
        }
        let range = self.range(l, span)?;
        self.in_pieces(l, range, span)
    }

    /// All iterations.
    pub(crate) fn range(&mut self, l: &For, span: Span) -> Result<Range> {
        let start = self.expr(&l.start)?.a;
        let stop = self.expr(&l.stop)?.a;
        let step = self.step(&l.step, span)?;
        let trips = self.trips(start, stop, step, l.step.as_int(), false);
        let trips = self.no_trips_after_event(trips);
        Ok(Range {
            start,
            step,
            lo: self.ir().const_i64(0),
            hi: trips,
        })
    }

    /// The step; zero fires, and is one afterwards.
    pub(crate) fn step(&mut self, e: &Expr, span: Span) -> Result<V> {
        let v = self.expr(e)?;
        if e.as_int().is_some_and(|s| s != 0) {
            return Ok(v.a);
        }
        let ir = self.ir();
        let zero = ir.icmp(
            IntPred::LLVMIntEQ,
            v.a,
            self.spread(ir.const_i64(0), v.wide),
        );
        self.fire(zero, v.wide, EventCode::Step, span);
        Ok(ir.select(zero, self.spread(ir.const_i64(1), v.wide), v.a))
    }

    /// The number of iterations: unsigned, so that the distance between any two i64 is right.
    pub(crate) fn trips(
        &self,
        start: V,
        stop: V,
        step: V,
        constant: Option<i128>,
        wide: bool,
    ) -> V {
        let ir = self.ir();
        let c = |v: i64| self.spread(ir.const_i64(v), wide);
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
    pub(crate) fn no_trips_after_event(&self, trips: V) -> V {
        let Some(l) = self.lanes.as_ref().filter(|l| l.facts.may_fire) else {
            return trips;
        };
        let ir = self.ir();
        let fired = self.any(ir.load(ir.vector(ir.i1(), l.count), l.sticky));
        ir.select(fired, ir.const_i64(0), trips)
    }

    /// Chooses how to run the range. `at` receives the number of the current iteration.
    pub(crate) fn counted(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let u = self.u;
        if self.folded(l, range)? {
            return Ok(());
        }
        if let Some(axis) = self.axis_of(l.id) {
            return self.strided(l, range, axis);
        }
        if let Some(g) = u
            .spec
            .schedule
            .grid
            .iter()
            .find(|g| g.axes.first() == Some(&l.id))
            && self.has_grid()
        {
            return self.grid(l, g, range);
        }
        if self.lanes.is_none() {
            if let Some(t) = u
                .spec
                .schedule
                .threads
                .iter()
                .find(|t| t.id == l.id)
                .filter(|_| self.is_entry)
            {
                return self.threads(l, t, range);
            }
            if u.spec.schedule.split.contains(&l.id)
                && let Some(split) = nestwise_analysis::transform::peeling::split(u.nest, l)
            {
                return self.split_loop(l, split, range, at);
            }
        }
        self.unsplit(l, range, at)
    }

    /// The same for a loop, or a part of it, that is not cut up.
    pub(crate) fn unsplit(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let mut range = range;
        if let Some(first) = self.aligned_from(l, range)? {
            self.one_by_one(l, Range { hi: first, ..range }, at)?;
            range.lo = first;
        }
        if self.lanes.is_none() && self.vector_loop(l, range)? {
            return Ok(());
        }
        let u = self.u;
        if self.lanes.is_none() && self.sticky.is_none() && u.sticky.contains(&l.id) {
            return self.sticky_loop(l, range);
        }
        self.serial(l, range, at)
    }

    /// The range by lanes, if the schedule says so and the loop allows it.
    pub(crate) fn vector_loop(&mut self, l: &For, range: Range) -> Result<bool> {
        let Some(count) = self.vector_lanes(l) else {
            return Ok(false);
        };
        if let Some(jam) = crate::lower::vector::unroll_and_jam::Jam::of(self.u, l, count) {
            return self.jam_loop(l, range, jam).map(|()| true);
        }
        match crate::lower::vector::lanes::Facts::of(self.u, l) {
            Some(facts) => self.run_lanes(l, range, count, facts).map(|()| true),
            None => Ok(false),
        }
    }

    /// A loop whose events are tested after it, so that LLVM may vectorise it.
    fn sticky_loop(&mut self, l: &For, range: Range) -> Result<()> {
        if !guarded::block_may_fire(self.u.nest, &l.body) {
            return self.serial(l, range, None);
        }
        let ir = self.ir();
        let flag = ir.alloca(self.entry, ir.i1());
        ir.store(ir.const_bool(false), flag);
        self.sticky = Some(flag);
        let flow = definite_assignment::flow(&[], &l.body, Some(l.id), 0);
        self.loose = Some(Rc::new(definite_assignment::loose(&l.body, &flow)));
        self.serial(l, range, None)?;
        self.sticky = None;
        self.loose = None;
        let bad = ir.load(ir.i1(), flag);
        let span = self
            .u
            .nest
            .loops
            .get(l.id)
            .map_or(Span::default(), |d| d.span);
        self.fire(bad, false, EventCode::Several, span);
        Ok(())
    }

    /// One iteration after the other. What only the last one leaves behind is computed after the loop: LLVM finds
    /// nothing in the loop then that keeps it from vectorising the rest behind full vectors, too.
    pub(crate) fn serial(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let (last, body): (Vec<&Stmt>, Vec<&Stmt>) = match self.lanes {
            None => crate::lower::control::last_iteration::partition(l),
            Some(_) => (vec![], vec![]),
        };
        if last.is_empty() {
            return self.iterate(l, range, at);
        }
        let rest = For {
            body: body.into_iter().cloned().collect(),
            ..l.clone()
        };
        self.iterate(&rest, range, at)?;
        let ir = self.ir();
        let (ran, end) = (self.fresh(), self.fresh());
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), ran, end);
        ir.at(ran);
        let k = ir.sub(range.hi, ir.const_i64(1), Wrap::Signed);
        let distance = ir.mul(k, range.step, Wrap::Signed);
        let counter = ir.add(range.start, distance, Wrap::Signed);
        self.fixed.insert(l.counter, Val::one(counter));
        let last: Vec<Stmt> = last.into_iter().cloned().collect();
        self.block(&last)?;
        self.fixed.remove(&l.counter);
        self.ir().br(end);
        self.ir().at(end);
        Ok(())
    }

    /// Rotated: a test before the loop and one behind each iteration.
    fn iterate(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        let ir = self.ir();
        if self.lanes.is_none() && self.edge.is_none() && is_innermost(&l.body) {
            self.u.scalar_loops.set(true);
        }
        let target = Target::Loop(l.id);
        let (body, latch, end) = (self.fresh(), self.fresh(), self.fresh());
        let masked = self.enter_masked(target, &l.body);
        let group = self
            .u
            .groups
            .get(&l.id)
            .copied()
            .filter(|_| self.lanes.is_none() && self.edge.is_none());
        self.groups.extend(group);
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
        self.enter_counter(l, Val::one(counter))?;
        self.ask_in_counted(l);
        let lanes = masked.as_ref().map(|m| (m.broken, m.waiting));
        // The top loop's break leaves the nest with a status of its own.
        let on_break = self.break_block(l, end);
        self.jumps.push(Jump {
            target,
            on_break,
            on_continue: latch,
            lanes,
        });
        self.block(&l.body)?;
        self.jumps.pop();
        self.fixed.remove(&l.counter);
        ir.br(latch);
        ir.at(latch);
        let next = ir.add(k, ir.const_i64(1), Wrap::Signed);
        ir.add_incoming(k, next, latch);
        let mut more = ir.icmp(IntPred::LLVMIntSLT, next, range.hi);
        if let Some(m) = &masked {
            self.next_masked(m);
            more = ir.and(more, self.any_active());
        }
        let branch = ir.cond_br(more, body, end);
        self.annotate(branch, l);
        if group.is_some() {
            self.groups.pop();
        }
        ir.at(end);
        if let Some(m) = masked {
            self.leave_masked(m);
        }
        Ok(())
    }

    /// Where `break` of a loop goes: for the top loop to a block that sets the status.
    fn break_block(&self, l: &For, end: Block) -> Block {
        let top = self.goes_through_nest() && l.id.index() == 0;
        if !top { end } else { self.top_break() }
    }

    fn top_break(&self) -> Block {
        let ir = self.ir();
        let here = ir.here();
        let block = self.fresh();
        ir.at(block);
        ir.store(ir.const_i64(Status::Broke as i64), self.exits.status);
        ir.br(self.exits.done);
        ir.at(here);
        block
    }

    /// Binds a counter for the body. Reads after the loop see the last iteration's value.
    pub(crate) fn enter_counter(&mut self, l: &For, v: Val) -> Result<()> {
        let inside = self.u.reads_of_loop(l);
        if self.u.live_after(l.counter, &inside) && !v.wide {
            let home = self.home(l.counter, false)?;
            self.put(home, v);
        }
        self.fixed.insert(l.counter, v);
        Ok(())
    }

    /// Loop metadata for LLVM's vectoriser.
    fn annotate(&self, branch: V, l: &For) {
        let ir = self.ir();
        if let Some(edge) = self.edge {
            let off = |what: &str, value: V| ir.md_node(&[ir.md_string(what), ir.md_value(value)]);
            let mut facts = vec![
                off("llvm.loop.vectorize.enable", ir.const_bool(false)),
                ir.md_node(&[ir.md_string("llvm.loop.unroll.disable")]),
            ];
            if edge == l.id {
                facts.push(ir.md_node(&[ir.md_string(crate::shape::EDGE)]));
            }
            return self.mark_loop(branch, l.id, &facts);
        }
        let mut facts = Vec::new();
        if let Some(group) = self.u.groups.get(&l.id).filter(|_| self.lanes.is_none()) {
            facts.push(ir.md_node(&[ir.md_string("llvm.loop.parallel_accesses"), *group]));
        }
        if let Some(count) = self.unrolled_in_tile(l) {
            let count = ir.md_value(ir.const_i64(count));
            facts.push(ir.md_node(&[ir.md_string("llvm.loop.unroll.count"), count]));
        }
        if is_innermost(&l.body) && gathers_bytes(self.u.nest, &l.body) {
            // There are no such instructions: LLVM would take vectors apart and put them together again.
            let no = ir.md_value(ir.const_bool(false));
            facts.push(ir.md_node(&[ir.md_string("llvm.loop.vectorize.enable"), no]));
        }
        self.mark_loop(branch, l.id, &facts);
    }

    /// Says on a loop's jump back whose iterations it runs, and what else is known.
    pub(crate) fn mark_loop(&self, branch: V, id: LoopId, facts: &[Md]) {
        let ir = self.ir();
        let mark = format!("{}{}", crate::shape::MARK, id.index());
        let mut all = vec![ir.md_node(&[ir.md_string(&mark)])];
        all.extend_from_slice(facts);
        ir.set_md(branch, "llvm.loop", ir.md_self_node(&all));
    }

    /// The top `while`: at most `hi - lo` iterations in this call.
    pub(crate) fn top_while(&mut self, l: &While) -> Result<()> {
        let ir = self.ir();
        if self.cooperates(l.id) {
            let zero = ir.const_i64(0);
            return self.cooperate_at_top(Range {
                start: zero,
                step: zero,
                lo: self.lo,
                hi: self.hi,
            });
        }
        let (head, test, body, latch, end, over) = (
            self.fresh(),
            self.fresh(),
            self.fresh(),
            self.fresh(),
            self.fresh(),
            self.fresh(),
        );
        let before = ir.here();
        ir.br(head);
        ir.at(head);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, self.lo, before);
        ir.store(k, self.exits.at);
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, k, self.hi), test, end);
        ir.at(test);
        let c = self.expr(&l.cond)?;
        ir.cond_br(c.a, body, over);
        ir.at(body);
        let on_break = self.top_break();
        self.jumps.push(Jump {
            target: Target::Loop(l.id),
            on_break,
            on_continue: latch,
            lanes: None,
        });
        self.block(&l.body)?;
        self.jumps.pop();
        ir.br(latch);
        ir.at(latch);
        ir.add_incoming(k, ir.add(k, ir.const_i64(1), Wrap::Signed), latch);
        let back = ir.br(head);
        self.mark_loop(back, l.id, &[]);
        ir.at(over);
        ir.store(ir.const_i64(Status::Finished as i64), self.exits.status);
        ir.br(end);
        ir.at(end);
        Ok(())
    }

    /// `while` inside the nest.
    pub(crate) fn while_loop(&mut self, l: &While) -> Result<()> {
        let ir = self.ir();
        let target = Target::Loop(l.id);
        let (head, body, latch, end) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let masked = self.enter_masked(target, &l.body);
        ir.br(head);
        ir.at(head);
        if let Some(x) = self.lanes.as_ref().filter(|x| x.facts.may_fire) {
            // With wrong values it might never end.
            let fired = self.any(ir.load(ir.vector(ir.i1(), x.count), x.sticky));
            let next = self.fresh();
            ir.cond_br(fired, end, next);
            ir.at(next);
        }
        let c = self.expr(&l.cond)?;
        match (&masked, c.wide) {
            (Some(m), true) => {
                let any = self.keep_lanes(m, c);
                ir.cond_br(any, body, end);
            }
            (None, true) => return invalid(format!("{} differs between lanes", l.id)),
            (_, false) => {
                ir.cond_br(c.a, body, end);
            }
        }
        ir.at(body);
        self.ask_in_iteration(l.id, &l.body, self.loop_span(l.id));
        let lanes = masked.as_ref().map(|m| (m.broken, m.waiting));
        self.jumps.push(Jump {
            target,
            on_break: end,
            on_continue: latch,
            lanes,
        });
        self.block(&l.body)?;
        self.jumps.pop();
        ir.br(latch);
        ir.at(latch);
        let back = match &masked {
            Some(m) => {
                self.next_masked(m);
                let any = self.any_active();
                ir.cond_br(any, head, end)
            }
            None => ir.br(head),
        };
        self.mark_loop(back, l.id, &[]);
        ir.at(end);
        if let Some(m) = masked {
            self.leave_masked(m);
        }
        Ok(())
    }
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
