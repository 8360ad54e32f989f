//! For tests: nests from a small Python-like text, and an interpreter that records every access.

mod affine;
mod build;
mod counts;
mod expr;
mod pairs;
mod parted;
mod random;
mod trace;
mod work;

pub use affine::affine_case;
pub use build::nest;
pub use counts::counting_case;
pub use pairs::{Traced, traced};
pub use parted::{parted, with_ints};
pub use random::{Case, beside, case, choices, distances, neighbours};
pub use trace::{Memory, Outcome, Reversed, Touch, Trace, Value, run, run_ranges, run_reversed};
pub use work::work_case;
