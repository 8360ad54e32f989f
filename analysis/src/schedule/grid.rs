//! Loops for the grid of a device.
//!
//! A loop is mapped if its iterations may run in any order and leave nothing behind but elements of arrays, reductions
//! of variables, what the last one assigned, elements that all iterations only update, and work arrays, of which every
//! thread has one. A loop inside it that may be mapped, too, becomes a further axis if it has the same reductions and
//! work arrays, what stands before it assigns other variables only, and nothing stands behind it. Every thread computes
//! those variables, and the inner loop's bounds, for itself, when others may have run iterations: they must not depend
//! on elements that the inner loop writes.
//!
//! A loop of few iterations, or of which every thread would need work arrays, may be better left to the host, with the
//! loops inside it mapped: the sizes of a call decide.

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::{GridLoop, ThreadLoop};

use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::Analysis;
use crate::schedule::runnable::{MOST_AXES, may_repeat};

/// The loops to map: the outermost ones that may be mapped, looked for inside others. A loop inside fewer than `depth`
/// loops is mapped only if none inside it can be.
pub fn grid_loops(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
    depth: u32,
) -> Vec<GridLoop> {
    if nest.calls_host() {
        // CPython would have to be called with what a device holds.
        return vec![];
    }
    let top = std::slice::from_ref(&nest.top);
    collect(nest, top, analysis, info, depth)
}

/// The depths at which [`grid_loops`] finds other loops than at the depth before, with what it finds.
pub fn grid_choices(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
) -> Vec<(u32, Vec<GridLoop>)> {
    let mut choices: Vec<(u32, Vec<GridLoop>)> = vec![];
    let deepest = nest.loops.values().map(|l| l.depth).max().unwrap_or(0);
    for depth in 0..=deepest {
        let loops = grid_loops(nest, analysis, info, depth);
        if !loops.is_empty() && choices.last().is_none_or(|(_, before)| *before != loops) {
            choices.push((depth, loops));
        }
    }
    choices
}

fn collect(
    nest: &Nest,
    block: &[Stmt],
    analysis: &Analysis,
    info: &LaunchInfo,
    depth: u32,
) -> Vec<GridLoop> {
    let mut out = vec![];
    for s in block {
        let deeper = match s.kind {
            StmtKind::For(_) => depth.saturating_sub(1),
            _ => depth,
        };
        let inside = || {
            let blocks = s.blocks();
            blocks.flat_map(|b| collect(nest, b, analysis, info, deeper))
        };
        let own = match &s.kind {
            StmtKind::For(l) => mapped(nest, l, analysis, info).map(|mapped| (l, mapped)),
            _ => None,
        };
        match own {
            Some((l, mapped)) if depth == 0 || inside().next().is_none() => {
                let axes = axes(nest, l, &mapped, analysis, info);
                out.push(GridLoop { axes, mapped });
            }
            _ => out.extend(inside()),
        }
    }
    out
}

fn axes(
    nest: &Nest,
    l: &For,
    outer: &ThreadLoop,
    analysis: &Analysis,
    info: &LaunchInfo,
) -> Vec<LoopId> {
    let mut axes = vec![l.id];
    let mut around = l;
    while axes.len() < MOST_AXES
        && let Some(inner) = only_loop(&around.body, outer)
        && mapped(nest, inner, analysis, info).is_some_and(|own| alike(outer, &own))
    {
        axes.push(inner.id);
        around = inner;
    }
    axes
}

/// Whether both loops leave the same reductions and work arrays behind. Arrays that the inner loop updates must be
/// among those that the outer one updates, but not the other way round.
fn alike(outer: &ThreadLoop, inner: &ThreadLoop) -> bool {
    let sorted = |t: &ThreadLoop| {
        let (mut reductions, mut private) = (t.reductions.clone(), t.private.clone());
        reductions.sort_by_key(|r| r.0);
        private.sort();
        (reductions, private)
    };
    let mut updated = inner.array_reductions.iter();
    sorted(outer) == sorted(inner) && updated.all(|r| outer.array_reductions.contains(r))
}

/// The loop that a block ends with, if what stands before it assigns variables that are not reduced.
fn only_loop<'l>(block: &'l [Stmt], outer: &ThreadLoop) -> Option<&'l For> {
    let (last, before) = block.split_last()?;
    let StmtKind::For(l) = &last.kind else {
        return None;
    };
    may_repeat(before, l, outer).then_some(l)
}

/// The mapping of a loop, if it may be an axis of a grid.
fn mapped(nest: &Nest, l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<ThreadLoop> {
    let mapped = analysis.may_run_parallel(l.id)?;
    let few = info.trips(l.id).is_some_and(|t| t < 2.0);
    (!few && fits_grid(nest, &mapped)).then_some(mapped)
}

/// Whether a mapping to threads can be one to a grid: no array is copied because of anti-dependences, and elements are
/// only updated by operations that devices have as atomic ones.
pub fn fits_grid(nest: &Nest, t: &ThreadLoop) -> bool {
    let mut updated = t.array_reductions.iter();
    t.anti_dependence_copies.is_empty()
        && updated.all(|(array, op)| op.is_atomic(nest.arrays[*array].storage))
}
