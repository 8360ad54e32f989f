//! Rows of a list of lists that change places: `A[k], A[p] = A[p], A[k]`.
//!
//! The nest works on a copy of the elements in one buffer, so the elements of the rows are exchanged instead of the
//! rows. Nobody can tell as long as nothing but the list itself holds the rows, which whoever binds the list has to
//! check ([`nestwise_ir::ArrayDecl::moved`]), and no name of the nest stands for a row.

use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::{Access, ArrayId, ArrayKind, Span, Ty};

use crate::lowering::arrays::access;
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::hir::{self, ExprKind, Target};
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::LiveRangeFact;
use crate::lowering::value::Val;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// Whether two expressions, evaluated one after the other, have the same value: names, literals, arithmetic,
/// subscripts.
fn same(a: &hir::Expr, b: &hir::Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Read(x), ExprKind::Read(y)) => x.local == y.local,
        (ExprKind::Int(x), ExprKind::Int(y)) => x == y,
        (ExprKind::Unary(p, x), ExprKind::Unary(q, y)) => p == q && same(x, y),
        (ExprKind::Binary(p, x1, x2), ExprKind::Binary(q, y1, y2)) => {
            p == q && same(x1, y1) && same(x2, y2)
        }
        (ExprKind::Subscript(x, i), ExprKind::Subscript(y, j)) => {
            same(x, y) && i.len() == j.len() && i.iter().zip(j).all(|(x, y)| same(x, y))
        }
        _ => false,
    }
}

fn is_place(target: &Target, e: &hir::Expr) -> bool {
    match (target, &e.kind) {
        (Target::Subscript(base, index), ExprKind::Subscript(from, at)) => {
            same(base, from)
                && index.len() == at.len()
                && index.iter().zip(at).all(|(x, y)| same(x, y))
        }
        _ => false,
    }
}

/// Lowers `x[i], y[j] = y[j], x[i]` where these are rows; false if it is something else.
pub(crate) fn row_swap(
    cx: &mut Lowering<'_>,
    targets: &[Target],
    value: &hir::Expr,
    span: Span,
) -> R<bool> {
    let ([Target::Tuple(targets)], ExprKind::Tuple(values)) = (targets, &value.kind) else {
        return Ok(false);
    };
    let ([first, second], [a, b]) = (targets.as_slice(), values.as_slice()) else {
        return Ok(false);
    };
    if !is_place(first, b) || !is_place(second, a) || a.stores() || b.stores() {
        return Ok(false);
    }
    let ExprKind::Subscript(base, _) = &a.kind else {
        return Ok(false);
    };
    let Val::View(whole) = cx.expression(base)? else {
        return Ok(false);
    };
    let decl = &cx.builder.arrays[whole.array];
    if decl.kind != ArrayKind::List || whole.index.len() + 1 >= decl.rank as usize {
        return Ok(false);
    }
    let (Val::View(a), Val::View(b)) = (cx.expression(a)?, cx.expression(b)?) else {
        return Ok(false);
    };
    if a.array != b.array || a.index.len() != b.index.len() {
        return Ok(false);
    }
    let named = |f: &LiveRangeFact| f.view.is_some_and(|(c, n)| c == a.capture && n > 0);
    if cx.env.facts.live_ranges.iter().any(named) {
        let what = "moving rows that have names".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let (a, b) = (
        access::settled(&mut cx.builder, a),
        access::settled(&mut cx.builder, b),
    );
    cx.builder.arrays[a.array].moved = true;
    exchange(cx, a, b, span)?;
    Ok(true)
}

/// Exchanges the elements of two parts of one array.
fn exchange(cx: &mut Lowering<'_>, a: View, b: View, span: Span) -> R<()> {
    let axis = a.index.len();
    if axis == cx.builder.arrays[a.array].rank as usize {
        return exchange_elements(&mut cx.builder, a, b, span);
    }
    let stop = build::dim(a.array, axis, span);
    emit::hidden_loop(cx, "", (0, stop), span, |cx, counter| {
        let deeper = |mut view: View| {
            view.index.push(build::var(counter, Ty::PY_INT, span));
            view.checked.push(true);
            view
        };
        exchange(cx, deeper(a), deeper(b), span)
    })
}

fn exchange_elements(builder: &mut Builder, a: View, b: View, span: Span) -> R<()> {
    let mut taken = Vec::new();
    for view in [&a, &b] {
        let value = access::element(builder, view.clone(), span)?;
        let value = convert::need_scalar(value, "an element", span)?;
        taken.push(builder.spill(value.e));
    }
    for (view, value) in [b, a].into_iter().zip(taken) {
        put(builder, view.array, view.index, value, span);
    }
    Ok(())
}

/// Stores a value that has the element's type.
fn put(builder: &mut Builder, array: ArrayId, index: Vec<Expr>, value: Expr, span: Span) {
    let access = builder.accesses.push(Access {
        array,
        store: true,
        span,
    });
    builder.arrays[array].written = true;
    builder.emit(
        StmtKind::Store {
            access,
            array,
            index,
            value,
            guard: true,
        },
        span,
    );
}
