//! Converts forms that Python has no syntax of its own for: displays that are only looped over, `in` with a literal,
//! builtins over generator expressions, calls that surely call no user function.

use nestwise_ir::surface::{CmpOp, Expr, ExprKind, Generator, Stmt, StmtKind, Target, UnOp};
use rustpython_parser::ast;

use crate::refusal::Refusal;
use crate::site::inner_names::inner_name;
use crate::syntax::convert::converter::Converter;

/// The most items of a literal that `in` searches.
const MAX_MEMBERS: usize = 32;

/// The name of an expression's value, spelled as no Python name is.
const VALUE: &str = "<value>";

impl Converter<'_> {
    /// Converts an expression to an assignment, the only turn of the site's loop, which leaves its value in a variable.
    pub(crate) fn value(&mut self, expr: &ast::Expr) -> Option<Stmt> {
        let span = self.span(expr);
        let value = self.expr(expr)?;
        let path = self.table.name(VALUE, true);
        let kind = StmtKind::Assign {
            targets: vec![Target::Path(path)],
            value,
        };
        let once = ExprKind::Tuple(vec![Expr {
            kind: ExprKind::Int(0),
            span,
        }]);
        let kind = StmtKind::For {
            target: Target::Path(path),
            iter: Expr { kind: once, span },
            body: vec![Stmt { kind, span }],
            orelse: vec![],
        };
        Some(Stmt { kind, span })
    }

    /// Converts an expression that is only looped over: a list display there, which nobody else sees, is as good as a
    /// tuple.
    pub(crate) fn items(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let elts = match expr {
            ast::Expr::List(ast::ExprList { elts, .. })
            | ast::Expr::Tuple(ast::ExprTuple { elts, .. }) => elts,
            ast::Expr::Call(call) => return self.items_of_call(expr, call),
            _ => return self.expr(expr),
        };
        let items: Vec<_> = elts.iter().map(|e| self.items(e)).collect();
        Some(Expr {
            kind: ExprKind::Tuple(items.into_iter().collect::<Option<_>>()?),
            span: self.span(expr),
        })
    }

    /// Converts a call like `enumerate([..])`, which only loops over its arguments.
    pub(crate) fn items_of_call(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Option<Expr> {
        let loops = matches!(
            call.func.as_ref(),
            ast::Expr::Name(f) if matches!(f.id.as_str(), "enumerate" | "zip" | "reversed")
        );
        if !loops || !call.keywords.is_empty() {
            return self.expr(expr);
        }
        let func = self.boxed(&call.func);
        let args: Vec<_> = call.args.iter().map(|e| self.items(e)).collect();
        Some(Expr {
            kind: ExprKind::Call {
                func: func?,
                args: args.into_iter().collect::<Option<_>>()?,
                kwargs: vec![],
            },
            span: self.span(expr),
        })
    }

    /// Converts a call like `sum(x * y for x, y in zip(a, b))`; `None`, without a refusal, for other calls.
    pub(crate) fn comprehension(&mut self, e: &ast::ExprCall) -> Option<ExprKind> {
        let [arg] = e.args.as_slice() else {
            return None;
        };
        let ast::Expr::Name(func) = e.func.as_ref() else {
            return None;
        };
        let (elt, generators) = match (arg, func.id.as_str()) {
            (ast::Expr::GeneratorExp(g), "sum" | "min" | "max" | "any" | "all") => {
                (&g.elt, &g.generators)
            }
            // `any` and `all` of a list look at nothing before all of the list is computed.
            (ast::Expr::ListComp(g), "sum" | "min" | "max") => (&g.elt, &g.generators),
            _ => return None,
        };
        if !e.keywords.is_empty() || !generators.iter().all(is_plain) {
            return None;
        }
        let func = self.boxed(&e.func)?;
        self.comprehended(Some(func), elt, generators)
    }

    /// Converts a list comprehension like `[f(x) for x in xs]`.
    pub(crate) fn list_comprehension(&mut self, e: &ast::ExprListComp) -> Option<ExprKind> {
        if e.generators.iter().all(is_plain) {
            return self.comprehended(None, &e.elt, &e.generators);
        }
        let name = "a list comprehension";
        self.refuse(e, Refusal::Expression { name })
    }

    fn comprehended(
        &mut self,
        func: Option<Box<Expr>>,
        elt: &ast::Expr,
        generators: &[ast::Comprehension],
    ) -> Option<ExprKind> {
        let around = self.inner.len();
        let mut parts = Vec::with_capacity(generators.len());
        for (number, part) in generators.iter().enumerate() {
            let iter = self.items(&part.iter);
            if number == 0 {
                // From here on these names are the comprehension's own, those that have no value yet, too.
                let mut own = Vec::new();
                generators
                    .iter()
                    .for_each(|g| _ = plain_names(&g.target, &mut own));
                let none = own.into_iter().map(|name| (name, String::new()));
                self.inner.push(none.collect());
            }
            parts.push(self.generator(part, iter));
        }
        let element = self.boxed(elt);
        self.inner.truncate(around);
        Some(ExprKind::Comprehension {
            func,
            element: element?,
            parts: parts.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Converts a part `for target in iter if tests`, whose names have values from then on.
    fn generator(&mut self, part: &ast::Comprehension, iter: Option<Expr>) -> Option<Generator> {
        let number = self.inner_count;
        self.inner_count += 1;
        let mut own = Vec::new();
        plain_names(&part.target, &mut own);
        let names = own.into_iter().map(|n| {
            let inner = inner_name(&n, number);
            (n, inner)
        });
        self.inner.push(names.collect());
        let target = self.target(&part.target);
        let tests: Vec<_> = part.ifs.iter().map(|test| self.expr(test)).collect();
        Some(Generator {
            target: target?,
            iter: iter?,
            tests: tests.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Converts `x in (1, 2)`, a Python bool that says whether `x` equals any of the items. `x` must be cheap to repeat
    /// and the items literals, so that no order of evaluation and no identity (of a NaN) can tell. Also converts `c in
    /// "aeiou"`.
    pub(crate) fn membership(&mut self, e: &ast::ExprCompare) -> Option<ExprKind> {
        let ([op @ (ast::CmpOp::In | ast::CmpOp::NotIn)], [items]) =
            (e.ops.as_slice(), e.comparators.as_slice())
        else {
            return None;
        };
        let span = self.span(e);
        let expr = |kind| Expr { kind, span };
        let literals = match items {
            ast::Expr::Tuple(ast::ExprTuple { elts, .. })
            | ast::Expr::List(ast::ExprList { elts, .. })
            | ast::Expr::Set(ast::ExprSet { elts, .. })
                if elts.iter().all(is_number) =>
            {
                elts.iter().map(|item| self.expr(item)).collect()
            }
            // With more than one character on the left it would search for a part of the text.
            ast::Expr::Constant(c) => {
                let ExprKind::Str(text) = self.constant(c)? else {
                    return None;
                };
                let found = ExprKind::InText(self.boxed(&e.left)?, text);
                return Some(match op {
                    ast::CmpOp::In => found,
                    _ => ExprKind::Unary(UnOp::Not, Box::new(expr(found))),
                });
            }
            _ => return None,
        };
        let literals: Option<Vec<Expr>> = literals;
        let literals =
            literals.filter(|l| (1..=MAX_MEMBERS).contains(&l.len()) && is_cheap(&e.left))?;
        let tests = literals.into_iter().map(|item| {
            let left = self.boxed(&e.left)?;
            Some(expr(ExprKind::Compare(left, vec![(CmpOp::Eq, item)])))
        });
        let any = ExprKind::Or(tests.collect::<Option<_>>()?);
        let not = |kind| ExprKind::Unary(UnOp::Not, Box::new(expr(kind)));
        Some(match op {
            ast::CmpOp::In => not(not(any)),
            _ => not(any),
        })
    }
}

/// Whether an expression is a literal int or float, possibly negative.
fn is_number(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::UnaryOp(e) => e.op == ast::UnaryOp::USub && is_number(&e.operand),
        ast::Expr::Constant(c) => {
            matches!(c.value, ast::Constant::Int(_) | ast::Constant::Float(_))
        }
        _ => false,
    }
}

/// Whether an expression is a name, an attribute or an element, which may be evaluated several times without effect.
fn is_cheap(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::Name(_) | ast::Expr::Constant(_) => true,
        ast::Expr::Attribute(e) => is_cheap(&e.value),
        ast::Expr::Subscript(e) => is_cheap(&e.value) && is_cheap(&e.slice),
        ast::Expr::Tuple(e) => e.elts.iter().all(is_cheap),
        ast::Expr::BinOp(e) => is_cheap(&e.left) && is_cheap(&e.right),
        _ => false,
    }
}

/// Whether a call for its effect surely calls no function that can be inlined: refused by the text alone, it leaves the
/// loops beside it to be sites of their own.
pub(crate) fn is_foreign(func: &ast::Expr) -> bool {
    const METHODS: &[&str] = &[
        "extend",
        "insert",
        "pop",
        "popleft",
        "appendleft",
        "remove",
        "sort",
        "reverse",
        "clear",
        "discard",
        "write",
        "writelines",
        "writerow",
        "flush",
        "close",
        "fill",
        "setdefault",
        "put",
        "send",
        "debug",
        "info",
        "warning",
        "error",
    ];
    match func {
        ast::Expr::Name(f) => matches!(
            f.id.as_str(),
            "print" | "input" | "open" | "exec" | "eval" | "setattr" | "next" | "exit" | "quit"
        ),
        ast::Expr::Attribute(f) => METHODS.contains(&f.attr.as_str()),
        _ => true,
    }
}

/// Whether an expression is a literal, or arithmetic of numbers.
pub(crate) fn is_constant(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::Constant(_) => true,
        ast::Expr::UnaryOp(e) => is_constant(&e.operand),
        ast::Expr::BinOp(e) => is_constant(&e.left) && is_constant(&e.right),
        _ => false,
    }
}

/// Collects the names of a target; false if it is not made of names alone.
fn plain_names(target: &ast::Expr, out: &mut Vec<String>) -> bool {
    match target {
        ast::Expr::Name(e) => {
            out.push(e.id.to_string());
            true
        }
        ast::Expr::Tuple(e) => e.elts.iter().all(|e| plain_names(e, out)),
        _ => false,
    }
}

/// Whether a part of a comprehension assigns names alone.
fn is_plain(part: &ast::Comprehension) -> bool {
    !part.is_async && plain_names(&part.target, &mut Vec::new())
}

/// Whether an expression may be an object in a list.
pub(crate) fn may_be_object(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(_) | ExprKind::Subscript(..) => true,
        ExprKind::Attr(base, _) => may_be_object(base),
        _ => false,
    }
}
