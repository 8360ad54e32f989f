//! Values that are computed for the floating-point flags alone ([`nestwise_analysis::dataflow::fp_flags`]).
//!
//! Their bits are put together into a word that the optimiser takes for used when the function ends. Unlike a volatile
//! operation on each value this leaves loops to the vectorisers: it is one more reduction.

use nestwise_analysis::dataflow::fp_flags::warns;
use nestwise_ir::{Expr, LoopId, Scalar};

use crate::error::Result;
use crate::llvm::{Ir, V};
use crate::lower::emitter::Emitter;
use crate::lower::scalar::flag_state::{BITS, word_lanes, word_type};
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// Keeps the value of `e` if it is idle and something in it may warn.
pub(crate) fn keep_unread(em: &Emitter<'_, '_>, e: &Expr, v: Val) {
    if em.flags.unread {
        keep_if_warns(em, e, v);
    }
}

pub(crate) fn keep_if_warns(em: &Emitter<'_, '_>, e: &Expr, v: Val) {
    if warns(e) {
        keep(em, v, e.ty.repr);
    }
}

/// An operand of `e`, hidden from the optimiser where that would compute `e` itself, without flags.
pub(crate) fn run_time(unit: &Unit<'_>, e: &Expr, operand: &Expr, v: Val) -> Val {
    let float = operand.ty.repr.is_float() || operand.ty.repr.is_complex();
    if !float || unit.device.is_some() || !unit.constants.would_warn(e) {
        return v;
    }
    Val {
        a: unit.ir.opaque(v.a),
        b: v.b.map(|b| unit.ir.opaque(b)),
        wide: v.wide,
    }
}

/// Makes the optimiser keep a value's computation.
pub(crate) fn keep(em: &Emitter<'_, '_>, v: Val, repr: Scalar) {
    if em.unit.spec.unchecked || matches!(repr, Scalar::I128 | Scalar::Num) {
        return;
    }
    for part in [Some(v.a), v.b].into_iter().flatten() {
        keep_part(em, part, v.wide, repr);
    }
}

fn keep_part(em: &Emitter<'_, '_>, v: V, wide: bool, repr: Scalar) {
    let ir = em.ir;
    let size = match repr {
        Scalar::Bool => 1,
        r if r.is_complex() => r.bits() / 2,
        r => r.bits(),
    };
    let which = usize::from(size > BITS[0]);
    let word = em.lanes.shape(ir.int(BITS[which]), wide);
    let bits = match repr.is_float() || repr.is_complex() {
        true => ir.bitcast(v, word),
        false if size < BITS[which] => ir.zext(v, word),
        false => v,
    };
    let home = match (&em.lanes.open, wide) {
        (Some(l), true) => l.kept[which],
        _ => em.flags.kept[which],
    };
    let lanes = if wide { em.lanes.count() } else { 1 };
    let bits = halved(em.ir, bits, lanes, word_lanes(em.unit, BITS[which], lanes));
    let old = ir.load(ir.type_of(bits), home);
    ir.store(ir.or(old, bits), home);
    em.flags.keeps.set(true);
}

/// A vector of `from` lanes folded into one of `to` lanes.
fn halved(ir: &Ir<'_>, mut v: V, mut from: u32, to: u32) -> V {
    while from > to {
        from /= 2;
        let low: Vec<u32> = (0..from).collect();
        let high: Vec<u32> = (from..2 * from).collect();
        v = ir.or(ir.shuffle(v, v, &low), ir.shuffle(v, v, &high));
    }
    v
}

/// Moves what a vector loop's words hold to those of the function, at the end of the loop.
pub(crate) fn keep_lanes_words(em: &Emitter<'_, '_>, words: [V; 2], lanes: u32) {
    if !em.flags.keeps.get() {
        return;
    }
    let ir = em.ir;
    for (k, bits) in BITS.into_iter().enumerate() {
        let ty = word_type(em.unit, bits, lanes);
        let mut v = ir.load(ty, words[k]);
        if word_lanes(em.unit, bits, lanes) > 1 {
            v = ir.intrinsic("llvm.vector.reduce.or", &[ty], &[v]);
        }
        let old = ir.load(ir.int(bits), em.flags.kept[k]);
        ir.store(ir.or(old, v), em.flags.kept[k]);
    }
}

/// Keeps, after a loop, the sums that nothing may need.
pub(crate) fn keep_sums(em: &mut Emitter<'_, '_>, l: LoopId) -> Result<()> {
    let idle: Vec<_> = em.unit.flag_only.left_by(l).collect();
    let own = em.lanes.copy;
    let copies = match &em.lanes.jam {
        Some(jam) if !em.lanes.in_copy => 0..jam.count,
        _ => own..own + 1,
    };
    for var in idle {
        for copy in copies.clone() {
            em.lanes.copy = copy;
            let v = em.vars.read(&em.lanes, var)?;
            keep(em, v, em.unit.repr(var)?);
        }
        em.lanes.copy = own;
    }
    Ok(())
}

/// Has the words count as used, where the function ends.
pub(crate) fn release_kept(em: &Emitter<'_, '_>) {
    if em.flags.keeps.get() {
        for (k, bits) in BITS.into_iter().enumerate() {
            let ir = em.ir;
            ir.keep_alive(ir.load(ir.int(bits), em.flags.kept[k]));
        }
    }
}
