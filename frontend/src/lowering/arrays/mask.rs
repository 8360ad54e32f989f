//! Arrays of bools as subscripts: `a[a < 0] = 0`, `x[mask]`, `z[mask] = z[mask] * z[mask] + c[mask]`.
//!
//! The selected elements are counted one by one: their number is only known when all of the mask was looked at.

use nestwise_ir::branch_likelihood::HALF;
use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{BinOp, Scalar, Span, Ty, VarId, Work};

use crate::lowering::arrays::destination::Masked;
use crate::lowering::arrays::{
    access, elementwise, in_memory, materialise, shapes, store, temporary,
};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::{arith, convert};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, kind_ty};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::refusal::{R, Refusal, refuse, unsupported};

const MASK: Kind = Kind::Np(Scalar::Bool);

/// Applies a mask to a part of an array, with guards that their shapes agree.
pub(crate) fn masked(
    builder: &mut Builder,
    target: Section,
    mask: Elementwise,
    span: Span,
) -> R<Masked> {
    let shape = target.shape();
    if mask.shape.len() != 1 && shape.len() != mask.shape.len() {
        return Err(unsupported("a mask with other axes than the array", span));
    }
    for (x, y) in shape.iter().zip(&mask.shape) {
        shapes::check_alike(builder, x, y, span);
    }
    shapes::not_empty_of(builder, &mask.node, Scalar::Bool, &mask.shape, span);
    builder.tally(Work::ArrayCall, mask.node.operations() + 1.0);
    Ok(Masked { target, mask })
}

/// Copies the elements that a mask selects, or the rows that a mask of one axis selects, to memory of the nest's own,
/// one after the other.
pub(crate) fn selected(cx: &mut Lowering<'_>, masked: Masked, span: Span) -> R<Val> {
    let Masked { target: from, mask } = masked;
    let shape = from.shape();
    let (looked_at, rest) = shape.split_at(mask.shape.len());
    let like = Elementwise::of(from.clone(), &cx.builder.arrays).like;
    let like = like.map(|like| {
        // There may be as many as the mask has elements.
        let (axes, rest) = like.split_at(looked_at.len());
        let all = axes.iter().copied();
        let all = all.reduce(|a, b| cx.env.facts.computed(BinOp::Mul, a, b));
        all.into_iter().chain(rest.iter().copied()).collect()
    });
    let all = shapes::count(looked_at, span);
    let most: Vec<Expr> = std::iter::once(all).chain(rest.iter().cloned()).collect();
    let storage = cx.builder.arrays[from.array].storage;
    let memory = temporary::temporary(cx, like, &most, storage, span)?;
    let count = counter(&mut cx.builder, span);
    let next = memory.at(0, build::var(count, Ty::PY_INT, span));
    where_true(cx, &mask.node, looked_at, span, |cx, row| {
        materialise::over(cx, rest, span, |cx, counters| {
            let value =
                access::section_element(&mut cx.builder, &from, &[row, counters].concat(), span);
            materialise::fill_element(cx, &next, false, counters, value, span)
        })?;
        count_on(&mut cx.builder, count, span);
        Ok(())
    })?;
    cx.builder.stable.push(count);
    let zero = Expr::int(0, span);
    let part = memory.narrowed(0, zero, build::var(count, Ty::PY_INT, span));
    Ok(Val::Array(Box::new(Elementwise::made(
        part,
        &cx.builder.arrays,
    ))))
}

/// Lowers `target[mask] = value` or `target[mask] op= value`.
pub(crate) fn fill_masked(
    cx: &mut Lowering<'_>,
    masked: Masked,
    op: Option<Op>,
    value: Val,
    span: Span,
) -> R<()> {
    let Masked { target, mask } = masked;
    if mask.shape.len() != target.shape().len() {
        return Err(unsupported("a store into rows that a mask selects", span));
    }
    materialise::may_fill(cx, &target, span)?;
    let value = elementwise::operand(cx, value, span)?;
    let Some(value) = for_selected(cx, &target, op, value, span)? else {
        return Ok(());
    };
    // NumPy has looked at all of the mask before it stores.
    let mask = match materialise::stores_are_clobber_free(cx, &target, &mask.node) {
        true => mask.node,
        false => Node::Part(in_memory::copied(cx, &mask, MASK, span)?),
    };
    let operations = value.node.operations() + 1.0;
    cx.builder.tally(Work::ArrayCall, operations);
    let shape = target.shape();
    let taken = match value.shape.as_slice() {
        [] => None,
        [len] => {
            let count = counter(&mut cx.builder, span);
            where_true(cx, &mask, &shape, span, |cx, _| {
                count_on(&mut cx.builder, count, span);
                Ok(())
            })?;
            let all = build::var(count, Ty::PY_INT, span);
            shapes::check_alike(&mut cx.builder, &all, len, span);
            Some(counter(&mut cx.builder, span))
        }
        _ => return Err(unsupported("several axes for what a mask selects", span)),
    };
    where_true(cx, &mask, &shape, span, |cx, counters| {
        cx.builder.tally(Work::ArrayElement, operations);
        let at = taken.map(|var| build::var(var, Ty::PY_INT, span));
        let value = cx.element(&value.node, at.as_slice(), span)?;
        let value = match op {
            Some(op) if !value.is_bottom() => {
                let old = access::section_element(&mut cx.builder, &target, counters, span);
                arith::arith(cx, op, old, value, span)?
            }
            _ => value,
        };
        materialise::fill_element(cx, &target, op.is_some(), counters, value, span)?;
        taken
            .into_iter()
            .for_each(|var| count_on(&mut cx.builder, var, span));
        Ok(())
    })
}

/// Prepares a value for the elements that a mask selects: a value that does not fit their type raises whether anything
/// is selected or not. `None` if its type is not known yet.
fn for_selected(
    cx: &mut Lowering<'_>,
    target: &Section,
    op: Option<Op>,
    value: Elementwise,
    span: Span,
) -> R<Option<Elementwise>> {
    let storage = cx.builder.arrays[target.array].storage;
    if op.is_some() && (op == Some(Op::Pow) || storage == Scalar::C128) {
        return Err(unsupported("this update of what a mask selects", span));
    }
    let Node::Scalar(sv) = &value.node else {
        let mut same = false;
        value
            .node
            .sections(&mut |s, _| same |= s.array == target.array);
        if same || !materialise::stores_are_clobber_free(cx, target, &value.node) {
            let what = "a part of an array, where a mask of it selects";
            return Err(unsupported(what, span));
        }
        return Ok(Some(value));
    };
    if sv.is_bottom() {
        return Ok(None);
    }
    if op.is_some() {
        if !fits(sv, storage) {
            let what = "a number of another type for what a mask selects";
            return Err(unsupported(what, span));
        }
        return Ok(Some(value));
    }
    let sv = convert::commit(sv.clone());
    let e = store::ndarray_form(&mut cx.builder, &sv, target.array, span)?;
    let e = cx.builder.spill(e);
    let kind = Kind::Np(storage);
    let node = Node::Scalar(Sv::of(build::retype(e, kind_ty(kind)), kind));
    Ok(Some(Elementwise { node, ..value }))
}

/// Emits loops over a shape that run `body` wherever the mask is true.
fn where_true(
    cx: &mut Lowering<'_>,
    mask: &Node,
    shape: &[Expr],
    span: Span,
    body: impl FnOnce(&mut Lowering<'_>, &[Expr]) -> R<()>,
) -> R<()> {
    materialise::over(cx, shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + mask.operations());
        let selects = cx.element(mask, counters, span)?;
        if selects.is_bottom() {
            return Ok(());
        }
        let cond = build::condition(selects.e);
        let ((), then) = cx.scaled(HALF, |cx| cx.inner(|cx| body(cx, counters)))?;
        let orelse = vec![];
        cx.builder.emit(StmtKind::If { cond, then, orelse }, span);
        Ok(())
    })
}

/// A new variable that counts elements, 0 at first.
pub(crate) fn counter(builder: &mut Builder, span: Span) -> VarId {
    let count = builder.hidden(Ty::PY_INT);
    builder.emit_let(count, Expr::int(0, span));
    count
}

/// Adds 1 to a count, without a guard: there are no more than elements in memory.
pub(crate) fn count_on(builder: &mut Builder, count: VarId, span: Span) {
    let (before, one) = (build::var(count, Ty::PY_INT, span), Expr::int(1, span));
    let value = build::binary(BinOp::Add, before, one, Ty::PY_INT, false, span);
    builder.emit_let(count, value);
}

/// Whether a subscript is a mask, an array of bools; `None` if its type is not known yet. Refuses elements that are
/// neither bools nor ints.
pub(crate) fn is_mask(cx: &mut Lowering<'_>, tree: &Elementwise, span: Span) -> R<Option<bool>> {
    let Some(kind) = elementwise::element_kind(cx, tree, span)? else {
        return Ok(None);
    };
    if kind != MASK && !kind.natural().is_int() {
        let what = format!("an array of {kind} as a subscript");
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    Ok(Some(kind == MASK))
}

/// Whether a number can be converted to the type of an array's elements without raising or warning.
fn fits(sv: &Sv, storage: Scalar) -> bool {
    match storage {
        _ if sv.kinds.every(|k| k == Kind::Np(storage)) => true,
        Scalar::F64 | Scalar::I64 => true,
        Scalar::F32 => {
            let value = sv.as_float().or(sv.as_int().map(|v| v as f64));
            value.is_some_and(|v| (v as f32).is_finite())
        }
        _ => {
            let all = intervals::of(storage);
            all.is_some_and(|(low, high)| sv.as_int().is_some_and(|v| (low..=high).contains(&v)))
        }
    }
}
