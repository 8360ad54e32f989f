//! Slices and copies of lists, which are new lists: `xs[1:]`, `xs[a:b]`, `xs[:]`, `xs.copy()`.
//!
//! The ends of a slice are clamped as CPython does it. They are ints or lengths from outside, or computed from such, so
//! that the length of the new list is known before the nest runs.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::UnOp;
use nestwise_ir::{ArrayKind, BinOp, Span, Ty, Work};

use crate::lowering::arrays::temporary::no_size;
use crate::lowering::arrays::{extents, view};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::lists::make::fresh;
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::Node;
use crate::lowering::{build, hir};
use crate::refusal::{R, Refusal, refuse};

/// Lowers `xs.copy()`: a new list of the same elements. `None` where something else than a list is copied.
pub(crate) fn list_copy(cx: &mut Lowering<'_>, value: &Val, span: Span) -> R<Option<Val>> {
    match section_of_list(&mut cx.builder, value, span) {
        Some(section) => new_list_of(cx, section, span).map(Some),
        None => Ok(None),
    }
}

/// A list of numbers as a section, of which parts can be taken; `None` for other values.
fn section_of_list(builder: &mut Builder, value: &Val, span: Span) -> Option<Section> {
    let Val::View(view) = value else {
        return None;
    };
    let decl = &builder.arrays[view.array];
    let one_axis = view.index.len() + 1 == decl.rank as usize;
    let is_list = decl.list || decl.kind == ArrayKind::List;
    (is_list && one_axis).then(|| view::section_of_view(builder, view.clone(), span))
}

fn new_list_of(cx: &mut Lowering<'_>, section: Section, span: Span) -> R<Val> {
    let shape = section.shape();
    let extent = extents::exact_extent(cx, &shape[0]).ok_or_else(|| no_size(span))?;
    cx.builder.tally(Work::Builtin, 1.0);
    Ok(fresh(Node::Part(section), shape, vec![extent]))
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
    if let Some(Axis::Range { step: by, .. }) = part.axes.last_mut() {
        *by = step;
    }
    new_list_of(cx, part, span).map(Some)
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
