//! Loops in which a kernel asks whether somebody waits ([`Nest::interruptible`](nestwise_ir::Nest::interruptible)).

use std::ffi::CStr;

use nestwise_ir::{For, LoopId, Span, Stmt, StmtKind, interrupts};

use crate::abi::{FrameHeader, GuardFailure};
use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::iterations::is_innermost;
use crate::lower::control::ranges::Range;
use crate::lower::control::{guards, iterations, ranges};
use crate::lower::emitter::Emitter;

const ASK: &CStr = c"nw_ask";

/// Hands the deadline on to the environment of a thread body.
pub(crate) fn pass_deadline(em: &Emitter<'_, '_>, env: V) {
    if em.exits.budget.is_some() {
        let ir = em.ir;
        let deadline = ir.load(
            ir.i64(),
            ir.offset_const(em.function.frame, FrameHeader::DEADLINE),
        );
        ir.store(deadline, ir.offset_const(env, FrameHeader::DEADLINE));
    }
}

fn is_asked_in(em: &Emitter<'_, '_>, id: LoopId) -> bool {
    em.exits.budget.is_some() && em.unit.nest.interruptible.contains(&id)
}

/// Asks whether somebody waits before each iteration of a loop, if the loop is one in which that is asked.
pub(crate) fn ask_in_iteration(em: &Emitter<'_, '_>, id: LoopId, body: &[Stmt], span: Span) {
    if is_asked_in(em, id) {
        let work = interrupts::own_work(em.unit.nest, body);
        spend(em, em.ir.const_i64(work), span);
    }
}

/// Emits a counted loop inside the nest. One with no loops inside in which it is asked whether somebody waits runs in
/// pieces of at most [`PIECE`](interrupts::PIECE) iterations with a question before each, so that the piece stays as it
/// is for the vectorisers.
pub(crate) fn in_pieces(em: &mut Emitter<'_, '_>, l: &For, range: Range, span: Span) -> Result<()> {
    if !is_asked_in(em, l.id) || !is_innermost(&l.body) || breaks(l) {
        return em.counted(l, range, None);
    }
    let ir = em.ir;
    let each = interrupts::own_work(em.unit.nest, &l.body);
    let most = ir.const_i64((interrupts::PIECE / each).max(1));
    let (piece, end) = (em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    let any = ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi);
    ir.cond_br(any, piece, end);
    ir.at(piece);
    let lo = ir.phi(ir.i64());
    ir.add_incoming(lo, range.lo, before);
    let left = ir.sub(range.hi, lo, Wrap::Signed);
    let long = ir.icmp(IntPred::LLVMIntSGT, left, most);
    let trips = ir.select(long, most, left);
    spend(em, ir.mul(trips, ir.const_i64(each), Wrap::Any), span);
    let ir = em.ir;
    let next = ir.add(lo, trips, Wrap::Signed);
    let hi = ir.add(lo, ranges::no_trips_after_failure(em, trips), Wrap::Signed);
    em.counted(l, Range { lo, hi, ..range }, None)?;
    let ir = em.ir;
    ir.add_incoming(lo, next, ir.here());
    let more = ir.icmp(IntPred::LLVMIntSLT, next, range.hi);
    ir.expect(ir.cond_br(more, piece, end), 1, 1 << 12);
    ir.at(end);
    Ok(())
}

/// Asks whether somebody waits before each iteration of a counted loop that does not run in pieces.
pub(crate) fn ask_in_counted(em: &Emitter<'_, '_>, l: &For) {
    if !is_innermost(&l.body) || breaks(l) {
        ask_in_iteration(em, l.id, &l.body, iterations::loop_span(em.unit, l.id));
    }
}

/// Spends `work` of the budget, and asks whether somebody waits once it is used up.
fn spend(em: &Emitter<'_, '_>, work: V, span: Span) {
    let Some(budget) = em.exits.budget else {
        return;
    };
    let ir = em.ir;
    let left = ir.sub(ir.load(ir.i64(), budget), work, Wrap::Any);
    ir.store(left, budget);
    let (ask, on) = (em.ir.fresh(), em.ir.fresh());
    let used_up = ir.icmp(IntPred::LLVMIntSLT, left, ir.const_i64(0));
    ir.expect(ir.cond_br(used_up, ask, on), 1, 1 << 12);
    ir.at(ask);
    let next = em.unit.reading_call(ASK, ir.i64(), &[em.function.frame]);
    ir.store(next, budget);
    let over = ir.icmp(IntPred::LLVMIntEQ, next, ir.const_i64(0));
    guards::fail_where(em, over, false, GuardFailure::Interrupt, span);
    let ir = em.ir;
    ir.br(on);
    ir.at(on);
}

/// Whether an iteration may end the loop.
fn breaks(l: &For) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| found |= matches!(s.kind, StmtKind::Break(id) if id == l.id));
    }
    found
}
