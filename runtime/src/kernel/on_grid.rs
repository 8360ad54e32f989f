//! Kernels whose loops run on a device's grid.

use nestwise_analysis as analysis;
use nestwise_analysis::guards;
use nestwise_codegen as codegen;
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{ArrayDecl, Nest, Scalar, Schedule};

use crate::kernel::key::{Key, Way};
use crate::kernel::select::{Scheduled, assumed, schedule, unit_strides};
use crate::kernel::{About, Kernel, OnGrid};
use crate::options::Options;
use crate::plan::analysed::Analysed;

/// A kernel whose loops run on a device, and its code, or why they cannot.
pub(crate) fn build(
    analysed: &Analysed,
    key: &Key,
    (target, way): (codegen::GridTarget, Way),
    options: &Options,
) -> Result<(Kernel, Vec<u8>), String> {
    let nest = guards::apply(analysed.nest(), &key.proven);
    let compiled = |way| compile_grid(&nest, key, (target, way), analysed.verdicts(), options);
    let apart = Way {
        cooperative: false,
        ..way
    };
    let made = match compiled(way) {
        // What one kernel has no room for several may have.
        Err(_) if way.cooperative => compiled(apart),
        made => made,
    };
    let (made, mut about) = made?;
    let (ptx, device) = match &made.device {
        codegen::DeviceCode::Object(object) => (false, object.as_slice()),
        codegen::DeviceCode::Ptx(text) => (true, text.as_bytes()),
    };
    about.grid = Some(OnGrid {
        host: made.host.len(),
        ptx,
        kernels: made.kernels,
    });
    let object = [&made.host, device].concat();
    Ok((Kernel::load(&object, about, options)?, object))
}

/// Why no array of the nest may be on a device.
pub(crate) fn refusal(nest: &Nest) -> Option<&'static str> {
    let mixed = |a: &ArrayDecl| a.storage == Scalar::Num || a.kind.is_own();
    let any = nest.arrays.values().any(mixed);
    any.then_some("lists of ints and floats, or that grow, or what is computed before it is stored")
}

/// The host's and the device's part of a nest under the schedule for a grid, or why there are none.
fn compile_grid(
    nest: &Nest,
    key: &Key,
    (target, way): (codegen::GridTarget, Way),
    verdicts: &analysis::Staged,
    options: &Options,
) -> Result<(codegen::CompiledGrid, About), String> {
    if !key.disjoint() {
        return Err("arrays overlap".into());
    }
    if let Some(why) = refusal(nest) {
        return Err(why.into());
    }
    let mapped = on_grid(nest, key, way, verdicts, options).ok_or("no parallel loop")?;
    let nest = mapped.rewritten.as_ref().unwrap_or(mapped.written);
    let unit_stride = unit_strides(nest, key);
    let spec = codegen::KernelSpec {
        nest,
        schedule: &mapped.schedule,
        disjoint: true,
        unit_stride: &unit_stride,
        fp: options.fp,
        quiet: true,
        unchecked: false,
        tier: Default::default(),
    };
    let made = codegen::compile_grid(spec, target);
    let made = made.map_err(|e| e.to_string())?;
    let ranges = analysis::ranges(nest);
    let undo = mapped.undo_plan(&ranges, key);
    let mut about = About::of(nest, &ranges, undo, &mapped.schedule, mapped.rewrite);
    about.means.push("grid".into());
    if made
        .kernels
        .iter()
        .any(|kernel| kernel.cooperative.is_some())
    {
        about.means.push("cooperative".into());
    }
    about.means.extend(key.means().map(str::to_string));
    about.come_from(&mapped.origin);
    Ok((made, about))
}

/// The nest with its loops for a grid: as written, or else with the loops that threads would have of what it is
/// rewritten to for them (waves of tiles, loops made into several).
fn on_grid<'a>(
    nest: &'a Nest,
    key: &Key,
    way: Way,
    verdicts: &analysis::Staged,
    options: &Options,
) -> Option<Scheduled<'a>> {
    let assumed = assumed(key, verdicts, options);
    let info = analysis::LaunchInfo {
        assumed: assumed.clone(),
        ..analysis::LaunchInfo::guess(nest, options.fp)
    };
    let now = analysis::analyse_with(nest, assumed);
    let mapped = |of: &Nest, grid: Vec<GridLoop>, nonempty| Schedule {
        cooperative: match way.cooperative {
            true => analysis::schedule::cooperative_loops(of, &grid),
            false => vec![],
        },
        grid,
        nonempty,
        ..Schedule::serial()
    };
    let grid = analysis::schedule::grid_loops(nest, &now, &info, way.depth);
    if !grid.is_empty() {
        return Some(Scheduled {
            schedule: mapped(nest, grid, key.nonempty),
            ..Scheduled::plain(nest)
        });
    }
    let threaded = Key {
        threaded: true,
        ..key.clone()
    };
    let made = schedule(nest, &threaded, verdicts, 0, options);
    let of = made.rewritten.as_ref().unwrap_or(nest);
    let threads = made.schedule.threads.iter();
    let fits = threads.filter(|t| analysis::schedule::fits_grid(of, t));
    let grid: Vec<GridLoop> = fits.cloned().map(GridLoop::alone).collect();
    let schedule = (!grid.is_empty()).then(|| mapped(of, grid, made.schedule.nonempty))?;
    Some(Scheduled { schedule, ..made })
}
