//! Memory of the nest's own for arrays that operations make: for the time of a statement, or under a name.

use nestwise_ir::model::nest::{CmpOp, Expr, ExprKind};
use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, BinOp, Extent, Scalar, Span, Ty};

use crate::lowering::arrays::{extents, offsets, view};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::names::{slots, swaps};
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::Made;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Like};
use crate::refusal::{R, Refusal, refuse, unsupported};

/// Takes memory for an array of this shape until it is released.
pub(crate) fn temporary(
    cx: &mut Lowering<'_>,
    like: Option<Like>,
    shape: &[Expr],
    storage: Scalar,
    span: Span,
) -> R<Section> {
    let like = like.ok_or_else(|| no_size(span))?;
    let made = Made {
        storage,
        like,
        starts: None,
        list: None,
    };
    let array = temporary_array(cx, &made, span)?;
    first_of_array(cx, array, &made.like, shape, span)
}

/// Takes memory for an array like `made` until it is released.
pub(crate) fn temporary_array(cx: &mut Lowering<'_>, made: &Made, span: Span) -> R<ArrayId> {
    let mut free = cx.memory.temporaries.iter();
    let free = free.find(|(of, array)| of == made && !cx.memory.in_use.contains(array));
    match free.map(|(_, array)| *array) {
        Some(array) => {
            cx.memory.in_use.insert(array);
            Ok(array)
        }
        None => new_temporary(cx, made, span),
    }
}

/// Takes memory for an array like `made` that nothing has used before, until it is released: inside a loop, what one
/// iteration stores there stays for the next one.
pub(crate) fn new_temporary(cx: &mut Lowering<'_>, made: &Made, span: Span) -> R<ArrayId> {
    let array = own_array(cx, made, "a result", span)?;
    cx.memory.temporaries.push((made.clone(), array));
    cx.memory.in_use.insert(array);
    Ok(array)
}

/// Releases the memory of a temporary, which may then be used for something else.
pub(crate) fn release(cx: &mut Lowering<'_>, part: &Section) {
    cx.memory.in_use.remove(&part.array);
}

/// Declares a new array in memory of the nest's own.
fn own_array(cx: &mut Lowering<'_>, made: &Made, name: &str, span: Span) -> R<ArrayId> {
    // The arrays that it is as large as have slots.
    for extent in &made.like {
        slots_of(cx, *extent, span)?;
    }
    Ok(cx.builder.arrays.push(ArrayDecl {
        name: name.into(),
        capture: made.starts.unwrap_or_default(),
        kind: ArrayKind::Scratch,
        storage: made.storage,
        elem: made.list.unwrap_or(Ty::np(made.storage)),
        rank: made.like.len() as u32,
        read: false,
        written: false,
        like: made.like.clone(),
        starts: made.starts.is_some(),
        moved: false,
        attributes: false,
        list: made.list.is_some(),
    }))
}

fn slots_of(cx: &mut Lowering<'_>, extent: Extent, span: Span) -> R<()> {
    match extent {
        Extent::Axis { capture, .. } => slots::slot(cx, capture, span).map(|_| ()),
        Extent::Computed(which) => {
            let length = cx.env.facts.lengths.borrow().get(which as usize).copied();
            let parts = length.map(|l| [l.a, l.b]);
            let mut parts = parts.into_iter().flatten();
            parts.try_for_each(|part| slots_of(cx, part, span))
        }
        Extent::Fixed(_) | Extent::Value { .. } => Ok(()),
    }
}

/// The first elements of an array, as many as an array of this shape has; a guard fails if it is not large enough.
pub(crate) fn first_of_array(
    cx: &mut Lowering<'_>,
    array: ArrayId,
    like: &Like,
    shape: &[Expr],
    span: Span,
) -> R<Section> {
    let mut axes = Vec::with_capacity(shape.len());
    for (own, (len, axis)) in shape.iter().zip(like).enumerate() {
        // What is known of the one array's extent is known of the other's, unless the array has changed places.
        let room = match axis {
            Extent::Fixed(n) => Expr::int((*n).into(), span),
            Extent::Axis {
                capture,
                axis,
                plus: 0,
            } if !swaps::trades_places(&cx.env, *capture) => {
                let model = slots::slot(cx, *capture, span)?;
                build::dim(model, *axis as usize, span)
            }
            _ => build::dim(array, own, span),
        };
        let as_made = extents::exact_extent(cx, len) == Some(*axis);
        let fits = as_made || offsets::same(len, &room) || offsets::is_less(len, &room);
        if !fits {
            let fits = build::compare(CmpOp::Le, len.clone(), room, Ty::PY_BOOL, span);
            cx.builder.emit_check(fits);
        }
        axes.push(Axis::Range {
            start: Expr::int(0, span),
            len: len.clone(),
            step: 1,
        });
    }
    Ok(Section {
        capture: cx.builder.arrays[array].capture,
        array,
        axes,
    })
}

/// The memory of the arrays that a live range's assignments make; `None` if they make none.
pub(crate) fn made_array(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    span: Span,
) -> R<Option<(ArrayId, Made)>> {
    let Some(made) = cx
        .env
        .facts
        .live_ranges
        .get(live)
        .and_then(|f| f.made.clone())
    else {
        return Ok(None);
    };
    let array = match cx.memory.made.get(&live) {
        Some(array) => *array,
        None => {
            let name = cx.env.name_of(live);
            let array = own_array(cx, &made, &name, span)?;
            cx.memory.made.insert(live, array);
            array
        }
    };
    Ok(Some((array, made)))
}

/// All of an array that begins as a copy of a captured one.
pub(crate) fn all_of(cx: &mut Lowering<'_>, array: ArrayId, span: Span) -> R<Section> {
    let (capture, rank) = (
        cx.builder.arrays[array].capture,
        cx.builder.arrays[array].rank,
    );
    let model = slots::slot(cx, capture, span)?;
    let axis = |k: usize| Axis::Range {
        start: Expr::int(0, span),
        len: build::dim(model, k, span),
        step: 1,
    };
    Ok(Section {
        capture,
        array,
        axes: (0..rank as usize).map(axis).collect(),
    })
}

/// Refuses to make an array anew in memory that an open loop runs over, or, for the top loop, in place of the array
/// that it runs over and that the name held at entry: CPython would look for that array under the name when it goes on
/// after a guard failure.
pub(crate) fn may_be_made(cx: &Lowering<'_>, array: ArrayId, made: &Made, span: Span) -> R<()> {
    let entry = made.starts.and_then(|capture| cx.env.slots.get(&capture));
    let mut arrays = entry.into_iter().chain([&array]);
    match arrays.any(|array| cx.memory.iterated.contains(array)) {
        true => Err(unsupported(
            "an array made anew inside a loop over it",
            span,
        )),
        false => Ok(()),
    }
}

/// The number of elements along an axis, as the program may see it.
pub(crate) fn axis_length(builder: &mut Builder, tree: &Elementwise, axis: usize) -> Expr {
    let length = length(builder, &tree.shape[axis]);
    if let (ExprKind::Var(var), Some(like)) = (&length.kind, &tree.like) {
        builder.lengths.insert(*var, like[axis]);
    }
    length
}

/// Evaluates a number of elements, with negative ones as 0.
pub(crate) fn length(builder: &mut Builder, e: &Expr) -> Expr {
    if convert::never_negative(builder, e) {
        return view::spill_long(builder, e.clone());
    }
    let zero = Expr::int(0, e.span);
    let span = e.span;
    let e = build::binary(BinOp::Max, e.clone(), zero, Ty::PY_INT, false, span);
    builder.spill(e)
}

/// The refusal of an array for whose size no bound is known before the nest runs.
pub(crate) fn no_size(span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = "an array made of nothing that tells its size at most".into();
    refuse(span, Refusal::Unsupported { what })
}
