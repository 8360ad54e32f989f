//! The state of one round of lowering: the typed nest under construction, variables of webs, reads and
//! assignments of locals.

use std::collections::HashMap;

use nestwise_ir::nest::{Cast, Expr, LoopDecl, Stmt, StmtKind, VarDecl};
use nestwise_ir::{
    Access, AccessId, Arena, ArrayDecl, ArrayId, ArrayKind, LoopId, Prov, Scalar, ScopeId, Span, Ty, VarId,
};

use super::build;
use super::facts::Facts;
use super::hir::{self, BlockId, Def, DefId, Hir, LocalId, Read};
use super::kinds::{Kind, Kinds};
use super::range;
use super::value::{Sv, Tag, Val, View, Wide};
use super::webs::{WebId, Webs};
use super::{Options, R, refuse};
use crate::capture::Capture;
use crate::refusal::Refusal;

/// What a web stands for while its assignment dominates and nothing it is made of can change.
#[derive(Clone, Debug)]
pub(super) enum Subst {
    Scalar(Sv),
    View(View),
}

/// A loop being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopFrame {
    pub id: LoopId,
    /// Where `break` goes if the loop has an `else`.
    pub broken: Option<ScopeId>,
}

/// One round of lowering.
pub(super) struct Lower<'a> {
    pub hir: &'a Hir,
    pub webs: &'a Webs,
    pub captures: &'a [Capture],
    pub options: Options,
    pub facts: &'a mut Facts,

    pub arrays: Arena<ArrayId, ArrayDecl>,
    pub vars: Arena<VarId, VarDecl>,
    pub loops: Arena<LoopId, LoopDecl>,
    pub accesses: Arena<AccessId, Access>,
    pub scopes: u32,
    /// Open blocks, innermost last.
    pub blocks: Vec<Vec<Stmt>>,

    pub slots: HashMap<u32, ArrayId>,
    pub web_vars: HashMap<WebId, VarId>,
    pub view_vars: HashMap<WebId, Vec<VarId>>,
    pub tag_vars: HashMap<WebId, VarId>,
    pub flag_vars: HashMap<LocalId, VarId>,
    /// Entry values that the bounds of the top loop read.
    pub entry_vars: HashMap<LocalId, VarId>,
    pub outs: super::liveout::Outs,
    pub return_vars: Vec<(VarId, Option<VarId>)>,
    /// In effect here, innermost last.
    pub substs: Vec<(WebId, Subst)>,
    /// Variables that cannot change while their assignment is in scope.
    pub stable: Vec<VarId>,
    /// Bounds of loop counters.
    pub counters: HashMap<VarId, range::Range>,
    pub frames: Vec<LoopFrame>,
    /// Enclosing loops, outermost first.
    pub open_loops: Vec<LoopId>,
    pub call_scopes: HashMap<BlockId, ScopeId>,
    /// The types of the value being lowered matter to its consumer.
    pub want_tag: bool,
    /// In the bounds of the top loop, which are evaluated anew for every chunk.
    pub at_entry: bool,
    /// Which object two swapped slots hold, as a bool that each swap flips; by swap group.
    pub parity: HashMap<usize, VarId>,
}

impl<'a> Lower<'a> {
    pub fn new(hir: &'a Hir, webs: &'a Webs, captures: &'a [Capture], options: Options, facts: &'a mut Facts) -> Self {
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
            scopes: 0,
            blocks: vec![vec![]],
            slots: HashMap::new(),
            web_vars: HashMap::new(),
            view_vars: HashMap::new(),
            tag_vars: HashMap::new(),
            flag_vars: HashMap::new(),
            entry_vars: HashMap::new(),
            outs: Default::default(),
            return_vars: vec![],
            substs: vec![],
            stable: vec![],
            counters: HashMap::new(),
            frames: vec![],
            open_loops: vec![],
            call_scopes: HashMap::new(),
            want_tag: false,
            at_entry: false,
            parity: HashMap::new(),
        }
    }

    // ---- Statements -----------------------------------------------------------------------------------------

    pub fn emit(&mut self, kind: StmtKind, span: Span) {
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

    pub fn emit_check(&mut self, cond: Expr) {
        let span = cond.span;
        self.emit(StmtKind::Check { cond: build::condition(cond), guard: true }, span);
    }

    /// Runs `f` with a block of its own; what was substituted inside does not outlive it.
    pub fn inner<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<(T, Vec<Stmt>)> {
        let (substs, stable) = (self.substs.len(), self.stable.len());
        self.blocks.push(vec![]);
        let result = f(self);
        let block = self.blocks.pop().unwrap_or_default();
        self.substs.truncate(substs);
        self.stable.truncate(stable);
        Ok((result?, block))
    }

    pub fn scope(&mut self) -> ScopeId {
        self.scopes += 1;
        ScopeId(self.scopes - 1)
    }

    // ---- Variables ------------------------------------------------------------------------------------------

    pub fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarDecl { name: name.into(), ty, live_in: None, range: None, np_tag: None })
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
        self.emit_let(var, e);
        self.stable.push(var);
        build::var(var, ty, span)
    }

    pub fn spill_sv(&mut self, sv: Sv) -> Sv {
        let sv = self.commit(sv);
        let tag = self.snapshot(&sv);
        Sv { e: self.spill(sv.e), wide: None, tag, ..sv }
    }

    /// The value's tag as it is now: the variables that it depends on may be assigned before it is asked for.
    pub fn snapshot(&mut self, sv: &Sv) -> Tag {
        if sv.kinds.len() < 2 || !self.want_tag || matches!(sv.tag, Tag::Unknown | Tag::Var(..)) {
            return sv.tag.clone();
        }
        let yes = second_group(sv.kinds);
        let Some(among) = self.is_among(sv.kinds, &sv.tag, yes, sv.span()) else { return Tag::Unknown };
        let var = self.hidden(Ty::PY_BOOL);
        self.emit_let(var, among);
        self.stable.push(var);
        Tag::Var(var, yes)
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
                nestwise_ir::ExprKind::Var(v) => self.stable.contains(v),
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
        let kinds: Vec<String> =
            self.facts.webs.get(web).map(|f| f.kinds.iter().map(|k| k.to_string()).collect()).unwrap_or_default();
        let (from, to) = match kinds.as_slice() {
            [] => ("array".to_string(), "another array".to_string()),
            [one] => (one.clone(), "array".to_string()),
            [first, .., last] => (first.clone(), last.clone()),
        };
        refuse(span, Refusal::TypeChanges { name, from, to })
    }

    pub fn web_name(&self, web: WebId) -> String {
        let local = self.webs.local.get(web).and_then(|l| self.hir.locals.get(*l));
        local.map(|l| l.name.clone()).unwrap_or_default()
    }

    /// The types that decide how a web's variable is boxed: those of the assignments that may be its last.
    fn boxed_kinds(&self, web: WebId, repr: Scalar) -> Kinds {
        let Some(fact) = self.facts.webs.get(web) else { return Kinds::NONE };
        let fits = |kinds: Kinds| kinds.filter(|k| natural_in(k, repr));
        let exit = self.webs.local.get(web).and_then(|l| self.webs.exit.get(*l));
        let last = exit.into_iter().flatten().filter(|d| self.webs.of_def.get(**d) == Some(&web));
        let kinds = last
            .filter_map(|d| self.facts.def_kinds.get(*d))
            .fold(Kinds::NONE, |set, k| set.union(fits(*k)));
        let observed = self.webs.local.get(web).and_then(|l| self.hir.locals.get(*l)).is_some_and(|l| l.place.is_some());
        if observed && !kinds.is_empty() { kinds } else { fits(fact.kinds) }
    }

    /// The web's variable.
    pub fn web_var(&mut self, web: WebId, span: Span) -> R<VarId> {
        if let Some(var) = self.web_vars.get(&web) {
            return Ok(*var);
        }
        let repr = self.web_repr(web, span)?;
        let kinds = self.boxed_kinds(web, repr);
        let prov = if kinds.is_empty() { Prov::Py } else { kinds.prov() };
        let name = self.web_name(web);
        let var = self.var(&name, Ty { prov, repr });
        let entry = self.webs.entry.get(web).copied().flatten();
        if let Some(index) = entry.and_then(|l| self.hir.locals.get(l)).and_then(|l| l.capture) {
            if let Some(Capture::Scalar { range, .. }) = self.captures.get(index as usize) {
                let decl = &mut self.vars[var];
                decl.live_in = Some(index);
                decl.range = range.filter(|_| repr.is_int());
            }
        }
        if self.webs.defs.get(web).is_none_or(|d| d.is_empty()) {
            self.stable.insert(0, var);
        }
        self.web_vars.insert(web, var);
        Ok(var)
    }

    /// The bool variable that is true when the web's value is of the second of its two groups of types
    /// ([`Lower::tag_true`]).
    pub fn tag_var(&mut self, web: WebId) -> VarId {
        self.facts.demand(web, |f| &mut f.tagged);
        if let Some(var) = self.tag_vars.get(&web) {
            return *var;
        }
        let var = self.hidden(Ty::PY_BOOL);
        self.tag_vars.insert(web, var);
        var
    }

    /// The types for which a web's tag is true: NumPy's if there are both, else the floats.
    pub fn tag_true(&self, web: WebId) -> Kinds {
        second_group(self.facts.webs.get(web).map(|f| f.kinds).unwrap_or_default())
    }

    /// The bool variable that is true once the local has been assigned.
    pub fn flag_var(&mut self, local: LocalId) -> VarId {
        self.facts.flag_local(local);
        if let Some(var) = self.flag_vars.get(&local) {
            return *var;
        }
        let var = self.hidden(Ty::PY_BOOL);
        self.flag_vars.insert(local, var);
        var
    }

    /// A condition that is true when the value's type is in `set`; `None` if that cannot be told.
    pub fn is_among(&mut self, kinds: Kinds, tag: &Tag, set: Kinds, span: Span) -> Option<Expr> {
        if kinds.within(set) {
            return Some(build::boolean(true, Ty::PY_BOOL, span));
        }
        if kinds.intersect(set).is_empty() {
            return Some(build::boolean(false, Ty::PY_BOOL, span));
        }
        match tag {
            Tag::Unknown => None,
            Tag::Web(web) => {
                let yes = self.tag_true(*web);
                let var = self.tag_var(*web);
                let mut tag = build::var(var, Ty::PY_BOOL, span);
                if let Some(local) = self.entry_among(*web, yes) {
                    // Tags are false at entry: until the first assignment the capture's type is the one.
                    let assigned = build::var(self.flag_var(local), Ty::PY_BOOL, span);
                    tag = build::select(assigned, tag, build::boolean(true, Ty::PY_BOOL, span), Ty::PY_BOOL);
                }
                by_group(kinds, yes, set, tag)
            }
            Tag::Var(var, yes) => by_group(kinds, *yes, set, build::var(*var, Ty::PY_BOOL, span)),
            Tag::AnyNp(parts) => {
                let numpy = kinds.numpy();
                let direct = numpy.within(set) && kinds.minus(numpy).intersect(set).is_empty();
                let inverse = numpy.intersect(set).is_empty() && kinds.minus(numpy).within(set);
                if !direct && !inverse {
                    return None;
                }
                let mut any = build::boolean(false, Ty::PY_BOOL, span);
                for (kinds, tag) in parts {
                    let part = self.is_among(*kinds, tag, kinds.numpy(), span)?;
                    any = build::or(any, part);
                }
                Some(if direct { any } else { build::not(any) })
            }
            Tag::Select(cond, a, b) => {
                let a = self.is_among(a.0, &a.1, set, span)?;
                let b = self.is_among(b.0, &b.1, set, span)?;
                Some(build::select(build::var(*cond, Ty::PY_BOOL, span), a, b, Ty::PY_BOOL))
            }
        }
    }

    /// The local whose value at entry belongs to the web and has one of these types.
    fn entry_among(&self, web: WebId, set: Kinds) -> Option<LocalId> {
        let local = self.webs.entry.get(web).copied().flatten()?;
        let index = self.hir.locals.get(local)?.capture?;
        match self.captures.get(index as usize)? {
            Capture::Scalar { ty, .. } if !Kinds::of_ty(*ty).intersect(set).is_empty() => Some(local),
            _ => None,
        }
    }

    // ---- Reads ----------------------------------------------------------------------------------------------

    fn entry_read(&mut self, local: LocalId, span: Span) -> Option<Sv> {
        let index = self.hir.locals.get(local)?.capture?;
        let Capture::Scalar { ty, range } = self.captures.get(index as usize)? else { return None };
        let (ty, range) = (*ty, *range);
        let var = match self.entry_vars.get(&local) {
            Some(var) => *var,
            None => {
                let var = self.var(&self.hir.locals[local].name, ty);
                self.vars[var].live_in = Some(index);
                self.vars[var].range = range.filter(|_| ty.repr.is_int());
                self.entry_vars.insert(local, var);
                self.stable.insert(0, var);
                var
            }
        };
        let mut sv = Sv::new(build::var(var, ty, span), Kinds::of_ty(ty));
        if let Some((lo, hi)) = range {
            sv.range = (lo.into(), hi.into());
        }
        Some(with_wide(sv))
    }

    /// The value of a local.
    pub fn read(&mut self, read: Read, span: Span) -> R<Val> {
        let decl = &self.hir.locals[read.local];
        if let (true, Some(capture)) = (decl.swapped, decl.capture) {
            let array = self.slot(capture, span)?;
            return Ok(Val::View(View { capture, array, index: vec![], checked: vec![] }));
        }
        let web = self.webs.of_occ.get(read.occ).copied().flatten();
        let assigned_in_nest = web.is_some_and(|w| self.webs.defs.get(w).is_some_and(|d| !d.is_empty()));
        if self.at_entry && assigned_in_nest {
            // Only the value at entry can reach the bounds of the top loop.
            if let Some(sv) = self.entry_read(read.local, span) {
                return Ok(Val::Scalar(sv));
            }
        }
        let Some(web) = web else {
            // No assignment reaches this read: CPython raises here.
            self.emit_check(build::boolean(false, Ty::PY_BOOL, span));
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        if self.webs.unassigned.get(read.occ) == Some(&true) {
            let flag = self.flag_var(read.local);
            self.emit_check(build::var(flag, Ty::PY_BOOL, span));
        }
        let fact = self.facts.webs[web].clone();
        if let Some(ty) = fact.foreign {
            return Err(refuse(span, Refusal::Type { name: self.web_name(web), ty }));
        }
        if fact.view_conflict || (fact.view.is_some() && !fact.kinds.is_empty()) {
            return Err(self.type_changes(web, span));
        }
        let subst = self.substs.iter().rev().find(|(w, _)| *w == web).map(|(_, s)| s.clone());
        if let Some((capture, axes)) = fact.view {
            let stale = self.webs.stale.get(read.occ) == Some(&true);
            return self.read_view(web, capture, axes, subst, stale, span).map(Val::View);
        }
        if let Some(Subst::Scalar(sv)) = subst {
            return Ok(Val::Scalar(Sv { web: Some(web), ..sv }));
        }
        if fact.kinds.is_empty() {
            return Ok(Val::Scalar(Sv::bottom(span)));
        }
        self.facts.demand(web, |f| &mut f.needs_var);
        let var = self.web_var(web, span)?;
        let ty = self.vars[var].ty;
        let mut e = build::var(var, ty, span);
        if ty.prov == Prov::Py && fact.kinds.prov() != Prov::Py {
            // What is computed with it may warn.
            e = build::retype(e, fact.kinds.ty(ty.repr));
        }
        let mut sv = Sv::new(e, fact.kinds);
        sv.range = fact.bounds(ty.repr);
        sv.web = Some(web);
        if fact.kinds.len() > 1 {
            sv.tag = Tag::Web(web);
        }
        Ok(Val::Scalar(with_wide(sv)))
    }

    fn read_view(
        &mut self,
        web: WebId,
        capture: u32,
        axes: usize,
        subst: Option<Subst>,
        stale: bool,
        span: Span,
    ) -> R<View> {
        let swapped = self.hir.locals.iter().any(|l| l.swapped && l.capture == Some(capture));
        if stale && swapped {
            let what = format!("{} across a swap of arrays", self.web_name(web));
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        if let Some(Subst::View(view)) = subst {
            return Ok(view);
        }
        let array = self.slot(capture, span)?;
        if axes == 0 {
            return Ok(View { capture, array, index: vec![], checked: vec![] });
        }
        self.facts.demand(web, |f| &mut f.needs_var);
        let vars = self.web_view_vars(web, axes);
        let index = vars.iter().map(|v| build::var(*v, Ty::PY_INT, span)).collect();
        Ok(View { capture, array, index, checked: vec![true; axes] })
    }

    /// The hidden variables that hold a view web's subscripts.
    pub fn web_view_vars(&mut self, web: WebId, axes: usize) -> Vec<VarId> {
        if let Some(vars) = self.view_vars.get(&web) {
            return vars.clone();
        }
        let vars: Vec<VarId> = (0..axes).map(|_| self.hidden(Ty::PY_INT)).collect();
        self.view_vars.insert(web, vars.clone());
        vars
    }

    /// The slot of a captured array.
    pub fn slot(&mut self, capture: u32, span: Span) -> R<ArrayId> {
        if let Some(array) = self.slots.get(&capture) {
            return Ok(*array);
        }
        let local = self.hir.locals.iter().find(|l| l.capture == Some(capture));
        let name = local.map(|l| l.name.clone()).unwrap_or_default();
        let Some(Capture::Array { kind, storage, elem, rank, .. }) = self.captures.get(capture as usize) else {
            return Err(refuse(span, Refusal::Internal { message: format!("capture {capture} is no array") }));
        };
        if !(1..=8).contains(rank) {
            return Err(refuse(span, Refusal::RankTooLarge { name, rank: *rank }));
        }
        let unsigned = *kind != ArrayKind::Ndarray && *storage == Scalar::U64;
        if *storage == Scalar::C64 || unsigned {
            let ty = format!("{kind} of {storage}");
            return Err(refuse(span, Refusal::Type { name, ty }));
        }
        let (mut storage, mut elem) = (*storage, *elem);
        if self.facts.num_slots.contains(&capture) {
            (storage, elem) = (Scalar::Num, Ty::PY_NUM);
        }
        let decl = ArrayDecl { name, capture, kind: *kind, storage, elem, rank: *rank, read: false, written: false };
        let array = self.arrays.push(decl);
        self.slots.insert(capture, array);
        Ok(array)
    }

    // ---- Assignments ----------------------------------------------------------------------------------------

    /// Whether what the local holds in the end can be seen.
    pub fn observed(&self, def: Def) -> bool {
        let local = self.hir.locals.get(def.local);
        let last = self.webs.exit.get(def.local).is_some_and(|d| d.contains(&def.def));
        local.is_some_and(|l| l.place.is_some()) && last
    }

    /// Whether an assignment is its web's only one and the name had no value the web could also have.
    fn alone(&self, def: DefId, web: WebId) -> bool {
        self.webs.defs.get(web).is_some_and(|d| d.as_slice() == [def]) && self.webs.entry.get(web) == Some(&None)
    }

    /// Assigns a value to a local.
    pub fn assign(&mut self, def: Def, val: Val, span: Span) -> R<()> {
        let decl = &self.hir.locals[def.local];
        if decl.swapped {
            let what = format!("assigning {} besides swapping it", decl.name);
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let web = self.webs.of_def[def.def];
        match val {
            Val::Scalar(sv) => self.assign_scalar(def, web, sv, span)?,
            Val::View(view) => self.assign_view(def, web, view, span)?,
            Val::Str(text) if text.chars().count() == 1 => {
                let sv = super::convert::character(&text, span);
                self.assign_scalar(def, web, sv, span)?;
            }
            other => {
                let what = format!("{} assigned to {}", other.type_name(), decl.name);
                return Err(refuse(span, Refusal::ObjectIdentity { what }));
            }
        }
        if self.facts.flagged.contains(&def.local) {
            let flag = self.flag_var(def.local);
            self.emit_let(flag, build::boolean(true, Ty::PY_BOOL, span));
        }
        Ok(())
    }

    fn assign_scalar(&mut self, def: Def, web: WebId, sv: Sv, span: Span) -> R<()> {
        if sv.is_bottom() {
            // What is unknown still has its events.
            return Ok(());
        }
        let sv = self.commit(sv);
        let f32_exact = sv.as_float().is_some_and(|v| f64::from(v as f32) == v || v.is_nan()) || sv.as_int().is_some();
        self.facts.join(web, sv.kinds, sv.range, sv.repr() == Scalar::Num, f32_exact);
        self.facts.def(def.def, sv.kinds);
        if self.facts.webs[web].view.is_some() {
            return Err(self.type_changes(web, span));
        }
        let alone = self.alone(def.def, web);
        let observed = self.observed(def);
        let pure = self.is_stable(&sv.e, 3) && sv.repr() != Scalar::U64 && sv.kinds.len() == 1;
        if alone && pure {
            self.substs.push((web, Subst::Scalar(Sv { tag: Tag::Unknown, ..sv.clone() })));
        }
        if alone && pure && !observed && !self.facts.webs[web].needs_var && !self.facts.webs[web].tagged {
            // Every read stands where the substitution holds; events stay.
            if build::may_fire(&sv.e) {
                self.emit(StmtKind::Eval(sv.e), span);
            }
            return Ok(());
        }
        let var = self.web_var(web, span)?;
        // What is also kept as its own type is evaluated once, before the variable changes.
        let sv = if observed && self.has_side(def.local, web)? { self.spill_sv(sv) } else { sv };
        let value = self.store_form(&sv, web, span)?;
        self.emit_let(var, value);
        if alone {
            self.stable.push(var);
        }
        if self.facts.webs[web].tagged {
            let yes = self.tag_true(web);
            let tag = self.is_among(sv.kinds, &sv.tag, yes, span).ok_or_else(|| self.type_changes(web, span))?;
            let tag_var = self.tag_var(web);
            self.emit_let(tag_var, tag);
        }
        if observed {
            self.observe(def, web, &sv, span)?;
        }
        Ok(())
    }

    /// The value in the representation of the web's variable.
    pub fn store_form(&mut self, sv: &Sv, web: WebId, span: Span) -> R<Expr> {
        let repr = self.web_repr(web, span)?;
        self.exact_repr(sv, repr).ok_or_else(|| self.type_changes(web, span))
    }

    fn assign_view(&mut self, def: Def, web: WebId, view: View, span: Span) -> R<()> {
        let view = self.check_view(view);
        let shape = (view.capture, view.index.len());
        let fact = &mut self.facts.webs[web];
        match fact.view {
            None => {
                fact.view = Some(shape);
                self.facts.changed = true;
            }
            Some(before) if before == shape => {}
            Some(_) => {
                if !fact.view_conflict {
                    fact.view_conflict = true;
                    self.facts.changed = true;
                }
                // Without a read that could see both, two arrays under one name are no conflict; a web has one.
                return Err(self.type_changes(web, span));
            }
        }
        if !self.facts.webs[web].kinds.is_empty() {
            return Err(self.type_changes(web, span));
        }
        let observed = self.observed(def);
        let alone = self.alone(def.def, web);
        let stable = view.index.iter().all(|e| self.is_stable(e, 8));
        let needs_var = self.facts.webs[web].needs_var;
        let mut view = view;
        if !view.index.is_empty() && (observed || needs_var || !(alone && stable)) {
            let vars = self.web_view_vars(web, view.index.len());
            // A row's subscripts may be read from the very variables being assigned.
            let crossed = view.index.iter().skip(1).any(|e| vars.iter().any(|v| build::reads(e, *v)));
            if crossed {
                view.index = view.index.into_iter().map(|e| self.spill(e)).collect();
            }
            for (k, var) in vars.iter().enumerate() {
                let e = self.normal_index(&view, k);
                self.emit_let(*var, e);
                if alone {
                    self.stable.push(*var);
                }
            }
            if !(alone && stable) {
                view.index = vars.iter().map(|v| build::var(*v, Ty::PY_INT, span)).collect();
            }
        }
        if observed {
            self.observe_view(def, web, &view, span)?;
        }
        if alone {
            self.substs.push((web, Subst::View(view)));
        }
        Ok(())
    }

    /// Opens a block of an inlined call: its locals have no values.
    pub fn forget(&mut self, locals: &[LocalId], span: Span) {
        for local in locals {
            if self.facts.flagged.contains(local) {
                let flag = self.flag_var(*local);
                self.emit_let(flag, build::boolean(false, Ty::PY_BOOL, span));
            }
        }
    }

    /// The name of a target, for messages and loops.
    pub fn target_name(&self, target: &hir::Target) -> String {
        match target {
            hir::Target::Local(def) => self.hir.locals.get(def.local).map(|l| l.name.clone()).unwrap_or_default(),
            hir::Target::Subscript(..) => "an element".into(),
            hir::Target::Tuple(items) => {
                items.iter().map(|t| self.target_name(t)).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// The types for which a tag is true: NumPy's if there are both, else the floats.
fn second_group(kinds: Kinds) -> Kinds {
    let numpy = kinds.numpy();
    if !numpy.is_empty() && numpy != kinds { numpy } else { kinds.filter(|k| k.is_float() || k.is_complex()) }
}

/// A condition for "in `set`", given one for "in `yes`".
fn by_group(kinds: Kinds, yes: Kinds, set: Kinds, tag: Expr) -> Option<Expr> {
    let (t, f) = (kinds.intersect(yes), kinds.minus(yes));
    if t.within(set) && f.intersect(set).is_empty() {
        Some(tag)
    } else if f.within(set) && t.intersect(set).is_empty() {
        Some(build::not(tag))
    } else {
        None
    }
}

/// Whether a value of this type is held as itself in this representation.
pub(super) fn natural_in(kind: Kind, repr: Scalar) -> bool {
    match repr {
        Scalar::Num => matches!(kind, Kind::PyInt | Kind::PyFloat),
        Scalar::U64 if kind == Kind::PyInt => true,
        _ => kind.natural() == repr,
    }
}

/// A Python int of 64 unsigned bits is computed with in 128.
pub(super) fn with_wide(mut sv: Sv) -> Sv {
    if sv.repr() == Scalar::U64 && sv.kinds == Kinds::of(Kind::PyInt) {
        let e = build::cast(Cast::Value, sv.e.clone(), Ty::PY_WIDE, false);
        sv.wide = Some(Box::new(Wide { e, range: sv.range, exact: true }));
    }
    sv
}
