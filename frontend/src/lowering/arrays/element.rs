//! Computes one element of an operation on whole arrays, by NumPy's rules for arrays where they differ from those for
//! its scalars.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Fun, Lib, Precondition, Scalar, Span, Ty, Work};

use crate::builtins::{ArrayFn, Known, NumpyFn, NumpySpecial};
use crate::lowering::arrays::{access, creation, gather, linspace};
use crate::lowering::context::Lowering;
use crate::lowering::scalar::{arith, compare, convert, math};
use crate::lowering::types::kinds::{Kind, kind_ty};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Axis;
use crate::lowering::value::tree::Node;
use crate::lowering::{build, operands};
use crate::refusal::{R, unsupported};

impl Lowering<'_> {
    /// The element of a tree at the positions `counters` along the axes of the array that the tree is part of.
    pub fn element(&mut self, node: &Node, counters: &[Expr], span: Span) -> R<Sv> {
        match node {
            Node::Scalar(sv) => Ok(sv.clone()),
            Node::Part(section) => {
                let own = section.shape().len();
                let counters = &counters[counters.len().saturating_sub(own)..];
                Ok(access::section_element(
                    &mut self.builder,
                    section,
                    counters,
                    span,
                ))
            }
            Node::Turned(section) => {
                let own = section.shape().len();
                let counters = &counters[counters.len().saturating_sub(own)..];
                let counters: Vec<Expr> = counters.iter().rev().cloned().collect();
                Ok(access::section_element(
                    &mut self.builder,
                    section,
                    &counters,
                    span,
                ))
            }
            Node::Items(items) => {
                let at = counters.last().cloned();
                let at = at.unwrap_or_else(|| Expr::int(0, span));
                creation::item_of(items, &at, span)
            }
            Node::Places => {
                let at = counters.last().cloned();
                Ok(place(at.unwrap_or_else(|| Expr::int(0, span))))
            }
            Node::Spaced(spaced) => {
                let at = counters.last().cloned();
                linspace::spaced(self, spaced, at.unwrap_or_else(|| Expr::int(0, span)), span)
            }
            Node::Diagonal(storage) => Ok(creation::diagonal(*storage, counters, span)),
            Node::Gather(from, places) => gather::gathered(self, from, places, counters, span),
            Node::Sign(op, a) => {
                let a = self.element(a, counters, span)?;
                arith::sign(&mut self.env, *op, a, span)
            }
            Node::Binary(Op::Pow, a, b) => {
                require_positive_stride(self, a, span)?;
                exponent_is_a_number(b, span)?;
                let a = self.element(a, counters, span)?;
                let b = self.element(b, counters, span)?;
                array_power(self, a, b, span)
            }
            Node::Binary(op, a, b) => {
                let a = self.element(a, counters, span)?;
                let b = self.element(b, counters, span)?;
                let complex = a.kinds.any(Kind::is_complex) || b.kinds.any(Kind::is_complex);
                if complex && !matches!(op, Op::Add | Op::Sub) {
                    // NumPy's loops fuse multiplications and additions where the machine does.
                    return Err(unsupported("a product of arrays of complex numbers", span));
                }
                arith::arith(self, *op, a, b, span)
            }
            Node::Compare(op, a, b) => {
                let a = self.element(a, counters, span)?;
                let b = self.element(b, counters, span)?;
                compare::compare(self, *op, a, b, span)
            }
            Node::Call(known, args) => {
                if let (Known::Numpy(NumpyFn::Binary(Fun::Pow)), [_, b]) = (known, args.as_slice())
                {
                    exponent_is_a_number(b, span)?;
                }
                if known.depends_on_layout() {
                    args.iter()
                        .try_for_each(|a| require_positive_stride(self, a, span))?;
                }
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.element(arg, counters, span)?);
                }
                if values.iter().any(Sv::is_bottom) {
                    return Ok(Sv::bottom(span));
                }
                element_call(self, *known, values, span)
            }
        }
    }
}

/// Requires that an operand has positive strides: NumPy computes others without vectors, with other bits.
///
/// # Errors
/// The operand is a reversed part of an array.
fn require_positive_stride(cx: &mut Lowering<'_>, operand: &Node, span: Span) -> R<()> {
    let (Node::Part(section) | Node::Turned(section)) = operand else {
        // What is computed lies in memory of its own.
        return Ok(());
    };
    let back = |axis: &Axis| matches!(axis, Axis::Range { step, .. } if *step < 0);
    if section.axes.iter().any(back) {
        return Err(unsupported(
            "a function of NumPy's of a reversed array",
            span,
        ));
    }
    cx.preconditions
        .require(Precondition::PositiveStride(section.array));
    Ok(())
}

fn element_call(cx: &mut Lowering<'_>, known: Known, mut args: Vec<Sv>, span: Span) -> R<Sv> {
    use NumpySpecial as N;
    match (known, args.len()) {
        (Known::Numpy(NumpyFn::Special(N::Minimum | N::Maximum)), 2) => {
            let y = args.pop().map(|y| operands::spill_sv(cx, y));
            let x = args.pop().map(|x| operands::spill_sv(cx, x));
            let both: Vec<Sv> = x.into_iter().chain(y).collect();
            check_zeros(cx, &both, span);
            let Known::Numpy(f) = known else {
                return Err(unsupported(&known.name(), span));
            };
            math::numpy(cx, f, both, span)
        }
        (Known::Numpy(NumpyFn::Array(ArrayFn::Where)), 3) => chosen(cx, args, span),
        (Known::Numpy(NumpyFn::Array(ArrayFn::Clip)), 3) => {
            if args.iter().any(|a| a.kinds.any(Kind::is_bool)) {
                return Err(unsupported("numpy.clip of bools", span));
            }
            let most = args.split_off(2);
            let limit = |f| Known::Numpy(NumpyFn::Special(f));
            let raised = element_call(cx, limit(N::Maximum), args, span)?;
            let both = [vec![raised], most].concat();
            element_call(cx, limit(N::Minimum), both, span)
        }
        (Known::Numpy(NumpyFn::Unary(_) | NumpyFn::Binary(_)), _)
            if args.iter().any(|a| a.kinds.any(is_narrow)) =>
        {
            // NumPy computes functions of narrow ints in floats of 16 or 32 bits.
            Err(unsupported("a function of an array of narrow ints", span))
        }
        (Known::Numpy(f), _) => {
            if let NumpyFn::Unary(fun) | NumpyFn::Binary(fun) = f
                && fun.is_elementary()
            {
                cx.builder.tally(Work::ArrayFunction, in_exponentials(fun));
            }
            math::numpy(cx, f, args, span)
        }
        (_, 1) => {
            let absolute = NumpyFn::Special(N::Absolute);
            math::numpy(cx, absolute, args, span)
        }
        _ => Err(unsupported(&known.name(), span)),
    }
}

/// The element of `np.where(condition, x, y)`: both operands are evaluated, whichever is taken.
fn chosen(cx: &mut Lowering<'_>, mut args: Vec<Sv>, span: Span) -> R<Sv> {
    let (Some(y), Some(x), Some(cond)) = (args.pop(), args.pop(), args.pop()) else {
        return Err(unsupported("this form of numpy.where", span));
    };
    let cond = convert::truth(&mut cx.builder, Val::Scalar(cond), span)?;
    let cond = cx.builder.spill(build::condition(cond));
    let (x, y) = (operands::spill_sv(cx, x), operands::spill_sv(cx, y));
    // The type is that of what is made of both; of Python's numbers it is NumPy's.
    let both = arith::arith(cx, Op::Add, x.clone(), y.clone(), span)?;
    let own = |sv: &Sv| convert::in_repr(sv, Scalar::F64, true);
    let wide = both
        .kinds
        .single()
        .is_some_and(|k| k.is_float() && k.natural() == Scalar::F64);
    let (true, Some(x), Some(y)) = (wide, own(&x), own(&y)) else {
        return Err(unsupported("this form of numpy.where", span));
    };
    let kind = Kind::Np(Scalar::F64);
    Ok(Sv::of(build::select(cond, x, y, kind_ty(kind)), kind))
}

/// Emits a guard that two floats are not zeros of different signs, one of which is to be chosen as the least or
/// greatest: which one NumPy takes depends on where its vectors end.
fn check_zeros(cx: &mut Lowering<'_>, both: &[Sv], span: Span) {
    let [a, b] = both else { return };
    if !a.repr().is_float() || !b.repr().is_float() {
        return;
    }
    let known = |sv: &Sv| sv.as_float().is_some_and(|v| v != 0.0);
    if known(a) || known(b) {
        return;
    }
    let ty = Ty::PY_FLOAT;
    let wide = |sv: &Sv| convert::in_repr(sv, Scalar::F64, false);
    let (Some(x), Some(y)) = (wide(a), wide(b)) else {
        return;
    };
    let sign = |e: Expr| {
        let one = build::float(1.0, ty, span);
        build::call(Fun::Copysign, Lib::C, vec![one, e], ty, false, span)
    };
    let unequal = build::compare(CmpOp::Ne, x.clone(), y.clone(), Ty::PY_BOOL, span);
    let alike = build::compare(CmpOp::Eq, sign(x), sign(y), Ty::PY_BOOL, span);
    cx.builder.emit_check(build::or(unequal, alike));
}

/// The element of `array ** exponent`: where the exponent is a constant, NumPy may square, take a root or a reciprocal;
/// otherwise it calls its own power function.
fn array_power(cx: &mut Lowering<'_>, a: Sv, b: Sv, span: Span) -> R<Sv> {
    if a.is_bottom() || b.is_bottom() {
        return Ok(Sv::bottom(span));
    }
    let known = b.as_float().or(b.as_int().map(|v| v as f64));
    let float = a.kinds.every(Kind::is_float);
    let odd = |k: Kind| k.is_bool() || k.is_complex();
    let numbers = a.kinds.numpy() == a.kinds && !a.kinds.any(odd);
    if known == Some(2.0) && numbers && (float || b.as_int().is_some()) {
        let a = operands::spill_sv(cx, a);
        return arith::arith(cx, Op::Mul, a.clone(), a, span);
    }
    if !float || !b.kinds.every(|k| k.is_float() || k.is_integral()) {
        return Err(unsupported("a power of ints", span));
    }
    match known {
        Some(0.5) => math::numpy(cx, NumpyFn::Unary(Fun::Sqrt), vec![a], span),
        // What NumPy's releases make of these differs.
        Some(-1.0 | 0.0 | 1.0) => Err(unsupported("this power", span)),
        _ => math::numpy(cx, NumpyFn::Binary(Fun::Pow), vec![a, b], span),
    }
}

/// The time that NumPy takes for an element of a function of arrays, about, in elements of `np.exp`: it computes the
/// listed functions on vectors, and most others one by one.
fn in_exponentials(fun: Fun) -> f64 {
    match fun {
        Fun::Exp | Fun::Exp2 | Fun::Log | Fun::Log2 => 1.0,
        Fun::Expm1 | Fun::Log10 | Fun::Log1p | Fun::Cbrt | Fun::Tanh | Fun::Pow => 2.0,
        _ => 8.0,
    }
}

/// Refuses an array of exponents: NumPy checks whether they are all one number, and which.
fn exponent_is_a_number(exponent: &Node, span: Span) -> R<()> {
    match exponent {
        Node::Scalar(_) => Ok(()),
        _ => Err(unsupported("a power with an array of exponents", span)),
    }
}

/// Whether NumPy's functions of floats compute a bool or int of this type in floats of fewer than 64 bits.
fn is_narrow(kind: Kind) -> bool {
    match kind {
        Kind::Np(s) => s == Scalar::Bool || s.is_int() && s.size() < 4,
        _ => false,
    }
}

/// A position along an axis as an int of NumPy's.
fn place(at: Expr) -> Sv {
    let most = (0, i64::MAX.into());
    let e = build::retype(at, Ty::np(Scalar::I64));
    Sv::of(e, Kind::Np(Scalar::I64)).with_range(most)
}
