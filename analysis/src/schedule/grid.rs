//! Loops for the grid of a device.
//!
//! A loop is mapped if its iterations run in any order and leave nothing behind but elements of arrays and what the last one
//! assigned: no sum, no copy. Inside it further such loops become axes, as long as what stands before them assigns variables
//! only, and nothing stands behind them. Every thread computes those variables, and the inner loop's bounds, for itself, when
//! others may have run iterations: they must not rest on elements that the inner loop writes.

use super::LaunchInfo;
use crate::verdict::Analysis;
use nestwise_ir::nest::{For, Nest, Stmt, StmtKind, stored};
use nestwise_ir::schedule::{GridLoop, ThreadLoop};
use nestwise_ir::{Expr, VarId};

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
            && let Some(last_values) = last_values(l, analysis, info)
        {
            out.push(GridLoop {
                axes: axes(l, analysis, info),
                last_values,
            });
            continue;
        }
        for b in s.blocks() {
            collect(b, analysis, info, out);
        }
    }
}

fn axes(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Vec<nestwise_ir::LoopId> {
    let mut axes = vec![l.id];
    let mut around = l;
    while axes.len() < MOST
        && let Some(inner) = only_loop(&around.body)
        && last_values(inner, analysis, info).is_some()
    {
        axes.push(inner.id);
        around = inner;
    }
    axes
}

/// The loop that a block ends with, if what stands before it assigns variables.
fn only_loop(block: &[Stmt]) -> Option<&For> {
    let (last, before) = block.split_last()?;
    let StmtKind::For(l) = &last.kind else {
        return None;
    };
    let stored = stored(&l.body);
    let steady = |e: &Expr| !e.reads(|array| stored.contains(&array));
    let plain = |s: &Stmt| matches!(&s.kind, StmtKind::Let { value, .. } if steady(value));
    let bounds = [&l.start, &l.stop, &l.step];
    (before.iter().all(plain) && bounds.into_iter().all(steady)).then_some(l)
}

/// What outlives a loop that may be on an axis.
fn last_values(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<Vec<VarId>> {
    let mapped = analysis.may_run_parallel(l.id)?;
    let plain = ThreadLoop {
        last_values: mapped.last_values.clone(),
        ..ThreadLoop::plain(l.id)
    };
    let few = info.trips(l.id).is_some_and(|t| t < 2.0);
    (!few && mapped == plain).then_some(mapped.last_values)
}
