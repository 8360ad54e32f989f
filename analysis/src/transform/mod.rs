//! Nest to nest rewritings, one file each: what it does, its legality condition with the check, and how it is done.
//!
//! Guards: a rewriting that changes the order of iterations also changes which guard fails first, and what has been
//! written by then. That is allowed where no guard can fail, or where
//! [`undo`](crate::parallelism::legality::Given::undo) holds: the whole chunk is rolled back and runs in CPython from
//! its beginning, so no order inside a chunk is observed.

mod band;
pub(crate) mod best_value;
mod build;
mod copy;
pub(crate) mod distribution;
pub(crate) mod fusion;
pub(crate) mod index_set_splitting;
pub(crate) mod induction_substitution;
pub(crate) mod interchange;
pub(crate) mod last_values;
pub(crate) mod loop_versioning;
pub mod peeling;
pub(crate) mod rewritten;
pub(crate) mod scalar_replacement;
mod sink_statements;
pub(crate) mod sink_top_loop;
mod wavefront;

pub use crate::transform::best_value::keep_best_value;
pub use crate::transform::distribution::distribute;
pub use crate::transform::fusion::fuse;
pub use crate::transform::index_set_splitting::split_index_set;
pub use crate::transform::induction_substitution::substitute_induction;
pub use crate::transform::interchange::interchange;
pub use crate::transform::loop_versioning::version_loops;
pub use crate::transform::rewritten::{Rewritten, compact, with_for_mut};
pub use crate::transform::scalar_replacement::replace_scalars;
pub use crate::transform::sink_statements::sink_statements;
pub use crate::transform::sink_top_loop::sink_top_loop;
pub use crate::transform::wavefront::{Waved, wavefront};
