//! Integer arithmetic. Guarded operations fail when the exact result leaves the representation; where execution
//! continues after a guard failure they saturate, so that ranges proved for later operations still hold.

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Scalar, Span};

use crate::abi::GuardFailure;
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{IntPred, Ir, V, Wrap};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::scalar::int_op::Op;
use crate::lower::scalar::linear;
use crate::lower::scalar::linear::Linear;
use crate::lower::value::Val;

#[allow(clippy::too_many_arguments)]
pub(crate) fn binary(
    em: &mut Emitter<'_, '_>,
    op: BinOp,
    x: Val,
    y: Val,
    repr: Scalar,
    constant: Option<i128>,
    guard: bool,
    span: Span,
) -> Result<Val> {
    if !repr.is_int() {
        return invalid(format!("{op:?} on {repr}"));
    }
    let how = Op {
        repr,
        wide: x.wide,
        guard,
        span,
    };
    let ir = em.ir;
    let (a, b) = (x.a, y.a);
    let v = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => exact(em, op, a, b, constant, how),
        BinOp::FloorDiv => floor_div(em, a, b, constant, how).0,
        BinOp::Mod => modulo(em, a, b, constant, how),
        BinOp::Pow => pow(em, a, b, constant, how)?,
        BinOp::Shl => shl(em, a, b, how),
        BinOp::Shr => shr(em, a, b, how),
        BinOp::And => ir.and(a, b),
        BinOp::Or => ir.or(a, b),
        BinOp::Xor => ir.xor(a, b),
        BinOp::Min | BinOp::Max => {
            let name = match (op, how.signed()) {
                (BinOp::Min, true) => "llvm.smin",
                (BinOp::Min, false) => "llvm.umin",
                (_, true) => "llvm.smax",
                (_, false) => "llvm.umax",
            };
            ir.intrinsic(name, &[ir.type_of(a)], &[a, b])
        }
        BinOp::Div => return unsupported("true division of ints"),
    };
    Ok(Val::shaped(v, x.wide))
}

/// An unguarded accumulation of a part: only the whole is known to stay in range, and modulo 2**bits the parts
/// make up the whole.
pub(crate) fn wrapping(ir: &Ir<'_>, op: BinOp, x: Val, y: Val) -> Val {
    let v = match op {
        BinOp::Add => ir.add(x.a, y.a, Wrap::Any),
        BinOp::Sub => ir.sub(x.a, y.a, Wrap::Any),
        _ => ir.mul(x.a, y.a, Wrap::Any),
    };
    Val::shaped(v, x.wide)
}

/// The exact sum, difference or product; `constant` is `b`'s value if that is known.
fn exact(em: &Emitter<'_, '_>, op: BinOp, a: V, b: V, constant: Option<i128>, how: Op) -> V {
    let ir = em.ir;
    if !how.guard {
        // NumPy's unsigned arithmetic may wrap on purpose; signed arithmetic without guard was proved.
        let wrap = if how.signed() {
            Wrap::Signed
        } else {
            Wrap::Any
        };
        return match op {
            BinOp::Add => ir.add(a, b, wrap),
            BinOp::Sub => ir.sub(a, b, wrap),
            _ => ir.mul(a, b, wrap),
        };
    }
    // Where a guard failure leaves, the flag that an addition sets tells as well.
    let by_range = guards::continues(em) || op == BinOp::Mul;
    if by_range
        && let Some(c) = constant.filter(|_| how.repr.bits() <= 64)
        && let Some(linear) = Linear::of(how.range()).then(op, c, how.range())
    {
        return linear::int_linear(em, a, linear, how);
    }
    let (r, overflow) = overflowing(em, op, a, b, how);
    guards::fail_where(em, overflow, how.wide, GuardFailure::Overflow, how.span);
    if !guards::continues(em) {
        return r;
    }
    let saturated = saturated(em, op, a, b, how);
    ir.select(overflow, saturated, r)
}

/// The wrapped result and whether it is wrong.
fn overflowing(em: &Emitter<'_, '_>, op: BinOp, a: V, b: V, how: Op) -> (V, V) {
    let ir = em.ir;
    let zero = em.lanes.const_int(how.repr, 0, how.wide);
    let name = match (op, how.signed()) {
        (BinOp::Add, true) if !guards::continues(em) => "llvm.sadd.with.overflow",
        (BinOp::Sub, true) if !guards::continues(em) => "llvm.ssub.with.overflow",
        // By signs, which vectorises: the operands agree (differ) in sign and the result does not.
        (BinOp::Add, true) => {
            let r = ir.add(a, b, Wrap::Any);
            let wrong = ir.and(ir.xor(a, r), ir.xor(b, r));
            return (r, ir.icmp(IntPred::LLVMIntSLT, wrong, zero));
        }
        (BinOp::Sub, true) => {
            let r = ir.sub(a, b, Wrap::Any);
            let wrong = ir.and(ir.xor(a, b), ir.xor(a, r));
            return (r, ir.icmp(IntPred::LLVMIntSLT, wrong, zero));
        }
        (BinOp::Add, false) => {
            let r = ir.add(a, b, Wrap::Any);
            return (r, ir.icmp(IntPred::LLVMIntULT, r, a));
        }
        (BinOp::Sub, false) => {
            let r = ir.sub(a, b, Wrap::Any);
            return (r, ir.icmp(IntPred::LLVMIntULT, a, b));
        }
        (_, signed) if how.repr.bits() <= 32 && guards::continues(em) => {
            return wide_product(em, a, b, signed, how);
        }
        (_, true) => "llvm.smul.with.overflow",
        (_, false) => "llvm.umul.with.overflow",
    };
    let both = ir.intrinsic(name, &[ir.type_of(a)], &[a, b]);
    (ir.field(both, 0), ir.field(both, 1))
}

/// A product of narrow ints in twice the bits, which vectorises.
fn wide_product(em: &Emitter<'_, '_>, a: V, b: V, signed: bool, how: Op) -> (V, V) {
    let ir = em.ir;
    let narrow = ir.type_of(a);
    let ty = em.lanes.shape(ir.int(how.repr.bits() * 2), how.wide);
    let extend = |v: V| {
        if signed {
            ir.sext(v, ty)
        } else {
            ir.zext(v, ty)
        }
    };
    let product = ir.mul(extend(a), extend(b), Wrap::Any);
    let r = ir.trunc(product, narrow);
    (r, ir.icmp(IntPred::LLVMIntNE, extend(r), product))
}

/// The end of the representation's range towards which an overflowing operation left it.
fn saturated(em: &Emitter<'_, '_>, op: BinOp, a: V, b: V, how: Op) -> V {
    let ir = em.ir;
    let (lo, hi) = how.range();
    let end = |v: i128| em.lanes.const_int(how.repr, v, how.wide);
    if !how.signed() {
        return if op == BinOp::Sub { end(lo) } else { end(hi) };
    }
    // A sum that overflows has the sign of both operands, a difference that of the first.
    let sign = if op == BinOp::Mul { ir.xor(a, b) } else { a };
    let negative = ir.icmp(IntPred::LLVMIntSLT, sign, end(0));
    ir.select(negative, end(lo), end(hi))
}

pub(crate) fn neg(
    em: &Emitter<'_, '_>,
    v: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    if !repr.is_int() {
        return invalid(format!("negation of {repr}"));
    }
    let how = Op {
        repr,
        wide: v.wide,
        guard,
        span,
    };
    let zero = em.lanes.const_int(repr, 0, v.wide);
    Ok(Val::shaped(
        exact(em, BinOp::Sub, zero, v.a, None, how),
        v.wide,
    ))
}

pub(crate) fn abs(
    em: &Emitter<'_, '_>,
    v: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    if !repr.is_signed() {
        return Ok(v);
    }
    let ir = em.ir;
    let mut x = v.a;
    if guard {
        let (lo, _) = repr.int_range().unwrap_or((0, 0));
        let least = em.lanes.const_int(repr, lo, v.wide);
        let bad = ir.icmp(IntPred::LLVMIntEQ, x, least);
        guards::fail_where(em, bad, v.wide, GuardFailure::Overflow, span);
        if guards::continues(em) {
            x = ir.select(bad, em.lanes.const_int(repr, lo + 1, v.wide), x);
        }
    }
    let r = ir.intrinsic("llvm.abs", &[ir.type_of(x)], &[x, ir.const_bool(false)]);
    Ok(Val::shaped(r, v.wide))
}

/// The remainder with the divisor's sign. Most divisors that are no constants wrap a neighbour's subscript,
/// `(i + 1) % n`: a dividend at most once around needs no division.
fn modulo(em: &mut Emitter<'_, '_>, a: V, b: V, constant: Option<i128>, how: Op) -> V {
    if constant.is_some() || !how.signed() || how.repr.bits() > 64 {
        return floor_div(em, a, b, constant, how).1;
    }
    let ir = em.ir;
    let zero = em.lanes.const_int(how.repr, 0, how.wide);
    // Nothing is below a divisor that is not positive.
    let below = |v: V| {
        let divisor = ir.intrinsic("llvm.smax", &[ir.type_of(b)], &[b, zero]);
        ir.icmp(IntPred::LLVMIntULT, v, divisor)
    };
    let inside = below(a);
    let negative = ir.icmp(IntPred::LLVMIntSLT, a, zero);
    let (up, down) = (ir.add(a, b, Wrap::Any), ir.sub(a, b, Wrap::Any));
    let once = ir.select(negative, up, down);
    let far = ir.not(ir.or(inside, below(once)));
    let home = ir.alloca(ir.type_of(a));
    ir.store(ir.select(inside, a, once), home);
    let far = if how.wide { em.lanes.any(far) } else { far };
    let (slow, end) = (em.ir.fresh(), em.ir.fresh());
    // Neighbours around a border are at most one period away.
    ir.expect(ir.cond_br(far, slow, end), 1, 8);
    ir.at(slow);
    em.guards.conditional += 1;
    let remainder = floor_div(em, a, b, constant, how).1;
    em.guards.conditional -= 1;
    ir.store(remainder, home);
    ir.br(end);
    ir.at(end);
    ir.load(ir.type_of(a), home)
}

/// The quotient rounded towards minus infinity, and the remainder with the divisor's sign.
fn floor_div(em: &Emitter<'_, '_>, a: V, b: V, constant: Option<i128>, how: Op) -> (V, V) {
    let ir = em.ir;
    if let Some(c) = constant.filter(|c| *c > 0) {
        return div_constant(em, a, b, c, how);
    }
    let b = safe_divisor(em, a, b, how);
    if !how.signed() {
        return (ir.udiv(a, b), ir.urem(a, b));
    }
    let (q, r) = if how.repr == Scalar::I128 && !how.wide {
        wide_div(em.ir, a, b)
    } else {
        let q = ir.sdiv(a, b);
        (q, ir.sub(a, ir.mul(q, b, Wrap::Any), Wrap::Any))
    };
    let zero = em.lanes.const_int(how.repr, 0, how.wide);
    let inexact = ir.icmp(IntPred::LLVMIntNE, r, zero);
    let signs = ir.icmp(IntPred::LLVMIntSLT, ir.xor(r, b), zero);
    let fix = ir.and(inexact, signs);
    let down = ir.sub(q, em.lanes.const_int(how.repr, 1, how.wide), Wrap::Any);
    (
        ir.select(fix, down, q),
        ir.select(fix, ir.add(r, b, Wrap::Any), r),
    )
}

/// Tests a divisor, and replaces it where the division must not happen: in lanes that are not active, and
/// after a guard failure.
fn safe_divisor(em: &Emitter<'_, '_>, a: V, b: V, how: Op) -> V {
    let ir = em.ir;
    let one = em.lanes.const_int(how.repr, 1, how.wide);
    let mut unsafe_lanes = None;
    if how.guard || em.guards.suspects_values() {
        let zero = ir.icmp(
            IntPred::LLVMIntEQ,
            b,
            em.lanes.const_int(how.repr, 0, how.wide),
        );
        guards::fail_where(em, zero, how.wide, GuardFailure::ZeroDivision, how.span);
        let mut bad = zero;
        if how.signed() {
            let (lo, _) = how.range();
            let least = ir.icmp(
                IntPred::LLVMIntEQ,
                a,
                em.lanes.const_int(how.repr, lo, how.wide),
            );
            let minus = ir.icmp(
                IntPred::LLVMIntEQ,
                b,
                em.lanes.const_int(how.repr, -1, how.wide),
            );
            let leaves = ir.and(least, minus);
            guards::fail_where(em, leaves, how.wide, GuardFailure::Overflow, how.span);
            bad = ir.or(bad, leaves);
        }
        if guards::continues(em) {
            unsafe_lanes = Some(bad);
        }
    }
    let mut b = b;
    if let Some(bad) = unsafe_lanes {
        b = ir.select(bad, one, b);
    }
    if let Some(mask) = em.lanes.mask().filter(|_| how.wide) {
        b = ir.select(mask.a, b, one);
    }
    b
}

/// Quotient and remainder for a positive constant: nothing can fail, powers of two need no division.
fn div_constant(em: &Emitter<'_, '_>, a: V, b: V, c: i128, how: Op) -> (V, V) {
    let ir = em.ir;
    if c & (c - 1) == 0 {
        let shift = em
            .lanes
            .const_int(how.repr, c.trailing_zeros().into(), how.wide);
        let q = if how.signed() {
            ir.ashr(a, shift)
        } else {
            ir.lshr(a, shift)
        };
        return (q, ir.and(a, em.lanes.const_int(how.repr, c - 1, how.wide)));
    }
    if !how.signed() {
        return (ir.udiv(a, b), ir.urem(a, b));
    }
    let (q, r) = if how.repr == Scalar::I128 && !how.wide {
        wide_div(em.ir, a, b)
    } else {
        (ir.sdiv(a, b), ir.srem(a, b))
    };
    let zero = em.lanes.const_int(how.repr, 0, how.wide);
    let negative = ir.icmp(IntPred::LLVMIntSLT, r, zero);
    let down = ir.sub(q, em.lanes.const_int(how.repr, 1, how.wide), Wrap::Any);
    (
        ir.select(negative, down, q),
        ir.select(negative, ir.add(r, b, Wrap::Any), r),
    )
}

/// 128-bit quotient and remainder towards zero; in 64 bits where both operands fit, which is the usual case.
fn wide_div(ir: &Ir<'_>, a: V, b: V) -> (V, V) {
    let wide = ir.int(128);
    let (a64, b64) = (ir.trunc(a, ir.i64()), ir.trunc(b, ir.i64()));
    let fits = |v: V, low: V| ir.icmp(IntPred::LLVMIntEQ, ir.sext(low, wide), v);
    // The one quotient of 64-bit operands that needs 65 bits.
    let least = ir.icmp(IntPred::LLVMIntNE, a64, ir.const_i64(i64::MIN));
    let small = ir.and(ir.and(fits(a, a64), fits(b, b64)), least);
    let (q, r) = (ir.alloca(wide), ir.alloca(wide));
    let (fast, slow, end) = (ir.fresh(), ir.fresh(), ir.fresh());
    ir.expect(ir.cond_br(small, fast, slow), 1 << 10, 1);
    ir.at(fast);
    ir.store(ir.sext(ir.sdiv(a64, b64), wide), q);
    ir.store(ir.sext(ir.srem(a64, b64), wide), r);
    ir.br(end);
    ir.at(slow);
    let quotient = ir.sdiv(a, b);
    ir.store(quotient, q);
    ir.store(ir.sub(a, ir.mul(quotient, b, Wrap::Any), Wrap::Any), r);
    ir.br(end);
    ir.at(end);
    (ir.load(wide, q), ir.load(wide, r))
}

/// The shift to the left. An amount outside `0..bits` gives zero where it does not fail, as NumPy's shift does.
fn shl(em: &Emitter<'_, '_>, a: V, b: V, how: Op) -> V {
    let ir = em.ir;
    let zero = em.lanes.const_int(how.repr, 0, how.wide);
    let bits = em
        .lanes
        .const_int(how.repr, how.repr.bits().into(), how.wide);
    let inside = ir.icmp(IntPred::LLVMIntULT, b, bits);
    let r = ir.shl(a, ir.select(inside, b, zero));
    if !how.guard {
        return ir.select(inside, r, zero);
    }
    let amount = ir.select(inside, b, zero);
    let back = if how.signed() {
        ir.ashr(r, amount)
    } else {
        ir.lshr(r, amount)
    };
    let lost = ir.icmp(IntPred::LLVMIntNE, back, a);
    let bad = ir.or(ir.not(inside), lost);
    guards::fail_where(em, bad, how.wide, GuardFailure::Overflow, how.span);
    if !guards::continues(em) {
        return r;
    }
    let (lo, hi) = how.range();
    let negative = ir.icmp(IntPred::LLVMIntSLT, a, zero);
    let end = |v: i128| em.lanes.const_int(how.repr, v, how.wide);
    let saturated = if how.signed() {
        ir.select(negative, end(lo), end(hi))
    } else {
        end(hi)
    };
    ir.select(bad, saturated, r)
}

fn shr(em: &Emitter<'_, '_>, a: V, b: V, how: Op) -> V {
    let ir = em.ir;
    let zero = em.lanes.const_int(how.repr, 0, how.wide);
    if how.guard && how.signed() {
        let bad = ir.icmp(IntPred::LLVMIntSLT, b, zero);
        guards::fail_where(em, bad, how.wide, GuardFailure::Overflow, how.span);
    }
    // Unsigned: a negative amount is a large one, as in NumPy.
    let most = em
        .lanes
        .const_int(how.repr, i128::from(how.repr.bits()) - 1, how.wide);
    let amount = ir.intrinsic("llvm.umin", &[ir.type_of(b)], &[b, most]);
    if how.signed() {
        return ir.ashr(a, amount);
    }
    let inside = ir.icmp(IntPred::LLVMIntULE, b, most);
    ir.select(inside, ir.lshr(a, amount), zero)
}

/// The power. Small constant exponents become products; a helper does the rest.
fn pow(em: &Emitter<'_, '_>, a: V, b: V, constant: Option<i128>, how: Op) -> Result<V> {
    match constant {
        Some(0) => return Ok(em.lanes.const_int(how.repr, 1, how.wide)),
        Some(n @ 1..=4) => {
            // Without guard a power may wrap: NumPy's does, silently.
            let times = |x: V, y: V| match how.guard {
                true => exact(em, BinOp::Mul, x, y, None, how),
                false => em.ir.mul(x, y, Wrap::Any),
            };
            let square = if n > 1 { times(a, a) } else { a };
            return Ok(match n {
                1 | 2 => square,
                3 => times(square, a),
                _ => times(square, square),
            });
        }
        _ => {}
    }
    if how.wide {
        return unsupported("a power of ints in a vector loop");
    }
    let ir = em.ir;
    let (ty, wide) = (ir.type_of(a), ir.int(128));
    let (lo, hi) = how.range();
    let (r, exact) = if how.repr.bits() <= 64 && how.signed() {
        let out = ir.alloca(ir.i64());
        let f = ir.add_function(
            c"nw_ipow64",
            ir.function(ir.i64(), &[ir.i64(), ir.i64(), ir.ptr()]),
        );
        let extend = |v: V| {
            if how.repr.bits() < 64 {
                ir.sext(v, ir.i64())
            } else {
                v
            }
        };
        let fty = ir.function(ir.i64(), &[ir.i64(), ir.i64(), ir.ptr()]);
        let exact = ir.call(fty, f, &[extend(a), extend(b), out]);
        (ir.load(ir.i64(), out), exact)
    } else {
        let homes = [(); 3].map(|()| ir.alloca_aligned(wide, 16));
        let extend = |v: V| match (how.repr.bits() < 128, how.signed()) {
            (false, _) => v,
            (true, true) => ir.sext(v, wide),
            (true, false) => ir.zext(v, wide),
        };
        ir.store(extend(a), homes[0]);
        ir.store(extend(b), homes[1]);
        let fty = ir.function(ir.i64(), &[ir.ptr(); 3]);
        let f = ir.add_function(c"nw_ipow", fty);
        let exact = ir.call(fty, f, &homes);
        (ir.load(wide, homes[2]), exact)
    };
    let rty = ir.type_of(r);
    if how.guard {
        let mut bad = ir.icmp(IntPred::LLVMIntEQ, exact, ir.const_i64(0));
        if how.repr != Scalar::I128 {
            for (pred, end) in [(IntPred::LLVMIntSLT, lo), (IntPred::LLVMIntSGT, hi)] {
                bad = ir.or(bad, ir.icmp(pred, r, ir.const_int(rty, end)));
            }
        }
        guards::fail_where(em, bad, false, GuardFailure::Overflow, how.span);
    }
    Ok(if rty == ty { r } else { ir.trunc(r, ty) })
}
