//! Nest to nest rewritings. Legality is asked in [`crate::parallelism::legality`]; here is only how.

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
pub(crate) mod sink_top_loop;
mod wavefront;

pub use crate::transform::best_value::keep_best;
pub use crate::transform::distribution::distribute;
pub use crate::transform::fusion::fuse;
pub use crate::transform::index_set_splitting::split;
pub use crate::transform::induction_substitution::count;
pub use crate::transform::interchange::{interchange, sink};

pub use crate::transform::loop_versioning::hoist;
pub use crate::transform::rewritten::{Rewritten, compact, with_for_mut};
pub use crate::transform::scalar_replacement::promote;
pub use crate::transform::sink_top_loop::open;
pub use crate::transform::wavefront::{Waved, wavefront};
