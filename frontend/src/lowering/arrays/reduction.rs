//! Reductions of arrays as NumPy makes them: `np.sum`, `np.max`, ..., as functions and methods.
//!
//! NumPy adds floats pairwise, in an order of its own: a loop whose body is nothing but [`Fun::AddNext`] becomes one
//! call of the very same code. That code reads elements from memory, so computed elements are put into memory of the
//! nest's own first, as NumPy does.

use nestwise_ir::model::nest::{CmpOp, Const, Expr, StmtKind};
use nestwise_ir::surface::CmpOp as Cmp;
use nestwise_ir::{BinOp, Fun, Lib, Scalar, Span, Ty, VarId, Work};

use crate::builtins::{ArrayFn, NumpyFn};
use crate::lowering::arrays::materialise::{self, ELEMENT};
use crate::lowering::arrays::shapes::{self, count};
use crate::lowering::arrays::{access, elementwise, in_memory, temporary};
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::scalar::{arith, compare, convert, math};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse, unsupported};

/// Reduces all elements of an array to one value.
pub(crate) fn reduce_all(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    a: Elementwise,
    name: &str,
    span: Span,
) -> R<Sv> {
    let one_axis = matches!(f, ArrayFn::Argmax | ArrayFn::Argmin);
    if a.shape.len() != 1 && one_axis {
        let what = format!("{name} of {} axes", a.shape.len());
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    match f {
        ArrayFn::Norm => norm(cx, a, span),
        ArrayFn::Sum => sum_of(cx, &a, span),
        ArrayFn::Prod => product_of(cx, &a, span),
        ArrayFn::Mean => mean(cx, &a, span),
        ArrayFn::Max | ArrayFn::Min => extreme(cx, f == ArrayFn::Max, &a, span),
        ArrayFn::Any | ArrayFn::All => any_or_all(cx, f == ArrayFn::All, &a, span),
        ArrayFn::Argmax | ArrayFn::Argmin => where_extreme(cx, f == ArrayFn::Argmax, &a, span),
        _ => Err(unsupported(name, span)),
    }
}

/// Emits loops over all elements, with `body` for each.
fn every(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, Sv) -> R<()>,
) -> R<()> {
    materialise::over(cx, &tree.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + tree.node.operations());
        let element = cx.element(&tree.node, counters, span)?;
        if element.is_bottom() {
            return Ok(());
        }
        body(cx, element)
    })
}

/// Emits a loop over the elements of an array of one axis, from the `first` one on, with each one's value and position.
fn each_of(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    first: i64,
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, Sv, Expr) -> R<()>,
) -> R<()> {
    let stop = tree.shape[0].clone();
    emit::hidden_loop(cx, ELEMENT, (first, stop), span, |cx, counter| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + tree.node.operations());
        let at = build::var(counter, Ty::PY_INT, span);
        let element = cx.element(&tree.node, std::slice::from_ref(&at), span)?;
        if element.is_bottom() {
            return Ok(());
        }
        body(cx, element, at)
    })
}

/// Emits loops that become one call: `acc = fun(acc, elements)`. Returns `acc`.
pub(crate) fn folded(
    cx: &mut Lowering<'_>,
    fun: Fun,
    parts: &[Section],
    kind: Kind,
    span: Span,
) -> R<Expr> {
    let ty = Ty::np(kind.natural());
    let acc = cx.builder.hidden(ty);
    cx.builder.emit_let(acc, build::float(0.0, ty, span));
    let shape = parts[0].shape();
    let fun = match (shape.len(), fun) {
        (1, fun) => fun,
        (_, Fun::AddNext) => Fun::AddFlatNext,
        (_, _) => Fun::DotFlatNext,
    };
    materialise::over(cx, &shape, span, |cx, counters| {
        cx.builder.tally(Work::ArraySum, 1.0);
        let mut args = vec![build::var(acc, ty, span)];
        for part in parts {
            args.push(access::section_element(&mut cx.builder, part, counters, span).e);
        }
        // A sum may overflow.
        let value = build::call(fun, Lib::Numpy, args, ty, true, span);
        cx.builder.emit(StmtKind::Let { var: acc, value }, span);
        Ok(())
    })?;
    cx.builder.stable.push(acc);
    Ok(build::var(acc, ty, span))
}

/// The sum of all elements, as NumPy adds them.
pub(crate) fn sum_of(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    let Some(kind) = elementwise::element_kind(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    match kind.natural() {
        Scalar::F64 | Scalar::F32 => {
            let part = in_memory::flat(cx, a, kind, span)?;
            let sum = folded(cx, Fun::AddNext, std::slice::from_ref(&part), kind, span)?;
            in_memory::release_operand(cx, a, &part);
            Ok(Sv::of(sum, kind))
        }
        s if s == Scalar::Bool || s.is_int() => int_sum(cx, a, None, span),
        _ => Err(no_sum(kind, span)),
    }
}

/// The product of all elements: NumPy multiplies them in their order, one by one. A guard fails where ints leave 64
/// bits.
fn product_of(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    let Some(kind) = elementwise::element_kind(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    let repr = match kind.natural() {
        s @ (Scalar::F64 | Scalar::F32) => s,
        s if s == Scalar::Bool || s.is_int() => of_total(kind),
        _ => return Err(unsupported(&format!("np.prod of {kind}"), span)),
    };
    if a.shape.len() > 1 {
        return Err(unsupported("np.prod of several axes", span));
    }
    let ty = Ty::np(repr);
    let product = cx.builder.hidden(ty);
    let one = match repr.is_int() {
        true => build::integer(1, ty, span),
        false => build::float(1.0, ty, span),
    };
    cx.builder.emit_let(product, one);
    every(cx, a, span, |cx, element| {
        let x = convert::in_repr(&element, repr, true);
        let x = x.ok_or_else(|| unsupported(&format!("np.prod of {kind}"), span))?;
        let before = build::var(product, ty, span);
        let value = build::binary(BinOp::Mul, before, build::retype(x, ty), ty, true, span);
        let var = product;
        cx.builder.emit(StmtKind::Let { var, value }, span);
        Ok(())
    })?;
    cx.builder.stable.push(product);
    let value = Sv::of(build::var(product, ty, span), Kind::Np(repr));
    Ok(match intervals::of(repr) {
        Some(all) => value.with_range(all),
        None => value,
    })
}

/// The representation of the sum or product of ints.
fn of_total(kind: Kind) -> Scalar {
    match kind.natural().is_unsigned() {
        true if kind.natural() != Scalar::Bool => Scalar::U64,
        _ => Scalar::I64,
    }
}

/// The sum of ints, or of the products of two arrays of ints; a guard fails where it leaves 64 bits.
pub(crate) fn int_sum(
    cx: &mut Lowering<'_>,
    a: &Elementwise,
    b: Option<&Node>,
    span: Span,
) -> R<Sv> {
    let Some(kind) = elementwise::element_kind(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    let repr = of_total(kind);
    let ty = Ty::np(repr);
    let sum = cx.builder.hidden(ty);
    cx.builder.emit_let(sum, build::integer(0, ty, span));
    materialise::over(cx, &a.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + a.node.operations());
        let element = cx.element(&a.node, counters, span)?;
        let element = match b {
            None => element,
            Some(b) => {
                let other = cx.element(b, counters, span)?;
                arith::arith(cx, nestwise_ir::surface::BinOp::Mul, element, other, span)?
            }
        };
        if element.is_bottom() {
            return Ok(());
        }
        let x = convert::in_repr(&element, repr, true);
        let x = x.ok_or_else(|| no_sum(kind, span))?;
        let before = build::var(sum, ty, span);
        let value = build::binary(BinOp::Add, before, build::retype(x, ty), ty, true, span);
        cx.builder.emit(StmtKind::Let { var: sum, value }, span);
        Ok(())
    })?;
    cx.builder.stable.push(sum);
    let all = intervals::of(repr).unwrap_or(intervals::I64);
    Ok(Sv::of(build::var(sum, ty, span), Kind::Np(repr)).with_range(all))
}

/// The mean of all elements.
pub(crate) fn mean(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    match elementwise::element_kind(cx, a, span)? {
        None => return Ok(Sv::bottom(span)),
        Some(kind) if kind.is_float() => {}
        Some(Kind::Np(Scalar::C64 | Scalar::C128)) => {
            return Err(unsupported("a mean of complex numbers", span));
        }
        Some(_) => return int_mean(cx, a, span),
    }
    for len in &a.shape {
        shapes::check_not_empty(&mut cx.builder, len, span);
    }
    let sum = sum_of(cx, a, span)?;
    let len = count(&a.shape, span);
    let len = Sv::of(len, Kind::PyInt).with_range((1, i64::MAX.into()));
    let len = operands::spill_sv(cx, len);
    divided(cx, sum, len, span)
}

/// The mean of ints, which NumPy adds up as floats: in any order that is exact as long as no element is so large that
/// sums could have more than 53 bits; a guard fails for larger ones.
fn int_mean(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    for len in &a.shape {
        shapes::check_not_empty(&mut cx.builder, len, span);
    }
    let int = |op, a, b| build::binary(op, a, b, Ty::PY_INT, false, span);
    let len = Sv::of(count(&a.shape, span), Kind::PyInt).with_range((1, i64::MAX.into()));
    let len = operands::spill_sv(cx, len);
    let most = int(BinOp::FloorDiv, Expr::int(1 << 53, span), len.e.clone());
    let most = cx.builder.spill(most);
    let sum = cx.builder.hidden(Ty::PY_INT);
    cx.builder.emit_let(sum, Expr::int(0, span));
    materialise::over(cx, &a.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + a.node.operations());
        let element = cx.element(&a.node, counters, span)?;
        if element.is_bottom() {
            return Ok(());
        }
        let kind = element.kinds.single();
        let x = convert::in_repr(&element, Scalar::I64, true);
        let x = x.ok_or_else(|| no_sum(kind.unwrap_or(Kind::PyInt), span))?;
        let x = cx.builder.spill(build::retype(x, Ty::PY_INT));
        let least = int(BinOp::Sub, Expr::int(0, span), most.clone());
        for (low, high) in [(&least, &x), (&x, &most)] {
            let fits = build::compare(CmpOp::Le, low.clone(), high.clone(), Ty::PY_BOOL, span);
            cx.builder.emit_check(fits);
        }
        let before = build::var(sum, Ty::PY_INT, span);
        let value = int(BinOp::Add, before, x);
        cx.builder.emit(StmtKind::Let { var: sum, value }, span);
        Ok(())
    })?;
    cx.builder.stable.push(sum);
    let sum = Sv::of(build::var(sum, Ty::PY_INT, span), Kind::PyInt);
    let sum = sum.with_range((-(1 << 53), 1 << 53));
    let sum = math::numpy_type(cx, Scalar::F64, vec![sum], span)?;
    divided(cx, sum, len, span)
}

/// Divides a sum by the number of its terms; a float32 sum is divided as a float64, and rounded.
pub(crate) fn divided(cx: &mut Lowering<'_>, sum: Sv, len: Sv, span: Span) -> R<Sv> {
    let narrow = sum.kinds.single() == Some(Kind::Np(Scalar::F32));
    let sum = match narrow {
        true => math::numpy_type(cx, Scalar::F64, vec![sum], span)?,
        false => sum,
    };
    let mean = arith::arith(cx, nestwise_ir::surface::BinOp::Div, sum, len, span)?;
    match narrow {
        true => math::numpy_type(cx, Scalar::F32, vec![mean], span),
        false => Ok(mean),
    }
}

/// The Euclidean norm, as `numpy.linalg.norm` makes it of a vector of floats.
fn norm(cx: &mut Lowering<'_>, a: Elementwise, span: Span) -> R<Sv> {
    match elementwise::element_kind(cx, &a, span)? {
        None => return Ok(Sv::bottom(span)),
        Some(Kind::Np(Scalar::F64)) => {}
        Some(kind) => return Err(no_sum(kind, span)),
    }
    // NumPy flattens the array first, which copies what is not contiguous, and multiplies it with itself.
    if a.shape.len() > 1 {
        in_memory::require_row_major(cx, &a.node, span)?;
    }
    let part = in_memory::copied(cx, &a, Kind::Np(Scalar::F64), span)?;
    let parts = [part.clone(), part.clone()];
    let kind = Kind::Np(Scalar::F64);
    let square = folded(cx, Fun::DotNext, &parts, kind, span)?;
    temporary::release(cx, &part);
    math::numpy(
        cx,
        NumpyFn::Unary(Fun::Sqrt),
        vec![Sv::of(square, kind)],
        span,
    )
}

/// A variable that holds the first element, and that element; `None` if its type is not known yet. A guard fails if
/// there is none.
fn head(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Option<(VarId, Sv)>> {
    for len in &a.shape {
        shapes::check_not_empty(&mut cx.builder, len, span);
    }
    let first = vec![Expr::int(0, span); a.shape.len()];
    let first = cx.element(&a.node, &first, span)?;
    if first.is_bottom() {
        return Ok(None);
    }
    let first = convert::commit(first);
    let var = cx.builder.hidden(first.e.ty);
    let (kinds, range) = (first.kinds, first.range);
    cx.builder.emit_let(var, first.e);
    let best = build::var(var, cx.builder.vars[var].ty, span);
    Ok(Some((var, Sv::new(best, kinds).with_range(range))))
}

/// The least or greatest element. A guard fails where it is NaN or zero: NumPy's vectors decide which NaN, or the zero
/// of which sign, is taken.
fn extreme(cx: &mut Lowering<'_>, greatest: bool, a: &Elementwise, span: Span) -> R<Sv> {
    let Some((var, best)) = head(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    let repr = best.repr();
    if !repr.is_int() && !repr.is_float() {
        return Err(no_order(best.kinds, span));
    }
    let op = if greatest { BinOp::Max } else { BinOp::Min };
    let ty = best.e.ty;
    every(cx, a, span, |cx, element| {
        let element = convert::commit(element);
        let before = build::var(var, ty, span);
        let value = build::binary(op, before, element.e, ty, false, span);
        cx.builder.emit(StmtKind::Let { var, value }, span);
        Ok(())
    })?;
    if repr.is_float() {
        let zero = convert::literal(&best, 0, span);
        let (up, down) = (CmpOp::Gt, CmpOp::Lt);
        let is = |op| build::compare(op, best.e.clone(), zero.clone(), Ty::PY_BOOL, span);
        cx.builder.emit_check(build::or(is(up), is(down)));
    }
    cx.builder.stable.push(var);
    Ok(best)
}

/// The position of the least or greatest element, the first of several.
fn where_extreme(cx: &mut Lowering<'_>, greatest: bool, a: &Elementwise, span: Span) -> R<Sv> {
    let Some((var, best)) = head(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    if !best.repr().is_int() && !best.repr().is_float() {
        return Err(no_order(best.kinds, span));
    }
    let ty = Ty::np(Scalar::I64);
    let place = cx.builder.hidden(ty);
    cx.builder.emit_let(place, build::integer(0, ty, span));
    let float = best.repr().is_float();
    let number = |cx: &mut Lowering<'_>, e: &Expr| {
        let itself = build::compare(CmpOp::Eq, e.clone(), e.clone(), Ty::PY_BOOL, span);
        cx.builder.emit_check(itself);
    };
    if float {
        number(cx, &best.e);
    }
    let op = if greatest { Cmp::Gt } else { Cmp::Lt };
    each_of(cx, a, 1, span, |cx, element, at| {
        let element = operands::spill_sv(cx, element);
        if float {
            number(cx, &element.e);
        }
        let better = compare::compare(cx, op, element.clone(), best.clone(), span)?;
        let ((), then) = cx.inner(|cx| {
            cx.builder.emit_let(var, element.e);
            cx.builder.emit_let(place, at);
            Ok(())
        })?;
        let cond = build::condition(better.e);
        cx.builder.emit(
            StmtKind::If {
                cond,
                then,
                orelse: vec![],
            },
            span,
        );
        Ok(())
    })?;
    cx.builder.stable.push(place);
    let all = (0, i64::MAX.into());
    Ok(Sv::of(build::var(place, ty, span), Kind::Np(Scalar::I64)).with_range(all))
}

/// Lowers `np.any` and `np.all` of bools.
fn any_or_all(cx: &mut Lowering<'_>, all: bool, a: &Elementwise, span: Span) -> R<Sv> {
    let own = Kind::Np(Scalar::Bool);
    match elementwise::element_kind(cx, a, span)? {
        None => return Ok(Sv::bottom(span)),
        Some(kind) if kind == own => {}
        Some(kind) => return Err(no_order(Kinds::of(kind), span)),
    }
    let ty = Ty::NP_BOOL;
    let found = cx.builder.hidden(ty);
    cx.builder
        .emit_let(found, Expr::constant(Const::Bool(all), ty, span));
    let op = if all { BinOp::And } else { BinOp::Or };
    every(cx, a, span, |cx, element| {
        let before = build::var(found, ty, span);
        let value = build::binary(op, before, element.e, ty, false, span);
        cx.builder.emit(StmtKind::Let { var: found, value }, span);
        Ok(())
    })?;
    cx.builder.stable.push(found);
    Ok(Sv::of(build::var(found, ty, span), own))
}

/// The refusal of a sum of elements of a type.
pub(crate) fn no_sum(kind: Kind, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this sum of an array of {kind}");
    refuse(span, Refusal::Unsupported { what })
}

fn no_order(kinds: Kinds, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this reduction of an array of {kinds}");
    refuse(span, Refusal::Unsupported { what })
}
