//! One call of a loop nest, end to end.
//!
//! [`pipeline`] is the file to read first: [`pipeline::plan`] runs once per site and signature,
//! [`pipeline::run`] once per call.

pub mod device;
pub(crate) mod estimate;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod options;
pub mod pipeline;
pub mod plan;
pub mod reason;
pub mod report;
pub mod testing;
pub mod threads;
pub mod undo;

pub use crate::launch::{Ended, Launch};
pub use crate::memory::overlap::ArrayView;
pub use crate::options::{
    DeviceChoice, FpMode, Options, TierChoice, Unchecked, options, set_options,
};
pub use crate::pipeline::{Host, Outcome, Resume, Value, extents};
pub use crate::plan::Plan;
pub use crate::reason::Reason;
pub use crate::testing::forced_schedules::Trial;
pub use crate::testing::planted_mistakes::Broken;
