//! Arrays of ints as subscripts, one element for each int: `x[columns]`, `A[i, columns]`, `A[rows, j]`, `x[places] =
//! y`.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{ArrayKind, BinOp, Scalar, Span, Ty, Work};

use crate::lowering::arrays::destination::{Destination, Scattered};
use crate::lowering::arrays::materialise::{self, ELEMENT};
use crate::lowering::arrays::{access, elementwise, in_memory, mask, shapes, temporary, view};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::value::view::View;
use crate::lowering::{build, hir};
use crate::refusal::{R, unsupported};

/// Whether a view's subscripts say that elements are to be gathered.
pub(crate) fn gathers(builder: &Builder, view: &View, index: &[Val]) -> bool {
    builder.arrays[view.array].kind == ArrayKind::Ndarray
        && index
            .iter()
            .any(|v| elementwise::is_numpy_array(builder, v))
}

/// Whether the only subscript of a part of an array is an array.
pub(crate) fn gathers_of_part(cx: &mut Lowering<'_>, index: &[hir::Expr]) -> R<bool> {
    let [item] = index else { return Ok(false) };
    if item.is_slice() {
        return Ok(false);
    }
    // Lowered for its type alone.
    let (value, _) = cx.inner(|cx| cx.expression(item))?;
    Ok(elementwise::is_numpy_array(&cx.builder, &value))
}

/// Lowers `from[index, ...]` with one array among the subscripts, and a subscript for each axis.
pub(crate) fn gather(cx: &mut Lowering<'_>, from: Section, index: Vec<Val>, span: Span) -> R<Val> {
    let Some((from, places)) = chosen_among(cx, from, index, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    match mask::is_mask(cx, &places, span)? {
        None => return Ok(Val::Scalar(Sv::bottom(span))),
        Some(true) => {
            let masked = mask::masked(&mut cx.builder, from, places, span)?;
            return mask::selected(cx, masked, span);
        }
        Some(false) => {}
    }
    has_one_axis(&places, &from, span)?;
    check_places(cx, &places, &from, span)?;
    cx.builder.tally(Work::ArrayCall, 1.0);
    Ok(Val::Array(Box::new(Elementwise {
        node: Node::Gather(from, Box::new(places.node)),
        shape: places.shape,
        like: places.like,
        fresh: false,
        whole: false,
        lent: false,
        viewed: false,
    })))
}

/// The destination of a store into a subscript that is an array.
pub(crate) fn chosen_place(
    cx: &mut Lowering<'_>,
    from: Section,
    index: Vec<Val>,
    span: Span,
) -> R<Destination> {
    let Some((target, places)) = chosen_among(cx, from, index, span)? else {
        return Ok(Destination::Unknown);
    };
    Ok(match mask::is_mask(cx, &places, span)? {
        None => Destination::Unknown,
        Some(true) => Destination::Masked(mask::masked(&mut cx.builder, target, places, span)?),
        Some(false) => {
            has_one_axis(&places, &target, span)?;
            Destination::Scattered(Scattered { target, places })
        }
    })
}

/// Applies all subscripts but the one that is an array: returns the part of the array that they leave, and the array of
/// subscripts. `None` if its type is not known yet.
fn chosen_among(
    cx: &mut Lowering<'_>,
    mut from: Section,
    index: Vec<Val>,
    span: Span,
) -> R<Option<(Section, Elementwise)>> {
    if from.has_new_axes() {
        return Err(unsupported("a subscript behind a new axis", span));
    }
    let free: Vec<usize> = (0..from.axes.len())
        .filter(|k| matches!(from.axes[*k], Axis::Range { .. }))
        .collect();
    if let [_] = index.as_slice() {
        // A mask may have several axes.
        let places = index.into_iter().next();
        let places = places
            .map(|item| elementwise::operand(cx, item, span))
            .transpose()?;
        return Ok(places.map(|places| (from, places)));
    }
    if index.len() != free.len() {
        return Err(unsupported(
            "an array as a subscript, beside whole axes",
            span,
        ));
    }
    let mut places = None;
    for (item, axis) in index.into_iter().zip(free) {
        if elementwise::is_numpy_array(&cx.builder, &item) {
            if places.is_some() {
                return Err(unsupported("several arrays as subscripts", span));
            }
            places = Some(elementwise::operand(cx, item, span)?);
        } else if let Axis::Range { len, .. } = from.axes[axis].clone() {
            from.axes[axis] = Axis::At(view::place_of(&mut cx.builder, item, &len, span)?);
        }
    }
    Ok(places.map(|places| (from, places)))
}

fn has_one_axis(places: &Elementwise, of: &Section, span: Span) -> R<()> {
    match (places.shape.len(), of.shape().len()) {
        (1, 1) => Ok(()),
        (1, _) => Err(unsupported(
            "an array as a subscript, beside whole axes",
            span,
        )),
        _ => Err(unsupported("a subscript of several axes", span)),
    }
}

/// Emits guards that all ints are within the axis, which NumPy checks before it reads or stores an element.
fn check_places(cx: &mut Lowering<'_>, places: &Elementwise, from: &Section, span: Span) -> R<()> {
    let len = from.shape().swap_remove(0);
    let count = places.shape[0].clone();
    emit::hidden_loop(cx, ELEMENT, (0, count), span, |cx, counter| {
        let at = build::var(counter, Ty::PY_INT, span);
        let place = cx.element(&places.node, std::slice::from_ref(&at), span)?;
        view::place_of(&mut cx.builder, Val::Scalar(place), &len, span).map(drop)
    })
}

/// Lowers `target[places] = value` or `target[places] op= value`, one store after the other: where ints are equal, the
/// last store counts.
pub(crate) fn scatter(
    cx: &mut Lowering<'_>,
    scattered: Scattered,
    op: Option<Op>,
    value: Val,
    span: Span,
) -> R<()> {
    let Scattered { target, places } = scattered;
    materialise::may_fill(cx, &target, span)?;
    let value = elementwise::operand(cx, value, span)?;
    if value.shape.len() > 1 {
        return Err(unsupported("several axes for places of one", span));
    }
    if let [len] = value.shape.as_slice()
        && !shapes::repeats(&mut cx.builder, len, &places.shape[0], span)
    {
        shapes::check_alike(&mut cx.builder, len, &places.shape[0], span);
    }
    check_places(cx, &places, &target, span)?;
    let storage = cx.builder.arrays[target.array].storage;
    let node = match op {
        None => value.node,
        Some(op) => {
            let old = Node::Gather(target.clone(), Box::new(places.node.clone()));
            Node::Binary(op, Box::new(old), Box::new(value.node))
        }
    };
    shapes::not_empty_of(&mut cx.builder, &node, storage, &places.shape, span);
    let operations = node.operations() + places.node.operations() + 1.0;
    cx.builder.tally(Work::ArrayCall, operations);
    // All is read before anything is stored.
    let mut same = false;
    for of in [&node, &places.node] {
        of.sections(&mut |s, _| same |= s.array == target.array);
        materialise::stores_are_clobber_free(cx, &target, of);
    }
    let at = match same {
        true => Node::Part(in_memory::copied(cx, &places, Kind::Np(Scalar::I64), span)?),
        false => places.node,
    };
    let values = match same {
        true => {
            let first = temporary::temporary(cx, places.like, &places.shape, storage, span)?;
            materialise::store_all(cx, &first, op.is_some(), &node, node.operations(), span)?;
            Node::Part(first)
        }
        false => node,
    };
    materialise::over(cx, &places.shape, span, |cx, counters| {
        cx.builder.tally(Work::ArrayElement, operations);
        let place = place_in(cx, &target, &at, counters, span)?;
        let value = cx.element(&values, counters, span)?;
        let Some(place) = place else { return Ok(()) };
        let one = target.row(place);
        materialise::fill_element(cx, &one, false, &[], value, span)
    })
}

/// The element at the position that an int of `places` names. Where the int is out of range, there is no element to
/// read.
pub(crate) fn gathered(
    cx: &mut Lowering<'_>,
    from: &Section,
    places: &Node,
    counters: &[Expr],
    span: Span,
) -> R<Sv> {
    match place_in(cx, from, places, counters, span)? {
        Some(at) => Ok(access::section_element(&mut cx.builder, from, &[at], span)),
        None => Ok(Sv::bottom(span)),
    }
}

/// The position in an array that an int of `places` names, counted from the beginning; `None` if its type is not known
/// yet.
fn place_in(
    cx: &mut Lowering<'_>,
    from: &Section,
    places: &Node,
    counters: &[Expr],
    span: Span,
) -> R<Option<Expr>> {
    let place = cx.element(places, counters, span)?;
    if place.is_bottom() {
        return Ok(None);
    }
    let place = convert::index(Val::Scalar(place), false, span)?;
    let mut at = view::spill_long(&mut cx.builder, place.e);
    if place.range.0 < 0 {
        let len = from.shape().swap_remove(0);
        let zero = Expr::int(0, span);
        let below = build::compare(CmpOp::Lt, at.clone(), zero, Ty::PY_BOOL, span);
        let from_end = build::binary(BinOp::Add, len, at.clone(), Ty::PY_INT, false, span);
        at = cx
            .builder
            .spill(build::select(below, from_end, at, Ty::PY_INT));
    }
    Ok(Some(at))
}
