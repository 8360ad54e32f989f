//! Copies of loops.

use std::collections::HashMap;

use nestwise_ir::model::nest::{Expr, ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::{AccessId, LoopId, VarId};

use crate::transform::build::{hidden, like};

/// The numbers and counters that a copy of a loop has of its own, for the loop and the loops inside it.
#[derive(Default)]
pub(super) struct Copy {
    loops: HashMap<LoopId, LoopId>,
    counters: HashMap<VarId, VarId>,
}

impl Copy {
    /// Declares the numbers and counters of the copy; `made` is called with the loop that each new one is a copy of, in
    /// order.
    pub(super) fn declare(
        &mut self,
        nest: &mut Nest,
        l: &For,
        made: &mut dyn FnMut(LoopId),
    ) -> Option<()> {
        let mut inside = vec![(l.id, Some(l.counter))];
        for s in &l.body {
            s.walk(&mut |s| match &s.kind {
                StmtKind::For(l) => inside.push((l.id, Some(l.counter))),
                StmtKind::While(l) => inside.push((l.id, None)),
                _ => {}
            });
        }
        for (id, counter) in inside {
            self.loops.insert(id, like(nest, id)?);
            if let Some(c) = counter {
                self.counters.insert(c, hidden(nest));
            }
            made(id);
        }
        Some(())
    }

    pub(super) fn rename(&self, nest: &mut Nest, l: &mut For) {
        self.header(l);
        l.body.iter_mut().for_each(|s| self.stmt(nest, s));
    }

    fn header(&self, l: &mut For) {
        l.counter = self.counters.get(&l.counter).copied().unwrap_or(l.counter);
        self.id(&mut l.id);
    }

    fn id(&self, id: &mut LoopId) {
        *id = self.loops.get(id).copied().unwrap_or(*id);
    }

    fn stmt(&self, nest: &mut Nest, s: &mut Stmt) {
        match &mut s.kind {
            StmtKind::For(l) => self.header(l),
            StmtKind::While(l) => self.id(&mut l.id),
            StmtKind::Break(id) | StmtKind::Continue(id) => self.id(id),
            StmtKind::Store { access, .. } => again(nest, access),
            _ => {}
        }
        s.exprs_mut().into_iter().for_each(|e| self.expr(nest, e));
        for block in s.blocks_mut() {
            block.iter_mut().for_each(|s| self.stmt(nest, s));
        }
    }

    fn expr(&self, nest: &mut Nest, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Var(v) => *v = self.counters.get(v).copied().unwrap_or(*v),
            ExprKind::Load { access, .. } => again(nest, access),
            _ => {}
        }
        e.children_mut()
            .into_iter()
            .for_each(|c| self.expr(nest, c));
    }
}

/// Replaces the number of a copied access by a new one.
fn again(nest: &mut Nest, access: &mut AccessId) {
    if let Some(decl) = nest.accesses.get(*access).cloned() {
        *access = nest.accesses.push(decl);
    }
}
