//! Loops whose iterations are the lanes of vectors.

pub(crate) mod accesses;
pub(crate) mod aligned;
pub(crate) mod extreme_chains;
pub(crate) mod extremes;
pub(crate) mod jam;
pub(crate) mod lane_loops;
pub(crate) mod lane_state;
pub(crate) mod lanes;
pub(crate) mod linear_variables;
pub(crate) mod masks;
pub(crate) mod ordered_sums;
pub(crate) mod unroll_and_jam;
