//! What a launch (or a guess) says about a nest: sizes, memory layout, and which schedules are wanted.

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{ArrayId, FpMode, LoopId};

use crate::parallelism::verdict::Options;
use crate::transform::rewritten::Rewritten;

/// The base 2 logarithms of the numbers of iterations of the outer and of the inner loop in a tile.
pub type Tile = [u32; 2];

/// The usual tile, 32 by 128 iterations: rows are long, which is good for memory, and few, so that a wave has many
/// tiles.
pub const TILE: Tile = [5, 7];

/// What a launch (or a guess) says about a nest: sizes, memory layout, and what is asked of a schedule.
#[derive(Clone, Debug)]
pub struct LaunchInfo {
    /// By loop: the estimated trip count.
    pub trips: Vec<Option<f64>>,
    /// By slot and axis: whether consecutive elements along the axis are adjacent in memory.
    pub unit_stride: Vec<[bool; 8]>,
    /// The number of lanes of 8-byte elements that a vectorised outer loop should have; 0: no outer loop is vectorised.
    pub lanes: u32,
    /// By slot: whether every thread may have a copy of the array.
    pub copyable: Vec<bool>,
    /// The size of the tiles of a wavefront.
    pub tile: Tile,
    /// Whether schedules for threads are wanted.
    pub threads: bool,
    /// Whether the runtime rolls a whole chunk back when a guard fails.
    pub undo: bool,
    /// Whether whatever is legal counts as worth it, however small: for tests.
    pub eager: bool,
    /// What the analysis may assume.
    pub assumed: Options,
}

impl LaunchInfo {
    /// A guess: arrays in C order, sizes unknown.
    pub fn guess(nest: &Nest, fp: FpMode) -> LaunchInfo {
        let unit = |rank: u32| std::array::from_fn(|axis| axis + 1 == rank as usize);
        LaunchInfo {
            trips: vec![None; nest.loops.len()],
            unit_stride: nest.arrays.values().map(|a| unit(a.rank)).collect(),
            lanes: 16,
            copyable: vec![true; nest.arrays.len()],
            tile: TILE,
            threads: true,
            undo: true,
            eager: false,
            assumed: Options::new(fp),
        }
    }
    pub(crate) fn trips(&self, id: LoopId) -> Option<f64> {
        self.trips.get(id.index()).copied().flatten()
    }
    /// The information on the launch for a nest that was rewritten from the one it is about.
    pub(crate) fn of(&self, made: &Rewritten) -> LaunchInfo {
        LaunchInfo {
            trips: made.origin.iter().map(|old| self.trips(*old)).collect(),
            assumed: Options {
                nonempty: made.nonempty,
                ..self.assumed.clone()
            },
            ..self.clone()
        }
    }
    pub(crate) fn unit(&self, a: ArrayId, axis: usize) -> bool {
        self.unit_stride
            .get(a.index())
            .and_then(|u| u.get(axis))
            .copied()
            .unwrap_or(false)
    }
}
