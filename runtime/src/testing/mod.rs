//! Switches for tests: mistakes planted on purpose, schedules forced against their price.

pub mod forced_schedules;
pub mod planted_mistakes;
