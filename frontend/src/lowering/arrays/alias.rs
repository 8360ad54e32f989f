//! Second names of arrays that operations make: `x = x_new`, `before = x`.
//!
//! The second name gets a copy. Two things tell that from one object with two names: a store into it through one of them, and
//! what the names hold afterwards. So a flag for each two names that may have one object says whether they do. A store into an
//! array that has two names is an event, and behind the nest both are bound to one object.

use std::collections::BTreeSet;

use nestwise_ir::model::liveout::SameAs;
use nestwise_ir::{ArrayId, Expr, Span, Ty, UnOp, VarId};

use crate::lowering::arrays::borrowed_views;
use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::memory::Flag;
use crate::lowering::arrays::temporary;
use crate::lowering::arrays::view::Section;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::LocalId;
use crate::lowering::types::live_ranges::WebId;
use crate::refusal::R;

/// Names of one array whose flags are kept, at most.
const MAX_NAMES: usize = 4;

/// Names that may hold one object with another one, which is the first of them.
pub(crate) fn names(env: &Environment<'_>, name: LocalId) -> Vec<LocalId> {
    let mut names = vec![name];
    let mut known = 0;
    while let Some(of) = names.get(known).copied() {
        known += 1;
        for (a, b) in &env.facts.aliases {
            let other = if *a == of { *b } else { *a };
            if (*a == of || *b == of) && !names.contains(&other) {
                names.push(other);
            }
        }
    }
    names
}

/// Those of them that hold arrays from outside at first, with the captures.
pub(crate) fn starting(env: &Environment<'_>, names: &[LocalId]) -> Vec<(LocalId, u32)> {
    let webs = env.webs.local.iter().zip(&env.facts.webs);
    let starts = webs.filter_map(|(name, fact)| Some((*name, fact.made.as_ref()?.starts?)));
    starts.filter(|(name, _)| names.contains(name)).collect()
}

pub(crate) fn name_flag(cx: &mut Lowering<'_>, flag: Flag) -> VarId {
    if let Some(var) = cx.memory.flags.get(&flag) {
        return *var;
    }
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.memory.flags.insert(flag, var);
    var
}

fn same(cx: &mut Lowering<'_>, a: LocalId, b: LocalId) -> VarId {
    name_flag(cx, Flag::Same(a.min(b), a.max(b)))
}

/// `name = other`, of an array that `owner` has made, or holds at first.
pub(crate) fn name_again(
    cx: &mut Lowering<'_>,
    web: WebId,
    owner: WebId,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Section>> {
    let (name, other) = (cx.env.webs.local[web], cx.env.webs.local[owner]);
    cx.env.facts.changed |= cx.env.facts.aliases.insert((name, other));
    for web in [web, owner] {
        borrowed_views::check_alone(&cx.env, web, span)?;
    }
    let names = names(&cx.env, name);
    if names.len() > MAX_NAMES {
        return Err(unsupported("so many names of one array", span));
    }
    if name == other && (names.len() > 1 || cx.env.facts.borrowed.iter().any(|b| b.1 == owner)) {
        // It would count as an array of its own.
        return Err(unsupported("a name that is assigned what it holds", span));
    }
    let Some(section) = temporary::make(cx, web, tree, span)? else {
        return Ok(None);
    };
    if name == other {
        return Ok(Some(section));
    }
    let read = |var| build::var(var, Ty::PY_BOOL, span);
    if cx.env.facts.webs[owner].viewed {
        let viewed = read(name_flag(cx, Flag::Viewed(owner)));
        note_viewed(cx, web, Some(viewed), span);
    }
    for third in &names[1..] {
        let now = match *third == other {
            true => build::boolean(true, Ty::PY_BOOL, span),
            false => read(same(cx, other, *third)),
        };
        let flag = same(cx, name, *third);
        cx.builder.emit_let(flag, now);
    }
    for (first, _) in starting(&cx.env, &names) {
        let mut now = read(name_flag(cx, Flag::Entry(other, first)));
        if first == other {
            let left = read(name_flag(cx, Flag::Left(other)));
            now = build::or(now, build::unary(UnOp::Not, left, Ty::PY_BOOL, false));
        }
        let flag = name_flag(cx, Flag::Entry(name, first));
        cx.builder.emit_let(flag, now);
    }
    Ok(Some(section))
}

/// Notes whether a web's name holds a view, if it ever does (none: it does not).
pub(crate) fn note_viewed(cx: &mut Lowering<'_>, web: WebId, viewed: Option<Expr>, span: Span) {
    let known = cx.env.facts.webs[web].viewed;
    if viewed.is_some() && !known {
        cx.env.facts.webs[web].viewed = true;
        cx.env.facts.changed = true;
    }
    if viewed.is_some() || known {
        let no = build::boolean(false, Ty::PY_BOOL, span);
        let flag = name_flag(cx, Flag::Viewed(web));
        cx.builder.emit_let(flag, viewed.unwrap_or(no));
    }
}

/// The flag that tells whether a web's name holds a view, if it ever does.
pub(crate) fn viewed(cx: &mut Lowering<'_>, web: WebId) -> Option<VarId> {
    let ever = cx.env.facts.webs[web].viewed;
    ever.then(|| name_flag(cx, Flag::Viewed(web)))
}

/// A web's name holds a new array.
pub(crate) fn made_anew(cx: &mut Lowering<'_>, web: WebId, span: Span) {
    borrowed_views::parts_are_gone(cx, web, span);
    let name = cx.env.webs.local[web];
    let names = names(&cx.env, name);
    let mut borrowed = cx.env.facts.borrowed.iter();
    let is_asked_for = cx.env.facts.updated.contains(&name)
        || borrowed.any(|(_, owner)| cx.env.webs.local[*owner] == name);
    if names.len() == 1 && is_asked_for {
        let left = name_flag(cx, Flag::Left(name));
        cx.builder
            .emit_let(left, build::boolean(true, Ty::PY_BOOL, span));
    }
    if names.len() == 1 {
        return;
    }
    let no = || build::boolean(false, Ty::PY_BOOL, span);
    for other in &names[1..] {
        let flag = same(cx, name, *other);
        cx.builder.emit_let(flag, no());
    }
    for (first, _) in starting(&cx.env, &names) {
        let flag = name_flag(cx, Flag::Entry(name, first));
        cx.builder.emit_let(flag, no());
        if first == name {
            let left = name_flag(cx, Flag::Left(name));
            cx.builder
                .emit_let(left, build::boolean(true, Ty::PY_BOOL, span));
        }
    }
}

/// What is stored into was made since, where its name held an array from outside at first: others may have that.
pub(crate) fn check_left(cx: &mut Lowering<'_>, array: ArrayId, span: Span) {
    let Some(owner) = owner(cx, array) else {
        return;
    };
    let name = cx.env.webs.local[owner];
    cx.env.facts.changed |= cx.env.facts.updated.insert(name);
    let left = name_flag(cx, Flag::Left(name));
    cx.builder.emit_check(build::var(left, Ty::PY_BOOL, span));
}

/// What is stored into has one name, and is no array from outside that another name held at first.
pub(crate) fn check_one_name(cx: &mut Lowering<'_>, array: ArrayId, span: Span) {
    let Some(owner) = owner(cx, array) else {
        return;
    };
    borrowed_views::check_no_part_of_entry(cx, owner, span);
    let names = names(&cx.env, cx.env.webs.local[owner]);
    for other in &names[1..] {
        let flag = build::var(same(cx, names[0], *other), Ty::PY_BOOL, span);
        cx.builder
            .emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
    }
    if names.len() > 1 {
        for (first, _) in starting(&cx.env, &names) {
            let flag = name_flag(cx, Flag::Entry(names[0], first));
            let flag = build::var(flag, Ty::PY_BOOL, span);
            cx.builder
                .emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
        }
    }
}

/// The web whose assignments make the arrays that lie there.
pub(crate) fn owner(cx: &Lowering<'_>, array: ArrayId) -> Option<WebId> {
    let mut made = cx.memory.made.iter();
    made.find(|(_, own)| **own == array).map(|(web, _)| *web)
}

/// Whether no name but some may hold the array.
pub(crate) fn is_named_by(cx: &Lowering<'_>, tree: &Elementwise, own: &[LocalId]) -> bool {
    let owner = match &tree.node {
        Node::Part(section) => owner(cx, section.array),
        _ => None,
    };
    let Some(owner) = owner else { return true };
    names(&cx.env, cx.env.webs.local[owner])
        .iter()
        .all(|name| own.contains(name))
}

/// What else may be the object that a web's name holds at the end, by flags.
pub(crate) fn same_objects(cx: &mut Lowering<'_>, web: WebId) -> Vec<(VarId, SameAs)> {
    let names = names(&cx.env, cx.env.webs.local[web]);
    let mut all = vec![];
    for other in &names[1..] {
        let flag = same(cx, names[0], *other);
        let webs = &cx.env.webs.local;
        let made = cx
            .memory
            .made
            .iter()
            .filter(|(web, _)| webs[**web] == *other);
        // In an order of their own, or each run would have another nest.
        let arrays: BTreeSet<ArrayId> = made.map(|(_, array)| *array).collect();
        all.extend(arrays.into_iter().map(|array| (flag, SameAs::Made(array))));
    }
    if names.len() > 1 {
        for (first, capture) in starting(&cx.env, &names) {
            all.push((
                name_flag(cx, Flag::Entry(names[0], first)),
                SameAs::Entry(capture),
            ));
        }
    }
    all
}
