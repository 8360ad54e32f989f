//! Describes the parser's nodes in words, for refusals.

use rustpython_parser::ast;

/// The text of a dotted name like `a.b.c`; `None` for other expressions.
pub(crate) fn dotted(expr: &ast::Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut next = expr;
    while let ast::Expr::Attribute(e) = next {
        parts.push(e.attr.as_str());
        next = e.value.as_ref();
    }
    let ast::Expr::Name(root) = next else {
        return None;
    };
    parts.push(root.id.as_str());
    parts.reverse();
    Some(parts.join("."))
}

/// Python's name of a statement, for messages.
pub(crate) fn statement_name(stmt: &ast::Stmt) -> &'static str {
    match stmt {
        ast::Stmt::FunctionDef(_) => "def",
        ast::Stmt::AsyncFunctionDef(_) => "async def",
        ast::Stmt::ClassDef(_) => "class",
        ast::Stmt::Return(_) => "return",
        ast::Stmt::Delete(_) => "del",
        ast::Stmt::Assign(_) => "=",
        ast::Stmt::TypeAlias(_) => "type",
        ast::Stmt::AugAssign(_) => "augmented assignment",
        ast::Stmt::AnnAssign(_) => "annotation",
        ast::Stmt::For(_) => "for",
        ast::Stmt::AsyncFor(_) => "async for",
        ast::Stmt::While(_) => "while",
        ast::Stmt::If(_) => "if",
        ast::Stmt::With(_) => "with",
        ast::Stmt::AsyncWith(_) => "async with",
        ast::Stmt::Match(_) => "match",
        ast::Stmt::Raise(_) => "raise",
        ast::Stmt::Try(_) | ast::Stmt::TryStar(_) => "try",
        ast::Stmt::Assert(_) => "assert",
        ast::Stmt::Import(_) | ast::Stmt::ImportFrom(_) => "import",
        ast::Stmt::Global(_) => "global",
        ast::Stmt::Nonlocal(_) => "nonlocal",
        ast::Stmt::Expr(_) => "expression",
        ast::Stmt::Pass(_) => "pass",
        ast::Stmt::Break(_) => "break",
        ast::Stmt::Continue(_) => "continue",
    }
}

/// Python's name of an expression, for messages.
pub(crate) fn expression_name(expr: &ast::Expr) -> &'static str {
    match expr {
        ast::Expr::BoolOp(_) => "a boolean operation",
        ast::Expr::NamedExpr(_) => "an assignment expression (`:=`)",
        ast::Expr::BinOp(_) => "a binary operation",
        ast::Expr::UnaryOp(_) => "a unary operation",
        ast::Expr::Lambda(_) => "a lambda",
        ast::Expr::IfExp(_) => "a conditional expression",
        ast::Expr::Dict(_) => "a dict display",
        ast::Expr::Set(_) => "a set display",
        ast::Expr::ListComp(_) => "a list comprehension",
        ast::Expr::SetComp(_) => "a set comprehension",
        ast::Expr::DictComp(_) => "a dict comprehension",
        ast::Expr::GeneratorExp(_) => "a generator expression",
        ast::Expr::Await(_) => "await",
        ast::Expr::Yield(_) => "yield",
        ast::Expr::YieldFrom(_) => "yield from",
        ast::Expr::Compare(_) => "a comparison",
        ast::Expr::Call(_) => "a call",
        ast::Expr::FormattedValue(_) | ast::Expr::JoinedStr(_) => "an f-string",
        ast::Expr::Constant(_) => "a constant",
        ast::Expr::Attribute(_) => "an attribute",
        ast::Expr::Subscript(_) => "a subscript",
        ast::Expr::Starred(_) => "a starred expression",
        ast::Expr::Name(_) => "a name",
        ast::Expr::List(_) => "a list display",
        ast::Expr::Tuple(_) => "a tuple",
        ast::Expr::Slice(_) => "a slice",
    }
}
