//! Kernels whose loops run on a device's grid.

use std::sync::atomic::Ordering;

use nestwise_analysis as analysis;
use nestwise_analysis::guards;
use nestwise_codegen as codegen;
use nestwise_costmodel::estimate::gpu::{Axes, Cooperation, Copies, OnAxes, OnGpu};
use nestwise_costmodel::{Device, Seconds};
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{ArrayDecl, LoopId, Nest, Scalar, Schedule};

use crate::device::cuda::card;
use crate::device::residency;
use crate::kernel::key::{Key, Way};
use crate::kernel::select::{Scheduled, assumed, schedule, unit_strides};
use crate::kernel::{About, OnGrid};
use crate::options::{DeviceChoice, Options};
use crate::pipeline::{HasValue, Value};
use crate::plan::sizes::There;
use crate::plan::{Kernel, Plan, Sizes};

impl Plan {
    /// The call on the machine's card, and what it takes to get ready for the first one; none where it has none, or nothing of
    /// the nest is for it.
    pub(crate) fn on_gpu(
        &self,
        sizes: &Sizes,
        resumed: bool,
        options: &Options,
    ) -> Option<(OnGpu, Seconds)> {
        let gpu = self.prices.gpu()?;
        let free = options.device == DeviceChoice::Auto && !options.verify && !resumed;
        if !free || self.off_grid.load(Ordering::Relaxed) {
            return None;
        }
        let trips = |id: LoopId| sizes.expected(id);
        let axes = self.axes(sizes, options).iter().map(|a| &a.1);
        let cooperation = self.cooperation(options);
        let copies = self.copies(sizes);
        let (_, call) = gpu.cheapest(axes, cooperation, &copies, &trips, &sizes.values)?;
        Some((call, gpu.ready(card::begun())))
    }

    /// Which loops are best on a grid in such calls.
    pub(crate) fn way(&self, sizes: &Sizes, options: &Options) -> Way {
        let choices = self.axes(sizes, options);
        if choices.len() < 2 {
            // Of what loops are rewritten to nothing is known before that is done.
            return Way {
                cooperative: options.cooperative == Some(true),
                ..Way::default()
            };
        }
        let trips = |id: LoopId| sizes.expected(id);
        let axes = choices.iter().map(|a| &a.1);
        let (gpu, cooperation) = (self.prices.some_gpu(), self.cooperation(options));
        let best = gpu.cheapest(axes, cooperation, &Copies::default(), &trips, &sizes.values);
        best.map_or(Way::default(), |(best, _)| choices[best].0)
    }

    fn cooperation(&self, options: &Options) -> Cooperation {
        match (options.cooperative, options.device) {
            (Some(true), _) => Cooperation::Always,
            (Some(false), _) => Cooperation::Never,
            (None, DeviceChoice::Emulated) => Cooperation::ByPrice,
            (None, _) => self.prices.some_gpu().cooperation(),
        }
    }

    /// To make the first kernel for a device, and to get the device ready.
    pub(crate) fn to_make(&self, device: Device) -> Seconds {
        self.prices.to_make(device, card::begun())
    }

    /// No kernel of it is for a grid, as has turned out.
    pub(crate) fn leave_grid(&self) {
        if !self.off_grid.swap(true, Ordering::Relaxed) {
            self.lessons.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The loops that a grid could have if arrays do not overlap, and what the first call's sizes prove is so: the outermost
    /// first, then those in more loops.
    pub(crate) fn axes(&self, sizes: &Sizes, options: &Options) -> &[(Way, Axes)] {
        self.axes.get_or_init(|| {
            if refusal(&self.nest).is_some() {
                return Vec::new();
            }
            let nest = guards::apply(&self.nest, &sizes.proven);
            let assumed = self.verdicts.options().clone();
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

    /// The arrays of which the card has copies from nests before.
    pub fn there<V: HasValue>(&self, captures: &[V]) -> There {
        if !residency::any() {
            return Vec::new();
        }
        let found = |(id, decl): (_, &ArrayDecl)| match captures.get(decl.capture as usize)?.value()
        {
            Value::Array(_) if decl.kind.is_own() => None,
            Value::Array(view) => Some((id, residency::is_newer(view)?)),
            _ => None,
        };
        self.nest.arrays.iter().filter_map(found).collect()
    }

    /// What crosses in a call: every array goes up that is not there, those that are written come down, sooner or later: where
    /// something has stayed, so will they, and are priced with whoever asks for them.
    pub(crate) fn copies(&self, sizes: &Sizes) -> Copies {
        let mut copies = Copies::default();
        for (id, decl) in self.nest.arrays.iter() {
            let bytes = sizes.elements(id, &self.nest) * decl.storage.size() as f64;
            if !sizes.there.iter().any(|t| t.0 == id) {
                // Zeros that nobody has touched need not cross.
                let fresh = sizes.untouched.iter().any(|u| u.0 == id && u.1 >= 1.0);
                copies.up.add(if fresh { 0.0 } else { bytes });
            }
            if decl.written && sizes.there.is_empty() {
                copies.down.add(bytes);
            }
        }
        copies
    }

    /// Until the host's arrays hold what the card has computed of them.
    pub(crate) fn settle(&self, sizes: &Sizes) -> Seconds {
        let Some(gpu) = self.prices.gpu() else {
            return Seconds(0.0);
        };
        let mut copies = Copies::default();
        for (id, _) in sizes.there.iter().filter(|there| there.1) {
            let size = self.nest.arrays[*id].storage.size() as f64;
            copies.down.add(sizes.elements(*id, &self.nest) * size);
        }
        gpu.crossing(&copies)
    }

    /// A kernel whose loops run on a device, and its code, or why they cannot.
    pub(crate) fn build_grid(
        &self,
        key: &Key,
        (target, way): (codegen::GridTarget, Way),
        options: &Options,
    ) -> Result<(Kernel, Vec<u8>), String> {
        let nest = guards::apply(&self.nest, &key.proven);
        let compiled = |way| compile_grid(&nest, key, (target, way), &self.verdicts, options);
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
}

/// Loops of a nest that are mapped together, as they are priced: as a kernel each, and, if that can be, as parts of one.
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

/// Why no array of the nest may be on a device.
fn refusal(nest: &Nest) -> Option<&'static str> {
    let mixed = |a: &ArrayDecl| a.storage == Scalar::Num || a.kind.is_own();
    let any = nest.arrays.values().any(mixed);
    any.then_some("lists of ints and floats, or that grow, or what is computed before it is stored")
}

/// Both parts of a nest under the schedule for a grid, or why there are none.
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
    if made.kernels.iter().any(|kernel| kernel.team.is_some()) {
        about.means.push("cooperative".into());
    }
    about.means.extend(key.means().map(str::to_string));
    about.come_from(&mapped.origin);
    Ok((made, about))
}

/// The loops for a grid: of the nest as written, or else those that threads would have of what it is rewritten to for them (waves
/// of tiles, loops made into several).
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
