//! Lists that a nest makes and whose length only running tells: `found = []` with `found.append(x)`, `[x for x in xs if
//! x > 0]`.
//!
//! Such a list lies at the beginning of memory of the nest's own, and the variable of its name that says how long the
//! part is ([`crate::lowering::arrays::named_views`]) counts its elements. Where its name is read it is a section of
//! that length. A guard fails where the memory has no room for one more element. The list has no second name but the
//! parameters of inlined calls; what a call returns is copied.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{ArrayId, BinOp, Extent, Span, Ty, Work};

use crate::lowering::arrays::named_views::{self, Passed};
use crate::lowering::arrays::{access, alias, materialise, temporary, updates};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::{self, Def, LocalId, Read};
use crate::lowering::lists::make;
use crate::lowering::names::reads;
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::{Made, Source, Wish};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::variables;
use crate::lowering::value::Val;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse, unsupported};

/// The most elements of a list that is appended to: its memory is taken before the nest runs, and most of it is never
/// touched.
pub(crate) const MOST: u32 = 1 << 16;

/// Whether a live range holds a list whose length only running tells.
pub(crate) fn is_counted(cx: &Lowering<'_>, live: LiveRangeId, source: Source) -> bool {
    let counted = |live: LiveRangeId| cx.env.facts.live_ranges[live].counted;
    counted(live) || matches!(source, Source::Made(owner) if counted(owner))
}

/// Whether an expression is the name of such a list.
pub(crate) fn names_counted(env: &Environment<'_>, e: &hir::Expr) -> bool {
    let hir::ExprKind::Read(read) = &e.kind else {
        return false;
    };
    let live = env.live_ranges.of_occ.get(read.occ).copied().flatten();
    live.is_some_and(|live| env.facts.live_ranges[live].counted)
}

/// The value of a name of such a list: the section with as many elements as were counted.
pub(crate) fn read(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    source: Source,
    section: &Section,
    span: Span,
) -> Val {
    let mut len = len(section, span);
    if let Source::Made(owner) = source
        && owner != live
    {
        // A parameter: the list may have grown under its first name, or under another parameter.
        cx.env.facts.demand(owner, |f| &mut f.needs_var);
        if let [_, count] = variables::view_variables(cx, owner, 2)[..] {
            len = build::var(count, Ty::PY_INT, span);
        }
    }
    Val::Counted(Box::new(first_of(
        section.capture,
        section.array,
        len,
        span,
    )))
}

/// The first elements of an array.
fn first_of(capture: u32, array: ArrayId, len: Expr, span: Span) -> Section {
    let start = Expr::int(0, span);
    let step = 1;
    Section {
        capture,
        array,
        axes: vec![Axis::Range { start, len, step }],
    }
}

fn len(section: &Section, span: Span) -> Expr {
    let mut shape = section.shape();
    match shape.is_empty() {
        true => Expr::int(0, span),
        false => shape.swap_remove(0),
    }
}

/// Lowers `xs[index]`.
pub(crate) fn item(cx: &mut Lowering<'_>, list: &Section, index: &[Val], span: Span) -> R<Val> {
    cx.builder.tally(Work::ListGet, 1.0);
    let view = place(cx, list, index, span)?;
    access::element(&mut cx.builder, view, span)
}

/// The place of an element: a guard fails for a subscript that is out of range.
pub(crate) fn place(cx: &mut Lowering<'_>, list: &Section, index: &[Val], span: Span) -> R<View> {
    let [index] = index else {
        return Err(unsupported("several subscripts of a list", span));
    };
    let index = convert::index(index.clone(), true, span)?;
    let at = cx.builder.spill(index.e);
    let len = len(list, span);
    let zero = || Expr::int(0, span);
    let int = |op, a, b| build::binary(op, a, b, Ty::PY_INT, true, span);
    let mut place = at.clone();
    if index.range.0 < 0 {
        let negative = build::compare(CmpOp::Lt, at.clone(), zero(), Ty::PY_BOOL, span);
        let from_end = int(BinOp::Add, at.clone(), len.clone());
        let chosen = build::select(negative, from_end, at, Ty::PY_INT);
        place = cx.builder.spill(chosen);
        let known = build::compare(CmpOp::Ge, place.clone(), zero(), Ty::PY_BOOL, span);
        cx.builder.emit_check(known);
    }
    let known = build::compare(CmpOp::Lt, place.clone(), len, Ty::PY_BOOL, span);
    cx.builder.emit_check(known);
    Ok(View {
        capture: list.capture,
        array: list.array,
        index: vec![place],
        checked: vec![true],
    })
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

/// The value of `[]`, for a name.
pub(crate) fn empty(span: Span) -> Val {
    let none = Node::Items(vec![]);
    make::fresh(none, vec![Expr::int(0, span)], vec![Extent::Fixed(0)])
}

/// Makes an empty list in the memory of a live range, or as many elements of `tree` as it has; `None` if the type of
/// the elements is not known in this round.
pub(crate) fn make(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Section>> {
    make_room(&mut cx.env, live, tree);
    let Some((array, made)) = temporary::made_array(cx, live, span)? else {
        cx.env.facts.wish(Wish::Empty(live));
        return Ok(None);
    };
    if made.like.len() != 1 || made.starts.is_some() || made.list.is_none() {
        return Err(cx.env.type_changes(live, span));
    }
    temporary::may_be_made(cx, array, &made, span)?;
    let many = temporary::length(&mut cx.builder, &tree.shape[0]);
    let room = build::dim(array, 0, span);
    if many.as_int().is_none_or(|n| n > make::LONGEST as i128) {
        let fits = build::compare(CmpOp::Le, many.clone(), room, Ty::PY_BOOL, span);
        cx.builder.emit_check(fits);
    }
    updates::made_anew(cx, live, span);
    let capture = cx.builder.arrays[array].capture;
    let section = first_of(capture, array, many, span);
    make::copy_items(cx, &section, tree, span)?;
    make::let_go_of_list(cx, tree);
    Ok(Some(section))
}

/// Has the memory of a live range's lists be long enough for one more list, from the next round on.
fn make_room(env: &mut Environment<'_>, live: LiveRangeId, list: &Elementwise) {
    let (Some(made), Some(like)) = (&mut env.facts.live_ranges[live].made, &list.like) else {
        return;
    };
    let ([room], [most]) = (&mut made.like[..], &like[..]) else {
        return;
    };
    let wanted = match (*room, *most) {
        (Extent::Fixed(a), Extent::Fixed(b)) => Extent::Fixed(a.max(b)),
        (a, b) if a == b => a,
        (a, Extent::Fixed(0)) => a,
        _ => Extent::Fixed(MOST),
    };
    if *room != wanted {
        *room = wanted;
        env.facts.changed = true;
    }
}

/// Lowers `xs.append(value)` for a list that the nest makes.
pub(crate) fn append(cx: &mut Lowering<'_>, list: &Read, value: &hir::Expr, span: Span) -> R<()> {
    cx.builder.tally(Work::Append, 1.0);
    reads::read(cx, *list, span)?;
    let before = std::mem::replace(&mut cx.env.want_tag, true);
    let value = cx.expression(value);
    cx.env.want_tag = before;
    let live = cx.env.live_ranges.of_occ.get(list.occ).copied().flatten();
    let Some(live) = live else { return Ok(()) };
    let other = |cx: &Lowering<'_>| {
        let name = cx.env.name_of(live);
        let what = format!("an append to {name}, which is not always a list of numbers made here,");
        refuse(span, Refusal::Unsupported { what })
    };
    let Val::Scalar(value) = value? else {
        return Err(other(cx));
    };
    let value = convert::commit(value);
    let fact = &cx.env.facts.live_ranges[live];
    let passed = cx.env.live_ranges.defs[live]
        .iter()
        .any(|def| cx.memory.takes_over.contains(def));
    let owner = match fact.part.as_ref().map(|p| p.source) {
        Some(Source::Made(owner)) if owner == live || passed => owner,
        Some(_) => return Err(other(cx)),
        None => live,
    };
    if fact.view.is_some() || !fact.kinds.is_empty() {
        return Err(other(cx));
    }
    if value.is_bottom() {
        return Ok(());
    }
    let (storage, ty) = make::element(value.kinds).ok_or_else(|| other(cx))?;
    if passed && owner == live {
        cx.env.facts.appended.get_or_insert((storage, ty));
        return Ok(());
    }
    let like = vec![Extent::Fixed(MOST)];
    let fact = &mut cx.env.facts.live_ranges[owner];
    match &mut fact.made {
        Some(made) if made.starts.is_some() || made.like.len() != 1 || made.list.is_none() => {
            return Err(other(cx));
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
        return Err(other(cx));
    };
    let at = build::var(count, Ty::PY_INT, span);
    let room = build::dim(array, 0, span);
    let fits = build::compare(CmpOp::Lt, at.clone(), room.clone(), Ty::PY_BOOL, span);
    cx.builder.emit_check(fits);
    let memory = first_of(cx.builder.arrays[array].capture, array, room, span);
    let place = std::slice::from_ref(&at);
    materialise::fill_element(cx, &memory, false, place, value, span)?;
    let one = Expr::int(1, span);
    let next = build::binary(BinOp::Add, at, one, Ty::PY_INT, false, span);
    cx.builder.emit_let(count, next);
    Ok(())
}
