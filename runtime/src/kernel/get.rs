//! Getting a kernel for a launch: from this process, from the cache on disk, or by compiling it.

use std::sync::Arc;
use std::time::Instant;

use nestwise_costmodel::Device;
use nestwise_ir::Tier;

use crate::kernel::build::build;
use crate::kernel::compile::has_room;
use crate::kernel::key::Key;
use crate::kernel::{CompileInfo, Kernel, MadeCode, cache, making};
use crate::options::Options;
use crate::plan::Plan;
use crate::reason::Reason;

/// A kernel, and how it came into the process, if this call is to tell.
pub type Got = (Arc<Kernel>, CompileInfo);

/// The kernel of a key, if it is in this process.
pub(crate) fn find(plan: &Plan, key: &Key) -> Option<Got> {
    let kernel = plan.kernels.find(key)?;
    plan.tiers.came(kernel.device(), kernel.about.tier);
    let news = kernel.news();
    Some((kernel, news))
}

/// The kernel of a key, if it is in this process or on disk. `entered`: when the call began.
pub(crate) fn find_or_load(
    plan: &Plan,
    key: &Key,
    options: &Options,
    entered: Instant,
) -> Option<Got> {
    if let Some(found) = find(plan, key) {
        return Some(found);
    }
    if plan.kernels.is_full() {
        return find(plan, &general_key(plan));
    }
    let nest = plan.analysed.nest();
    let mut kernel = plan.kernels_on_disk.load(nest, key, options)?;
    let info = CompileInfo {
        happened: true,
        from_disk: true,
        time: entered.elapsed(),
        made: None,
    };
    kernel.tells(info, false);
    Some((enter(plan, key.clone(), kernel), info))
}

/// The kernel of a key, compiled if there is none. `entered`: when the call began.
pub fn get(plan: &Plan, key: &Key, options: &Options, entered: Instant) -> Result<Got, Reason> {
    match find(plan, key) {
        Some(found) => Ok(found),
        None => get_or_make(plan, key.clone(), options, entered, false),
    }
}

/// The kernel of a key, compiled if there is none; waits where another thread compiles one of the nest. `ahead`: it is
/// made before any launch asks for it, the first of which is to tell how it came about.
pub(crate) fn get_or_make(
    plan: &Plan,
    mut key: Key,
    options: &Options,
    entered: Instant,
    ahead: bool,
) -> Result<Got, Reason> {
    let _alone = plan.kernels.compile_alone();
    if plan.kernels.is_full() {
        key = general_key(plan);
    }
    if let Some(found) = find(plan, &key) {
        return Ok(found);
    }
    let begun = Instant::now();
    let entry = options.cache_dir.is_some().then(|| {
        let nest = plan.analysed.nest();
        plan.kernels_on_disk.entry(nest, &key, options)
    });
    let stored = entry.and_then(|entry| Kernel::from_disk(options, &entry));
    let from_disk = stored.is_some();
    let (mut kernel, made) = match stored {
        Some(kernel) => {
            if key.grid.is_some() && kernel.grid.is_none() {
                plan.grid.leave(&plan.learning);
            }
            (kernel, None)
        }
        None => make(plan, &key, entry, options, begun)?,
    };
    // Predictions of quick code are for whoever waits for it: beside CPython it takes longer, by as much as `WAITS`
    // allows for.
    let waited = |made: &MadeCode| !ahead || made.tier == Tier::Optimised;
    if let Some(made) = made.filter(waited) {
        making::took(made.tier.into(), made.predicted, made.took);
    }
    let info = CompileInfo {
        happened: true,
        from_disk,
        time: entered.elapsed(),
        made,
    };
    kernel.tells(info, ahead);
    Ok((enter(plan, key, kernel), info))
}

/// Compiles the kernel of a key, and says what code for the host took since `begun`.
fn make(
    plan: &Plan,
    key: &Key,
    entry: Option<cache::Key>,
    options: &Options,
    begun: Instant,
) -> Result<(Kernel, Option<MadeCode>), Reason> {
    if !has_room() {
        return Err(Reason::Codegen("there is too little memory left".into()));
    }
    let predicted = making::of_kernel(plan.analysed.prices(), Device::Serial, key.tier);
    let turn = plan.kernels.count();
    let built = build(&plan.analysed, key, turn, entry, options);
    if key.grid.is_some() && built.as_ref().map_or(true, |built| built.off_grid) {
        plan.grid.leave(&plan.learning);
    }
    let kernel = built?.kernel;
    let made = MadeCode {
        tier: key.tier,
        predicted,
        took: begun.elapsed(),
    };
    let for_host = kernel.grid.is_none();
    Ok((kernel, for_host.then_some(made)))
}

/// The key of the kernel that holds for every launch.
fn general_key(plan: &Plan) -> Key {
    let analysed = &plan.analysed;
    Key::general(analysed.bounds().guards(), analysed.nest())
}

fn enter(plan: &Plan, key: Key, kernel: Kernel) -> Arc<Kernel> {
    let kernel = Arc::new(kernel);
    plan.kernels.add(key, &kernel);
    plan.tiers.came(kernel.device(), kernel.about.tier);
    kernel
}
