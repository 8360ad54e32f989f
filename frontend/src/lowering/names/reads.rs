//! The value of a local where it is read.

use nestwise_ir::{Prov, Span, Ty};

use crate::lowering::arrays::named_views;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Subst;
use crate::lowering::hir::{LocalId, Read};
use crate::lowering::lists::counted;
use crate::lowering::names::{slots, swaps};
use crate::lowering::types::kinds::Kinds;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::{none, provenance, variables};
use crate::lowering::value::scalar::{Sv, Tag};
use crate::lowering::value::tree::Node;
use crate::lowering::value::view::View;
use crate::lowering::value::{Val, section};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

fn entry_read(cx: &mut Lowering<'_>, local: LocalId, span: Span) -> Option<Sv> {
    let index = cx.env.hir.locals.get(local)?.capture?;
    let Capture::Scalar { ty, range } = cx.env.captures.get(index as usize)? else {
        return None;
    };
    let (ty, range) = (*ty, *range);
    let var = match cx.env.entry_vars.get(&local) {
        Some(var) => *var,
        None => {
            let var = cx.builder.var(&cx.env.hir.locals[local].name, ty);
            cx.builder.vars[var].live_in = Some(index);
            cx.builder.vars[var].range = range.filter(|_| ty.repr.is_int());
            cx.env.entry_vars.insert(local, var);
            cx.builder.fixed.insert(var);
            var
        }
    };
    let mut sv = Sv::new(build::var(var, ty, span), Kinds::of_ty(ty));
    if let Some((lo, hi)) = range {
        sv.range = (lo.into(), hi.into());
    }
    Some(sv.with_wide())
}

/// The value of a local at one of its reads.
pub(crate) fn read(cx: &mut Lowering<'_>, read: Read, span: Span) -> R<Val> {
    let decl = &cx.env.hir.locals[read.local];
    if let (true, Some(capture)) = (decl.swapped, decl.capture) {
        let array = slots::slot(cx, capture, span)?;
        return Ok(Val::View(View::all(capture, array)));
    }
    let live = cx.env.live_ranges.of_occ.get(read.occ).copied().flatten();
    let assigned_in_nest = live.is_some_and(|w| {
        cx.env
            .live_ranges
            .defs
            .get(w)
            .is_some_and(|d| !d.is_empty())
    });
    if cx.control.at_entry && assigned_in_nest {
        // Only the value at entry can reach the bounds of the top loop.
        if let Some(sv) = entry_read(cx, read.local, span) {
            return Ok(Val::Scalar(sv));
        }
    }
    let Some(live) = live else {
        // No assignment reaches this read: CPython raises here.
        cx.builder
            .emit_check(build::boolean(false, Ty::PY_BOOL, span));
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    if cx.env.live_ranges.unassigned.get(read.occ) == Some(&true) {
        let flag = provenance::flag_var(cx, read.local);
        cx.builder.emit_check(build::var(flag, Ty::PY_BOOL, span));
    }
    let fact = cx.env.facts.live_ranges[live].clone();
    if let Some(ty) = fact.foreign {
        return Err(refuse(
            span,
            Refusal::Type {
                name: cx.env.name_of(live),
                ty,
            },
        ));
    }
    let both = fact.view.is_some() && fact.part.is_some() && !fact.carries();
    if fact.view_conflict || both || (fact.holds_array() && !fact.kinds.is_empty()) {
        return Err(cx.env.type_changes(live, span));
    }
    let subst = cx
        .env
        .substs
        .iter()
        .rev()
        .find(|(w, _)| *w == live)
        .map(|(_, s)| s.clone());
    if let Some((capture, axes)) = fact.view.filter(|_| fact.part.is_none()) {
        let stale = cx.env.live_ranges.stale.get(read.occ) == Some(&true);
        return read_view(cx, live, capture, axes, subst, stale, span).map(Val::View);
    }
    if let Some(part) = &fact.part {
        let stale = cx.env.live_ranges.stale.get(read.occ) == Some(&true);
        let tree = named_views::read_part(cx, live, part, subst, stale, span)?;
        if let Node::Part(section) = &tree.node
            && cx.builder.arrays[section.array].list
        {
            if counted::is_counted(cx, live, part.source) {
                return Ok(counted::read(cx, live, part.source, section, span));
            }
            return Ok(Val::View(section::view_of_list(section)));
        }
        return Ok(Val::Array(Box::new(tree)));
    }
    if let Some(Subst::Scalar(sv)) = subst {
        return Ok(Val::Scalar(Sv {
            live: Some(live),
            ..sv
        }));
    }
    if none::may_be(cx, read.local) && cx.control.unguarded != Some(read.local) {
        let is_none = none::is_now(cx, read.local, span);
        cx.builder.emit_check(build::not(is_none));
    }
    if fact.kinds.is_empty() {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    cx.env.facts.demand(live, |f| &mut f.needs_var);
    let var = variables::variable(cx, live, span)?;
    let ty = cx.builder.vars[var].ty;
    let mut e = build::var(var, ty, span);
    if ty.prov == Prov::Py && fact.kinds.prov() != Prov::Py {
        // What is computed with it may warn.
        e = build::retype(e, fact.kinds.ty(ty.repr));
    }
    let mut sv = Sv::new(e, fact.kinds);
    sv.range = fact.bounds(ty.repr);
    sv.live = Some(live);
    if fact.kinds.len() > 1 {
        sv.tag = Tag::LiveRange(live);
    }
    Ok(Val::Scalar(sv.with_wide()))
}

fn read_view(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    capture: u32,
    axes: usize,
    subst: Option<Subst>,
    stale: bool,
    span: Span,
) -> R<View> {
    if stale && swaps::trades_places(&cx.env, capture) {
        let what = format!("{} across a swap of arrays", cx.env.name_of(live));
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    if let Some(Subst::View(view)) = subst {
        return Ok(view);
    }
    let array = slots::slot(cx, capture, span)?;
    if axes == 0 {
        return Ok(View::all(capture, array));
    }
    cx.env.facts.demand(live, |f| &mut f.needs_var);
    let vars = variables::view_variables(cx, live, axes);
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
