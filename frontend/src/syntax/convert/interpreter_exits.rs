//! Interpreter side exits: statements that CPython runs, with the iterations that get to them.
//!
//! A statement like `if k % 1000 == 0: print(k, x)` is no reason to leave a whole loop to CPython: native code stops at
//! the iteration that gets there, CPython runs it, and native code goes on behind it. Where that happens often it does
//! not pay, and the driver backs off. A loop with inner loops has no such exits: one iteration may be most of the work,
//! and what it has written would be rolled back each time.

use nestwise_ir::surface::{Expr, ExprKind, Stmt, StmtKind};
use rustpython_parser::ast;

use crate::syntax::convert::converter::Converter;
use crate::syntax::convert::guarded_blocks;

impl Converter<'_> {
    /// Converts statements that a condition guards. Where iterations may exit to the interpreter, the first statement
    /// that is not supported ends them.
    pub(crate) fn branch(&mut self, stmts: &[ast::Stmt]) -> Option<Vec<Stmt>> {
        if !self.may_exit {
            return self.block(stmts);
        }
        self.exits += 1;
        let converted = self.up_to_exit(stmts);
        self.exits -= 1;
        converted
    }

    fn up_to_exit(&mut self, stmts: &[ast::Stmt]) -> Option<Vec<Stmt>> {
        let mut converted = Vec::new();
        for stmt in guarded_blocks::unguarded(stmts) {
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

/// Whether a statement gives a name a new list: only types tell which lists are of use, and in a loop without inner
/// loops they are of little use.
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

/// Whether an iteration that reaches this statement may exit to the interpreter: not if the statement may take a name's
/// value away.
fn may_exit_at(stmt: &ast::Stmt) -> bool {
    matches!(
        stmt,
        ast::Stmt::Expr(_) | ast::Stmt::Assign(_) | ast::Stmt::AugAssign(_)
    )
}
