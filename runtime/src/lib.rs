//! One call of a loop nest, end to end.
//!
//! [`pipeline`] is the file to read first: [`pipeline::plan`] runs once per site and signature,
//! [`pipeline::run`] once per call.

#![warn(missing_docs)]

mod decline;
pub mod device;
pub mod estimate;
mod host;
pub mod kernel;
pub mod launch;
mod lock;
pub mod memory;
pub mod options;
pub mod pipeline;
pub mod plan;
pub mod reason;
pub mod report;
mod resume;
pub mod testing;
pub mod threads;
pub mod undo;
pub mod value;

pub use crate::host::Host;
pub use crate::launch::{Ended, Entry, Launch};
pub use crate::memory::overlap::ArrayView;
pub use crate::options::{
    DeviceChoice, FpMode, Options, TierChoice, Unchecked, options, set_options,
};
pub use crate::pipeline::Outcome;
pub use crate::plan::Plan;
pub use crate::reason::Reason;
pub use crate::resume::Resume;
pub use crate::testing::forced_schedules::ForcedSchedule;
pub use crate::testing::planted_mistakes::PlantedMistake;
pub use crate::value::{HasValue, Value, extents};
