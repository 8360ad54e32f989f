//! Parts of the text that CPython is called for: forms without a native meaning, and the points at which the results of
//! what changes something are recorded.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nestwise_ir::surface::{Expr, ExprKind, Point};
use rustpython_parser::ast::{self, Ranged};
use rustpython_parser::{Mode, parse};

use crate::host_functions::{Container, HostFn};
use crate::syntax::convert::converter::{Converter, Names};
use crate::syntax::convert::loop_depth::depth;
use nestwise_ir::Effect;

/// The longest f-string that is read, in bytes.
const MAX_F_STRING: usize = 400;

/// The most names that an f-string may read.
const MAX_NAMES: usize = 16;

/// The deepest nesting of the loops beside which CPython is called.
const MOST_NESTED: u32 = 1;

/// The most points of one site.
const MAX_POINTS: usize = 256;

impl Converter<'_> {
    /// Whether what has no native form may become a call of CPython here. In a branch from which iterations exit to the
    /// interpreter it does not: such branches are taken to be rare. Nor does it beside nests of loops, which run better
    /// as nests of their own.
    pub(crate) fn calls_host(&self) -> bool {
        self.exits == 0 && self.uses_entries()
    }

    /// Whether an operation on an entry of a dictionary or set may stand here, as calls of CPython do, and in such branches,
    /// too.
    pub(crate) fn uses_entries(&self) -> bool {
        let limit = match self.names {
            Names::Site(scope) if scope.regions => 0,
            _ => MOST_NESTED,
        };
        let fits = self.nested.last().is_none_or(|depth| *depth <= limit);
        !self.source.suspends && fits
    }

    /// Whether an object that the nest does not hold natively may stand here: an argument, or an item that is stored.
    pub(crate) fn may_have_objects(&self) -> bool {
        self.objects > 0 && self.calls_host()
    }

    /// Converts a display of a dictionary.
    pub(crate) fn dict(&mut self, e: &ast::ExprDict) -> Option<ExprKind> {
        let mut items = Vec::with_capacity(e.keys.len());
        for (key, value) in e.keys.iter().zip(&e.values) {
            items.push((self.expr(key.as_ref()?)?, self.expr(value)?));
        }
        Some(ExprKind::Dict(items))
    }

    /// Converts an f-string of plain names, literals and arithmetic; `None`, without a refusal, for any other.
    pub(crate) fn f_string(&mut self, e: &ast::ExprConstant) -> Option<ExprKind> {
        if !self.may_have_objects() || !self.inner.is_empty() {
            return None;
        }
        let text = self
            .source
            .text(e.range.start().into(), e.range.end().into())?;
        let names = names_of_f_string(text)?;
        let text = text.to_owned();
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            let kind = ExprKind::Path(self.name(&name, e, false)?);
            let span = self.span(e);
            found.push((name, Expr { kind, span }));
        }
        Some(ExprKind::FString(text, found))
    }

    /// Notes a call that may change something as a point.
    pub(crate) fn note_call(&mut self, e: &ast::ExprCall) {
        if may_change(&e.func) {
            self.changes += 1;
        }
        self.note_point(e, false);
    }

    /// Notes an expression that may read what a part of the site changes as a point.
    pub(crate) fn note_read(&mut self, e: &impl Ranged) {
        self.note_point(e, false);
    }

    /// The points of the site; none where no part of it changes anything.
    pub(crate) fn take_points(&mut self) -> Vec<Point> {
        let points = std::mem::take(&mut self.points);
        match self.changes {
            0 => vec![],
            _ => distinct(points),
        }
    }

    /// Notes the assignment of an item as a point, if the container may be one that the nest does not hold natively;
    /// returns whether it may.
    pub(crate) fn note_store(&mut self, stmt: &ast::Stmt, targets: &[ast::Expr]) -> bool {
        let [ast::Expr::Subscript(target)] = targets else {
            return false;
        };
        let name = match target.value.as_ref() {
            ast::Expr::Name(e) => &e.id,
            ast::Expr::Attribute(e) => &e.attr,
            _ => return false,
        };
        let mapping =
            matches!(self.names, Names::Site(scope) if scope.mappings.contains(name.as_str()));
        if mapping {
            self.changes += 1;
            self.note_point(stmt, true);
        }
        mapping
    }

    fn note_point(&mut self, node: &impl Ranged, statement: bool) {
        let in_site = matches!(self.names, Names::Site(_)) && self.inner.is_empty();
        if in_site && self.points.len() < MAX_POINTS {
            let start = self.span(node);
            let end = self.source.lines.span(node.end().into());
            self.points.push(Point {
                start,
                end,
                statement,
            });
        }
    }
}

/// The points, without those that begin where another one of their kind does: an expression is known by where it
/// begins.
fn distinct(points: Vec<Point>) -> Vec<Point> {
    let same = |a: &Point, b: &Point| a.start == b.start && a.statement == b.statement;
    let alone = |p: &&Point| points.iter().filter(|q| same(p, q)).count() == 1;
    points.iter().filter(alone).copied().collect()
}

/// How deeply loops nest in the body of a loop. A function that is called for its effect alone counts as two loops: it
/// likely has some.
pub(crate) fn depth_beside(body: &[ast::Stmt]) -> u32 {
    let drives = body.iter().any(|stmt| match stmt {
        ast::Stmt::Expr(s) => match s.value.as_ref() {
            ast::Expr::Call(call) => {
                matches!(call.func.as_ref(), ast::Expr::Name(_)) && !may_change(&call.func)
            }
            _ => false,
        },
        _ => false,
    });
    depth(body).max(if drives { 2 } else { 0 })
}

/// Whether a call, by its text, may be one that changes something, but nothing that the nest holds natively.
fn may_change(func: &ast::Expr) -> bool {
    let function = |name: &str, draws: bool| {
        let functions = HostFn::all().map(|f| f.about());
        functions
            .filter(|f| f.effect != Effect::Pure && f.draws() == draws)
            .any(|f| f.name.rsplit('.').next() == Some(name))
    };
    let method = |name: &str| {
        let changes = |c: Container| c.method(name).is_some_and(|m| m.effect != Effect::Pure);
        Container::ALL.into_iter().any(changes)
    };
    match func {
        ast::Expr::Name(f) => function(f.id.as_str(), false) || method(f.id.as_str()),
        ast::Expr::Attribute(f) => {
            let name = f.attr.as_str();
            // `math.gamma` draws nothing.
            let module = matches!(
                f.value.as_ref(),
                ast::Expr::Name(m) if matches!(m.id.as_str(), "math" | "np" | "numpy" | "scipy")
            );
            function(name, false) || method(name) || !module && function(name, true)
        }
        _ => false,
    }
}

/// Whether a call for its effect may be one that CPython is called for.
pub(crate) fn is_host_call(func: &ast::Expr) -> bool {
    may_change(func)
}

/// Whether a call for its effect may be one of those with which a set, a list or a deque grows and shrinks.
pub(crate) fn changes_container(func: &ast::Expr) -> bool {
    let name = match func {
        ast::Expr::Attribute(f) => f.attr.as_str(),
        ast::Expr::Name(f) => f.id.as_str(),
        _ => return false,
    };
    const NAMES: [&str; 8] = [
        "add",
        "discard",
        "append",
        "appendleft",
        "pop",
        "popleft",
        "heappush",
        "heappop",
    ];
    NAMES.contains(&name)
}

/// The names that an f-string reads, each once; `None` for an f-string with anything in it but names, literals and
/// arithmetic.
fn names_of_f_string(text: &str) -> Option<Vec<String>> {
    let nested = text.matches('{').count() > MAX_NAMES || text.contains("{{{{");
    if text.len() > MAX_F_STRING || nested || text.contains('\n') {
        return None;
    }
    // The parser is not ours; a panic in it costs the f-string, not the process.
    let parsed = catch_unwind(AssertUnwindSafe(|| parse(text, Mode::Expression, "")));
    let ast::Mod::Expression(parsed) = parsed.ok()?.ok()? else {
        return None;
    };
    let mut names = Vec::new();
    let simple = simple_names(&parsed.body, &mut names);
    names.sort_unstable();
    names.dedup();
    (simple && names.len() <= MAX_NAMES).then_some(names)
}

/// Collects the names of an expression; false if it is made of anything but names, literals and arithmetic.
fn simple_names(e: &ast::Expr, names: &mut Vec<String>) -> bool {
    match e {
        ast::Expr::Name(e) => {
            names.push(e.id.to_string());
            true
        }
        ast::Expr::Constant(_) => true,
        ast::Expr::JoinedStr(e) => e.values.iter().all(|e| simple_names(e, names)),
        ast::Expr::FormattedValue(e) => {
            let spec = e.format_spec.as_deref();
            simple_names(&e.value, names) && spec.is_none_or(|s| simple_names(s, names))
        }
        ast::Expr::BinOp(e) => simple_names(&e.left, names) && simple_names(&e.right, names),
        ast::Expr::UnaryOp(e) => simple_names(&e.operand, names),
        ast::Expr::Compare(e) => {
            simple_names(&e.left, names) && e.comparators.iter().all(|e| simple_names(e, names))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::names_of_f_string;

    #[test]
    fn names_of_f_strings_are_found() {
        let names = |text: &str| names_of_f_string(text).map(|n| n.join(" "));
        assert_eq!(names("f'{x:.3f} of {n}'").as_deref(), Some("n x"));
        assert_eq!(names("f'{x + 1!r:>{w}}' 'tail'").as_deref(), Some("w x"));
        assert_eq!(names("f'plain {{}}'").as_deref(), Some(""));
        for text in [
            "f'{f(x)}'",
            "f'{x.y}'",
            "f'{(y := 1)}'",
            "f'{x'",
            "f'{[a for a in b]}'",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
