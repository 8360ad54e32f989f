//! The iterations of counted loops: bounds, steps, trip counts.

use nestwise_ir::{Expr, For, Span};

use crate::abi::GuardFailure;
use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;

/// The iterations `lo..hi` of a counted loop with its counter's first value and step.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) start: V,
    pub(crate) step: V,
    pub(crate) lo: V,
    pub(crate) hi: V,
}

/// All iterations of a counted loop.
pub(crate) fn range(em: &mut Emitter<'_, '_>, l: &For, span: Span) -> Result<Range> {
    let start = em.expr(&l.start)?.a;
    let stop = em.expr(&l.stop)?.a;
    let step = step(em, &l.step, span)?;
    let trips = trips(em, start, stop, step, l.step.as_int(), false);
    let trips = no_trips_after_failure(em, trips);
    Ok(Range {
        start,
        step,
        lo: em.ir.const_i64(0),
        hi: trips,
    })
}

/// The step of a counted loop; zero fails, and is replaced by one.
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
    guards::fail_where(em, zero, v.wide, GuardFailure::Step, span);
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

/// The trip count, or 0 after a guard failure in a vector loop: values may be off then, and so may trip counts.
pub(crate) fn no_trips_after_failure(em: &Emitter<'_, '_>, trips: V) -> V {
    let Some(l) = em.lanes.open.as_ref().filter(|l| l.facts.may_fail) else {
        return trips;
    };
    let ir = em.ir;
    let failed = em
        .lanes
        .any(ir.load(ir.vector(ir.i1(), l.count), l.deferred));
    ir.select(failed, ir.const_i64(0), trips)
}

/// The iterations of a part of a loop, in a function made for parts.
pub(crate) fn part_range(em: &Emitter<'_, '_>, l: &For) -> Range {
    let ir = em.ir;
    let bounds = ir.offset_const(em.function.frame, crate::abi::FrameHeader::BOUNDS);
    let start = match l.start.as_int() {
        Some(v) => ir.const_int(ir.i64(), v),
        None => ir.load(ir.i64(), bounds),
    };
    let step = match l.step.as_int() {
        Some(v) => ir.const_int(ir.i64(), v),
        None => ir.load(ir.i64(), ir.offset_const(bounds, 8)),
    };
    Range {
        start,
        step,
        lo: em.function.lo,
        hi: em.function.hi,
    }
}
