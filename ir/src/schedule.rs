//! A schedule: which loops are mapped to what. It never changes what a nest computes.

use crate::ids::{ArrayId, LoopId, VarId};

/// How faithful floating-point results must be.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
pub enum FpMode {
    /// The bits of CPython and NumPy, always.
    #[default]
    Strict,
    /// The same operations in the same order; math functions within documented ulps.
    Faithful,
    /// Sums may be reassociated, multiply-add fused.
    Fast,
}

/// How a reduction variable's partial values are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum RedOp {
    /// Sum, identity 0.
    Add,
    /// Product, identity 1.
    Mul,
    /// Minimum, identity the largest value.
    Min,
    /// Maximum, identity the smallest value.
    Max,
    /// Bitwise or logical and, identity all ones.
    And,
    /// Bitwise or logical or, identity 0.
    Or,
    /// Bitwise exclusive or, identity 0.
    Xor,
    /// What was assigned together with the best value of that variable, a [`RedOp::Min`] or [`RedOp::Max`] that comes
    /// later in the list (the position in an arg-min).
    Along(VarId),
    /// What the last iteration to assign it left; identity: not assigned.
    Last,
}

/// The mapping of a nest's loops.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// Loops whose iterations may run on several threads; none encloses another. Each with its reductions.
    pub threads: Vec<ThreadLoop>,
    /// Loops whose consecutive iterations become the lanes of a vector, with the number of lanes. Such a loop is
    /// parallel; loops inside it run their iterations in order with all lanes together. Where one listed loop
    /// encloses another, the inner one has the lanes, and that many iterations of the outer one (2 to 8) run
    /// interleaved, sharing what they load (unroll and jam).
    pub vector: Vec<(LoopId, u32)>,
    /// Loops that are innermost and parallel: the compiler may assume that their iterations are independent.
    pub independent: Vec<LoopId>,
    /// Loops, each in `independent` too, whose first and last iterations are run one by one, and only the
    /// [interior](crate::split) as the rest of the schedule says.
    pub split: Vec<LoopId>,
    /// A fact of the launch, not a choice: loops (a bit each, by number, the first 64) that run at least once
    /// whenever they are entered, so that what they assign is assigned afterwards.
    pub nonempty: u64,
}

/// A loop mapped to threads.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ThreadLoop {
    /// The loop.
    pub id: LoopId,
    /// Its reduction variables.
    pub reductions: Vec<(VarId, RedOp)>,
    /// Variables assigned in every iteration whose value after the loop is that of the last one.
    pub last_values: Vec<VarId>,
    /// Arrays of which every part but the last works on a copy, which starts with anything.
    pub private: Vec<ArrayId>,
    /// Arrays of which every part but the last works on a copy that starts from the identity; copies are combined with
    /// the array afterwards.
    pub array_reductions: Vec<(ArrayId, RedOp)>,
}

impl ThreadLoop {
    /// A loop without reductions, last values or copies.
    pub fn plain(id: LoopId) -> ThreadLoop {
        ThreadLoop {
            id,
            reductions: vec![],
            last_values: vec![],
            private: vec![],
            array_reductions: vec![],
        }
    }
    /// The arrays that parts copy.
    pub fn copied(&self) -> impl Iterator<Item = ArrayId> + '_ {
        let reduced = self.array_reductions.iter().map(|r| r.0);
        self.private.iter().copied().chain(reduced)
    }
}

impl Schedule {
    /// Everything in order on one thread.
    pub fn serial() -> Schedule {
        Schedule::default()
    }
}
