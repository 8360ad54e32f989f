//! Names of parts of arrays that the nest makes: `d = x - x[i]; dx = d[:, 0]`.
//!
//! Such a name stands for elements of the memory that the array lies in, as long as that array lies there: when another
//! one is made there, the name still holds the old elements in CPython, which the nest has lost. So a flag says whether
//! that has happened since the name was given its part. If it has, a guard fails when the name is read, and, for a name
//! that may be seen after the nest, at the end of an iteration of the top loop; there the name's value becomes a part
//! of the object that the array becomes.
//!
//! The array's name may begin with an array from outside, of which the memory is a copy. Another flag says whether the
//! part is of that one: then a guard fails at a store into the array, and after the nest the part is a part of the
//! array from outside. An array with parts has no second name.

use nestwise_ir::model::liveout::SameAs;
use nestwise_ir::{Span, Ty, UnOp, VarId};

use crate::lowering::arrays::alias;
use crate::lowering::arrays::memory::Flag;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::refusal::{R, unsupported};

/// Notes that a live range is given a part of what the owner has made.
pub(crate) fn borrow_part(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    owner: LiveRangeId,
    span: Span,
) -> R<()> {
    check_alone(&cx.env, owner, span)?;
    cx.env.facts.changed |= cx.env.facts.borrowed.insert((live, owner));
    // What the array is as long as is asked for when it becomes an object.
    cx.env.facts.demand(owner, |f| &mut f.needs_var);
    if starts(&cx.env, owner).is_some() {
        let left = alias::name_flag(cx, Flag::Left(cx.env.live_ranges.local[owner]));
        let left = build::var(left, Ty::PY_BOOL, span);
        let flag = alias::name_flag(cx, Flag::OfEntry(live));
        cx.builder
            .emit_let(flag, build::unary(UnOp::Not, left, Ty::PY_BOOL, false));
    }
    Ok(())
}

/// Refuses an array that has parts under names and also several names, or several live ranges of its name: flags say
/// which objects names hold, not which arrays parts belong to.
pub(crate) fn check_alone(env: &Environment<'_>, owner: LiveRangeId, span: Span) -> R<()> {
    let name = env.live_ranges.local[owner];
    let live_ranges = env.live_ranges.local.iter().zip(&env.facts.live_ranges);
    let places = live_ranges.filter(|(local, fact)| **local == name && fact.made.is_some());
    // Given to itself, it has other memory.
    let again = alias::names(env, name).len() > 1 && places.count() > 1
        || env.facts.aliases.contains(&(name, name));
    match again && !borrowers(env, owner).is_empty() {
        true => Err(unsupported(
            "a name of a part of an array that has several names",
            span,
        )),
        false => Ok(()),
    }
}

/// The array from outside that a live range's name begins with.
fn starts(env: &Environment<'_>, owner: LiveRangeId) -> Option<u32> {
    let made = env.facts.live_ranges[owner].made.as_ref();
    made.and_then(|made| made.starts)
}

/// The live ranges that hold parts of what this one has made.
fn borrowers(env: &Environment<'_>, owner: LiveRangeId) -> Vec<LiveRangeId> {
    let borrowed = env.facts.borrowed.iter();
    let own = borrowed.filter(|(_, of)| *of == owner);
    own.map(|(live, _)| *live).collect()
}

/// Emits guards, before a store into what a live range has made, that no name holds a part of the array from outside
/// that its name began with.
pub(crate) fn check_no_part_of_entry(cx: &mut Lowering<'_>, owner: LiveRangeId, span: Span) {
    if starts(&cx.env, owner).is_some() {
        for live in borrowers(&cx.env, owner) {
            let flag = build::var(alias::name_flag(cx, Flag::OfEntry(live)), Ty::PY_BOOL, span);
            cx.builder
                .emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
        }
    }
}

/// The objects that a part may belong to after the nest, each with the variable of its flag.
pub(crate) fn parts_objects(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    owner: LiveRangeId,
) -> Vec<(VarId, SameAs)> {
    let entry = starts(&cx.env, owner).map(SameAs::Entry);
    let entry = entry.map(|entry| (alias::name_flag(cx, Flag::OfEntry(live)), entry));
    entry
        .into_iter()
        .chain(alias::same_objects(cx, owner))
        .collect()
}

/// Whether a live range may hold a part of what the owner has made.
pub(crate) fn is_borrowed(env: &Environment<'_>, live: LiveRangeId, owner: LiveRangeId) -> bool {
    env.facts.borrowed.contains(&(live, owner))
}

fn borrows(env: &Environment<'_>, live: LiveRangeId) -> bool {
    env.facts.borrowed.iter().any(|(name, _)| *name == live)
}

/// Notes that a live range now holds its part.
pub(crate) fn part_is_there(cx: &mut Lowering<'_>, live: LiveRangeId, span: Span) {
    if borrows(&cx.env, live) {
        set_gone(cx, live, false, span);
        cx.memory.parts.give(live);
    }
}

/// Notes that another array is made in the memory that parts belong to.
pub(crate) fn parts_are_gone(cx: &mut Lowering<'_>, owner: LiveRangeId, span: Span) {
    for live in borrowers(&cx.env, owner) {
        set_gone(cx, live, true, span);
        cx.memory.parts.take(live);
        if starts(&cx.env, owner).is_some() {
            let flag = alias::name_flag(cx, Flag::OfEntry(live));
            cx.builder
                .emit_let(flag, build::boolean(false, Ty::PY_BOOL, span));
        }
    }
}

fn set_gone(cx: &mut Lowering<'_>, live: LiveRangeId, gone: bool, span: Span) {
    let flag = alias::name_flag(cx, Flag::Gone(live));
    cx.builder
        .emit_let(flag, build::boolean(gone, Ty::PY_BOOL, span));
}

/// Emits a guard, before a name is read, that it still has its part; none where the statements before show that it has.
pub(crate) fn check_part_is_there(cx: &mut Lowering<'_>, live: LiveRangeId, span: Span) {
    if borrows(&cx.env, live) && !cx.memory.parts.is_there(live) {
        check_not_gone(cx, live, span);
    }
}

fn check_not_gone(cx: &mut Lowering<'_>, live: LiveRangeId, span: Span) {
    let gone = build::var(alias::name_flag(cx, Flag::Gone(live)), Ty::PY_BOOL, span);
    cx.builder
        .emit_check(build::unary(UnOp::Not, gone, Ty::PY_BOOL, false));
}

/// Emits guards, before an iteration of the top loop ends, that names which may be seen after the nest have their
/// parts.
pub(crate) fn check_parts_left(cx: &mut Lowering<'_>, span: Span) -> R<()> {
    let borrowed: Vec<LiveRangeId> = cx
        .env
        .facts
        .borrowed
        .iter()
        .map(|(live, _)| *live)
        .collect();
    for live in borrowed {
        let place = cx.env.hir.locals.get(cx.env.live_ranges.local[live]);
        let exits = cx.env.live_ranges.exit.get(cx.env.live_ranges.local[live]);
        let last = exits.is_some_and(|defs| {
            defs.iter()
                .any(|def| cx.env.live_ranges.of_def.get(*def) == Some(&live))
        });
        if place.is_some_and(|l| l.path.is_some()) && last {
            if cx.memory.parts.is_gone(live) {
                let what = "a name of a part of an array that the loop makes anew behind it";
                return Err(unsupported(what, span));
            }
            check_part_is_there(cx, live, span);
        }
    }
    Ok(())
}
