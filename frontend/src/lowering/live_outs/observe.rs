//! Assignments to names that can be observed after the nest: flags say which way of writing them back applies.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{Prov, Span, Ty, VarId};

use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::{Def, LocalId};
use crate::lowering::live_outs::state::{Facet, Form};
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::{Kind, Kinds, natural_in};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::{provenance, variables};
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// The ways in which a local may be written back, from what earlier rounds learnt.
pub(crate) fn facets(cx: &mut Lowering<'_>, local: LocalId) -> R<Vec<Facet>> {
    if let Some(facets) = cx.live_outs.facets.get(&local) {
        return Ok(facets.clone());
    }
    let mut facets: Vec<Facet> = Vec::new();
    let mut add = |live: LiveRangeId, form: Form| {
        if !facets.iter().any(|f| f.live == live && f.form == form) {
            facets.push(Facet {
                live,
                form,
                flag: None,
                var: None,
            });
        }
    };
    for def in cx
        .env
        .live_ranges
        .exit
        .get(local)
        .into_iter()
        .flatten()
        .filter(|d| **d < cx.env.hir.defs.len())
    {
        let Some(live) = cx.env.live_ranges.of_def.get(*def).copied() else {
            continue;
        };
        if cx.env.facts.none_defs.contains(def) {
            add(live, Form::None);
        }
        let fact = &cx.env.facts.live_ranges[live];
        if let Some((capture, _)) = fact.view.filter(|_| fact.part.is_none()) {
            match swap_group(&cx.env, capture) {
                None => add(
                    live,
                    Form::View {
                        capture,
                        swapped: None,
                    },
                ),
                Some(_) => {
                    add(
                        live,
                        Form::View {
                            capture,
                            swapped: Some(false),
                        },
                    );
                    add(
                        live,
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
            add(live, Form::Part);
            continue;
        }
        let Some(repr) = fact.repr() else { continue };
        for kind in cx.env.facts.def_kinds[*def].iter() {
            add(
                live,
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
            let name = cx.env.name_of(facet.live);
            facet.var = Some(cx.builder.var(&name, Kinds::of(kind).ty(kind.natural())));
        }
    }
    let entry = cx.control.stepwise
        || cx
            .env
            .live_ranges
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
pub(crate) fn swap_group(env: &Environment<'_>, capture: u32) -> Option<usize> {
    env.hir.swap_groups.iter().position(|group| {
        group
            .iter()
            .any(|l| env.hir.locals.get(*l).and_then(|l| l.capture) == Some(capture))
    })
}

/// Whether a value of these types may have to be written back from a variable of its own.
pub(crate) fn has_side(
    cx: &mut Lowering<'_>,
    local: LocalId,
    live: LiveRangeId,
    kinds: Kinds,
) -> R<bool> {
    let side = |f: &Facet| matches!(f.form, Form::Side(kind) if f.live == live && kinds.has(kind));
    Ok(facets(cx, local)?.iter().any(side))
}

/// Records at run time that a scalar was assigned to an observed local, or None by a condition.
pub(crate) fn observe(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    (sv, is_none): (&Sv, Option<&Expr>),
    span: Span,
) -> R<()> {
    let facets = facets(cx, def.local)?;
    let Some(repr) = cx.env.facts.live_ranges[live].repr() else {
        return Ok(());
    };
    let main = sv.kinds.filter(|k| natural_in(k, repr));
    if facets
        .iter()
        .any(|f| f.live == live && f.form == Form::Main)
    {
        let var = variables::variable(cx, live, span)?;
        if cx.builder.vars[var].ty.prov == Prov::Dyn {
            cx.env.facts.demand(live, |f| &mut f.tagged);
        }
    }
    let several = facets.len() > 1;
    for facet in facets.into_iter().filter(|_| several) {
        let among = match facet.form {
            _ if facet.live != live => Some(build::boolean(false, Ty::PY_BOOL, span)),
            Form::Main => provenance::is_among(cx, sv.kinds, &sv.tag, main, span),
            Form::Side(kind) => provenance::is_among(cx, sv.kinds, &sv.tag, Kinds::of(kind), span),
            Form::View { .. } | Form::Part => Some(build::boolean(false, Ty::PY_BOOL, span)),
            Form::None => {
                let never = build::boolean(false, Ty::PY_BOOL, span);
                Some(is_none.cloned().unwrap_or(never))
            }
        };
        let among = among.ok_or_else(|| cx.env.type_changes(live, span))?;
        if let (Form::Side(kind), Some(var), true) = (facet.form, facet.var, facet.live == live) {
            set_side(cx, var, kind, &among, sv, live, span)?;
        }
        let among = match is_none {
            Some(is_none) if facet.form != Form::None => {
                build::and(build::not(is_none.clone()), among)
            }
            _ => among,
        };
        if let Some(flag) = facet.flag {
            cx.builder.emit_let(flag, among);
        }
    }
    if !several {
        set_only_side(cx, def.local, live, sv, span)?;
    }
    Ok(())
}

/// Records at run time that None was assigned to an observed local.
pub(crate) fn observe_none(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    span: Span,
) -> R<()> {
    note_form(cx, def.local, (live, Form::None), span)
}

/// Sets the flags of a local's facets to the one that applies now, whatever the values are.
fn note_form(
    cx: &mut Lowering<'_>,
    local: LocalId,
    (live, form): (LiveRangeId, Form),
    span: Span,
) -> R<()> {
    let facets = facets(cx, local)?;
    let several = facets.len() > 1;
    for facet in facets.into_iter().filter(|_| several) {
        if let Some(flag) = facet.flag {
            let is = facet.live == live && facet.form == form;
            cx.builder
                .emit_let(flag, build::boolean(is, Ty::PY_BOOL, span));
        }
    }
    Ok(())
}

/// Sets the variable of an access path's only facet, which is not the live range's variable itself.
fn set_only_side(
    cx: &mut Lowering<'_>,
    local: LocalId,
    live: LiveRangeId,
    sv: &Sv,
    span: Span,
) -> R<()> {
    let side = facets(cx, local)?.into_iter().find_map(|f| match f.form {
        Form::Side(kind) if f.live == live => f.var.map(|v| (v, kind)),
        _ => None,
    });
    match side {
        Some((var, kind)) => {
            let always = build::boolean(true, Ty::PY_BOOL, span);
            set_side(cx, var, kind, &always, sv, live, span)
        }
        None => Ok(()),
    }
}

/// Sets the variable of a facet to the value in its own type, where `among` says that it is of that type.
fn set_side(
    cx: &mut Lowering<'_>,
    var: VarId,
    kind: Kind,
    among: &Expr,
    sv: &Sv,
    live: LiveRangeId,
    span: Span,
) -> R<()> {
    let never = build::constant_bool(among) == Some(false);
    if never {
        return Ok(());
    }
    let ty = cx.builder.vars[var].ty;
    let own = convert::own_form(sv, ty);
    let own = build::retype(own.ok_or_else(|| cx.env.type_changes(live, span))?, ty);
    let like = Sv::of(build::expr(own.kind.clone(), ty, span), kind);
    let value = build::select(among.clone(), own, convert::literal(&like, 0, span), ty);
    cx.builder.emit_let(var, value);
    Ok(())
}

/// Records at run time that a view was assigned to an observed local.
pub(crate) fn observe_view(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
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
            } if facet.live == live => {
                let parity = parity_of(cx, view.capture, span)?;
                let parity = build::var(parity, Ty::PY_BOOL, span);
                if swapped { parity } else { build::not(parity) }
            }
            _ => build::boolean(facet.live == live, Ty::PY_BOOL, span),
        };
        cx.builder.emit_let(flag, value);
    }
    Ok(())
}

/// Records at run time that a part of an array was assigned to an observed local.
pub(crate) fn observe_part(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    part: &Section,
    span: Span,
) -> R<()> {
    if swap_group(&cx.env, part.capture).is_some() && !cx.builder.arrays[part.array].kind.is_own() {
        let what = "a part of one of several arrays that change places, under a name".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    note_form(cx, def.local, (live, Form::Part), span)
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

/// Flips the parity of two arrays' slots after a swap, where it is wanted.
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
