//! What a kernel is made for: the facts of a launch that decide its code.

use nestwise_analysis as analysis;
use nestwise_analysis::guards::GuardSet;
use nestwise_codegen as codegen;
use nestwise_costmodel::Device;
use nestwise_ir::{ArrayId, ClauseId, IdSet, LoopId, Nest, PropertyId, Tier, interrupts};

use crate::device::code::grid_target;
use crate::memory::overlap::{self, ArrayView};
use crate::options::{Options, TierChoice};
use crate::plan::analysed::Analysed;
use crate::plan::sizes::Sizes;

/// The trips below which a loop is neither split among threads nor run by vectors.
pub(crate) const SHORT: f64 = 4.0;
/// Which loops of a nest a grid has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// The least number of loops that are around the grid's loops.
    pub(crate) depth: u32,
    /// Whether the loops around them are run by cooperative kernels.
    pub(crate) cooperative: bool,
}

/// Everything that a kernel is made for: launches with equal keys share a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    pub(crate) proven: GuardSet,
    pub(crate) memory: analysis::Memory,
    /// The clauses of the verdicts' conditions that do not hold.
    pub(crate) refuted: IdSet<ClauseId>,
    /// The properties of index arrays that the conditions require and that were found.
    pub(crate) elements: IdSet<PropertyId>,
    pub(crate) unit_stride: Vec<[bool; 8]>,
    pub(crate) threaded: bool,
    /// The device that grid loops run on, and which loops these are; none where none may.
    pub(crate) grid: Option<(codegen::GridTarget, Way)>,
    /// The loops that run at least once whenever they are entered.
    pub(crate) nonempty: IdSet<LoopId>,
    /// The loops of only a few trips: no schedule splits them.
    pub(crate) short: IdSet<LoopId>,
    /// The arrays of which every thread may have a copy.
    pub(crate) copyable: IdSet<ArrayId>,
    /// Whether comparisons raise no flag, for data with NaN.
    pub(crate) quiet: bool,
    /// The loops of the nest as written in which the kernel asks whether somebody waits.
    pub(crate) interruptible: Vec<LoopId>,
    pub(crate) tier: Tier,
}

/// What is known of a launch when its kernel is looked for.
pub struct Facts<'a> {
    /// What the values of the call decide.
    pub sizes: &'a Sizes,
    /// The guards that cannot fail in the launch.
    pub proven: &'a GuardSet,
    /// The properties of index arrays that the verdicts' conditions require and that were found.
    pub elements: IdSet<PropertyId>,
    /// The launch's arrays, in the order of the nest's.
    pub views: &'a [ArrayView],
    /// The device that the launch is to run on.
    pub device: Device,
    /// Whether the launch goes on where CPython was, half-way through the nest's own counter.
    pub resumed: bool,
    /// Whether the site is an expression.
    pub value: bool,
    /// Whether comparisons are to raise no flag.
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

    /// The key of facts that hold for every launch.
    pub(crate) fn general(guards: usize, nest: &Nest) -> Key {
        let slots = nest.arrays.len();
        Key {
            interruptible: interrupts::interruptible(nest, &[]),
            proven: GuardSet::new(guards),
            memory: analysis::Memory::Unknown,
            refuted: IdSet::new(),
            elements: IdSet::new(),
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
    /// Whether the kernel's loops are to run on a device's grid.
    pub fn is_for_grid(&self) -> bool {
        self.grid.is_some()
    }
    pub(crate) fn disjoint(&self) -> bool {
        self.memory == analysis::Memory::Disjoint
    }
    /// What a launch found out that decided more than its types do, a word each.
    pub(crate) fn means(&self) -> impl Iterator<Item = &'static str> {
        let shifted = matches!(self.memory, analysis::Memory::Overlaps(_));
        let all = [
            (shifted, "overlaps"),
            (!self.refuted.is_empty(), "values"),
            (!self.elements.is_empty(), "elements"),
        ];
        all.into_iter().filter(|m| m.0).map(|m| m.1)
    }
}

/// The loops of fewer trips than a vector or two threads could share ([`SHORT`]).
pub(crate) fn short_loops(trips: &[Option<f64>]) -> IdSet<LoopId> {
    let short = |t: &Option<f64>| t.is_some_and(|t| t < SHORT);
    let numbered = (0..).map(LoopId).zip(trips);
    numbered
        .filter(|(_, t)| short(t))
        .map(|(id, _)| id)
        .collect()
}
