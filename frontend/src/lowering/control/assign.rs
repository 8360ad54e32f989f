//! Assignments of locals.

use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::{Scalar, Span, Ty};

use crate::lowering::hir::{self, Def, DefId, LocalId};
use crate::lowering::lower::{Lower, Subst};
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::value::{Sv, Tag, Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

impl Lower<'_> {
    /// Whether what the local holds in the end can be seen.
    pub fn observed(&self, def: Def) -> bool {
        let local = self.hir.locals.get(def.local);
        let last = self
            .webs
            .exit
            .get(def.local)
            .is_some_and(|d| d.contains(&def.def));
        local.is_some_and(|l| l.place.is_some()) && last
    }

    /// Whether an assignment is its web's only one and the name had no value the web could also have.
    pub fn alone(&self, def: DefId, web: WebId) -> bool {
        self.webs
            .defs
            .get(web)
            .is_some_and(|d| d.as_slice() == [def])
            && self.webs.entry.get(web) == Some(&None)
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
            Val::View(view) if self.arrays[view.array].list => {
                let tree = self.list_as_part(view, span);
                self.assign_array(def, web, tree, span)?;
            }
            Val::View(view) => self.assign_view(def, web, view, span)?,
            Val::List(list) => self.assign_list(def, web, *list, span)?,
            Val::Array(tree) => self.assign_array(def, web, *tree, span)?,
            Val::Str(text) if text.chars().count() == 1 => {
                let sv = crate::lowering::scalar::convert::character(&text, span);
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
        let f32_exact = sv
            .as_float()
            .is_some_and(|v| f64::from(v as f32) == v || v.is_nan())
            || sv.as_int().is_some();
        self.facts
            .join(web, sv.kinds, sv.range, sv.repr() == Scalar::Num, f32_exact);
        self.facts.def(def.def, sv.kinds);
        if self.facts.webs[web].holds_array() {
            return Err(self.type_changes(web, span));
        }
        let alone = self.alone(def.def, web);
        let observed = self.observed(def);
        let pure = self.is_stable(&sv.e, 3) && sv.repr() != Scalar::U64 && sv.kinds.len() == 1;
        if alone && pure {
            self.substs.push((
                web,
                Subst::Scalar(Sv {
                    tag: Tag::Unknown,
                    ..sv.clone()
                }),
            ));
        }
        if alone
            && pure
            && !observed
            && !self.facts.webs[web].needs_var
            && !self.facts.webs[web].tagged
        {
            // Every read stands where the substitution holds; events stay.
            if build::may_fire(&sv.e) {
                self.emit(StmtKind::Eval(sv.e), span);
            }
            return Ok(());
        }
        let var = self.web_var(web, span)?;
        // What is also kept as its own type is evaluated once, before the variable changes.
        let sv = if observed && self.has_side(def.local, web, sv.kinds)? {
            self.spill_sv(sv)
        } else {
            sv
        };
        let value = self.store_form(&sv, web, span)?;
        self.emit_let(var, value);
        if alone {
            self.stable.push(var);
        }
        if self.facts.webs[web].tagged {
            let yes = self.tag_true(web);
            let tag = self
                .is_among(sv.kinds, &sv.tag, yes, span)
                .ok_or_else(|| self.type_changes(web, span))?;
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
        self.exact_repr(sv, repr)
            .ok_or_else(|| self.type_changes(web, span))
    }

    fn assign_view(&mut self, def: Def, web: WebId, view: View, span: Span) -> R<()> {
        let view = self.check_view(view);
        let shape = (view.capture, view.index.len());
        if self.may_become_made(web, &view) {
            return self.assign_from_outside(def, web, view, span);
        }
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
        if !self.facts.webs[web].kinds.is_empty() || self.facts.webs[web].part.is_some() {
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
            let crossed = view
                .index
                .iter()
                .skip(1)
                .any(|e| vars.iter().any(|v| build::reads(e, *v)));
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
                view.index = vars
                    .iter()
                    .map(|v| build::var(*v, Ty::PY_INT, span))
                    .collect();
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
            hir::Target::Local(def) => self
                .hir
                .locals
                .get(def.local)
                .map(|l| l.name.clone())
                .unwrap_or_default(),
            hir::Target::Subscript(..) => "an element".into(),
            hir::Target::Attr(_, name) => name.clone(),
            hir::Target::Tuple(items) => items
                .iter()
                .map(|t| self.target_name(t))
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}
