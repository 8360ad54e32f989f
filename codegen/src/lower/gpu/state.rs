//! What is known of a device while a function is emitted: on the host the results that kernels leave, in a kernel its
//! axes and its cooperative launch.

use nestwise_analysis::dataflow::finite::Finite;
use nestwise_ir::{ArrayId, LoopId, VarId};

use crate::llvm::V;
use crate::lower::gpu::records::{Placed, Records};
use crate::lower::gpu::tile::Tile;
use crate::lower::gpu::unshared::Unshared;

/// The part of an [`Emitter`](crate::lower::emitter::Emitter) that is about devices.
#[derive(Default)]
pub(crate) struct GpuState {
    /// On the host: the results of kernels that nobody waits for.
    pub(crate) deferred: DeferredResults,
    /// In a kernel of a device: the loops on its axes.
    pub(crate) axes: Option<Axes>,
    /// In a kernel of a device: the results that are tested for being finite.
    pub(crate) finite: Option<Finite>,
    /// In a cooperative kernel: what its threads have in common.
    pub(crate) cooperative: Option<Cooperative>,
}

impl GpuState {
    /// In a kernel: the arrays that its threads do not share as they are.
    pub(crate) fn unshared(&self) -> Option<&Unshared> {
        self.axes.as_ref().map(|axes| &axes.unshared)
    }

    /// Whether elements that follow each other along the last axis do not do so in memory, whatever is known of the
    /// array.
    pub(crate) fn lies_apart(&self, array: ArrayId) -> bool {
        let has = |u: &Unshared| u.copied && u.private.contains(&array);
        self.unshared().is_some_and(has)
    }
}

/// The loops on a kernel's axes, and what its threads keep about their iterations.
#[derive(Default)]
pub(crate) struct Axes {
    /// The loops, outermost first.
    pub(crate) loops: Vec<LoopId>,
    /// The axes along which a thread runs several iterations at once.
    pub(crate) tile: Option<Tile>,
    /// The variables that the last iteration of all leaves behind, and the offsets of their values behind the status.
    pub(crate) results: Vec<(VarId, usize)>,
    /// For each axis: the flag that tells whether its last iteration was run; of the inner ones, in the current
    /// iteration of the outermost.
    pub(crate) last: Vec<V>,
    /// The address of the status, which the results are behind.
    pub(crate) status: Option<V>,
    /// The layout of the records, if something is reduced.
    pub(crate) records: Option<Records>,
    pub(crate) placed: Vec<Option<Placed>>,
    /// The current iteration of each axis, the innermost first, where it matters.
    pub(crate) now: Vec<V>,
    /// The arrays that the threads do not share as they are.
    pub(crate) unshared: Unshared,
    /// The address of the thread's position in the grid, where that is in memory.
    pub(crate) place: Option<V>,
}

impl Axes {
    /// No axes, in a function whose position in the grid is at `place`.
    pub(crate) fn at(place: V) -> Axes {
        Axes {
            place: Some(place),
            ..Axes::default()
        }
    }
}

/// What the threads of a cooperative kernel have in common, as one of them sees it.
pub(crate) struct Cooperative {
    /// The address of the memory that all threads share: see [`crate::abi::cooperative`].
    pub(crate) memory: V,
    /// The alloca of the number of parts that are over.
    pub(crate) turn: V,
    /// The number of the kernel.
    pub(crate) number: usize,
    /// The loops on the axes of each part.
    pub(crate) parts: Vec<Vec<LoopId>>,
    /// Bytes of the largest record that blocks leave in any part.
    pub(crate) record: usize,
}

/// In the host's part: the variables whose values kernels have left in cells that nobody has read yet.
#[derive(Default)]
pub(crate) struct DeferredResults {
    /// Each variable, and a word with the number of the cell that has its value, from 1 on; 0: none has.
    pub(crate) words: Vec<(VarId, V)>,
    /// The number of cells in use.
    pub(crate) cells: usize,
}
