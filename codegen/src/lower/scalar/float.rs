//! Real floating-point arithmetic, to the bit of CPython's floats and NumPy's scalars.

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Const, Expr, ExprKind, FpMode, Fun, Lib, Scalar, Span};

use crate::abi::GuardFailure;
use crate::error::{Result, unsupported};
use crate::llvm::{Ir, RealPred, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::math::{libm, vector_math};
use crate::lower::value::Val;

#[allow(clippy::too_many_arguments)]
pub(crate) fn binary(
    em: &mut Emitter<'_, '_>,
    op: BinOp,
    x: Val,
    y: Val,
    repr: Scalar,
    b: &Expr,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    let v = match op {
        BinOp::Add => ir.fadd(x.a, y.a),
        BinOp::Sub => ir.fsub(x.a, y.a),
        BinOp::Mul => ir.fmul(x.a, y.a),
        BinOp::Div => return div(em, x, y, repr, guard, span),
        BinOp::FloorDiv | BinOp::Mod | BinOp::Pow => {
            let fast = ir.exactly();
            let v = match op {
                BinOp::FloorDiv => floor_div(em, x, y, repr, guard, span),
                BinOp::Mod => modulo(em, x, y, repr, guard, span),
                _ => pow(em, x, y, repr, constant(b), guard, span),
            };
            ir.as_before(fast);
            return v;
        }
        BinOp::Min | BinOp::Max => min_max(em.ir, op, x.a, y.a),
        _ => return unsupported(format!("{op:?} on floats")),
    };
    Ok(Val::shaped(v, x.wide))
}

/// NumPy's minimum and maximum: a NaN wins, the first one if both are; of equal operands (zeros of either
/// sign) the second is returned, as the x86 instructions do which NumPy's loops consist of.
fn min_max(ir: &Ir<'_>, op: BinOp, a: V, b: V) -> V {
    let pred = if op == BinOp::Min {
        RealPred::LLVMRealOLT
    } else {
        RealPred::LLVMRealOGT
    };
    let nan = ir.fcmp(RealPred::LLVMRealUNO, a, a);
    let first = ir.or(nan, ir.fcmp(pred, a, b));
    ir.select(first, a, b)
}

/// Tests a divisor for zero and makes it safe to divide by on paths that are not taken, so that no stray
/// floating-point flag is raised there.
fn divisor(em: &Emitter<'_, '_>, y: Val, repr: Scalar, guard: bool, span: Span) -> V {
    let ir = em.ir;
    let zero = ir.fcmp(
        RealPred::LLVMRealOEQ,
        y.a,
        em.lanes.const_float(repr, 0.0, y.wide),
    );
    if guard {
        guards::fail_where(em, zero, y.wide, GuardFailure::ZeroDivision, span);
    }
    let one = em.lanes.const_float(repr, 1.0, y.wide);
    let mut divisor = y.a;
    if guard && guards::continues(em) || em.guards.conditional > 0 {
        divisor = ir.select(zero, one, divisor);
    }
    if let Some(mask) = em.lanes.mask().filter(|_| y.wide) {
        divisor = ir.select(mask.a, divisor, one);
    }
    em.ir.opaque_if(divisor, y.wide)
}

pub(crate) fn div(
    em: &Emitter<'_, '_>,
    x: Val,
    y: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let is_constant =
        !guard && em.guards.conditional == 0 && !em.lanes.mask().is_some_and(|_| y.wide);
    let divisor = if is_constant {
        y.a
    } else {
        divisor(em, y, repr, guard, span)
    };
    Ok(Val::shaped(em.ir.fdiv(x.a, divisor), x.wide))
}

/// CPython's `float_rem` (NumPy's scalar remainder is the same): C `fmod`, moved to the divisor's sign; a zero
/// result takes the divisor's sign.
pub(crate) fn modulo(
    em: &mut Emitter<'_, '_>,
    x: Val,
    y: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let divisor = divisor(em, y, repr, guard, span);
    let y = Val::shaped(divisor, y.wide);
    let r = fmod(em, x, y, repr)?;
    Ok(Val::shaped(
        signed_mod(em, r.a, y.a, repr, x.wide).0,
        x.wide,
    ))
}

/// The remainder with the divisor's sign, and whether it was moved.
fn signed_mod(em: &Emitter<'_, '_>, r: V, y: V, repr: Scalar, wide: bool) -> (V, V) {
    let ir = em.ir;
    let zero = em.lanes.const_float(repr, 0.0, wide);
    let negative = |v: V| ir.fcmp(RealPred::LLVMRealOLT, v, zero);
    let some = ir.fcmp(RealPred::LLVMRealUNE, r, zero);
    let moved = ir.and(some, ir.xor(negative(y), negative(r)));
    let signed_zero = ir.intrinsic("llvm.copysign", &[ir.type_of(r)], &[zero, y]);
    let value = ir.select(moved, ir.fadd(r, y), r);
    (ir.select(some, value, signed_zero), moved)
}

/// CPython's `float_floor_div`: the quotient of what is left after the remainder is taken out, snapped to the
/// nearest integral value.
pub(crate) fn floor_div(
    em: &mut Emitter<'_, '_>,
    x: Val,
    y: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let divisor = divisor(em, y, repr, guard, span);
    let y = Val::shaped(divisor, y.wide);
    let r = fmod(em, x, y, repr)?.a;
    let ir = em.ir;
    let wide = x.wide;
    let c = |v: f64| em.lanes.const_float(repr, v, wide);
    let ty = ir.type_of(r);
    let div = ir.fdiv(ir.fsub(x.a, r), y.a);
    let (_, moved) = signed_mod(em, r, y.a, repr, wide);
    let div = ir.select(moved, ir.fsub(div, c(1.0)), div);
    let floor = ir.intrinsic("llvm.floor", &[ty], &[div]);
    let high = ir.fcmp(RealPred::LLVMRealOGT, ir.fsub(div, floor), c(0.5));
    let snapped = ir.select(high, ir.fadd(floor, c(1.0)), floor);
    let zero = ir.intrinsic("llvm.copysign", &[ty], &[c(0.0), ir.fdiv(x.a, y.a)]);
    let some = ir.fcmp(RealPred::LLVMRealUNE, div, c(0.0));
    Ok(Val::shaped(ir.select(some, snapped, zero), wide))
}

/// C `fmod`, which is exact and so has one right answer.
///
/// Fast path for quotients below 2**52: with `q = trunc(|x| / |y|)` rounded, `q` is the true quotient or one
/// more (the true one is a double, so rounding never falls below it); `fma(-q, |y|, |x|)` is then a multiple of
/// the smaller operand's last place no larger than `|y|`, hence exact, and so is adding `|y|` back.
pub(crate) fn fmod(em: &mut Emitter<'_, '_>, x: Val, y: Val, repr: Scalar) -> Result<Val> {
    let ir = em.ir;
    if repr == Scalar::F32 {
        // The remainder of two f32 is an f32, so f64 gives the same one.
        let up = |v: Val| Val::shaped(ir.fpext(v.a, em.lanes.shape(ir.f64(), v.wide)), v.wide);
        let (wx, wy) = (up(x), up(y));
        let r = fmod(em, wx, wy, Scalar::F64)?;
        return Ok(Val::shaped(
            ir.fptrunc(r.a, em.lanes.shape(ir.f32(), r.wide)),
            r.wide,
        ));
    }
    if !em.unit.host.fma {
        return libm::libm2(em, c"nw_c_fmod", x, y, repr, None);
    }
    let (mut x, mut y) = em.lanes.unify(x, y);
    if x.wide {
        x.a = libm::tame(em, x.a, 1.0, repr);
        y.a = libm::tame(em, y.a, 1.0, repr);
    }
    let ty = ir.type_of(x.a);
    let abs = |v: V| ir.intrinsic("llvm.fabs", &[ty], &[v]);
    let (ax, ay) = (abs(x.a), abs(y.a));
    let q = ir.intrinsic("llvm.trunc", &[ty], &[ir.fdiv(ax, ay)]);
    let r = ir.intrinsic("llvm.fma", &[ty], &[ir.fneg(q), ay, ax]);
    let below = ir.fcmp(
        RealPred::LLVMRealOLT,
        r,
        em.lanes.const_float(repr, 0.0, x.wide),
    );
    let r = ir.select(below, ir.fadd(r, ay), r);
    let fast = ir.intrinsic("llvm.copysign", &[ty], &[r, x.a]);
    let limit = em.lanes.const_float(repr, (1u64 << 52) as f64, x.wide);
    // Ordered: infinities, NaNs and division by zero all take the library's way.
    let easy = ir.fcmp(RealPred::LLVMRealOLT, q, limit);
    let infinity = em.lanes.const_float(repr, f64::INFINITY, x.wide);
    let easy = ir.and(easy, ir.fcmp(RealPred::LLVMRealOLT, ay, infinity));
    or_library(em, easy, fast, x, repr, |f, hard| {
        libm::libm2(f, c"nw_c_fmod", x, y, repr, Some(hard))
    })
}

/// `fast` where `easy`, else what `library` computes for the lanes it is given; skipped if there is none.
fn or_library(
    em: &mut Emitter<'_, '_>,
    easy: V,
    fast: V,
    shape: Val,
    repr: Scalar,
    library: impl FnOnce(&mut Emitter<'_, '_>, Val) -> Result<Val>,
) -> Result<Val> {
    let ir = em.ir;
    let mut hard = ir.not(easy);
    if let Some(mask) = em.lanes.mask().filter(|_| shape.wide) {
        hard = ir.and(hard, mask.a);
    }
    let home = em.vars.temporary(&em.lanes, repr, shape.wide);
    home.store(em.ir, Val::shaped(fast, shape.wide));
    let (slow, end) = (em.ir.fresh(), em.ir.fresh());
    let any = if shape.wide { em.lanes.any(hard) } else { hard };
    ir.expect(ir.cond_br(any, slow, end), 1, 8);
    ir.at(slow);
    let hard = Val::shaped(hard, shape.wide);
    let v = library(em, hard)?;
    let v = em.lanes.choose(hard, v, Val::shaped(fast, shape.wide));
    home.store(em.ir, v);
    em.ir.br(end);
    em.ir.at(end);
    Ok(home.load(em.ir))
}

/// libm's `pow`. Guarded, it fails where CPython raises or returns a complex and where NumPy warns: all of
/// them are a NaN from arguments that are none, or an infinity from finite ones.
fn pow(
    em: &mut Emitter<'_, '_>,
    x: Val,
    y: Val,
    repr: Scalar,
    exponent: Option<f64>,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let name = if repr == Scalar::F32 {
        c"nw_c_powf"
    } else {
        c"nw_c_pow"
    };
    let r = if exponent == Some(2.0) && em.unit.spec.fp != FpMode::Strict {
        // Rounded correctly, which `pow` promises less than.
        Val::shaped(em.ir.fmul(x.a, x.a), x.wide)
    } else if exponent == Some(2.0) && repr == Scalar::F64 && em.unit.host.fma {
        square(em, x, y)?
    } else if let Some(v) = vector_math::vector_math(em, Fun::Pow, Lib::C, &[x, y], repr)? {
        v
    } else {
        libm::libm2(em, name, x, y, repr, None)?
    };
    if guard {
        libm::fail_on_math(em, r, &[x, y], repr, span);
    }
    Ok(r)
}

/// The bits of glibc's `pow(x, 2.0)`.
///
/// glibc documents an error below 0.54 ulp for its `pow` (sysdeps/ieee754/dbl-64/e_pow.c; versions before 2.28 round
/// correctly). With `r = x * x` rounded and `e = x * x - r` exact by a fused multiply-add, `|e| < 0.44 ulp` puts pow's
/// result within 0.98 ulp of `r`, so it is `r`: its neighbours are an ulp away. Below a power of two the neighbour is
/// only half an ulp away, so those take the library's way, as do the extremes where `e` may be inexact.
fn square(em: &mut Emitter<'_, '_>, x: Val, two: Val) -> Result<Val> {
    let ir = em.ir;
    let (repr, wide) = (Scalar::F64, x.wide);
    let fty = ir.type_of(x.a);
    let ity = em.lanes.shape(ir.i64(), wide);
    let r = ir.fmul(x.a, x.a);
    let e = ir.intrinsic("llvm.fma", &[fty], &[x.a, x.a, ir.fneg(r)]);
    let bits = ir.bitcast(r, ity);
    const EXPONENT: i128 = 0x7ff0_0000_0000_0000;
    let power = ir.bitcast(
        ir.and(bits, em.lanes.const_int(Scalar::I64, EXPONENT, wide)),
        fty,
    );
    // 0.44 ulp of r: an ulp is 2**-52 of the power of two at or below r.
    let bound = ir.fmul(power, em.lanes.const_float(repr, 0.44 * f64::EPSILON, wide));
    let near = ir.fcmp(
        RealPred::LLVMRealOLT,
        ir.intrinsic("llvm.fabs", &[fty], &[e]),
        bound,
    );
    // A power of two itself is safe only if it is exact.
    let inner = ir.fcmp(RealPred::LLVMRealUNE, r, power);
    let exact = ir.fcmp(
        RealPred::LLVMRealOEQ,
        e,
        em.lanes.const_float(repr, 0.0, wide),
    );
    let large = ir.fcmp(
        RealPred::LLVMRealOGT,
        r,
        em.lanes.const_float(repr, 1e-280, wide),
    );
    let finite = ir.fcmp(
        RealPred::LLVMRealOLT,
        r,
        em.lanes.const_float(repr, f64::INFINITY, wide),
    );
    let sure = ir.and(ir.and(large, finite), ir.and(near, ir.or(inner, exact)));
    or_library(em, sure, r, x, repr, |f, hard| {
        libm::libm2(f, c"nw_c_pow", x, two, repr, Some(hard))
    })
}

/// The value of a literal.
fn constant(e: &Expr) -> Option<f64> {
    match e.kind {
        ExprKind::Const(Const::Float(v)) => Some(v),
        _ => None,
    }
}
