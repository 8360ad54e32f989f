//! What the commands other than `run` ask of the Rust side.

pub(crate) mod calibrate;
pub(crate) mod explain;
pub(crate) mod fp_gain;
pub(crate) mod priced;
pub(crate) mod recording;
