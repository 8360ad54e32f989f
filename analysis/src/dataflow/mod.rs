//! Dataflow facts about a nest: liveness, definite assignment, overwritten stores, floating-point
//! flags, what undoing must save.

pub mod between_calls;
pub mod constants;
pub mod definite_assignment;
pub mod finite;
pub mod fp_flags;
pub mod lane_facts;
pub mod liveness;
pub mod ordered_sums;
pub(crate) mod overwritten;
pub mod reads;
pub(crate) mod sampled;
pub mod scheduled;
pub mod undo;
pub mod unroll_and_jam;
