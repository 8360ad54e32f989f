//! The layout of records, in which a thread of a kernel leaves what it has reduced.

use nestwise_ir::schedule::{GridLoop, RedOp, ThreadLoop};
use nestwise_ir::{For, Scalar, VarId};

use crate::abi::part::CELL;
use crate::error::{Result, invalid, unsupported};
use crate::grid::MOST_RECORD;
use crate::llvm::V;
use crate::lower::accumulations::{propagates_nan, variable_may_fail};
use crate::lower::part_cells::mark_cell;
use crate::lower::unit::Unit;

/// A variable that a mapped loop reduces.
#[derive(Clone, Copy)]
pub(crate) struct Reduced {
    pub(crate) var: VarId,
    pub(crate) op: RedOp,
    pub(crate) repr: Scalar,
    /// Whether a NaN is the best value.
    pub(crate) nan: bool,
    /// Whether a guard fails if the value leaves its representation.
    pub(crate) guarded: bool,
    /// Whether it matters in which iteration the value was assigned.
    pub(crate) placed: bool,
}

/// The layout of the record of a thread or block: a cell for each variable, marks as threads of a host have them, and
/// the iterations in which values were assigned.
#[derive(Clone)]
pub(crate) struct Records {
    pub(crate) each: Vec<Reduced>,
    pub(crate) as_threads: ThreadLoop,
    pub(crate) axes: usize,
}

/// What a thread keeps of where its value was assigned.
pub(crate) struct Placed {
    /// The alloca of the value when it was looked at last; none where the thread keeps a mark.
    pub(crate) seen: Option<V>,
    /// The allocas of the iteration of each axis, the innermost first.
    pub(crate) at: Vec<V>,
}

impl Records {
    pub(crate) fn of(u: &Unit<'_>, l: &For, g: &GridLoop) -> Result<Records> {
        let along = |best: VarId| {
            g.mapped
                .reductions
                .iter()
                .any(|r| r.1 == RedOp::Along(best))
        };
        let mut each = Vec::with_capacity(g.mapped.reductions.len());
        for (var, op) in g.mapped.reductions.iter().copied() {
            let Some(repr) = u.nest.vars.get(var).map(|decl| decl.ty.repr) else {
                return invalid(format!("no variable {var}"));
            };
            each.push(Reduced {
                var,
                op,
                repr,
                nan: propagates_nan(l, var),
                guarded: variable_may_fail(l, var),
                placed: match op {
                    RedOp::Last => true,
                    RedOp::Min | RedOp::Max => repr.is_float() || along(var),
                    _ => false,
                },
            });
        }
        let as_threads = ThreadLoop {
            reductions: g.mapped.reductions.clone(),
            ..ThreadLoop::plain(l.id)
        };
        let records = Records {
            each,
            as_threads,
            axes: g.axes.len(),
        };
        match records.size() > MOST_RECORD {
            true => unsupported("so many reductions on a device"),
            false => Ok(records),
        }
    }

    /// Bytes of a record; 0 where nothing is reduced.
    pub(crate) fn size(&self) -> usize {
        self.place(self.each.len(), 0).next_multiple_of(CELL)
    }

    /// Offsets of the 8-byte words that a record uses.
    pub(crate) fn words(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for (k, r) in self.each.iter().enumerate() {
            found.extend((0..r.repr.size().max(1).div_ceil(8)).map(|word| CELL * k + 8 * word));
            if r.placed {
                found.extend((0..self.axes).map(|axis| self.place(k, axis)));
            }
            if r.op == RedOp::Last {
                found.push(mark_cell(&self.as_threads, k));
            }
        }
        found
    }

    /// Offset of the iteration of an axis in which the `k`th value was assigned.
    pub(crate) fn place(&self, k: usize, axis: usize) -> usize {
        let before = self.each[..k].iter().filter(|r| r.placed).count();
        mark_cell(&self.as_threads, self.each.len()) + 8 * (before * self.axes + axis)
    }
}
