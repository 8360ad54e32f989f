//! How results of parts become one: the operations of reductions, in the order of the parts.

use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{CmpOp, For, Scalar, VarId};

use crate::abi::part::CELL;
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{IntPred, Ir, V};
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;
use crate::lower::{accumulations, part_cells};

/// Takes in one part's results, whose cells are given; returns whether a sum left its representation.
pub(crate) fn combine(em: &mut Emitter<'_, '_>, l: &For, t: &ThreadLoop, cells: V) -> Result<V> {
    let ir = em.ir;
    let mut overflow = ir.const_bool(false);
    for (k, v) in part_cells::results(t).enumerate() {
        let (home, repr) = (em.vars.home(&em.lanes, v, false)?, em.unit.repr(v)?);
        let got = em.unit.load_cell(repr, ir.offset_const(cells, CELL * k));
        let Some((_, op)) = t.reductions.get(k) else {
            home.store(em.ir, got);
            continue;
        };
        let mine = home.load(em.ir);
        if *op == RedOp::Last {
            let mark = ir.load(
                ir.i64(),
                ir.offset_const(cells, part_cells::mark_cell(t, k)),
            );
            let assigned = ir.icmp(IntPred::LLVMIntNE, mark, ir.const_i64(0));
            let merged = em.lanes.choose(Val::one(assigned), got, mine);
            home.store(em.ir, merged);
            continue;
        }
        if let RedOp::Along(best) = op {
            let better = improves(em, t, *best, cells)?;
            let merged = em.lanes.choose(Val::one(better), got, mine);
            home.store(em.ir, merged);
            continue;
        }
        let (merged, bad) = merge(
            em.ir,
            *op,
            mine,
            got,
            repr,
            accumulations::propagates_nan(l, v),
        )?;
        // Without guard the whole is proved to fit, and what wrapped in a part wraps back here.
        if accumulations::variable_may_fail(l, v) {
            overflow = ir.or(overflow, bad);
        }
        home.store(em.ir, Val::one(merged));
    }
    if !ir.is_false(overflow) {
        em.unit.may_fail.set(true);
    }
    Ok(overflow)
}

/// Has a flag kept, from here on, of whether a variable was assigned.
pub(crate) fn keep_mark(em: &mut Emitter<'_, '_>, v: VarId) {
    let ir = em.ir;
    let mark = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), mark);
    em.vars.marks.insert(v, mark);
}

/// Whether a part's value of a minimum or maximum is strictly better than what the parts before it found.
fn improves(em: &mut Emitter<'_, '_>, t: &ThreadLoop, best: VarId, cells: V) -> Result<V> {
    let ir = em.ir;
    let found = t.reductions.iter().position(|r| r.0 == best);
    let Some((k, (_, op))) = found.map(|k| (k, t.reductions[k])) else {
        return invalid(format!(
            "a value goes along with {best}, which is no reduction"
        ));
    };
    let (home, repr) = (em.vars.home(&em.lanes, best, false)?, em.unit.repr(best)?);
    let mine = home.load(em.ir);
    let got = em.unit.load_cell(repr, ir.offset_const(cells, CELL * k));
    Ok(better(em.ir, op, mine, got, repr))
}

/// Whether `y` comes before `x` in the order that a minimum or maximum goes by.
pub(crate) fn better(ir: &Ir<'_>, op: RedOp, x: Val, y: Val, repr: Scalar) -> V {
    let less = if op == RedOp::Min {
        CmpOp::Lt
    } else {
        CmpOp::Gt
    };
    if repr.is_float() {
        return ir.fcmp(
            crate::lower::scalar::compare::float_predicate(less),
            y.a,
            x.a,
        );
    }
    let signed = repr.is_signed();
    ir.icmp(
        crate::lower::scalar::compare::int_predicate(less, signed),
        y.a,
        x.a,
    )
}

/// Combines two parts' values into one; also returns whether that left its representation.
pub(crate) fn merge(
    ir: &Ir<'_>,
    op: RedOp,
    x: Val,
    y: Val,
    repr: Scalar,
    propagate: bool,
) -> Result<(V, V)> {
    let fine = ir.const_bool(false);
    let checked = |name: &str| {
        let both = ir.intrinsic(name, &[ir.type_of(x.a)], &[x.a, y.a]);
        (ir.field(both, 0), ir.field(both, 1))
    };
    let signed = repr.is_signed();
    Ok(match (op, repr) {
        (RedOp::And, r) if r.is_int() || r == Scalar::Bool => (ir.and(x.a, y.a), fine),
        (RedOp::Or, r) if r.is_int() || r == Scalar::Bool => (ir.or(x.a, y.a), fine),
        (RedOp::Xor, r) if r.is_int() || r == Scalar::Bool => (ir.xor(x.a, y.a), fine),
        (RedOp::Add, r) if r.is_float() => (ir.fadd(x.a, y.a), fine),
        (RedOp::Mul, r) if r.is_float() => (ir.fmul(x.a, y.a), fine),
        (RedOp::Add, r) if r.is_int() && signed => checked("llvm.sadd.with.overflow"),
        (RedOp::Add, r) if r.is_int() => checked("llvm.uadd.with.overflow"),
        (RedOp::Mul, r) if r.is_int() && signed => checked("llvm.smul.with.overflow"),
        (RedOp::Mul, r) if r.is_int() => checked("llvm.umul.with.overflow"),
        (RedOp::Min | RedOp::Max, r) if r.is_int() || r.is_float() => {
            // The later part wins only if it is strictly better, as each element does in turn.
            let mut better = better(ir, op, x, y, r);
            if r.is_float() && propagate {
                let nan = ir.fcmp(crate::llvm::RealPred::LLVMRealUNO, y.a, y.a);
                let mine = ir.fcmp(crate::llvm::RealPred::LLVMRealORD, x.a, x.a);
                better = ir.and(mine, ir.or(nan, better));
            }
            (ir.select(better, y.a, x.a), fine)
        }
        _ => return unsupported(format!("reduction {op:?} on {repr}")),
    })
}

/// The identity of a reduction: the value that changes nothing.
pub(crate) fn identity(em: &Emitter<'_, '_>, repr: Scalar, op: RedOp) -> Result<Val> {
    if repr.is_float() {
        let x = match op {
            RedOp::Add => 0.0,
            RedOp::Mul => 1.0,
            RedOp::Min => f64::INFINITY,
            RedOp::Max => f64::NEG_INFINITY,
            _ => return unsupported(format!("reduction {op:?} on {repr}")),
        };
        return Ok(Val::one(em.lanes.const_float(repr, x, false)));
    }
    let Some((lo, hi)) = repr.int_range().filter(|_| repr != Scalar::I128) else {
        return unsupported(format!("reduction on {repr}"));
    };
    let x = match op {
        RedOp::Add | RedOp::Or | RedOp::Xor => 0,
        RedOp::Mul => 1,
        RedOp::Min => hi,
        RedOp::Max => lo,
        RedOp::And if repr.is_signed() => -1,
        RedOp::And => hi,
        RedOp::Along(_) | RedOp::Last => return invalid("a value that is not combined"),
    };
    Ok(Val::one(em.lanes.const_int(repr, x, false)))
}
