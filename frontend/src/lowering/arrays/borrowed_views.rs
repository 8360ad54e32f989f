//! Names of parts of arrays that the nest makes: `d = x - x[i]; dx = d[:, 0]`.
//!
//! Such a name stands for elements of the memory that the array lies in, as long as that is the array: when another one is made
//! there, the name goes on to have what CPython has kept for it, and the nest has not. So a flag says whether that has happened since
//! the name was given its part. A read is an event then, and so is the end of an iteration of the top loop with a name that somebody
//! may look at behind the nest; there it becomes a part of the object that the array becomes.
//!
//! The array's name may begin with an array from outside, of which its memory is a copy. Another flag says whether the part is of that
//! one: a store through it is an event then, and behind the nest it is a part of that. An array with parts has no second name.

use nestwise_ir::model::liveout::SameAs;
use nestwise_ir::{Span, Ty, UnOp, VarId};

use crate::lowering::arrays::alias;
use crate::lowering::arrays::memory::Flag;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::types::live_ranges::WebId;
use crate::refusal::{R, unsupported};

/// A web is given a part of what the owner has made.
pub(crate) fn borrow_part(cx: &mut Lowering<'_>, web: WebId, owner: WebId, span: Span) -> R<()> {
    check_alone(&cx.env, owner, span)?;
    cx.env.facts.changed |= cx.env.facts.borrowed.insert((web, owner));
    // What the array is as long as is asked for when it becomes an object.
    cx.env.facts.demand(owner, |f| &mut f.needs_var);
    if starts(&cx.env, owner).is_some() {
        let left = alias::name_flag(cx, Flag::Left(cx.env.webs.local[owner]));
        let left = build::var(left, Ty::PY_BOOL, span);
        let flag = alias::name_flag(cx, Flag::OfEntry(web));
        cx.builder
            .emit_let(flag, build::unary(UnOp::Not, left, Ty::PY_BOOL, false));
    }
    Ok(())
}

/// An array of which there are parts has one name, or its name has nothing but arrays that lie there: flags tell of names what
/// objects they hold, not of what parts are of.
pub(crate) fn check_alone(env: &Environment<'_>, owner: WebId, span: Span) -> R<()> {
    let name = env.webs.local[owner];
    let webs = env.webs.local.iter().zip(&env.facts.webs);
    let places = webs.filter(|(local, fact)| **local == name && fact.made.is_some());
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

/// The array from outside that a web's name begins with.
fn starts(env: &Environment<'_>, owner: WebId) -> Option<u32> {
    let made = env.facts.webs[owner].made.as_ref();
    made.and_then(|made| made.starts)
}

/// The webs of names of parts of what one has made.
fn borrowers(env: &Environment<'_>, owner: WebId) -> Vec<WebId> {
    let borrowed = env.facts.borrowed.iter();
    let own = borrowed.filter(|(_, of)| *of == owner);
    own.map(|(web, _)| *web).collect()
}

/// Before a store into what a web has made: no name has it as a part of what is outside.
pub(crate) fn check_no_part_of_entry(cx: &mut Lowering<'_>, owner: WebId, span: Span) {
    if starts(&cx.env, owner).is_some() {
        for web in borrowers(&cx.env, owner) {
            let flag = build::var(alias::name_flag(cx, Flag::OfEntry(web)), Ty::PY_BOOL, span);
            cx.builder
                .emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
        }
    }
}

/// What the object may be that a part is of.
pub(crate) fn parts_objects(
    cx: &mut Lowering<'_>,
    web: WebId,
    owner: WebId,
) -> Vec<(VarId, SameAs)> {
    let entry = starts(&cx.env, owner).map(SameAs::Entry);
    let entry = entry.map(|entry| (alias::name_flag(cx, Flag::OfEntry(web)), entry));
    entry
        .into_iter()
        .chain(alias::same_objects(cx, owner))
        .collect()
}

pub(crate) fn is_borrowed(env: &Environment<'_>, web: WebId, owner: WebId) -> bool {
    env.facts.borrowed.contains(&(web, owner))
}

fn borrows(env: &Environment<'_>, web: WebId) -> bool {
    env.facts.borrowed.iter().any(|(name, _)| *name == web)
}

/// A web was given its part.
pub(crate) fn part_is_there(cx: &mut Lowering<'_>, web: WebId, span: Span) {
    if borrows(&cx.env, web) {
        set_gone(cx, web, false, span);
        cx.memory.parts.give(web);
    }
}

/// Another array is made where parts were of.
pub(crate) fn parts_are_gone(cx: &mut Lowering<'_>, owner: WebId, span: Span) {
    for web in borrowers(&cx.env, owner) {
        set_gone(cx, web, true, span);
        cx.memory.parts.take(web);
        if starts(&cx.env, owner).is_some() {
            let flag = alias::name_flag(cx, Flag::OfEntry(web));
            cx.builder
                .emit_let(flag, build::boolean(false, Ty::PY_BOOL, span));
        }
    }
}

fn set_gone(cx: &mut Lowering<'_>, web: WebId, gone: bool, span: Span) {
    let flag = alias::name_flag(cx, Flag::Gone(web));
    cx.builder
        .emit_let(flag, build::boolean(gone, Ty::PY_BOOL, span));
}

/// Before a name is read: it has its part. Where that was given to it a few statements before, and nothing made since, nothing
/// needs to ask.
pub(crate) fn check_part_is_there(cx: &mut Lowering<'_>, web: WebId, span: Span) {
    if borrows(&cx.env, web) && !cx.memory.parts.is_there(web) {
        check_not_gone(cx, web, span);
    }
}

fn check_not_gone(cx: &mut Lowering<'_>, web: WebId, span: Span) {
    let gone = build::var(alias::name_flag(cx, Flag::Gone(web)), Ty::PY_BOOL, span);
    cx.builder
        .emit_check(build::unary(UnOp::Not, gone, Ty::PY_BOOL, false));
}

/// Before an iteration of the top loop ends: names that somebody may look at afterwards have their parts.
pub(crate) fn check_parts_left(cx: &mut Lowering<'_>, span: Span) -> R<()> {
    let borrowed: Vec<WebId> = cx.env.facts.borrowed.iter().map(|(web, _)| *web).collect();
    for web in borrowed {
        let place = cx.env.hir.locals.get(cx.env.webs.local[web]);
        let exits = cx.env.webs.exit.get(cx.env.webs.local[web]);
        let last = exits.is_some_and(|defs| {
            defs.iter()
                .any(|def| cx.env.webs.of_def.get(*def) == Some(&web))
        });
        if place.is_some_and(|l| l.place.is_some()) && last {
            if cx.memory.parts.is_gone(web) {
                let what = "a name of a part of an array that the loop makes anew behind it";
                return Err(unsupported(what, span));
            }
            check_part_is_there(cx, web, span);
        }
    }
    Ok(())
}
