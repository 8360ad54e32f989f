//! The knowledge of types that is kept at run time: tags and flags, all of them bool variables that are false at entry.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{Span, Ty, VarId};

use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::LocalId;
use crate::lowering::types::kinds::Kinds;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::site::captures::Capture;

/// Makes a tag that keeps what it says now, since the variables that it depends on may be assigned before it is used.
pub(crate) fn snapshot(cx: &mut Lowering<'_>, sv: &Sv) -> Tag {
    if sv.kinds.len() < 2 || !cx.env.want_tag || matches!(sv.tag, Tag::Unknown | Tag::Var(..)) {
        return sv.tag.clone();
    }
    let yes = second_group(sv.kinds);
    let Some(among) = is_among(cx, sv.kinds, &sv.tag, yes, sv.span()) else {
        return Tag::Unknown;
    };
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.builder.emit_let(var, among);
    cx.builder.stable.push(var);
    Tag::Var(var, yes)
}

/// The bool variable that is true when the live range's value is of the second of its two groups of types
/// ([`tag_true`]).
pub(crate) fn tag_var(cx: &mut Lowering<'_>, live: LiveRangeId) -> VarId {
    cx.env.facts.demand(live, |f| &mut f.tagged);
    if let Some(var) = cx.env.tag_vars.get(&live) {
        return *var;
    }
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.env.tag_vars.insert(live, var);
    var
}

/// The types for which a live range's tag is true: NumPy's if there are both, else the floats.
pub(crate) fn tag_true(env: &Environment<'_>, live: LiveRangeId) -> Kinds {
    second_group(
        env.facts
            .live_ranges
            .get(live)
            .map(|f| f.kinds)
            .unwrap_or_default(),
    )
}

/// The bool variable that is true once the local has been assigned.
pub(crate) fn flag_var(cx: &mut Lowering<'_>, local: LocalId) -> VarId {
    cx.env.facts.flag_local(local);
    if let Some(var) = cx.env.flag_vars.get(&local) {
        return *var;
    }
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.env.flag_vars.insert(local, var);
    var
}

/// A condition that is true when the value's type is in `set`; `None` if that cannot be told.
pub(crate) fn is_among(
    cx: &mut Lowering<'_>,
    kinds: Kinds,
    tag: &Tag,
    set: Kinds,
    span: Span,
) -> Option<Expr> {
    if kinds.within(set) {
        return Some(build::boolean(true, Ty::PY_BOOL, span));
    }
    if kinds.intersect(set).is_empty() {
        return Some(build::boolean(false, Ty::PY_BOOL, span));
    }
    match tag {
        Tag::Unknown => None,
        Tag::LiveRange(live) => {
            let yes = tag_true(&cx.env, *live);
            let var = tag_var(cx, *live);
            let mut tag = build::var(var, Ty::PY_BOOL, span);
            if let Some(local) = entry_among(&cx.env, *live, yes) {
                // Tags are false at entry: until the first assignment the capture's type is the one.
                let assigned = build::var(flag_var(cx, local), Ty::PY_BOOL, span);
                tag = build::select(
                    assigned,
                    tag,
                    build::boolean(true, Ty::PY_BOOL, span),
                    Ty::PY_BOOL,
                );
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
                let part = is_among(cx, *kinds, tag, kinds.numpy(), span)?;
                any = build::or(any, part);
            }
            Some(if direct { any } else { build::not(any) })
        }
        Tag::Select(cond, a, b) => {
            let a = is_among(cx, a.0, &a.1, set, span)?;
            let b = is_among(cx, b.0, &b.1, set, span)?;
            Some(build::select(
                build::var(*cond, Ty::PY_BOOL, span),
                a,
                b,
                Ty::PY_BOOL,
            ))
        }
    }
}

/// The local whose value at entry belongs to the live range and has one of these types.
fn entry_among(env: &Environment<'_>, live: LiveRangeId, set: Kinds) -> Option<LocalId> {
    let local = env.live_ranges.entry.get(live).copied().flatten()?;
    let index = env.hir.locals.get(local)?.capture?;
    match env.captures.get(index as usize)? {
        Capture::Scalar { ty, .. } if !Kinds::of_ty(*ty).intersect(set).is_empty() => Some(local),
        _ => None,
    }
}

/// The types for which a tag is true: NumPy's if there are both, else the floats.
fn second_group(kinds: Kinds) -> Kinds {
    let numpy = kinds.numpy();
    if !numpy.is_empty() && numpy != kinds {
        numpy
    } else {
        kinds.filter(|k| k.is_float() || k.is_complex())
    }
}

/// The condition that a type is in `set`, given the condition `tag` that it is in `yes`; `None` if the two groups do
/// not tell.
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

/// Marks the locals of an inlined call as having no values, at its beginning.
pub(crate) fn forget(cx: &mut Lowering<'_>, locals: &[LocalId], span: Span) {
    for local in locals {
        if cx.env.facts.flagged.contains(local) {
            let flag = flag_var(cx, *local);
            cx.builder
                .emit_let(flag, build::boolean(false, Ty::PY_BOOL, span));
        }
    }
}
