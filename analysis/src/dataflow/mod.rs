//! Dataflow facts about a nest: liveness, definite assignment, overwritten stores, floating-point
//! flags, what undoing must save.

pub mod constants;
pub mod definite_assignment;
pub mod finite;
pub mod fp_flags;
pub mod liveness;
pub(crate) mod overwritten;
pub(crate) mod sampled;
pub mod undo;
