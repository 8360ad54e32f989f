//! Names of parts of arrays (`column = A[:, k]`), and of arrays that are made (`d = A[i] - A[j]`).
//!
//! A part's name stands for the array and the numbers that say which part it is. An array that is made has memory of
//! its own for each live range, which the next assignment overwrites: another name of the whole array gets a copy
//! ([`crate::lowering::arrays::alias`]), and the name of a part borrows that memory
//! ([`crate::lowering::arrays::borrowed_views`]).

use nestwise_ir::model::liveout::MadeArray;
use nestwise_ir::model::nest::{Expr, PartAxis};
use nestwise_ir::{ArrayKind, LiveOutKind, Span, Ty, VarId};

use crate::lowering::arrays::{alias, borrowed_views, elementwise, named_arrays, temporary};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::environment::Subst;
use crate::lowering::hir::Def;
use crate::lowering::lists::make;
use crate::lowering::live_outs::observe;
use crate::lowering::names::{slots, swaps};
use crate::lowering::types::facts::{PartFact, Source};
use crate::lowering::types::live_ranges::LiveRangeId;
use crate::lowering::types::variables;
use crate::lowering::value::Val;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse, unsupported};

/// The form of a section: for each axis the step of a range, or `None` for a single position or a new axis.
fn pattern(section: &Section) -> Vec<Option<i64>> {
    let step = |axis: &Axis| match axis {
        Axis::At(_) | Axis::New => None,
        Axis::Range { step, .. } => Some(*step),
    };
    section.axes.iter().map(step).collect()
}

/// The numbers that, with its form, say which part of an array a section is.
pub(crate) fn numbers(section: &Section) -> Vec<Expr> {
    let of = |axis: &Axis| match axis {
        Axis::At(e) => vec![e.clone()],
        Axis::New => vec![],
        Axis::Range { start, len, .. } => vec![start.clone(), len.clone()],
    };
    section.axes.iter().flat_map(of).collect()
}

/// The section of the form of `like` with these numbers.
fn from_numbers(like: &Section, numbers: &[Expr]) -> Section {
    let mut numbers = numbers.iter().cloned();
    let mut next = || {
        numbers
            .next()
            .unwrap_or_else(|| Expr::int(0, Span::default()))
    };
    let axis = |axis: &Axis| match axis {
        Axis::At(_) => Axis::At(next()),
        Axis::New => Axis::New,
        Axis::Range { step, .. } => Axis::Range {
            start: next(),
            len: next(),
            step: *step,
        },
    };
    Section {
        axes: like.axes.iter().map(axis).collect(),
        ..*like
    }
}

/// The array that a name is given.
enum Named {
    /// A part of an array from this source.
    As(Source),
    /// All of the array that a live range's assignments have made, which gets another name.
    Again(LiveRangeId),
}

/// Assigns a part of an array, or an array that is computed, to a local.
pub(crate) fn assign_array(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    tree: Elementwise,
    span: Span,
) -> R<()> {
    let (source, section) = match tree.part() {
        Some(section) if section.has_new_axes() => {
            return Err(unsupported("a name of an array with a new axis", span));
        }
        Some(section) => match source_of(cx, section, def, live, tree.whole, span)? {
            Named::As(source) => {
                if !tree.whole {
                    cx.env.facts.demand(live, |f| &mut f.is_partial);
                }
                (source, section.clone())
            }
            Named::Again(owner) => match named_arrays::name_again(cx, live, owner, &tree, span)? {
                Some(section) => (Source::Made(live), section),
                None => return Ok(()),
            },
        },
        None => match named_arrays::make(cx, live, &tree, span)? {
            Some(section) => (Source::Made(live), section),
            None => return Ok(()),
        },
    };
    assign_part(cx, def, live, source, section, span)
}

/// Assigns a new list to a local.
pub(crate) fn assign_list(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    list: Elementwise,
    span: Span,
) -> R<()> {
    match make::make_list(cx, live, &list, span)? {
        Some(section) => assign_part(cx, def, live, Source::Made(live), section, span),
        None => Ok(()),
    }
}

fn assign_part(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    source: Source,
    section: Section,
    span: Span,
) -> R<()> {
    let part = PartFact {
        source,
        axes: pattern(&section),
    };
    let fact = &mut cx.env.facts.live_ranges[live];
    match &fact.part {
        None => {
            fact.part = Some(part);
            cx.env.facts.changed = true;
        }
        Some(before) if *before == part => {}
        Some(_) => return Err(cx.env.type_changes(live, span)),
    }
    let fact = &cx.env.facts.live_ranges[live];
    if !fact.kinds.is_empty() || (fact.view.is_some() && !fact.carries()) {
        return Err(cx.env.type_changes(live, span));
    }
    name_part(cx, def, live, section, span)
}

/// Whether a live range that is assigned an array from outside also holds another one, or arrays that the nest makes,
/// so that it may have to hold arrays that the nest makes throughout.
pub(crate) fn may_become_made(cx: &Lowering<'_>, live: LiveRangeId, view: &View) -> bool {
    let fact = &cx.env.facts.live_ranges[live];
    let whole = view.index.is_empty() && cx.builder.arrays[view.array].kind == ArrayKind::Ndarray;
    let other = matches!(fact.view, Some((capture, 0)) if capture != view.capture);
    whole && fact.kinds.is_empty() && (other || fact.made.is_some())
}

/// Assigns an array from outside as a copy; the site is refused if that is still so in the last round.
pub(crate) fn assign_from_outside(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    view: View,
    span: Span,
) -> R<()> {
    cx.memory.outside.get_or_insert((live, span));
    let tree = elementwise::operand(cx, Val::View(view), span)?;
    match named_arrays::make(cx, live, &tree, span)? {
        Some(section) => assign_part(cx, def, live, Source::Made(live), section, span),
        None => Ok(()),
    }
}

/// The source of a part of an array, or of all of one. Memory of the nest's own belongs to one name.
fn source_of(
    cx: &mut Lowering<'_>,
    section: &Section,
    def: Def,
    live: LiveRangeId,
    whole: bool,
    span: Span,
) -> R<Named> {
    if cx.builder.arrays[section.array].kind != ArrayKind::Scratch {
        return Ok(Named::As(Source::Capture(section.capture)));
    }
    match alias::owner(cx, section.array) {
        Some(owner) if !whole && owner != live => {
            borrowed_views::borrow_part(cx, live, owner, span)?;
            Ok(Named::As(Source::Made(owner)))
        }
        Some(owner) if cx.memory.takes_over.contains(&def.def) => {
            if owner != live && cx.env.live_ranges.entry[live].is_some() {
                cx.env.facts.join.get_or_insert(def.local);
            }
            Ok(Named::As(Source::Made(owner)))
        }
        Some(owner) if returns_own(cx, def, owner) => Ok(Named::As(Source::Made(owner))),
        Some(owner) if owner == live && whole => Ok(Named::As(Source::Made(live))),
        Some(owner) if whole => Ok(Named::Again(owner)),
        _ => {
            let what = "a name of a part of an array that the loop makes".into();
            Err(refuse(span, Refusal::Unsupported { what }))
        }
    }
}

/// Whether a call returns an array that it has made, so that the call's own name of it is gone then.
fn returns_own(cx: &Lowering<'_>, def: Def, owner: LiveRangeId) -> bool {
    let local = cx.env.live_ranges.local.get(owner);
    cx.control.open_calls.last().is_some_and(|call| {
        call.results.contains(&def.local) && local.is_some_and(|l| call.own.contains(l))
    })
}

/// How an assignment passes on what lies in memory of the nest's own.
pub(crate) enum Passed {
    /// To a parameter, or to the name that has it.
    On,
    /// To the result of the call that has made it.
    Back,
    /// Not at all: it is another name of the same object.
    No,
}

/// How an assignment passes on memory of the nest's own.
pub(crate) fn passes_on(
    cx: &Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    tree: &Elementwise,
) -> Passed {
    let Some(owner) = tree.part().and_then(|s| alias::owner(cx, s.array)) else {
        return Passed::No;
    };
    match owner == live || cx.memory.takes_over.contains(&def.def) {
        true => Passed::On,
        false if returns_own(cx, def, owner) => Passed::Back,
        false => Passed::No,
    }
}

/// Whether a value is an array that a call has made and returned: nobody else has it.
pub(crate) fn is_own_result(builder: &Builder, tree: &Elementwise) -> bool {
    let Node::Part(section) = &tree.node else {
        return false;
    };
    builder.arrays[section.array].kind == ArrayKind::Scratch
}

fn name_part(
    cx: &mut Lowering<'_>,
    def: Def,
    live: LiveRangeId,
    section: Section,
    span: Span,
) -> R<()> {
    let observed = cx.env.observed(def);
    // The length of a list that is counted changes without an assignment.
    let counted = cx.env.facts.live_ranges[live].counted;
    let alone = cx.env.alone(def.def, live) && !counted;
    let before = numbers(&section);
    let stable = before.iter().all(|e| cx.builder.is_stable(e, 8));
    let needs_var = cx.env.facts.live_ranges[live].needs_var;
    let mut section = section;
    if observed || needs_var || !(alone && stable) {
        let vars = variables::view_variables(cx, live, before.len());
        // The numbers may be computed from the very variables being assigned.
        let before: Vec<Expr> = before.into_iter().map(|e| cx.builder.spill(e)).collect();
        for (var, e) in vars.iter().zip(before) {
            cx.builder.emit_let(*var, e);
            if alone {
                cx.builder.stable.push(*var);
            }
        }
        if !(alone && stable) {
            section = from_numbers(&section, &read_vars(&vars, span));
        }
    }
    if observed {
        observe::observe_part(cx, def, live, &section, span)?;
    }
    if alone {
        cx.env.substs.push((live, Subst::Part(section)));
    }
    borrowed_views::part_is_there(cx, live, span);
    Ok(())
}

fn read_vars(vars: &[VarId], span: Span) -> Vec<Expr> {
    let read = |v: &VarId| build::var(*v, Ty::PY_INT, span);
    vars.iter().map(read).collect()
}

/// The value of a name of a part, where it is read.
pub(crate) fn read_part(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    part: &PartFact,
    subst: Option<Subst>,
    stale: bool,
    span: Span,
) -> R<Elementwise> {
    if let Source::Capture(capture) = part.source
        && stale
        && swaps::trades_places(&cx.env, capture)
    {
        let what = format!("{} across a swap of arrays", cx.env.name_of(live));
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    borrowed_views::check_part_is_there(cx, live, span);
    let whole =
        matches!(part.source, Source::Made(_)) && !cx.env.facts.live_ranges[live].is_partial;
    let of = |cx: &Lowering<'_>, section| Elementwise {
        whole,
        ..Elementwise::of(section, &cx.builder.arrays)
    };
    if let Some(Subst::Part(section)) = subst {
        return Ok(of(cx, section));
    }
    let (capture, array) = array_of(cx, part.source, span)?;
    if let (Source::Made(owner), Some(made)) =
        (part.source, cx.env.facts.live_ranges[live].made.clone())
        && made.starts.is_some()
        && owner == live
    {
        // Its shape is one from the beginning to the end.
        let whole = temporary::all_of(cx, array, span)?;
        return Ok(of(cx, whole));
    }
    cx.env.facts.demand(live, |f| &mut f.needs_var);
    let zero = || Expr::int(0, span);
    let axis = |step: &Option<i64>| match step {
        None => Axis::At(zero()),
        Some(step) => Axis::Range {
            start: zero(),
            len: zero(),
            step: *step,
        },
    };
    let like = Section {
        capture,
        array,
        axes: part.axes.iter().map(axis).collect(),
    };
    let vars = variables::view_variables(cx, live, numbers(&like).len());
    let section = from_numbers(&like, &read_vars(&vars, span));
    Ok(of(cx, section))
}

fn array_of(cx: &mut Lowering<'_>, source: Source, span: Span) -> R<(u32, nestwise_ir::ArrayId)> {
    match source {
        Source::Capture(capture) => Ok((capture, slots::slot(cx, capture, span)?)),
        Source::Made(live) => match temporary::made_array(cx, live, span)? {
            Some((array, _)) => Ok((cx.builder.arrays[array].capture, array)),
            None => Err(refuse(
                span,
                Refusal::Internal {
                    message: "an array that nothing makes".into(),
                },
            )),
        },
    }
}

/// The live-out that writes a live range's part back; `None` if it holds no part.
pub(crate) fn part_out(
    cx: &mut Lowering<'_>,
    live: LiveRangeId,
    span: Span,
) -> R<Option<LiveOutKind>> {
    let Some(part) = cx.env.facts.live_ranges[live].part.clone() else {
        return Ok(None);
    };
    let (_, array) = array_of(cx, part.source, span)?;
    let count = part.axes.iter().map(|a| 1 + usize::from(a.is_some())).sum();
    let mut vars = variables::view_variables(cx, live, count).into_iter();
    let mut next = || vars.next().unwrap_or(VarId(0));
    let axis = |step: &Option<i64>| match step {
        None => PartAxis::At(next()),
        Some(step) => PartAxis::Range {
            start: next(),
            len: next(),
            step: *step,
        },
    };
    let axes: Vec<PartAxis> = part.axes.iter().map(axis).collect();
    Ok(Some(match part.source {
        Source::Capture(_) => LiveOutKind::Part(array, axes),
        Source::Made(owner) if borrowed_views::is_borrowed(&cx.env, live, owner) => {
            let rank = cx.builder.arrays[array].rank as usize;
            let own = variables::view_variables(cx, owner, 2 * rank);
            let lens = own.chunks(2).filter_map(|axis| axis.last().copied());
            let made = MadeArray {
                array,
                lens: lens.collect(),
                same: borrowed_views::parts_objects(cx, live, owner),
                viewed: alias::viewed(cx, owner),
            };
            LiveOutKind::MadePart(made, axes)
        }
        Source::Made(owner) => {
            let len = |axis: &PartAxis| match axis {
                PartAxis::Range { len, .. } => Some(*len),
                PartAxis::At(_) => None,
            };
            LiveOutKind::Made(MadeArray {
                array,
                lens: axes.iter().filter_map(len).collect(),
                same: alias::same_objects(cx, live),
                viewed: alias::viewed(cx, owner),
            })
        }
    }))
}
