//! For tests: nests from a small Python-like text, and an interpreter that records every access.

mod build;
mod trace;

pub use build::nest;
pub use trace::{Memory, Outcome, Trace, Value, run};
