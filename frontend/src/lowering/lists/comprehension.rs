//! List comprehensions: each is a new list, filled by loops.
//!
//! Where a comprehension has tests, the elements are counted while they are stored into memory that has room for all of
//! them ([`crate::lowering::lists::counted`]).

use nestwise_ir::branch_likelihood::HALF;
use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::{ArrayId, BinOp, Extent, Span, Ty, Work};

use crate::lowering::arrays::mask;
use crate::lowering::arrays::temporary::no_size;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop;
use crate::lowering::environment::Environment;
use crate::lowering::hir::{self, Kind as Stmt};
use crate::lowering::lists::counted;
use crate::lowering::lists::make::{self, Position};
use crate::lowering::scalar::convert;
use crate::lowering::types::provenance;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{build, operands};
use crate::refusal::R;

/// Whether only running tells how many items a comprehension has.
fn leaves_out(env: &Environment<'_>, stmt: &hir::Stmt) -> bool {
    match &stmt.kind {
        Stmt::If { .. } => true,
        Stmt::For { iter, body, .. } => {
            counted::only_running_tells(env, iter) || body.iter().any(|s| leaves_out(env, s))
        }
        _ => false,
    }
}

/// Lowers `[element for target in iter if tests ...]` into memory of its own.
pub(crate) fn list_comprehension(
    cx: &mut Lowering<'_>,
    all: &hir::ListComprehension,
    span: Span,
) -> R<Val> {
    provenance::forget(cx, &all.fresh, span);
    cx.builder.tally(Work::Builtin, 1.0);
    let count = leaves_out(&cx.env, &all.each).then(|| mask::counter(&mut cx.builder, span));
    let mut made: Option<(ArrayId, Section)> = None;
    let each = std::slice::from_ref(&all.each);
    each_element(cx, each, None, span, &mut |cx, element, (extent, place)| {
        let at = count.map_or(place, |var| build::var(var, Ty::PY_INT, span));
        let value = cx.expression(element)?;
        made = put_item(cx, value, extent, at, span)?;
        count
            .into_iter()
            .for_each(|var| mask::count_on(&mut cx.builder, var, span));
        Ok(())
    })?;
    let Some((array, mut section)) = made else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    if let Some(count) = count {
        cx.builder.stable.push(count);
        let (zero, count) = (Expr::int(0, span), build::var(count, Ty::PY_INT, span));
        section = section.narrowed(0, zero, count);
    }
    let like = cx.builder.arrays[array].like.clone();
    Ok(make::fresh(
        Node::Part(section.clone()),
        section.shape(),
        like,
    ))
}

/// Emits the loops and tests of a comprehension, with `body` for each element. `around`: the number of elements that
/// there would be without tests, and the position of this one among them, by the loops around.
fn each_element(
    cx: &mut Lowering<'_>,
    block: &[hir::Stmt],
    around: Option<Position>,
    span: Span,
    body: &mut dyn FnMut(&mut Lowering<'_>, &hir::Expr, Position) -> R<()>,
) -> R<()> {
    match (block.first().map(|s| &s.kind), around) {
        (Some(Stmt::Effect(element)), Some(place)) => body(cx, element, place),
        (
            Some(Stmt::If {
                test, body: inner, ..
            }),
            around,
        ) => {
            let cond = cx.condition(test)?;
            let within =
                |cx: &mut Lowering<'_>| cx.inner(|cx| each_element(cx, inner, around, span, body));
            let ((), then) = cx.scaled(HALF, within)?;
            let orelse = vec![];
            cx.builder.emit(StmtKind::If { cond, then, orelse }, span);
            Ok(())
        }
        (
            Some(Stmt::For {
                target,
                iter,
                body: inner,
                ..
            }),
            around,
        ) => for_loop::each_item(cx, iter, span, |cx, (extent, length), item, counter| {
            cx.assign(target, item, span)?;
            let place = match around {
                None => (extent, counter),
                Some((many, at)) => {
                    let int = |op, a, b| build::binary(op, a, b, Ty::PY_INT, false, span);
                    let first = int(BinOp::Mul, at, length);
                    // Neither is below zero.
                    let many = cx.env.facts.computed(BinOp::Max, many, Extent::Fixed(0));
                    let each = cx.env.facts.computed(BinOp::Max, extent, Extent::Fixed(0));
                    let all = cx.env.facts.computed(BinOp::Mul, many, each);
                    (all, int(BinOp::Add, first, counter))
                }
            };
            each_element(cx, inner, Some(place), span, body)
        }),
        _ => Err(no_size(span)),
    }
}

/// Stores an item of a list with this extent; a row of a list of lists element by element. `None` if its type is not
/// known yet.
fn put_item(
    cx: &mut Lowering<'_>,
    value: Val,
    extent: Extent,
    counter: Expr,
    span: Span,
) -> R<Option<(ArrayId, Section)>> {
    let mut like = vec![extent];
    let row = match value {
        Val::List(row) => {
            make::of_known_length(cx, &row, span)?;
            like.extend(row.like.iter().flatten().copied());
            *row
        }
        other => {
            let sv = convert::need_scalar(other, "an item of a list", span)?;
            if sv.is_bottom() {
                return Ok(None);
            }
            let sv = operands::spill_sv(cx, sv);
            Elementwise {
                node: Node::Scalar(sv),
                shape: vec![],
                like: Some(vec![]),
                fresh: true,
                whole: true,
                lent: false,
                viewed: false,
            }
        }
    };
    let Some((storage, ty)) = make::type_of_items(&cx.builder, &row, span)? else {
        return Ok(None);
    };
    let (array, section) = make::list_to_fill(cx, like, storage, ty, span)?;
    let mut to = section.clone();
    to.axes[0] = Axis::At(counter);
    make::copy_items(cx, &to, &row, span)?;
    make::let_go_of_list(cx, &row);
    Ok(Some((array, section)))
}
