//! Loops on vectors whose first iterations run one by one, until what they store begins a line of the cache.
//!
//! A vector that lies in two lines takes two accesses. Memory of NumPy's begins 16 bytes behind the beginning of a
//! line, so without this nearly every vector of a loop would.

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::definite_assignment::Vars;
use nestwise_ir::{ArrayId, BinOp, Expr, ExprKind, For, IdSet, StmtKind};

use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::iterations::is_innermost;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::memory::places;
use crate::lower::value::Val;

/// Bytes of a cache line.
const LINE: i64 = 64;
/// The fewest cache lines of a row that the loop has to go through: a shorter one is over too soon.
const MANY: i64 = 8;
/// The fewest bytes of an element: for smaller ones too many iterations would run one by one.
const LEAST_BYTES: usize = 8;

/// The first iteration from which on the loop had better run on vectors; none where that does not matter.
pub(crate) fn aligned_from(em: &mut Emitter<'_, '_>, l: &For, range: Range) -> Result<Option<V>> {
    let inside = em.lanes.open.is_some() || em.lanes.jam.is_some() || em.lanes.edge.is_some();
    let schedule = em.unit.spec.schedule;
    let vectors =
        schedule.vector.iter().any(|(id, _)| *id == l.id) || schedule.independent.contains(&l.id);
    if inside || !vectors || l.step.as_int() != Some(1) || !is_innermost(&l.body) {
        return Ok(None);
    }
    let Some((array, index)) = stored_rows(em, l) else {
        return Ok(None);
    };
    let size = em.unit.nest.elem_size(array) as i64;
    let ir = em.ir;
    let (look, go) = (em.ir.fresh(), em.ir.fresh());
    let trips = ir.sub(range.hi, range.lo, Wrap::Any);
    let many = ir.const_i64(MANY * LINE / size);
    let before = ir.here();
    // Where it does not run, its subscripts may be anything.
    ir.cond_br(ir.icmp(IntPred::LLVMIntSGE, trips, many), look, go);
    ir.at(look);
    let counter = ir.add(range.start, range.lo, Wrap::Signed);
    em.vars.fixed.insert(l.counter, Val::one(counter));
    let at = places::indices(em, index)?;
    let address = ir.address(places::place(em, array, &at)?.at);
    em.vars.fixed.remove(&l.counter);
    let beyond = ir.sub(ir.const_i64(0), address, Wrap::Any);
    let beyond = ir.and(beyond, ir.const_i64(LINE - 1));
    // Elements may lie askew themselves: no iteration begins a line then.
    let askew = ir.and(beyond, ir.const_i64(size - 1));
    let whole = ir.icmp(IntPred::LLVMIntEQ, askew, ir.const_i64(0));
    let ahead = ir.udiv(beyond, ir.const_i64(size));
    let ahead = ir.select(whole, ahead, ir.const_i64(0));
    let first = ir.add(range.lo, ahead, Wrap::Signed);
    let looked = ir.here();
    ir.br(go);
    ir.at(go);
    let from = ir.phi(ir.i64());
    ir.add_incoming(from, range.lo, before);
    ir.add_incoming(from, first, looked);
    Ok(Some(from))
}

/// The first array that every iteration stores the next element of, and its subscripts.
fn stored_rows<'l>(em: &Emitter<'_, '_>, l: &'l For) -> Option<(ArrayId, &'l [Expr])> {
    let assigned = definite_assignment::flow(&[], &l.body, Some(l.id), IdSet::new()).assigned;
    l.body.iter().find_map(|s| match &s.kind {
        StmtKind::Store {
            array,
            index,
            guard: false,
            ..
        } => {
            let size = em.unit.nest.elem_size(*array);
            let (last, outer) = index.split_last()?;
            let consecutive = places::unit(em, *array)
                && !em.unit.storage(*array).ok()?.is_complex()
                && size >= LEAST_BYTES
                && size.is_power_of_two()
                && follows(last, l, &assigned)
                && outer.iter().all(|e| stays(e, l, &assigned));
            consecutive.then_some((*array, index.as_slice()))
        }
        _ => None,
    })
}

/// Whether an expression is the counter, or the counter and something that stays the same.
fn follows(e: &Expr, l: &For, assigned: &Vars) -> bool {
    match &e.kind {
        ExprKind::Var(v) => *v == l.counter,
        ExprKind::Binary {
            op: BinOp::Add,
            a,
            b,
            guard: false,
        } => {
            follows(a, l, assigned) && stays(b, l, assigned)
                || stays(a, l, assigned) && follows(b, l, assigned)
        }
        ExprKind::Binary {
            op: BinOp::Sub,
            a,
            b,
            guard: false,
        } => follows(a, l, assigned) && stays(b, l, assigned),
        _ => false,
    }
}

/// Whether the loop does not change an expression, and computing it before the loop is as good.
fn stays(e: &Expr, l: &For, assigned: &Vars) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Dim(..) => true,
        ExprKind::Var(v) => *v != l.counter && !assigned.contains(v),
        ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub | BinOp::Mul,
            a,
            b,
            guard: false,
        } => stays(a, l, assigned) && stays(b, l, assigned),
        _ => false,
    }
}
