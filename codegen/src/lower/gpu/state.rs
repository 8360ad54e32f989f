//! What a function knows of a device: the host's part of the launches, a kernel of its axes and its team.

use nestwise_analysis::dataflow::finite::Finite;

use crate::lower::gpu::cooperative::Team;
use crate::lower::gpu::deferred_results::Late;
use crate::lower::gpu::kernel::Axes;

/// The device's share of an [`Emitter`](crate::lower::emitter::Emitter).
#[derive(Default)]
pub(crate) struct GpuState {
    /// On the host: results of kernels that nobody waits for.
    pub(crate) late: Late,
    /// In a kernel of a device: loops on its axes.
    pub(crate) axes: Option<Axes>,
    /// In a kernel of a device: results that are tested for being finite.
    pub(crate) finite: Option<Finite>,
    /// In a cooperative kernel: what its threads have in common.
    pub(crate) team: Option<Team>,
}
