//! Sections: parts of NumPy arrays with slices among their subscripts (`A[i, 1:-1]`), and whole rows used as operands.
//!
//! NumPy clamps bounds that lie outside of the array, and wraps bounds that turn out to be negative; here guards fail
//! for both, unless a bound is written as negative. So a section's axes are affine in its bounds, and every element of
//! it is in the array.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{ArrayKind, BinOp, Span, Ty};

use crate::lowering::arrays::offsets::{int_op, minus, plus, same, shifted, times};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::hir::{self, Slice};
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse, unsupported};

/// The meaning of one subscript.
#[derive(Clone)]
pub(crate) enum Item<'a> {
    /// A new axis.
    New,
    /// All of an axis.
    Whole,
    /// A slice of an axis, or one position along it.
    Of(&'a hir::Expr),
}

/// The section `section[index, ...]`, with slices or without.
pub(crate) fn section(
    cx: &mut Lowering<'_>,
    base: Section,
    index: &[hir::Expr],
    span: Span,
) -> R<Section> {
    if base.has_new_axes() {
        return Err(unsupported("a subscript behind a new axis", span));
    }
    let free = base.shape().len();
    let items = items_of(&cx.builder, &base, index, free, span)?;
    section_of(cx, base, items)
}

/// The transpose of the section `section.T[index, ...]`.
pub(crate) fn section_of_turned(
    cx: &mut Lowering<'_>,
    base: Section,
    index: &[hir::Expr],
    span: Span,
) -> R<Section> {
    let free = base.shape().len();
    let mut items = items_of(&cx.builder, &base, index, free, span)?;
    if base.has_new_axes() || items.iter().any(|item| matches!(item, Item::New)) {
        return Err(unsupported("a new axis of a transposed array", span));
    }
    items.resize(free, Item::Whole);
    items.reverse();
    section_of(cx, base, items)
}

fn section_of(cx: &mut Lowering<'_>, base: Section, items: Vec<Item>) -> R<Section> {
    let mut items = items.into_iter();
    let mut section = Section {
        axes: Vec::with_capacity(base.axes.len()),
        ..base
    };
    for axis in base.axes {
        let Axis::Range { start, len, step } = &axis else {
            section.axes.push(axis);
            continue;
        };
        let mut item = items.next();
        while let Some(Item::New) = item {
            section.axes.push(Axis::New);
            item = items.next();
        }
        let Some(Item::Of(e)) = item else {
            section.axes.push(axis);
            continue;
        };
        section.axes.push(match &e.kind {
            hir::ExprKind::Slice(slice) => {
                let own = range_of_slice(cx, slice, len, e.span)?;
                Axis::Range {
                    start: plus(start, times(own.0, *step)),
                    len: own.1,
                    step: step * own.2,
                }
            }
            _ => {
                let at = place_along(cx, e, len)?;
                Axis::At(plus(start, times(at, *step)))
            }
        });
    }
    section.axes.extend(items.map(|_| Axis::New));
    Ok(section)
}

/// The meaning of the subscripts for each of the `free` axes of an array, in order.
fn items_of<'a>(
    builder: &Builder,
    base: &Section,
    index: &'a [hir::Expr],
    free: usize,
    span: Span,
) -> R<Vec<Item<'a>>> {
    let is = |kind: fn(&hir::ExprKind) -> bool| index.iter().filter(move |e| kind(&e.kind));
    let new = is(|k| matches!(k, hir::ExprKind::None)).count();
    let dots = is(|k| matches!(k, hir::ExprKind::Ellipsis)).count();
    let given = index.len() - new - dots;
    if given > free || dots > 1 {
        let name = builder.arrays[base.array].name.clone();
        let (rank, subscripts) = (free as u32, given as u32);
        return Err(refuse(
            span,
            Refusal::RankMismatch {
                name,
                rank,
                subscripts,
            },
        ));
    }
    let mut items = Vec::with_capacity(free + new);
    for e in index {
        match e.kind {
            hir::ExprKind::None => items.push(Item::New),
            hir::ExprKind::Ellipsis => {
                items.extend(std::iter::repeat_n(Item::Whole, free - given));
            }
            _ => items.push(Item::Of(e)),
        }
    }
    Ok(items)
}

/// The section of all elements of a view of a NumPy array.
pub(crate) fn whole_section(cx: &mut Lowering<'_>, view: View, span: Span) -> R<Section> {
    let kind = cx.builder.arrays[view.array].kind;
    if kind != ArrayKind::Ndarray {
        let what = format!("a {kind} as an operand");
        return Err(refuse(span, Refusal::ArrayExpression { what }));
    }
    cx.preconditions.sliced = true;
    Ok(section_of_view(&mut cx.builder, view, span))
}

/// A view as a section of its array, with its subscripts checked.
pub(crate) fn section_of_view(builder: &mut Builder, view: View, span: Span) -> Section {
    let view = convert::check_view(builder, view);
    let rank = builder.arrays[view.array].rank as usize;
    let mut axes = Vec::with_capacity(rank);
    for k in 0..view.index.len() {
        let e = convert::normal_index(builder, &view, k);
        axes.push(Axis::At(builder.spill(e)));
    }
    axes.extend((view.index.len()..rank).map(|k| Axis::Range {
        start: Expr::int(0, span),
        len: build::dim(view.array, k, span),
        step: 1,
    }));
    Section {
        capture: view.capture,
        array: view.array,
        axes,
    }
}

/// Evaluates a subscript along an axis of `len` elements, checked, and counted from the beginning.
fn place_along(cx: &mut Lowering<'_>, item: &hir::Expr, len: &Expr) -> R<Expr> {
    let value = cx.expression(item)?;
    place_of(&mut cx.builder, value, len, item.span)
}

/// The position that a subscript names along an axis of `len` elements, checked, and counted from the beginning.
pub(crate) fn place_of(builder: &mut Builder, value: Val, len: &Expr, span: Span) -> R<Expr> {
    if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
        return Ok(Expr::int(0, span));
    }
    let sv = convert::index(value, false, span)?;
    let at = spill_long(builder, sv.e.clone());
    let zero = Expr::int(0, span);
    let compare =
        |op, a: &Expr, b: &Expr| build::compare(op, a.clone(), b.clone(), Ty::PY_BOOL, span);
    if sv.range.0 >= 0 {
        builder.emit_check(compare(CmpOp::Lt, &at, len));
        return Ok(at);
    }
    let from_end = int_op(BinOp::Add, len.clone(), at.clone());
    let inside = |e: &Expr| build::and(compare(CmpOp::Ge, e, &zero), compare(CmpOp::Lt, e, len));
    if let Some(c) = sv.as_int() {
        let from_end = shifted(Some(len), c, span);
        builder.emit_check(compare(CmpOp::Ge, &from_end, &zero));
        return Ok(from_end);
    }
    let wrapped = build::select(
        compare(CmpOp::Lt, &at, &zero),
        from_end,
        at.clone(),
        Ty::PY_INT,
    );
    let wrapped = builder.spill(wrapped);
    builder.emit_check(inside(&wrapped));
    Ok(wrapped)
}

/// The range of a slice along an axis of `dim` elements: its start, length and step.
fn range_of_slice(
    cx: &mut Lowering<'_>,
    slice: &Slice,
    dim: &Expr,
    span: Span,
) -> R<(Expr, Expr, i64)> {
    let step = match &slice.step {
        None => 1,
        Some(step) => match cx.expression(step)? {
            Val::Scalar(sv) => sv.as_int().and_then(|s| i64::try_from(s).ok()).unwrap_or(0),
            _ => 0,
        },
    };
    if step == -1 && slice.start.is_none() && slice.stop.is_none() {
        return Ok((minus(dim, &Expr::int(1, span)), dim.clone(), step));
    }
    if !(1..=1 << 20).contains(&step) {
        let what = "a slice with this step".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let start = match &slice.start {
        None => Expr::int(0, span),
        Some(e) => end_of_slice(cx, e, dim)?,
    };
    let stop = match &slice.stop {
        None => dim.clone(),
        Some(e) => end_of_slice(cx, e, dim)?,
    };
    let mut len = minus(&stop, &start);
    if step > 1 {
        let more = plus(&len, Expr::int(step - 1, span));
        len = int_op(BinOp::FloorDiv, more, Expr::int(step, span));
    }
    Ok((start, len, step))
}

/// Evaluates a slice's start or stop, which a guard keeps within the axis.
fn end_of_slice(cx: &mut Lowering<'_>, e: &hir::Expr, dim: &Expr) -> R<Expr> {
    let span = e.span;
    let value = cx.expression(e)?;
    if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
        return Ok(Expr::int(0, span));
    }
    let sv = convert::index(value, false, span)?;
    let signed = matches!(
        e.kind,
        hir::ExprKind::Unary(nestwise_ir::surface::UnOp::Neg, _)
    );
    let zero = Expr::int(0, span);
    let check = |cx: &mut Lowering<'_>, op, a: &Expr, b: &Expr| {
        let holds = build::compare(op, a.clone(), b.clone(), Ty::PY_BOOL, span);
        if build::constant_bool(&holds) != Some(true) {
            cx.builder.emit_check(holds);
        }
    };
    let at = spill_long(&mut cx.builder, sv.e.clone());
    if sv.range.1 < 0 || (signed && sv.range.1 <= 0) || (signed && sv.range.0 < 0) {
        // Counted from the end.
        let from_end = match sv.as_int() {
            Some(c) => shifted(Some(dim), c, span),
            None => {
                check(cx, CmpOp::Lt, &at, &zero);
                int_op(BinOp::Add, dim.clone(), at)
            }
        };
        check(cx, CmpOp::Ge, &from_end, &zero);
        return Ok(from_end);
    }
    if sv.range.0 < 0 {
        check(cx, CmpOp::Ge, &at, &zero);
    }
    if !same(&at, dim) {
        check(cx, CmpOp::Le, &at, dim);
    }
    Ok(at)
}

/// Evaluates an expression into a variable, unless it is short and keeps its value.
pub(crate) fn spill_long(builder: &mut Builder, e: Expr) -> Expr {
    if builder.is_stable(&e, 5) {
        e
    } else {
        builder.spill(e)
    }
}
