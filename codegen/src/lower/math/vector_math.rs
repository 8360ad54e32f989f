//! Mathematical functions through the C library's vector functions (see [`crate::link::mvec`]).
//!
//! A kernel gets functions of its own for each that it calls: one of a single value, one of a whole vector. Both
//! compute ordinary arguments by the same vector function and the rest by the function that strict code calls. The
//! first one names the second as its vector form, so that LLVM's vectoriser finds it.

use std::ffi::{CStr, CString};

use nestwise_ir::{FpMode, Fun, Lib, Scalar};

use crate::error::Result;
use crate::link::mvec::{Domain, Rules};
use crate::link::{mvec, ufunc};
use crate::llvm::{IntPred, RealPred, T, V};
use crate::lower::emitter::Emitter;
use crate::lower::math::libm;
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// A function as strict code calls it.
struct Strict {
    lib: Lib,
    /// The function of libm or CPython; for NumPy the slot of its loop.
    callee: V,
    arity: usize,
    suffix: &'static str,
    element: T,
}

/// The functions made for one mathematical function.
struct Made {
    one: V,
    one_type: T,
    wide: V,
    wide_type: T,
    /// The number of elements of the vectors that `wide` takes.
    width: u32,
    harmless: f64,
}

/// The function's value through the vector library, where the mode allows it and the library has it.
pub(crate) fn vector_math(
    em: &Emitter<'_, '_>,
    fun: Fun,
    lib: Lib,
    args: &[Val],
    repr: Scalar,
) -> Result<Option<Val>> {
    let Some(made) = em.unit.vector_function(fun, lib, repr) else {
        return Ok(None);
    };
    let ir = em.ir;
    if args.iter().all(|a| !a.wide) {
        let values: Vec<V> = args.iter().map(|a| a.a).collect();
        return Ok(Some(Val::one(ir.call(made.one_type, made.one, &values))));
    }
    let tame = |a: &Val| libm::tame(em, em.lanes.widen(*a).a, made.harmless, repr);
    let values: Vec<V> = args.iter().map(tame).collect();
    let r = em.unit.through(&made, &values, em.lanes.count());
    Ok(Some(Val::shaped(r, true)))
}

impl Unit<'_> {
    fn vector_function(&self, fun: Fun, lib: Lib, repr: Scalar) -> Option<Made> {
        if self.spec.fp == FpMode::Strict {
            return None;
        }
        let rules = mvec::rules(fun, repr)?;
        let symbol = mvec::symbol(fun, repr, self.host.mvec)?;
        let strict = self.strict(fun, lib, repr)?;
        let ir = &self.ir;
        let width = self.host.mvec.width(repr);
        let wide_element = ir.vector(strict.element, width);
        let name = |kind: &str| {
            let lib = if lib == Lib::C { "c" } else { "np" };
            let fun = ufunc::fun_name(fun).unwrap_or_default();
            format!("nw_{kind}_{lib}_{fun}_{}", strict.suffix)
        };
        let (one_name, wide_name) = (name("one"), name("all"));
        let one_type = ir.function(strict.element, &vec![strict.element; strict.arity]);
        let wide_type = ir.function(wide_element, &vec![wide_element; strict.arity]);
        let made = Made {
            one: self.math_function(&one_name, one_type),
            one_type,
            wide: self.math_function(&wide_name, wide_type),
            wide_type,
            width,
            harmless: rules.harmless,
        };
        if !ir.has_body(made.one) {
            let here = ir.here();
            self.emit_one(&made, &rules, &strict, &symbol);
            self.emit_wide(&made, &rules, &strict, &symbol);
            self.emit_forms(&made, &one_name, &strict);
            ir.at(here);
        }
        Some(made)
    }

    /// How strict code calls the function; none if strict code does not call it.
    fn strict(&self, fun: Fun, lib: Lib, repr: Scalar) -> Option<Strict> {
        let ir = &self.ir;
        let name = ufunc::fun_name(fun)?;
        let (element, suffix) = match repr {
            Scalar::F32 => (ir.f32(), "f32"),
            _ => (ir.f64(), "f64"),
        };
        let arity = ufunc::arity(fun);
        let callee = match lib {
            Lib::Numpy if ufunc::is_registered(fun, repr) => {
                ir.add_global(&CString::new(format!("nw_ufunc_{name}_{suffix}")).ok()?)
            }
            Lib::Numpy => return None,
            Lib::C => {
                let symbol = match (fun, repr) {
                    (_, Scalar::F64) => format!("nw_c_{name}"),
                    (Fun::Pow, Scalar::F32) => "nw_c_powf".to_string(),
                    _ => return None,
                };
                let ty = ir.function(element, &vec![element; arity]);
                self.pure_function(&CString::new(symbol).ok()?, ty)
            }
        };
        Some(Strict {
            lib,
            callee,
            arity,
            suffix,
            element,
        })
    }

    /// Declares a function of this module without effects.
    fn math_function(&self, name: &str, ty: T) -> V {
        let ir = &self.ir;
        let f = self.pure_function(&CString::new(name).unwrap_or_default(), ty);
        ir.set_internal(f);
        for (key, value) in self.host.attributes() {
            ir.string_attribute(f, key, &value);
        }
        ir.string_attribute(f, "no-trapping-math", "true");
        f
    }

    fn emit_one(&self, made: &Made, rules: &Rules, strict: &Strict, symbol: &CStr) {
        let ir = &self.ir;
        let (entry, fast, slow) = (
            ir.block(made.one, c"entry"),
            ir.block(made.one, c"fast"),
            ir.block(made.one, c"slow"),
        );
        ir.at(entry);
        let args: Vec<V> = (0..strict.arity as u32)
            .map(|k| ir.param(made.one, k))
            .collect();
        let ordinary = self.ordinary(rules, &args, strict, None);
        self.likely(ordinary, fast, slow);
        ir.at(fast);
        let wide: Vec<V> = args.iter().map(|a| ir.splat(*a, made.width)).collect();
        let r = self.library(made, rules, symbol, &wide, strict);
        ir.ret(ir.extract(r, ir.const_i64(0)));
        ir.at(slow);
        ir.ret(self.strict_one(strict, &args));
    }

    fn emit_wide(&self, made: &Made, rules: &Rules, strict: &Strict, symbol: &CStr) {
        let ir = &self.ir;
        let lanes = made.width;
        let (entry, slow, end) = (
            ir.block(made.wide, c"entry"),
            ir.block(made.wide, c"slow"),
            ir.block(made.wide, c"end"),
        );
        ir.at(entry);
        let args: Vec<V> = (0..strict.arity as u32)
            .map(|k| ir.param(made.wide, k))
            .collect();
        let ordinary = self.ordinary(rules, &args, strict, Some(lanes));
        let harmless = ir.splat(ir.const_float(strict.element, rules.harmless), lanes);
        let tame: Vec<V> = args
            .iter()
            .map(|a| ir.select(ordinary, *a, harmless))
            .collect();
        let fast = self.library(made, rules, symbol, &tame, strict);
        let bits = ir.bitcast(ir.not(ordinary), ir.int(lanes));
        let all = ir.icmp(IntPred::LLVMIntEQ, bits, ir.const_int(ir.int(lanes), 0));
        self.likely(all, end, slow);
        ir.at(slow);
        let mixed = self.strict_lanes(strict, &args, fast, ir.zext(bits, ir.i64()), lanes);
        let behind = ir.here();
        ir.br(end);
        ir.at(end);
        let r = ir.phi(ir.type_of(fast));
        ir.add_incoming(r, fast, entry);
        ir.add_incoming(r, mixed, behind);
        ir.ret(r);
    }

    /// Branches to `yes`, as it nearly always will.
    pub(crate) fn likely(&self, cond: V, yes: crate::llvm::Block, no: crate::llvm::Block) {
        let ir = &self.ir;
        let branch = ir.cond_br(cond, yes, no);
        let weight = |w: i128| ir.md_value(ir.const_int(ir.int(32), w));
        let weights = [ir.md_string("branch_weights"), weight(1 << 10), weight(1)];
        ir.set_md(branch, "prof", ir.md_node(&weights));
    }

    /// The value of the vector library's function of ordinary arguments.
    fn library(&self, made: &Made, rules: &Rules, symbol: &CStr, args: &[V], strict: &Strict) -> V {
        let ir = &self.ir;
        let f = self.pure_function(symbol, made.wide_type);
        let mut r = ir.call(made.wide_type, f, args);
        let Some(&x) = args.first() else { return r };
        if rules.keeps_zero {
            let size = self.size_bits(x, strict, Some(made.width));
            let zero = ir.zero(ir.type_of(size));
            r = ir.select(ir.icmp(IntPred::LLVMIntEQ, size, zero), x, r);
        }
        if rules.within_one {
            let limit = |v: f64| ir.splat(ir.const_float(strict.element, v), made.width);
            for (pred, v) in [
                (RealPred::LLVMRealOGT, limit(1.0)),
                (RealPred::LLVMRealOLT, limit(-1.0)),
            ] {
                r = ir.select(ir.fcmp(pred, r, v), v, r);
            }
        }
        r
    }

    fn strict_one(&self, strict: &Strict, args: &[V]) -> V {
        let ir = &self.ir;
        let mut params = vec![strict.element; strict.arity];
        if strict.lib == Lib::C {
            return ir.call(ir.function(strict.element, &params), strict.callee, args);
        }
        params.insert(0, ir.ptr());
        let ty = ir.function(strict.element, &params);
        let symbol = format!("nw_np{}_{}", strict.arity, strict.suffix);
        let f = self.pure_function(&CString::new(symbol).unwrap_or_default(), ty);
        let mut values = vec![strict.callee];
        values.extend(args);
        ir.call(ty, f, &values)
    }

    /// `fast` with the lanes of `mask` computed one by one.
    fn strict_lanes(&self, strict: &Strict, args: &[V], fast: V, mask: V, lanes: u32) -> V {
        let ir = &self.ir;
        let spill = |v: V| {
            let buffer = ir.alloca(ir.type_of(v));
            ir.store(v, buffer);
            buffer
        };
        let out = spill(fast);
        let mut values = vec![strict.callee];
        values.extend(args.iter().map(|a| spill(*a)));
        let symbol = match strict.lib {
            Lib::C => format!("nw_map{}_{}", strict.arity, strict.suffix),
            Lib::Numpy => {
                if strict.arity == 1 {
                    values.push(ir.zero(ir.ptr()));
                }
                format!("nw_npv_{}", strict.suffix)
            }
        };
        values.extend([out, mask, ir.const_i64(lanes.into())]);
        self.memory_call(&CString::new(symbol).unwrap_or_default(), &values);
        ir.load(ir.type_of(fast), out)
    }

    // Which arguments are ordinary is told from their bits: comparing floats may raise a flag for a NaN.

    fn spread(&self, v: V, lanes: Option<u32>) -> V {
        lanes.map_or(v, |n| self.ir.splat(v, n))
    }

    fn int_shape(&self, strict: &Strict, lanes: Option<u32>) -> T {
        let ir = &self.ir;
        let word = self.word(strict);
        lanes.map_or(word, |n| ir.vector(word, n))
    }

    fn word(&self, strict: &Strict) -> T {
        let bits = if strict.element == self.ir.f32() {
            32
        } else {
            64
        };
        self.ir.int(bits)
    }

    /// The bits of a float's absolute value.
    fn size_bits(&self, x: V, strict: &Strict, lanes: Option<u32>) -> V {
        let ir = &self.ir;
        let bits = ir.bitcast(x, self.int_shape(strict, lanes));
        let most = if strict.element == ir.f32() {
            i128::from(u32::MAX >> 1)
        } else {
            i128::from(u64::MAX >> 1)
        };
        ir.and(
            bits,
            self.spread(ir.const_int(self.word(strict), most), lanes),
        )
    }

    fn ordinary(&self, rules: &Rules, args: &[V], strict: &Strict, lanes: Option<u32>) -> V {
        let ir = &self.ir;
        let narrow = strict.element == ir.f32();
        let bits = |v: f64| match narrow {
            true => i128::from((v as f32).to_bits()),
            false => i128::from(v.to_bits()),
        };
        let constant = |v: i128| self.spread(ir.const_int(self.word(strict), v), lanes);
        // Floats of one sign are ordered as their bits are.
        let between = |x: V, lo: f64, hi: f64| {
            let above = ir.sub(x, constant(bits(lo)), crate::llvm::Wrap::Any);
            ir.icmp(IntPred::LLVMIntULE, above, constant(bits(hi) - bits(lo)))
        };
        let holds = |(domain, x): (Domain, &V)| match domain {
            Domain::Size(lo, hi) => between(self.size_bits(*x, strict, lanes), lo, hi),
            Domain::Positive(lo, hi) => {
                between(ir.bitcast(*x, self.int_shape(strict, lanes)), lo, hi)
            }
            Domain::Signed(lo, hi) => {
                let size = self.size_bits(*x, strict, lanes);
                let raw = ir.bitcast(*x, self.int_shape(strict, lanes));
                let negative = ir.icmp(IntPred::LLVMIntSLT, raw, constant(0));
                let limit = ir.select(negative, constant(bits(-lo)), constant(bits(hi)));
                ir.icmp(IntPred::LLVMIntULE, size, limit)
            }
        };
        let mut all: Vec<V> = rules
            .domains
            .into_iter()
            .flatten()
            .zip(args)
            .map(holds)
            .collect();
        if let Some(x) = args.first().filter(|_| rules.keeps_zero) {
            // Neither zero nor of full precision: what is close to its argument would lose bits of it.
            let normal = if narrow {
                f64::from(f32::MIN_POSITIVE)
            } else {
                f64::MIN_POSITIVE
            };
            let one = constant(1);
            let below = ir.sub(
                self.size_bits(*x, strict, lanes),
                one,
                crate::llvm::Wrap::Any,
            );
            let least = constant(bits(normal) - 1);
            all.push(ir.icmp(IntPred::LLVMIntUGE, below, least));
        }
        all.into_iter()
            .reduce(|a, b| ir.and(a, b))
            .unwrap_or_else(|| self.spread(ir.const_bool(true), lanes))
    }

    // Vectors of other lengths.

    /// The function of a vector of `count` elements, by calls on vectors of the library's width.
    fn through(&self, made: &Made, args: &[V], count: u32) -> V {
        let ir = &self.ir;
        let width = made.width;
        let element = ir.element_type(ir.type_of(args[0]));
        let filler = ir.splat(ir.const_float(element, made.harmless), count);
        let chunks: Vec<V> = (0..count.div_ceil(width))
            .map(|chunk| {
                // Beyond the end come the filler's elements.
                let lanes: Vec<u32> = (0..width).map(|k| (chunk * width + k).min(count)).collect();
                let part = |a: &V| ir.shuffle(*a, filler, &lanes);
                let parts: Vec<V> = args.iter().map(part).collect();
                ir.call(made.wide_type, made.wide, &parts)
            })
            .collect();
        self.joined(&chunks, width, count)
    }

    /// The first `count` elements of several vectors one after the other.
    fn joined(&self, parts: &[V], width: u32, count: u32) -> V {
        let ir = &self.ir;
        let (mut parts, mut width) = (parts.to_vec(), width);
        while parts.len() > 1 {
            let lanes: Vec<u32> = (0..2 * width).collect();
            parts = parts
                .chunks(2)
                .map(|two| ir.shuffle(two[0], two[two.len() - 1], &lanes))
                .collect();
            width *= 2;
        }
        if width == count {
            return parts[0];
        }
        let lanes: Vec<u32> = (0..count).collect();
        ir.shuffle(parts[0], parts[0], &lanes)
    }

    /// Tells LLVM's vectoriser what vectors of the function are: half, once and twice as long as the library's, and
    /// with a mask the library's.
    fn emit_forms(&self, made: &Made, name: &str, strict: &Strict) {
        let ir = &self.ir;
        let mut forms = Vec::new();
        let parameters = "v".repeat(strict.arity);
        for (count, masked) in [
            (made.width / 2, false),
            (made.width, false),
            (made.width * 2, false),
            (made.width, true),
        ] {
            if count < 2 {
                continue;
            }
            let letter = if masked { 'M' } else { 'N' };
            let form = format!("{name}_{letter}{count}");
            let vector = ir.vector(strict.element, count);
            let mut types = vec![vector; strict.arity];
            if masked {
                types.push(ir.vector(ir.i1(), count));
            }
            let f = self.math_function(&form, ir.function(vector, &types));
            ir.at(ir.block(f, c"entry"));
            let harmless = ir.splat(ir.const_float(strict.element, made.harmless), count);
            let args: Vec<V> = (0..strict.arity as u32)
                .map(|k| match masked {
                    true => ir.select(ir.param(f, strict.arity as u32), ir.param(f, k), harmless),
                    false => ir.param(f, k),
                })
                .collect();
            ir.ret(self.through(made, &args, count));
            forms.push(format!(
                "_ZGV_LLVM_{letter}{count}{parameters}_{name}({form})"
            ));
        }
        ir.string_attribute(made.one, "vector-function-abi-variant", &forms.join(","));
    }
}
