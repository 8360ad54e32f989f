//! Lists that the nest makes: `row = [0] * n`, `new = [f(x) for x in old]`, `[[0.0] * m for _ in range(n)]`, `copy =
//! row[:]`.
//!
//! A list that has no name yet is kept as a tree of what its elements are, like a computed array. A name gives it
//! memory of the nest's own, as it does to arrays ([`crate::lowering::arrays::temporary`]): second names, names of
//! rows, and values after the nest are treated as those of arrays. Where the name is read it is a view, like a list
//! from outside; so the memory is exactly as long as the list, whose length must be known before the nest runs.

use nestwise_ir::model::nest::{CmpOp, Expr, ExprKind};
use nestwise_ir::{ArrayId, ArrayKind, BinOp, Extent, Prov, Scalar, Span, Ty, Work};

use crate::lowering::arrays::temporary::{self, no_size};
use crate::lowering::arrays::{alias, extents, materialise, store, updates, view};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::{self, LocalId};
use crate::lowering::lists::counted;
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::{Made, Wish};
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{self, Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::value::view::View;
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse, unsupported};
use crate::site::captures::Capture;

/// The most items of a list display; longer ones are left to CPython, since each item is a store of its own.
const LONGEST: usize = 16;

/// The value of a new list that has no name yet.
pub(crate) fn fresh(node: Node, shape: Vec<Expr>, like: Vec<Extent>) -> Val {
    Val::List(Box::new(Elementwise {
        node,
        shape,
        like: Some(like),
        fresh: true,
        whole: true,
        lent: false,
        viewed: false,
    }))
}

/// The representation in memory of elements of these types, and the type that they are loaded as; `None` if there is no
/// common one.
pub(crate) fn element(kinds: Kinds) -> Option<(Scalar, Ty)> {
    if kinds == store::pair() {
        return Some((Scalar::Num, Ty::PY_NUM));
    }
    match kinds.single()? {
        Kind::PyInt => Some((Scalar::I64, Ty::PY_INT)),
        Kind::PyFloat => Some((Scalar::F64, Ty::PY_FLOAT)),
        Kind::PyBool => Some((Scalar::Bool, Ty::PY_BOOL)),
        Kind::PyComplex => Some((Scalar::C128, Ty::PY_COMPLEX)),
        Kind::Np(storage) => Some((storage, Ty::np(storage))),
        _ => None,
    }
}

/// The position of an element in a list: a bound of the list's length, and the element's index.
pub(crate) type Position = (Extent, Expr);

/// The value of `[]`, for a name.
pub(crate) fn empty(span: Span) -> Val {
    let none = Node::Items(vec![]);
    fresh(none, vec![Expr::int(0, span)], vec![Extent::Fixed(0)])
}

/// Lowers `[a, b, c]`.
pub(crate) fn list_display(cx: &mut Lowering<'_>, items: &[hir::Expr], span: Span) -> R<Val> {
    if items.is_empty() || items.len() > LONGEST {
        return Err(unsupported("a list display of so many items", span));
    }
    let values = operands::tuple(cx, items)?;
    cx.builder.tally(Work::Tuple, 1.0);
    let mut elements = Vec::with_capacity(values.len());
    for value in values {
        let sv = convert::need_scalar(value, "an item of a list", span)?;
        if sv.is_bottom() {
            return Ok(Val::Scalar(sv));
        }
        elements.push(operands::spill_sv(cx, sv));
    }
    let count = elements.len();
    let shape = vec![Expr::int(count as i64, span)];
    Ok(fresh(
        Node::Items(elements),
        shape,
        vec![Extent::Fixed(count as u32)],
    ))
}

/// Lowers `[x] * n`.
pub(crate) fn repeated(cx: &mut Lowering<'_>, list: Elementwise, count: Val, span: Span) -> R<Val> {
    let Node::Items(items) = &list.node else {
        return Err(unsupported("a product with a list that is computed", span));
    };
    let count = convert::need_scalar(count, "a number of repetitions", span)?;
    if count.is_bottom() {
        return Ok(Val::Scalar(count));
    }
    if count.kinds != Kinds::of(Kind::PyInt) {
        return Err(unsupported(
            "a list repeated a number of times that is no int",
            span,
        ));
    }
    cx.builder.tally(Work::Builtin, 1.0);
    if let Some(times) = count.as_int() {
        let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
        let all = items.len().saturating_mul(times);
        if items.len() > 1 && (1..=LONGEST).contains(&all) {
            let items = items.iter().cycle().take(all).cloned().collect();
            let like = vec![Extent::Fixed(all as u32)];
            return Ok(fresh(
                Node::Items(items),
                vec![Expr::int(all as i64, span)],
                like,
            ));
        }
    }
    let ([item], Some(extent)) = (items.as_slice(), extents::exact_extent(cx, &count.e)) else {
        return Err(no_size(span));
    };
    Ok(fresh(
        Node::Scalar(item.clone()),
        vec![count.e],
        vec![extent],
    ))
}

/// Refuses a list whose length is only known while the nest runs, where the length matters.
pub(crate) fn of_known_length(cx: &Lowering<'_>, list: &Elementwise, span: Span) -> R<()> {
    match is_counted(cx, list) {
        true => Err(unsupported(
            "a list whose length only running tells, beside other values",
            span,
        )),
        false => Ok(()),
    }
}

/// Whether the elements of a list were counted while the nest ran: the memory that it lies in may be longer.
fn is_counted(cx: &Lowering<'_>, list: &Elementwise) -> bool {
    let made = matches!(&list.node, Node::Part(s) if cx.builder.arrays[s.array].list);
    let most = list.like.as_ref().and_then(|like| like.first().copied());
    made && list
        .shape
        .first()
        .and_then(|len| extents::exact_extent(cx, len))
        != most
}

/// Whether a section is all of a list that the nest makes, or a row of it.
fn is_whole_list(builder: &Builder, section: &Section) -> bool {
    let whole = |axis: &Axis| match axis {
        Axis::Range { start, len, step } => {
            start.as_int() == Some(0) && *step == 1 && matches!(len.kind, ExprKind::Dim(..))
        }
        _ => true,
    };
    builder.arrays[section.array].list && section.axes.iter().all(whole)
}

/// Takes memory for a list until it is released.
pub(crate) fn temporary_list(
    cx: &mut Lowering<'_>,
    like: Vec<Extent>,
    storage: Scalar,
    ty: Ty,
    span: Span,
) -> R<(ArrayId, Section)> {
    let array = temporary::temporary_array(cx, &list_like(like, storage, ty), span)?;
    Ok((array, all_of_list(&cx.builder, array, span)))
}

/// Takes memory for a list that loops fill, until it is released: no other list has it between two iterations.
pub(crate) fn list_to_fill(
    cx: &mut Lowering<'_>,
    like: Vec<Extent>,
    storage: Scalar,
    ty: Ty,
    span: Span,
) -> R<(ArrayId, Section)> {
    let array = temporary::new_temporary(cx, &list_like(like, storage, ty), span)?;
    Ok((array, all_of_list(&cx.builder, array, span)))
}

fn list_like(like: Vec<Extent>, storage: Scalar, ty: Ty) -> Made {
    Made {
        storage,
        like,
        starts: None,
        list: Some(ty),
    }
}

/// The type of a list's elements; `None` if it is not known yet.
pub(crate) fn type_of_items(
    builder: &Builder,
    list: &Elementwise,
    span: Span,
) -> R<Option<(Scalar, Ty)>> {
    let kinds = match &list.node {
        Node::Scalar(sv) => sv.kinds,
        Node::Items(items) => items
            .iter()
            .fold(Kinds::NONE, |all, sv| all.union(sv.kinds)),
        Node::Part(section) => Kinds::of_ty(builder.arrays[section.array].elem),
        _ => Kinds::NONE,
    };
    if kinds.is_empty() {
        return Ok(None);
    }
    let known = element(kinds).ok_or_else(|| {
        let what = format!("a list of {kinds}");
        refuse(span, Refusal::Unsupported { what })
    })?;
    Ok(Some(known))
}

/// The section of all elements of a list that the nest makes.
fn all_of_list(builder: &Builder, array: ArrayId, span: Span) -> Section {
    let decl = &builder.arrays[array];
    let axis = |k: usize| Axis::Range {
        start: Expr::int(0, span),
        len: build::dim(array, k, span),
        step: 1,
    };
    Section {
        capture: decl.capture,
        array,
        axes: (0..decl.rank as usize).map(axis).collect(),
    }
}

/// A view of a list that the nest makes, in the form in which names are given arrays.
pub(crate) fn list_as_part(builder: &mut Builder, view: View, span: Span) -> Elementwise {
    let whole = view.index.is_empty();
    let section = view::section_of_view(builder, view, span);
    Elementwise {
        whole,
        ..Elementwise::of(section, &builder.arrays)
    }
}

/// Turns a new list into a view of its memory; other values stay as they are.
pub(crate) fn settled_list(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Val> {
    let Val::List(mut list) = value else {
        return Ok(value);
    };
    if let (Node::Part(section), true) = (&list.node, is_counted(cx, &list)) {
        return Ok(Val::Counted(Box::new(section.clone())));
    }
    let lies = matches!(&list.node, Node::Part(section) if is_whole_list(&cx.builder, section));
    if !lies {
        list = match kept_list(cx, *list, span)? {
            Val::List(kept) => kept,
            other => return Ok(other),
        };
    }
    match &list.node {
        Node::Part(section) => Ok(Val::View(section::view_of_list(section))),
        _ => Err(no_size(span)),
    }
}

/// The list that an inlined call returns: a new one, if the call has made it and only its own names hold it.
pub(crate) fn list_of_call(cx: &mut Lowering<'_>, view: View, own: &[LocalId], span: Span) -> Val {
    let tree = list_as_part(&mut cx.builder, view.clone(), span);
    match tree.whole && alias::is_named_by(cx, &tree, own) {
        true => Val::List(Box::new(Elementwise {
            fresh: true,
            ..tree
        })),
        false => Val::View(view),
    }
}

/// Puts a list into memory that nothing else is stored into.
pub(crate) fn kept_list(cx: &mut Lowering<'_>, list: Elementwise, span: Span) -> R<Val> {
    of_known_length(cx, &list, span)?;
    let Some((storage, ty)) = type_of_items(&cx.builder, &list, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let like = list.like.clone().ok_or_else(|| no_size(span))?;
    let (_, to) = temporary_list(cx, like.clone(), storage, ty, span)?;
    copy_items(cx, &to, &list, span)?;
    let_go_of_list(cx, &list);
    Ok(fresh(Node::Part(to.clone()), to.shape(), like))
}

/// The list at entry of a live range whose assignments make lists, if it has one.
fn list_at_start(
    env: &Environment<'_>,
    live: LiveRangeId,
) -> Option<(Scalar, Ty, Vec<Extent>, u32)> {
    let local = env.live_ranges.entry.get(live).copied().flatten()?;
    let capture = env.hir.locals.get(local)?.capture?;
    match env.captures.get(capture as usize)? {
        Capture::Array {
            kind: ArrayKind::List,
            storage,
            elem,
            rank,
            ..
        } => {
            let (storage, elem) = match env.facts.num_slots.contains(&capture) {
                true => (Scalar::Num, Ty::PY_NUM),
                false => (*storage, *elem),
            };
            let plus = 0;
            let axis = |axis| Extent::Axis {
                capture,
                axis,
                plus,
            };
            Some((storage, elem, (0..*rank).map(axis).collect(), capture))
        }
        _ => None,
    }
}

/// Computes a list into the memory of a live range; `None` if its type is not known in this round.
pub(crate) fn make_list(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Section>> {
    let empty = matches!(&tree.node, Node::Items(items) if items.is_empty());
    if empty {
        cx.env.facts.demand(live, |f| &mut f.counted);
        return make_counted(cx, live, tree, span);
    }
    let Some((storage, ty)) = type_of_items(&cx.builder, tree, span)? else {
        return Ok(None);
    };
    let like = tree.like.clone().ok_or_else(|| no_size(span))?;
    if cx.env.facts.live_ranges[live].made.is_none() {
        let made = match list_at_start(&cx.env, live) {
            Some((storage, ty, like, capture)) => Made {
                storage,
                like,
                starts: Some(capture),
                list: Some(ty),
            },
            None => Made {
                storage,
                like: like.clone(),
                starts: None,
                list: Some(ty),
            },
        };
        cx.env.facts.restart |= made.starts.is_some();
        cx.env.facts.live_ranges[live].made = Some(made);
        cx.env.facts.changed = true;
    }
    hold(&mut cx.env, live, storage, ty, span)?;
    if is_counted(cx, tree) {
        cx.env.facts.demand(live, |f| &mut f.counted);
    }
    if cx.env.facts.live_ranges[live].counted {
        return make_counted(cx, live, tree, span);
    }
    let Some((array, made)) = temporary::made_array(cx, live, span)? else {
        return Ok(None);
    };
    if made.like.len() != like.len() {
        return Err(cx.env.type_changes(live, span));
    }
    let to = all_of_list(&cx.builder, array, span);
    for ((own, axis), (len, other)) in to
        .shape()
        .iter()
        .zip(&made.like)
        .zip(tree.shape.iter().zip(&like))
    {
        if axis != other {
            let zero = Expr::int(0, span);
            let len = build::binary(BinOp::Max, len.clone(), zero, Ty::PY_INT, false, span);
            let same = build::compare(CmpOp::Eq, own.clone(), len, Ty::PY_BOOL, span);
            cx.builder.emit_check(same);
        }
    }
    temporary::may_be_made(cx, array, &made, span)?;
    updates::made_anew(cx, live, span);
    copy_items(cx, &to, tree, span)?;
    let_go_of_list(cx, tree);
    Ok(Some(to))
}

/// Makes an empty list in the memory of a live range, or as many elements of `tree` as it has; `None` if the type of
/// the elements is not known in this round.
fn make_counted(
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
    // There is room for a display: `make_room` has seen its length.
    if many.as_int().is_none_or(|n| n > LONGEST as i128) {
        let fits = build::compare(CmpOp::Le, many.clone(), room, Ty::PY_BOOL, span);
        cx.builder.emit_check(fits);
    }
    updates::made_anew(cx, live, span);
    let capture = cx.builder.arrays[array].capture;
    let section = counted::first_of(capture, array, many, span);
    copy_items(cx, &section, tree, span)?;
    let_go_of_list(cx, tree);
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
        _ => Extent::Fixed(counted::MOST),
    };
    if *room != wanted {
        *room = wanted;
        env.facts.changed = true;
    }
}

/// Notes that elements of this type go into the memory of a live range's lists, which then mix ints and floats if they
/// must.
pub(crate) fn hold(
    env: &mut Environment<'_>,
    live: LiveRangeId,
    storage: Scalar,
    ty: Ty,
    span: Span,
) -> R<()> {
    let Some(made) = &mut env.facts.live_ranges[live].made else {
        return Ok(());
    };
    if made.storage == storage && made.list == Some(ty) {
        return Ok(());
    }
    let numbers = [Scalar::I64, Scalar::F64, Scalar::Num];
    let python = |ty: Option<Ty>| ty.is_some_and(|ty| ty.prov == Prov::Py);
    if !python(made.list)
        || !python(Some(ty))
        || !numbers.contains(&made.storage)
        || !numbers.contains(&storage)
    {
        return Err(env.type_changes(live, span));
    }
    env.facts.wish(Wish::Made(live));
    Ok(())
}

/// Stores the items of a list into a part of memory of the same shape.
pub(crate) fn copy_items(
    cx: &mut Lowering<'_>,
    to: &Section,
    list: &Elementwise,
    span: Span,
) -> R<()> {
    if let (Node::Items(items), 1) = (&list.node, to.shape().len()) {
        for (k, item) in items.iter().enumerate() {
            let place = [Expr::int(k as i64, span)];
            materialise::fill_element(cx, to, false, &place, item.clone(), span)?;
        }
        return Ok(());
    }
    materialise::over(cx, &to.shape(), span, |cx, counters| {
        let value = cx.element(&list.node, counters, span)?;
        materialise::fill_element(cx, to, false, counters, value, span)
    })
}

/// Releases the memory that a list was computed into, once it has been copied.
pub(crate) fn let_go_of_list(cx: &mut Lowering<'_>, list: &Elementwise) {
    if let (Node::Part(section), true) = (&list.node, list.fresh) {
        cx.memory.in_use.remove(&section.array);
    }
}
