//! Shapes of operands: how they are broadcast, and the guards that they agree.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{Scalar, Span, Ty};

use crate::lowering::arrays::offsets;
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::value::section;
use crate::lowering::value::tree::{Like, Node, Shape};

/// The shape that two operands broadcast to. An axis that turns out to have one element, without its being written so,
/// is a guard failure where it would have to be repeated.
pub(crate) fn broadcast(
    builder: &mut Builder,
    a: (&[Expr], &Option<Like>),
    b: (&[Expr], &Option<Like>),
    span: Span,
) -> Shape {
    let (long, short) = if a.0.len() >= b.0.len() {
        (a, b)
    } else {
        (b, a)
    };
    let ahead = long.0.len() - short.0.len();
    let mut shape = long.0.to_vec();
    let extent = |of: &Option<Like>, k: usize| of.as_ref().map(|axes| axes[k]);
    let mut like: Vec<_> = (0..shape.len()).map(|k| extent(long.1, k)).collect();
    for (k, y) in short.0.iter().enumerate() {
        let x = &long.0[ahead + k];
        if repeats(builder, x, y, span) {
            shape[ahead + k] = y.clone();
            like[ahead + k] = extent(short.1, k);
        } else if !repeats(builder, y, x, span) {
            check_alike(builder, x, y, span);
            like[ahead + k] = like[ahead + k].or(extent(short.1, k));
        }
    }
    (shape, like.into_iter().collect())
}

/// Whether an axis `one` of one element is repeated along another one, `along`. NumPy computes the element once even if
/// it is repeated no times: a guard fails then.
pub(crate) fn repeats(builder: &mut Builder, one: &Expr, along: &Expr, span: Span) -> bool {
    let repeats = section::is_one(one) && !section::is_one(along);
    if repeats {
        check_not_empty(builder, along, span);
    }
    repeats
}

/// Emits a guard that two lengths are equal, unless that is known.
pub(crate) fn check_alike(builder: &mut Builder, x: &Expr, y: &Expr, span: Span) {
    if !offsets::same(x, y) {
        let alike = build::compare(CmpOp::Eq, x.clone(), y.clone(), Ty::PY_BOOL, span);
        builder.emit_check(alike);
    }
}

/// Emits a guard that there are elements, where NumPy may raise or warn even without any: numbers have to fit the type
/// of the elements, and what is repeated along the axes is computed once.
pub(crate) fn not_empty_of(
    builder: &mut Builder,
    node: &Node,
    storage: Scalar,
    shape: &[Expr],
    span: Span,
) {
    if !node.has_number_beside(storage) && !node.computes_below(shape.len()) {
        return;
    }
    for len in shape {
        check_not_empty(builder, len, span);
    }
}

/// Emits a guard that there are elements.
pub(crate) fn check_not_empty(builder: &mut Builder, len: &Expr, span: Span) {
    let zero = Expr::int(0, span);
    let some = build::compare(CmpOp::Gt, len.clone(), zero, Ty::PY_BOOL, span);
    builder.emit_check(some);
}

/// The number of elements of a shape, without a guard: the elements of an array in memory fit an int.
pub(crate) fn count(shape: &[Expr], span: Span) -> Expr {
    let product = |a, b| build::binary(nestwise_ir::BinOp::Mul, a, b, Ty::PY_INT, false, span);
    let many = shape.iter().cloned().reduce(product);
    many.unwrap_or_else(|| Expr::int(1, span))
}
