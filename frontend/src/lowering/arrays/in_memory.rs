//! Operands that must lie in memory, contiguous and in row-major order, before NumPy's loops run over them.

use nestwise_ir::{ArrayKind, Precondition, Span};

use crate::lowering::arrays::{alias, materialise, named_views, shapes, temporary};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::refusal::{R, unsupported};

/// Puts the elements of a tree into memory: computed ones into memory of the nest's own, others stay where they are.
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

/// Puts an operand into memory so that NumPy goes through all elements in one pass.
pub(crate) fn flat(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    kind: Kind,
    span: Span,
) -> R<Section> {
    if tree.shape.len() == 1 {
        return in_memory(cx, tree, kind, span);
    }
    let section = match &tree.node {
        Node::Part(section) if tree.whole => {
            require_contiguous_at_entry(cx, section);
            return Ok(section.clone());
        }
        Node::Part(section) if !tree.fresh || named_views::is_own_result(&cx.builder, tree) => {
            section.clone()
        }
        _ => {
            require_row_major(cx, &tree.node, span)?;
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
                shapes::check_alike(&mut cx.builder, len, &all, span);
            }
            _ => return Err(unsupported(what, span)),
        }
    }
    cx.preconditions
        .require(Precondition::Contiguous(section.array));
    Ok(section)
}

/// Requires that an array is contiguous at entry, if memory of the nest's own begins as a copy of it, or may be named
/// like such a copy: copies are contiguous.
pub(crate) fn require_contiguous_at_entry(cx: &mut Lowering<'_>, part: &Section) {
    if cx.builder.arrays[part.array].starts {
        cx.preconditions
            .require(Precondition::Contiguous(part.array));
    }
    let Some(owner) = alias::owner(cx, part.array) else {
        return;
    };
    let names = alias::names(&cx.env, cx.env.live_ranges.local[owner]);
    for (_, capture) in alias::starting(&cx.env, &names) {
        if let Some(array) = cx.env.slots.get(&capture) {
            cx.preconditions.require(Precondition::Contiguous(*array));
        }
    }
}

/// Releases the memory that [`in_memory`] took for a tree.
pub(crate) fn release_operand(cx: &mut Lowering<'_>, tree: &Elementwise, part: &Section) {
    if !matches!(tree.node, Node::Part(_)) {
        temporary::release(cx, part);
    }
}

/// Computes a tree into memory of the nest's own.
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

/// Requires that all arrays that a node reads are row-major: what is computed from such arrays is row-major, too.
///
/// # Errors
/// The node reads a transposed or a reversed array.
pub(crate) fn require_row_major(cx: &mut Lowering<'_>, node: &Node, span: Span) -> R<()> {
    if node.turns() {
        return Err(unsupported(
            "what depends on how a transposed array lies",
            span,
        ));
    }
    let mut all = vec![];
    node.sections(&mut |s, _| all.push(s));
    let back = |axis: &Axis| matches!(axis, Axis::Range { step, .. } if *step < 0);
    if all.iter().any(|s| s.axes.iter().any(back)) {
        return Err(unsupported(
            "a reduction along an axis of a reversed array",
            span,
        ));
    }
    for section in all {
        cx.preconditions
            .require(Precondition::RowMajor(section.array));
    }
    Ok(())
}
