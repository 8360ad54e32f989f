//! Second names of arrays that operations make: `x = x_new`, `before = x`.
//!
//! The second name gets a copy. Two things tell a copy from one object with two names: a store into it through one of
//! them, and what the names hold afterwards. So for each two names that may hold one object, a flag says whether they
//! do. A store into an array that has two names is a guard failure, and after the nest both names are bound to one
//! object.

use std::collections::BTreeSet;

use nestwise_ir::model::liveout::SameAs;
use nestwise_ir::{ArrayId, Expr, Span, Ty, VarId};

use crate::lowering::arrays::memory::Flag;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::LocalId;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::value::tree::{Elementwise, Node};

/// The most names of one array whose flags are kept.
pub(crate) const MAX_NAMES: usize = 4;

/// The names that may hold the same object as `name`, which comes first.
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

/// The names, out of `names`, that at first hold arrays from outside, each with its capture.
pub(crate) fn starting(env: &Environment<'_>, names: &[LocalId]) -> Vec<(LocalId, u32)> {
    let live_ranges = env.live_ranges.local.iter().zip(&env.facts.live_ranges);
    let starts = live_ranges.filter_map(|(name, fact)| Some((*name, fact.made.as_ref()?.starts?)));
    starts.filter(|(name, _)| names.contains(name)).collect()
}

/// The variable of a flag.
pub(crate) fn name_flag(cx: &mut Lowering<'_>, flag: Flag) -> VarId {
    if let Some(var) = cx.memory.flags.get(&flag) {
        return *var;
    }
    let var = cx.builder.hidden(Ty::PY_BOOL);
    cx.memory.flags.insert(flag, var);
    var
}

/// The variable of the flag that two names hold one object.
pub(crate) fn same(cx: &mut Lowering<'_>, a: LocalId, b: LocalId) -> VarId {
    name_flag(cx, Flag::Same(a.min(b), a.max(b)))
}

/// Notes whether a live range's name holds a view from here on. `viewed`: the condition; `None`: it does not.
pub(crate) fn note_viewed(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    viewed: Option<Expr>,
    span: Span,
) {
    let known = cx.env.facts.live_ranges[live].viewed;
    if viewed.is_some() && !known {
        cx.env.facts.live_ranges[live].viewed = true;
        cx.env.facts.changed = true;
    }
    if viewed.is_some() || known {
        let no = build::boolean(false, Ty::PY_BOOL, span);
        let flag = name_flag(cx, Flag::Viewed(live));
        cx.builder.emit_let(flag, viewed.unwrap_or(no));
    }
}

/// The variable of the flag that a live range's name holds a view; `None` if it never does.
pub(crate) fn viewed(cx: &mut Lowering<'_>, live: LiveRangeId) -> Option<VarId> {
    let ever = cx.env.facts.live_ranges[live].viewed;
    ever.then(|| name_flag(cx, Flag::Viewed(live)))
}

/// The live range whose assignments make the array in this memory, if there is one.
pub(crate) fn owner(cx: &Lowering<'_>, array: ArrayId) -> Option<LiveRangeId> {
    let mut made = cx.memory.made.iter();
    made.find(|(_, own)| **own == array).map(|(live, _)| *live)
}

/// Whether no name other than those in `own` may hold the array.
pub(crate) fn is_named_by(cx: &Lowering<'_>, tree: &Elementwise, own: &[LocalId]) -> bool {
    let owner = match &tree.node {
        Node::Part(section) => owner(cx, section.array),
        _ => None,
    };
    let Some(owner) = owner else { return true };
    names(&cx.env, cx.env.live_ranges.local[owner])
        .iter()
        .all(|name| own.contains(name))
}

/// The other objects that a live range's name may hold at the end, each with the variable of its flag.
pub(crate) fn same_objects(cx: &mut Lowering<'_>, live: LiveRangeId) -> Vec<(VarId, SameAs)> {
    let names = names(&cx.env, cx.env.live_ranges.local[live]);
    let mut all = vec![];
    for other in &names[1..] {
        let flag = same(cx, names[0], *other);
        let live_ranges = &cx.env.live_ranges.local;
        let made = cx
            .memory
            .made
            .iter()
            .filter(|(live, _)| live_ranges[**live] == *other);
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
