//! Loops that are opened and closed, and those that nobody wrote.

use nestwise_ir::model::nest::{Expr, For, LoopDecl, StmtKind};
use nestwise_ir::{LoopId, ScopeId, Span, Ty, VarId};

use crate::lowering::control::for_loop::LEN;
use crate::lowering::lower::Lower;
use crate::lowering::{R, hir};

impl Lower<'_> {
    /// Numbers a loop and makes it the innermost one.
    pub fn open_loop(&mut self, name: String, span: Span) -> LoopId {
        let parent = self.open_loops.last().copied();
        let depth = self.open_loops.len() as u32;
        let id = self.loops.push(LoopDecl {
            span,
            name,
            depth,
            parent,
        });
        self.open_loops.push(id);
        self.meter.open_loop();
        id
    }

    pub fn close_loop(&mut self) {
        self.open_loops.pop();
        self.meter.close_loop();
    }

    /// The loop, and what `else` adds: the clause runs unless `break` leaves the scope around both.
    pub fn emit_loop(
        &mut self,
        kind: StmtKind,
        broken: Option<ScopeId>,
        orelse: &[hir::Stmt],
        span: Span,
    ) -> R<()> {
        let Some(scope) = broken else {
            self.emit(kind, span);
            return Ok(());
        };
        let ((), body) = self.inner(|l| {
            l.emit(kind, span);
            l.stmts(orelse)
        })?;
        self.emit(StmtKind::Scope { id: scope, body }, span);
        Ok(())
    }

    /// A loop of our own, `for name in range(first, stop)`; the body gets the counter.
    pub fn hidden_loop(
        &mut self,
        name: &str,
        (first, stop): (i64, Expr),
        span: Span,
        body: impl FnOnce(&mut Self, VarId) -> R<()>,
    ) -> R<()> {
        let id = self.open_loop(name.into(), span);
        let counter = self.var(name, Ty::PY_INT);
        self.counters.insert(counter, LEN);
        let lowered = self.inner(|l| {
            l.stable.push(counter);
            body(l, counter)
        });
        self.close_loop();
        let ((), body) = lowered?;
        let (start, step) = (Expr::int(first, span), Expr::int(1, span));
        self.emit(
            StmtKind::For(For {
                id,
                counter,
                start,
                stop,
                step,
                body,
            }),
            span,
        );
        Ok(())
    }
}
