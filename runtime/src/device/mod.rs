//! Devices with memory of their own.
//!
//! A kernel for a grid ([`nestwise_codegen::grid`]) works on copies ([`memory`]): what a launch's arrays hold is
//! uploaded once, and what was written is downloaded at its end, or before anybody else may look ([`Resident`]), or, in
//! a region, when the program may look ([`residency`]). A guard failure, or a device that fails, costs what was done
//! since the launch began.

pub mod code;
pub mod cuda;
mod emulated;
mod grid;
mod host_part;
mod interface;
pub(crate) mod launch_arrays;
mod memory;
pub mod residency;
mod shape;
mod streams;

pub use crate::device::code::Code;
pub use crate::device::emulated::Emulated;
pub use crate::device::grid::{Expected, Grid};
pub use crate::device::interface::{Cooperative, Device, Launch, Upload};
pub use crate::device::launch_arrays::{Resident, Slots};
pub use crate::device::memory::{Keeps, Owner, Transfers};
