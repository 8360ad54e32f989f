//! Unpacking: `x, y, z = state`, of tuples and of arrays.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{CmpOp, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Node};
use crate::lowering::lower::Lower;
use crate::lowering::value::Val;
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

impl Lower<'_> {
    /// The elements of a value that is unpacked into `count` targets.
    pub fn unpack(&mut self, value: Val, count: usize, span: Span) -> R<Vec<Val>> {
        let value = self.settled_list(value, span)?;
        match self.opened(value, span)? {
            Val::Tuple(items) if items.len() == count => Ok(items),
            Val::Tuple(_) => Err(refuse(
                span,
                Refusal::AlwaysRaises {
                    what: "unpacking".into(),
                },
            )),
            Val::View(view) => {
                let view = self.check_view(view);
                let axis = view.index.len();
                let dim = build::dim(view.array, axis, span);
                let wanted = Expr::int(count as i64, span);
                let cond = build::compare(CmpOp::Eq, dim, wanted, Ty::PY_BOOL, span);
                self.emit_check(cond);
                let item = |k: usize| {
                    let mut item = view.clone();
                    item.index.push(Expr::int(k as i64, span));
                    item.checked.push(true);
                    item
                };
                (0..count).map(|k| self.element(item(k), span)).collect()
            }
            Val::Array(tree) => self.unpack_array(*tree, count, span),
            Val::Scalar(sv) if sv.is_bottom() => Ok(vec![Val::Scalar(sv); count]),
            other => {
                let what = format!("unpacking a {}", other.type_name());
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        }
    }

    fn unpack_array(&mut self, tree: Elementwise, count: usize, span: Span) -> R<Vec<Val>> {
        let wanted = Expr::int(count as i64, span);
        self.check_alike(&tree.shape[0], &wanted, span);
        let places = (0..count).map(|k| Expr::int(k as i64, span));
        match &tree.node {
            _ if tree.shape.len() == 1 => {
                self.tally(Work::ArrayGet, count as f64);
                let element = |at: Expr| self.element_of(&tree.node, &[at], span);
                places.map(element).map(|sv| sv.map(Val::Scalar)).collect()
            }
            Node::Part(section) => {
                let row = |at: Expr| Elementwise {
                    fresh: tree.fresh,
                    ..Elementwise::of(section.row(at), &self.arrays)
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
}
