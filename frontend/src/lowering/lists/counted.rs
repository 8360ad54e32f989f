//! Lists that a nest makes and whose length only running tells: `found = []` with `found.append(x)`, `[x for x in xs if
//! x > 0]`.
//!
//! Such a list lies at the beginning of memory of the nest's own, and the variable of its name that says how long the
//! part is ([`crate::lowering::arrays::named_views`]) counts its elements. Where its name is read it is a section of
//! that length. They are made by [`crate::lowering::lists::make`] and grow by [`crate::lowering::lists::grow`].

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{ArrayId, BinOp, Span, Ty, Work};

use crate::builtins::Known;
use crate::lowering::arrays::access;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir;
use crate::lowering::scalar::convert;
use crate::lowering::types::facts::Source;
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::variables;
use crate::lowering::value::Val;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::view::View;
use crate::refusal::{R, unsupported};

/// The most elements of a list that is appended to: its memory is taken before the nest runs, and most of it is never
/// touched.
pub(crate) const MOST: u32 = 1 << 16;

/// Whether a live range holds a list whose length only running tells.
pub(crate) fn is_counted(cx: &Lowering<'_>, live: LiveRangeId, source: Source) -> bool {
    let counted = |live: LiveRangeId| cx.env.facts.live_ranges[live].counted;
    counted(live) || matches!(source, Source::Made(owner) if counted(owner))
}

/// Whether an expression is the name of such a list.
fn names_counted(env: &Environment<'_>, e: &hir::Expr) -> bool {
    let hir::ExprKind::Read(read) = &e.kind else {
        return false;
    };
    let live = env.live_ranges.of_occ.get(read.occ).copied().flatten();
    live.is_some_and(|live| env.facts.live_ranges[live].counted)
}

/// Whether only running tells how many items an iterable has: such a list, or the digits of an int.
pub(crate) fn only_running_tells(env: &Environment<'_>, iter: &hir::Expr) -> bool {
    let known = match &iter.kind {
        hir::ExprKind::Call { known, .. } => Some(known),
        _ => None,
    };
    matches!(known, Some(Known::Host(_))) || names_counted(env, iter)
}

/// The value of a name of such a list: the section with as many elements as were counted.
pub(crate) fn read(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    source: Source,
    section: &Section,
    span: Span,
) -> Val {
    let mut len = section.shape().swap_remove(0);
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
pub(crate) fn first_of(capture: u32, array: ArrayId, len: Expr, span: Span) -> Section {
    let start = Expr::int(0, span);
    let step = 1;
    Section {
        capture,
        array,
        axes: vec![Axis::Range { start, len, step }],
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
    let len = list.shape().swap_remove(0);
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
