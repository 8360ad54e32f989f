//! The memory of arrays that operations make and the program gives names to.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{ArrayKind, Extent, Scalar, Span, Ty, UnOp, Work};

use crate::lowering::arrays::alias::{self, MAX_NAMES};
use crate::lowering::arrays::memory::Flag;
use crate::lowering::arrays::{
    borrowed_views, elementwise, materialise, shapes, temporary, updates,
};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::lists::make;
use crate::lowering::types::facts::Made;
use crate::lowering::types::kinds::Kind;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::value::section::{self, Section};
use crate::lowering::value::tree::{Elementwise, Like, Node};
use crate::refusal::{R, unsupported};
use crate::site::captures::Capture;

/// The array at entry of a live range, if it has one: the type of its elements, the extents of its axes, and its
/// capture.
fn at_start(env: &Environment<'_>, live: LiveRangeId) -> Option<(Scalar, Like, u32)> {
    let local = env.live_ranges.entry.get(live).copied().flatten()?;
    let capture = env.hir.locals.get(local)?.capture?;
    match env.captures.get(capture as usize)? {
        Capture::Array {
            kind: ArrayKind::Ndarray,
            storage,
            rank,
            ..
        } => {
            let axis = |axis| Extent::Axis {
                capture,
                axis,
                plus: 0,
            };
            Some((*storage, (0..*rank).map(axis).collect(), capture))
        }
        _ => None,
    }
}

/// Computes an array into the memory of a live range; `None` if its type is not known in this round.
pub(crate) fn make(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Section>> {
    if matches!(&tree.node, Node::Part(section) if cx.builder.arrays[section.array].list) {
        return make::make_list(cx, live, tree, span);
    }
    let turned = tree.node.turns() || matches!(tree.node, Node::Turned(_));
    if turned && tree.shape.len() > 1 {
        return Err(unsupported(
            "a name of a transposed array, or of what is computed of one",
            span,
        ));
    }
    if tree.lent {
        return Err(unsupported(
            "a name of a view of an array that nothing names",
            span,
        ));
    }
    let Some(kind) = elementwise::element_kind(cx, tree, span)? else {
        return Ok(None);
    };
    let Kind::Np(storage) = kind else {
        return Err(temporary::no_size(span));
    };
    if cx.env.facts.live_ranges[live].made.is_none() {
        let made = match at_start(&cx.env, live) {
            Some((storage, like, capture)) => Made {
                storage,
                like,
                starts: Some(capture),
                list: None,
            },
            None => Made {
                storage,
                like: tree.like.clone().ok_or_else(|| temporary::no_size(span))?,
                starts: None,
                list: None,
            },
        };
        cx.env.facts.restart |= made.starts.is_some();
        cx.env.facts.live_ranges[live].made = Some(made);
        cx.env.facts.changed = true;
    }
    let Some((array, made)) = temporary::made_array(cx, live, span)? else {
        return Ok(None);
    };
    if made.list.is_some() || made.storage != storage || made.like.len() != tree.shape.len() {
        return Err(cx.env.type_changes(live, span));
    }
    let to = match made.starts {
        Some(_) => {
            let whole = temporary::all_of(cx, array, span)?;
            for (x, y) in whole.shape().iter().zip(&tree.shape) {
                shapes::check_alike(&mut cx.builder, x, y, span);
            }
            whole
        }
        None => {
            let shape: Vec<Expr> = tree
                .shape
                .iter()
                .map(|e| temporary::length(&mut cx.builder, e))
                .collect();
            temporary::first_of_array(cx, array, &made.like, &shape, span)?
        }
    };
    temporary::may_be_made(cx, array, &made, span)?;
    updates::made_anew(cx, live, span);
    let viewed = tree.viewed.then(|| build::boolean(true, Ty::PY_BOOL, span));
    alias::note_viewed(cx, live, viewed, span);
    shapes::not_empty_of(&mut cx.builder, &tree.node, storage, &tree.shape, span);
    let operations = tree.node.operations() + f64::from(u8::from(tree.fresh));
    cx.builder.tally(Work::ArrayCall, operations);
    let mut clobber_free = true;
    tree.node.sections(&mut |source, here| {
        clobber_free &= source.array != array || here && section::is_clobber_free(&to, source);
    });
    if clobber_free {
        materialise::store_all(cx, &to, false, &tree.node, operations, span)?;
        return Ok(Some(to));
    }
    materialise::store_afterwards(
        cx,
        &to,
        Some(made.like),
        false,
        &tree.node,
        operations,
        span,
    )?;
    Ok(Some(to))
}

/// Lowers `name = other`, where `other` is an array that `owner` has made, or holds at first.
pub(crate) fn name_again(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    owner: LiveRangeId,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Section>> {
    let (name, other) = (
        cx.env.live_ranges.local[live],
        cx.env.live_ranges.local[owner],
    );
    cx.env.facts.changed |= cx.env.facts.aliases.insert((name, other));
    for live in [live, owner] {
        borrowed_views::check_alone(&cx.env, live, span)?;
    }
    let names = alias::names(&cx.env, name);
    if names.len() > MAX_NAMES {
        return Err(unsupported("so many names of one array", span));
    }
    if name == other && (names.len() > 1 || cx.env.facts.borrowed.iter().any(|b| b.1 == owner)) {
        // The copy would count as an array of its own.
        return Err(unsupported("a name that is assigned what it holds", span));
    }
    let Some(section) = make(cx, live, tree, span)? else {
        return Ok(None);
    };
    if name == other {
        return Ok(Some(section));
    }
    let read = |var| build::var(var, Ty::PY_BOOL, span);
    if cx.env.facts.live_ranges[owner].viewed {
        let viewed = read(alias::name_flag(cx, Flag::Viewed(owner)));
        alias::note_viewed(cx, live, Some(viewed), span);
    }
    for third in &names[1..] {
        let now = match *third == other {
            true => build::boolean(true, Ty::PY_BOOL, span),
            false => read(alias::same(cx, other, *third)),
        };
        let flag = alias::same(cx, name, *third);
        cx.builder.emit_let(flag, now);
    }
    for (first, _) in alias::starting(&cx.env, &names) {
        let mut now = read(alias::name_flag(cx, Flag::Entry(other, first)));
        if first == other {
            let left = read(alias::name_flag(cx, Flag::Left(other)));
            now = build::or(now, build::unary(UnOp::Not, left, Ty::PY_BOOL, false));
        }
        let flag = alias::name_flag(cx, Flag::Entry(name, first));
        cx.builder.emit_let(flag, now);
    }
    Ok(Some(section))
}
