//! The top loop of a nest, of which each call of the kernel runs a range of iterations.

use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_ir::model::nest::While;
use nestwise_ir::{For, VarId};

use crate::abi::Status;
use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::exits::Jump;
use crate::lower::control::ranges::Range;
use crate::lower::control::{iterations, loops};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::cooperative;
use crate::lower::unit::Unit;
use crate::lower::value::Val;
use crate::lower::vector::lanes;

/// Emits the body once for all iterations of this call; a guard failure in it is only known to lie in their range.
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
    loops::iterate(em, l, once, None)?;
    em.ir.store(em.function.hi, em.exits.at);
    Ok(())
}

/// Whether the schedule has iterations of the loop run other than one after the other.
fn mapped(unit: &Unit<'_>, l: &For) -> bool {
    let s = unit.spec.schedule;
    let threads = s.threads.iter().any(|t| t.id == l.id);
    threads || unit.deferred.contains(&l.id) || lanes::vector_lanes(unit, l).is_some()
}

impl Emitter<'_, '_> {
    /// Emits the top loop over the iterations of this call.
    pub(crate) fn top_for(&mut self, l: &For, start: V, step: V) -> Result<()> {
        if let Some(end) = self.unit.nest.whole {
            return top_whole(self, l, end, start, step);
        }
        let range = Range {
            start,
            step,
            lo: self.function.lo,
            hi: self.function.hi,
        };
        if cooperative::cooperates(self.unit, l.id) {
            return cooperative::cooperate_at_top(self, range);
        }
        // Where iterations are not run one after the other, a guard failure is only known to lie in the range.
        let serial = !mapped(self.unit, l);
        self.counted(l, range, serial.then_some(self.exits.at))?;
        self.ir.store(self.function.hi, self.exits.at);
        Ok(())
    }

    /// Emits the top `while`: at most `hi - lo` iterations in this call.
    pub(crate) fn top_while(&mut self, l: &While) -> Result<()> {
        let ir = self.ir;
        if cooperative::cooperates(self.unit, l.id) {
            let zero = ir.const_i64(0);
            return cooperative::cooperate_at_top(
                self,
                Range {
                    start: zero,
                    step: zero,
                    lo: self.function.lo,
                    hi: self.function.hi,
                },
            );
        }
        let (head, test, body, latch, end, over) = (
            self.ir.fresh(),
            self.ir.fresh(),
            self.ir.fresh(),
            self.ir.fresh(),
            self.ir.fresh(),
            self.ir.fresh(),
        );
        let before = ir.here();
        ir.br(head);
        ir.at(head);
        let k = ir.phi(ir.i64());
        ir.add_incoming(k, self.function.lo, before);
        ir.store(k, self.exits.at);
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, k, self.function.hi), test, end);
        ir.at(test);
        let c = self.expr(&l.cond)?;
        ir.cond_br(c.a, body, over);
        ir.at(body);
        let on_break = self.exits.top_break(ir);
        self.exits.jumps.push(Jump {
            target: Target::Loop(l.id),
            on_break,
            on_continue: latch,
            lanes: None,
        });
        self.block(&l.body)?;
        self.exits.jumps.pop();
        ir.br(latch);
        ir.at(latch);
        ir.add_incoming(k, ir.add(k, ir.const_i64(1), Wrap::Signed), latch);
        let back = ir.br(head);
        iterations::mark_loop(self.ir, back, l.id, &[]);
        ir.at(over);
        ir.store(ir.const_i64(Status::Finished as i64), self.exits.status);
        ir.br(end);
        ir.at(end);
        Ok(())
    }
}
