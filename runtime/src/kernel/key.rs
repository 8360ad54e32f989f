//! What a kernel is made for: the facts of a launch that decide its code.

use nestwise_analysis as analysis;
use nestwise_analysis::guards::GuardSet;
use nestwise_codegen as codegen;
use nestwise_ir::{ArrayId, LoopId, Nest, Tier, interrupts};

/// Trips below which a loop is neither split among threads nor run by vectors.
pub(crate) const SHORT: f64 = 4.0;
/// Which loops a grid has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// In how many loops they are at least.
    pub(crate) depth: u32,
    /// Those around them are cooperative kernels.
    pub(crate) cooperative: bool,
}

/// Everything that a kernel is made for: what is equal here shares a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    pub(crate) proven: GuardSet,
    pub(crate) memory: analysis::Memory,
    /// Clauses that do not hold, a bit each.
    pub(crate) refuted: u64,
    /// Index arrays that are as conditions ask, a bit each.
    pub(crate) elements: u64,
    pub(crate) unit_stride: Vec<[bool; 8]>,
    pub(crate) threaded: bool,
    /// What device's grid loops run on, where they may, and which.
    pub(crate) grid: Option<(codegen::GridTarget, Way)>,
    pub(crate) nonempty: u64,
    /// Loops of only a few trips, a bit each: no schedule splits them.
    pub(crate) short: u64,
    /// Arrays of which every thread may have a copy, a bit each.
    pub(crate) roomy: u64,
    /// For data with NaN: comparisons raise no flag.
    pub(crate) quiet: bool,
    /// Loops of the nest as written in which the kernel asks whether somebody waits.
    pub(crate) interruptible: Vec<LoopId>,
    pub(crate) tier: Tier,
}

impl Key {
    /// The facts that hold for every launch.
    pub(crate) fn general(guards: usize, nest: &Nest) -> Key {
        let slots = nest.arrays.len();
        Key {
            interruptible: interrupts::interruptible(nest, &[]),
            proven: GuardSet::new(guards),
            memory: analysis::Memory::Unknown,
            refuted: 0,
            elements: 0,
            unit_stride: vec![[false; 8]; slots],
            threaded: false,
            grid: None,
            nonempty: 0,
            short: 0,
            roomy: 0,
            quiet: true,
            tier: Tier::Optimised,
        }
    }
    /// This key for code of another tier.
    pub fn of(self, tier: Tier) -> Key {
        Key { tier, ..self }
    }
    /// Whether its loops are to run on a device's grid.
    pub fn is_for_grid(&self) -> bool {
        self.grid.is_some()
    }
    pub(crate) fn disjoint(&self) -> bool {
        self.memory == analysis::Memory::Disjoint
    }
    /// What a launch found out that decided more than its types do.
    pub(crate) fn means(&self) -> impl Iterator<Item = &'static str> {
        let shifted = matches!(self.memory, analysis::Memory::Overlaps(_));
        let all = [
            (shifted, "overlaps"),
            (self.refuted != 0, "values"),
            (self.elements != 0, "elements"),
        ];
        all.into_iter().filter(|m| m.0).map(|m| m.1)
    }
}

/// Bytes that the copies of one array may take for all threads together.
const COPIED_BYTES: i64 = 16 << 20;

/// Bytes of one copy of a slot's array, whatever its strides.
pub(crate) fn copy_bytes(nest: &Nest, array: ArrayId, values: &analysis::LaunchValues) -> i64 {
    let (Some(decl), Some(dims)) = (nest.arrays.get(array), values.dims.get(array.index())) else {
        return i64::MAX;
    };
    let size = decl.storage.size() as i64;
    let extents = dims[..decl.rank as usize].iter();
    extents.fold(size, |bytes, n| bytes.saturating_mul(*n))
}

/// Arrays that some loop would copy of which so many threads may each have a copy, a bit each.
pub(crate) fn roomy_arrays(
    nest: &Nest,
    copied: &[ArrayId],
    values: &analysis::LaunchValues,
    threads: usize,
) -> u64 {
    let fits =
        |a: ArrayId| copy_bytes(nest, a, values).saturating_mul(threads as i64) <= COPIED_BYTES;
    copied
        .iter()
        .filter(|a| a.index() < 64 && fits(**a))
        .fold(0, |bits, a| bits | 1 << a.index())
}

/// Loops of fewer trips than a vector or two threads could share, a bit each.
pub(crate) fn short_loops(trips: &[Option<f64>]) -> u64 {
    let short = |t: &Option<f64>| u64::from(t.is_some_and(|t| t < SHORT));
    let bits = trips.iter().take(64).enumerate();
    bits.fold(0, |all, (i, t)| all | short(t) << i)
}

/// Whether an array is among those of some bits.
pub(crate) fn is_roomy(bits: u64, array: ArrayId) -> bool {
    array.index() < 64 && bits >> array.index() & 1 == 1
}
