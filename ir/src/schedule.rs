//! A schedule: which loops are mapped to vectors, threads or a grid, and how. It never changes what a nest computes.

use std::collections::BTreeSet;

use crate::model::ids::{AccessId, ArrayId, IdSet, LoopId, VarId};
use crate::model::nest::{ExprKind, Nest, Stmt, StmtKind};
use crate::model::types::Scalar;

/// How faithful floating-point results must be.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
pub enum FpMode {
    /// Results have the bits of CPython and NumPy, always.
    #[default]
    Strict,
    /// Operations and their order are those of the source; math functions may differ within documented ulps.
    Faithful,
    /// Sums may be reassociated, and multiply-add fused.
    Fast,
}

/// How much time making code may take, against how fast it runs.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
pub enum Tier {
    /// Quick code: the nest as written, with few passes and fast instruction selection, for the time until there is
    /// better.
    Quick,
    /// Optimised code: all that passes and schedules can do.
    #[default]
    Optimised,
}

impl std::fmt::Display for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Tier::Quick => "quick",
            Tier::Optimised => "optimised",
        })
    }
}

/// How a reduction variable's partial values are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum RedOp {
    /// The sum, with the identity 0.
    Add,
    /// The product, with the identity 1.
    Mul,
    /// The minimum, with the largest value as identity.
    Min,
    /// The maximum, with the smallest value as identity.
    Max,
    /// Bitwise or logical and, with all ones as identity.
    And,
    /// Bitwise or logical or, with the identity 0.
    Or,
    /// Bitwise exclusive or, with the identity 0.
    Xor,
    /// The value assigned together with the best value of that variable, a [`RedOp::Min`] or [`RedOp::Max`] that comes
    /// later in the list (the position in an arg-min).
    Along(VarId),
    /// The value from the last iteration that assigned the variable; the identity is "not assigned".
    Last,
}

impl RedOp {
    /// Whether devices update such an element atomically: by an instruction, or, where it is narrow, by exchanging the
    /// word around it.
    pub fn is_atomic(self, storage: Scalar) -> bool {
        let combines = match self {
            Self::Add => storage.is_int() || storage.is_float(),
            Self::Min | Self::Max | Self::And | Self::Or | Self::Xor => storage.is_int(),
            _ => false,
        };
        combines && storage.bits() <= 64
    }
}

/// The mapping of a nest's loops.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// Loops whose iterations may run on several threads, each with its reductions; none encloses another.
    pub threads: Vec<ThreadLoop>,
    /// Loops whose consecutive iterations become the lanes of a vector, with the number of lanes. Such a loop is
    /// parallel; loops inside it run their iterations in order with all lanes together. Where one listed loop
    /// encloses another, the inner one has the lanes, and that many iterations of the outer one (2 to 8) run
    /// interleaved, sharing what they load (unroll and jam).
    pub vector: Vec<(LoopId, u32)>,
    /// Loops that are innermost and parallel: the compiler may assume that their iterations are independent.
    pub independent: Vec<LoopId>,
    /// Loops that are innermost and may run in lockstep (every dependence that one carries goes forward in the text, as
    /// in `a[i] = a[i + 1]`): guards may be evaluated after such a loop, and the compiler finds out by itself how far
    /// apart its accesses are.
    pub lockstep: Vec<LoopId>,
    /// Loops, each in `independent` too, whose first and last iterations are run one by one, and only the
    /// [interior](nestwise_analysis::transform::peeling) as the rest of the schedule says.
    pub split: Vec<LoopId>,
    /// Loops whose iterations run on the grid of a device, each in a kernel; none encloses another.
    #[serde(default)]
    pub grid: Vec<GridLoop>,
    /// Loops around loops of `grid` that run by cooperative launch: each is a kernel of its own, all of whose threads
    /// go through it together and wait for each other behind each part; none encloses another.
    #[serde(default)]
    pub cooperative: Vec<LoopId>,
    /// Loops that run at least once whenever they are entered, so that what they assign is assigned afterwards: a fact
    /// of the launch, not a choice.
    pub nonempty: IdSet<LoopId>,
}

/// A parallel loop mapped to the grid of a device.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct GridLoop {
    /// The loop and, inside it, further parallel ones, outermost first: at most three. The last one runs along the
    /// grid's first axis. Statements around the inner ones stand before them, assign variables only, and none of the
    /// reductions.
    pub axes: Vec<LoopId>,
    /// The first axis as a loop on threads. It has the reductions and the private arrays of every axis, and no
    /// anti-dependence copies. Each iteration, not each part, works on its own copies, and elements are updated in
    /// place, atomically.
    pub mapped: ThreadLoop,
}

/// The variables whose values are needed before a nest that has these loops on a grid ends: all that occur anywhere but
/// inside a grid loop of which they are last values.
pub fn wanted(nest: &Nest, grid: &[GridLoop]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let top = std::slice::from_ref(&nest.top);
    for block in [&nest.prologue, top] {
        wanted_in(block, &|_| true, grid, &mut found);
    }
    found
}

fn wanted_in(
    block: &[Stmt],
    wants: &dyn Fn(VarId) -> bool,
    grid: &[GridLoop],
    found: &mut BTreeSet<VarId>,
) {
    for s in block {
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Var(v) = e.kind {
                    found.extend(wants(v).then_some(v));
                }
            });
        }
        let (own, mapped) = match &s.kind {
            StmtKind::Let { var, .. } => (Some(*var), None),
            StmtKind::For(l) => (Some(l.counter), grid.iter().find(|g| g.mapped.id == l.id)),
            _ => (None, None),
        };
        found.extend(own.filter(|v| wants(*v)));
        for block in s.blocks() {
            match mapped {
                Some(g) => wanted_in(block, &|v| !g.mapped.last_values.contains(&v), grid, found),
                None => wanted_in(block, wants, grid, found),
            }
        }
    }
}

impl GridLoop {
    /// A grid of a single axis.
    pub fn alone(mapped: ThreadLoop) -> GridLoop {
        let axes = vec![mapped.id];
        GridLoop { axes, mapped }
    }
}

/// A loop mapped to threads.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ThreadLoop {
    /// The loop.
    pub id: LoopId,
    /// The loop's reduction variables, with their operations.
    pub reductions: Vec<(VarId, RedOp)>,
    /// Variables assigned in every iteration whose value after the loop is that of the last one.
    pub last_values: Vec<VarId>,
    /// Arrays of which every part but the last works on a copy whose initial values do not matter.
    pub private: Vec<ArrayId>,
    /// Arrays of which every part but the last works on a copy that starts from the identity; copies are combined with
    /// the array afterwards.
    pub array_reductions: Vec<(ArrayId, RedOp)>,
    /// Arrays that some loads read as they were before the loop.
    pub anti_dependence_copies: Vec<AntiDependenceCopy>,
}

/// An array of which some loads of a loop have to read what was there before the loop, not what later iterations write.
/// A part has a copy, made before any part begins, of what later parts write.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct AntiDependenceCopy {
    /// The array.
    pub array: ArrayId,
    /// The loads.
    pub reads: Vec<AccessId>,
    /// The most iterations from such a load to a store to its element; `None`: any number.
    pub reach: Option<u32>,
    /// The window of the array in which the loads of some iterations are; `None`: anywhere.
    pub window: Option<Window>,
}

/// A window along one axis: subscripts from `scale * counter + least` to `scale * counter + most`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Window {
    /// The axis.
    pub axis: u32,
    /// The counter's coefficient, 1 or -1.
    pub scale: i64,
    /// The least constant that is added.
    pub least: i64,
    /// The greatest constant that is added.
    pub most: i64,
}

impl AntiDependenceCopy {
    /// Whether a part copies no more than what a few iterations read, however large the array is.
    pub fn is_halo(&self) -> bool {
        self.reach.is_some() && self.window.is_some()
    }
}

impl ThreadLoop {
    /// A loop without reductions, last values or copies.
    pub fn plain(id: LoopId) -> ThreadLoop {
        ThreadLoop {
            id,
            reductions: vec![],
            last_values: vec![],
            private: vec![],
            array_reductions: vec![],
            anti_dependence_copies: vec![],
        }
    }
    /// The arrays that parts work on copies of.
    pub fn unshared(&self) -> impl Iterator<Item = ArrayId> + '_ {
        let reduced = self.array_reductions.iter().map(|r| r.0);
        self.private.iter().copied().chain(reduced)
    }
    /// The arrays of which each part has a whole copy.
    pub fn copied(&self) -> impl Iterator<Item = ArrayId> + '_ {
        let whole = self.anti_dependence_copies.iter().filter(|r| !r.is_halo());
        self.unshared().chain(whole.map(|r| r.array))
    }
}

impl Schedule {
    /// The loops that run by vectors, or that the compiler may run so.
    pub fn on_vectors(&self) -> impl Iterator<Item = LoopId> + '_ {
        let lanes = self.vector.iter().map(|v| v.0);
        lanes.chain(self.independent.iter().chain(&self.lockstep).copied())
    }
    /// Whether any loops run by vectors, or may be run so by the compiler.
    pub fn has_vectors(&self) -> bool {
        self.on_vectors().next().is_some()
    }
    /// Whether iterations of a loop may run together, or one of them before an earlier one has.
    pub fn maps(&self, id: LoopId) -> bool {
        let on_grid = |g: &GridLoop| g.axes.contains(&id);
        self.threads.iter().any(|t| t.id == id)
            || self.on_vectors().any(|v| v == id)
            || self.grid.iter().any(on_grid)
    }
    /// The schedule that runs everything in order on one thread.
    pub fn serial() -> Schedule {
        Schedule::default()
    }
}
