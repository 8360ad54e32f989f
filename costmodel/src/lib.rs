//! The time that a nest takes on each device.
//!
//! Three things stay apart: **features** ([`features`]: what one execution of each loop body does, by kind of
//! operation), **weights** ([`profile`]: nanoseconds per operation on one machine, by device), and the **model**
//! ([`Prices`] and [`decide`]: how features, weights and the sizes of a call combine into an estimate per device, and
//! which is taken). Features are taken once per typed nest; a call only fills in trip counts.
//!
//! This crate never measures anything.

#![warn(missing_docs)]

pub mod choose_device;
pub mod choose_schedule;
pub mod correction;
pub mod device;
pub mod estimate;
pub mod features;
pub mod interpreter_work;
pub mod launch_work;
pub mod making;
pub mod profile;
pub mod record;
pub mod replay;
pub mod speed;
pub mod units;
pub mod weights;

pub use crate::choose_device::{Decision, Situation, Undo, decide};
pub use crate::choose_schedule::{Target, choose_schedule};
pub use crate::correction::{Learned, Lesson};
pub use crate::device::Device;
pub use crate::estimate::compute::Compute;
pub use crate::estimate::host::Priced;
pub use crate::estimate::prices::{Estimate, Prices};
pub use crate::estimate::threads::Workers;
pub use crate::features::{FEATURES_VERSION, Features};
pub use crate::launch_work::{LaunchTally, LaunchWork};
pub use crate::making::{Making, Product};
pub use crate::profile::host::HostWeights;
pub use crate::profile::{Caches, Fresh, MachineProfile, ProfileError, Ready};
pub use crate::speed::Speed;
pub use crate::units::{Nanos, Seconds};
pub use crate::weights::Weights;
