//! Loops in which a kernel asks whether somebody waits ([`Nest::interruptible`](nestwise_ir::Nest::interruptible)).

use std::ffi::CStr;

use nestwise_ir::{For, LoopId, Span, Stmt, StmtKind, interrupts};

use crate::abi::{EventCode, FrameHeader};
use crate::error::Result;
use crate::link::interrupts::FIRST_BUDGET;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::Func;
use crate::lower::control::loops::{Range, is_innermost};

const ASK: &CStr = c"nw_ask";

impl Func<'_, '_> {
    /// Gives the function a budget, if it may have loops that are asked in. Devices are not interrupted: what runs there is
    /// cut into short launches.
    pub(crate) fn begin_budget(&mut self) {
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
    pub(crate) fn pass_deadline(&self, env: V) {
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
    pub(crate) fn ask_in_iteration(&mut self, id: LoopId, body: &[Stmt], span: Span) {
        if self.is_asked_in(id) {
            let work = interrupts::own_work(self.u.nest, body);
            self.spend(self.ir().const_i64(work), span);
        }
    }

    /// A counted loop inside the nest. One with no loops inside in which it is asked runs in pieces of at most
    /// [`PIECE`](interrupts::PIECE) with a question before each, so that the piece stays as it is for the vectorisers.
    pub(crate) fn in_pieces(&mut self, l: &For, range: Range, span: Span) -> Result<()> {
        if !self.is_asked_in(l.id) || !is_innermost(&l.body) || breaks(l) {
            return self.counted(l, range, None);
        }
        let ir = self.ir();
        let each = interrupts::own_work(self.u.nest, &l.body);
        let most = ir.const_i64((interrupts::PIECE / each).max(1));
        let (piece, end) = (self.fresh(), self.fresh());
        let before = ir.here();
        let any = ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi);
        ir.cond_br(any, piece, end);
        ir.at(piece);
        let lo = ir.phi(ir.i64());
        ir.add_incoming(lo, range.lo, before);
        let left = ir.sub(range.hi, lo, Wrap::Signed);
        let long = ir.icmp(IntPred::LLVMIntSGT, left, most);
        let trips = ir.select(long, most, left);
        self.spend(ir.mul(trips, ir.const_i64(each), Wrap::Any), span);
        let ir = self.ir();
        let next = ir.add(lo, trips, Wrap::Signed);
        let hi = ir.add(lo, self.no_trips_after_event(trips), Wrap::Signed);
        self.counted(l, Range { lo, hi, ..range }, None)?;
        let ir = self.ir();
        ir.add_incoming(lo, next, ir.here());
        let more = ir.icmp(IntPred::LLVMIntSLT, next, range.hi);
        ir.expect(ir.cond_br(more, piece, end), 1, 1 << 12);
        ir.at(end);
        Ok(())
    }

    /// Before each iteration of a counted loop that does not run in pieces.
    pub(crate) fn ask_in_counted(&mut self, l: &For) {
        if !is_innermost(&l.body) || breaks(l) {
            self.ask_in_iteration(l.id, &l.body, self.loop_span(l.id));
        }
    }

    /// The line of a loop's head.
    pub(crate) fn loop_span(&self, id: LoopId) -> Span {
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

/// Whether an iteration may end the loop.
fn breaks(l: &For) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| found |= matches!(s.kind, StmtKind::Break(id) if id == l.id));
    }
    found
}
