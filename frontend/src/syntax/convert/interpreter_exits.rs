//! Interpreter side exits: statements that CPython runs, with the iterations that get to them.
//!
//! `if k % 1000 == 0: print(k, x)` is no reason to leave a loop to CPython as a whole: compiled code stops at the
//! iteration that gets there, CPython runs it, and compiled code goes on behind it. Where that happens often it does
//! not pay, and the driver backs off. A loop around others is not for this: what is compiled of it may be most of it,
//! and what it has written would be rolled back each time.

use nestwise_ir::surface::{Expr, ExprKind, Stmt, StmtKind};
use rustpython_parser::ast;

use crate::syntax::convert::converter::Converter;

impl Converter<'_> {
    /// Statements that a condition guards: the first that is not supported ends them.
    pub(crate) fn branch(&mut self, stmts: &[ast::Stmt]) -> Option<Vec<Stmt>> {
        if !self.may_exit {
            return self.block(stmts);
        }
        let mut converted = Vec::new();
        for stmt in stmts {
            let before = self.refusals.len();
            match self.stmt(stmt).filter(|stmt| !makes_list(stmt)) {
                Some(stmt) => converted.push(stmt),
                None if may_exit_at(stmt) => {
                    self.refusals.truncate(before);
                    converted.push(Stmt {
                        kind: StmtKind::Raise,
                        span: self.span(stmt),
                    });
                    break;
                }
                None => return None,
            }
        }
        Some(converted)
    }
}

/// Whether a name gets a new list: which of them are of use only types tell, and in a loop without loops it is of
/// little.
fn makes_list(stmt: &Stmt) -> bool {
    fn is_list(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::List(_) | ExprKind::Comprehension { func: None, .. } => true,
            ExprKind::Binary(_, a, b) => is_list(a) || is_list(b),
            _ => false,
        }
    }
    matches!(&stmt.kind, StmtKind::Assign { value, .. } if is_list(value))
}

/// Whether there is a loop statement among these, however deep.
pub(crate) fn has_loop(stmts: &[ast::Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        ast::Stmt::For(_) | ast::Stmt::While(_) | ast::Stmt::AsyncFor(_) => true,
        ast::Stmt::If(s) => has_loop(&s.body) || has_loop(&s.orelse),
        ast::Stmt::With(s) => has_loop(&s.body),
        ast::Stmt::Try(s) => {
            let handled = s.handlers.iter().any(|h| {
                let ast::ExceptHandler::ExceptHandler(h) = h;
                has_loop(&h.body)
            });
            handled
                || [&s.body, &s.orelse, &s.finalbody]
                    .into_iter()
                    .any(|b| has_loop(b))
        }
        _ => false,
    })
}

/// Whether an iteration that gets to this statement may exit to the interpreter: not if it may take a name's value
/// away.
fn may_exit_at(stmt: &ast::Stmt) -> bool {
    matches!(
        stmt,
        ast::Stmt::Expr(_) | ast::Stmt::Assign(_) | ast::Stmt::AugAssign(_)
    )
}
