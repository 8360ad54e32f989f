//! Loaded code of a grid's kernels, and the device that it is compiled for.

use std::sync::Arc;

use nestwise_codegen::{GridCode, GridTarget};

use crate::device::cuda::card;
use crate::device::cuda::module::Module;
use crate::options::{DeviceChoice, Options};

/// The loaded kernels of one nest.
pub enum Code {
    /// Code for the host's processor, which the emulated device runs.
    Emulated(Arc<GridCode>),
    /// A module of the CUDA driver.
    Cuda(Arc<Module>),
}

/// The kind of device that grid loops are compiled for under these options; none where none may be used.
pub fn grid_target(options: &Options) -> Option<GridTarget> {
    match options.device {
        DeviceChoice::Emulated => Some(GridTarget::Emulated),
        DeviceChoice::Gpu | DeviceChoice::Auto => card::card()
            .ok()
            .map(|card| GridTarget::Ptx(card.capability)),
        _ => None,
    }
}
