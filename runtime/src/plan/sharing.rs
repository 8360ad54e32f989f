//! What the threads of the worker pool could do of a nest.

use std::sync::Arc;

use nestwise_analysis as analysis;
use nestwise_costmodel::record::Parallel;
use nestwise_costmodel::{Device, Workers};
use nestwise_ir::LoopId;
use nestwise_ir::schedule::ThreadLoop;

use crate::kernel::Kernel;
use crate::options::{DeviceChoice, Options, options};
use crate::plan::analysed::Analysed;
use crate::plan::{Plan, Sizes};

/// The number of tiles of an average wave that keep one thread busy.
const TILES_PER_THREAD: f64 = 2.0;

/// What the nest can do on several threads in a call of these sizes. The first question takes as long as compiling,
/// about.
pub(crate) fn abilities(plan: &Plan, sizes: &Sizes) -> Arc<analysis::Abilities> {
    plan.analysed.abilities(sizes, is_hopeful(plan))
}

/// Whether [`abilities`] has its answer at hand.
pub(crate) fn knows_abilities(plan: &Plan, sizes: &Sizes) -> bool {
    plan.analysed.knows_abilities(sizes, is_hopeful(plan))
}

/// Whether index arrays may be what loops on threads want them to be.
fn is_hopeful(plan: &Plan) -> bool {
    plan.analysed.verdicts().elements().is_empty() || plan.inspections.hopes()
}

/// What `threads` threads could do of a call, at most.
pub(crate) fn parallel(plan: &Plan, sizes: &Sizes, threads: u32, options: &Options) -> Parallel {
    let analysed = &plan.analysed;
    let trips = |id: LoopId| sizes.expected(id);
    let able = abilities(plan, sizes);
    let copyable = analysed.copyable(sizes, options.threads);
    let roots = able.roots(|a| copyable.contains(a));
    let copied = roots.iter().map(|t| {
        let bytes = t.copied().map(|a| analysed.copy_bytes(a, &sizes.values));
        bytes.sum::<i64>() as f64 * analysed.times_entered(t.id, &trips)
    });
    let copied_bytes = copied.sum();
    let (forks, most) = match told(plan, roots, sizes, options) {
        Some(starts) => (starts, threads),
        None => parallelism(analysed, &able, roots, threads, &trips),
    };
    Parallel {
        most,
        forks,
        always: starts_always(&able, options),
        copied_bytes,
        vectorisable: able.vectorisable,
    }
}

/// How often threads are started, and how many of them have something to do. Waves pay only if an average one has
/// several tiles for each thread: the first and last ones are shorter than the others.
fn parallelism(
    analysed: &Analysed,
    able: &analysis::Abilities,
    roots: &[ThreadLoop],
    threads: u32,
    trips: &dyn Fn(LoopId) -> f64,
) -> (f64, u32) {
    if let Some(waves) = able.waves {
        let (count, tiles) = waves.count(trips);
        let fed = tiles / TILES_PER_THREAD;
        return (
            count * analysed.times_entered(waves.outer, trips),
            threads.min(fed as u32).max(1),
        );
    }
    let shared = roots.iter().filter(|t| trips(t.id) > 1.0);
    let forks = shared.map(|t| analysed.times_entered(t.id, trips));
    (forks.sum(), if roots.is_empty() { 1 } else { threads })
}

/// How often a kernel starts threads, if it was made because threads were asked for, and has loops for them that the
/// nest as written has not.
fn told(plan: &Plan, roots: &[ThreadLoop], sizes: &Sizes, options: &Options) -> Option<f64> {
    let told = options.device == DeviceChoice::Threads && roots.is_empty();
    let last = plan.kernels.last(Device::Threads);
    let kernel = last.filter(|kernel| told && kernel.about.threaded)?;
    let trips = |id: LoopId| sizes.expected(id);
    Some(kernel.price.starts(&trips, &sizes.values))
}

/// For each loop of a kernel: the fewest iterations for which `threads` threads (0: as many as there may be) are
/// started in such calls.
pub(crate) fn least(plan: &Plan, kernel: &Kernel, threads: u32, sizes: &Sizes) -> Arc<[i64]> {
    if !kernel.about.threaded {
        return Arc::default();
    }
    let options = options();
    let found = || {
        let workers = Workers {
            threads: match threads {
                0 => options.threads as u32,
                some => some,
            },
            weights: &options.profile.threads,
            always: starts_always(&abilities(plan, sizes), &options),
        };
        let trips = |id: LoopId| sizes.expected(id);
        kernel.price.least(&trips, &sizes.values, &workers).into()
    };
    sizes.least.get_or_init(found).clone()
}

/// Whether threads are started for each parallel loop, even where that does not pay: for tiles of waves, whose trips
/// nobody prices, and where threads were asked for.
fn starts_always(able: &analysis::Abilities, options: &Options) -> bool {
    able.waves.is_some() || options.device != DeviceChoice::Auto || options.forced.is_some()
}
