//! Mathematical functions: inline where an instruction is exact, else calls of libm or of NumPy's loops.

use std::ffi::CString;

use nestwise_analysis::dataflow::fp_flags::sees_less;
use nestwise_ir::{Expr, FpMode, Fun, Lib, Scalar, Span};

use crate::abi::GuardFailure;
use crate::error::{CodegenError, Result, invalid};
use crate::link::{libdevice, ufunc};
use crate::llvm::{RealPred, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::math::{libm, vector_math};
use crate::lower::scalar::{flag_values, float};
use crate::lower::unit::Registers;
use crate::lower::value::Val;

pub(crate) fn call(
    em: &mut Emitter<'_, '_>,
    fun: Fun,
    lib: Lib,
    args: &[Expr],
    guard: bool,
    e: &Expr,
) -> Result<Val> {
    let Some(first) = args.first() else {
        return invalid(format!("{fun:?} without argument"));
    };
    let repr = first.ty.repr;
    if !repr.is_float() || args.len() != ufunc::arity(fun) || args.iter().any(|a| a.ty.repr != repr)
    {
        return invalid(format!("arguments of {fun:?}"));
    }
    let mut values = Vec::with_capacity(args.len());
    for a in args {
        let v = em.expr(a)?;
        if sees_less(fun) {
            flag_values::keep_if_warns(em, a, v);
        }
        values.push(flag_values::run_time(em.unit, e, a, v));
    }
    if let [x, y] = values[..] {
        let (x, y) = em.lanes.unify(x, y);
        values = vec![x, y];
    }
    if let Some(v) = inline_call(em, fun, lib, &values, repr, guard, e.span)? {
        return Ok(v);
    }
    if let Some(v) = card_math(em, fun, &values, repr)? {
        if guard && lib == Lib::C {
            libm::fail_on_math(em, v, &values, repr, e.span);
        }
        return Ok(v);
    }
    if let Some(v) = vector_math::vector_math(em, fun, lib, &values, repr)? {
        if guard && lib == Lib::C {
            libm::fail_on_math(em, v, &values, repr, e.span);
        }
        return Ok(v);
    }
    match lib {
        Lib::Numpy => numpy_call(em, fun, &values, repr),
        Lib::C => c_call(em, fun, &values, repr, guard, e.span),
    }
}

/// A function on a GPU, where bits are not promised: its library's. A result that is not finite is noted, as of any
/// operation.
fn card_math(em: &Emitter<'_, '_>, fun: Fun, args: &[Val], repr: Scalar) -> Result<Option<Val>> {
    let on_card = em.unit.device == Some(Registers::Ptx) && em.unit.spec.fp != FpMode::Strict;
    let Some(symbol) = libdevice::symbol(fun, repr).filter(|_| on_card) else {
        return Ok(None);
    };
    let symbol = CString::new(symbol).unwrap_or_default();
    let r = match args {
        [x] => libm::libm1(em, &symbol, *x, repr)?,
        [x, y] => libm::libm2(em, &symbol, *x, *y, repr, None)?,
        _ => return invalid(format!("arguments of {fun:?}")),
    };
    em.ir.watched(r.a);
    Ok(Some(r))
}

fn inline_call(
    em: &mut Emitter<'_, '_>,
    fun: Fun,
    lib: Lib,
    args: &[Val],
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Option<Val>> {
    let ir = em.ir;
    let Some(&x) = args.first() else {
        return Ok(None);
    };
    let ty = ir.type_of(x.a);
    let infinity = em.lanes.const_float(repr, f64::INFINITY, x.wide);
    let size = |v: V| ir.intrinsic("llvm.fabs", &[ty], &[v]);
    let simple = |name: &str| ir.intrinsic(name, &[ty], &[x.a]);
    let v = match fun {
        Fun::Sqrt => sqrt(em, x, repr, lib == Lib::C && guard, span),
        Fun::Fabs => simple("llvm.fabs"),
        Fun::Floor => simple("llvm.floor"),
        Fun::Ceil => simple("llvm.ceil"),
        Fun::Trunc => simple("llvm.trunc"),
        Fun::Rint => simple("llvm.rint"),
        Fun::IsNan => ir.fcmp(RealPred::LLVMRealUNO, x.a, x.a),
        Fun::IsInf => ir.fcmp(RealPred::LLVMRealOEQ, size(x.a), infinity),
        Fun::IsFinite => ir.fcmp(RealPred::LLVMRealOLT, size(x.a), infinity),
        Fun::Copysign => match args.get(1) {
            Some(y) => ir.intrinsic("llvm.copysign", &[ty], &[x.a, y.a]),
            None => return Ok(None),
        },
        Fun::Pair => {
            let Some(&y) = args.get(1) else {
                return Ok(None);
            };
            return Ok(Some(Val::pair(x.a, y.a, x.wide)));
        }
        Fun::Fmod => {
            let Some(&y) = args.get(1) else {
                return Ok(None);
            };
            let fast = ir.exactly();
            let r = float::fmod(em, x, y, repr);
            ir.as_before(fast);
            let r = r?;
            if guard && lib == Lib::C {
                libm::fail_on_math(em, r, &[x, y], repr, span);
            }
            r.a
        }
        _ => return Ok(None),
    };
    Ok(Some(Val::shaped(v, x.wide)))
}

/// The square root; a value that is not wanted gets a harmless operand, so that no flag is raised.
fn sqrt(em: &Emitter<'_, '_>, x: Val, repr: Scalar, guard: bool, span: Span) -> V {
    let ir = em.ir;
    let zero = em.lanes.const_float(repr, 0.0, x.wide);
    let mut v = x.a;
    let negative = ir.fcmp(RealPred::LLVMRealOLT, v, zero);
    if guard {
        guards::fail_where(em, negative, x.wide, GuardFailure::Math, span);
    }
    if guard && guards::continues(em) {
        v = ir.select(negative, zero, v);
    }
    if let Some(mask) = em.lanes.mask().filter(|_| x.wide) {
        v = ir.select(mask.a, v, zero);
    }
    let v = em.ir.opaque_if(v, x.wide);
    ir.intrinsic("llvm.sqrt", &[ir.type_of(v)], &[v])
}

fn c_call(
    em: &Emitter<'_, '_>,
    fun: Fun,
    args: &[Val],
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let name = match (fun, ufunc::fun_name(fun)) {
        (_, Some(name)) if repr == Scalar::F64 => name,
        _ => return Err(CodegenError::Unregistered(fun, repr)),
    };
    // math.hypot is CPython's own algorithm, which changes between versions.
    let symbol = if fun == Fun::Hypot {
        if ufunc::c_address(name).is_none() {
            return Err(CodegenError::Unregistered(fun, repr));
        }
        format!("nw_py_{name}")
    } else {
        format!("nw_c_{name}")
    };
    let symbol = CString::new(symbol).unwrap_or_default();
    let r = match args {
        [x] => libm::libm1(em, &symbol, *x, repr)?,
        [x, y] => libm::libm2(em, &symbol, *x, *y, repr, None)?,
        _ => return invalid(format!("arguments of {fun:?}")),
    };
    if guard {
        libm::fail_on_math(em, r, args, repr, span);
    }
    Ok(r)
}

fn numpy_call(em: &Emitter<'_, '_>, fun: Fun, args: &[Val], repr: Scalar) -> Result<Val> {
    let Some(name) = ufunc::fun_name(fun).filter(|_| ufunc::is_registered(fun, repr)) else {
        return Err(CodegenError::Unregistered(fun, repr));
    };
    let ir = em.ir;
    let (fty, suffix) = libm::float_type(em.ir, repr);
    let slot = CString::new(format!("nw_ufunc_{name}_{suffix}")).unwrap_or_default();
    let slot = ir.add_global(&slot);
    let Some(first) = args.first() else {
        return invalid(format!("{fun:?} without argument"));
    };
    if !first.wide {
        let symbol = CString::new(format!("nw_np{}_{suffix}", args.len())).unwrap_or_default();
        let mut params = vec![ir.ptr()];
        params.extend(args.iter().map(|_| fty));
        let ty = ir.function(fty, &params);
        let f = em.unit.pure_function(&symbol, ty);
        let mut values = vec![slot];
        values.extend(args.iter().map(|a| a.a));
        return Ok(Val::one(ir.call(ty, f, &values)));
    }
    let many = CString::new(format!("nw_npv_{suffix}")).unwrap_or_default();
    // Inactive lanes compute something harmless instead of nothing, so that whole batches are possible.
    let harmless = if fun == Fun::Atanh { 0.5 } else { 1.0 };
    let x = libm::tame(em, first.a, harmless, repr);
    let out = libm::spill(em.ir, x);
    let x = libm::spill(em.ir, x);
    let y = match args.get(1) {
        Some(y) => libm::spill(em.ir, libm::tame(em, y.a, harmless, repr)),
        None => ir.zero(ir.ptr()),
    };
    let all = Val::shaped(em.lanes.const_bool(true, true), true);
    let (mask, n) = libm::lane_arguments(em, Some(all));
    em.unit.memory_call(&many, &[slot, x, y, out, mask, n]);
    Ok(libm::reload(em, out, fty))
}
