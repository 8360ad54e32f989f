//! Positions in arrays and numbers of elements, as expressions that stay affine: sums, differences and what is known of
//! them.

use nestwise_ir::model::nest::{Expr, ExprKind};
use nestwise_ir::{BinOp, Span, Ty};

use crate::lowering::build;

/// Whether both expressions have the same value, as long as the variables in them keep theirs.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    match (&a.kind, &b.kind) {
        (K::Const(x), K::Const(y)) => x == y,
        (K::Var(x), K::Var(y)) => x == y,
        (K::Dim(x, i), K::Dim(y, j)) => (x, i) == (y, j),
        (K::Unary { op: p, a: x, .. }, K::Unary { op: q, a: y, .. }) => p == q && same(x, y),
        (K::Cast { kind: p, a: x, .. }, K::Cast { kind: q, a: y, .. }) => {
            p == q && a.ty == b.ty && same(x, y)
        }
        (
            K::Binary {
                op: p, a: x, b: y, ..
            },
            K::Binary {
                op: q, a: v, b: w, ..
            },
        ) => p == q && same(x, v) && same(y, w),
        _ => false,
    }
}

/// An expression as the sum of another one, if any, and a constant.
fn parts(e: &Expr) -> (Option<&Expr>, i128) {
    match &e.kind {
        ExprKind::Binary { op, a, b, .. } if matches!(op, BinOp::Add | BinOp::Sub) => {
            let sign = if *op == BinOp::Add { 1 } else { -1 };
            match (a.as_int(), b.as_int()) {
                (_, Some(c)) => {
                    let (rest, inner) = parts(a);
                    (rest, inner + sign * c)
                }
                (Some(c), None) if sign == 1 => {
                    let (rest, inner) = parts(b);
                    (rest, inner + c)
                }
                _ => (Some(e), 0),
            }
        }
        _ => match e.as_int() {
            Some(c) => (None, c),
            None => (Some(e), 0),
        },
    }
}

/// Applies an operator to positions, without a guard: positions do not overflow.
pub(crate) fn int_op(op: BinOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    // Places in arrays and numbers of elements, and their differences: these fit.
    build::binary(op, a, b, Ty::PY_INT, false, span)
}

/// The sum `e + c`; `None` for `e` stands for 0.
pub(crate) fn shifted(e: Option<&Expr>, c: i128, span: Span) -> Expr {
    let whole =
        |c: i128| i64::try_from(c).map_or_else(|_| Expr::int(0, span), |c| Expr::int(c, span));
    match (e, c) {
        (None, c) => whole(c),
        (Some(e), 0) => e.clone(),
        (Some(e), c) if c < 0 => int_op(BinOp::Sub, e.clone(), whole(-c)),
        (Some(e), c) => int_op(BinOp::Add, e.clone(), whole(c)),
    }
}

/// The sum `a + b`, with constants gathered.
pub(crate) fn plus(a: &Expr, b: Expr) -> Expr {
    let ((x, c), (y, d)) = (parts(a), parts(&b));
    match (x, y) {
        (Some(x), Some(y)) => {
            let sum = int_op(BinOp::Add, x.clone(), y.clone());
            shifted(Some(&sum), c + d, a.span)
        }
        (x, y) => shifted(x.or(y), c + d, a.span),
    }
}

/// The difference `a - b`, with constants gathered.
pub(crate) fn minus(a: &Expr, b: &Expr) -> Expr {
    let ((x, c), (y, d)) = (parts(a), parts(b));
    match (x, y) {
        (Some(x), Some(y)) if same(x, y) => shifted(None, c - d, a.span),
        (Some(x), Some(y)) => {
            let difference = int_op(BinOp::Sub, x.clone(), y.clone());
            shifted(Some(&difference), c - d, a.span)
        }
        (None, Some(y)) => int_op(BinOp::Sub, shifted(None, c - d, a.span), y.clone()),
        (x, None) => shifted(x, c - d, a.span),
    }
}

/// The product of `e` and a step.
pub(crate) fn times(e: Expr, step: i64) -> Expr {
    let span = e.span;
    match step {
        1 => e,
        _ => int_op(BinOp::Mul, e, Expr::int(step, span)),
    }
}

/// The constant `a - b`, if it is known.
pub(crate) fn difference(a: &Expr, b: &Expr) -> Option<i128> {
    let ((x, c), (y, d)) = (parts(a), parts(b));
    match (x, y) {
        (None, None) => Some(c - d),
        (Some(x), Some(y)) if same(x, y) => Some(c - d),
        _ => None,
    }
}

/// Whether `a <= b` is known to hold.
pub(crate) fn is_less(a: &Expr, b: &Expr) -> bool {
    difference(b, a).is_some_and(|d| d >= 0)
}
