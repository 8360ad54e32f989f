//! Stores of whole arrays, as loops over their elements.
//!
//! NumPy makes an array of every operation's result before it goes on, so a loop that stores must not change what it
//! still has to read. For one array its subscripts tell whether it would (`value/section.rs`); if so, elements are
//! computed into memory of the nest's own first. That different arrays share no memory is checked at each launch
//! ([`nestwise_ir::Precondition::NoAlias`]).

use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Access, ArrayId, ArrayKind, Precondition, Span, Ty, Work};

use crate::lowering::arrays::{elementwise, shapes, store, temporary, updates};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{self, Section};
use crate::lowering::value::tree::{Elementwise, Like, Node};
use crate::refusal::{R, Refusal, refuse, unsupported};
use crate::site::captures::Capture;

/// The name of a loop over the elements of one axis.
pub(crate) const ELEMENT: &str = "element";

/// Lowers `target = value` or `target op= value` for a part of an array.
pub(crate) fn fill(
    cx: &mut Lowering<'_>,
    target: Section,
    op: Option<Op>,
    value: Val,
    span: Span,
) -> R<()> {
    may_fill(cx, &target, span)?;
    let value = elementwise::operand(cx, value, span)?;
    let shape = target.shape();
    let Some(ahead) = shape.len().checked_sub(value.shape.len()) else {
        return Err(unsupported("more axes than there are", span));
    };
    for (x, y) in shape[ahead..].iter().zip(&value.shape) {
        if !shapes::repeats(&mut cx.builder, y, x, span) {
            shapes::check_alike(&mut cx.builder, x, y, span);
        }
    }
    let clobber_free = stores_are_clobber_free(cx, &target, &value.node);
    if let (false, None, Some(source)) = (clobber_free, op, value.part())
        && !section::copies_like_memmove(&target, source)
    {
        return Err(unsupported(
            "a copy within an array in another direction",
            span,
        ));
    }
    let node = match op {
        None => value.node,
        Some(op) => {
            let old = Node::Part(target.clone());
            Node::Binary(op, Box::new(old), Box::new(value.node))
        }
    };
    let storage = cx.builder.arrays[target.array].storage;
    shapes::not_empty_of(&mut cx.builder, &node, storage, &shape, span);
    let operations = node.operations();
    let copies = if op.is_none() { 1.0 } else { 0.0 };
    cx.builder.tally(Work::ArrayCall, operations + copies);
    if clobber_free {
        return store_all(cx, &target, op.is_some(), &node, operations + copies, span);
    }
    let like = Elementwise::of(target.clone(), &cx.builder.arrays).like;
    store_afterwards(
        cx,
        &target,
        like,
        op.is_some(),
        &node,
        operations + copies,
        span,
    )
}

/// Stores the elements that a node computes into a part of an array, one after the other.
pub(crate) fn store_all(
    cx: &mut Lowering<'_>,
    target: &Section,
    in_place: bool,
    node: &Node,
    operations: f64,
    span: Span,
) -> R<()> {
    over(cx, &target.shape(), span, |cx, counters| {
        cx.builder.tally(Work::ArrayElement, operations);
        let value = cx.element(node, counters, span)?;
        fill_element(cx, target, in_place, counters, value, span)
    })
}

/// Stores what a node computes by way of memory of the nest's own, where storing directly would change what is still to
/// be read.
pub(crate) fn store_afterwards(
    cx: &mut Lowering<'_>,
    target: &Section,
    like: Option<Like>,
    in_place: bool,
    node: &Node,
    operations: f64,
    span: Span,
) -> R<()> {
    let storage = cx.builder.arrays[target.array].storage;
    let first = temporary::temporary(cx, like, &target.shape(), storage, span)?;
    store_all(cx, &first, in_place, node, operations, span)?;
    let computed = Node::Part(first.clone());
    store_all(cx, target, false, &computed, 0.0, span)?;
    temporary::release(cx, &first);
    Ok(())
}

/// Stores the element at these counters; `in_place` says that it was computed from the old element.
pub(crate) fn fill_element(
    cx: &mut Lowering<'_>,
    target: &Section,
    in_place: bool,
    counters: &[Expr],
    value: Sv,
    span: Span,
) -> R<()> {
    let array = target.array;
    cx.builder.arrays[array].written = true;
    let access = cx.builder.accesses.push(Access {
        array,
        store: true,
        span,
    });
    if value.is_bottom() {
        return Ok(());
    }
    let value = convert::commit(value);
    let storage = cx.builder.arrays[array].storage;
    let own = Kinds::of(Kind::Np(storage));
    let both_floats = storage.is_float() && value.kinds.every(Kind::is_float);
    if in_place && value.kinds != own && !both_floats {
        return Err(unsupported("an update that changes the type", span));
    }
    let value = match cx.builder.arrays[array].list {
        true => store::list_form(cx, &value, &section::view_of_list(target), span)?,
        false => store::ndarray_form(&mut cx.builder, &value, array, span)?,
    };
    let value = build::retype(value, cx.builder.arrays[array].elem);
    let kind = StmtKind::Store {
        access,
        array,
        index: target.element_at(counters),
        value,
        guard: false,
    };
    cx.builder.emit(kind, span);
    Ok(())
}

/// Emits nested loops over all positions of a shape.
pub(crate) fn over(
    cx: &mut Lowering<'_>,
    shape: &[Expr],
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, &[Expr]) -> R<()>,
) -> R<()> {
    let mut counters = Vec::with_capacity(shape.len());
    over_rest(cx, shape, &mut counters, span, body)
}

fn over_rest(
    cx: &mut Lowering<'_>,
    shape: &[Expr],
    counters: &mut Vec<Expr>,
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, &[Expr]) -> R<()>,
) -> R<()> {
    let Some((stop, rest)) = shape.split_first() else {
        return body(cx, counters);
    };
    let name = if rest.is_empty() { ELEMENT } else { "row" };
    emit::hidden_loop(cx, name, (0, stop.clone()), span, |cx, counter| {
        counters.push(build::var(counter, Ty::PY_INT, span));
        over_rest(cx, rest, counters, span, body)
    })
}

/// Checks that a part of an array may be stored into: emits guards about other names of the array, and refuses a
/// read-only one.
pub(crate) fn may_fill(cx: &mut Lowering<'_>, target: &Section, span: Span) -> R<()> {
    may_update(cx, target.array, span)?;
    writable(cx, target.capture, target.array, span)
}

/// Emits guards that a store into an array changes nothing that has another name.
pub(crate) fn may_update(cx: &mut Lowering<'_>, array: ArrayId, span: Span) -> R<()> {
    if cx.builder.arrays[array].starts {
        updates::check_left(cx, array, span);
    }
    updates::check_one_name(cx, array, span);
    Ok(())
}

fn writable(cx: &Lowering<'_>, capture: u32, array: ArrayId, span: Span) -> R<()> {
    let writable = cx.builder.arrays[array].kind == ArrayKind::Scratch
        || matches!(
            cx.env.captures.get(capture as usize),
            Some(Capture::Array {
                writable: true,
                kind: ArrayKind::Ndarray,
                ..
            })
        );
    match writable {
        true => Ok(()),
        false => Err(refuse(
            span,
            Refusal::ReadOnly {
                name: cx.builder.arrays[array].name.clone(),
            },
        )),
    }
}

/// Whether storing into `target` one by one leaves what is still to be read unchanged, as far as the same array is
/// concerned; that other arrays share no memory with it is a precondition.
pub(crate) fn stores_are_clobber_free(
    cx: &mut Lowering<'_>,
    target: &Section,
    value: &Node,
) -> bool {
    let mut read = vec![];
    value.sections(&mut |s, here| read.push((s, here)));
    // What lies on itself is written more than once.
    cx.preconditions
        .require(Precondition::NoAlias(target.array, target.array));
    let mut clobber_free = true;
    for (source, here) in read {
        if source.array != target.array {
            cx.preconditions
                .require(Precondition::NoAlias(target.array, source.array));
        } else {
            clobber_free &= here && section::is_clobber_free(target, source);
        }
    }
    clobber_free
}
