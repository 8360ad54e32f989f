//! The process: panics, its end, how fast its machine is.

pub(crate) mod ending;
pub(crate) mod exit;
pub(crate) mod once;
pub(crate) mod over;
pub(crate) mod panics;
pub(crate) mod speed;
