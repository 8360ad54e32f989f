//! Support for tests: random nests, and an interpreter that records every access.

mod affine;
mod counts;
mod index_set_splitting;
mod pairs;
mod random;
mod trace;
mod work;

pub use nestwise_ir::testing::nest;

pub use crate::testing::affine::affine_case;
pub use crate::testing::counts::counting_case;
pub use crate::testing::index_set_splitting::{split_case, with_ints};
pub use crate::testing::pairs::{Traced, traced};
pub use crate::testing::random::{Case, beside, case, choices, distances, neighbours};
pub use crate::testing::trace::{
    Memory, Outcome, Reversed, Touch, Trace, Value, run, run_ranges, run_reversed,
};
pub use crate::testing::work::work_case;
