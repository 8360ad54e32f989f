//! Mathematical functions: inline where an instruction is exact, else calls of libm or of NumPy's loops.

use std::ffi::{CStr, CString};

use nestwise_analysis::dataflow::fp_flags::sees_less;
use nestwise_ir::{Expr, FpMode, Fun, Lib, Scalar, Span};

use crate::abi::EventCode;
use crate::error::{CodegenError, Result, invalid};
use crate::link::{libdevice, ufunc};
use crate::llvm::{RealPred, T, V};
use crate::lower::gpu::kernel::Registers;
use crate::lower::{Func, Unit, Val};

impl Func<'_, '_> {
    pub(crate) fn call(
        &mut self,
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
        if !repr.is_float()
            || args.len() != ufunc::arity(fun)
            || args.iter().any(|a| a.ty.repr != repr)
        {
            return invalid(format!("arguments of {fun:?}"));
        }
        let mut values = Vec::with_capacity(args.len());
        for a in args {
            let v = self.expr(a)?;
            if sees_less(fun) {
                self.keep_if_warns(a, v);
            }
            values.push(self.run_time(e, a, v));
        }
        if let [x, y] = values[..] {
            let (x, y) = self.unify(x, y);
            values = vec![x, y];
        }
        if let Some(v) = self.inline_call(fun, lib, &values, repr, guard, e.span)? {
            return Ok(v);
        }
        if let Some(v) = self.card_math(fun, &values, repr)? {
            if guard && lib == Lib::C {
                self.fire_math(v, &values, repr, e.span);
            }
            return Ok(v);
        }
        if let Some(v) = self.vector_math(fun, lib, &values, repr)? {
            if guard && lib == Lib::C {
                self.fire_math(v, &values, repr, e.span);
            }
            return Ok(v);
        }
        match lib {
            Lib::Numpy => self.numpy_call(fun, &values, repr),
            Lib::C => self.c_call(fun, &values, repr, guard, e.span),
        }
    }

    /// On a card, where bits are not promised: its library's function. A result that is not finite is noted, as of any
    /// operation.
    fn card_math(&mut self, fun: Fun, args: &[Val], repr: Scalar) -> Result<Option<Val>> {
        let on_card = self.u.device == Some(Registers::Ptx) && self.u.spec.fp != FpMode::Strict;
        let Some(symbol) = libdevice::symbol(fun, repr).filter(|_| on_card) else {
            return Ok(None);
        };
        let symbol = CString::new(symbol).unwrap_or_default();
        let r = match args {
            [x] => self.libm1(&symbol, *x, repr)?,
            [x, y] => self.libm2(&symbol, *x, *y, repr, None)?,
            _ => return invalid(format!("arguments of {fun:?}")),
        };
        self.ir().watched(r.a);
        Ok(Some(r))
    }

    fn inline_call(
        &mut self,
        fun: Fun,
        lib: Lib,
        args: &[Val],
        repr: Scalar,
        guard: bool,
        span: Span,
    ) -> Result<Option<Val>> {
        let ir = self.ir();
        let Some(&x) = args.first() else {
            return Ok(None);
        };
        let ty = ir.type_of(x.a);
        let infinity = self.const_float(repr, f64::INFINITY, x.wide);
        let size = |v: V| ir.intrinsic("llvm.fabs", &[ty], &[v]);
        let simple = |name: &str| ir.intrinsic(name, &[ty], &[x.a]);
        let v = match fun {
            Fun::Sqrt => self.sqrt(x, repr, lib == Lib::C && guard, span),
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
                let r = self.fmod(x, y, repr);
                ir.as_before(fast);
                let r = r?;
                if guard && lib == Lib::C {
                    self.fire_math(r, &[x, y], repr, span);
                }
                r.a
            }
            _ => return Ok(None),
        };
        Ok(Some(Val::shaped(v, x.wide)))
    }

    /// The square root; where it is not wanted it gets a harmless operand, so that no flag is raised.
    fn sqrt(&mut self, x: Val, repr: Scalar, guard: bool, span: Span) -> V {
        let ir = self.ir();
        let zero = self.const_float(repr, 0.0, x.wide);
        let mut v = x.a;
        let negative = ir.fcmp(RealPred::LLVMRealOLT, v, zero);
        if guard {
            self.fire(negative, x.wide, EventCode::Math, span);
        }
        if guard && self.continues() {
            v = ir.select(negative, zero, v);
        }
        if let Some(mask) = self.mask().filter(|_| x.wide) {
            v = ir.select(mask.a, v, zero);
        }
        let v = self.kept(v, x.wide);
        ir.intrinsic("llvm.sqrt", &[ir.type_of(v)], &[v])
    }

    fn c_call(
        &mut self,
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
            [x] => self.libm1(&symbol, *x, repr)?,
            [x, y] => self.libm2(&symbol, *x, *y, repr, None)?,
            _ => return invalid(format!("arguments of {fun:?}")),
        };
        if guard {
            self.fire_math(r, args, repr, span);
        }
        Ok(r)
    }

    /// CPython's rule for the functions of its math module: a NaN from arguments that are none, or an infinity
    /// from finite ones, raises.
    pub(crate) fn fire_math(&mut self, r: Val, args: &[Val], repr: Scalar, span: Span) {
        let ir = self.ir();
        let wide = r.wide;
        let infinity = self.const_float(repr, f64::INFINITY, wide);
        let size = |v: V| ir.intrinsic("llvm.fabs", &[ir.type_of(v)], &[v]);
        let (mut ordered, mut finite) = (self.const_bool(true, wide), self.const_bool(true, wide));
        for a in args {
            let a = if wide { self.widen(*a) } else { *a };
            ordered = ir.and(ordered, ir.fcmp(RealPred::LLVMRealORD, a.a, a.a));
            finite = ir.and(finite, ir.fcmp(RealPred::LLVMRealOLT, size(a.a), infinity));
        }
        let nan = ir.and(ordered, ir.fcmp(RealPred::LLVMRealUNO, r.a, r.a));
        let inf = ir.and(finite, ir.fcmp(RealPred::LLVMRealOEQ, size(r.a), infinity));
        self.fire(ir.or(nan, inf), wide, EventCode::Math, span);
    }

    pub(crate) fn float_type(&self, repr: Scalar) -> (T, &'static str) {
        if repr == Scalar::F32 {
            (self.ir().f32(), "f32")
        } else {
            (self.ir().f64(), "f64")
        }
    }

    pub(crate) fn libm1(&mut self, name: &CStr, x: Val, repr: Scalar) -> Result<Val> {
        let ir = self.ir();
        let (fty, suffix) = self.float_type(repr);
        let ty = ir.function(fty, &[fty]);
        let f = self.u.pure_function(name, ty);
        if !x.wide {
            return Ok(Val::one(ir.call(ty, f, &[x.a])));
        }
        let map = CString::new(format!("nw_map1_{suffix}")).unwrap_or_default();
        let (x, out) = (self.spill(x.a), self.spill(x.a));
        let (mask, n) = self.lane_arguments(None);
        self.u.memory_call(&map, &[f, x, out, mask, n]);
        Ok(self.reload(out, fty))
    }

    /// A function of two arguments; in a vector loop only for the lanes of `only` (default: the active ones).
    pub(crate) fn libm2(
        &mut self,
        name: &CStr,
        x: Val,
        y: Val,
        repr: Scalar,
        only: Option<Val>,
    ) -> Result<Val> {
        let ir = self.ir();
        if self.u.device.is_some() && only.is_some() {
            // Where an operation has no short way, which is seldom: the host does it all.
            ir.give_up();
            return Ok(x);
        }
        let (x, y) = self.unify(x, y);
        let (fty, suffix) = self.float_type(repr);
        let ty = ir.function(fty, &[fty, fty]);
        let f = self.u.pure_function(name, ty);
        if !x.wide {
            return Ok(Val::one(ir.call(ty, f, &[x.a, y.a])));
        }
        let map = CString::new(format!("nw_map2_{suffix}")).unwrap_or_default();
        let out = self.spill(x.a);
        let (x, y) = (self.spill(x.a), self.spill(y.a));
        let (mask, n) = self.lane_arguments(only);
        self.u.memory_call(&map, &[f, x, y, out, mask, n]);
        Ok(self.reload(out, fty))
    }

    fn numpy_call(&mut self, fun: Fun, args: &[Val], repr: Scalar) -> Result<Val> {
        let Some(name) = ufunc::fun_name(fun).filter(|_| ufunc::is_registered(fun, repr)) else {
            return Err(CodegenError::Unregistered(fun, repr));
        };
        let ir = self.ir();
        let (fty, suffix) = self.float_type(repr);
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
            let f = self.u.pure_function(&symbol, ty);
            let mut values = vec![slot];
            values.extend(args.iter().map(|a| a.a));
            return Ok(Val::one(ir.call(ty, f, &values)));
        }
        let many = CString::new(format!("nw_npv_{suffix}")).unwrap_or_default();
        // Inactive lanes compute something harmless instead of nothing, so that whole batches are possible.
        let harmless = if fun == Fun::Atanh { 0.5 } else { 1.0 };
        let x = self.tame(first.a, harmless, repr);
        let out = self.spill(x);
        let x = self.spill(x);
        let y = match args.get(1) {
            Some(y) => self.spill(self.tame(y.a, harmless, repr)),
            None => ir.zero(ir.ptr()),
        };
        let all = Val::shaped(self.const_bool(true, true), true);
        let (mask, n) = self.lane_arguments(Some(all));
        self.u.memory_call(&many, &[slot, x, y, out, mask, n]);
        Ok(self.reload(out, fty))
    }

    /// A vector with something harmless in the lanes that are not active: what these compute raises no flag.
    pub(crate) fn tame(&self, v: V, harmless: f64, repr: Scalar) -> V {
        match self.mask() {
            Some(mask) => {
                let harmless = self.const_float(repr, harmless, true);
                self.ir().select(mask.a, v, harmless)
            }
            None => v,
        }
    }

    /// Stores a vector to a buffer of its own.
    fn spill(&self, v: V) -> V {
        let ir = self.ir();
        let buffer = ir.alloca(self.entry, ir.type_of(v));
        ir.store(v, buffer);
        buffer
    }

    fn reload(&self, buffer: V, element: T) -> Val {
        Val::shaped(self.ir().load(self.shape(element, true), buffer), true)
    }

    /// The lanes to compute as bits, and their number.
    fn lane_arguments(&self, only: Option<Val>) -> (V, V) {
        let ir = self.ir();
        let n = self.count();
        let mask = match only.or_else(|| self.mask()) {
            Some(mask) => mask.a,
            None => self.const_bool(true, true),
        };
        let bits = ir.bitcast(mask, ir.int(n));
        let bits = if n < 64 {
            ir.zext(bits, ir.i64())
        } else {
            bits
        };
        (bits, ir.const_i64(n.into()))
    }
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
