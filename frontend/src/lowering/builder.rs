//! The typed nest under construction: its arenas, its open blocks, and what its variables are known to hold.

use std::collections::{HashMap, HashSet};

use nestwise_ir::interpreter_work::Work;
use nestwise_ir::model::nest::{Expr, ExprKind, LoopDecl, Stmt, StmtKind, VarDecl};
use nestwise_ir::{
    Access, AccessId, Arena, ArrayDecl, ArrayId, ArrayKind, Extent, Fragment, FragmentId, LoopId,
    ScopeId, Span, Ty, VarId,
};

use crate::lowering::build;
use crate::lowering::meter::Meter;
use crate::lowering::types::intervals;
use crate::lowering::value::view::View;

/// The nest that one round of lowering builds.
pub(crate) struct Builder {
    /// The arrays.
    pub arrays: Arena<ArrayId, ArrayDecl>,
    /// The variables.
    pub vars: Arena<VarId, VarDecl>,
    /// The loops.
    pub loops: Arena<LoopId, LoopDecl>,
    /// The loads and stores, those included that were lowered and never placed.
    pub accesses: Arena<AccessId, Access>,
    /// The number of loops that are open around each scope.
    pub scopes: Vec<usize>,
    /// The open blocks, innermost last.
    pub blocks: Vec<Vec<Stmt>>,
    /// Variables that cannot change while their assignment is in scope.
    pub stable: Vec<VarId>,
    /// Variables that no statement assigns.
    pub fixed: HashSet<VarId>,
    /// Bounds of loop counters.
    pub counters: HashMap<VarId, intervals::Range>,
    /// The variables that hold the length of an axis, each with its extent.
    pub lengths: HashMap<VarId, Extent>,
    /// The int expressions that hidden variables were set from.
    pub spilled: HashMap<VarId, Expr>,
    /// The fragments that CPython evaluates.
    pub fragments: Arena<FragmentId, Fragment>,
    /// The work of the interpreter that the nest replaces.
    pub meter: Meter,
}

impl Builder {
    /// A nest without statements, with one open block, the one around the top loop.
    pub fn new() -> Builder {
        Builder {
            arrays: Arena::new(),
            vars: Arena::new(),
            loops: Arena::new(),
            accesses: Arena::new(),
            scopes: vec![],
            blocks: vec![vec![]],
            stable: vec![],
            fixed: HashSet::new(),
            counters: HashMap::new(),
            lengths: HashMap::new(),
            spilled: HashMap::new(),
            fragments: Arena::new(),
            meter: Meter::new(),
        }
    }

    /// Appends a statement to the innermost open block.
    pub fn emit(&mut self, kind: StmtKind, span: Span) {
        match kind {
            StmtKind::Break(id) => self.meter.breaks(id),
            StmtKind::Leave(id) => self.meter.leaves(self.scopes[id.index()]),
            StmtKind::Return => self.meter.leaves(0),
            _ => {}
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(Stmt { kind, span });
        }
    }

    /// Emits `var = value`, under the variable's own provenance.
    pub fn emit_let(&mut self, var: VarId, value: Expr) {
        let span = value.span;
        let value = match self.vars.get(var) {
            Some(decl) => build::retype(value, decl.ty),
            None => value,
        };
        self.emit(StmtKind::Let { var, value }, span);
    }

    /// Emits a guard: native code bails out where `cond` does not hold.
    pub fn emit_check(&mut self, cond: Expr) {
        let span = cond.span;
        let kind = StmtKind::Check {
            cond: build::condition(cond),
            guard: true,
        };
        self.emit(kind, span);
    }

    /// Makes a new scope, which statements can leave.
    pub fn scope(&mut self) -> ScopeId {
        self.scopes.push(self.meter.open_loops());
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// Makes a new variable under a name of the program.
    pub fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarDecl {
            name: name.into(),
            ty,
            live_in: None,
            range: None,
            np_tag: None,
        })
    }

    /// Makes a new variable that the program does not name.
    pub fn hidden(&mut self, ty: Ty) -> VarId {
        self.var("", ty)
    }

    /// Evaluates `e` into a hidden variable; a literal or a variable that cannot change stays as it is.
    pub fn spill(&mut self, e: Expr) -> Expr {
        if self.is_stable(&e, 1) {
            return e;
        }
        let (ty, span) = (e.ty, e.span);
        let var = self.hidden(ty);
        if ty == Ty::PY_INT {
            self.spilled.insert(var, e.clone());
        }
        self.emit_let(var, e);
        self.stable.push(var);
        build::var(var, ty, span)
    }

    /// Whether the expression has at most `limit` nodes, reads no array, and keeps its value to the end of the
    /// innermost open block.
    pub fn is_stable(&self, e: &Expr, limit: usize) -> bool {
        let mut nodes = 0;
        let mut stable = true;
        e.walk(&mut |e| {
            nodes += 1;
            stable &= match &e.kind {
                ExprKind::Load { .. }
                | ExprKind::Bind { .. }
                | ExprKind::Call { .. }
                | ExprKind::HostCall { .. } => false,
                ExprKind::Var(v) => self.fixed.contains(v) || self.stable.contains(v),
                _ => true,
            }
        });
        stable && nodes <= limit
    }

    /// Counts work of the interpreter at the current point: `times` for each execution.
    pub fn tally(&mut self, kind: Work, times: f64) {
        self.meter.add(kind, times);
    }

    /// Whether the view is an object of a list.
    pub fn is_object(&self, view: &View) -> bool {
        self.arrays[view.array].kind == ArrayKind::Objects && view.index.len() == 1
    }

    /// Whether the view is a whole `str`.
    pub fn is_text(&self, view: &View) -> bool {
        view.index.is_empty() && self.arrays[view.array].kind == ArrayKind::Str
    }
}
