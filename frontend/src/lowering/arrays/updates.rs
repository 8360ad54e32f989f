//! The effect of a store into an array that the nest makes, or of a new array under its name, on other names of it.

use nestwise_ir::{ArrayId, Span, Ty, UnOp};

use crate::lowering::arrays::memory::Flag;
use crate::lowering::arrays::{alias, borrowed_views};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::types::live_ranges::LiveRangeId;

/// Notes, in flags, that a live range's name holds a new array.
pub(crate) fn made_anew(cx: &mut Lowering<'_>, live: LiveRangeId, span: Span) {
    borrowed_views::parts_are_gone(cx, live, span);
    let name = cx.env.live_ranges.local[live];
    let names = alias::names(&cx.env, name);
    let mut borrowed = cx.env.facts.borrowed.iter();
    let is_asked_for = cx.env.facts.updated.contains(&name)
        || borrowed.any(|(_, owner)| cx.env.live_ranges.local[*owner] == name);
    if names.len() == 1 && is_asked_for {
        let left = alias::name_flag(cx, Flag::Left(name));
        cx.builder
            .emit_let(left, build::boolean(true, Ty::PY_BOOL, span));
    }
    if names.len() == 1 {
        return;
    }
    let no = || build::boolean(false, Ty::PY_BOOL, span);
    for other in &names[1..] {
        let flag = alias::same(cx, name, *other);
        cx.builder.emit_let(flag, no());
    }
    for (first, _) in alias::starting(&cx.env, &names) {
        let flag = alias::name_flag(cx, Flag::Entry(name, first));
        cx.builder.emit_let(flag, no());
        if first == name {
            let left = alias::name_flag(cx, Flag::Left(name));
            cx.builder
                .emit_let(left, build::boolean(true, Ty::PY_BOOL, span));
        }
    }
}

/// Emits a guard, before a store, that the name no longer holds the array from outside that it began with, which other
/// names outside may hold.
pub(crate) fn check_left(cx: &mut Lowering<'_>, array: ArrayId, span: Span) {
    let Some(owner) = alias::owner(cx, array) else {
        return;
    };
    let name = cx.env.live_ranges.local[owner];
    cx.env.facts.changed |= cx.env.facts.updated.insert(name);
    let left = alias::name_flag(cx, Flag::Left(name));
    cx.builder.emit_check(build::var(left, Ty::PY_BOOL, span));
}

/// Emits guards, before a store, that the array has one name, no part under a name that belongs to an array from
/// outside, and is not the array that another name held at entry.
pub(crate) fn check_one_name(cx: &mut Lowering<'_>, array: ArrayId, span: Span) {
    let Some(owner) = alias::owner(cx, array) else {
        return;
    };
    borrowed_views::check_no_part_of_entry(cx, owner, span);
    let names = alias::names(&cx.env, cx.env.live_ranges.local[owner]);
    for other in &names[1..] {
        let flag = build::var(alias::same(cx, names[0], *other), Ty::PY_BOOL, span);
        cx.builder
            .emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
    }
    if names.len() > 1 {
        for (first, _) in alias::starting(&cx.env, &names) {
            let flag = alias::name_flag(cx, Flag::Entry(names[0], first));
            let flag = build::var(flag, Ty::PY_BOOL, span);
            cx.builder
                .emit_check(build::unary(UnOp::Not, flag, Ty::PY_BOOL, false));
        }
    }
}
