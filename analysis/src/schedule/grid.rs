//! Loops for the grid of a device.
//!
//! A loop is mapped if its iterations run in any order and leave nothing behind but elements of arrays, reductions of variables,
//! what the last one assigned, elements that all do nothing but update, and work arrays, of which every thread has one. Inside it
//! further such loops become axes, as long as they have the same reductions and work arrays, what stands before them assigns other
//! variables only, and nothing stands behind them. Every thread computes those variables, and the inner loop's bounds, for itself,
//! when others may have run iterations: they must not rest on elements that the inner loop writes.

use super::LaunchInfo;
use crate::verdict::Analysis;
use nestwise_ir::nest::{For, Nest, Stmt, StmtKind, stored};
use nestwise_ir::schedule::{GridLoop, ThreadLoop};
use nestwise_ir::{Expr, LoopId, VarId};

/// Axes of a grid.
const MOST: usize = 3;

/// The loops to map: the outermost such loops, looked for inside others.
pub fn grid_loops(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<GridLoop> {
    let mut out = vec![];
    let top = std::slice::from_ref(&nest.top);
    collect(nest, top, analysis, info, &mut out);
    out
}

fn collect(
    nest: &Nest,
    block: &[Stmt],
    analysis: &Analysis,
    info: &LaunchInfo,
    out: &mut Vec<GridLoop>,
) {
    for s in block {
        if let StmtKind::For(l) = &s.kind
            && let Some(mapped) = mapped(nest, l, analysis, info)
        {
            let axes = axes(nest, l, &mapped, analysis, info);
            out.push(GridLoop { axes, mapped });
            continue;
        }
        for b in s.blocks() {
            collect(nest, b, analysis, info, out);
        }
    }
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
    while axes.len() < MOST
        && let Some(inner) = only_loop(&around.body, outer)
        && mapped(nest, inner, analysis, info).is_some_and(|own| alike(outer, &own))
    {
        axes.push(inner.id);
        around = inner;
    }
    axes
}

/// Whether both leave behind the same. What the outer loop's iterations update those of the inner one may have to themselves.
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
    let stored = stored(&l.body);
    let steady = |e: &Expr| !e.reads(|array| stored.contains(&array));
    let own = |v: &VarId| !outer.reductions.iter().any(|r| r.0 == *v);
    let plain =
        |s: &Stmt| matches!(&s.kind, StmtKind::Let { var, value } if steady(value) && own(var));
    let bounds = [&l.start, &l.stop, &l.step];
    (before.iter().all(plain) && bounds.into_iter().all(steady)).then_some(l)
}

/// What outlives a loop that may be on an axis.
fn mapped(nest: &Nest, l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<ThreadLoop> {
    let mapped = analysis.may_run_parallel(l.id)?;
    let few = info.trips(l.id).is_some_and(|t| t < 2.0);
    (!few && fits_grid(nest, &mapped)).then_some(mapped)
}

/// Whether a grid can have a loop for threads: no array is copied for what its iterations read, and elements are updated by
/// what devices do at once, whatever the order.
pub fn fits_grid(nest: &Nest, t: &ThreadLoop) -> bool {
    let mut updated = t.array_reductions.iter();
    t.renamed.is_empty() && updated.all(|(array, op)| op.is_atomic(nest.arrays[*array].storage))
}
