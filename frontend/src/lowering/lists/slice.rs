//! Slices and copies of lists, which are new lists: `xs[1:]`, `xs[a:b]`, `xs[:]`, `xs.copy()`.
//!
//! The ends of a slice are clamped as CPython does it. Where they are ints or lengths from outside, or computed from such,
//! the length of the new list is known before the nest runs; else it is at most that of the list that is sliced.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::UnOp;
use nestwise_ir::{ArrayKind, BinOp, Extent, Span, Ty, Work};

use crate::lowering::arrays::temporary::no_size;
use crate::lowering::arrays::{extents, view};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::lists::counted;
use crate::lowering::lists::make::{self, fresh};
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{build, hir};
use crate::refusal::{R, Refusal, refuse};

/// Lowers `xs.copy()`: a new list of the same elements. `None` where something else than a list is copied.
pub(crate) fn list_copy(cx: &mut Lowering<'_>, value: &Val, span: Span) -> R<Option<Val>> {
    match section_of_list(&mut cx.builder, value, span) {
        Some(section) => {
            let most = most_elements(cx, &section);
            new_list_of(cx, section, most, span).map(Some)
        }
        None => Ok(None),
    }
}

/// A list of numbers, or of objects, as a section, of which parts can be taken; `None` for other values.
fn section_of_list(builder: &mut Builder, value: &Val, span: Span) -> Option<Section> {
    let view = match value {
        Val::View(view) => view,
        Val::Counted(section) => return Some((**section).clone()),
        _ => return None,
    };
    let decl = &builder.arrays[view.array];
    let one_axis = view.index.len() + 1 == decl.rank as usize;
    let of_numbers = (decl.list || decl.kind == ArrayKind::List) && one_axis;
    let of_objects = decl.kind == ArrayKind::Objects && view.index.is_empty();
    (of_numbers || of_objects).then(|| view::section_of_view(builder, view.clone(), span))
}

/// The number of elements of a list at most, if that is known before the nest runs.
fn most_elements(cx: &Lowering<'_>, list: &Section) -> Option<Extent> {
    let exact = extents::exact_extent(cx, list.shape().first()?);
    let decl = &cx.builder.arrays[list.array];
    let room = decl.list.then(|| decl.like.first().copied()).flatten();
    exact.or(room)
}

/// A new list of the elements of a section, of which there are `most` at most.
fn new_list_of(
    cx: &mut Lowering<'_>,
    section: Section,
    most: Option<Extent>,
    span: Span,
) -> R<Val> {
    let shape = section.shape();
    cx.builder.tally(Work::Builtin, 1.0);
    if let Some(extent) = extents::exact_extent(cx, &shape[0]) {
        return Ok(fresh(Node::Part(section), shape, vec![extent]));
    }
    let extent = most.ok_or_else(|| no_size(span))?;
    let part = Elementwise::of(section, &cx.builder.arrays);
    let Some((storage, ty)) = make::type_of_items(&cx.builder, &part, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let like = vec![extent];
    let (array, memory) = make::temporary_list(cx, like.clone(), storage, ty, span)?;
    let to = counted::first_of(memory.capture, array, shape[0].clone(), span);
    make::copy_items(cx, &to, &part, span)?;
    Ok(fresh(Node::Part(to.clone()), to.shape(), like))
}

/// Lowers `xs[start:stop:step]`: a new list of these elements. `None` where it is no list.
pub(crate) fn list_slice(
    cx: &mut Lowering<'_>,
    value: &Val,
    index: &hir::Expr,
    span: Span,
) -> R<Option<Val>> {
    let hir::ExprKind::Slice(slice) = &index.kind else {
        return Ok(None);
    };
    let Some(section) = section_of_list(&mut cx.builder, value, span) else {
        return Ok(None);
    };
    let dim = section.shape().swap_remove(0);
    let most = most_elements(cx, &section);
    let step = match &slice.step {
        None => 1,
        Some(e) => match e.kind {
            hir::ExprKind::Int(step) => i64::from(i32::try_from(step).unwrap_or(0)),
            _ => 0,
        },
    };
    if step < 1 {
        return Err(refuse(span, Refusal::Slice));
    }
    let int = |op, a: &Expr, b: Expr| build::binary(op, a.clone(), b, Ty::PY_INT, false, span);
    let zero = Expr::int(0, span);
    let start = match &slice.start {
        None => zero.clone(),
        Some(e) => end_in_list(cx, e, &dim)?,
    };
    let stop = match &slice.stop {
        None => dim.clone(),
        Some(e) => end_in_list(cx, e, &dim)?,
    };
    let mut len = stop;
    if start.as_int() != Some(0) {
        len = int(BinOp::Max, &int(BinOp::Sub, &len, start.clone()), zero);
    }
    if step > 1 {
        let more = int(BinOp::Add, &len, Expr::int(step - 1, span));
        len = int(BinOp::FloorDiv, &more, Expr::int(step, span));
    }
    let (start, len) = (cx.builder.spill(start), cx.builder.spill(len));
    let mut part = section.narrowed(0, start, len);
    let mut axes = part.axes.iter_mut();
    let along = axes.find(|axis| matches!(axis, Axis::Range { .. }));
    if let Some(Axis::Range { step: by, .. }) = along {
        *by = step;
    }
    if cx.builder.arrays[part.array].kind == ArrayKind::Objects {
        // The list that is sliced stays as it is, so nobody sees whether this is another one.
        cx.builder.tally(Work::Builtin, 1.0);
        let part = Elementwise::of(part, &cx.builder.arrays);
        return Ok(Some(Val::Array(Box::new(part))));
    }
    new_list_of(cx, part, most, span).map(Some)
}

/// The index where a slice of a list of `dim` elements begins or ends, clamped to the list.
fn end_in_list(cx: &mut Lowering<'_>, e: &hir::Expr, dim: &Expr) -> R<Expr> {
    let span = e.span;
    let value = cx.expression(e)?;
    if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
        return Ok(Expr::int(0, span));
    }
    let sv = convert::index(value, false, span)?;
    let int =
        |op, a: &Expr, b: &Expr| build::binary(op, a.clone(), b.clone(), Ty::PY_INT, false, span);
    let zero = Expr::int(0, span);
    let at = cx.builder.spill(sv.e.clone());
    let signed = matches!(e.kind, hir::ExprKind::Unary(UnOp::Neg, _));
    let below = sv.range.1 < 0 || signed && sv.range.0 < 0;
    if sv.range.0 < 0 && sv.range.1 >= 0 {
        // Which end it counts from is guessed.
        let op = if below { CmpOp::Lt } else { CmpOp::Ge };
        cx.builder.emit_check(build::compare(
            op,
            at.clone(),
            zero.clone(),
            Ty::PY_BOOL,
            span,
        ));
    }
    Ok(match (below, at.as_int()) {
        (true, Some(c)) => {
            let back = Expr::int(i64::try_from(-c).unwrap_or(i64::MAX), span);
            int(BinOp::Max, &int(BinOp::Sub, dim, &back), &zero)
        }
        (true, None) => int(BinOp::Max, &int(BinOp::Add, dim, &at), &zero),
        (false, Some(0)) => zero,
        (false, _) => int(BinOp::Min, &at, dim),
    })
}
