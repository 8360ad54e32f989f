//! Launches: one call of a compiled nest.

pub(crate) mod call;
pub mod chunks;
pub(crate) mod frame;
pub(crate) mod kernel_change;
mod once;
pub(crate) mod others;
pub(crate) mod outcome;
pub(crate) mod preconditions;
pub(crate) mod proof;
mod repeat;
pub(crate) mod run;

pub use crate::launch::call::Entry;
pub use crate::launch::outcome::{Ended, Launch};
pub use crate::launch::repeat::{Repeat, Repeated};
