//! A surface nest and the types of its captures to a typed nest.
//!
//! 1. [`names::resolve`]: names become locals, calls of the user's functions are inlined.
//! 2. [`types::live_ranges`]: assignments are grouped into variables.
//! 3. Lowering, in rounds: each round lowers the whole site with what the rounds before have learnt about the
//!    types and ranges of variables ([`types::facts`]); the round that learns nothing new gives the typed nest.
//! 4. [`pipeline`]: the passes over that nest.
//!
//! Whatever could differ from CPython is either guarded at run time or refused here.

pub(crate) mod arrays;
pub(crate) mod build;
pub(crate) mod builder;
pub(crate) mod choice;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod environment;
pub(crate) mod expression;
pub(crate) mod hir;
pub(crate) mod interpreter_cost;
pub(crate) mod lists;
pub(crate) mod live_outs;
pub(crate) mod meter;
pub(crate) mod names;
pub(crate) mod objects;
pub(crate) mod operands;
pub(crate) mod passes;
pub(crate) mod pipeline;
pub(crate) mod preconditions;
pub(crate) mod scalar;
pub(crate) mod spill;
pub(crate) mod statement;
#[cfg(test)]
mod tests;
pub(crate) mod types;
pub(crate) mod value;

pub use crate::lowering::environment::Options;
pub use crate::lowering::pipeline::specialise;
