//! The value of a local where it is read, and the slots of arrays.

use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, Prov, Scalar, Span, Ty, VarId};

use crate::lowering::arrays::elementwise::Node;
use crate::lowering::hir::{LocalId, Read};
use crate::lowering::lower::{Lower, Subst, with_wide};
use crate::lowering::types::kinds::Kinds;
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::value::{Sv, Tag, Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

impl Lower<'_> {
    fn entry_read(&mut self, local: LocalId, span: Span) -> Option<Sv> {
        let index = self.hir.locals.get(local)?.capture?;
        let Capture::Scalar { ty, range } = self.captures.get(index as usize)? else {
            return None;
        };
        let (ty, range) = (*ty, *range);
        let var = match self.entry_vars.get(&local) {
            Some(var) => *var,
            None => {
                let var = self.var(&self.hir.locals[local].name, ty);
                self.vars[var].live_in = Some(index);
                self.vars[var].range = range.filter(|_| ty.repr.is_int());
                self.entry_vars.insert(local, var);
                self.fixed.insert(var);
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
            return Ok(Val::View(View {
                capture,
                array,
                index: vec![],
                checked: vec![],
            }));
        }
        let web = self.webs.of_occ.get(read.occ).copied().flatten();
        let assigned_in_nest =
            web.is_some_and(|w| self.webs.defs.get(w).is_some_and(|d| !d.is_empty()));
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
            return Err(refuse(
                span,
                Refusal::Type {
                    name: self.web_name(web),
                    ty,
                },
            ));
        }
        let both = fact.view.is_some() && fact.part.is_some() && !fact.carries();
        if fact.view_conflict || both || (fact.holds_array() && !fact.kinds.is_empty()) {
            return Err(self.type_changes(web, span));
        }
        let subst = self
            .substs
            .iter()
            .rev()
            .find(|(w, _)| *w == web)
            .map(|(_, s)| s.clone());
        if let Some((capture, axes)) = fact.view.filter(|_| fact.part.is_none()) {
            let stale = self.webs.stale.get(read.occ) == Some(&true);
            return self
                .read_view(web, capture, axes, subst, stale, span)
                .map(Val::View);
        }
        if let Some(part) = &fact.part {
            let stale = self.webs.stale.get(read.occ) == Some(&true);
            let tree = self.read_part(web, part, subst, stale, span)?;
            if let Node::Part(section) = &tree.node
                && self.arrays[section.array].list
            {
                return Ok(Val::View(self.view_of_list(section)));
            }
            return Ok(Val::Array(Box::new(tree)));
        }
        if let Some(Subst::Scalar(sv)) = subst {
            return Ok(Val::Scalar(Sv {
                web: Some(web),
                ..sv
            }));
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
        if stale && self.trades_places(capture) {
            let what = format!("{} across a swap of arrays", self.web_name(web));
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        if let Some(Subst::View(view)) = subst {
            return Ok(view);
        }
        let array = self.slot(capture, span)?;
        if axes == 0 {
            return Ok(View {
                capture,
                array,
                index: vec![],
                checked: vec![],
            });
        }
        self.facts.demand(web, |f| &mut f.needs_var);
        let vars = self.web_view_vars(web, axes);
        let index = vars
            .iter()
            .map(|v| build::var(*v, Ty::PY_INT, span))
            .collect();
        Ok(View {
            capture,
            array,
            index,
            checked: vec![true; axes],
        })
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
        if let Some(Capture::Objects { .. }) = self.captures.get(capture as usize) {
            return Ok(self.objects(capture, name));
        }
        let Some(Capture::Array {
            kind,
            storage,
            elem,
            rank,
            ..
        }) = self.captures.get(capture as usize)
        else {
            return Err(refuse(
                span,
                Refusal::Internal {
                    message: format!("capture {capture} is no array"),
                },
            ));
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
        let decl = ArrayDecl {
            name,
            capture,
            kind: *kind,
            storage,
            elem,
            rank: *rank,
            read: false,
            written: false,
            like: vec![],
            starts: false,
            moved: false,
            attributes: false,
            list: false,
        };
        let array = self.arrays.push(decl);
        self.slots.insert(capture, array);
        Ok(array)
    }
}
