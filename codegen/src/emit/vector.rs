//! Vector loops: the execution of a loop by lanes, masks, and wide memory accesses.
//!
//! The main part runs full vectors without masks where control is uniform; the last, partial vector is one more
//! copy of the body under a mask. Masks follow the usual scheme of SPMD compilers (Pharr and Mark, "ispc: A SPMD
//! compiler for high-performance CPU programming", 2012).

use std::collections::HashMap;
use std::rc::Rc;

use nestwise_ir::{ArrayId, Expr, ExprKind, For, Scalar, Span, Stmt};

use super::func::Jump;
use super::lanes::{Facts, Lanes};
use super::loops::Range;
use super::{Func, Val};
use crate::abi::EventCode;
use crate::error::{Result, invalid};
use crate::flow::{self, Target};
use crate::llvm::{IntPred, V, Wrap};

/// A loop or scope that lanes leave one by one. Allocas of lane masks.
pub(crate) struct Masked {
    /// Left by break or leave: active again behind the construct.
    pub(crate) broken: V,
    /// Continued: active again in the next iteration.
    pub(crate) waiting: V,
    /// Finished by their own condition.
    done: V,
    /// The active lanes before.
    saved: V,
    saved_diverged: bool,
    /// Lanes may leave to further outside.
    outer: bool,
}

impl Func<'_, '_> {
    /// Whether any lane of a mask is set.
    pub(crate) fn any(&self, mask: V) -> V {
        let ir = self.ir();
        let n = ir.int(self.count());
        ir.icmp(IntPred::LLVMIntNE, ir.bitcast(mask, n), ir.const_int(n, 0))
    }

    fn exec(&self) -> V {
        let ir = self.ir();
        match &self.lanes {
            Some(l) => ir.load(ir.vector(ir.i1(), l.count), l.exec),
            None => ir.const_bool(true),
        }
    }

    fn set_exec(&self, mask: V) {
        if let Some(l) = &self.lanes {
            self.ir().store(mask, l.exec);
        }
    }

    pub(crate) fn any_active(&self) -> V {
        self.any(self.exec())
    }

    pub(crate) fn set_diverged(&mut self, diverged: bool) {
        if let Some(l) = &mut self.lanes {
            l.diverged = diverged;
        }
    }

    /// Whether some lanes of this vector may be elsewhere.
    pub(crate) fn diverged(&self) -> bool {
        self.lanes.as_ref().is_some_and(|l| l.diverged)
    }

    fn mask_home(&self) -> V {
        let ir = self.ir();
        let ty = ir.vector(ir.i1(), self.count());
        let home = ir.alloca(self.entry, ty);
        ir.store(ir.zero(ty), home);
        home
    }

    /// Runs the range by lanes.
    pub(crate) fn run_lanes(&mut self, l: &For, range: Range, count: u32, facts: Facts) -> Result<()> {
        let ir = self.ir();
        let mask_type = ir.vector(ir.i1(), count);
        let (exec, sticky) = (ir.alloca(self.entry, mask_type), ir.alloca(self.entry, mask_type));
        let all = ir.splat(ir.const_bool(true), count);
        ir.store(ir.zero(mask_type), sticky);
        let facts = Rc::new(facts);
        let lanes =
            Lanes { count, facts: facts.clone(), exec, partial: false, diverged: false, sticky, first: HashMap::new() };
        self.lanes = Some(lanes);
        let n = ir.const_i64(count.into());
        let (main, rest, partial, end) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let last_full = ir.sub(range.hi, n, Wrap::Any);
        let before = ir.here();
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLE, range.lo, last_full), main, rest);
        ir.at(main);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, range.lo, before);
        ir.store(all, exec);
        self.lane_body(l, range, k, ir.const_i64(i64::from(count) - 1))?;
        let next = ir.add(k, n, Wrap::Signed);
        let latch = ir.here();
        ir.add_incoming(k, next, latch);
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLE, next, last_full), main, rest);
        ir.at(rest);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, range.lo, before);
        ir.add_incoming(k, next, latch);
        let left = ir.sub(range.hi, k, Wrap::Any);
        ir.cond_br(ir.icmp(IntPred::LLVMIntSGT, left, ir.const_i64(0)), partial, end);
        ir.at(partial);
        let active = ir.icmp(IntPred::LLVMIntULT, self.iota(1), ir.splat(left, count));
        ir.store(active, exec);
        if let Some(x) = &mut self.lanes {
            (x.partial, x.diverged) = (true, false);
        }
        self.lane_body(l, range, k, ir.sub(left, ir.const_i64(1), Wrap::Signed))?;
        ir.br(end);
        ir.at(end);
        let fired = self.any(ir.load(mask_type, sticky));
        self.lanes = None;
        self.forget_wide_homes();
        if facts.may_fire {
            let span = self.u.nest.loops.get(l.id).map_or(Span::default(), |d| d.span);
            self.fire(fired, false, EventCode::Several, span);
        }
        Ok(())
    }

    /// Multiples of `step` by lane.
    fn iota(&self, step: i64) -> V {
        let ir = self.ir();
        let items: Vec<V> =
            (0..i64::from(self.count())).map(|k| ir.const_i64(k.wrapping_mul(step))).collect();
        ir.const_vector(&items)
    }

    /// The body for the iterations from `k` on; `last` is the last active lane.
    fn lane_body(&mut self, l: &For, range: Range, k: V, last: V) -> Result<()> {
        let ir = self.ir();
        let count = self.count();
        let first = ir.add(range.start, ir.mul(k, range.step, Wrap::Signed), Wrap::Signed);
        let steps = match l.step.as_int().and_then(|s| i64::try_from(s).ok()) {
            Some(step) => self.iota(step),
            None => ir.mul(self.iota(1), ir.splat(range.step, count), Wrap::Any),
        };
        let counter = ir.add(ir.splat(first, count), steps, Wrap::Any);
        if let Some(x) = &mut self.lanes {
            x.first.insert(l.counter, first);
        }
        self.fixed.insert(l.counter, Val::shaped(counter, true));
        let target = Target::Loop(l.id);
        let next = self.fresh();
        let is_masked = self.lanes.as_ref().is_some_and(|x| x.facts.masked.contains(&target));
        let lanes = is_masked.then(|| (self.mask_home(), self.mask_home()));
        self.jumps.push(Jump { target, on_break: next, on_continue: next, lanes });
        self.block(&l.body)?;
        self.jumps.pop();
        ir.br(next);
        ir.at(next);
        self.fixed.remove(&l.counter);
        self.leave_last_lane(l, counter, last)
    }

    /// Variables that are read after the loop get the last iteration's value.
    fn leave_last_lane(&mut self, l: &For, counter: V, last: V) -> Result<()> {
        let Some(facts) = self.lanes.as_ref().map(|x| x.facts.clone()) else { return Ok(()) };
        let ir = self.ir();
        for v in &facts.live_after {
            if !facts.varying.contains(v) {
                continue;
            }
            let repr = self.repr(*v)?;
            let home = self.home(*v, true)?;
            let wide = self.get(home, repr, true);
            let narrow = Val {
                a: ir.extract(wide.a, last),
                b: wide.b.map(|b| ir.extract(b, last)),
                wide: false,
            };
            let home = self.home(*v, false)?;
            self.put(home, narrow);
        }
        let inside = super::reads_in(&l.body);
        if self.u.live_after(l.counter, &inside) {
            let home = self.home(l.counter, false)?;
            self.put(home, Val::one(ir.extract(counter, last)));
        }
        Ok(())
    }

    // Masked constructs.

    pub(crate) fn enter_masked(&mut self, target: Target, body: &[Stmt]) -> Option<Masked> {
        let facts = &self.lanes.as_ref()?.facts;
        if !facts.masked.contains(&target) {
            return None;
        }
        let outer = flow::exits(body).into_iter().any(|t| t != target);
        let masked = Masked {
            broken: self.mask_home(),
            waiting: self.mask_home(),
            done: self.mask_home(),
            saved: self.exec(),
            saved_diverged: self.diverged(),
            outer,
        };
        self.set_diverged(true);
        Some(masked)
    }

    pub(crate) fn leave_masked(&mut self, m: Masked) {
        if !m.outer {
            self.set_exec(m.saved);
            self.set_diverged(m.saved_diverged);
            return;
        }
        let ir = self.ir();
        let ty = ir.type_of(m.saved);
        let back = ir.or(ir.load(ty, m.broken), ir.load(ty, m.done));
        self.set_exec(ir.or(self.exec(), back));
        self.set_diverged(true);
    }

    /// At the end of an iteration: who continued is active again.
    pub(crate) fn next_masked(&mut self, m: &Masked) {
        let ir = self.ir();
        let ty = ir.type_of(m.saved);
        self.set_exec(ir.or(self.exec(), ir.load(ty, m.waiting)));
        ir.store(ir.zero(ty), m.waiting);
    }

    /// Lanes in which `c` is false have finished; returns whether any goes on.
    pub(crate) fn keep_lanes(&mut self, m: &Masked, c: Val) -> V {
        let ir = self.ir();
        let ty = ir.type_of(m.saved);
        let exec = self.exec();
        let finished = ir.and(exec, ir.not(c.a));
        ir.store(ir.or(ir.load(ty, m.done), finished), m.done);
        let exec = ir.and(exec, c.a);
        self.set_exec(exec);
        self.any(exec)
    }

    /// All active lanes jump: they are recorded in `home` and inactive from here on.
    pub(crate) fn lanes_leave(&mut self, home: V) {
        let ir = self.ir();
        let exec = self.exec();
        let ty = ir.type_of(exec);
        ir.store(ir.or(ir.load(ty, home), exec), home);
        self.set_exec(ir.zero(ty));
        self.set_diverged(true);
    }

    /// A counted loop whose trip count differs between lanes: runs while any lane has iterations left.
    pub(crate) fn wide_for(&mut self, l: &For, span: Span) -> Result<()> {
        let ir = self.ir();
        let start = self.expr(&l.start)?;
        let stop = self.expr(&l.stop)?;
        let step = self.step(&l.step, span)?;
        let Some(facts) = self.lanes.as_ref().map(|x| x.facts.clone()) else {
            return invalid("a wide loop without lanes");
        };
        let step = Val::shaped(step, facts.is_varying(&l.step));
        let (wide_start, wide_stop, wide_step) = (self.widen(start), self.widen(stop), self.widen(step));
        let trips = self.trips(wide_start.a, wide_stop.a, wide_step.a, l.step.as_int(), true);
        let linear = facts.linear.get(&l.counter).is_some();
        let first = if linear { Some(self.first_lane(&l.start)?) } else { None };

        let target = Target::Loop(l.id);
        let (head, body, latch, end) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let Some(m) = self.enter_masked(target, &l.body) else {
            return invalid(format!("{} differs between lanes", l.id));
        };
        let before = ir.here();
        ir.br(head);
        ir.at(head);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, ir.const_i64(0), before);
        if facts.may_fire {
            let fired = self.any(ir.load(ir.type_of(m.saved), self.sticky_home()));
            let next = self.fresh();
            ir.cond_br(fired, end, next);
            ir.at(next);
        }
        let inside = ir.icmp(IntPred::LLVMIntULT, ir.splat(k, self.count()), trips);
        let any = self.keep_lanes(&m, Val::shaped(inside, true));
        ir.cond_br(any, body, end);
        ir.at(body);
        let varying = facts.varying.contains(&l.counter);
        let narrow = |f: &Self, start: V, step: V| f.index_fma(start, k, step);
        let counter = if varying {
            let distance = ir.mul(ir.splat(k, self.count()), wide_step.a, Wrap::Any);
            Val::shaped(ir.add(wide_start.a, distance, Wrap::Any), true)
        } else {
            Val::one(narrow(self, start.a, step.a))
        };
        if let Some(first) = first {
            let at = narrow(self, first, step.a);
            if let Some(x) = &mut self.lanes {
                x.first.insert(l.counter, at);
            }
        }
        self.fixed.insert(l.counter, counter);
        self.jumps.push(Jump {
            target,
            on_break: end,
            on_continue: latch,
            lanes: Some((m.broken, m.waiting)),
        });
        self.block(&l.body)?;
        self.jumps.pop();
        self.fixed.remove(&l.counter);
        ir.br(latch);
        ir.at(latch);
        self.next_masked(&m);
        ir.add_incoming(k, ir.add(k, ir.const_i64(1), Wrap::Signed), latch);
        ir.br(head);
        ir.at(end);
        self.leave_masked(m);
        Ok(())
    }

    fn sticky_home(&self) -> V {
        self.lanes.as_ref().map_or(self.exits.at, |l| l.sticky)
    }

    // Conditions.

    /// Both sides in turn, each under its mask; a side that does more than arithmetic only if a lane takes it.
    pub(crate) fn wide_branch(&mut self, c: Val, then: &[Stmt], orelse: &[Stmt]) -> Result<()> {
        let ir = self.ir();
        let (saved, saved_diverged) = (self.exec(), self.diverged());
        let mut left = Vec::new();
        self.conditional += 1;
        for (side, cond) in [(then, c.a), (orelse, ir.not(c.a))] {
            let mask = ir.and(saved, cond);
            if side.is_empty() {
                left.push(mask);
                continue;
            }
            self.set_exec(mask);
            self.set_diverged(true);
            let skip = is_heavy(side).then(|| (self.fresh(), self.fresh()));
            if let Some((run, end)) = skip {
                ir.cond_br(self.any(mask), run, end);
                ir.at(run);
            }
            self.block(side)?;
            if let Some((_, end)) = skip {
                ir.br(end);
                ir.at(end);
            }
            left.push(self.exec());
        }
        self.conditional -= 1;
        let exits = !flow::exits(then).is_empty() || !flow::exits(orelse).is_empty();
        if exits {
            let all = left.into_iter().reduce(|a, b| ir.or(a, b)).unwrap_or(saved);
            self.set_exec(all);
            self.set_diverged(true);
        } else {
            self.set_exec(saved);
            self.set_diverged(saved_diverged);
        }
        Ok(())
    }

    /// A selection by lanes.
    pub(crate) fn wide_select(&mut self, c: Val, then: &Expr, orelse: &Expr, repr: Scalar) -> Result<Val> {
        let ir = self.ir();
        let (saved, saved_diverged) = (self.exec(), self.diverged());
        let mut values = Vec::new();
        for (side, cond) in [(then, c.a), (orelse, ir.not(c.a))] {
            if super::expr::is_plain(side) {
                values.push(self.expr(side)?);
                continue;
            }
            let mask = ir.and(saved, cond);
            let home = self.temporary(repr, true);
            let (run, end) = (self.fresh(), self.fresh());
            self.set_exec(mask);
            self.set_diverged(true);
            ir.cond_br(self.any(mask), run, end);
            ir.at(run);
            self.conditional += 1;
            let v = self.expr(side)?;
            self.conditional -= 1;
            let v = self.widen(v);
            self.put(home, v);
            ir.br(end);
            ir.at(end);
            self.set_exec(saved);
            self.set_diverged(saved_diverged);
            values.push(self.get(home, repr, true));
        }
        match values[..] {
            [x, y] => Ok(self.choose(c, x, y)),
            _ => invalid("a selection without sides"),
        }
    }

    // Linear variables.

    /// Remembers lane 0's value of a linear variable in its narrow home.
    pub(crate) fn track_first_lane(&mut self, var: nestwise_ir::VarId, value: &Expr) -> Result<()> {
        let linear = self
            .lanes
            .as_ref()
            .is_some_and(|l| l.facts.varying.contains(&var) && l.facts.linear.contains_key(&var));
        if linear {
            let v = self.first_lane(value)?;
            let home = self.home(var, false)?;
            self.put(home, Val::one(v));
        }
        Ok(())
    }

    /// Lane 0's value of a linear expression.
    pub(crate) fn first_lane(&mut self, e: &Expr) -> Result<V> {
        let Some(facts) = self.lanes.as_ref().map(|l| l.facts.clone()) else {
            return invalid("a lane outside a vector loop");
        };
        if !facts.is_varying(e) {
            return Ok(self.expr(e)?.a);
        }
        let ir = self.ir();
        match &e.kind {
            ExprKind::Var(v) => {
                if let Some(first) = self.lanes.as_ref().and_then(|l| l.first.get(v)) {
                    return Ok(*first);
                }
                let home = self.home(*v, false)?;
                Ok(self.get(home, Scalar::I64, false).a)
            }
            ExprKind::Unary { a, .. } => {
                let v = self.first_lane(a)?;
                Ok(ir.sub(ir.const_i64(0), v, Wrap::Signed))
            }
            ExprKind::Cast { a, .. } => self.first_lane(a),
            ExprKind::Binary { op, a, b, .. } => {
                let (x, y) = (self.first_lane(a)?, self.first_lane(b)?);
                match op {
                    nestwise_ir::BinOp::Add => Ok(ir.add(x, y, Wrap::Signed)),
                    nestwise_ir::BinOp::Sub => Ok(ir.sub(x, y, Wrap::Signed)),
                    nestwise_ir::BinOp::Mul => Ok(ir.mul(x, y, Wrap::Signed)),
                    _ => invalid("an expression that is not linear"),
                }
            }
            _ => invalid("an expression that is not linear"),
        }
    }

    // Memory.

    pub(crate) fn wide_load(&mut self, array: ArrayId, index: &[Expr], guard: bool, span: Span) -> Result<Val> {
        let access = self.wide_access(array, index, guard, span)?;
        let storage = self.storage(array)?;
        let ty = self.memory_type(storage);
        let ir = self.ir();
        let v = match access {
            Access::Consecutive { at, reverse } if !storage.is_complex() => {
                Val::shaped(self.load_row(array, ty, at, reverse), true)
            }
            Access::Consecutive { at, .. } => {
                // Interleaved parts.
                let n = self.count();
                let both = ir.load(ir.vector(ty, 2 * n), at);
                ir.set_align(both, storage.size() as u32 / 2);
                self.mark(both, array);
                let take = |odd: u32| {
                    let lanes: Vec<u32> = (0..n).map(|k| 2 * k + odd).collect();
                    ir.shuffle(both, both, &lanes)
                };
                Val::pair(take(0), take(1), true)
            }
            Access::Scattered { at, mask } => {
                let a = self.gather(array, ty, at, mask);
                let b = storage
                    .is_complex()
                    .then(|| self.gather(array, ty, ir.offset_const(at, storage.size() / 2), mask));
                Val { a, b, wide: true }
            }
        };
        self.widen_element(array, v)
    }

    pub(crate) fn wide_store(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        value: &Expr,
        guard: bool,
        span: Span,
    ) -> Result<()> {
        let access = self.wide_access(array, index, guard, span)?;
        let v = self.expr(value)?;
        let v = self.widen(v);
        self.fits_storage(array, v, span)?;
        let storage = self.storage(array)?;
        let v = self.narrow_element(array, v)?;
        let ir = self.ir();
        match access {
            Access::Consecutive { at, reverse } if !storage.is_complex() => {
                self.store_row(array, v.a, at, reverse);
            }
            Access::Consecutive { at, .. } => {
                let n = self.count();
                let lanes: Vec<u32> = (0..2 * n).map(|k| k / 2 + (k % 2) * n).collect();
                let both = ir.shuffle(v.a, v.second()?, &lanes);
                let s = ir.store(both, at);
                ir.set_align(s, storage.size() as u32 / 2);
                self.mark(s, array);
            }
            Access::Scattered { at, mask } => {
                self.scatter(array, v.a, at, mask);
                if storage.is_complex() {
                    self.scatter(array, v.second()?, ir.offset_const(at, storage.size() / 2), mask);
                }
            }
        }
        Ok(())
    }

    /// How the lanes' elements lie in memory.
    fn wide_access(&mut self, array: ArrayId, index: &[Expr], guard: bool, span: Span) -> Result<Access> {
        let Some(facts) = self.lanes.as_ref().map(|l| l.facts.clone()) else {
            return invalid("a wide access without lanes");
        };
        let steps: Option<Vec<i64>> = index.iter().map(|e| facts.linear_step(e)).collect();
        let ir = self.ir();
        let all = self.const_bool(true, true);
        let active = self.mask().map_or(all, |m| m.a);
        if let (Some(steps), false) = (steps, guard) {
            let mut first = Vec::with_capacity(index.len());
            for e in index {
                first.push(self.first_lane(e)?);
            }
            let at = self.place(array, &first)?.at;
            if let Some((last, outer)) = steps.split_last()
                && outer.iter().all(|s| *s == 0)
                && self.unit(array)
            {
                let complex = self.storage(array)?.is_complex();
                match *last {
                    1 if !complex || self.mask().is_none() => {
                        return Ok(Access::Consecutive { at, reverse: false });
                    }
                    -1 if !complex => return Ok(Access::Consecutive { at, reverse: true }),
                    _ => {}
                }
            }
            let slot = self.slot(array)?;
            let mut stride = ir.const_i64(0);
            for (step, cell) in steps.iter().zip(&slot.strides) {
                stride = self.index_fma(stride, ir.const_i64(*step), self.cell(*cell));
            }
            let offsets = ir.mul(self.iota(1), ir.splat(stride, self.count()), Wrap::Signed);
            // Inactive lanes may point anywhere, so the addresses promise nothing.
            return Ok(Access::Scattered { at: ir.offset(at, offsets, false), mask: active });
        }
        self.indexed_access(array, index, guard, active, span)
    }

    /// Every lane computes its own address.
    fn indexed_access(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        guard: bool,
        active: V,
        span: Span,
    ) -> Result<Access> {
        let ir = self.ir();
        let slot = self.slot(array)?;
        let mut at = Vec::with_capacity(index.len());
        for e in index {
            let v = self.expr(e)?;
            at.push(self.widen(v).a);
        }
        let mut mask = active;
        if guard {
            let zero = self.spread(ir.const_i64(0), true);
            let mut ok = self.const_bool(true, true);
            for (i, extent) in at.iter_mut().zip(&slot.extents) {
                let n = self.spread(self.cell(*extent), true);
                let negative = ir.icmp(IntPred::LLVMIntSLT, *i, zero);
                *i = ir.select(negative, ir.add(*i, n, Wrap::Any), *i);
                ok = ir.and(ok, ir.icmp(IntPred::LLVMIntULT, *i, n));
            }
            let bad = ir.not(ok);
            self.fire(bad, true, EventCode::Index, span);
            mask = ir.and(mask, ok);
        }
        let mut offset = self.spread(ir.const_i64(0), true);
        for (i, stride) in at.iter().zip(&slot.strides) {
            let stride = self.spread(self.cell(*stride), true);
            offset = ir.add(offset, ir.mul(*i, stride, Wrap::Any), Wrap::Any);
        }
        let base = self.cell(slot.ptr);
        Ok(Access::Scattered { at: ir.offset(base, offset, false), mask })
    }

    /// The lowest address of a row of lanes that starts at `at`.
    fn row_start(&self, ty: crate::llvm::T, at: V, reverse: bool) -> V {
        let ir = self.ir();
        if !reverse {
            return at;
        }
        ir.element(ty, at, ir.const_i64(1 - i64::from(self.count())), false)
    }

    fn reversed(&self, v: V) -> V {
        let n = self.count();
        let lanes: Vec<u32> = (0..n).rev().collect();
        self.ir().shuffle(v, v, &lanes)
    }

    fn load_row(&self, array: ArrayId, ty: crate::llvm::T, at: V, reverse: bool) -> V {
        let ir = self.ir();
        let at = self.row_start(ty, at, reverse);
        let size = self.u.nest.elem_size(array) as u32;
        let wide = ir.vector(ty, self.count());
        let v = match self.mask() {
            None => {
                let v = ir.load(wide, at);
                ir.set_align(v, size);
                v
            }
            Some(mask) => {
                let mask = if reverse { self.reversed(mask.a) } else { mask.a };
                let v = ir.intrinsic("llvm.masked.load", &[wide, ir.ptr()], &[at, mask, ir.zero(wide)]);
                ir.argument_align(v, 0, size);
                v
            }
        };
        self.mark(v, array);
        if reverse { self.reversed(v) } else { v }
    }

    fn store_row(&self, array: ArrayId, v: V, at: V, reverse: bool) {
        let ir = self.ir();
        let ty = self.memory_type(self.storage(array).unwrap_or(Scalar::I8));
        let at = self.row_start(ty, at, reverse);
        let size = self.u.nest.elem_size(array) as u32;
        let v = if reverse { self.reversed(v) } else { v };
        let s = match self.mask() {
            None => {
                let s = ir.store(v, at);
                ir.set_align(s, size);
                s
            }
            Some(mask) => {
                let mask = if reverse { self.reversed(mask.a) } else { mask.a };
                let s = ir.intrinsic("llvm.masked.store", &[ir.type_of(v), ir.ptr()], &[v, at, mask]);
                ir.argument_align(s, 1, size);
                s
            }
        };
        self.mark(s, array);
    }

    fn gather(&self, array: ArrayId, ty: crate::llvm::T, at: V, mask: V) -> V {
        let ir = self.ir();
        let wide = ir.vector(ty, self.count());
        let v = ir.intrinsic("llvm.masked.gather", &[wide, ir.type_of(at)], &[at, mask, ir.zero(wide)]);
        ir.argument_align(v, 0, part_align(self.u.nest.elem_size(array), self.storage(array)));
        self.mark(v, array);
        v
    }

    fn scatter(&self, array: ArrayId, v: V, at: V, mask: V) {
        let ir = self.ir();
        let s = ir.intrinsic("llvm.masked.scatter", &[ir.type_of(v), ir.type_of(at)], &[v, at, mask]);
        ir.argument_align(s, 1, part_align(self.u.nest.elem_size(array), self.storage(array)));
        self.mark(s, array);
    }
}

/// The alignment of one component.
fn part_align(size: usize, storage: Result<Scalar>) -> u32 {
    let parts = if storage.is_ok_and(|s| s.is_complex()) { 2 } else { 1 };
    (size / parts) as u32
}

/// How the elements of all lanes lie in memory.
enum Access {
    /// One after the other from `at` on, or downwards from it.
    Consecutive { at: V, reverse: bool },
    /// At an address per lane; only lanes of the mask exist.
    Scattered { at: V, mask: V },
}

/// Whether a side of a branch is worth testing for, or may only run if some lane takes it.
fn is_heavy(block: &[Stmt]) -> bool {
    use nestwise_ir::StmtKind;
    block.iter().any(|s| match &s.kind {
        StmtKind::Let { value, .. } => !super::expr::is_plain(value),
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) => false,
        StmtKind::If { cond, then, orelse } => {
            !super::expr::is_plain(cond) || is_heavy(then) || is_heavy(orelse)
        }
        _ => true,
    })
}
