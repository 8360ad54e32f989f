//! The text form of a surface nest, for tests and explanations: Python with every operation in parentheses.

use std::fmt::Write;

use nestwise_ir::surface::{
    AccessPath, Expr, ExprKind, Function, Scope, Site, Stmt, StmtKind, Target, UnOp, dotted_name,
};
use nestwise_ir::{Arena, PathId};

use crate::site::special_methods::is_method;

/// The statements of a site, with four spaces for each level of indentation.
pub fn site(site: &Site) -> String {
    let mut text = Text {
        paths: &site.paths,
        out: String::new(),
    };
    text.stmt(&site.top, 0);
    text.out
}

/// A function, as a `def`.
pub fn function(function: &Function) -> String {
    let mut text = Text {
        paths: &function.paths,
        out: String::new(),
    };
    let mut params: Vec<String> = function
        .params
        .iter()
        .map(|param| match &param.default {
            Some(default) => format!("{}={}", text.dotted_name(param.path), text.expr(default)),
            None => text.dotted_name(param.path),
        })
        .collect();
    if let Some(rest) = function.rest {
        let by_position = function.params.iter().filter(|p| p.positional).count();
        params.insert(by_position, format!("*{}", text.dotted_name(rest)));
    }
    text.line(0, &format!("def {}({}):", function.name, params.join(", ")));
    text.block(&function.body, 1);
    text.out
}

/// One line for each access path: its scope, its dotted name, `c` where it is captured, `w` where it is written.
pub fn paths(paths: &Arena<PathId, AccessPath>) -> String {
    let mut out = String::new();
    // Methods that the text does not name hardly ever are anything's.
    for (id, path) in paths.iter().filter(|(_, path)| !is_method(path)) {
        let scope = match path.scope {
            Scope::Local => "local",
            Scope::Global => "global",
            Scope::Attr => "attr",
            Scope::Computed => "computed",
        };
        let flags = match (path.captured, path.written) {
            (true, true) => " cw",
            (true, false) => " c",
            (false, true) => " w",
            (false, false) => "",
        };
        // Writing to a String does not fail.
        let _ = writeln!(out, "{scope} {}{flags}", dotted_name(paths, id));
    }
    out
}

struct Text<'a> {
    paths: &'a Arena<PathId, AccessPath>,
    out: String,
}

impl Text<'_> {
    /// The view of a dictionary's items that these are the keys and values of.
    fn view_of(&self, items: &[Expr]) -> Option<PathId> {
        let parent = |e: &Expr| match e.kind {
            ExprKind::Path(path) => self.paths[path].parent,
            _ => None,
        };
        let view = parent(items.first()?)?;
        items
            .iter()
            .all(|e| parent(e) == Some(view))
            .then_some(view)
    }

    fn dotted_name(&self, path: PathId) -> String {
        let path = dotted_name(self.paths, path);
        // A comprehension's own variable, as the user wrote it.
        let own = path.strip_prefix('.').and_then(|p| p.split_once('.'));
        own.map_or(path.clone(), |(_, name)| name.to_owned())
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"    ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, stmts: &[Stmt], depth: usize) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, depth));
    }

    fn orelse(&mut self, stmts: &[Stmt], depth: usize) {
        if !stmts.is_empty() {
            self.line(depth, "else:");
            self.block(stmts, depth + 1);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                let mut line = String::new();
                for target in targets {
                    line.push_str(&self.target(target));
                    line.push_str(" = ");
                }
                line.push_str(&self.expr(value));
                self.line(depth, &line);
            }
            StmtKind::AugAssign { target, op, value } => {
                let line = format!(
                    "{} {}= {}",
                    self.target(target),
                    op.symbol(),
                    self.expr(value)
                );
                self.line(depth, &line);
            }
            StmtKind::If { test, body, orelse } => {
                self.line(depth, &format!("if {}:", self.expr(test)));
                self.block(body, depth + 1);
                self.orelse(orelse, depth);
            }
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                let line = format!("for {} in {}:", self.target(target), self.expr(iter));
                self.line(depth, &line);
                self.block(body, depth + 1);
                self.orelse(orelse, depth);
            }
            StmtKind::While { test, body, orelse } => {
                self.line(depth, &format!("while {}:", self.expr(test)));
                self.block(body, depth + 1);
                self.orelse(orelse, depth);
            }
            StmtKind::Call(value) => {
                let line = self.expr(value);
                self.line(depth, &line);
            }
            StmtKind::Raise => self.line(depth, "raise"),
            StmtKind::Break => self.line(depth, "break"),
            StmtKind::Continue => self.line(depth, "continue"),
            StmtKind::Return(None) => self.line(depth, "return"),
            StmtKind::Return(Some(value)) => {
                let line = format!("return {}", self.expr(value));
                self.line(depth, &line);
            }
            StmtKind::Pass => self.line(depth, "pass"),
        }
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Path(path) => self.dotted_name(*path),
            Target::Subscript(base, index) => format!("{}[{}]", self.expr(base), self.list(index)),
            Target::Attr(base, name) => format!("{}.{name}", self.expr(base)),
            Target::Tuple(items) => {
                let items: Vec<String> = items.iter().map(|item| self.target(item)).collect();
                format!("({},)", items.join(", "))
            }
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs
            .iter()
            .map(|e| self.expr(e))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn joined(&self, exprs: &[Expr], by: &str) -> String {
        let parts: Vec<String> = exprs.iter().map(|e| self.expr(e)).collect();
        format!("({})", parts.join(by))
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(v) => v.to_string(),
            ExprKind::Float(v) => format!("{v:?}"),
            ExprKind::Imag(v) => format!("{v:?}j"),
            ExprKind::Bool(v) => if *v { "True" } else { "False" }.to_owned(),
            ExprKind::None => "None".to_owned(),
            ExprKind::Ellipsis => "...".to_owned(),
            ExprKind::Str(v) => format!("{v:?}"),
            ExprKind::Bytes(v) => format!("b\"{}\"", v.escape_ascii()),
            ExprKind::Path(path) => self.dotted_name(*path),
            ExprKind::Attr(base, name) => format!("{}.{name}", self.expr(base)),
            ExprKind::Subscript(base, index) => {
                format!("{}[{}]", self.expr(base), self.list(index))
            }
            ExprKind::Call { func, args, kwargs } => {
                let named = kwargs
                    .iter()
                    .map(|(name, e)| format!("{name}={}", self.expr(e)));
                let all: Vec<String> = args.iter().map(|e| self.expr(e)).chain(named).collect();
                format!("{}({})", self.expr(func), all.join(", "))
            }
            ExprKind::Unary(op, a) => format!("({}{})", unary(*op), self.expr(a)),
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(a), op.symbol(), self.expr(b))
            }
            ExprKind::And(items) => self.joined(items, " and "),
            ExprKind::Or(items) => self.joined(items, " or "),
            ExprKind::Compare(first, rest) => {
                let rest = rest
                    .iter()
                    .map(|(op, e)| format!(" {} {}", op.symbol(), self.expr(e)));
                format!("({}{})", self.expr(first), rest.collect::<String>())
            }
            ExprKind::IfExp { test, body, orelse } => {
                let (body, test) = (self.expr(body), self.expr(test));
                format!("({body} if {test} else {})", self.expr(orelse))
            }
            ExprKind::Star(a) => format!("*{}", self.expr(a)),
            ExprKind::MatMul(a, b) => format!("({} @ {})", self.expr(a), self.expr(b)),
            ExprKind::Checked { builtin, value } => {
                format!("{}({})", self.expr(builtin), self.expr(value))
            }
            ExprKind::IsNone(a) => format!("({} is None)", self.expr(a)),
            ExprKind::SideBySide(items) => match self.view_of(items) {
                Some(view) => self.dotted_name(view),
                None => format!("zip({})", self.list(items)),
            },
            ExprKind::Is(a, b) => format!("({} is {})", self.expr(a), self.expr(b)),
            ExprKind::Contains {
                item,
                container,
                negated,
            } => {
                let op = if *negated { "not in" } else { "in" };
                format!("({} {op} {})", self.expr(item), self.expr(container))
            }
            ExprKind::FString(text, _) => text.clone(),
            ExprKind::Set(items) => format!("{{{}}}", self.list(items)),
            ExprKind::Dict(items) => {
                let item = |(k, v): &(Expr, Expr)| format!("{}: {}", self.expr(k), self.expr(v));
                let items: Vec<String> = items.iter().map(item).collect();
                format!("{{{}}}", items.join(", "))
            }
            ExprKind::InText(a, text) => format!("({} in {text:?})", self.expr(a)),
            ExprKind::Slice { start, stop, step } => {
                let part = |e: &Option<Box<Expr>>| e.as_ref().map_or("".into(), |e| self.expr(e));
                let step = step.as_ref().map(|e| format!(":{}", self.expr(e)));
                format!("{}:{}{}", part(start), part(stop), step.unwrap_or_default())
            }
            ExprKind::Comprehension {
                func,
                element,
                parts,
                key,
            } => {
                let mut each = self.expr(element);
                for part in parts {
                    let (target, iter) = (self.target(&part.target), self.expr(&part.iter));
                    each += &format!(" for {target} in {iter}");
                    let tests = part.tests.iter();
                    each.extend(tests.map(|t| format!(" if {}", self.expr(t))));
                }
                if let Some((item, key)) = key {
                    each += &format!(" by {}: {}", self.dotted_name(*item), self.expr(key));
                }
                match func {
                    Some(func) => format!("{}({each})", self.expr(func)),
                    None => format!("[{each}]"),
                }
            }
            ExprKind::Tuple(items) if items.is_empty() => "()".to_owned(),
            ExprKind::Tuple(items) => format!("({},)", self.list(items)),
            ExprKind::List(items) => format!("[{}]", self.list(items)),
        }
    }
}

fn unary(op: UnOp) -> &'static str {
    match op {
        UnOp::Neg => "-",
        UnOp::Pos => "+",
        UnOp::Invert => "~",
        UnOp::Not => "not ",
    }
}
