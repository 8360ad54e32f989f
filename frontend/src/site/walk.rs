//! Walks over the expressions and statements of a surface nest.

use nestwise_ir::PathId;
use nestwise_ir::surface::{Expr, ExprKind, Stmt, StmtKind, Target};

/// Calls `f` on an expression and all below it, parents first.
pub(crate) fn walk_expr<'a>(expr: &'a Expr, f: &mut impl FnMut(&'a Expr)) {
    fn walk<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
        f(expr);
        children(expr, &mut |child| walk(child, f));
    }
    walk(expr, f);
}

/// Calls `$f` on the expressions that one of this kind is made of: `$each` is `iter` or `iter_mut`, and `$mut` stands
/// for the second.
macro_rules! parts_of {
    ($kind:expr, $f:ident, $each:ident $(, $mut:tt)?) => {
        match $kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Imag(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Ellipsis
        | ExprKind::Str(_)
        | ExprKind::Bytes(_)
        | ExprKind::Path(_) => {}
        ExprKind::FString(_, names) => names.$each().for_each(|(_, e)| $f(e)),
        ExprKind::Attr(base, _) => $f(base),
        ExprKind::Comprehension {
            func,
            element,
            parts,
            key,
        } => {
            key.$each().for_each(|(_, e)| $f(e));
            func.$each().for_each(|e| $f(e));
            for part in parts.$each() {
                $f(&$($mut)? part.iter);
                part.tests.$each().for_each(&mut *$f);
            }
            $f(element);
        }
        ExprKind::Unary(_, a)
        | ExprKind::InText(a, _)
        | ExprKind::IsNone(a)
        | ExprKind::Star(a) => $f(a),
        ExprKind::Checked {
            builtin: a,
            value: b,
        }
        | ExprKind::Binary(_, a, b)
        | ExprKind::MatMul(a, b)
        | ExprKind::Is(a, b)
        | ExprKind::Contains {
            item: a,
            container: b,
            ..
        } => {
            $f(a);
            $f(b);
        }
        ExprKind::Subscript(base, index) => {
            $f(base);
            index.$each().for_each(&mut *$f);
        }
        ExprKind::Call { func, args, kwargs } => {
            $f(func);
            args.$each().for_each(&mut *$f);
            kwargs.$each().for_each(|(_, e)| $f(e));
        }
        ExprKind::And(items)
        | ExprKind::Or(items)
        | ExprKind::Tuple(items)
        | ExprKind::SideBySide(items)
        | ExprKind::List(items)
        | ExprKind::Set(items) => {
            items.$each().for_each(&mut *$f);
        }
        ExprKind::Dict(items) => {
            for (key, value) in items.$each() {
                $f(key);
                $f(value);
            }
        }
        ExprKind::Compare(first, rest) => {
            $f(first);
            rest.$each().for_each(|(_, e)| $f(e));
        }
        ExprKind::IfExp { test, body, orelse } => {
            $f(test);
            $f(body);
            $f(orelse);
        }
        ExprKind::Slice { start, stop, step } => {
            let parts = [start, stop, step].into_iter().flatten();
            parts.for_each(|e| $f(e));
        }
    }
    };
}

/// Calls `f` on the expressions that an expression is made of.
pub(crate) fn children<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    parts_of!(&expr.kind, f, iter)
}

/// Calls `f` on the expressions that an expression is made of, which it may change.
pub(crate) fn children_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    parts_of!(&mut expr.kind, f, iter_mut, mut)
}

/// Calls `f` on every statement of a block and inside it, outer first.
pub(crate) fn walk_stmts<'a>(stmts: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        match &stmt.kind {
            StmtKind::If { body, orelse, .. }
            | StmtKind::For { body, orelse, .. }
            | StmtKind::While { body, orelse, .. } => {
                walk_stmts(body, f);
                walk_stmts(orelse, f);
            }
            _ => {}
        }
    }
}

/// Calls `f` on every access path that a statement itself assigns (not those of statements inside it).
pub(crate) fn targets_of(stmt: &Stmt, f: &mut impl FnMut(PathId)) {
    fn of_target(target: &Target, f: &mut impl FnMut(PathId)) {
        match target {
            Target::Path(path) => f(*path),
            Target::Subscript(..) | Target::Attr(..) => {}
            Target::Tuple(items) => items.iter().for_each(|item| of_target(item, f)),
        }
    }
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().for_each(|t| of_target(t, f)),
        StmtKind::AugAssign { target, .. } | StmtKind::For { target, .. } => of_target(target, f),
        _ => {}
    }
}
