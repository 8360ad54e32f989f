//! What is written back: the variables behind the site's places, and the values of `return`.
//!
//! The last assignment of a place decides the type of what is written back. Where assignments of several types
//! may be the last (`s = 0` before an inner loop that adds floats and may run zero times), the place has several
//! *facets*: one live-out each, with a bool variable that says whether it is the one. Those variables, like all
//! flags, are false at entry.

use std::collections::{BTreeSet, HashMap};

use nestwise_ir::model::nest::{Expr, ExprKind, ReturnForm, Returns, Stmt, StmtKind};
use nestwise_ir::{
    Access, AccessId, Arena, ArrayId, LiveOut, LiveOutKind, Nest, PlaceId, Prov, Scalar, Span, Ty,
    VarId,
};

use crate::lowering::arrays::view::Section;
use crate::lowering::hir::{Def, LocalId};
use crate::lowering::lower::{Lower, natural_in};
use crate::lowering::types::facts::{self, WebFact};
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::value::{Sv, Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

/// One way in which a place may be written back.
#[derive(Clone, Debug)]
pub(crate) struct Facet {
    web: WebId,
    form: Form,
    /// True when this is how; `None`: the only way.
    flag: Option<VarId>,
    /// The variable of a [`Form::Side`].
    var: Option<VarId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The web's variable.
    Main,
    /// A variable of its own, for a type that the web's variable holds in another representation.
    Side(Kind),
    /// A view; of arrays that change places, by the object that the slot held.
    View { capture: u32, swapped: Option<bool> },
    /// A part of an array, or an array that is made.
    Part,
}

/// What is known of the live-outs in this round.
#[derive(Debug, Default)]
pub(crate) struct Outs {
    facets: HashMap<LocalId, Vec<Facet>>,
}

impl Lower<'_> {
    /// The ways in which a local may be written back, from what earlier rounds learnt.
    fn facets(&mut self, local: LocalId) -> R<Vec<Facet>> {
        if let Some(facets) = self.outs.facets.get(&local) {
            return Ok(facets.clone());
        }
        let mut facets: Vec<Facet> = Vec::new();
        let mut add = |web: WebId, form: Form| {
            if !facets.iter().any(|f| f.web == web && f.form == form) {
                facets.push(Facet {
                    web,
                    form,
                    flag: None,
                    var: None,
                });
            }
        };
        for def in self
            .webs
            .exit
            .get(local)
            .into_iter()
            .flatten()
            .filter(|d| **d < self.hir.defs.len())
        {
            let Some(web) = self.webs.of_def.get(*def).copied() else {
                continue;
            };
            let fact = &self.facts.webs[web];
            if let Some((capture, _)) = fact.view.filter(|_| fact.part.is_none()) {
                match self.swap_group(capture) {
                    None => add(
                        web,
                        Form::View {
                            capture,
                            swapped: None,
                        },
                    ),
                    Some(_) => {
                        add(
                            web,
                            Form::View {
                                capture,
                                swapped: Some(false),
                            },
                        );
                        add(
                            web,
                            Form::View {
                                capture,
                                swapped: Some(true),
                            },
                        );
                    }
                }
                continue;
            }
            if fact.part.is_some() {
                add(web, Form::Part);
                continue;
            }
            let Some(repr) = fact.repr() else { continue };
            for kind in self.facts.def_kinds[*def].iter() {
                add(
                    web,
                    if natural_in(kind, repr) {
                        Form::Main
                    } else {
                        Form::Side(kind)
                    },
                );
            }
        }
        let several = facets.len() > 1;
        for facet in &mut facets {
            if several {
                facet.flag = Some(self.hidden(Ty::PY_BOOL));
            }
            if let Form::Side(kind) = facet.form {
                let name = self.web_name(facet.web);
                facet.var = Some(self.var(&name, Kinds::of(kind).ty(kind.natural())));
            }
        }
        let entry = self.stepwise
            || self
                .webs
                .exit
                .get(local)
                .is_some_and(|d| d.contains(&self.hir.entry(local)));
        if !several
            && entry
            && let Some(facet) = facets.first_mut()
        {
            facet.flag = Some(self.flag_var(local));
        }
        self.outs.facets.insert(local, facets.clone());
        Ok(facets)
    }

    /// The swap group whose arrays include this capture's.
    fn swap_group(&self, capture: u32) -> Option<usize> {
        self.hir.swap_groups.iter().position(|group| {
            group
                .iter()
                .any(|l| self.hir.locals.get(*l).and_then(|l| l.capture) == Some(capture))
        })
    }

    /// Whether a value of these types may have to be written back from a variable of its own.
    pub fn has_side(&mut self, local: LocalId, web: WebId, kinds: Kinds) -> R<bool> {
        let side =
            |f: &Facet| matches!(f.form, Form::Side(kind) if f.web == web && kinds.has(kind));
        Ok(self.facets(local)?.iter().any(side))
    }

    /// Records at run time that a scalar was assigned to an observed local.
    pub fn observe(&mut self, def: Def, web: WebId, sv: &Sv, span: Span) -> R<()> {
        let facets = self.facets(def.local)?;
        let Some(repr) = self.facts.webs[web].repr() else {
            return Ok(());
        };
        let main = sv.kinds.filter(|k| natural_in(k, repr));
        if facets.iter().any(|f| f.web == web && f.form == Form::Main) {
            let var = self.web_var(web, span)?;
            if self.vars[var].ty.prov == Prov::Dyn {
                self.facts.demand(web, |f| &mut f.tagged);
            }
        }
        let several = facets.len() > 1;
        for facet in facets.into_iter().filter(|_| several) {
            let among = match facet.form {
                _ if facet.web != web => Some(build::boolean(false, Ty::PY_BOOL, span)),
                Form::Main => self.is_among(sv.kinds, &sv.tag, main, span),
                Form::Side(kind) => self.is_among(sv.kinds, &sv.tag, Kinds::of(kind), span),
                Form::View { .. } | Form::Part => Some(build::boolean(false, Ty::PY_BOOL, span)),
            };
            let among = among.ok_or_else(|| self.type_changes(web, span))?;
            if let (Form::Side(kind), Some(var), true) = (facet.form, facet.var, facet.web == web) {
                self.set_side(var, kind, &among, sv, web, span)?;
            }
            if let Some(flag) = facet.flag {
                self.emit_let(flag, among);
            }
        }
        if !several {
            self.set_only_side(def.local, web, sv, span)?;
        }
        Ok(())
    }

    /// A place with one facet that is not the web's variable itself.
    fn set_only_side(&mut self, local: LocalId, web: WebId, sv: &Sv, span: Span) -> R<()> {
        let side = self.facets(local)?.into_iter().find_map(|f| match f.form {
            Form::Side(kind) if f.web == web => f.var.map(|v| (v, kind)),
            _ => None,
        });
        match side {
            Some((var, kind)) => {
                let always = build::boolean(true, Ty::PY_BOOL, span);
                self.set_side(var, kind, &always, sv, web, span)
            }
            None => Ok(()),
        }
    }

    /// The value as its own type, where `among` says that it is of that type.
    fn set_side(
        &mut self,
        var: VarId,
        kind: Kind,
        among: &Expr,
        sv: &Sv,
        web: WebId,
        span: Span,
    ) -> R<()> {
        let never = crate::lowering::expr::constant_bool(among) == Some(false);
        if never {
            return Ok(());
        }
        let ty = self.vars[var].ty;
        let own = self.own_form(sv, ty);
        let own = build::retype(own.ok_or_else(|| self.type_changes(web, span))?, ty);
        let like = Sv::of(build::expr(own.kind.clone(), ty, span), kind);
        let value = build::select(among.clone(), own, self.literal(&like, 0, span), ty);
        self.emit_let(var, value);
        Ok(())
    }

    /// Records at run time that a view was assigned to an observed local.
    pub fn observe_view(&mut self, def: Def, web: WebId, view: &View, span: Span) -> R<()> {
        let facets = self.facets(def.local)?;
        let several = facets.len() > 1;
        for facet in facets {
            let Some(flag) = facet.flag.filter(|_| several) else {
                continue;
            };
            let value = match facet.form {
                Form::View {
                    swapped: Some(swapped),
                    ..
                } if facet.web == web => {
                    let parity = self.parity_of(view.capture, span)?;
                    let parity = build::var(parity, Ty::PY_BOOL, span);
                    if swapped { parity } else { build::not(parity) }
                }
                _ => build::boolean(facet.web == web, Ty::PY_BOOL, span),
            };
            self.emit_let(flag, value);
        }
        Ok(())
    }

    /// Records at run time that a part of an array was assigned to an observed local.
    pub fn observe_part(&mut self, def: Def, web: WebId, part: &Section, span: Span) -> R<()> {
        if self.swap_group(part.capture).is_some() && !self.arrays[part.array].kind.is_own() {
            let what = "a part of one of several arrays that change places, under a name".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let facets = self.facets(def.local)?;
        let several = facets.len() > 1;
        for facet in facets.into_iter().filter(|_| several) {
            if let Some(flag) = facet.flag {
                let is = facet.web == web && facet.form == Form::Part;
                self.emit_let(flag, build::boolean(is, Ty::PY_BOOL, span));
            }
        }
        Ok(())
    }

    /// The variable that each swap of a pair of arrays flips.
    fn parity_of(&mut self, capture: u32, span: Span) -> R<VarId> {
        let group = self.swap_group(capture);
        let pair = group.filter(|g| self.hir.swap_groups.get(*g).is_some_and(|g| g.len() == 2));
        let Some(group) = pair else {
            let what = "a row of one of several arrays that change places".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        };
        if self.facts.parity.insert(group) {
            self.facts.changed = true;
        }
        if let Some(var) = self.parity.get(&group) {
            return Ok(*var);
        }
        let var = self.hidden(Ty::PY_BOOL);
        self.parity.insert(group, var);
        Ok(var)
    }

    /// After a swap.
    pub fn flip_parity(&mut self, pairs: &[(LocalId, LocalId)], span: Span) {
        let capture = pairs
            .first()
            .and_then(|(l, _)| self.hir.locals.get(*l))
            .and_then(|l| l.capture);
        let Some(capture) = capture else { return };
        let wanted = self
            .swap_group(capture)
            .is_some_and(|g| self.facts.parity.contains(&g));
        if let (true, Ok(var)) = (wanted, self.parity_of(capture, span)) {
            self.emit_let(var, build::not(build::var(var, Ty::PY_BOOL, span)));
        }
    }

    /// Sets the variables of `return`.
    pub fn set_returns(&mut self, value: Val, span: Span) -> R<()> {
        let (none, tuple, values) = match value {
            Val::None => (true, false, vec![]),
            Val::Tuple(items) => (false, true, items),
            other => (false, false, vec![other]),
        };
        let wrong = || {
            refuse(
                span,
                Refusal::ReturnShape {
                    name: String::new(),
                },
            )
        };
        let mut scalars = Vec::new();
        for value in values {
            let Val::Scalar(sv) = value else {
                return Err(wrong());
            };
            scalars.push(self.commit(sv));
        }
        let (changed, round) = (&mut self.facts.changed, self.facts.round);
        let returns = self.facts.returns.get_or_insert_with(|| {
            *changed = true;
            facts::Returns {
                tuple,
                none,
                values: vec![WebFact::default(); scalars.len()],
            }
        });
        if (returns.tuple, returns.none, returns.values.len()) != (tuple, none, scalars.len()) {
            return Err(wrong());
        }
        for (fact, sv) in returns.values.iter_mut().zip(&scalars) {
            if !sv.is_bottom() {
                *changed |= fact.join(sv.kinds, sv.range, sv.repr() == Scalar::Num, true, round);
            }
        }
        let facts = returns.values.clone();
        if self.return_vars.is_empty() {
            for fact in &facts {
                let repr = fact.repr().ok_or_else(wrong)?;
                if !fact.kinds.every(|k| natural_in(k, repr)) && !fact.kinds.is_empty() {
                    return Err(wrong());
                }
                let ty = fact.kinds.ty(repr);
                let var = self.hidden(ty);
                let tag = (ty.prov == Prov::Dyn).then(|| self.hidden(Ty::PY_BOOL));
                self.vars[var].np_tag = tag;
                self.return_vars.push((var, tag));
            }
        }
        for ((var, tag), sv) in self.return_vars.clone().into_iter().zip(scalars) {
            if sv.is_bottom() {
                continue;
            }
            let repr = self.vars[var].ty.repr;
            let e = self.exact_repr(&sv, repr).ok_or_else(wrong)?;
            self.emit_let(var, e);
            if let Some(tag) = tag {
                let numpy = self
                    .is_among(sv.kinds, &sv.tag, sv.kinds.numpy(), span)
                    .ok_or_else(wrong)?;
                self.emit_let(tag, numpy);
            }
        }
        Ok(())
    }

    /// The typed nest of this round.
    pub fn finish(mut self) -> R<Nest> {
        if let Some((web, span)) = self.outside {
            return Err(self.type_changes(web, span));
        }
        let live_outs = self.live_outs()?;
        let mut block = self.blocks.pop().unwrap_or_default();
        let internal = |message: &str| {
            refuse(
                Span::default(),
                Refusal::Internal {
                    message: message.into(),
                },
            )
        };
        let mut top = block.pop().ok_or_else(|| internal("no top loop"))?;
        let accesses = standing(&mut top, &self.accesses);
        for stmt in &block {
            let plain = matches!(&stmt.kind, StmtKind::Let { value, .. } if !build::loads(value));
            if !plain {
                let what = "what the bounds of this loop need".into();
                return Err(refuse(stmt.span, Refusal::Unsupported { what }));
            }
        }
        let returns = self.facts.returns.as_ref().map(|r| Returns {
            vars: self.return_vars.iter().map(|(v, _)| *v).collect(),
            form: match (r.none, r.tuple) {
                (true, _) => ReturnForm::None,
                (false, true) => ReturnForm::Tuple,
                (false, false) => ReturnForm::Scalar,
            },
        });
        let preconditions = self.preconditions();
        let mut nest = Nest {
            arrays: self.arrays,
            vars: self.vars,
            loops: self.loops,
            accesses,
            scopes: self.scopes.len() as u32,
            prologue: block,
            top,
            live_outs,
            returns,
            preconditions,
            lengths: self.facts.lengths.borrow().clone(),
            whole: None,
            interruptible: Vec::new(),
            work: self.meter.finish(),
        };
        crate::lowering::control::joint_updates::together(&mut nest);
        crate::lowering::objects::records::refuse_looking_inside(&nest)?;
        Ok(nest)
    }

    fn live_outs(&mut self) -> R<Vec<LiveOut>> {
        let mut outs = Vec::new();
        for local in 0..self.hir.locals.len() {
            let decl = &self.hir.locals[local];
            let Some(place) = decl.place else { continue };
            match decl.element {
                Some(0) => {
                    outs.extend(self.tuple_out(place)?);
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            if decl.swapped {
                if let Some(array) = decl.capture.and_then(|c| self.slots.get(&c)) {
                    outs.push(LiveOut {
                        place,
                        kind: LiveOutKind::Slot(*array),
                        assigned: None,
                    });
                }
                continue;
            }
            for facet in self.facets(local)? {
                let kind = match facet.form {
                    Form::Main | Form::Side(_) => match self.facet_var(&facet)? {
                        Some(var) => LiveOutKind::Var(var),
                        None => continue,
                    },
                    Form::Part => match self.part_out(facet.web, Span::default())? {
                        Some(kind) => kind,
                        None => continue,
                    },
                    Form::View { capture, swapped } => {
                        let axes = self.facts.webs[facet.web].view.map_or(0, |(_, axes)| axes);
                        let index = if axes == 0 {
                            vec![]
                        } else {
                            self.web_view_vars(facet.web, axes)
                        };
                        let array = self.view_object(capture, swapped)?;
                        LiveOutKind::View(array, index)
                    }
                };
                outs.push(LiveOut {
                    place,
                    kind,
                    assigned: facet.flag,
                });
            }
        }
        outs.extend(self.appended_outs());
        Ok(outs)
    }

    /// The variable of a facet that is a scalar.
    fn facet_var(&mut self, facet: &Facet) -> R<Option<VarId>> {
        if facet.form != Form::Main {
            return Ok(facet.var);
        }
        let var = self.web_var(facet.web, Span::default())?;
        if self.vars[var].ty.prov == Prov::Dyn {
            let tag = self.tag_var(facet.web);
            self.vars[var].np_tag = Some(tag);
        }
        Ok(Some(var))
    }

    /// The tuple that a place holds, from its elements; `None` where it is never assigned.
    fn tuple_out(&mut self, place: PlaceId) -> R<Option<LiveOut>> {
        let locals = 0..self.hir.locals.len();
        let elements: Vec<LocalId> = locals
            .filter(|l| self.hir.locals[*l].place == Some(place))
            .collect();
        let (mut vars, mut assigned) = (vec![], None);
        for local in elements {
            let facets = self.facets(local)?;
            let [facet] = facets.as_slice() else {
                // All elements are assigned together, so one that has no type yet stands for all.
                let Some(facet) = facets.first() else {
                    return Ok(None);
                };
                return Err(self.type_changes(facet.web, Span::default()));
            };
            let Some(var) = self.facet_var(facet)? else {
                return Err(self.type_changes(facet.web, Span::default()));
            };
            vars.push(var);
            assigned = assigned.or(facet.flag);
        }
        Ok(Some(LiveOut {
            place,
            kind: LiveOutKind::Tuple(vars),
            assigned,
        }))
    }

    /// The slot whose entry array a view is of.
    fn view_object(&mut self, capture: u32, swapped: Option<bool>) -> R<ArrayId> {
        if swapped != Some(true) {
            return self.slot(capture, Span::default());
        }
        let group = self
            .swap_group(capture)
            .and_then(|g| self.hir.swap_groups.get(g));
        let captures: BTreeSet<u32> = group
            .into_iter()
            .flatten()
            .filter_map(|l| self.hir.locals.get(*l))
            .filter_map(|l| l.capture)
            .collect();
        let other = captures
            .into_iter()
            .find(|c| *c != capture)
            .unwrap_or(capture);
        self.slot(other, Span::default())
    }
}

/// Numbers the accesses that stand in the nest. Those of expressions behind a certain event were never placed.
fn standing(top: &mut Stmt, all: &Arena<AccessId, Access>) -> Arena<AccessId, Access> {
    let mut kept = Arena::new();
    renumber_stmt(top, all, &mut kept);
    kept
}

fn renumber_stmt(
    stmt: &mut Stmt,
    all: &Arena<AccessId, Access>,
    kept: &mut Arena<AccessId, Access>,
) {
    for e in stmt.exprs_mut() {
        renumber_expr(e, all, kept);
    }
    if let StmtKind::Store { access, .. } = &mut stmt.kind {
        renumber(access, all, kept);
    }
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|s| renumber_stmt(s, all, kept));
    }
}

fn renumber_expr(e: &mut Expr, all: &Arena<AccessId, Access>, kept: &mut Arena<AccessId, Access>) {
    for child in e.children_mut() {
        renumber_expr(child, all, kept);
    }
    if let ExprKind::Load { access, .. } = &mut e.kind {
        renumber(access, all, kept);
    }
}

fn renumber(
    access: &mut AccessId,
    all: &Arena<AccessId, Access>,
    kept: &mut Arena<AccessId, Access>,
) {
    if let Some(entry) = all.get(*access) {
        *access = kept.push(entry.clone());
    }
}
