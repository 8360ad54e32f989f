//! The time that compiled code of a nest takes.

use nestwise_costmodel::{Compute, Device, Workers};
use nestwise_ir::LoopId;

use crate::plan::{Plan, Sizes};

/// The time that compiled code takes in a call of these sizes: by what the kernel asked for last executes, or else one
/// for the other native device, or by a guess.
pub(crate) fn native(
    plan: &Plan,
    workers: Option<&Workers<'_>>,
    vectorised: bool,
    sizes: &Sizes,
) -> Compute {
    let trips = |id: LoopId| sizes.expected(id);
    let kernels = [Device::Serial, Device::Threads].map(|device| plan.kernels.last(device));
    let priced = [0, 1].map(|k: usize| kernels[k].as_ref().map(|kernel| &kernel.price));
    plan.analysed
        .prices()
        .native(priced, workers, vectorised, &trips, &sizes.values)
}
