//! Complex arithmetic, to the bit of CPython's and NumPy's, which differ in division.

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Prov, Scalar, Span, Ty};

use crate::abi::GuardFailure;
use crate::error::{Result, unsupported};
use crate::llvm::{RealPred, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::math::libm;
use crate::lower::value::Val;

pub(crate) fn binary(
    em: &Emitter<'_, '_>,
    op: BinOp,
    x: Val,
    y: Val,
    ty: Ty,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    let (ar, ai, br, bi) = (x.a, x.second()?, y.a, y.second()?);
    match op {
        BinOp::Add => Ok(Val::pair(ir.fadd(ar, br), ir.fadd(ai, bi), x.wide)),
        BinOp::Sub => Ok(Val::pair(ir.fsub(ar, br), ir.fsub(ai, bi), x.wide)),
        BinOp::Mul => {
            let re = ir.fsub(ir.fmul(ar, br), ir.fmul(ai, bi));
            let im = ir.fadd(ir.fmul(ar, bi), ir.fmul(ai, br));
            Ok(Val::pair(re, im, x.wide))
        }
        BinOp::Div => match ty.prov {
            Prov::Py => div(em, x, y, ty.repr, false, guard, span),
            Prov::Np => div(em, x, y, ty.repr, true, guard, span),
            Prov::Dyn => unsupported("division of complex numbers that are Python's or NumPy's"),
        },
        _ => unsupported(format!("{op:?} on complex numbers")),
    }
}

/// Smith's method. CPython (`_Py_c_quot`) divides by the denominator, NumPy multiplies with its reciprocal.
fn div(
    em: &Emitter<'_, '_>,
    x: Val,
    y: Val,
    repr: Scalar,
    numpy: bool,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let ir = em.ir;
    let wide = x.wide;
    let (ar, ai, br, bi) = (x.a, x.second()?, y.a, y.second()?);
    let fty = ir.type_of(ar);
    let c = |v: f64| em.lanes.const_float(repr, v, wide);
    let abs = |v: V| ir.intrinsic("llvm.fabs", &[fty], &[v]);
    let (abs_re, abs_im) = (abs(br), abs(bi));
    // NumPy compares in C, and warns where the divisor is no number.
    let by_real = match numpy {
        true => ir.signalling_ge(abs_re, abs_im),
        false => ir.fcmp(RealPred::LLVMRealOGE, abs_re, abs_im),
    };
    let by_imag = ir.fcmp(RealPred::LLVMRealOGE, abs_im, abs_re);
    let zero = ir.and(by_real, ir.fcmp(RealPred::LLVMRealOEQ, abs_re, c(0.0)));
    if guard {
        guards::fail_where(em, zero, wide, GuardFailure::ZeroDivision, span);
    }
    // The larger part divides the smaller; roles are swapped instead of computing both ways.
    let (major, minor) = (ir.select(by_real, br, bi), ir.select(by_real, bi, br));
    let mut divisor = major;
    if guard && guards::continues(em) || em.guards.conditional > 0 {
        divisor = ir.select(zero, c(1.0), divisor);
    }
    if let Some(mask) = em.lanes.mask().filter(|_| wide) {
        divisor = ir.select(mask.a, divisor, c(1.0));
    }
    let ratio = ir.fdiv(minor, divisor);
    let denominator = ir.fadd(divisor, ir.fmul(minor, ratio));
    // by real part: (ar + ai*ratio, ai - ar*ratio); by imaginary part: (ar*ratio + ai, ai*ratio - ar)
    let (p, q) = (ir.select(by_real, ar, ai), ir.select(by_real, ai, ar));
    let re = ir.fadd(p, ir.fmul(q, ratio));
    let t = ir.fmul(p, ratio);
    let im = ir.select(by_real, ir.fsub(q, t), ir.fsub(t, q));
    let (re, im) = if numpy {
        let scale = ir.fdiv(c(1.0), denominator);
        (ir.fmul(re, scale), ir.fmul(im, scale))
    } else {
        (ir.fdiv(re, denominator), ir.fdiv(im, denominator))
    };
    if numpy {
        return Ok(Val::pair(re, im, wide));
    }
    // CPython: a NaN in the divisor decides neither comparison, and the result is NaN in both parts.
    let ordered = ir.or(by_real, by_imag);
    let nan = c(f64::NAN);
    Ok(Val::pair(
        ir.select(ordered, re, nan),
        ir.select(ordered, im, nan),
        wide,
    ))
}

/// `hypot` of the parts. Guarded (CPython): an infinite result of finite parts fails.
pub(crate) fn abs(
    em: &Emitter<'_, '_>,
    v: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let part = if repr == Scalar::C64 {
        Scalar::F32
    } else {
        Scalar::F64
    };
    let name = if part == Scalar::F32 {
        c"nw_c_hypotf"
    } else {
        c"nw_c_hypot"
    };
    let (re, im) = (Val::shaped(v.a, v.wide), Val::shaped(v.second()?, v.wide));
    let r = libm::libm2(em, name, re, im, part, None)?;
    if guard {
        libm::fail_on_math(em, r, &[re, im], part, span);
    }
    Ok(r)
}
