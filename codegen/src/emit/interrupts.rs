//! Loops in which a kernel asks whether somebody waits ([`Nest::interruptible`](nestwise_ir::Nest::interruptible)).

use std::ffi::CStr;

use nestwise_ir::{For, LoopId, Span, Stmt, interrupts};

use super::Func;
use super::loops::is_innermost;
use crate::abi::{EventCode, FrameHeader};
use crate::llvm::{IntPred, V, Wrap};
use crate::waiting::FIRST_BUDGET;

const ASK: &CStr = c"nw_ask";

impl Func<'_, '_> {
    /// Gives the function a budget, if it may have loops that are asked in. Devices are not interrupted: what runs there is
    /// cut into short launches.
    pub(super) fn begin_budget(&mut self) {
        if self.u.nest.interruptible.is_empty() || self.u.device.is_some() || self.u.grid.is_some()
        {
            return;
        }
        let ir = self.ir();
        let budget = ir.alloca(self.entry, ir.i64());
        ir.store(ir.const_i64(FIRST_BUDGET), budget);
        self.budget = Some(budget);
    }

    /// Hands the deadline on to the environment of a thread body.
    pub(super) fn pass_deadline(&self, env: V) {
        if self.budget.is_some() {
            let ir = self.ir();
            let deadline = ir.load(ir.i64(), ir.offset_const(self.frame, FrameHeader::DEADLINE));
            ir.store(deadline, ir.offset_const(env, FrameHeader::DEADLINE));
        }
    }

    fn is_asked_in(&self, id: LoopId) -> bool {
        self.budget.is_some() && self.u.nest.interruptible.contains(&id)
    }

    /// Before each iteration of a loop.
    pub(super) fn ask_in_iteration(&mut self, id: LoopId, body: &[Stmt], span: Span) {
        if self.is_asked_in(id) {
            let work = interrupts::own_work(self.u.nest, body);
            self.spend(self.ir().const_i64(work), span);
        }
    }

    /// Before a counted loop with no loops inside: it stays as it is for the vectorisers, and what takes too long in one piece
    /// is left to CPython, which finds the loop to be a site of its own. On threads it is not: the loop around it, which they
    /// share, would be lost.
    pub(super) fn ask_before(&mut self, l: &For, trips: V, span: Span) {
        if !self.is_asked_in(l.id) || !is_innermost(&l.body) {
            return;
        }
        let ir = self.ir();
        let each = interrupts::own_work(self.u.nest, &l.body);
        let most = ir.const_i64(interrupts::LONGEST / each);
        let long = ir.icmp(IntPred::LLVMIntSGT, trips, most);
        if self.is_entry {
            self.fire(long, false, EventCode::Interrupt, span);
        }
        let ir = self.ir();
        let trips = ir.select(long, most, trips);
        self.spend(ir.mul(trips, ir.const_i64(each), Wrap::Any), span);
    }

    /// Counted loops with loops inside are asked in before each iteration.
    pub(super) fn ask_in_counted(&mut self, l: &For) {
        if !is_innermost(&l.body) {
            self.ask_in_iteration(l.id, &l.body, self.loop_span(l.id));
        }
    }

    /// The line of a loop's head.
    pub(super) fn loop_span(&self, id: LoopId) -> Span {
        let decl = self.u.nest.loops.get(id);
        decl.map_or(Span::default(), |d| d.span)
    }

    /// Takes work from the budget, and asks once it is used up.
    fn spend(&mut self, work: V, span: Span) {
        let Some(budget) = self.budget else { return };
        let ir = self.ir();
        let left = ir.sub(ir.load(ir.i64(), budget), work, Wrap::Any);
        ir.store(left, budget);
        let (ask, on) = (self.fresh(), self.fresh());
        let used_up = ir.icmp(IntPred::LLVMIntSLT, left, ir.const_i64(0));
        ir.expect(ir.cond_br(used_up, ask, on), 1, 1 << 12);
        ir.at(ask);
        let next = self.u.reading_call(ASK, ir.i64(), &[self.frame]);
        ir.store(next, budget);
        let over = ir.icmp(IntPred::LLVMIntEQ, next, ir.const_i64(0));
        self.fire(over, false, EventCode::Interrupt, span);
        let ir = self.ir();
        ir.br(on);
        ir.at(on);
    }
}
