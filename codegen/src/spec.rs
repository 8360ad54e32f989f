//! What a kernel is made from.

use nestwise_ir::{FpMode, Nest, Schedule, Tier};

/// Everything a kernel depends on, besides the host.
#[derive(Clone, Copy)]
pub struct KernelSpec<'a> {
    /// The nest. Arrays are naturally aligned.
    pub nest: &'a Nest,
    /// What is mapped to what.
    pub schedule: &'a Schedule,
    /// Every slot lies in memory of its own.
    pub disjoint: bool,
    /// By slot: elements along the last axis follow each other without gaps.
    pub unit_stride: &'a [bool],
    /// Freedom in floating-point arithmetic.
    pub fp: FpMode,
    /// Comparisons of floats must not raise the invalid flag for a NaN, as those of vectors do by nature. LLVM then
    /// vectorises no loop with a comparison in it.
    pub quiet: bool,
    /// For measurements: nothing fails. Wrong where something would.
    pub unchecked: bool,
    /// How much time making it may take.
    pub tier: Tier,
}
