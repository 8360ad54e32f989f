//! `np.cumsum(x)` of an array of one axis: NumPy adds one element after the other.

use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Scalar, Span, Work};

use crate::lowering::arrays::{elementwise, materialise, temporary};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::arith;
use crate::lowering::types::kinds::{Kind, kind_ty};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::Elementwise;
use crate::refusal::{R, unsupported};

/// Computes the running sums in memory of the nest's own. The first of them is the first element, whatever its sign.
pub(crate) fn accumulated(cx: &mut Lowering<'_>, mut args: Vec<Val>, span: Span) -> R<Val> {
    let wrong = || unsupported("this form of numpy.cumsum", span);
    let (Some(x), true) = (args.pop(), args.is_empty()) else {
        return Err(wrong());
    };
    if matches!(&x, Val::Scalar(sv) if sv.is_bottom()) {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    if !elementwise::is_numpy_array(&cx.builder, &x) {
        return Err(wrong());
    }
    cx.builder.tally(Work::ArrayCall, 2.0);
    let tree = elementwise::reduced(cx, x, span)?;
    let Some(kind) = elementwise::element_kind(cx, &tree, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let storage = match kind.natural() {
        s @ (Scalar::F64 | Scalar::F32 | Scalar::I64) => s,
        _ => return Err(wrong()),
    };
    if tree.shape.len() != 1 {
        return Err(wrong());
    }
    let kind = Kind::Np(storage);
    let ty = kind_ty(kind);
    let to = temporary::temporary(cx, tree.like.clone(), &tree.shape, storage, span)?;
    let sum = cx.builder.hidden(ty);
    // What changes no element, be it a zero of either sign.
    let nothing = match storage {
        Scalar::I64 => build::integer(0, ty, span),
        _ => build::float(-0.0, ty, span),
    };
    cx.builder.emit_let(sum, nothing);
    materialise::over(cx, &tree.shape, span, |cx, counters| {
        cx.builder
            .tally(Work::ArrayElement, 1.0 + tree.node.operations());
        let element = cx.element(&tree.node, counters, span)?;
        let before = Sv::of(build::var(sum, ty, span), kind);
        let value = arith::arith(cx, Op::Add, before, element, span)?;
        if value.is_bottom() {
            return Ok(());
        }
        cx.builder.emit_let(sum, value.e);
        let value = Sv::of(build::var(sum, ty, span), kind);
        materialise::fill_element(cx, &to, false, counters, value, span)
    })?;
    Ok(Val::Array(Box::new(Elementwise::made(
        to,
        &cx.builder.arrays,
    ))))
}
