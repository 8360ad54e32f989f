//! Converts forms that Python has no syntax of its own for: displays that are only looped over, `in` with a literal,
//! builtins over generator expressions, calls that surely call no user function.

use nestwise_ir::PathId;
use nestwise_ir::surface::{CmpOp, Expr, ExprKind, Generator, Stmt, StmtKind, Target, UnOp};
use rustpython_parser::ast::{self, Ranged};

use crate::refusal::Refusal;
use crate::site::inner_names::inner_name;
use crate::syntax::convert::converter::{Converter, Names};

/// The most items of a literal that `in` searches.
const MAX_MEMBERS: usize = 32;

/// The name of an expression's value, spelled as no Python name is.
const VALUE: &str = "<value>";

impl Converter<'_> {
    /// Converts an expression to an assignment, the only turn of the site's loop, which leaves its value in a variable.
    pub(crate) fn value(&mut self, expr: &ast::Expr) -> Option<Stmt> {
        let span = self.span(expr);
        self.header_at = header_of_value(expr).map(Ranged::range);
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
        if self.header_at == Some(expr.range()) {
            self.header_at = None;
            return self.header(expr);
        }
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

    /// Converts a loop over a generator expression, `map` or `filter` to a loop over what that goes through, which
    /// computes an element at the head of each iteration; `None`, without a refusal, for other loops. The loop of a
    /// site, which CPython may go on with, has to stay what it is.
    pub(crate) fn lazy_loop(&mut self, s: &ast::StmtFor, orelse: &[ast::Stmt]) -> Option<Stmt> {
        let inside = self.loops > 0 || matches!(self.names, Names::Function { .. });
        if !inside || !is_lazy(&s.iter) {
            return None;
        }
        let span = self.span(s);
        let around = self.inner.len();
        let (part, element) = match s.iter.as_ref() {
            ast::Expr::GeneratorExp(e) => {
                let [part] = e.generators.as_slice() else {
                    return None;
                };
                let iter = self.items(&part.iter);
                (self.generator(part, iter), self.expr(&e.elt))
            }
            ast::Expr::Call(call) => self.applied(call).unzip(),
            _ => return None,
        };
        self.inner.truncate(around);
        let target = self.target(&s.target);
        let body = self.loop_body(&s.body);
        let orelse = self.block(orelse);
        let part = part?;
        let kind = StmtKind::Assign {
            targets: vec![target?],
            value: element?,
        };
        let mut body = body?;
        body.insert(0, Stmt { kind, span });
        for test in part.tests.into_iter().rev() {
            let span = test.span;
            let kind = StmtKind::If {
                test,
                body,
                orelse: vec![],
            };
            body = vec![Stmt { kind, span }];
        }
        let kind = StmtKind::For {
            target: part.target,
            iter: part.iter,
            body,
            orelse: orelse?,
        };
        Some(Stmt { kind, span })
    }

    /// Converts `map(f, xs)` or `filter(f, xs)` to a part of a comprehension and its element; `None`, without a
    /// refusal, for other calls.
    fn applied(&mut self, call: &ast::ExprCall) -> Option<(Generator, Expr)> {
        let (builtin, f, iterables) = application(call)?;
        let span = self.span(call);
        let number = self.inner_count;
        self.inner_count += 1;
        let own: Vec<String> = match f {
            ast::Expr::Lambda(f) => f.args.args.iter().map(|a| a.def.arg.to_string()).collect(),
            _ => (0..iterables.len()).map(|k| format!("item{k}")).collect(),
        };
        let inner = own.iter().map(|name| inner_name(name, number));
        let paths: Vec<PathId> = inner.map(|name| self.table.name(&name, true)).collect();
        let item = |path: &PathId| Expr {
            kind: ExprKind::Path(*path),
            span,
        };
        let items: Vec<Expr> = paths.iter().map(item).collect();
        let targets: Vec<Target> = paths.iter().map(|path| Target::Path(*path)).collect();
        let over: Vec<_> = iterables.iter().map(|e| self.items(e)).collect();
        let mut over: Vec<Expr> = over.into_iter().collect::<Option<_>>()?;
        let (target, value) = match (targets.as_slice(), over.len()) {
            ([one], 1) => (one.clone(), over.pop()?),
            _ => {
                let kind = ExprKind::Path(self.table.name("zip", false));
                let func = Box::new(Expr { kind, span });
                let kind = ExprKind::Call {
                    func,
                    args: over,
                    kwargs: vec![],
                };
                (Target::Tuple(targets), Expr { kind, span })
            }
        };
        let builtin = self.boxed(builtin)?;
        let value = Box::new(value);
        let kind = ExprKind::Checked { builtin, value };
        let iter = Expr { kind, span };
        let is_filter =
            matches!(call.func.as_ref(), ast::Expr::Name(f) if f.id.as_str() == "filter");
        let applied = match f {
            ast::Expr::Constant(_) => items[0].clone(),
            ast::Expr::Lambda(f) => {
                let inner = own.iter().map(|n| (n.clone(), inner_name(n, number)));
                self.inner.push(inner.collect());
                let body = self.expr(&f.body);
                self.inner.pop();
                body?
            }
            _ => Expr {
                kind: ExprKind::Call {
                    func: self.boxed(f)?,
                    args: items.clone(),
                    kwargs: vec![],
                },
                span,
            },
        };
        let (tests, element) = match is_filter {
            true => (vec![applied], items[0].clone()),
            false => (vec![], applied),
        };
        let part = Generator {
            target,
            iter,
            tests,
        };
        Some((part, element))
    }

    /// Converts `map(f, (x, y))`, where it is unpacked, to a tuple; `None`, without a refusal, for other values.
    pub(crate) fn unpacked(&mut self, targets: &[ast::Expr], value: &ast::Expr) -> Option<Expr> {
        let [ast::Expr::Tuple(_) | ast::Expr::List(_)] = targets else {
            return None;
        };
        let ast::Expr::Call(call) = value else {
            return None;
        };
        let (
            builtin,
            f,
            [
                ast::Expr::Tuple(ast::ExprTuple { elts, .. })
                | ast::Expr::List(ast::ExprList { elts, .. }),
            ],
        ) = application(call)?
        else {
            return None;
        };
        let is_map = matches!(call.func.as_ref(), ast::Expr::Name(f) if f.id.as_str() == "map");
        // All items are evaluated before the function is called.
        if !is_map || !elts.iter().all(is_cheap) {
            return None;
        }
        let span = self.span(value);
        if matches!(f, ast::Expr::Lambda(_)) {
            return None;
        }
        let applied = elts.iter().map(|e| {
            let kind = ExprKind::Call {
                func: self.boxed(f)?,
                args: vec![self.expr(e)?],
                kwargs: vec![],
            };
            Some(Expr { kind, span })
        });
        let kind = ExprKind::Tuple(applied.collect::<Option<_>>()?);
        let value = Box::new(Expr { kind, span });
        let builtin = self.boxed(builtin)?;
        let kind = ExprKind::Checked { builtin, value };
        Some(Expr { kind, span })
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
        if let Some((iterable, key)) = chosen_by_key(e) {
            return self.choice_by_key(e, iterable, key);
        }
        let [arg] = e.args.as_slice() else {
            return None;
        };
        let ast::Expr::Name(func) = e.func.as_ref() else {
            return None;
        };
        if let (ast::Expr::Call(call), true) = (arg, consumes(func.id.as_str(), e)) {
            let (part, element) = self.applied(call)?;
            let all = |func| ExprKind::Comprehension {
                func,
                element: Box::new(element),
                parts: vec![part],
                key: None,
            };
            let func = self.boxed(&e.func)?;
            if !matches!(&func.kind, ExprKind::Path(_)) || !is_list(&e.func) {
                return Some(all(Some(func)));
            }
            let span = self.span(arg);
            let kind = all(None);
            return Some(ExprKind::Checked {
                builtin: func,
                value: Box::new(Expr { kind, span }),
            });
        }
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

    /// Converts `min(xs, key=f)` or `max(xs, key=f)`, where `f` is a name, an attribute or a plain `lambda`.
    fn choice_by_key(
        &mut self,
        e: &ast::ExprCall,
        iterable: &ast::Expr,
        key: &ast::Expr,
    ) -> Option<ExprKind> {
        let span = self.span(e);
        let func = self.boxed(&e.func)?;
        let number = self.inner_count;
        self.inner_count += 1;
        let own = match key {
            ast::Expr::Lambda(f) => f.args.args.first()?.def.arg.to_string(),
            _ => "item".to_owned(),
        };
        let inner = inner_name(&own, number);
        let item = self.table.name(&inner, true);
        let by = match key {
            ast::Expr::Lambda(f) => {
                self.inner.push([(own, inner)].into());
                let body = self.boxed(&f.body);
                self.inner.pop();
                body?
            }
            _ => Box::new(Expr {
                kind: ExprKind::Call {
                    func: self.boxed(key)?,
                    args: vec![Expr {
                        kind: ExprKind::Path(item),
                        span,
                    }],
                    kwargs: vec![],
                },
                span,
            }),
        };
        let key = Some((item, by));
        match iterable {
            ast::Expr::GeneratorExp(ast::ExprGeneratorExp {
                elt, generators, ..
            })
            | ast::Expr::ListComp(ast::ExprListComp {
                elt, generators, ..
            }) => {
                if !generators.iter().all(is_plain) {
                    return None;
                }
                match self.comprehended(Some(func), elt, generators)? {
                    ExprKind::Comprehension {
                        func,
                        element,
                        parts,
                        ..
                    } => Some(ExprKind::Comprehension {
                        func,
                        element,
                        parts,
                        key,
                    }),
                    other => Some(other),
                }
            }
            _ => {
                let element = self.table.name(&inner_name("each", number), true);
                let part = Generator {
                    target: Target::Path(element),
                    iter: self.items(iterable)?,
                    tests: vec![],
                };
                let kind = ExprKind::Path(element);
                Some(ExprKind::Comprehension {
                    func: Some(func),
                    element: Box::new(Expr { kind, span }),
                    parts: vec![part],
                    key,
                })
            }
        }
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
            key: None,
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
                if elts.iter().all(is_number) || elts.iter().all(is_text) =>
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

/// The iterable and the key of `min(xs, key=f)` or `max(xs, key=f)`, where `f` is a name, an attribute or a plain
/// `lambda`; `None` for other calls.
fn chosen_by_key(call: &ast::ExprCall) -> Option<(&ast::Expr, &ast::Expr)> {
    let ast::Expr::Name(builtin) = call.func.as_ref() else {
        return None;
    };
    let ([iterable], [keyword]) = (call.args.as_slice(), call.keywords.as_slice()) else {
        return None;
    };
    let is_key = keyword
        .arg
        .as_ref()
        .is_some_and(|name| name.as_str() == "key");
    let known = matches!(builtin.id.as_str(), "min" | "max");
    let fits = known && is_key && !iterable.is_starred_expr() && is_function(&keyword.value, 1);
    fits.then_some((iterable, &keyword.value))
}

/// Whether an expression is a name, an attribute, or a `lambda` of this many plain parameters.
fn is_function(f: &ast::Expr, params: usize) -> bool {
    match f {
        ast::Expr::Name(_) | ast::Expr::Attribute(_) => true,
        ast::Expr::Lambda(f) => {
            let args = &f.args;
            let others = args.posonlyargs.len() + args.kwonlyargs.len();
            let plain = args.vararg.is_none() && args.kwarg.is_none() && others == 0;
            let defaults = args.args.iter().any(|a| a.default.is_some());
            plain && !defaults && args.args.len() == params
        }
        _ => false,
    }
}

/// The parts of `map(f, xs, ...)` or `filter(f, xs)`, where `f` is a name, an attribute or a plain `lambda`: the builtin,
/// the function, and the iterables.
fn application(call: &ast::ExprCall) -> Option<(&ast::Expr, &ast::Expr, &[ast::Expr])> {
    let ast::Expr::Name(builtin) = call.func.as_ref() else {
        return None;
    };
    let [f, iterables @ ..] = call.args.as_slice() else {
        return None;
    };
    let is_filter = builtin.id.as_str() == "filter";
    let fits = match (builtin.id.as_str(), iterables.len()) {
        ("map", 1..) | ("filter", 1) => call.keywords.is_empty(),
        _ => false,
    };
    let applies = match f {
        ast::Expr::Constant(c) => is_filter && c.value.is_none(),
        _ => is_function(f, iterables.len()),
    };
    let plain = !iterables.iter().any(ast::Expr::is_starred_expr);
    (fits && applies && plain).then_some((&call.func, f, iterables))
}

/// Whether a call of this builtin uses up its only argument, which is an application of a function.
fn consumes(name: &str, call: &ast::ExprCall) -> bool {
    let known = matches!(name, "sum" | "min" | "max" | "any" | "all" | "list");
    let [ast::Expr::Call(inner)] = call.args.as_slice() else {
        return false;
    };
    known && call.keywords.is_empty() && application(inner).is_some()
}

fn is_list(func: &ast::Expr) -> bool {
    matches!(func, ast::Expr::Name(f) if f.id.as_str() == "list")
}

/// The iterable of the outermost loop of an expression that is a site, which is evaluated before anything else of it.
fn header_of_value(expr: &ast::Expr) -> Option<&ast::Expr> {
    let generators = match expr {
        ast::Expr::ListComp(e) => &e.generators,
        ast::Expr::Call(call) => match call.args.as_slice() {
            [ast::Expr::GeneratorExp(e)] => &e.generators,
            [ast::Expr::ListComp(e)] => &e.generators,
            _ => return None,
        },
        _ => return None,
    };
    generators.first().map(|part| &part.iter)
}

/// Whether a loop over an expression computes an element for each iteration as it comes.
fn is_lazy(iter: &ast::Expr) -> bool {
    match iter {
        ast::Expr::GeneratorExp(e) => e.generators.len() == 1 && e.generators.iter().all(is_plain),
        ast::Expr::Call(call) => application(call).is_some(),
        _ => false,
    }
}

/// Whether an expression is a literal text.
fn is_text(e: &ast::Expr) -> bool {
    matches!(e, ast::Expr::Constant(c) if c.value.is_str())
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
