//! The parts of the iterable of a site's own loop that CPython computes once, before the loop begins: the results of
//! calls, which may do anything, and what is made of them; displays of dictionaries and sets, and comprehensions.

use nestwise_ir::surface::{Computed, Expr, ExprKind};
use rustpython_parser::ast::{self, Ranged};

use crate::syntax::convert::converter::Converter;
use crate::syntax::describe::dotted;

/// The most parts that are computed for one loop.
const MOST: usize = 8;

/// Calls that are loops over what they are called with, or that have native forms without the object they return.
const NATIVE: [&str; 7] = [
    "range",
    "map",
    "filter",
    "np.arange",
    "numpy.arange",
    "np.linspace",
    "numpy.linspace",
];

impl Converter<'_> {
    /// Converts the iterable of the site's own loop.
    pub(crate) fn header(&mut self, iter: &ast::Expr) -> Option<Expr> {
        self.part_of_header(iter, &mut Vec::new())
    }

    fn part_of_header(&mut self, expr: &ast::Expr, place: &mut Vec<u32>) -> Option<Expr> {
        if let ast::Expr::Call(call) = expr
            && let Some(count) = sequences(call)
        {
            let func = self.boxed(&call.func);
            let mut args = Vec::with_capacity(call.args.len());
            for (i, arg) in call.args.iter().enumerate() {
                place.push(i as u32);
                args.push(match i < count {
                    true => self.part_of_header(arg, place),
                    false => self.expr(arg),
                });
                place.pop();
            }
            let mut kwargs = Vec::with_capacity(call.keywords.len());
            for keyword in &call.keywords {
                kwargs.push((
                    keyword.arg.as_ref()?.to_string(),
                    self.expr(&keyword.value)?,
                ));
            }
            return Some(Expr {
                kind: ExprKind::Call {
                    func: func?,
                    args: args.into_iter().collect::<Option<_>>()?,
                    kwargs,
                },
                span: self.span(expr),
            });
        }
        if !is_result(expr) || self.computed.len() >= MOST {
            return self.items(expr);
        }
        let text = self
            .source
            .text(expr.start().into(), expr.end().into())?
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let path = self.table.computed(&text);
        self.computed.push(Computed {
            path,
            place: place.clone(),
        });
        let span = self.span(expr);
        let read = |path| Expr {
            kind: ExprKind::Path(path),
            span,
        };
        if !is_view_of_items(expr) {
            return Some(read(path));
        }
        // The tuples of a view are made one by one; lists of keys and values take no such tuples.
        let entries = self.table.entries(path).map(read);
        Some(Expr {
            kind: ExprKind::SideBySide(entries.into()),
            span,
        })
    }
}

/// The number of first arguments of a call like `zip(a, b)` that are looped over side by side; `None` for other calls.
fn sequences(call: &ast::ExprCall) -> Option<usize> {
    let ast::Expr::Name(f) = call.func.as_ref() else {
        return None;
    };
    let plain = !call.args.is_empty() && !call.args.iter().any(ast::Expr::is_starred_expr);
    let named = call.keywords.iter().all(|k| k.arg.is_some());
    match f.id.as_str() {
        "enumerate" if plain && named => Some(1),
        "reversed" if plain && call.keywords.is_empty() => Some(1),
        "zip" if plain && call.keywords.is_empty() => Some(call.args.len()),
        _ => None,
    }
}

/// Whether an expression is likely to be a view of a dictionary's items: `d.items()`.
fn is_view_of_items(expr: &ast::Expr) -> bool {
    let ast::Expr::Call(call) = expr else {
        return false;
    };
    let items = matches!(call.func.as_ref(), ast::Expr::Attribute(f) if f.attr.as_str() == "items");
    items && call.args.is_empty() && call.keywords.is_empty()
}

/// Whether an expression is the result of a call without a native form, a part of one, or computed from one, or makes a
/// container.
fn is_result(expr: &ast::Expr) -> bool {
    match expr {
        ast::Expr::Call(call) => {
            !dotted(&call.func).is_some_and(|name| NATIVE.contains(&name.as_str()))
        }
        ast::Expr::Subscript(e) => is_result(&e.value),
        ast::Expr::Attribute(e) => is_result(&e.value),
        ast::Expr::BinOp(e) => is_result(&e.left) || is_result(&e.right),
        ast::Expr::Dict(_) | ast::Expr::Set(_) => true,
        ast::Expr::DictComp(_) | ast::Expr::SetComp(_) | ast::Expr::ListComp(_) => true,
        _ => false,
    }
}
