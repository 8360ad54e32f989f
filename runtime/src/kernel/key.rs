//! What a kernel is made for: the facts of a launch that decide its code.

use nestwise_analysis as analysis;
use nestwise_analysis::guards::GuardSet;
use nestwise_codegen as codegen;
use nestwise_costmodel::Device;
use nestwise_ir::{ArrayId, IdSet, LoopId, Nest, Tier, interrupts};

use crate::device::code::grid_target;
use crate::memory::overlap::{self, ArrayView};
use crate::options::{Options, TierChoice};
use crate::plan::analysed::Analysed;
use crate::plan::sizes::Sizes;

/// Trips below which a loop is neither split among threads nor run by vectors.
pub(crate) const SHORT: f64 = 4.0;
/// Which loops a grid has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// In how many loops they are at least.
    pub(crate) depth: u32,
    /// The loops around them are cooperative kernels.
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
    /// Loops that run at least once whenever they are entered.
    pub(crate) nonempty: IdSet<LoopId>,
    /// Loops of only a few trips: no schedule splits them.
    pub(crate) short: IdSet<LoopId>,
    /// Arrays of which every thread may have a copy.
    pub(crate) copyable: IdSet<ArrayId>,
    /// For data with NaN: comparisons raise no flag.
    pub(crate) quiet: bool,
    /// Loops of the nest as written in which the kernel asks whether somebody waits.
    pub(crate) interruptible: Vec<LoopId>,
    pub(crate) tier: Tier,
}

/// What is known of a launch when its kernel is looked for.
pub struct Facts<'a> {
    /// What the values of the call decide.
    pub sizes: &'a Sizes,
    /// The guards that cannot fail in it.
    pub proven: &'a GuardSet,
    /// The index arrays that are as the verdicts' conditions ask, a bit each.
    pub elements: u64,
    /// Its arrays, in the order of the nest's.
    pub views: &'a [ArrayView],
    /// Where it is to run.
    pub device: Device,
    /// It goes on where CPython was, half-way through the nest's own counter.
    pub resumed: bool,
    /// The site is an expression.
    pub value: bool,
    /// Comparisons are to raise no flag.
    pub quiet: bool,
}

impl Key {
    /// The key of the kernel for a launch; `way` chooses the loops for a device's grid.
    pub fn of_launch(
        analysed: &Analysed,
        launch: &Facts<'_>,
        way: impl FnOnce() -> Way,
        options: &Options,
    ) -> Key {
        let (nest, sizes) = (analysed.nest(), launch.sizes);
        let written = |slot: usize| nest.arrays.values().nth(slot).is_some_and(|a| a.written);
        Key {
            proven: launch.proven.clone(),
            memory: match launch.resumed && analysed.verdicts().counts_from_entry() {
                // In the order as written, whatever iterations have in common.
                true => analysis::Memory::Unknown,
                false => overlap::memory(launch.views, written).throughout(nest),
            },
            refuted: sizes.refuted,
            elements: launch.elements,
            unit_stride: launch.views.iter().map(ArrayView::unit_strides).collect(),
            threaded: launch.device == Device::Threads,
            grid: match launch.device {
                Device::Gpu if !launch.resumed => {
                    grid_target(options).map(|target| (target, way()))
                }
                _ => None,
            },
            nonempty: sizes.nonempty,
            short: match options.tests_forms() {
                true => IdSet::new(),
                false => short_loops(&sizes.trips),
            },
            copyable: match launch.device {
                Device::Threads => analysed.copyable(sizes, options.threads),
                _ => IdSet::new(),
            },
            quiet: launch.quiet,
            interruptible: match launch.device {
                // What runs there is cut into short launches.
                Device::Gpu => Vec::new(),
                _ if options.unchecked.is_some() => Vec::new(),
                // CPython would evaluate all of an expression, whether somebody waits or not.
                _ if launch.value && !nestwise_codegen::link::interrupts::is_waiting_known() => {
                    Vec::new()
                }
                _ => analysed.interruptible(sizes),
            },
            tier: match (launch.device, options.tier) {
                (Device::Serial, Some(TierChoice::Quick)) => Tier::Quick,
                _ => Tier::Optimised,
            },
        }
    }

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
            nonempty: IdSet::new(),
            short: IdSet::new(),
            copyable: IdSet::new(),
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

/// Loops of fewer trips than a vector or two threads could share.
pub(crate) fn short_loops(trips: &[Option<f64>]) -> IdSet<LoopId> {
    let short = |t: &Option<f64>| t.is_some_and(|t| t < SHORT);
    let numbered = (0..).map(LoopId).zip(trips);
    numbered
        .filter(|(_, t)| short(t))
        .map(|(id, _)| id)
        .collect()
}
