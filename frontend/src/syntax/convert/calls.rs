//! Converts calls and their arguments.

use nestwise_ir::surface::{Expr, ExprKind};
use rustpython_parser::ast;

use crate::refusal::Refusal;
use crate::syntax::convert::converter::Converter;

impl Converter<'_> {
    /// Converts a call.
    pub(crate) fn call(&mut self, e: &ast::ExprCall) -> Option<ExprKind> {
        let refused = self.refusals.len();
        let call = self.comprehension(e);
        if call.is_some() || self.refusals.len() > refused {
            return call;
        }
        self.note_call(e);
        let func = self.boxed(&e.func);
        self.objects += 1;
        let args: Vec<_> = e.args.iter().map(|e| self.argument(e)).collect();
        let args = args.into_iter().collect::<Option<_>>();
        let kwargs: Vec<_> = e
            .keywords
            .iter()
            .map(|keyword| self.keyword(keyword))
            .collect();
        self.objects -= 1;
        let kwargs = kwargs.into_iter().collect::<Option<_>>();
        Some(ExprKind::Call {
            func: func?,
            args: args?,
            kwargs: kwargs?,
        })
    }

    fn keyword(&mut self, keyword: &ast::Keyword) -> Option<(String, Expr)> {
        let Some(name) = &keyword.arg else {
            return self.refuse(keyword, Refusal::Star);
        };
        let name = self.spelling(name.as_str(), keyword)?.to_owned();
        Some((name, self.argument(&keyword.value)?))
    }

    /// Converts an argument, which may be None: functions may ask whether they are given None.
    fn argument(&mut self, e: &ast::Expr) -> Option<Expr> {
        match e {
            ast::Expr::Constant(c) if c.value.is_none() => Some(Expr {
                kind: ExprKind::None,
                span: self.span(e),
            }),
            ast::Expr::Starred(starred) => Some(Expr {
                kind: ExprKind::Star(Box::new(self.expr(&starred.value)?)),
                span: self.span(e),
            }),
            ast::Expr::Tuple(t) if self.calls_host() && t.elts.iter().any(is_none) => {
                let items: Vec<_> = t.elts.iter().map(|e| self.argument(e)).collect();
                Some(Expr {
                    kind: ExprKind::Tuple(items.into_iter().collect::<Option<_>>()?),
                    span: self.span(e),
                })
            }
            e => self.expr(e),
        }
    }
}

/// Whether an expression is `None`.
pub(crate) fn is_none(e: &ast::Expr) -> bool {
    matches!(e, ast::Expr::Constant(c) if c.value.is_none())
}
