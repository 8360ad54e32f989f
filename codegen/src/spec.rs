//! What a kernel is made from.

use nestwise_ir::{FpMode, Nest, Schedule, Tier};

/// Everything a kernel depends on, besides the host.
#[derive(Clone, Copy)]
pub struct KernelSpec<'a> {
    /// The nest. Arrays are naturally aligned.
    pub nest: &'a Nest,
    /// The schedule: which loops are mapped to what.
    pub schedule: &'a Schedule,
    /// Whether no two slots share memory.
    pub disjoint: bool,
    /// For each slot: whether elements along the last axis follow each other without gaps.
    pub unit_stride: &'a [bool],
    /// Freedom in floating-point arithmetic.
    pub fp: FpMode,
    /// Whether comparisons of floats must not raise the invalid flag for a NaN, as those of vectors do by nature. LLVM
    /// then vectorises no loop with a comparison in it.
    pub quiet: bool,
    /// For measurements: whether guards are left out. Results are wrong where one would fail.
    pub unchecked: bool,
    /// The tier of the code: how much time making it may take.
    pub tier: Tier,
}
