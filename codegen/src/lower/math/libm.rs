//! Calls of functions of libm, one a value or one a lane, and their guard.

use std::ffi::{CStr, CString};

use nestwise_ir::{Scalar, Span};

use crate::abi::GuardFailure;
use crate::error::Result;
use crate::llvm::{Ir, RealPred, T, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// CPython's rule for the functions of its math module: a NaN from arguments that are none, or an infinity
/// from finite ones, raises.
pub(crate) fn fail_on_math(em: &Emitter<'_, '_>, r: Val, args: &[Val], repr: Scalar, span: Span) {
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
    guards::fail_where(em, ir.or(nan, inf), wide, GuardFailure::Math, span);
}

pub(crate) fn float_type(ir: &Ir<'_>, repr: Scalar) -> (T, &'static str) {
    if repr == Scalar::F32 {
        (ir.f32(), "f32")
    } else {
        (ir.f64(), "f64")
    }
}

pub(crate) fn libm1(em: &Emitter<'_, '_>, name: &CStr, x: Val, repr: Scalar) -> Result<Val> {
    let ir = em.ir;
    let (fty, suffix) = float_type(em.ir, repr);
    let ty = ir.function(fty, &[fty]);
    let f = em.unit.pure_function(name, ty);
    if !x.wide {
        return Ok(Val::one(ir.call(ty, f, &[x.a])));
    }
    let map = CString::new(format!("nw_map1_{suffix}")).unwrap_or_default();
    let (x, out) = (spill(em.ir, x.a), spill(em.ir, x.a));
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
    let (fty, suffix) = float_type(em.ir, repr);
    let ty = ir.function(fty, &[fty, fty]);
    let f = em.unit.pure_function(name, ty);
    if !x.wide {
        return Ok(Val::one(ir.call(ty, f, &[x.a, y.a])));
    }
    let map = CString::new(format!("nw_map2_{suffix}")).unwrap_or_default();
    let out = spill(em.ir, x.a);
    let (x, y) = (spill(em.ir, x.a), spill(em.ir, y.a));
    let (mask, n) = lane_arguments(em, only);
    em.unit.memory_call(&map, &[f, x, y, out, mask, n]);
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
pub(crate) fn spill(ir: &Ir<'_>, v: V) -> V {
    let buffer = ir.alloca(ir.type_of(v));
    ir.store(v, buffer);
    buffer
}

pub(crate) fn reload(em: &Emitter<'_, '_>, buffer: V, element: T) -> Val {
    Val::shaped(em.ir.load(em.lanes.shape(element, true), buffer), true)
}

/// The lanes to compute as bits, and their number.
pub(crate) fn lane_arguments(em: &Emitter<'_, '_>, only: Option<Val>) -> (V, V) {
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

    /// What the operation of a fragment is performed on, the same throughout a call of the kernel.
    pub(crate) fn kept(&self, fragment: usize) -> V {
        let ir = &self.ir;
        let ty = ir.function(ir.ptr(), &[ir.i64()]);
        let f = self.pure_function(c"nw_kept", ty);
        ir.attribute(f, "speculatable", 0);
        ir.call(ty, f, &[ir.const_i64(fragment as i64)])
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

    /// Calls a helper that reads what its arguments point to, and is called whether its result is needed or not: it may
    /// raise floating-point flags.
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
