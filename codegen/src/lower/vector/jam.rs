//! Unrolled-and-jammed loops: several iterations run interleaved ([`nestwise_analysis::dataflow::unroll_and_jam`]).

use std::collections::HashSet;

use nestwise_analysis::dataflow::unroll_and_jam::Copies;
use nestwise_ir::{For, VarId};

use crate::llvm::V;
use crate::lower::unit::Unit;

/// An unrolled-and-jammed loop.
pub(crate) struct UnrollAndJam {
    /// The number of copies.
    pub(crate) count: u32,
    /// The variables of which each copy has its own.
    pub(crate) varying: HashSet<VarId>,
    /// The counters, and their values in each copy.
    pub(crate) counters: Vec<(VarId, Vec<V>)>,
    /// The variables that are assigned inside and read outside of the loop.
    pub(crate) live_after: Vec<VarId>,
}

impl UnrollAndJam {
    /// The copies of the body of a loop, if it can be unrolled and jammed.
    pub(crate) fn of(unit: &Unit<'_>, l: &For, count: u32) -> Option<UnrollAndJam> {
        let copies = Copies::of(&unit.scheduled, l, count)?;
        Some(UnrollAndJam {
            count,
            varying: copies.varying,
            counters: Vec::new(),
            live_after: copies.live_after,
        })
    }

    /// The copies of a body without anything that the last one leaves behind.
    pub(crate) fn plain(
        count: u32,
        varying: HashSet<VarId>,
        counters: Vec<(VarId, Vec<V>)>,
    ) -> UnrollAndJam {
        UnrollAndJam {
            count,
            varying,
            counters,
            live_after: Vec::new(),
        }
    }
}
