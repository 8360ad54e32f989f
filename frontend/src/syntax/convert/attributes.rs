//! Converts attributes and subscripts.

use nestwise_ir::surface::{Expr, ExprKind};
use rustpython_parser::ast;

use crate::refusal::Refusal;
use crate::syntax::convert::converter::Converter;

impl Converter<'_> {
    /// Converts `base.name`.
    pub(crate) fn attribute(&mut self, e: &ast::ExprAttribute) -> Option<ExprKind> {
        let base = self.expr(&e.value)?;
        let name = self.spelling(e.attr.as_str(), e)?;
        Some(match base.kind {
            ExprKind::Path(parent) => ExprKind::Path(self.table.attr(parent, name)),
            _ => ExprKind::Attr(Box::new(base), name.to_owned()),
        })
    }

    /// Converts the subscripts between brackets.
    pub(crate) fn index(&mut self, slice: &ast::Expr) -> Option<Vec<Expr>> {
        match slice {
            // `a[i,]` is `a[(i,)]`, which a list refuses and an array takes: a form nobody needs.
            ast::Expr::Tuple(tuple) if tuple.elts.len() < 2 => self.refuse(
                tuple,
                Refusal::Expression {
                    name: "a subscript of one-element tuples",
                },
            ),
            ast::Expr::Tuple(tuple) => {
                let items: Vec<_> = tuple.elts.iter().map(|e| self.index_item(e)).collect();
                items.into_iter().collect()
            }
            other => Some(vec![self.index_item(other)?]),
        }
    }

    fn index_item(&mut self, item: &ast::Expr) -> Option<Expr> {
        let span = self.span(item);
        let slice = match item {
            ast::Expr::Slice(slice) => slice,
            ast::Expr::Constant(c) if c.value.is_none() => {
                let kind = ExprKind::None;
                return Some(Expr { kind, span });
            }
            ast::Expr::Constant(c) if c.value.is_ellipsis() => {
                let kind = ExprKind::Ellipsis;
                return Some(Expr { kind, span });
            }
            // To NumPy as good as an array of its items.
            ast::Expr::List(list) => {
                let kind = ExprKind::List(self.exprs(&list.elts)?);
                return Some(Expr { kind, span });
            }
            _ => return self.expr(item),
        };
        let [start, stop, step] =
            [&slice.lower, &slice.upper, &slice.step].map(|part| match part.as_deref() {
                None => Some(None),
                Some(ast::Expr::Constant(c)) if c.value.is_none() => Some(None),
                Some(part) => Some(Some(self.boxed(part)?)),
            });
        Some(Expr {
            kind: ExprKind::Slice {
                start: start?,
                stop: stop?,
                step: step?,
            },
            span,
        })
    }
}
