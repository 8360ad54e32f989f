//! For tests: nests from a small Python-like text, and an interpreter that records every access.

mod build;
mod expr;
mod random;
mod trace;

pub use build::nest;
pub use random::{Case, case};
pub use trace::{Memory, Outcome, Touch, Trace, Value, run, run_reversed};
