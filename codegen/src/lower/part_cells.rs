//! The cells in which a part of a loop leaves its results.

use nestwise_ir::VarId;
use nestwise_ir::schedule::{RedOp, ThreadLoop};

use crate::abi::part::CELL;

/// The variables in the order of their cells in a part record: reductions, then last values.
pub(crate) fn results(t: &ThreadLoop) -> impl Iterator<Item = VarId> + '_ {
    t.reductions
        .iter()
        .map(|r| r.0)
        .chain(t.last_values.iter().copied())
}

/// The offset, from the first cell on, of the word that tells whether the `k`th reduction was assigned, if that
/// matters: these words lie behind all cells.
pub(crate) fn mark_cell(t: &ThreadLoop, k: usize) -> usize {
    let before = t.reductions.iter().take(k);
    CELL * results(t).count() + 8 * before.filter(|r| r.1 == RedOp::Last).count()
}
