//! Appends to lists that a nest makes: `found = []`, `found.append(x)`.
//!
//! An append stores behind the last element and counts; a guard fails where the memory has no room for one more. The
//! list has no second name but the parameters of inlined calls, which may append to it, too; what a call returns is
//! copied.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{BinOp, Extent, Span, Ty, Work};

use crate::lowering::arrays::named_views::{self, Passed};
use crate::lowering::arrays::{access, alias, materialise, temporary};
use crate::lowering::context::Lowering;
use crate::lowering::hir::{self, Def, LocalId, Read};
use crate::lowering::lists::counted;
use crate::lowering::lists::make;
use crate::lowering::names::reads;
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::{Made, Source};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::variables;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::value::view::View;
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse, unsupported};

/// Lowers `xs.append(value)` for a list that the nest makes.
pub(crate) fn append(cx: &mut Lowering<'_>, list: &Read, value: &hir::Expr, span: Span) -> R<()> {
    cx.builder.tally(Work::Append, 1.0);
    reads::read(cx, *list, span)?;
    let before = std::mem::replace(&mut cx.env.want_tag, true);
    let value = cx.expression(value);
    cx.env.want_tag = before;
    match value? {
        Val::Scalar(value) => append_value(cx, *list, value, span),
        _ => match cx.env.live_ranges.of_occ.get(list.occ).copied().flatten() {
            Some(live) => Err(other(cx, "an append to", live, span)),
            None => Ok(()),
        },
    }
}

/// Appends a value that is evaluated to a list that the nest makes.
pub(crate) fn append_value(cx: &mut Lowering<'_>, list: Read, value: Sv, span: Span) -> R<()> {
    let live = cx.env.live_ranges.of_occ.get(list.occ).copied().flatten();
    let Some(live) = live else { return Ok(()) };
    let value = convert::commit(value);
    let (owner, passed) = owner(cx, "an append to", live, span)?;
    if value.is_bottom() {
        return Ok(());
    }
    let (storage, ty) =
        make::element(value.kinds).ok_or_else(|| other(cx, "an append to", live, span))?;
    if passed && owner == live {
        cx.env.facts.appended.get_or_insert((storage, ty));
        return Ok(());
    }
    let room = cx.env.hir.locals[list.local].room;
    let like = vec![Extent::Fixed(room.unwrap_or(counted::MOST))];
    let fact = &mut cx.env.facts.live_ranges[owner];
    match &mut fact.made {
        Some(made) if made.starts.is_some() || made.like.len() != 1 || made.list.is_none() => {
            return Err(other(cx, "an append to", live, span));
        }
        Some(made) if made.like == like => {}
        Some(made) => {
            made.like = like;
            cx.env.facts.changed = true;
        }
        None => {
            fact.made = Some(Made {
                storage,
                like,
                starts: None,
                list: Some(ty),
            });
            cx.env.facts.changed = true;
        }
    }
    cx.env.facts.demand(owner, |f| &mut f.counted);
    make::hold(&mut cx.env, owner, storage, ty, span)?;
    if cx.env.facts.live_ranges[owner].part.is_none() {
        return Ok(());
    }
    let Some((array, _)) = temporary::made_array(cx, owner, span)? else {
        return Ok(());
    };
    if cx.memory.iterated.contains(&array) {
        return Err(unsupported(
            "an append to a list inside a loop over it",
            span,
        ));
    }
    let [_, count] = variables::view_variables(cx, owner, 2)[..] else {
        return Err(other(cx, "an append to", live, span));
    };
    let at = build::var(count, Ty::PY_INT, span);
    let room = build::dim(array, 0, span);
    let fits = build::compare(CmpOp::Lt, at.clone(), room.clone(), Ty::PY_BOOL, span);
    cx.builder.emit_check(fits);
    let memory = counted::first_of(cx.builder.arrays[array].capture, array, room, span);
    let place = std::slice::from_ref(&at);
    materialise::fill_element(cx, &memory, false, place, value, span)?;
    let one = Expr::int(1, span);
    let next = build::binary(BinOp::Add, at, one, Ty::PY_INT, false, span);
    cx.builder.emit_let(count, next);
    Ok(())
}

/// The live range that makes the list which a live range holds, and whether the list was passed on to a parameter. The
/// error is that it is `what` of something else.
fn owner(cx: &Lowering<'_>, what: &str, live: LiveRangeId, span: Span) -> R<(LiveRangeId, bool)> {
    let fact = &cx.env.facts.live_ranges[live];
    let passed = cx.env.live_ranges.defs[live]
        .iter()
        .any(|def| cx.memory.takes_over.contains(def));
    let owner = match fact.part.as_ref().map(|p| p.source) {
        Some(Source::Made(owner)) if owner == live || passed => owner,
        Some(_) => return Err(other(cx, what, live, span)),
        None => live,
    };
    if fact.view.is_some() {
        let what = format!(
            "{what} {}, a list that the nest also rebinds,",
            cx.env.name_of(live)
        );
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    if !fact.kinds.is_empty() {
        return Err(other(cx, what, live, span));
    }
    // Each name of a list has a copy, whose elements are kept alike, but not their number.
    if alias::names(&cx.env, cx.env.live_ranges.local[owner]).len() > 1 {
        let what = format!(
            "{what} {}, a list with several names,",
            cx.env.name_of(live)
        );
        return Err(refuse(span, Refusal::ObjectIdentity { what }));
    }
    Ok((owner, passed))
}

fn other(
    cx: &Lowering<'_>,
    what: &str,
    live: LiveRangeId,
    span: Span,
) -> nestwise_ir::WithSpan<Refusal> {
    let name = cx.env.name_of(live);
    let what = format!("{what} {name}, which is not always a list of numbers that the loop makes,");
    refuse(span, Refusal::Unsupported { what })
}

/// Lowers the removal of the last element of a list that the nest makes, whose value that is. A guard fails for an empty
/// list.
pub(crate) fn pop(cx: &mut Lowering<'_>, list: Read, span: Span) -> R<Val> {
    const WHAT: &str = "the last element of";
    cx.builder.tally(Work::Append, 1.0);
    reads::read(cx, list, span)?;
    let unknown = || Ok(Val::Scalar(Sv::bottom(span)));
    let live = cx.env.live_ranges.of_occ.get(list.occ).copied().flatten();
    let Some(live) = live else { return unknown() };
    let (owner, passed) = owner(cx, WHAT, live, span)?;
    if passed && owner == live {
        return Err(other(cx, WHAT, live, span));
    }
    let fact = &cx.env.facts.live_ranges[owner];
    let growing = |made: &Made| made.like.len() == 1 && made.list.is_some();
    if fact
        .made
        .as_ref()
        .is_some_and(|made| !growing(made) || made.starts.is_some())
    {
        return Err(other(cx, WHAT, live, span));
    }
    cx.env.facts.demand(owner, |f| &mut f.counted);
    if cx.env.facts.live_ranges[owner].part.is_none() {
        return unknown();
    }
    let Some((array, _)) = temporary::made_array(cx, owner, span)? else {
        return unknown();
    };
    if cx.memory.iterated.contains(&array) {
        let what = "removing an element of a list inside a loop over it";
        return Err(unsupported(what, span));
    }
    let [_, count] = variables::view_variables(cx, owner, 2)[..] else {
        return Err(other(cx, WHAT, live, span));
    };
    let int = |value| Expr::int(value, span);
    let before = build::var(count, Ty::PY_INT, span);
    let some = build::compare(CmpOp::Gt, before.clone(), int(0), Ty::PY_BOOL, span);
    cx.builder.emit_check(some);
    let last = build::binary(BinOp::Sub, before, int(1), Ty::PY_INT, false, span);
    let at = cx.builder.spill(last);
    cx.builder.emit_let(count, at.clone());
    let view = View {
        capture: cx.builder.arrays[array].capture,
        array,
        index: vec![at],
        checked: vec![true],
    };
    // What follows may append in its place.
    let value = access::element(&mut cx.builder, view, span)?;
    Ok(operands::spill_val(cx, value))
}

/// Assigns such a list to a local, where nothing else names it afterwards.
pub(crate) fn assign(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    list: Section,
    span: Span,
) -> R<()> {
    let tree = Elementwise {
        whole: true,
        ..Elementwise::of(list, &cx.builder.arrays)
    };
    match named_views::passes_on(cx, def, live, &tree) {
        Passed::On => named_views::assign_array(cx, def, live, tree, span),
        // A call may return one of several lists.
        Passed::Back => named_views::assign_list(cx, def, live, tree, span),
        Passed::No => {
            let name = &cx.env.hir.locals[def.local].name;
            let what = format!("a list assigned to {name}");
            Err(refuse(span, Refusal::ObjectIdentity { what }))
        }
    }
}

/// The list that an inlined call returns: a new one, if only the call's own names hold it.
pub(crate) fn of_call(cx: &mut Lowering<'_>, list: Section, own: &[LocalId]) -> Val {
    let like = cx.builder.arrays[list.array].like.clone();
    let tree = Elementwise {
        whole: true,
        ..Elementwise::of(list.clone(), &cx.builder.arrays)
    };
    match alias::is_named_by(cx, &tree, own) {
        true => make::fresh(Node::Part(list.clone()), list.shape(), like),
        false => Val::Counted(Box::new(list)),
    }
}
