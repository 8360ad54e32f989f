//! Conversions between representations.

use nestwise_ir::model::nest::Cast;
use nestwise_ir::{Scalar, Span};

use crate::abi::GuardFailure;
use crate::error::{Result, unsupported};
use crate::llvm::{IntPred, Ir, RealPred, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;

pub(crate) fn cast(
    em: &mut Emitter<'_, '_>,
    kind: Cast,
    v: Val,
    from: Scalar,
    to: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    match kind {
        Cast::Value if from == to => Ok(v),
        Cast::Value => cast_value(em, v, from, to, guard, span),
        Cast::Round => cast_round(em, v, from, to, guard, span),
        Cast::Trunc => cast_trunc(em, v, from, to, guard, span),
        Cast::Truth => cast_truth(em, v, from),
        Cast::Ord => {
            let signed = from.is_signed();
            Ok(Val::shaped(
                resize(em, v.a, v.wide, from, to, signed),
                v.wide,
            ))
        }
    }
}

/// An integer in another width; the value is kept only where it fits.
fn resize(em: &Emitter<'_, '_>, v: V, wide: bool, from: Scalar, to: Scalar, signed: bool) -> V {
    let ir = em.ir;
    let (a, b) = (bits(from), bits(to));
    let ty = em.lanes.shape(ir.int(b), wide);
    match (a < b, a > b) {
        (true, _) if signed => ir.sext(v, ty),
        (true, _) => ir.zext(v, ty),
        (_, true) => ir.trunc(v, ty),
        _ => v,
    }
}

fn cast_value(
    em: &Emitter<'_, '_>,
    v: Val,
    from: Scalar,
    to: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    let is_whole = |s: Scalar| s.is_int() || s == Scalar::Bool;
    match (from, to) {
        (f, t) if is_whole(f) && t.is_int() => cast_int(em, v, f, t, guard, span),
        (f, Scalar::Bool) if f.is_int() => cast_truth(em, v, f),
        (f, t) if is_whole(f) && (t.is_float() || t == Scalar::Num) => {
            let r = int_to_float(em, v, f, t, guard, span);
            let tag = (t == Scalar::Num).then(|| em.lanes.const_bool(true, v.wide));
            Ok(Val {
                a: r,
                b: tag,
                wide: v.wide,
            })
        }
        (Scalar::F32, Scalar::F64) => Ok(Val::shaped(
            ir.fpext(v.a, em.lanes.shape(ir.f64(), v.wide)),
            v.wide,
        )),
        (f, Scalar::Num) if f.is_float() => {
            let x = to_float(em, v, f, Scalar::F64);
            Ok(Val::pair(x, em.lanes.const_bool(false, v.wide), v.wide))
        }
        (Scalar::Num, Scalar::F64) => Ok(Val::shaped(v.a, v.wide)),
        (Scalar::Num, t) if t.is_int() => {
            let bad = ir.not(v.second()?);
            guards::fail_where(em, bad, v.wide, GuardFailure::Convert, span);
            cast_trunc(em, v, from, to, guard, span)
        }
        (Scalar::C64, Scalar::C128) => {
            let up = |x: V| ir.fpext(x, em.lanes.shape(ir.f64(), v.wide));
            Ok(Val::pair(up(v.a), up(v.second()?), v.wide))
        }
        (f, t) if t.is_complex() => {
            let part = if t == Scalar::C64 {
                Scalar::F32
            } else {
                Scalar::F64
            };
            let re = match f {
                _ if is_whole(f) => int_to_float(em, v, f, part, guard, span),
                Scalar::F32 | Scalar::F64 | Scalar::Num => to_float(em, v, f, part),
                _ => return unsupported(format!("conversion of {f} to {t}")),
            };
            Ok(Val::pair(
                re,
                em.lanes.const_float(part, 0.0, v.wide),
                v.wide,
            ))
        }
        _ => unsupported(format!("conversion of {from} to {to}")),
    }
}

/// A float in another width.
fn to_float(em: &Emitter<'_, '_>, v: Val, from: Scalar, to: Scalar) -> V {
    let ir = em.ir;
    match (from, to) {
        (Scalar::F32, Scalar::F64) => ir.fpext(v.a, em.lanes.shape(ir.f64(), v.wide)),
        (Scalar::F64 | Scalar::Num, Scalar::F32) => {
            ir.fptrunc(v.a, em.lanes.shape(ir.f32(), v.wide))
        }
        _ => v.a,
    }
}

fn cast_int(
    em: &Emitter<'_, '_>,
    v: Val,
    from: Scalar,
    to: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    let (mut x, signed) = (v.a, from.is_signed());
    if guard && let (Some((slo, shi)), Some((dlo, dhi))) = (from.int_range(), to.int_range()) {
        let mut bad = em.lanes.const_bool(false, v.wide);
        let (below, above) = if signed {
            (IntPred::LLVMIntSLT, IntPred::LLVMIntSGT)
        } else {
            (IntPred::LLVMIntULT, IntPred::LLVMIntUGT)
        };
        let mut clamped = x;
        for (leaves, pred, end) in [(slo < dlo, below, dlo), (shi > dhi, above, dhi)] {
            if leaves {
                let end = em.lanes.const_int(from, end, v.wide);
                let out = ir.icmp(pred, x, end);
                bad = ir.or(bad, out);
                clamped = ir.select(out, end, clamped);
            }
        }
        guards::fail_where(em, bad, v.wide, GuardFailure::Convert, span);
        if guards::continues(em) {
            x = clamped;
        }
    }
    Ok(Val::shaped(resize(em, x, v.wide, from, to, signed), v.wide))
}

fn int_to_float(
    em: &Emitter<'_, '_>,
    v: Val,
    from: Scalar,
    to: Scalar,
    guard: bool,
    span: Span,
) -> V {
    let ir = em.ir;
    const LIMIT: i128 = 1 << 53;
    if let Some((lo, hi)) = from.int_range() {
        let mut bad = em.lanes.const_bool(false, v.wide);
        if guard && hi > LIMIT {
            let pred = if from.is_signed() {
                IntPred::LLVMIntSGT
            } else {
                IntPred::LLVMIntUGT
            };
            bad = ir.icmp(pred, v.a, em.lanes.const_int(from, LIMIT, v.wide));
        }
        if guard && lo < -LIMIT {
            let low = ir.icmp(
                IntPred::LLVMIntSLT,
                v.a,
                em.lanes.const_int(from, -LIMIT, v.wide),
            );
            bad = ir.or(bad, low);
        }
        guards::fail_where(em, bad, v.wide, GuardFailure::Convert, span);
    }
    let ty = if to == Scalar::F32 {
        ir.f32()
    } else {
        ir.f64()
    };
    let ty = em.lanes.shape(ty, v.wide);
    if from.is_signed() {
        ir.sitofp(v.a, ty)
    } else {
        ir.uitofp(v.a, ty)
    }
}

/// Rounds to f32; guarded: a finite value that becomes infinite fails.
fn cast_round(
    em: &mut Emitter<'_, '_>,
    v: Val,
    from: Scalar,
    to: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    if !matches!(
        (from, to),
        (Scalar::F64, Scalar::F32) | (Scalar::C128, Scalar::C64)
    ) {
        return unsupported(format!("rounding of {from} to {to}"));
    }
    let down = |f: &Emitter<'_, '_>, x: V| {
        let r = ir.fptrunc(x, f.lanes.shape(ir.f32(), v.wide));
        if guard {
            let size = |x: V| ir.intrinsic("llvm.fabs", &[ir.type_of(x)], &[x]);
            let inf = |s: Scalar| f.lanes.const_float(s, f64::INFINITY, v.wide);
            let was = ir.fcmp(RealPred::LLVMRealOLT, size(x), inf(Scalar::F64));
            let is = ir.fcmp(RealPred::LLVMRealOEQ, size(r), inf(Scalar::F32));
            guards::fail_where(f, ir.and(was, is), v.wide, GuardFailure::Convert, span);
        }
        r
    };
    let a = down(em, v.a);
    let b = v.b.map(|b| down(em, b));
    Ok(Val { a, b, wide: v.wide })
}

/// Rounds towards zero to an int; guarded: NaN and what does not fit fail.
fn cast_trunc(
    em: &Emitter<'_, '_>,
    v: Val,
    from: Scalar,
    to: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    let Some((lo, hi)) = to.int_range().filter(|_| to.is_int()) else {
        return unsupported(format!("truncation of {from} to {to}"));
    };
    if !(from.is_float() || from == Scalar::Num) {
        return unsupported(format!("truncation of {from}"));
    }
    let mut x = to_float(em, v, from, Scalar::F64);
    let guard = guard || em.guards.suspects_values();
    if guard {
        // x fits if lo - 1 < x < hi + 1. hi + 1 is a power of two; lo - 1 is a double up to 53 bits, beyond
        // that no double lies between it and lo.
        let above = em
            .lanes
            .const_float(Scalar::F64, -((lo as f64).abs() + 1.0), v.wide);
        let least = em.lanes.const_float(Scalar::F64, lo as f64, v.wide);
        let low = if to.bits() <= 32 {
            ir.fcmp(RealPred::LLVMRealOGT, x, above)
        } else if lo == 0 {
            ir.fcmp(
                RealPred::LLVMRealOGT,
                x,
                em.lanes.const_float(Scalar::F64, -1.0, v.wide),
            )
        } else {
            ir.fcmp(RealPred::LLVMRealOGE, x, least)
        };
        let end = if hi == i128::MAX {
            2f64.powi(127)
        } else {
            (hi + 1) as f64
        };
        let high = ir.fcmp(
            RealPred::LLVMRealOLT,
            x,
            em.lanes.const_float(Scalar::F64, end, v.wide),
        );
        let fits = ir.and(low, high);
        guards::fail_where(em, ir.not(fits), v.wide, GuardFailure::Convert, span);
        if guards::continues(em) {
            // Any int will do that is one. What saturates would be taken apart: no vector instruction does.
            let zero = em.lanes.const_float(Scalar::F64, 0.0, v.wide);
            let x = ir.select(fits, x, zero);
            return Ok(Val::shaped(int_within(em, x, to, v.wide), v.wide));
        }
    }
    if let Some(mask) = em.lanes.mask().filter(|_| v.wide) {
        // What inactive lanes hold may not fit.
        x = ir.select(mask.a, x, em.lanes.const_float(Scalar::F64, 0.0, v.wide));
    }
    if em.unit.device.is_some() {
        let ty = em.lanes.shape(ir.int(to.bits()), v.wide);
        return Ok(Val::one(device_int(em.ir, x, ty, to)));
    }
    Ok(Val::shaped(int_within(em, x, to, v.wide), v.wide))
}

/// A float that fits, as an int.
fn int_within(em: &Emitter<'_, '_>, x: V, to: Scalar, wide: bool) -> V {
    let ir = em.ir;
    let ty = em.lanes.shape(ir.int(to.bits()), wide);
    match to.is_signed() {
        true => ir.fptosi(x, ty),
        false => ir.fptoui(x, ty),
    }
}

fn cast_truth(em: &Emitter<'_, '_>, v: Val, from: Scalar) -> Result<Val> {
    let ir = em.ir;
    let some = |x: V, part: Scalar| {
        ir.fcmp(
            RealPred::LLVMRealUNE,
            x,
            em.lanes.const_float(part, 0.0, v.wide),
        )
    };
    let r = match from {
        Scalar::Bool => v.a,
        // A character is a string of length one.
        Scalar::Char => em.lanes.const_bool(true, v.wide),
        Scalar::F32 | Scalar::F64 | Scalar::Num => some(v.a, from),
        Scalar::C64 | Scalar::C128 => ir.or(some(v.a, from), some(v.second()?, from)),
        _ => ir.icmp(IntPred::LLVMIntNE, v.a, em.lanes.const_int(from, 0, v.wide)),
    };
    Ok(Val::shaped(r, v.wide))
}

fn bits(repr: Scalar) -> u32 {
    if repr == Scalar::Bool { 1 } else { repr.bits() }
}

/// A float as an int, on a device: what does not fit is left to the host, whose instruction has a result of its own.
fn device_int(ir: &Ir<'_>, x: V, ty: crate::llvm::T, to: Scalar) -> V {
    let float = ir.type_of(x);
    let (name, back) = match to.is_signed() {
        true => {
            let v = ir.intrinsic("llvm.fptosi.sat", &[ty, float], &[x]);
            (v, ir.sitofp(v, float))
        }
        false => {
            let v = ir.intrinsic("llvm.fptoui.sat", &[ty, float], &[x]);
            (v, ir.uitofp(v, float))
        }
    };
    let whole = ir.intrinsic("llvm.trunc", &[float], &[x]);
    ir.note(ir.fcmp(RealPred::LLVMRealUNE, back, whole));
    name
}
