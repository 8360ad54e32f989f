//! `np.roll(x, shift, axis)`: what leaves an array at one end of an axis comes in at the other.
//!
//! NumPy copies two parts, and so do loops here: positions stay affine in the shift.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{BinOp, Span, Ty, Work};

use crate::lowering::arrays::axis_reduction::Along;
use crate::lowering::arrays::{elementwise, in_memory, materialise, offsets, shapes, temporary};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::refusal::{R, unsupported};

/// Lowers `np.roll`, into memory of the nest's own.
pub(crate) fn rolled(
    cx: &mut Lowering<'_>,
    mut args: Vec<Val>,
    named: Vec<(&str, Val)>,
    span: Span,
) -> R<Val> {
    let wrong = || unsupported("this form of numpy.roll", span);
    let mut along = Along::default();
    let third = if args.len() == 3 { args.pop() } else { None };
    let axes = third.map(|axis| ("axis", axis)).into_iter().chain(named);
    for (key, axis) in axes {
        let known = (key == "axis")
            .then_some(())
            .and_then(|()| along.set(key, axis));
        known.ok_or_else(wrong)?;
    }
    let (Some(shift), Some(x), true) = (args.pop(), args.pop(), args.is_empty()) else {
        return Err(wrong());
    };
    if [&shift, &x]
        .iter()
        .any(|v| matches!(v, Val::Scalar(sv) if sv.is_bottom()))
    {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    if !elementwise::is_numpy_array(&cx.builder, &x) {
        return Err(wrong());
    }
    // Python of NumPy's own.
    cx.builder.tally(Work::ArrayCall, 12.0);
    let tree = elementwise::reduced(cx, x, span)?;
    let Some(kind) = elementwise::element_kind(cx, &tree, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let rank = tree.shape.len();
    let axis = match along.axis_of(rank) {
        None if rank == 1 => 0,
        Some(Some(axis)) => axis,
        _ => return Err(wrong()),
    };
    if rank > 1 {
        in_memory::require_row_major(cx, &tree.node, span)?;
    }
    let from = in_memory::in_memory(cx, &tree, kind, span)?;
    let shape = from.shape();
    let to = temporary::temporary(cx, tree.like.clone(), &shape, kind.natural(), span)?;
    let first = end_first(&mut cx.builder, shift, &shape[axis], span)?;
    let rest = offsets::minus(&shape[axis], &first);
    let zero = Expr::int(0, span);
    for (place, target, many) in [(&rest, &zero, &first), (&zero, &first, &rest)] {
        let [part, target] = [(&from, place), (&to, target)]
            .map(|(of, place)| of.narrowed(axis, place.clone(), many.clone()));
        materialise::store_all(cx, &target, false, &Node::Part(part), 1.0, span)?;
    }
    in_memory::release_operand(cx, &tree, &from);
    Ok(Val::Array(Box::new(Elementwise {
        // Rolled flat, and given its shape.
        viewed: along.axis_of(rank).is_none(),
        ..Elementwise::made(to, &cx.builder.arrays)
    })))
}

/// The number of elements, of `len`, that move from the end to the beginning.
fn end_first(builder: &mut Builder, shift: Val, len: &Expr, span: Span) -> R<Expr> {
    let shift = convert::index(shift, false, span)?;
    if let Some(c) = shift.as_int().filter(|c| c.unsigned_abs() < 1 << 31) {
        let size = Expr::int(c.unsigned_abs() as i64, span);
        builder.emit_check(build::compare(
            CmpOp::Ge,
            len.clone(),
            size,
            Ty::PY_BOOL,
            span,
        ));
        let shift = Expr::int(c as i64, span);
        return Ok(if c < 0 {
            offsets::plus(len, shift)
        } else {
            shift
        });
    }
    shapes::check_not_empty(builder, len, span);
    let rest = build::binary(BinOp::Mod, shift.e, len.clone(), Ty::PY_INT, false, span);
    Ok(builder.spill(rest))
}
