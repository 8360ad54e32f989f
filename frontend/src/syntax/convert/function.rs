//! A function's parameters and body.

use nestwise_ir::PathId;
use nestwise_ir::surface::{Expr, ExprKind, Param, Stmt, StmtKind};
use rustpython_parser::ast;

use crate::refusal::Refusal;
use crate::syntax::callable::Callable;
use crate::syntax::convert::converter::Converter;
use crate::syntax::convert::idioms::is_constant;

impl Converter<'_> {
    /// Converts a function's parameters, that of all further arguments by position, and its body.
    pub(crate) fn callable(
        &mut self,
        callable: &Callable<'_>,
    ) -> Option<(Vec<Param>, Option<PathId>, Vec<Stmt>)> {
        let all = callable.arguments();
        let kinds = [
            (&all.posonlyargs, true, false),
            (&all.args, true, true),
            (&all.kwonlyargs, false, true),
        ];
        let params: Option<Vec<Param>> = kinds
            .into_iter()
            .flat_map(|(args, positional, keyword)| {
                args.iter().map(move |arg| (arg, positional, keyword))
            })
            .map(|(arg, positional, keyword)| self.param(arg, positional, keyword))
            .collect();
        let rest = match &all.vararg {
            Some(arg) => Some(self.name(arg.arg.as_str(), arg.as_ref(), true)?),
            None => None,
        };
        let body = match callable {
            Callable::Def(def) => self.block(&def.body),
            Callable::AsyncDef(def) => self.block(&def.body),
            Callable::Lambda(lambda) => self.expr(&lambda.body).map(|value| {
                let span = value.span;
                vec![Stmt {
                    kind: StmtKind::Return(Some(value)),
                    span,
                }]
            }),
        };
        Some((params?, rest, body?))
    }

    fn param(
        &mut self,
        arg: &ast::ArgWithDefault,
        positional: bool,
        keyword: bool,
    ) -> Option<Param> {
        let path = self.name(arg.def.arg.as_str(), &arg.def, true)?;
        let default = match arg.default.as_deref() {
            None => None,
            Some(default) => match self.literal(default) {
                Some(value) => Some(value),
                None => {
                    let why = "has a default value that is not a literal";
                    let name = arg.def.arg.to_string();
                    return self.refuse(default, Refusal::Function { name, why });
                }
            },
        };
        Some(Param {
            path,
            positional,
            keyword,
            default,
        })
    }

    /// Converts a constant that has the same value in every evaluation; `None`, without a refusal, for others.
    fn literal(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match expr {
            ast::Expr::Constant(c) if c.value.is_none() => Some(Expr {
                kind: ExprKind::None,
                span: self.span(expr),
            }),
            _ if is_constant(expr) => self.expr(expr),
            _ => None,
        }
    }
}
