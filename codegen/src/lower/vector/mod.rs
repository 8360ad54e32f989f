//! Loops whose iterations are the lanes of vectors.

pub(crate) mod aligned;
pub(crate) mod extremes;
pub(crate) mod lanes;
pub(crate) mod loops;
pub(crate) mod masks;
pub(crate) mod memory;
pub(crate) mod ordered_sums;
pub(crate) mod unroll_and_jam;
