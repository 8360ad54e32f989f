//! The process: panics, what its end leaves to do, how fast its machine is.

pub(crate) mod ending;
pub(crate) mod once;
pub(crate) mod over;
pub(crate) mod panics;
pub(crate) mod speed;
