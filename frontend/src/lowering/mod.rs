//! Takes a surface nest and the types of its captures to a typed nest.
//!
//! [`specialise`] goes through these stages:
//!
//! 1. `names/resolve`: names become locals, and calls of the user's functions are inlined.
//! 2. `types/live_ranges.rs`: assignments are grouped into live ranges, each of which is one variable.
//! 3. Lowering, in rounds: each round lowers the whole site with what the rounds before have learnt about the
//!    types and ranges of variables (`types/facts.rs`); the round that learns nothing new gives the typed nest.
//! 4. `pipeline.rs`: the passes over that nest.
//!
//! Lowering is functions over a context (`context.rs`): a builder of the nest (`builder.rs`), the environment that says
//! what names are (`environment.rs`), and small states of one duty each: control flow, memory of the nest's own,
//! live-outs, preconditions. A function takes the narrowest of them that serves it. Files import each other in one
//! direction only; recursion goes through the context's entry points: `expression`, `condition`, `block`, `assign`,
//! `element` and `array_call`.
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
mod host_call;
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
pub(crate) mod recursion;
pub(crate) mod scalar;
pub(crate) mod statement;
#[cfg(test)]
mod tests;
pub(crate) mod types;
pub(crate) mod value;

pub use crate::lowering::environment::Options;
pub use crate::lowering::pipeline::specialise;
