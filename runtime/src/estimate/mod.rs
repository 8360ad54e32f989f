//! What a call of a nest will do, estimated from its values: trips, branch directions, memory touched
//! first, work around the launch.

pub(crate) mod branch_predictability;
pub(crate) mod device_copies;
pub mod first_touch;
pub(crate) mod followed;
pub mod launch_work;
pub(crate) mod number;
pub(crate) mod trip_sampling;
pub(crate) mod undo_copies;
pub(crate) mod walk;
