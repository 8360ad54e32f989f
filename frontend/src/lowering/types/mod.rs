//! The knowledge of values: live ranges, types, provenance, intervals.

pub(crate) mod facts;
pub(crate) mod intervals;
pub(crate) mod kinds;
pub(crate) mod live_ranges;
pub(crate) mod none;
pub(crate) mod provenance;
pub(crate) mod variables;
