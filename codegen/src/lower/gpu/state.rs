//! What a function knows of a device: the host's part of the launches, a kernel of its axes and of what its threads have in common.

use nestwise_analysis::dataflow::finite::Finite;
use nestwise_ir::{ArrayId, LoopId, VarId};

use crate::llvm::V;
use crate::lower::gpu::records::{Placed, Records};
use crate::lower::gpu::tile::Tile;
use crate::lower::gpu::unshared::Unshared;

/// The device's share of an [`Emitter`](crate::lower::emitter::Emitter).
#[derive(Default)]
pub(crate) struct GpuState {
    /// On the host: results of kernels that nobody waits for.
    pub(crate) deferred: DeferredResults,
    /// In a kernel of a device: loops on its axes.
    pub(crate) axes: Option<Axes>,
    /// In a kernel of a device: results that are tested for being finite.
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

/// The loops of a kernel.
#[derive(Default)]
pub(crate) struct Axes {
    /// The loops, outermost first.
    pub(crate) loops: Vec<LoopId>,
    /// The axes along which a thread runs several iterations at once.
    pub(crate) tile: Option<Tile>,
    /// Variables that the last iteration of all leaves behind, and where, behind the status.
    pub(crate) results: Vec<(VarId, usize)>,
    /// Whether the last iteration of each was run: of the inner ones, in the current iteration of the outermost.
    pub(crate) last: Vec<V>,
    /// The status, which those are behind.
    pub(crate) status: Option<V>,
    /// What is reduced.
    pub(crate) records: Option<Records>,
    pub(crate) placed: Vec<Option<Placed>>,
    /// The current iteration of each axis, the innermost first, where it matters.
    pub(crate) now: Vec<V>,
    /// Arrays that threads do not share.
    pub(crate) unshared: Unshared,
    /// The place in the grid, where it is in memory.
    pub(crate) place: Option<V>,
}

impl Axes {
    /// None, in a function that finds its place in the grid there.
    pub(crate) fn at(place: V) -> Axes {
        Axes {
            place: Some(place),
            ..Axes::default()
        }
    }
}

/// What the threads of a cooperative kernel have in common, as one of them sees it.
pub(crate) struct Cooperative {
    /// See [`crate::abi::cooperative`].
    pub(crate) memory: V,
    /// Parts that are over.
    pub(crate) turn: V,
    /// The kernel's number.
    pub(crate) number: usize,
    /// The loops on the axes of each part.
    pub(crate) parts: Vec<Vec<LoopId>>,
    /// Bytes of the largest record that blocks leave.
    pub(crate) record: usize,
}

/// In the host's part: variables whose values kernels have left in cells that nobody has read yet.
#[derive(Default)]
pub(crate) struct DeferredResults {
    /// Each variable, and a word with the number of the cell that has its value, from 1 on; 0: none has.
    pub(crate) words: Vec<(VarId, V)>,
    /// Cells in use.
    pub(crate) cells: usize,
}
