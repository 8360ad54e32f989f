//! Vector loops: the execution of a loop by lanes.
//!
//! The main part runs full vectors, without masks where control is uniform; what is left runs in one more copy of the body
//! under a mask, in narrower vectors where those of the main part are several registers wide.

use std::collections::HashMap;
use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_ir::{Expr, ExprKind, For, Scalar, Span};

use crate::abi::EventCode;
use crate::error::{Result, invalid};
use crate::llvm::{Block, IntPred, V, Wrap};
use crate::lower::control::loops::Range;
use crate::lower::func::Jump;
use crate::lower::vector::lanes::{Facts, Lanes};
use crate::lower::{Func, Val};

/// Lanes of partial vectors, at least, however narrow registers are.
const LEAST: u32 = 4;

impl Func<'_, '_> {
    /// Runs the range by lanes.
    pub(crate) fn run_lanes(
        &mut self,
        l: &For,
        range: Range,
        count: u32,
        facts: Facts,
    ) -> Result<()> {
        let facts = Rc::new(facts);
        if facts.may_fire {
            let loose = facts.loose.iter().filter(|v| !facts.linear.contains_key(v));
            self.loose = Some(Rc::new(loose.copied().collect()));
        }
        let ir = self.ir();
        let (rest, left) = self.full_vectors(l, range, count, &facts)?;
        ir.at(rest);
        let k = ir.phi(ir.i64());
        left.iter()
            .for_each(|(v, from)| ir.add_incoming(k, *v, *from));
        let mut fired = self.close_lanes();
        fired = ir.or(fired, self.partial_vectors(l, range, k, count, &facts)?);
        self.loose = None;
        if facts.may_fire {
            let known = self.u.nest.loops.get(l.id);
            let span = known.map_or(Span::default(), |d| d.span);
            self.fire(fired, false, EventCode::Several, span);
        }
        Ok(())
    }

    /// As many full vectors as there are, without masks where control is uniform. Where control goes then, with the first
    /// iteration that is left, by where it comes from; the lanes are still open.
    fn full_vectors(
        &mut self,
        l: &For,
        range: Range,
        count: u32,
        facts: &Rc<Facts>,
    ) -> Result<(Block, [(V, Block); 2])> {
        let ir = self.ir();
        let all = ir.splat(ir.const_bool(true), count);
        let exec = self.open_lanes(count, facts, false);
        let n = ir.const_i64(count.into());
        let (main, rest) = (self.fresh(), self.fresh());
        let last_full = ir.sub(range.hi, n, Wrap::Any);
        let before = ir.here();
        let some = ir.icmp(IntPred::LLVMIntSLE, range.lo, last_full);
        ir.cond_br(some, main, rest);
        ir.at(main);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, range.lo, before);
        ir.store(all, exec);
        self.lane_body(l, range, k, ir.const_i64(i64::from(count) - 1))?;
        let next = ir.add(k, n, Wrap::Signed);
        let latch = ir.here();
        ir.add_incoming(k, next, latch);
        let back = ir.cond_br(ir.icmp(IntPred::LLVMIntSLE, next, last_full), main, rest);
        let groups = ir.md_node(&[ir.md_string(crate::shape::GROUPS)]);
        self.mark_loop(back, l.id, &[groups]);
        Ok((rest, [(range.lo, before), (next, latch)]))
    }

    /// What that leaves, from iteration `first` on, under masks, a register of the widest elements at a time: where a loop has
    /// few iterations that is all of them. Whether an event fired.
    fn partial_vectors(
        &mut self,
        l: &For,
        range: Range,
        first: V,
        count: u32,
        facts: &Rc<Facts>,
    ) -> Result<V> {
        let ir = self.ir();
        let count = count.min((self.u.host.vector_bits / 64).max(LEAST));
        let exec = self.open_lanes(count, facts, true);
        let (partial, end) = (self.fresh(), self.fresh());
        let before = ir.here();
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, first, range.hi), partial, end);
        ir.at(partial);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, first, before);
        let n = ir.const_i64(count.into());
        let left = ir.sub(range.hi, k, Wrap::Any);
        let active = ir.icmp(IntPred::LLVMIntULT, self.iota(1), ir.splat(left, count));
        ir.store(active, exec);
        if let Some(x) = &mut self.lanes {
            x.diverged = false;
        }
        let fewer = ir.icmp(IntPred::LLVMIntSLT, left, n);
        let last = ir.sub(ir.select(fewer, left, n), ir.const_i64(1), Wrap::Signed);
        self.lane_body(l, range, k, last)?;
        let next = ir.add(k, n, Wrap::Any);
        ir.add_incoming(k, next, ir.here());
        let more = ir.icmp(IntPred::LLVMIntSGT, left, n);
        let back = ir.cond_br(more, partial, end);
        self.mark_loop(back, l.id, &[]);
        ir.at(end);
        Ok(self.close_lanes())
    }

    /// Begins to run `count` iterations at once; where their mask of active ones is.
    fn open_lanes(&mut self, count: u32, facts: &Rc<Facts>, partial: bool) -> V {
        let ir = self.ir();
        let mask_type = ir.vector(ir.i1(), count);
        let [exec, sticky] = [(); 2].map(|()| ir.alloca(self.entry, mask_type));
        ir.store(ir.zero(mask_type), sticky);
        let kept = self.kept_words(count);
        self.lanes = Some(Lanes {
            count,
            facts: facts.clone(),
            exec,
            partial,
            diverged: false,
            sticky,
            kept,
            first: HashMap::new(),
        });
        exec
    }

    /// Ends that. Whether an event fired in one of them.
    fn close_lanes(&mut self) -> V {
        let ir = self.ir();
        let Some(lanes) = &self.lanes else {
            return ir.const_bool(false);
        };
        let (count, kept) = (lanes.count, lanes.kept);
        let fired = self.any(ir.load(ir.vector(ir.i1(), count), lanes.sticky));
        self.keep_lanes_words(kept, count);
        self.lanes = None;
        self.forget_wide_homes();
        fired
    }

    /// Multiples of `step` by lane.
    pub(crate) fn iota(&self, step: i64) -> V {
        let ir = self.ir();
        let items: Vec<V> = (0..i64::from(self.count()))
            .map(|k| ir.const_i64(k.wrapping_mul(step)))
            .collect();
        ir.const_vector(&items)
    }

    /// The body for the iterations from `k` on; `last` is the last active lane.
    fn lane_body(&mut self, l: &For, range: Range, k: V, last: V) -> Result<()> {
        let ir = self.ir();
        let count = self.count();
        let first = ir.add(
            range.start,
            ir.mul(k, range.step, Wrap::Signed),
            Wrap::Signed,
        );
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
        let is_masked = self
            .lanes
            .as_ref()
            .is_some_and(|x| x.facts.masked.contains(&target));
        let lanes = is_masked.then(|| (self.mask_home(), self.mask_home()));
        self.jumps.push(Jump {
            target,
            on_break: next,
            on_continue: next,
            lanes,
        });
        self.block(&l.body)?;
        self.jumps.pop();
        ir.br(next);
        ir.at(next);
        self.fixed.remove(&l.counter);
        let copies = self.jam.as_ref().map_or(1, |j| j.count);
        for copy in 0..copies {
            self.copy = copy;
            self.leave_last_lane(l, counter, last)?;
        }
        self.copy = 0;
        Ok(())
    }

    /// Variables that are read after the loop get the last iteration's value.
    fn leave_last_lane(&mut self, l: &For, counter: V, last: V) -> Result<()> {
        let Some(facts) = self.lanes.as_ref().map(|x| x.facts.clone()) else {
            return Ok(());
        };
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
        let inside = crate::lower::reads_in(&l.body);
        if self.u.live_after(l.counter, &inside) {
            let home = self.home(l.counter, false)?;
            self.put(home, Val::one(ir.extract(counter, last)));
        }
        Ok(())
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
        let (wide_start, wide_stop, wide_step) =
            (self.widen(start), self.widen(stop), self.widen(step));
        let trips = self.trips(
            wide_start.a,
            wide_stop.a,
            wide_step.a,
            l.step.as_int(),
            true,
        );
        let linear = facts.linear.contains_key(&l.counter);
        let first = if linear {
            Some(self.first_lane(&l.start)?)
        } else {
            None
        };

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
        self.ask_in_iteration(l.id, &l.body, span);
        self.block(&l.body)?;
        self.jumps.pop();
        self.fixed.remove(&l.counter);
        ir.br(latch);
        ir.at(latch);
        self.next_masked(&m);
        ir.add_incoming(k, ir.add(k, ir.const_i64(1), Wrap::Signed), latch);
        let back = ir.br(head);
        self.mark_loop(back, l.id, &[]);
        ir.at(end);
        self.leave_masked(m);
        Ok(())
    }

    fn sticky_home(&self) -> V {
        self.lanes.as_ref().map_or(self.exits.at, |l| l.sticky)
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
}
