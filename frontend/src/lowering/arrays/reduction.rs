//! Reductions of arrays as NumPy makes them: `np.sum`, `np.max`, ..., as functions and methods.
//!
//! NumPy adds floats pairwise, in an order of its own: a loop whose body is nothing but [`Fun::AddNext`] is one call of the very
//! same code. It reads elements, so what is computed from arrays is put into memory of the nest's own first, as NumPy does.

use nestwise_ir::model::nest::{CmpOp, Const, Expr, StmtKind};
use nestwise_ir::surface::CmpOp as Cmp;
use nestwise_ir::{ArrayKind, BinOp, Fun, Lib, Precondition, Scalar, Span, Ty, VarId, Work};

use crate::builtins::{ArrayFn, Known, NumpyFn};
use crate::lowering::arrays::alias;
use crate::lowering::arrays::axis_reduction;
use crate::lowering::arrays::axis_reduction::Along;
use crate::lowering::arrays::elementwise;
use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::materialise;
use crate::lowering::arrays::materialise::ELEMENT;
use crate::lowering::arrays::matmul;
use crate::lowering::arrays::named_views;
use crate::lowering::arrays::temporary;
use crate::lowering::arrays::variance;
use crate::lowering::arrays::variance::count;
use crate::lowering::arrays::view;
use crate::lowering::arrays::view::{Axis, Section};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::scalar::arith;
use crate::lowering::scalar::compare;
use crate::lowering::scalar::convert;
use crate::lowering::scalar::math;
use crate::lowering::spill;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::{Sv, Val};
use crate::refusal::R;
use crate::refusal::Refusal;
use crate::refusal::refuse;

/// A function of NumPy's that makes one value of arrays, or one for each line along an axis.
pub(crate) fn reduction(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    named: Vec<(&str, Val)>,
    span: Span,
) -> R<Val> {
    let name = Known::Numpy(NumpyFn::Array(f)).name();
    let wrong = |why: &str| {
        let (name, why) = (name.clone(), why.into());
        refuse(span, Refusal::Arguments { name, why })
    };
    let unknown = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
    if args.iter().any(unknown) {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    if matches!(f, ArrayFn::Var | ArrayFn::Std) {
        return variance::spread(cx, f, args, named, span);
    }
    let product = matches!(f, ArrayFn::Dot | ArrayFn::MatMul);
    let second = if args.len() > 1 { args.pop() } else { None };
    let Some(first) = args.pop().filter(|_| args.is_empty()) else {
        return Err(wrong("a wrong number of arguments"));
    };
    if !first.is_array() || product && !second.as_ref().is_some_and(Val::is_array) {
        return Err(wrong("it takes arrays"));
    }
    // Calls from Python through NumPy's dispatcher; those of C functions are cheaper.
    cx.builder
        .tally(Work::ArrayCall, if product { 1.0 } else { 5.0 });
    let mut along = Along::default();
    for (key, value) in named {
        along
            .set(key, value)
            .ok_or_else(|| wrong("these keyword arguments are not supported"))?;
    }
    if product {
        let (Some(b), true) = (second, along == Along::default()) else {
            return Err(wrong("this form is not supported"));
        };
        let (a, b) = (reduced(cx, first, span)?, reduced(cx, b, span)?);
        return matmul::product(cx, f, a, b, span);
    }
    if let Some(axis) = second {
        along
            .set("axis", axis)
            .ok_or_else(|| wrong("this axis is not supported"))?;
    }
    if f == ArrayFn::Norm && along != Along::default() {
        return Err(wrong("this form is not supported"));
    }
    let a = reduced(cx, first, span)?;
    match along.axis_of(a.shape.len()) {
        Some(axis) if a.shape.len() > 1 => axis_reduction::along(
            cx,
            f,
            a,
            axis.ok_or_else(|| wrong("there is no such axis"))?,
            along.keep,
            span,
        ),
        Some(Some(_)) | None if !along.keep => reduce_all(cx, f, a, &name, span).map(Val::Scalar),
        _ => Err(wrong("this form is not supported")),
    }
}

/// One value of all elements.
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
        ArrayFn::Mean => mean(cx, &a, span),
        ArrayFn::Max | ArrayFn::Min => extreme(cx, f == ArrayFn::Max, &a, span),
        ArrayFn::Any | ArrayFn::All => any_or_all(cx, f == ArrayFn::All, &a, span),
        ArrayFn::Argmax | ArrayFn::Argmin => where_extreme(cx, f == ArrayFn::Argmax, &a, span),
        _ => Err(unsupported(name, span)),
    }
}

/// What a reduction is of.
pub(crate) fn reduced(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Elementwise> {
    let tree = elementwise::operand(cx, value, span)?;
    cx.builder.tally(Work::ArrayCall, tree.node.operations());
    // Whatever the type of what is computed.
    materialise::not_empty_of(&mut cx.builder, &tree.node, Scalar::Bool, &tree.shape, span);
    Ok(tree)
}

/// Loops over all elements.
fn every(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, Sv) -> R<()>,
) -> R<()> {
    materialise::over(cx, &tree.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + tree.node.operations());
        let element = cx.element_of(&tree.node, counters, span)?;
        if element.is_bottom() {
            return Ok(());
        }
        body(cx, element)
    })
}

/// A loop over the elements of one axis from the `first` one on, with each one's value and place.
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
        let element = cx.element_of(&tree.node, std::slice::from_ref(&at), span)?;
        if element.is_bottom() {
            return Ok(());
        }
        body(cx, element, at)
    })
}

/// The type of an element; none: it is not known yet.
pub(crate) fn element_kind(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Kind>> {
    // Lowered for its type alone.
    let at = vec![Expr::int(0, span); tree.shape.len()];
    let (sv, _) = cx.inner(|cx| cx.element_of(&tree.node, &at, span))?;
    match sv.kinds.single() {
        None if !sv.is_bottom() => {
            let what = format!("an array of elements that are {}", sv.kinds);
            Err(refuse(span, Refusal::Unsupported { what }))
        }
        kind => Ok(kind),
    }
}

/// The tree as elements that lie in memory: what is computed is put into memory of the nest's own.
pub(crate) fn in_memory(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    kind: Kind,
    span: Span,
) -> R<Section> {
    let lies = |section: &Section| !section.has_new_axes();
    match &tree.node {
        Node::Part(section)
            if lies(section) && (!tree.fresh || named_views::is_own_result(&cx.builder, tree)) =>
        {
            Ok(section.clone())
        }
        _ => copied(cx, tree, kind, span),
    }
}

/// The same as elements that NumPy goes through in one go.
fn flat(cx: &mut Lowering<'_>, tree: &Elementwise, kind: Kind, span: Span) -> R<Section> {
    if tree.shape.len() == 1 {
        return in_memory(cx, tree, kind, span);
    }
    let section = match &tree.node {
        Node::Part(section) if tree.whole => {
            lies_so_at_first(cx, section);
            return Ok(section.clone());
        }
        Node::Part(section) if !tree.fresh || named_views::is_own_result(&cx.builder, tree) => {
            section.clone()
        }
        _ => {
            axis_reduction::goes_by_rows(cx, &tree.node, span)?;
            return in_memory(cx, tree, kind, span);
        }
    };
    let what = "a sum of several axes of a part of an array";
    if cx.builder.arrays[section.array].kind != ArrayKind::Ndarray {
        // How large the array is of which that is a part is not known here.
        return Err(unsupported(what, span));
    }
    let mut inside = false;
    for (k, axis) in section.axes.iter().enumerate() {
        match axis {
            Axis::At(_) if !inside => {}
            Axis::Range { step: 1, .. } if !inside => inside = true,
            Axis::Range { step: 1, len, .. } => {
                let all = build::dim(section.array, k, span);
                elementwise::check_alike(&mut cx.builder, len, &all, span);
            }
            _ => return Err(unsupported(what, span)),
        }
    }
    cx.preconditions
        .require(Precondition::Contiguous(section.array));
    Ok(section)
}

/// An array of the nest's own that is one from outside at first, or that of another name is, lies as its copies do.
pub(crate) fn lies_so_at_first(cx: &mut Lowering<'_>, part: &Section) {
    if cx.builder.arrays[part.array].starts {
        cx.preconditions
            .require(Precondition::Contiguous(part.array));
    }
    let Some(owner) = alias::owner(cx, part.array) else {
        return;
    };
    let names = alias::names(&cx.env, cx.env.webs.local[owner]);
    for (_, capture) in alias::starting(&cx.env, &names) {
        if let Some(array) = cx.env.slots.get(&capture) {
            cx.preconditions.require(Precondition::Contiguous(*array));
        }
    }
}

/// Memory that [`Lower::in_memory`] took for a tree may be used for something else.
pub(crate) fn let_go(cx: &mut Lowering<'_>, tree: &Elementwise, part: &Section) {
    if !matches!(tree.node, Node::Part(_)) {
        temporary::release(cx, part);
    }
}

/// A copy of it in memory of the nest's own.
pub(crate) fn copied(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    kind: Kind,
    span: Span,
) -> R<Section> {
    let to = temporary::temporary(cx, tree.like.clone(), &tree.shape, kind.natural(), span)?;
    materialise::store_all(cx, &to, false, &tree.node, tree.node.operations(), span)?;
    Ok(to)
}

/// Loops that are one call: `acc = fun(acc, elements)`.
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
            args.push(view::section_element(&mut cx.builder, part, counters, span).e);
        }
        // It may overflow.
        let value = build::call(fun, Lib::Numpy, args, ty, true, span);
        cx.builder.emit(StmtKind::Let { var: acc, value }, span);
        Ok(())
    })?;
    cx.builder.stable.push(acc);
    Ok(build::var(acc, ty, span))
}

pub(crate) fn sum_of(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    let Some(kind) = element_kind(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    match kind.natural() {
        Scalar::F64 | Scalar::F32 => {
            let part = flat(cx, a, kind, span)?;
            let sum = folded(cx, Fun::AddNext, std::slice::from_ref(&part), kind, span)?;
            let_go(cx, a, &part);
            Ok(Sv::of(sum, kind))
        }
        s if s == Scalar::Bool || s.is_int() => int_sum(cx, a, None, span),
        _ => Err(no_sum(kind, span)),
    }
}

/// The sum of ints, or of the products of two arrays of ints; whatever leaves 64 bits is CPython's.
pub(crate) fn int_sum(
    cx: &mut Lowering<'_>,
    a: &Elementwise,
    b: Option<&Node>,
    span: Span,
) -> R<Sv> {
    let Some(kind) = element_kind(cx, a, span)? else {
        return Ok(Sv::bottom(span));
    };
    let repr = match kind.natural().is_unsigned() {
        true if kind.natural() != Scalar::Bool => Scalar::U64,
        _ => Scalar::I64,
    };
    let ty = Ty::np(repr);
    let sum = cx.builder.hidden(ty);
    cx.builder.emit_let(sum, build::integer(0, ty, span));
    materialise::over(cx, &a.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + a.node.operations());
        let element = cx.element_of(&a.node, counters, span)?;
        let element = match b {
            None => element,
            Some(b) => {
                let other = cx.element_of(b, counters, span)?;
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

pub(crate) fn mean(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    match element_kind(cx, a, span)? {
        None => return Ok(Sv::bottom(span)),
        Some(kind) if kind.is_float() => {}
        Some(Kind::Np(Scalar::C64 | Scalar::C128)) => {
            return Err(unsupported("a mean of complex numbers", span));
        }
        Some(_) => return int_mean(cx, a, span),
    }
    for len in &a.shape {
        materialise::check_not_empty(&mut cx.builder, len, span);
    }
    let sum = sum_of(cx, a, span)?;
    let len = count(&a.shape, span);
    let len = Sv::of(len, Kind::PyInt).with_range((1, i64::MAX.into()));
    let len = spill::spill_sv(cx, len);
    divided(cx, sum, len, span)
}

/// The mean of ints, which NumPy adds up as floats: in whatever order, that is exact as long as none is so large that sums could
/// have more than 53 bits; else it is CPython's.
fn int_mean(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Sv> {
    for len in &a.shape {
        materialise::check_not_empty(&mut cx.builder, len, span);
    }
    let int = |op, a, b| build::binary(op, a, b, Ty::PY_INT, false, span);
    let len = Sv::of(count(&a.shape, span), Kind::PyInt).with_range((1, i64::MAX.into()));
    let len = spill::spill_sv(cx, len);
    let most = int(BinOp::FloorDiv, Expr::int(1 << 53, span), len.e.clone());
    let most = cx.builder.spill(most);
    let sum = cx.builder.hidden(Ty::PY_INT);
    cx.builder.emit_let(sum, Expr::int(0, span));
    materialise::over(cx, &a.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + a.node.operations());
        let element = cx.element_of(&a.node, counters, span)?;
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

/// A sum by the number of its terms: one of float32 is divided as a float64, and rounded.
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
    match element_kind(cx, &a, span)? {
        None => return Ok(Sv::bottom(span)),
        Some(Kind::Np(Scalar::F64)) => {}
        Some(kind) => return Err(no_sum(kind, span)),
    }
    // It is flattened first, which copies what does not lie together, and multiplied with itself.
    if a.shape.len() > 1 {
        axis_reduction::goes_by_rows(cx, &a.node, span)?;
    }
    let part = copied(cx, &a, Kind::Np(Scalar::F64), span)?;
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

/// The first element, in a variable.
fn head(cx: &mut Lowering<'_>, a: &Elementwise, span: Span) -> R<Option<(VarId, Sv)>> {
    for len in &a.shape {
        materialise::check_not_empty(&mut cx.builder, len, span);
    }
    let first = vec![Expr::int(0, span); a.shape.len()];
    let first = cx.element_of(&a.node, &first, span)?;
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

/// The least or greatest element. Which NaN and which zero it is, NumPy's vectors decide: those are CPython's.
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
        let zero = compare::literal(&best, 0, span);
        let (up, down) = (CmpOp::Gt, CmpOp::Lt);
        let is = |op| build::compare(op, best.e.clone(), zero.clone(), Ty::PY_BOOL, span);
        cx.builder.emit_check(build::or(is(up), is(down)));
    }
    cx.builder.stable.push(var);
    Ok(best)
}

/// Where the least or greatest element is, the first of several.
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
        let element = spill::spill_sv(cx, element);
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

/// `np.any` and `np.all` of bools.
fn any_or_all(cx: &mut Lowering<'_>, all: bool, a: &Elementwise, span: Span) -> R<Sv> {
    let own = Kind::Np(Scalar::Bool);
    match element_kind(cx, a, span)? {
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

pub(crate) fn no_sum(kind: Kind, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this sum of an array of {kind}");
    refuse(span, Refusal::Unsupported { what })
}

fn no_order(kinds: Kinds, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this reduction of an array of {kinds}");
    refuse(span, Refusal::Unsupported { what })
}
