//! Loops for the grid of a device.
//!
//! A loop is mapped if its iterations run in any order and leave nothing behind but elements of arrays: no sum, no last value, no
//! copy. Inside it further such loops become axes, as long as what stands around them assigns variables only: every thread
//! computes those for itself.

use super::LaunchInfo;
use crate::verdict::Analysis;
use nestwise_ir::nest::{For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::{GridLoop, ThreadLoop};

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
        match &s.kind {
            StmtKind::For(l) if is_axis(l, analysis, info) => out.push(GridLoop {
                axes: axes(l, analysis, info),
            }),
            _ => s.blocks().for_each(|b| collect(b, analysis, info, out)),
        }
    }
}

fn axes(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Vec<nestwise_ir::LoopId> {
    let mut axes = vec![l.id];
    let mut around = l;
    while axes.len() < MOST
        && let Some(inner) = only_loop(&around.body)
        && is_axis(inner, analysis, info)
    {
        axes.push(inner.id);
        around = inner;
    }
    axes
}

/// The loop of a block that otherwise assigns variables.
fn only_loop(block: &[Stmt]) -> Option<&For> {
    let mut found = None;
    for s in block {
        match &s.kind {
            StmtKind::Let { .. } => {}
            StmtKind::For(l) if found.is_none() => found = Some(l),
            _ => return None,
        }
    }
    found
}

fn is_axis(l: &For, analysis: &Analysis, info: &LaunchInfo) -> bool {
    let few = info.trips(l.id).is_some_and(|t| t < 2.0);
    let mapped = analysis.may_run_parallel(l.id);
    !few && mapped.is_some_and(|mapped| mapped == ThreadLoop::plain(l.id))
}
