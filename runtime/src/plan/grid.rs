//! Which loops of a nest a device's grid could have, and what a call on the machine's GPU takes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use nestwise_analysis as analysis;
use nestwise_analysis::guards;
use nestwise_costmodel::Seconds;
use nestwise_costmodel::estimate::gpu::{Axes, Cooperation, Copies, OnAxes, OnGpu};
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{LoopId, Nest};

use crate::device::cuda::card;
use crate::estimate::device_copies::copies;
use crate::kernel::key::Way;
use crate::kernel::on_grid::refusal;
use crate::options::{DeviceChoice, Options};
use crate::plan::analysed::Analysed;
use crate::plan::learning::Learning;
use crate::plan::sizes::Sizes;

/// What is known of a nest on a device's grid.
///
/// The loops are found by the first call that asks. The flag is set by a launch or a background thread that finds that
/// no kernel of the nest can be on a grid, and is never unset; pricing reads both.
#[derive(Default)]
pub struct GridState {
    /// The loops that a grid could have, by how many loops are around them at least.
    axes: OnceLock<Vec<(Way, Axes)>>,
    /// Whether no kernel of the nest is for a grid.
    left: AtomicBool,
}

impl GridState {
    /// Notes that no kernel of the nest is for a grid, as has turned out: decisions are to be made again.
    pub(crate) fn leave(&self, learning: &Learning) {
        if !self.left.swap(true, Ordering::Relaxed) {
            learning.doubt();
        }
    }

    /// The price of a call on the machine's GPU, and the time to get ready for the first one; none where the machine
    /// has no GPU, or nothing of the nest is for it.
    pub(crate) fn on_gpu(
        &self,
        analysed: &Analysed,
        sizes: &Sizes,
        resumed: bool,
        options: &Options,
    ) -> Option<(OnGpu, Seconds)> {
        let gpu = analysed.prices().gpu()?;
        let free = options.device == DeviceChoice::Auto && !options.verify && !resumed;
        if !free || self.left.load(Ordering::Relaxed) {
            return None;
        }
        let trips = |id: LoopId| sizes.expected(id);
        let axes = self.axes(analysed, sizes, options).iter().map(|a| &a.1);
        let cooperation = cooperation(analysed, options);
        let copies = copies(analysed.nest(), sizes);
        let (_, call) = gpu.cheapest(axes, cooperation, &copies, &trips, &sizes.values)?;
        Some((call, gpu.ready(card::begun())))
    }

    /// The loops that are best on a grid in calls of these sizes.
    pub(crate) fn way(&self, analysed: &Analysed, sizes: &Sizes, options: &Options) -> Way {
        let choices = self.axes(analysed, sizes, options);
        if choices.len() < 2 {
            // Nothing is known of the loops that a nest is rewritten to before it is rewritten.
            return Way {
                cooperative: options.cooperative == Some(true),
                ..Way::default()
            };
        }
        let trips = |id: LoopId| sizes.expected(id);
        let axes = choices.iter().map(|a| &a.1);
        let gpu = analysed.prices().some_gpu();
        let cooperation = cooperation(analysed, options);
        let best = gpu.cheapest(axes, cooperation, &Copies::default(), &trips, &sizes.values);
        best.map_or(Way::default(), |(best, _)| choices[best].0)
    }

    /// The loops that a grid could have if arrays do not overlap, and what the first call's sizes prove is so: the
    /// outermost first, then those in more loops.
    pub(crate) fn axes(
        &self,
        analysed: &Analysed,
        sizes: &Sizes,
        options: &Options,
    ) -> &[(Way, Axes)] {
        self.axes.get_or_init(|| {
            if refusal(analysed.nest()).is_some() {
                return Vec::new();
            }
            let nest = guards::apply(analysed.nest(), &sizes.proven);
            let assumed = analysed.verdicts().options().clone();
            let verdicts = analysis::analyse_with(&nest, assumed.clone());
            let info = analysis::LaunchInfo {
                assumed,
                ..analysis::LaunchInfo::guess(&nest, options.fp)
            };
            let choices = analysis::schedule::grid_choices(&nest, &verdicts, &info);
            let ways = |(depth, loops)| ways(&nest, depth, loops);
            choices.into_iter().flat_map(ways).collect()
        })
    }
}

fn cooperation(analysed: &Analysed, options: &Options) -> Cooperation {
    match (options.cooperative, options.device) {
        (Some(true), _) => Cooperation::Always,
        (Some(false), _) => Cooperation::Never,
        (None, DeviceChoice::Emulated) => Cooperation::ByPrice,
        (None, _) => analysed.prices().some_gpu().cooperation(),
    }
}

/// Loops of a nest that are mapped together, as they are priced: as a kernel each and, if that can be, as parts of one.
fn ways(nest: &Nest, depth: u32, loops: Vec<GridLoop>) -> Vec<(Way, Axes)> {
    let wanted = nestwise_ir::schedule::wanted(nest, &loops);
    let together = analysis::schedule::cooperative_loops(nest, &loops);
    let on_axes = |g: GridLoop| OnAxes {
        awaited: !g.mapped.reductions.is_empty()
            || g.mapped.last_values.iter().any(|v| wanted.contains(v)),
        private: g.mapped.private,
        loops: g.axes,
    };
    let kernels: Vec<OnAxes> = loops.into_iter().map(on_axes).collect();
    let way = |cooperative: Vec<LoopId>| {
        let way = Way {
            depth,
            cooperative: !cooperative.is_empty(),
        };
        let kernels = kernels.clone();
        (
            way,
            Axes {
                kernels,
                cooperative,
            },
        )
    };
    let mut ways = vec![way(vec![])];
    ways.extend((!together.is_empty()).then(|| way(together)));
    ways
}
