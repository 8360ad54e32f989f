//! The tiles of iterations that a thread of a kernel runs at once.

use std::collections::HashSet;

use nestwise_analysis::dataflow::{definite_assignment, unroll_and_jam};
use nestwise_analysis::schedule::runnable::loop_in;
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{BinOp, Expr, ExprKind, For, LoopId, Stmt, StmtKind, VarId};

use crate::lower::unit::Unit;

/// The number of iterations of an axis that run interleaved. It is `OUTER_COPIES` for the outer one of two axes, whose
/// loads neighbouring threads share, where each iteration carries but one variable through a loop inside.
pub(crate) const COPIES: u32 = 4;

const OUTER_COPIES: u32 = 8;

/// The most operations of all copies of a body: what they keep has to fit registers. `MOST_OUTER_OPERATIONS` is the
/// limit with `OUTER_COPIES`.
const MOST_OPERATIONS: usize = 640;

const MOST_OUTER_OPERATIONS: usize = 1024;

/// The axes along which a kernel's iterations run interleaved.
pub(crate) struct Tile {
    /// The axes, outermost first, and the number of iterations of each that run interleaved.
    pub(crate) loops: Vec<(LoopId, u32)>,
    pub(crate) varying: HashSet<VarId>,
}

impl Tile {
    /// The tile of a kernel for the axes of `g`; none where iterations share nothing, or cannot be interleaved.
    pub(crate) fn of(unit: &Unit<'_>, l: &For, g: &GridLoop) -> Option<Tile> {
        let t = &g.mapped;
        // Records and copies belong to one iteration at a time.
        if !t.reductions.is_empty() || t.unshared().next().is_some() {
            return None;
        }
        let mut axes = vec![l];
        for id in g.axes.get(1..)? {
            axes.push(loop_in(&axes.last()?.body, *id)?);
        }
        let innermost = *axes.last()?;
        let mut sharing = axes.split_off(axes.len().saturating_sub(2));
        sharing.retain(|axis| shares_loads(unit, axis, innermost));
        let along = |tiled: &[&For]| Tile::along(unit, tiled, innermost);
        let alone = || sharing.iter().rev().find_map(|axis| along(&[*axis]));
        along(&sharing).or_else(alone)
    }

    /// A tile along some axes, outermost first.
    fn along(unit: &Unit<'_>, tiled: &[&For], innermost: &For) -> Option<Tile> {
        let operations = operations(&innermost.body);
        let fits = |counts: &[u32], most: usize| {
            let copies: u32 = counts.iter().product();
            copies as usize * operations <= most
        };
        let large = [OUTER_COPIES, COPIES];
        let is_large = tiled.len() == 2
            && carried(unit, &innermost.body) == 1
            && fits(&large, MOST_OUTER_OPERATIONS);
        let counts = match is_large {
            true => large.to_vec(),
            false => vec![COPIES; tiled.len()],
        };
        if !is_large && !fits(&counts, MOST_OPERATIONS) {
            return None;
        }
        let counters: Vec<VarId> = tiled.iter().map(|axis| axis.counter).collect();
        let varying = unroll_and_jam::varying(&unit.scheduled, tiled.first()?, &counters)?;
        let loops = tiled.iter().map(|axis| axis.id).zip(counts).collect();
        Some(Tile { loops, varying })
    }

    /// Whether the tile has two axes, with [`COPIES`] iterations of each.
    pub(crate) fn wants_registers(&self) -> bool {
        self.loops.len() == 2 && self.loops.iter().all(|l| l.1 == COPIES)
    }

    /// The number of iterations of an axis that run interleaved, if they do.
    pub(crate) fn count(&self, axis: LoopId) -> Option<u32> {
        let own = self.loops.iter().find(|l| l.0 == axis);
        own.map(|l| l.1)
    }

    /// The number of iterations of each axis that run interleaved, in the order of a grid's axes: the innermost first.
    pub(crate) fn counts(tile: Option<&Tile>, axes: &[LoopId]) -> [i64; 3] {
        let mut counts = [1; 3];
        for (count, id) in counts.iter_mut().zip(axes.iter().rev()) {
            *count = tile.and_then(|t| t.count(*id)).unwrap_or(1).into();
        }
        counts
    }
}

/// Whether a loop inside the innermost axis loads something that does not depend on that axis.
fn shares_loads(unit: &Unit<'_>, axis: &For, innermost: &For) -> bool {
    let Some(varying) = unroll_and_jam::varying(&unit.scheduled, axis, &[axis.counter]) else {
        return false;
    };
    let mut found = false;
    let mut look = |e: &Expr| {
        if let ExprKind::Load { index, .. } = &e.kind {
            let mut own = false;
            index.iter().for_each(|i| {
                i.walk(&mut |e| own |= matches!(e.kind, ExprKind::Var(v) if varying.contains(&v)));
            });
            found |= !own;
        }
    };
    for s in &innermost.body {
        s.walk(&mut |s| {
            if let StmtKind::For(inner) = &s.kind {
                let mut walk = |s: &Stmt| s.exprs().for_each(|e| e.walk(&mut look));
                inner.body.iter().for_each(|s| s.walk(&mut walk));
            }
        });
    }
    found
}

/// The number of variables that loops of a block carry from one iteration to the next.
pub(crate) fn carried(unit: &Unit<'_>, block: &[Stmt]) -> usize {
    let mut found = HashSet::new();
    for s in block {
        s.walk(&mut |s| {
            if let StmtKind::For(inner) = &s.kind {
                let nonempty = unit.spec.schedule.nonempty;
                let flow = definite_assignment::flow(&[], &inner.body, Some(inner.id), nonempty);
                let own = flow.assigned.iter().filter(|v| flow.exposed.contains(v));
                found.extend(own.copied());
            }
        });
    }
    found.len()
}

/// Whether a block is all loads, stores, and what a GPU does in an instruction or two.
pub(crate) fn is_light(block: &[Stmt]) -> bool {
    let mut light = true;
    let mut look = |e: &Expr| {
        light &= match &e.kind {
            ExprKind::Call { .. } | ExprKind::HostCall { .. } | ExprKind::Select { .. } => false,
            ExprKind::Binary { op, .. } => {
                matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
            }
            _ => true,
        };
    };
    for s in block {
        s.walk(&mut |s| s.exprs().for_each(|e| e.walk(&mut look)));
    }
    let plain = |s: &Stmt| matches!(s.kind, StmtKind::Let { .. } | StmtKind::Store { .. });
    light && block.iter().all(plain)
}

fn operations(block: &[Stmt]) -> usize {
    let mut count = 0;
    for s in block {
        s.walk(&mut |s| {
            s.exprs().for_each(|e| e.walk(&mut |_| count += 1));
        });
    }
    count
}
