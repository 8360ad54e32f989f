//! Loops for the grid of a device.
//!
//! A loop is mapped if its iterations run in any order and leave nothing behind but elements of arrays, reductions of variables,
//! and what the last one assigned: no copy. Inside it further such loops become axes, as long as they have the same reductions,
//! what stands before them assigns other variables only, and nothing stands behind them. Every thread computes those variables,
//! and the inner loop's bounds, for itself, when others may have run iterations: they must not rest on elements that the inner
//! loop writes.

use super::LaunchInfo;
use crate::verdict::Analysis;
use nestwise_ir::nest::{For, Nest, Stmt, StmtKind, stored};
use nestwise_ir::schedule::{GridLoop, RedOp, ThreadLoop};
use nestwise_ir::{Expr, LoopId, VarId};

type Reductions = [(VarId, RedOp)];

/// Axes of a grid.
const MOST: usize = 3;

/// The loops to map: the outermost such loops, looked for inside others.
pub fn grid_loops(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<GridLoop> {
    let mut out = vec![];
    collect(std::slice::from_ref(&nest.top), analysis, info, &mut out);
    out
}

fn collect(block: &[Stmt], analysis: &Analysis, info: &LaunchInfo, out: &mut Vec<GridLoop>) {
    for s in block {
        if let StmtKind::For(l) = &s.kind
            && let Some(mapped) = mapped(l, analysis, info)
        {
            out.push(GridLoop {
                axes: axes(l, &mapped.reductions, analysis, info),
                reductions: mapped.reductions,
                last_values: mapped.last_values,
            });
            continue;
        }
        for b in s.blocks() {
            collect(b, analysis, info, out);
        }
    }
}

fn axes(l: &For, reduced: &Reductions, analysis: &Analysis, info: &LaunchInfo) -> Vec<LoopId> {
    let alike = |inner: &For| {
        let mut own = mapped(inner, analysis, info)?.reductions;
        own.sort_by_key(|r| r.0);
        let mut all = reduced.to_vec();
        all.sort_by_key(|r| r.0);
        (own == all).then_some(())
    };
    let mut axes = vec![l.id];
    let mut around = l;
    while axes.len() < MOST
        && let Some(inner) = only_loop(&around.body, reduced)
        && alike(inner).is_some()
    {
        axes.push(inner.id);
        around = inner;
    }
    axes
}

/// The loop that a block ends with, if what stands before it assigns variables that are not reduced.
fn only_loop<'l>(block: &'l [Stmt], reduced: &Reductions) -> Option<&'l For> {
    let (last, before) = block.split_last()?;
    let StmtKind::For(l) = &last.kind else {
        return None;
    };
    let stored = stored(&l.body);
    let steady = |e: &Expr| !e.reads(|array| stored.contains(&array));
    let own = |v: &VarId| !reduced.iter().any(|r| r.0 == *v);
    let plain =
        |s: &Stmt| matches!(&s.kind, StmtKind::Let { var, value } if steady(value) && own(var));
    let bounds = [&l.start, &l.stop, &l.step];
    (before.iter().all(plain) && bounds.into_iter().all(steady)).then_some(l)
}

/// What outlives a loop that may be on an axis.
fn mapped(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<ThreadLoop> {
    let mapped = analysis.may_run_parallel(l.id)?;
    let few = info.trips(l.id).is_some_and(|t| t < 2.0);
    (!few && fits_grid(&mapped)).then_some(mapped)
}

/// Whether nothing but variables outlives a loop for threads, apart from elements that its iterations store.
pub fn fits_grid(t: &ThreadLoop) -> bool {
    let plain = ThreadLoop {
        reductions: t.reductions.clone(),
        last_values: t.last_values.clone(),
        ..ThreadLoop::plain(t.id)
    };
    *t == plain
}
