//! What a launch (or a guess) says about a nest: sizes, layout, what is wanted.

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{ArrayId, FpMode, LoopId};

use crate::parallelism::verdict::Options;
use crate::transform::rewritten::Rewritten;

/// The base 2 logarithms of the numbers of iterations of the outer and of the inner loop in a tile.
pub type Tile = [u32; 2];

/// Tiles whose rows are long, for the sake of memory, and few, so that waves have many of them.
pub const TILE: Tile = [5, 7];

/// What a launch (or a guess) says about a nest: sizes, layout, and what is asked of a schedule.
#[derive(Clone, Debug)]
pub struct LaunchInfo {
    /// By loop: the estimated trip count.
    pub trips: Vec<Option<f64>>,
    /// By slot and axis: consecutive elements along the axis are adjacent in memory.
    pub unit_stride: Vec<[bool; 8]>,
    /// Lanes of 8-byte elements that a vectorised outer loop should have; 0: no such loops.
    pub lanes: u32,
    /// By slot: every thread may have a copy of the array.
    pub roomy: Vec<bool>,
    /// How large the tiles of waves are.
    pub tile: Tile,
    /// Schedules for threads are wanted.
    pub threads: bool,
    /// The runtime rolls a whole chunk back when a guard fails.
    pub undo: bool,
    /// Whatever is legal is worth it, however small: for tests.
    pub eager: bool,
    /// What the analysis may assume.
    pub assumed: Options,
}

impl LaunchInfo {
    /// C order everywhere, sizes unknown.
    pub fn guess(nest: &Nest, fp: FpMode) -> LaunchInfo {
        let unit = |rank: u32| std::array::from_fn(|axis| axis + 1 == rank as usize);
        LaunchInfo {
            trips: vec![None; nest.loops.len()],
            unit_stride: nest.arrays.values().map(|a| unit(a.rank)).collect(),
            lanes: 16,
            roomy: vec![true; nest.arrays.len()],
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
    /// What it says about a nest made from the one it is about.
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
