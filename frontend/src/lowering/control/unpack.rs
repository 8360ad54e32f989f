//! Unpacking of tuples and arrays: `x, y, z = state`.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{CmpOp, Span, Ty, Work};

use crate::lowering::arrays::{access, shapes};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::lists::make;
use crate::lowering::objects::records;
use crate::lowering::scalar::convert;
use crate::lowering::value::Val;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::refusal::{R, Refusal, refuse};

/// The elements of a value that is unpacked into `count` targets.
pub(crate) fn unpack(cx: &mut Lowering<'_>, value: Val, count: usize, span: Span) -> R<Vec<Val>> {
    let value = make::settled_list(cx, value, span)?;
    match records::opened(cx, value, span)? {
        Val::Tuple(items) if items.len() == count => Ok(items),
        Val::Tuple(_) => Err(refuse(
            span,
            Refusal::AlwaysRaises {
                what: "unpacking".into(),
            },
        )),
        Val::View(view) => {
            let view = convert::check_view(&mut cx.builder, view);
            let axis = view.index.len();
            let dim = build::dim(view.array, axis, span);
            let wanted = Expr::int(count as i64, span);
            let cond = build::compare(CmpOp::Eq, dim, wanted, Ty::PY_BOOL, span);
            cx.builder.emit_check(cond);
            let item = |k: usize| {
                let mut item = view.clone();
                item.index.push(Expr::int(k as i64, span));
                item.checked.push(true);
                item
            };
            (0..count)
                .map(|k| access::element(&mut cx.builder, item(k), span))
                .collect()
        }
        Val::Array(tree) => unpack_array(cx, *tree, count, span),
        Val::Scalar(sv) if sv.is_bottom() => Ok(vec![Val::Scalar(sv); count]),
        other => {
            let what = format!("unpacking a {}", other.type_name());
            Err(refuse(span, Refusal::Unsupported { what }))
        }
    }
}

fn unpack_array(cx: &mut Lowering<'_>, tree: Elementwise, count: usize, span: Span) -> R<Vec<Val>> {
    let wanted = Expr::int(count as i64, span);
    shapes::check_alike(&mut cx.builder, &tree.shape[0], &wanted, span);
    let places = (0..count).map(|k| Expr::int(k as i64, span));
    match &tree.node {
        _ if tree.shape.len() == 1 => {
            cx.builder.tally(Work::ArrayGet, count as f64);
            let element = |at: Expr| cx.element(&tree.node, &[at], span);
            places.map(element).map(|sv| sv.map(Val::Scalar)).collect()
        }
        Node::Part(section) => {
            let row = |at: Expr| Elementwise {
                fresh: tree.fresh,
                ..Elementwise::of(section.row(at), &cx.builder.arrays)
            };
            Ok(places
                .map(row)
                .map(|row| Val::Array(Box::new(row)))
                .collect())
        }
        _ => {
            let what = "unpacking an array of several axes that is computed".into();
            Err(refuse(span, Refusal::Unsupported { what }))
        }
    }
}
