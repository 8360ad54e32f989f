//! Recording a run, so that other machines can price it.

use std::sync::Arc;

use nestwise_costmodel::Device;
use nestwise_costmodel::record::{CallRecord, KernelRecord, NestRecord, Parallel};
use nestwise_ir::LoopId;

use crate::estimate::device_copies::copies;
use crate::estimate::first_touch::{fresh, untouched};
use crate::estimate::launch_work::launch_work;
use crate::kernel::Kernel;
use crate::options::{Options, options};
use crate::plan::native::native;
use crate::plan::resolve::{launch_values, resolve};
use crate::plan::sharing::parallel;
use crate::plan::{Plan, Sizes};
use crate::reason::Reason;
use crate::value::HasValue;

/// Keeps what the price of a call depends on.
pub fn record<V: HasValue>(plan: &Plan, captures: &[V]) -> Result<(), Reason> {
    let nest = plan.analysed.nest();
    let mut sizes = resolve(&plan.analysed, launch_values(nest, captures)?, false)?;
    plan.guesses.guess(nest, &mut sizes, captures);
    sizes.untouched = untouched(nest, captures);
    let options = options();
    let call = call(plan, &sizes, captures, &options);
    plan.recording
        .add(call, || empty_record(plan, &sizes, &options));
    Ok(())
}

/// The record of the nest at `line` of `file`, with its kernels as they are now; none if nothing was kept.
pub fn recorded(plan: &Plan, file: &str, line: u32) -> Option<NestRecord> {
    let kept = plan.recording.get()?;
    let kernel = |k: Arc<Kernel>| KernelRecord {
        shape: k.about.shape.clone(),
        traffic: k.about.traffic.clone(),
        origin: k.about.origin.clone(),
    };
    Some(NestRecord {
        file: file.into(),
        line,
        kernels: [Device::Serial, Device::Threads]
            .map(|device| plan.kernels.last(device).map(kernel)),
        ..kept
    })
}

fn empty_record(plan: &Plan, sizes: &Sizes, options: &Options) -> NestRecord {
    let source = plan.analysed.priced_by().clone();
    NestRecord {
        file: String::new(),
        line: 0,
        features: source.features,
        traffic: source.traffic,
        grid: plan
            .grid
            .axes(&plan.analysed, sizes, options)
            .iter()
            .map(|a| a.1.clone())
            .collect(),
        lanes: source.lanes,
        kernels: [None, None],
        calls: Vec::new(),
        folded: 0,
    }
}

fn call<V: HasValue>(plan: &Plan, sizes: &Sizes, captures: &[V], options: &Options) -> CallRecord {
    let analysed = &plan.analysed;
    let one = native(plan, None, analysed.verdicts().has_parallel(), sizes);
    let around = launch_work(plan, sizes, captures, one.total());
    let ids: Vec<LoopId> = analysed.nest().loops.ids().collect();
    let parallel = parallel(plan, sizes, u32::MAX, options);
    CallRecord {
        times: 1,
        trips: ids.iter().map(|id| sizes.expected(*id)).collect(),
        // What index arrays hold moves no memory.
        values: nestwise_analysis::LaunchValues {
            contents: Vec::new(),
            ..sizes.values.clone()
        },
        bind: around.bind,
        convert: around.convert,
        undo: around.undo,
        fresh: fresh(analysed, sizes),
        copies: copies(analysed.nest(), sizes),
        parallel: Parallel {
            // A number that every reader of JSON has.
            most: parallel.most.min(i32::MAX as u32),
            ..parallel
        },
    }
}
