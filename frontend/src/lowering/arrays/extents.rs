//! Extents: lengths of axes that are known before the nest runs.

use nestwise_ir::model::nest::{CmpOp, Const, Expr, ExprKind};
use nestwise_ir::{ArrayKind, BinOp, Extent, Span, Ty, UnOp};

use crate::builtins::ArrayFn;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::names::swaps;
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::{Elementwise, Like, Node};
use crate::refusal::{R, Refusal, refuse};

/// The refusal of a form of making an array.
pub(crate) fn wrong(f: ArrayFn, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this form of numpy.{}", f.name());
    refuse(span, Refusal::Unsupported { what })
}

/// The value of a new array that a function makes.
pub(crate) fn made_of(node: Node, shape: Vec<Expr>, axes: Like) -> Val {
    Val::Array(Box::new(Elementwise {
        node,
        shape,
        like: Some(axes),
        fresh: true,
        whole: true,
        lent: false,
        viewed: false,
    }))
}

/// The shape of an array whose sizes are given, and the extents of its axes; `None` if a size is not known yet.
pub(crate) fn extents(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    sizes: Vec<Val>,
    span: Span,
) -> R<Option<(Vec<Expr>, Like)>> {
    let (mut shape, mut axes) = (vec![], vec![]);
    for size in sizes {
        let size = convert::need_scalar(size, "a shape", span)?;
        if size.is_bottom() {
            return Ok(None);
        }
        let axis = known_extent(cx, &size).ok_or_else(|| wrong(f, span))?;
        if matches!(axis, Extent::Value { .. } | Extent::Computed(_))
            || matches!(axis, Extent::Axis { plus, .. } if plus < 0)
        {
            let zero = Expr::int(0, span);
            let there = build::compare(CmpOp::Ge, size.e.clone(), zero, Ty::PY_BOOL, span);
            cx.builder.emit_check(there);
        }
        shape.push(size.e);
        axes.push(axis);
    }
    Ok(Some((shape, axes)))
}

/// An extent, known before the nest runs, that is at least as large as `size`.
fn known_extent(cx: &Lowering<'_>, size: &Sv) -> Option<Extent> {
    let bound = match size.e.kind {
        ExprKind::Var(var) => cx.builder.lengths.get(&var).copied(),
        _ => None,
    };
    let int = size.kinds == Kinds::of(Kind::PyInt);
    bound.or_else(|| exact_extent(cx, &size.e).filter(|_| int))
}

/// The extent that is always equal to an expression: of ints and lengths from outside that nothing assigns.
pub(crate) fn exact_extent(cx: &Lowering<'_>, e: &Expr) -> Option<Extent> {
    match &e.kind {
        ExprKind::Const(Const::Int(n)) => Some(Extent::Fixed(u32::try_from(*n).ok()?)),
        ExprKind::Var(var) if cx.builder.spilled.contains_key(var) => {
            exact_extent(cx, &cx.builder.spilled[var])
        }
        ExprKind::Var(var) => {
            let capture = cx.builder.vars[*var]
                .live_in
                .filter(|_| cx.builder.fixed.contains(var))?;
            let plus = 0;
            (e.ty == Ty::PY_INT).then_some(Extent::Value { capture, plus })
        }
        ExprKind::Dim(array, axis) => {
            let decl = &cx.builder.arrays[*array];
            match decl.kind {
                ArrayKind::Scratch if decl.list => decl.like.get(*axis as usize).copied(),
                ArrayKind::Ndarray
                | ArrayKind::List
                | ArrayKind::Tuple
                | ArrayKind::Bytes
                | ArrayKind::Str
                    if !swaps::trades_places(&cx.env, decl.capture) =>
                {
                    Some(Extent::Axis {
                        capture: decl.capture,
                        axis: *axis,
                        plus: 0,
                    })
                }
                _ => None,
            }
        }
        ExprKind::Unary {
            op: UnOp::Neg, a, ..
        } if e.ty == Ty::PY_INT => {
            let a = exact_extent(cx, a)?;
            Some(cx.env.facts.computed(BinOp::Sub, Extent::Fixed(0), a))
        }
        ExprKind::Binary { op, a, b, .. } if e.ty == Ty::PY_INT => {
            let int = |e: &Expr| e.as_int().and_then(|v| i64::try_from(v).ok());
            let longer = match (op, int(a), int(b)) {
                (BinOp::Add, _, Some(by)) => Some((a, by)),
                (BinOp::Add, Some(by), _) => Some((b, by)),
                (BinOp::Sub, _, Some(by)) => by.checked_neg().map(|by| (a, by)),
                _ => None,
            };
            let longer = longer.and_then(|(e, by)| exact_extent(cx, e)?.longer(by));
            longer.or_else(|| computed_extent(cx, *op, a, b))
        }
        _ => None,
    }
}

/// The extent that an operator computes from two others, if there is one.
fn computed_extent(cx: &Lowering<'_>, op: BinOp, a: &Expr, b: &Expr) -> Option<Extent> {
    let fits = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => true,
        BinOp::FloorDiv => b.as_int().is_some_and(|by| by > 0),
        _ => false,
    };
    let known = |e: &Expr| match e.as_int() {
        Some(n) if n < 0 => None,
        _ => exact_extent(cx, e),
    };
    let (true, Some(a), Some(b)) = (fits, known(a), known(b)) else {
        return None;
    };
    Some(cx.env.facts.computed(op, a, b))
}
