//! The cells in which a part of a loop leaves its results.

use nestwise_ir::VarId;
use nestwise_ir::schedule::{RedOp, ThreadLoop};

use crate::abi::part::CELL;

/// Reductions, then last values: the order of cells in a part record.
pub(crate) fn results(t: &ThreadLoop) -> impl Iterator<Item = VarId> + '_ {
    t.reductions
        .iter()
        .map(|r| r.0)
        .chain(t.last_values.iter().copied())
}

/// Where it says, from the first cell on, whether the `k`-th reduction was assigned, of those that want to know: behind
/// all cells.
pub(crate) fn mark_cell(t: &ThreadLoop, k: usize) -> usize {
    let before = t.reductions.iter().take(k);
    CELL * results(t).count() + 8 * before.filter(|r| r.1 == RedOp::Last).count()
}
