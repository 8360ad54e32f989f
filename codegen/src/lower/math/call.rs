//! Mathematical functions: inline where an instruction is exact, else calls of libm or of NumPy's loops.

use std::ffi::{CStr, CString};

use nestwise_analysis::dataflow::fp_flags::sees_less;
use nestwise_ir::{Expr, FpMode, Fun, Lib, Scalar, Span};

use crate::abi::EventCode;
use crate::error::{CodegenError, Result, invalid};
use crate::link::{libdevice, ufunc};
use crate::llvm::{RealPred, T, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::math::vector_math;
use crate::lower::scalar::flag_values;
use crate::lower::scalar::float;
use crate::lower::unit::Registers;
use crate::lower::unit::Unit;
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
        values.push(flag_values::run_time(em, e, a, v));
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
            fire_math(em, v, &values, repr, e.span);
        }
        return Ok(v);
    }
    if let Some(v) = vector_math::vector_math(em, fun, lib, &values, repr)? {
        if guard && lib == Lib::C {
            fire_math(em, v, &values, repr, e.span);
        }
        return Ok(v);
    }
    match lib {
        Lib::Numpy => numpy_call(em, fun, &values, repr),
        Lib::C => c_call(em, fun, &values, repr, guard, e.span),
    }
}

/// On a card, where bits are not promised: its library's function. A result that is not finite is noted, as of any
/// operation.
fn card_math(em: &Emitter<'_, '_>, fun: Fun, args: &[Val], repr: Scalar) -> Result<Option<Val>> {
    let on_card = em.unit.device == Some(Registers::Ptx) && em.unit.spec.fp != FpMode::Strict;
    let Some(symbol) = libdevice::symbol(fun, repr).filter(|_| on_card) else {
        return Ok(None);
    };
    let symbol = CString::new(symbol).unwrap_or_default();
    let r = match args {
        [x] => libm1(em, &symbol, *x, repr)?,
        [x, y] => libm2(em, &symbol, *x, *y, repr, None)?,
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
                fire_math(em, r, &[x, y], repr, span);
            }
            r.a
        }
        _ => return Ok(None),
    };
    Ok(Some(Val::shaped(v, x.wide)))
}

/// The square root; where it is not wanted it gets a harmless operand, so that no flag is raised.
fn sqrt(em: &Emitter<'_, '_>, x: Val, repr: Scalar, guard: bool, span: Span) -> V {
    let ir = em.ir;
    let zero = em.lanes.const_float(repr, 0.0, x.wide);
    let mut v = x.a;
    let negative = ir.fcmp(RealPred::LLVMRealOLT, v, zero);
    if guard {
        guards::fail_where(em, negative, x.wide, EventCode::Math, span);
    }
    if guard && guards::continues(em) {
        v = ir.select(negative, zero, v);
    }
    if let Some(mask) = em.lanes.mask().filter(|_| x.wide) {
        v = ir.select(mask.a, v, zero);
    }
    let v = float::kept(em, v, x.wide);
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
        [x] => libm1(em, &symbol, *x, repr)?,
        [x, y] => libm2(em, &symbol, *x, *y, repr, None)?,
        _ => return invalid(format!("arguments of {fun:?}")),
    };
    if guard {
        fire_math(em, r, args, repr, span);
    }
    Ok(r)
}

/// CPython's rule for the functions of its math module: a NaN from arguments that are none, or an infinity
/// from finite ones, raises.
pub(crate) fn fire_math(em: &Emitter<'_, '_>, r: Val, args: &[Val], repr: Scalar, span: Span) {
    let ir = em.ir;
    let wide = r.wide;
    let infinity = em.lanes.const_float(repr, f64::INFINITY, wide);
    let size = |v: V| ir.intrinsic("llvm.fabs", &[ir.type_of(v)], &[v]);
    let (mut ordered, mut finite) = (
        em.lanes.const_bool(true, wide),
        em.lanes.const_bool(true, wide),
    );
    for a in args {
        let a = if wide { em.lanes.widen(*a) } else { *a };
        ordered = ir.and(ordered, ir.fcmp(RealPred::LLVMRealORD, a.a, a.a));
        finite = ir.and(finite, ir.fcmp(RealPred::LLVMRealOLT, size(a.a), infinity));
    }
    let nan = ir.and(ordered, ir.fcmp(RealPred::LLVMRealUNO, r.a, r.a));
    let inf = ir.and(finite, ir.fcmp(RealPred::LLVMRealOEQ, size(r.a), infinity));
    guards::fail_where(em, ir.or(nan, inf), wide, EventCode::Math, span);
}

pub(crate) fn float_type(em: &Emitter<'_, '_>, repr: Scalar) -> (T, &'static str) {
    if repr == Scalar::F32 {
        (em.ir.f32(), "f32")
    } else {
        (em.ir.f64(), "f64")
    }
}

fn libm1(em: &Emitter<'_, '_>, name: &CStr, x: Val, repr: Scalar) -> Result<Val> {
    let ir = em.ir;
    let (fty, suffix) = float_type(em, repr);
    let ty = ir.function(fty, &[fty]);
    let f = em.unit.pure_function(name, ty);
    if !x.wide {
        return Ok(Val::one(ir.call(ty, f, &[x.a])));
    }
    let map = CString::new(format!("nw_map1_{suffix}")).unwrap_or_default();
    let (x, out) = (spill(em, x.a), spill(em, x.a));
    let (mask, n) = lane_arguments(em, None);
    em.unit.memory_call(&map, &[f, x, out, mask, n]);
    Ok(reload(em, out, fty))
}

/// A function of two arguments; in a vector loop only for the lanes of `only` (default: the active ones).
pub(crate) fn libm2(
    em: &Emitter<'_, '_>,
    name: &CStr,
    x: Val,
    y: Val,
    repr: Scalar,
    only: Option<Val>,
) -> Result<Val> {
    let ir = em.ir;
    if em.unit.device.is_some() && only.is_some() {
        // Where an operation has no short way, which is seldom: the host does it all.
        ir.give_up();
        return Ok(x);
    }
    let (x, y) = em.lanes.unify(x, y);
    let (fty, suffix) = float_type(em, repr);
    let ty = ir.function(fty, &[fty, fty]);
    let f = em.unit.pure_function(name, ty);
    if !x.wide {
        return Ok(Val::one(ir.call(ty, f, &[x.a, y.a])));
    }
    let map = CString::new(format!("nw_map2_{suffix}")).unwrap_or_default();
    let out = spill(em, x.a);
    let (x, y) = (spill(em, x.a), spill(em, y.a));
    let (mask, n) = lane_arguments(em, only);
    em.unit.memory_call(&map, &[f, x, y, out, mask, n]);
    Ok(reload(em, out, fty))
}

fn numpy_call(em: &Emitter<'_, '_>, fun: Fun, args: &[Val], repr: Scalar) -> Result<Val> {
    let Some(name) = ufunc::fun_name(fun).filter(|_| ufunc::is_registered(fun, repr)) else {
        return Err(CodegenError::Unregistered(fun, repr));
    };
    let ir = em.ir;
    let (fty, suffix) = float_type(em, repr);
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
    let x = tame(em, first.a, harmless, repr);
    let out = spill(em, x);
    let x = spill(em, x);
    let y = match args.get(1) {
        Some(y) => spill(em, tame(em, y.a, harmless, repr)),
        None => ir.zero(ir.ptr()),
    };
    let all = Val::shaped(em.lanes.const_bool(true, true), true);
    let (mask, n) = lane_arguments(em, Some(all));
    em.unit.memory_call(&many, &[slot, x, y, out, mask, n]);
    Ok(reload(em, out, fty))
}

/// A vector with something harmless in the lanes that are not active: what these compute raises no flag.
pub(crate) fn tame(em: &Emitter<'_, '_>, v: V, harmless: f64, repr: Scalar) -> V {
    match em.lanes.mask() {
        Some(mask) => {
            let harmless = em.lanes.const_float(repr, harmless, true);
            em.ir.select(mask.a, v, harmless)
        }
        None => v,
    }
}

/// Stores a vector to a buffer of its own.
fn spill(em: &Emitter<'_, '_>, v: V) -> V {
    let ir = em.ir;
    let buffer = ir.alloca(ir.type_of(v));
    ir.store(v, buffer);
    buffer
}

fn reload(em: &Emitter<'_, '_>, buffer: V, element: T) -> Val {
    Val::shaped(em.ir.load(em.lanes.shape(element, true), buffer), true)
}

/// The lanes to compute as bits, and their number.
fn lane_arguments(em: &Emitter<'_, '_>, only: Option<Val>) -> (V, V) {
    let ir = em.ir;
    let n = em.lanes.count();
    let mask = match only.or_else(|| em.lanes.mask()) {
        Some(mask) => mask.a,
        None => em.lanes.const_bool(true, true),
    };
    let bits = ir.bitcast(mask, ir.int(n));
    let bits = if n < 64 {
        ir.zext(bits, ir.i64())
    } else {
        bits
    };
    (bits, ir.const_i64(n.into()))
}

impl Unit<'_> {
    /// Declares a pure function: no memory, returns always.
    pub(crate) fn pure_function(&self, name: &CStr, ty: T) -> V {
        let f = self.ir.add_function(name, ty);
        for attribute in ["nounwind", "willreturn", "nofree", "nosync", "memory"] {
            self.ir.attribute(f, attribute, 0);
        }
        f
    }

    /// Declares a helper that returns always and frees nothing.
    fn helper(&self, name: &CStr, result: T, args: &[V]) -> (T, V) {
        let ir = &self.ir;
        let params: Vec<T> = args.iter().map(|a| ir.type_of(*a)).collect();
        let ty = ir.function(result, &params);
        let f = ir.add_function(name, ty);
        for attribute in ["nounwind", "willreturn", "nofree"] {
            ir.attribute(f, attribute, 0);
        }
        (ty, f)
    }

    /// Calls a helper that reads what its arguments point to, and is called whether its result is needed or not: it may raise
    /// floating-point flags.
    pub(crate) fn reading_call(&self, name: &CStr, result: T, args: &[V]) -> V {
        let (ty, f) = self.helper(name, result, args);
        // LLVM's MemoryEffects: argument memory is read, memory of nobody's is read and written.
        self.ir.attribute(f, "memory", 0b1101);
        self.ir.call(ty, f, args)
    }

    /// Calls a helper that reads and writes memory of anybody's.
    pub(crate) fn writing_call(&self, name: &CStr, result: T, args: &[V]) -> V {
        let (ty, f) = self.helper(name, result, args);
        self.ir.call(ty, f, args)
    }

    /// Calls a helper that reads and writes what its arguments point to.
    pub(crate) fn memory_call(&self, name: &CStr, args: &[V]) {
        let (ty, f) = self.helper(name, self.ir.void(), args);
        self.ir.attribute(f, "nosync", 0);
        // Encoded as LLVM's MemoryEffects: two bits a location, argument memory first, both reads and writes.
        self.ir.attribute(f, "memory", 3);
        self.ir.call(ty, f, args);
    }
}
