//! What is written back: the variables behind the site's places, and the values of `return`.
//!
//! The last assignment of a place decides the type of what is written back. Where assignments of several types
//! may be the last (`s = 0` before an inner loop that adds floats and may run zero times), the place has several
//! *facets*: one live-out each, with a bool variable that says whether it is the one. Those variables, like all
//! flags, are false at entry.

pub(crate) mod state;

use std::collections::BTreeSet;

use nestwise_ir::model::nest::{Expr, ExprKind, ReturnForm, Returns, Stmt, StmtKind};
use nestwise_ir::{
    Access, AccessId, Arena, ArrayId, LiveOut, LiveOutKind, Nest, PlaceId, Prov, Scalar, Span, Ty,
    VarId,
};

use crate::lowering::arrays::named_views;
use crate::lowering::arrays::view::Section;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::{Def, LocalId};
use crate::lowering::lists::append;
use crate::lowering::live_outs::state::{Facet, Form};
use crate::lowering::names::reads;
use crate::lowering::names::swaps;
use crate::lowering::scalar::compare;
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::{self, WebFact};
use crate::lowering::types::kinds::natural_in;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::types::provenance;
use crate::lowering::types::variables;
use crate::lowering::value::{Sv, Val, View};
use crate::refusal::R;
use crate::refusal::Refusal;
use crate::refusal::refuse;

/// The ways in which a local may be written back, from what earlier rounds learnt.
fn facets(cx: &mut Lowering<'_>, local: LocalId) -> R<Vec<Facet>> {
    if let Some(facets) = cx.live_outs.facets.get(&local) {
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
    for def in cx
        .env
        .webs
        .exit
        .get(local)
        .into_iter()
        .flatten()
        .filter(|d| **d < cx.env.hir.defs.len())
    {
        let Some(web) = cx.env.webs.of_def.get(*def).copied() else {
            continue;
        };
        let fact = &cx.env.facts.webs[web];
        if let Some((capture, _)) = fact.view.filter(|_| fact.part.is_none()) {
            match swap_group(&cx.env, capture) {
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
        for kind in cx.env.facts.def_kinds[*def].iter() {
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
            facet.flag = Some(cx.builder.hidden(Ty::PY_BOOL));
        }
        if let Form::Side(kind) = facet.form {
            let name = cx.env.web_name(facet.web);
            facet.var = Some(cx.builder.var(&name, Kinds::of(kind).ty(kind.natural())));
        }
    }
    let entry = cx.control.stepwise
        || cx
            .env
            .webs
            .exit
            .get(local)
            .is_some_and(|d| d.contains(&cx.env.hir.entry(local)));
    if !several
        && entry
        && let Some(facet) = facets.first_mut()
    {
        facet.flag = Some(provenance::flag_var(cx, local));
    }
    cx.live_outs.facets.insert(local, facets.clone());
    Ok(facets)
}

/// The swap group whose arrays include this capture's.
fn swap_group(env: &Environment<'_>, capture: u32) -> Option<usize> {
    env.hir.swap_groups.iter().position(|group| {
        group
            .iter()
            .any(|l| env.hir.locals.get(*l).and_then(|l| l.capture) == Some(capture))
    })
}

/// Whether a value of these types may have to be written back from a variable of its own.
pub(crate) fn has_side(cx: &mut Lowering<'_>, local: LocalId, web: WebId, kinds: Kinds) -> R<bool> {
    let side = |f: &Facet| matches!(f.form, Form::Side(kind) if f.web == web && kinds.has(kind));
    Ok(facets(cx, local)?.iter().any(side))
}

/// Records at run time that a scalar was assigned to an observed local.
pub(crate) fn observe(cx: &mut Lowering<'_>, def: Def, web: WebId, sv: &Sv, span: Span) -> R<()> {
    let facets = facets(cx, def.local)?;
    let Some(repr) = cx.env.facts.webs[web].repr() else {
        return Ok(());
    };
    let main = sv.kinds.filter(|k| natural_in(k, repr));
    if facets.iter().any(|f| f.web == web && f.form == Form::Main) {
        let var = variables::web_var(cx, web, span)?;
        if cx.builder.vars[var].ty.prov == Prov::Dyn {
            cx.env.facts.demand(web, |f| &mut f.tagged);
        }
    }
    let several = facets.len() > 1;
    for facet in facets.into_iter().filter(|_| several) {
        let among = match facet.form {
            _ if facet.web != web => Some(build::boolean(false, Ty::PY_BOOL, span)),
            Form::Main => provenance::is_among(cx, sv.kinds, &sv.tag, main, span),
            Form::Side(kind) => provenance::is_among(cx, sv.kinds, &sv.tag, Kinds::of(kind), span),
            Form::View { .. } | Form::Part => Some(build::boolean(false, Ty::PY_BOOL, span)),
        };
        let among = among.ok_or_else(|| cx.env.type_changes(web, span))?;
        if let (Form::Side(kind), Some(var), true) = (facet.form, facet.var, facet.web == web) {
            set_side(cx, var, kind, &among, sv, web, span)?;
        }
        if let Some(flag) = facet.flag {
            cx.builder.emit_let(flag, among);
        }
    }
    if !several {
        set_only_side(cx, def.local, web, sv, span)?;
    }
    Ok(())
}

/// A place with one facet that is not the web's variable itself.
fn set_only_side(cx: &mut Lowering<'_>, local: LocalId, web: WebId, sv: &Sv, span: Span) -> R<()> {
    let side = facets(cx, local)?.into_iter().find_map(|f| match f.form {
        Form::Side(kind) if f.web == web => f.var.map(|v| (v, kind)),
        _ => None,
    });
    match side {
        Some((var, kind)) => {
            let always = build::boolean(true, Ty::PY_BOOL, span);
            set_side(cx, var, kind, &always, sv, web, span)
        }
        None => Ok(()),
    }
}

/// The value as its own type, where `among` says that it is of that type.
fn set_side(
    cx: &mut Lowering<'_>,
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
    let ty = cx.builder.vars[var].ty;
    let own = convert::own_form(sv, ty);
    let own = build::retype(own.ok_or_else(|| cx.env.type_changes(web, span))?, ty);
    let like = Sv::of(build::expr(own.kind.clone(), ty, span), kind);
    let value = build::select(among.clone(), own, compare::literal(&like, 0, span), ty);
    cx.builder.emit_let(var, value);
    Ok(())
}

/// Records at run time that a view was assigned to an observed local.
pub(crate) fn observe_view(
    cx: &mut Lowering<'_>,
    def: Def,
    web: WebId,
    view: &View,
    span: Span,
) -> R<()> {
    let facets = facets(cx, def.local)?;
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
                let parity = parity_of(cx, view.capture, span)?;
                let parity = build::var(parity, Ty::PY_BOOL, span);
                if swapped { parity } else { build::not(parity) }
            }
            _ => build::boolean(facet.web == web, Ty::PY_BOOL, span),
        };
        cx.builder.emit_let(flag, value);
    }
    Ok(())
}

/// Records at run time that a part of an array was assigned to an observed local.
pub(crate) fn observe_part(
    cx: &mut Lowering<'_>,
    def: Def,
    web: WebId,
    part: &Section,
    span: Span,
) -> R<()> {
    if swap_group(&cx.env, part.capture).is_some() && !cx.builder.arrays[part.array].kind.is_own() {
        let what = "a part of one of several arrays that change places, under a name".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let facets = facets(cx, def.local)?;
    let several = facets.len() > 1;
    for facet in facets.into_iter().filter(|_| several) {
        if let Some(flag) = facet.flag {
            let is = facet.web == web && facet.form == Form::Part;
            cx.builder
                .emit_let(flag, build::boolean(is, Ty::PY_BOOL, span));
        }
    }
    Ok(())
}

/// The variable that each swap of a pair of arrays flips.
fn parity_of(cx: &mut Lowering<'_>, capture: u32, span: Span) -> R<VarId> {
    let group = swap_group(&cx.env, capture);
    let pair = group.filter(|g| cx.env.hir.swap_groups.get(*g).is_some_and(|g| g.len() == 2));
    let Some(group) = pair else {
        let what = "a row of one of several arrays that change places".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    };
    if cx.env.facts.parity.insert(group) {
        cx.env.facts.changed = true;
    }
    if let Some(var) = cx.live_outs.parity.get(&group) {
        return Ok(*var);
    }
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.live_outs.parity.insert(group, var);
    Ok(var)
}

/// After a swap.
pub(crate) fn flip_parity(cx: &mut Lowering<'_>, pairs: &[(LocalId, LocalId)], span: Span) {
    let capture = pairs
        .first()
        .and_then(|(l, _)| cx.env.hir.locals.get(*l))
        .and_then(|l| l.capture);
    let Some(capture) = capture else { return };
    let wanted = swap_group(&cx.env, capture).is_some_and(|g| cx.env.facts.parity.contains(&g));
    if let (true, Ok(var)) = (wanted, parity_of(cx, capture, span)) {
        cx.builder
            .emit_let(var, build::not(build::var(var, Ty::PY_BOOL, span)));
    }
}

/// Sets the variables of `return`.
pub(crate) fn set_returns(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<()> {
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
        scalars.push(convert::commit(sv));
    }
    let (changed, round) = (&mut cx.env.facts.changed, cx.env.facts.round);
    let returns = cx.env.facts.returns.get_or_insert_with(|| {
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
    if cx.live_outs.returns.is_empty() {
        for fact in &facts {
            let repr = fact.repr().ok_or_else(wrong)?;
            if !fact.kinds.every(|k| natural_in(k, repr)) && !fact.kinds.is_empty() {
                return Err(wrong());
            }
            let ty = fact.kinds.ty(repr);
            let var = cx.builder.hidden(ty);
            let tag = (ty.prov == Prov::Dyn).then(|| cx.builder.hidden(Ty::PY_BOOL));
            cx.builder.vars[var].np_tag = tag;
            cx.live_outs.returns.push((var, tag));
        }
    }
    for ((var, tag), sv) in cx.live_outs.returns.clone().into_iter().zip(scalars) {
        if sv.is_bottom() {
            continue;
        }
        let repr = cx.builder.vars[var].ty.repr;
        let e = convert::exact_repr(&sv, repr).ok_or_else(wrong)?;
        cx.builder.emit_let(var, e);
        if let Some(tag) = tag {
            let numpy = provenance::is_among(cx, sv.kinds, &sv.tag, sv.kinds.numpy(), span)
                .ok_or_else(wrong)?;
            cx.builder.emit_let(tag, numpy);
        }
    }
    Ok(())
}

/// The typed nest of this round.
pub(crate) fn finish(mut cx: Lowering<'_>) -> R<Nest> {
    if let Some((web, span)) = cx.memory.outside {
        return Err(cx.env.type_changes(web, span));
    }
    let live_outs = live_outs(&mut cx)?;
    let mut block = cx.builder.blocks.pop().unwrap_or_default();
    let internal = |message: &str| {
        refuse(
            Span::default(),
            Refusal::Internal {
                message: message.into(),
            },
        )
    };
    let mut top = block.pop().ok_or_else(|| internal("no top loop"))?;
    let accesses = standing(&mut top, &cx.builder.accesses);
    for stmt in &block {
        let plain = matches!(&stmt.kind, StmtKind::Let { value, .. } if !build::loads(value));
        if !plain {
            let what = "what the bounds of this loop need".into();
            return Err(refuse(stmt.span, Refusal::Unsupported { what }));
        }
    }
    let returns = cx.env.facts.returns.as_ref().map(|r| Returns {
        vars: cx.live_outs.returns.iter().map(|(v, _)| *v).collect(),
        form: match (r.none, r.tuple) {
            (true, _) => ReturnForm::None,
            (false, true) => ReturnForm::Tuple,
            (false, false) => ReturnForm::Scalar,
        },
    });
    let preconditions = swaps::preconditions(&cx);
    let mut nest = Nest {
        arrays: cx.builder.arrays,
        vars: cx.builder.vars,
        loops: cx.builder.loops,
        accesses,
        scopes: cx.builder.scopes.len() as u32,
        prologue: block,
        top,
        live_outs,
        returns,
        preconditions,
        lengths: cx.env.facts.lengths.borrow().clone(),
        whole: None,
        interruptible: Vec::new(),
        work: cx.builder.meter.finish(),
    };
    crate::lowering::control::joint_updates::together(&mut nest);
    crate::lowering::objects::records::refuse_looking_inside(&nest)?;
    Ok(nest)
}

fn live_outs(cx: &mut Lowering<'_>) -> R<Vec<LiveOut>> {
    let mut outs = Vec::new();
    for local in 0..cx.env.hir.locals.len() {
        let decl = &cx.env.hir.locals[local];
        let Some(place) = decl.place else { continue };
        match decl.element {
            Some(0) => {
                outs.extend(tuple_out(cx, place)?);
                continue;
            }
            Some(_) => continue,
            None => {}
        }
        if decl.swapped {
            if let Some(array) = decl.capture.and_then(|c| cx.env.slots.get(&c)) {
                outs.push(LiveOut {
                    place,
                    kind: LiveOutKind::Slot(*array),
                    assigned: None,
                });
            }
            continue;
        }
        for facet in facets(cx, local)? {
            let kind = match facet.form {
                Form::Main | Form::Side(_) => match facet_var(cx, &facet)? {
                    Some(var) => LiveOutKind::Var(var),
                    None => continue,
                },
                Form::Part => match named_views::part_out(cx, facet.web, Span::default())? {
                    Some(kind) => kind,
                    None => continue,
                },
                Form::View { capture, swapped } => {
                    let axes = cx.env.facts.webs[facet.web]
                        .view
                        .map_or(0, |(_, axes)| axes);
                    let index = if axes == 0 {
                        vec![]
                    } else {
                        variables::web_view_vars(cx, facet.web, axes)
                    };
                    let array = view_object(cx, capture, swapped)?;
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
    outs.extend(append::appended_outs(cx));
    Ok(outs)
}

/// The variable of a facet that is a scalar.
fn facet_var(cx: &mut Lowering<'_>, facet: &Facet) -> R<Option<VarId>> {
    if facet.form != Form::Main {
        return Ok(facet.var);
    }
    let var = variables::web_var(cx, facet.web, Span::default())?;
    if cx.builder.vars[var].ty.prov == Prov::Dyn {
        let tag = provenance::tag_var(cx, facet.web);
        cx.builder.vars[var].np_tag = Some(tag);
    }
    Ok(Some(var))
}

/// The tuple that a place holds, from its elements; `None` where it is never assigned.
fn tuple_out(cx: &mut Lowering<'_>, place: PlaceId) -> R<Option<LiveOut>> {
    let locals = 0..cx.env.hir.locals.len();
    let elements: Vec<LocalId> = locals
        .filter(|l| cx.env.hir.locals[*l].place == Some(place))
        .collect();
    let (mut vars, mut assigned) = (vec![], None);
    for local in elements {
        let facets = facets(cx, local)?;
        let [facet] = facets.as_slice() else {
            // All elements are assigned together, so one that has no type yet stands for all.
            let Some(facet) = facets.first() else {
                return Ok(None);
            };
            return Err(cx.env.type_changes(facet.web, Span::default()));
        };
        let Some(var) = facet_var(cx, facet)? else {
            return Err(cx.env.type_changes(facet.web, Span::default()));
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
fn view_object(cx: &mut Lowering<'_>, capture: u32, swapped: Option<bool>) -> R<ArrayId> {
    if swapped != Some(true) {
        return reads::slot(cx, capture, Span::default());
    }
    let group = swap_group(&cx.env, capture).and_then(|g| cx.env.hir.swap_groups.get(g));
    let captures: BTreeSet<u32> = group
        .into_iter()
        .flatten()
        .filter_map(|l| cx.env.hir.locals.get(*l))
        .filter_map(|l| l.capture)
        .collect();
    let other = captures
        .into_iter()
        .find(|c| *c != capture)
        .unwrap_or(capture);
    reads::slot(cx, other, Span::default())
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
