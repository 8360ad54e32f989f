//! The state of one round of lowering: the typed nest under construction, variables of webs, reads and
//! assignments of locals.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nestwise_ir::model::nest::{Cast, Expr, LoopDecl, Stmt, StmtKind, VarDecl};
use nestwise_ir::{
    Access, AccessId, Arena, ArrayDecl, ArrayId, Extent, LoopId, Precondition, Prov, Scalar,
    ScopeId, Span, Ty, VarId,
};

use crate::lowering::arrays::temporary::Made;
use crate::lowering::arrays::view::Section;
use crate::lowering::hir::{BlockId, DefId, Hir, LocalId};
use crate::lowering::interpreter_cost::Meter;
use crate::lowering::lists::append::Appended;
use crate::lowering::types::facts::Facts;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::{WebId, Webs};
use crate::lowering::value::{Sv, Val, View, Wide};
use crate::lowering::{Options, R, build, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// What a web stands for while its assignment dominates and nothing it is made of can change.
#[derive(Clone, Debug)]
pub(crate) enum Subst {
    Scalar(Sv),
    View(View),
    Part(Section),
}

/// A loop being lowered: what its jumps become.
#[derive(Clone, Debug)]
pub(crate) struct LoopFrame {
    pub on_break: StmtKind,
    pub on_continue: StmtKind,
}

impl LoopFrame {
    /// Of a loop of the nest; `broken` is where `break` goes if the loop has an `else`.
    pub fn new(id: LoopId, broken: Option<ScopeId>) -> LoopFrame {
        LoopFrame {
            on_break: broken.map_or(StmtKind::Break(id), StmtKind::Leave),
            on_continue: StmtKind::Continue(id),
        }
    }
}

/// One round of lowering.
pub(crate) struct Lower<'a> {
    pub hir: &'a Hir,
    pub webs: &'a Webs,
    pub captures: &'a [Capture],
    pub options: Options,
    pub facts: &'a mut Facts,

    pub arrays: Arena<ArrayId, ArrayDecl>,
    pub vars: Arena<VarId, VarDecl>,
    pub loops: Arena<LoopId, LoopDecl>,
    pub accesses: Arena<AccessId, Access>,
    /// By scope: the loops that are open around it.
    pub scopes: Vec<usize>,
    /// Open blocks, innermost last.
    pub blocks: Vec<Vec<Stmt>>,

    pub slots: HashMap<u32, ArrayId>,
    /// What is appended to lists, by the capture of the method.
    pub appended: BTreeMap<u32, Appended>,
    pub web_vars: HashMap<WebId, VarId>,
    pub view_vars: HashMap<WebId, Vec<VarId>>,
    pub tag_vars: HashMap<WebId, VarId>,
    pub flag_vars: HashMap<LocalId, VarId>,
    /// The top loop's last iteration may end before its body begins.
    pub stepwise: bool,
    /// Entry values that the bounds of the top loop read.
    pub entry_vars: HashMap<LocalId, VarId>,
    pub outs: crate::lowering::liveout::Outs,
    pub return_vars: Vec<(VarId, Option<VarId>)>,
    /// In effect here, innermost last.
    pub substs: Vec<(WebId, Subst)>,
    /// Variables that cannot change while their assignment is in scope.
    pub stable: Vec<VarId>,
    /// Variables that nothing assigns.
    pub fixed: HashSet<VarId>,
    /// Bounds of loop counters.
    pub counters: HashMap<VarId, intervals::Range>,
    pub frames: Vec<LoopFrame>,
    /// Enclosing loops, outermost first.
    pub open_loops: Vec<LoopId>,
    pub call_scopes: HashMap<BlockId, ScopeId>,
    /// Inlined calls that are open, innermost last: the locals that their results are in, and all of their own.
    pub open_calls: Vec<(Vec<LocalId>, Vec<LocalId>)>,
    /// Assignments that give an array that the nest makes another name for as long as the one before keeps it: to parameters
    /// of inlined calls, and in place to the same name.
    pub takes_over: HashSet<DefId>,
    /// The types of the value being lowered matter to its consumer.
    pub want_tag: bool,
    /// In the bounds of the top loop, which are evaluated anew for every chunk.
    pub at_entry: bool,
    /// What launches have to check of the arrays in it.
    pub required: BTreeSet<Precondition>,
    /// A part of an array was looked at as a whole.
    pub sliced: bool,
    /// Variables that are how long axes are: none is longer than that.
    pub lengths: HashMap<VarId, Extent>,
    /// What ints are that were evaluated at once.
    pub spilled: HashMap<VarId, Expr>,
    /// Memory of a nest's own for the time of a statement.
    pub temporaries: Vec<(Made, ArrayId)>,
    /// And that of arrays under names.
    pub made: HashMap<WebId, ArrayId>,
    /// What flags say of the objects that names of arrays hold.
    pub name_flags: HashMap<crate::lowering::arrays::alias::Flag, VarId>,
    /// Names of parts of arrays that are there whatever has been run by now, and those that are not.
    pub there: BTreeSet<WebId>,
    pub gone: BTreeSet<WebId>,
    /// Those that were gone at some place so far, in the order of the places.
    pub lost: Vec<WebId>,
    /// A name that the nest makes arrays for was given one from outside.
    pub outside: Option<(WebId, Span)>,
    /// Those of them that hold what an operation still needs.
    pub in_use: HashSet<ArrayId>,
    /// Memory of the nest's own that open loops run over: what lies there has to stay.
    pub iterated: Vec<ArrayId>,
    /// What was to be iterated last is of a type that a later round will know.
    pub unknown_items: bool,
    /// Which object two swapped slots hold, as a bool that each swap flips; by swap group.
    pub parity: HashMap<usize, VarId>,
    /// What CPython does in all this.
    pub meter: Meter,
}

impl<'a> Lower<'a> {
    pub fn new(
        hir: &'a Hir,
        webs: &'a Webs,
        captures: &'a [Capture],
        options: Options,
        facts: &'a mut Facts,
    ) -> Self {
        Lower {
            hir,
            webs,
            captures,
            options,
            facts,
            arrays: Arena::new(),
            vars: Arena::new(),
            loops: Arena::new(),
            accesses: Arena::new(),
            scopes: vec![],
            blocks: vec![vec![]],
            slots: HashMap::new(),
            appended: BTreeMap::new(),
            web_vars: HashMap::new(),
            view_vars: HashMap::new(),
            tag_vars: HashMap::new(),
            flag_vars: HashMap::new(),
            stepwise: false,
            entry_vars: HashMap::new(),
            outs: Default::default(),
            return_vars: vec![],
            substs: vec![],
            stable: vec![],
            fixed: HashSet::new(),
            counters: HashMap::new(),
            frames: vec![],
            open_loops: vec![],
            call_scopes: HashMap::new(),
            open_calls: vec![],
            takes_over: HashSet::new(),
            want_tag: false,
            at_entry: false,
            required: BTreeSet::new(),
            sliced: false,
            lengths: HashMap::new(),
            spilled: HashMap::new(),
            temporaries: vec![],
            made: HashMap::new(),
            name_flags: HashMap::new(),
            there: BTreeSet::new(),
            gone: BTreeSet::new(),
            lost: vec![],
            outside: None,
            in_use: HashSet::new(),
            iterated: vec![],
            unknown_items: false,
            parity: HashMap::new(),
            meter: Meter::new(),
        }
    }

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

    /// `var = value`, under the variable's own provenance.
    pub fn emit_let(&mut self, var: VarId, value: Expr) {
        let span = value.span;
        let value = match self.vars.get(var) {
            Some(decl) => build::retype(value, decl.ty),
            None => value,
        };
        self.emit(StmtKind::Let { var, value }, span);
    }

    /// Has launches check a condition on the arrays of the nest.
    pub fn require(&mut self, condition: Precondition) {
        self.required.insert(condition);
    }

    pub fn emit_check(&mut self, cond: Expr) {
        let span = cond.span;
        self.emit(
            StmtKind::Check {
                cond: build::condition(cond),
                guard: true,
            },
            span,
        );
    }

    /// Runs `f` with a block of its own; what was substituted inside does not outlive it.
    pub fn inner<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<(T, Vec<Stmt>)> {
        let (substs, stable) = (self.substs.len(), self.stable.len());
        let (there, gone) = (self.there.clone(), self.gone.clone());
        let lost = self.lost.len();
        self.blocks.push(vec![]);
        let result = f(self);
        let block = self.blocks.pop().unwrap_or_default();
        // A jump may have left the block between an array made anew and its part named again.
        let lost = &self.lost[lost..];
        self.there
            .retain(|web| there.contains(web) && !lost.contains(web));
        self.gone.retain(|web| gone.contains(web));
        self.substs.truncate(substs);
        self.stable.truncate(stable);
        Ok((result?, block))
    }

    pub fn scope(&mut self) -> ScopeId {
        self.scopes.push(self.meter.open_loops());
        ScopeId(self.scopes.len() as u32 - 1)
    }

    pub fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarDecl {
            name: name.into(),
            ty,
            live_in: None,
            range: None,
            np_tag: None,
        })
    }

    /// A variable nobody named.
    pub fn hidden(&mut self, ty: Ty) -> VarId {
        self.var("", ty)
    }

    /// Evaluates `e` now, into a hidden variable; a literal or a variable that cannot change stays as it is.
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

    pub fn spill_sv(&mut self, sv: Sv) -> Sv {
        let sv = self.commit(sv);
        let tag = self.snapshot(&sv);
        Sv {
            e: self.spill(sv.e),
            wide: None,
            tag,
            ..sv
        }
    }

    pub fn spill_val(&mut self, val: Val) -> Val {
        match val {
            Val::Scalar(sv) => Val::Scalar(self.spill_sv(sv)),
            Val::View(view) => {
                let index = view.index.into_iter().map(|e| self.spill(e)).collect();
                Val::View(View { index, ..view })
            }
            Val::Tuple(items) => Val::Tuple(items.into_iter().map(|v| self.spill_val(v)).collect()),
            other => other,
        }
    }

    /// Whether the expression is small, reads no array, and keeps its value while the present block goes on.
    pub fn is_stable(&self, e: &Expr, limit: usize) -> bool {
        let mut nodes = 0;
        let mut stable = true;
        e.walk(&mut |e| {
            nodes += 1;
            stable &= match &e.kind {
                nestwise_ir::ExprKind::Load { .. } | nestwise_ir::ExprKind::Bind { .. } => false,
                nestwise_ir::ExprKind::Call { .. } => false,
                nestwise_ir::ExprKind::Var(v) => self.fixed.contains(v) || self.stable.contains(v),
                _ => true,
            }
        });
        stable && nodes <= limit
    }

    /// The representation of a web's variable.
    pub fn web_repr(&self, web: WebId, span: Span) -> R<Scalar> {
        let fact = self.facts.webs.get(web).and_then(|f| f.repr());
        fact.ok_or_else(|| self.type_changes(web, span))
    }

    pub fn type_changes(&self, web: WebId, span: Span) -> nestwise_ir::WithSpan<Refusal> {
        let name = self.web_name(web);
        let kinds: Vec<String> = self
            .facts
            .webs
            .get(web)
            .map(|f| f.kinds.iter().map(|k| k.to_string()).collect())
            .unwrap_or_default();
        let (from, to) = match kinds.as_slice() {
            [] => ("array".to_string(), "another array".to_string()),
            [one] => (one.clone(), "array".to_string()),
            [first, .., last] => (first.clone(), last.clone()),
        };
        refuse(span, Refusal::TypeChanges { name, from, to })
    }

    pub fn web_name(&self, web: WebId) -> String {
        let local = self
            .webs
            .local
            .get(web)
            .and_then(|l| self.hir.locals.get(*l));
        local.map(|l| l.name.clone()).unwrap_or_default()
    }

    /// The types that decide how a web's variable is boxed: those of the assignments that may be its last.
    fn boxed_kinds(&self, web: WebId, repr: Scalar) -> Kinds {
        let Some(fact) = self.facts.webs.get(web) else {
            return Kinds::NONE;
        };
        let fits = |kinds: Kinds| kinds.filter(|k| natural_in(k, repr));
        let exit = self
            .webs
            .local
            .get(web)
            .and_then(|l| self.webs.exit.get(*l));
        let last = exit
            .into_iter()
            .flatten()
            .filter(|d| self.webs.of_def.get(**d) == Some(&web));
        let kinds = last
            .filter_map(|d| self.facts.def_kinds.get(*d))
            .fold(Kinds::NONE, |set, k| set.union(fits(*k)));
        let observed = self
            .webs
            .local
            .get(web)
            .and_then(|l| self.hir.locals.get(*l))
            .is_some_and(|l| l.place.is_some());
        if observed && !kinds.is_empty() {
            kinds
        } else {
            fits(fact.kinds)
        }
    }

    /// The web's variable.
    pub fn web_var(&mut self, web: WebId, span: Span) -> R<VarId> {
        if let Some(var) = self.web_vars.get(&web) {
            return Ok(*var);
        }
        let repr = self.web_repr(web, span)?;
        let kinds = self.boxed_kinds(web, repr);
        let prov = if kinds.is_empty() {
            Prov::Py
        } else {
            kinds.prov()
        };
        let name = self.web_name(web);
        let var = self.var(&name, Ty { prov, repr });
        let entry = self.webs.entry.get(web).copied().flatten();
        if let Some(index) = entry
            .and_then(|l| self.hir.locals.get(l))
            .and_then(|l| l.capture)
            && let Some(Capture::Scalar { range, .. }) = self.captures.get(index as usize)
        {
            let decl = &mut self.vars[var];
            decl.live_in = Some(index);
            decl.range = range.filter(|_| repr.is_int());
        }
        if self.webs.defs.get(web).is_none_or(|d| d.is_empty()) {
            self.fixed.insert(var);
        }
        self.web_vars.insert(web, var);
        Ok(var)
    }
}

/// Whether a value of this type is held as itself in this representation.
pub(crate) fn natural_in(kind: Kind, repr: Scalar) -> bool {
    match repr {
        Scalar::Num => matches!(kind, Kind::PyInt | Kind::PyFloat),
        Scalar::U64 if kind == Kind::PyInt => true,
        _ => kind.natural() == repr,
    }
}

/// A Python int of 64 unsigned bits is computed with in 128.
pub(crate) fn with_wide(mut sv: Sv) -> Sv {
    if sv.repr() == Scalar::U64 && sv.kinds == Kinds::of(Kind::PyInt) {
        let e = build::cast(Cast::Value, sv.e.clone(), Ty::PY_WIDE, false);
        sv.wide = Some(Box::new(Wide {
            e,
            range: sv.range,
            exact: true,
        }));
    }
    sv
}
