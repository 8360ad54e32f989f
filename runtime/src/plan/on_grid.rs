//! Kernels whose loops run on a device's grid.

use super::make::{Key, Made, assumed, schedule, unit_strides};
use super::{Kernel, Plan};
use crate::device::cuda::Module;
use crate::device::{Code, Grid};
use crate::kernel::About;
use crate::options::Options;
use nestwise_analysis as analysis;
use nestwise_analysis::guards;
use nestwise_codegen as codegen;
use nestwise_ir::schedule::{GridLoop, ThreadLoop};
use nestwise_ir::{ArrayDecl, ArrayKind, Nest, Scalar, Schedule};
use std::sync::Arc;

impl Plan {
    /// A kernel whose loops run on a device, or why they cannot.
    pub(super) fn build_grid(
        &self,
        key: &Key,
        target: codegen::GridTarget,
        options: &Options,
    ) -> Result<Kernel, String> {
        let nest = guards::apply(&self.nest, &key.proven);
        let (made, about) = compile_grid(&nest, key, target, &self.verdicts, options)?;
        let bad = |e: codegen::CodegenError| e.to_string();
        let count = made.kernels.len();
        let code = match &made.device {
            codegen::DeviceCode::Object(object) => {
                Code::Emulated(Arc::new(codegen::load_grid(object, count).map_err(bad)?))
            }
            codegen::DeviceCode::Ptx(text) => Code::Cuda(Arc::new(
                Module::load(text, count).map_err(|r| r.to_string())?,
            )),
        };
        let host = codegen::load(&made.host).map_err(bad)?;
        let axes = made.kernels.iter().map(Vec::len).collect();
        let mut kernel = Kernel::new(host, about, options);
        kernel.grid = Some(Grid::new(code, axes));
        Ok(kernel)
    }
}

/// Both parts of a nest under the schedule for a grid, or why there are none.
fn compile_grid(
    nest: &Nest,
    key: &Key,
    target: codegen::GridTarget,
    verdicts: &analysis::Staged,
    options: &Options,
) -> Result<(codegen::CompiledGrid, About), String> {
    let mixed = |a: &ArrayDecl| a.storage == Scalar::Num || a.kind == ArrayKind::Appended;
    if !key.disjoint() {
        return Err("arrays overlap".into());
    }
    if nest.arrays.values().any(mixed) {
        return Err("lists of ints and floats, or that grow".into());
    }
    let mapped = on_grid(nest, key, verdicts, options).ok_or("no parallel loop")?;
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
    };
    let made = codegen::compile_grid(spec, target);
    let made = made.map_err(|e| e.to_string())?;
    // Nothing is ever taken back: the host's arrays are not written before all is well.
    let undo = analysis::UndoPlan {
        slots: Vec::new(),
        events: false,
        warns: false,
    };
    let mut about = About::of(nest, undo, &mapped.schedule, mapped.rewrite);
    about.means.push("grid".into());
    about.means.extend(key.means().map(str::to_string));
    about.origin.clone_from(&mapped.origin);
    Ok((made, about))
}

/// The loops for a grid: of the nest as written, or else those that threads would have of what it is rewritten to for them (waves
/// of tiles, loops made into several).
fn on_grid<'a>(
    nest: &'a Nest,
    key: &Key,
    verdicts: &analysis::Staged,
    options: &Options,
) -> Option<Made<'a>> {
    let assumed = assumed(key, verdicts, options);
    let info = analysis::LaunchInfo {
        assumed: assumed.clone(),
        ..analysis::LaunchInfo::guess(nest, options.fp)
    };
    let now = analysis::analyse_with(nest, assumed);
    let mapped = |grid: Vec<GridLoop>, nonempty| Schedule {
        grid,
        nonempty,
        ..Schedule::serial()
    };
    let grid = analysis::schedule::grid_loops(nest, &now, &info);
    if !grid.is_empty() {
        return Some(Made {
            schedule: mapped(grid, key.nonempty),
            ..Made::plain(nest)
        });
    }
    let threaded = Key {
        threaded: true,
        ..key.clone()
    };
    let made = schedule(nest, &threaded, verdicts, 0, options);
    let alike = made.schedule.threads.iter().filter_map(|t| {
        let last_values = t.last_values.clone();
        let plain = ThreadLoop {
            last_values: last_values.clone(),
            ..ThreadLoop::plain(t.id)
        };
        let axes = vec![t.id];
        (*t == plain).then_some(GridLoop { axes, last_values })
    });
    let grid: Vec<GridLoop> = alike.collect();
    (!grid.is_empty()).then(|| Made {
        schedule: mapped(grid, made.schedule.nonempty),
        ..made
    })
}
