//! One call of a loop nest, end to end.
//!
//! [`pipeline`] is the file to read first: [`pipeline::plan`] runs once per site and signature,
//! [`pipeline::run`] once per call.

mod apart;
pub mod background;
pub mod broken;
pub mod cache;
pub mod change;
pub mod contents;
pub mod crew;
pub mod device;
pub mod fpenv;
pub mod kernel;
pub mod launch;
pub mod making;
mod number;
pub mod options;
pub mod overlap;
mod pages;
pub mod pipeline;
pub mod plan;
pub mod pool;
pub mod proof;
pub mod reason;
pub mod report;
pub mod trial;
pub mod undo;
mod zeros;

pub use broken::Broken;
pub use launch::{Ended, Launch};
pub use options::{DeviceChoice, FpMode, Options, TierChoice, Unchecked, options, set_options};
pub use overlap::ArrayView;
pub use pipeline::{Host, Outcome, Resume, Value, extents};
pub use plan::Plan;
pub use reason::Reason;
pub use trial::Trial;
