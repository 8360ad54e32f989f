//! How deeply loop statements nest.

use rustpython_parser::ast;

/// Whether there is a loop statement among these, at any depth.
pub(crate) fn has_loop(stmts: &[ast::Stmt]) -> bool {
    depth(stmts) > 0
}

/// How deeply loop statements nest among these.
pub(crate) fn depth(stmts: &[ast::Stmt]) -> u32 {
    let of = |stmt: &ast::Stmt| match stmt {
        ast::Stmt::For(s) => 1 + depth(&s.body).max(depth(&s.orelse)),
        ast::Stmt::While(s) => 1 + depth(&s.body).max(depth(&s.orelse)),
        ast::Stmt::AsyncFor(s) => 1 + depth(&s.body),
        ast::Stmt::If(s) => depth(&s.body).max(depth(&s.orelse)),
        ast::Stmt::With(s) => depth(&s.body),
        ast::Stmt::Try(s) => {
            let handled = s.handlers.iter().map(|h| {
                let ast::ExceptHandler::ExceptHandler(h) = h;
                depth(&h.body)
            });
            let blocks = [&s.body, &s.orelse, &s.finalbody];
            let blocks = blocks.into_iter().map(|b| depth(b));
            handled.chain(blocks).max().unwrap_or(0)
        }
        _ => 0,
    };
    stmts.iter().map(of).max().unwrap_or(0)
}
