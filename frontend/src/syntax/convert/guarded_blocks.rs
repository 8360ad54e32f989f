//! `try` statements: natively, what they guard.
//!
//! An exception is a guard failure: CPython runs that iteration over again, with its handlers. So natively a `try` is its
//! body, its `else` clause and its `finally` clause, one after the other. Three kinds of `try` are left to CPython: those
//! whose handlers catch what signal handlers raise, which natively comes between iterations; those that leave by
//! `return`, `break` or `continue` through a `finally`; and those with loops inside, which run better by themselves than
//! that they are undone with everything before an exception.

use rustpython_parser::ast;

use crate::syntax::convert::loop_depth::has_loop;

/// The exceptions that are no errors: signal handlers raise them, or those that end a program.
const NO_ERRORS: [&str; 4] = [
    "BaseException",
    "KeyboardInterrupt",
    "SystemExit",
    "GeneratorExit",
];

/// The statements of a block, with those that a `try` guards in its place.
pub(crate) fn unguarded(stmts: &[ast::Stmt]) -> Vec<&ast::Stmt> {
    let mut found = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        match stmt {
            ast::Stmt::Try(s) if is_transparent(s) => {
                for block in [&s.body, &s.orelse, &s.finalbody] {
                    found.extend(unguarded(block));
                }
            }
            stmt => found.push(stmt),
        }
    }
    found
}

/// Whether a `try` is natively what it guards.
fn is_transparent(s: &ast::StmtTry) -> bool {
    let errors = s.handlers.iter().all(|handler| {
        let ast::ExceptHandler::ExceptHandler(handler) = handler;
        handler.type_.as_deref().is_some_and(catches_errors)
    });
    let leaves = || [&s.body, &s.orelse].into_iter().any(|block| leaves(block));
    let mut blocks = [&s.body, &s.orelse, &s.finalbody].into_iter();
    errors && (s.finalbody.is_empty() || !leaves()) && !blocks.any(|b| has_loop(b))
}

/// Whether a handler for this type catches errors alone, as far as the text tells.
fn catches_errors(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::Name(e) => !NO_ERRORS.contains(&e.id.as_str()),
        ast::Expr::Attribute(e) => !NO_ERRORS.contains(&e.attr.as_str()),
        ast::Expr::Tuple(e) => e.elts.iter().all(catches_errors),
        _ => false,
    }
}

/// Whether control may leave a block other than by its end or an exception; loops inside count, too.
fn leaves(stmts: &[ast::Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        ast::Stmt::Return(_) | ast::Stmt::Break(_) | ast::Stmt::Continue(_) => true,
        ast::Stmt::If(s) => leaves(&s.body) || leaves(&s.orelse),
        ast::Stmt::For(s) => leaves(&s.body) || leaves(&s.orelse),
        ast::Stmt::While(s) => leaves(&s.body) || leaves(&s.orelse),
        ast::Stmt::With(s) => leaves(&s.body),
        ast::Stmt::Try(s) => leaves(&s.body) || leaves(&s.orelse) || leaves(&s.finalbody),
        _ => false,
    })
}
