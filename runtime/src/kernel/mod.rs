//! A compiled nest: made by LLVM, or read from disk without asking the analysis or LLVM anything.

pub mod background;
pub mod cache;
pub(crate) mod compile;
pub(crate) mod key;
pub mod making;
pub(crate) mod on_grid;
pub(crate) mod order;
pub(crate) mod select;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nestwise_analysis as analysis;
use nestwise_analysis::Ranges;
use nestwise_analysis::schedule::Rewrite;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_codegen as codegen;
use nestwise_costmodel::{Device, Priced, Seconds};
use nestwise_ir::machine_shape::Body;
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{ArrayDecl, ArrayId, LoopId, Nest, Schedule, StmtKind, Tier, guarded};
use serde::{Deserialize, Serialize};

use crate::device::cuda::module::Module;
use crate::device::{Code, Grid};
use crate::options::Options;

/// A compiled nest under one schedule, for launches that share all facts it was compiled for.
pub struct Kernel {
    /// The machine code.
    pub code: codegen::Kernel,
    /// Offsets in its frame.
    pub layout: codegen::abi::FrameLayout,
    /// Whatever else a launch needs to know.
    pub about: About,
    /// What it takes on this machine.
    pub price: Priced,
    /// Its loops that run on a device, if it is made for one.
    pub grid: Option<Grid>,
    /// How it came about, until a launch has told.
    news: Mutex<Option<CompileInfo>>,
    has_news: AtomicBool,
}

/// What a launch needs to know of a kernel besides its code; kept on disk with it.
#[derive(Serialize, Deserialize)]
pub struct About {
    /// The nest as compiled, perhaps rewritten: its declarations alone, the loops are empty.
    pub nest: Nest,
    /// What a chunk may have to take back.
    pub undo: analysis::UndoPlan,
    /// It stops exactly where an event fires: nothing behind that point has run. Floating-point flags are no events: they
    /// are looked at after a whole chunk.
    pub in_order: bool,
    /// The top loop's iterations run one after the other, so a chunk of one costs but a call.
    pub stepwise: bool,
    /// Whether some loop runs on threads.
    pub threaded: bool,
    /// What was done with which loop, for reports.
    pub words: String,
    /// What was done with the nest, and what made it possible, a word each.
    pub means: Vec<String>,
    /// What it executes.
    pub shape: Body,
    /// The memory it goes through.
    pub traffic: TrafficPlan,
    /// By loop: the one of the nest as written whose trips it makes, or [`ONCE`].
    pub origin: Vec<LoopId>,
    /// Its loops are on a device's grid.
    pub grid: Option<OnGrid>,
    /// How much time making it took.
    pub tier: Tier,
}

/// What is to be known of a kernel for a device, whose code is that of its part on the host, then the device's.
#[derive(Serialize, Deserialize)]
pub struct OnGrid {
    /// Bytes of the host's part.
    pub host: usize,
    /// The device's is PTX, and no object file.
    pub ptx: bool,
    /// Its kernels.
    pub kernels: Vec<codegen::GridKernel>,
}

/// The origin of a loop that counts as making one trip.
pub const ONCE: LoopId = LoopId(u32::MAX);

impl About {
    /// Its loops were made from those. Several inside each other that were made from one (those over waves, tiles and rows)
    /// make as many trips as it did, all together: the innermost counts for them.
    pub fn come_from(&mut self, origin: &[LoopId]) {
        let parent = |id: LoopId| self.nest.loops[id].parent;
        let same = |a: LoopId, b: LoopId| origin.get(a.index()) == origin.get(b.index());
        let mut own = origin.to_vec();
        for id in self.nest.loops.ids() {
            for outer in std::iter::successors(parent(id), |outer| parent(*outer)) {
                if same(id, outer)
                    && let Some(of) = own.get_mut(outer.index())
                {
                    *of = ONCE;
                }
            }
        }
        self.origin = own;
    }

    /// The slots to save before a chunk; see [`UndoPlan::to_save`](analysis::UndoPlan::to_save).
    pub fn to_save(&self, alone: bool, stops: bool) -> impl Iterator<Item = &analysis::SlotUndo> {
        // Whoever interrupts an iteration may look at the arrays before CPython has run it again.
        let in_order = self.in_order && self.nest.interruptible.is_empty();
        self.undo.to_save(in_order, alone, stops)
    }

    /// What is to be known of `nest` of these ranges, compiled under `schedule`, once it was rewritten.
    pub fn of(
        nest: &Nest,
        ranges: &Ranges,
        undo: analysis::UndoPlan,
        schedule: &Schedule,
        rewrite: Rewrite,
    ) -> About {
        let threaded = !schedule.threads.is_empty();
        let plain = !rewrite.reorders() && nest.whole.is_none();
        let top = LoopId(0);
        let mapped = schedule.threads.iter().any(|t| t.id == top)
            || schedule.on_vectors().any(|id| id == top)
            || schedule.split.contains(&top);
        About {
            stepwise: !mapped && nest.whole.is_none(),
            words: words(nest, &undo, schedule),
            means: means(schedule, rewrite).map(str::to_string).collect(),
            in_order: plain && guarded::fire_in_order(nest, schedule),
            nest: declarations(nest),
            undo,
            threaded,
            shape: Body::default(),
            traffic: TrafficPlan::with(
                nest,
                &analysis::shared_forms(nest, ranges),
                &schedule.vector,
            ),
            origin: Vec::new(),
            grid: None,
            tier: Tier::Optimised,
        }
    }
}

/// The loops in their final order, what they are mapped to, and what is left to test at run time.
fn words(nest: &Nest, undo: &analysis::UndoPlan, schedule: &Schedule) -> String {
    let mut loops = Vec::new();
    nest.top.walk(&mut |stmt| {
        let id = match &stmt.kind {
            StmtKind::For(l) => l.id,
            StmtKind::While(l) => l.id,
            _ => return,
        };
        let mut text = stmt.span.line.to_string();
        if nest.whole.is_some() && id == LoopId(0) {
            text.push_str(" whole");
        }
        if let Some(t) = schedule.threads.iter().find(|t| t.id == id) {
            text.push_str(" threads");
            let name = |a: ArrayId| nest.arrays.get(a).map_or("", |a| &a.name);
            for a in t.unshared() {
                text.push_str(&format!(" with its own {}", name(a)));
            }
            for r in &t.renamed {
                let what = if r.is_halo() { "ends" } else { "all" };
                text.push_str(&format!(" saving {what} of {}", name(r.array)));
            }
        }
        if let Some((_, lanes)) = schedule.vector.iter().find(|v| v.0 == id) {
            text.push_str(&format!(" x{lanes}"));
        }
        if schedule.independent.contains(&id) {
            text.push_str(" independent");
        }
        if schedule.in_step.contains(&id) {
            text.push_str(" in step");
        }
        if schedule.split.contains(&id) {
            text.push_str(" split");
        }
        loops.push(text);
    });
    let mut out = format!("lines {}", loops.join(", "));
    if undo.events {
        let guards = analysis::guards::count_set(nest);
        out.push_str(&format!("; may stop, {guards} guards"));
    }
    if undo.warns {
        out.push_str("; floating-point flags");
    }
    out
}

/// How a nest was rewritten, and what its loops are mapped to.
fn means(schedule: &Schedule, rewrite: Rewrite) -> impl Iterator<Item = &'static str> {
    let on_grid = schedule.grid.iter().map(|g| &g.mapped);
    let mapped: Vec<&ThreadLoop> = schedule.threads.iter().chain(on_grid).collect();
    let any = |has: &dyn Fn(&ThreadLoop) -> bool| mapped.iter().any(|t| has(t));
    let reduced = |has: &dyn Fn(&RedOp) -> bool| any(&|t| t.reductions.iter().any(|r| has(&r.1)));
    let last = reduced(&|op| *op == RedOp::Last) || any(&|t| !t.last_values.is_empty());
    let all = [
        (!schedule.threads.is_empty(), "threads"),
        (!schedule.vector.is_empty(), "lanes"),
        (!schedule.independent.is_empty(), "independent"),
        (!schedule.in_step.is_empty(), "in step"),
        (!schedule.split.is_empty(), "split"),
        (any(&|t| !t.private.is_empty()), "own arrays"),
        (any(&|t| !t.array_reductions.is_empty()), "merged arrays"),
        (any(&|t| !t.renamed.is_empty()), "renamed"),
        (reduced(&|op| *op != RedOp::Last), "reductions"),
        (reduced(&|op| matches!(op, RedOp::Along(_))), "companions"),
        (last, "last values"),
    ];
    let mapped = all.into_iter().filter(|m| m.0).map(|m| m.1);
    rewrite.name().into_iter().chain(mapped)
}

/// The nest without its statements.
fn declarations(nest: &Nest) -> Nest {
    let mut out = nest.clone();
    out.prologue.clear();
    match &mut out.top.kind {
        StmtKind::For(l) => l.body.clear(),
        StmtKind::While(l) => l.body.clear(),
        _ => {}
    }
    out
}

/// How a kernel came about.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileInfo {
    /// It was not there before this call.
    pub happened: bool,
    /// It came from the cache on disk.
    pub from_disk: bool,
    /// Time from entering the hook until the kernel was there.
    pub time: Duration,
    /// The making of its code, if that was for the host.
    pub made: Option<MadeCode>,
}

/// Code that was made.
#[derive(Clone, Copy, Debug)]
pub struct MadeCode {
    /// Of this tier.
    pub tier: Tier,
    /// The time that this was predicted to take.
    pub predicted: Seconds,
    /// The time that it took.
    pub took: Duration,
}

impl Kernel {
    /// Where it runs.
    pub fn device(&self) -> Device {
        match (&self.grid, self.about.threaded) {
            (Some(_), _) => Device::Gpu,
            (None, true) => Device::Threads,
            (None, false) => Device::Serial,
        }
    }

    /// Whether it can go on with the frame of another one, between two chunks: the variables and arrays are the same.
    pub fn continues(&self, other: &Kernel) -> bool {
        let (mine, others) = (&self.about.nest, &other.about.nest);
        let vars = |nest: &Nest| Vec::from_iter(nest.vars.values().map(|v| (v.live_in, v.ty)));
        let array = |a: &ArrayDecl| (a.capture, a.kind, a.storage);
        let arrays = |nest: &Nest| Vec::from_iter(nest.arrays.values().map(array));
        self.layout == other.layout && vars(mine) == vars(others) && arrays(mine) == arrays(others)
    }

    /// Loads the code of a kernel.
    pub fn load(object: &[u8], about: About, options: &Options) -> Result<Kernel, String> {
        let bad = |e: codegen::CodegenError| e.to_string();
        let Some(on_grid) = &about.grid else {
            return Ok(Kernel::new(
                nestwise_codegen::load(object).map_err(bad)?,
                about,
                options,
            ));
        };
        let parts = object.split_at_checked(on_grid.host);
        let (host, device) = parts.ok_or("a part of the code is missing")?;
        let code = match on_grid.ptx {
            true => {
                let text = std::str::from_utf8(device).map_err(|e| e.to_string())?;
                let module = Module::load(text, &on_grid.kernels);
                Code::Cuda(Arc::new(module.map_err(|reason| reason.to_string())?))
            }
            false => {
                let code = codegen::load_grid(device, on_grid.kernels.len());
                Code::Emulated(Arc::new(code.map_err(bad)?))
            }
        };
        let host = nestwise_codegen::load(host).map_err(bad)?;
        let grid = Grid::new(code, on_grid.kernels.clone());
        Ok(Kernel {
            grid: Some(grid),
            ..Kernel::new(host, about, options)
        })
    }

    /// Puts loaded code and what is known of it together.
    fn new(code: codegen::Kernel, about: About, options: &Options) -> Kernel {
        let (traffic, origin) = (about.traffic.clone(), about.origin.clone());
        Kernel {
            price: Priced::new(&about.shape, traffic, origin, &options.profile.host),
            layout: codegen::abi::FrameLayout::of(&about.nest),
            code,
            about,
            grid: None,
            news: Mutex::default(),
            has_news: AtomicBool::new(false),
        }
    }

    /// How it came about is for the first launch to tell, if it was made `ahead` of any.
    pub(crate) fn tells(&mut self, info: CompileInfo, ahead: bool) {
        *self.news.get_mut().unwrap_or_else(|e| e.into_inner()) = ahead.then_some(info);
        *self.has_news.get_mut() = ahead;
    }

    /// What is to be told of it, once.
    pub(crate) fn news(&self) -> CompileInfo {
        if !self.has_news.swap(false, Ordering::Relaxed) {
            return CompileInfo::default();
        }
        let news = self.news.lock().unwrap_or_else(|e| e.into_inner()).take();
        news.unwrap_or_default()
    }

    /// The kernel stored under `key`, if it is there and undamaged.
    pub fn from_disk(options: &Options, key: &cache::Key) -> Option<Kernel> {
        let stored = cache::load(options.cache_dir.as_deref()?, key)?;
        let (length, rest) = stored.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (about, object) = rest.split_at_checked(length)?;
        let about = postcard::from_bytes(about).ok()?;
        Kernel::load(object, about, options).ok()
    }

    /// Has a kernel's parts stored under `key`, once nobody waits for anything. A cache that cannot be written only costs time.
    pub fn to_disk(options: &Options, key: cache::Key, object: &[u8], about: &About) {
        let (Some(dir), Ok(about)) = (options.cache_dir.clone(), postcard::to_stdvec(about)) else {
            return;
        };
        let length = (about.len() as u64).to_le_bytes();
        let all = [&length, about.as_slice(), object].concat();
        background::later(move || {
            let _ = cache::store(&dir, &key, &all);
        });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use nestwise_ir::testing;

    use super::*;

    /// A nest with a statement in its loop.
    pub(crate) fn nest() -> Nest {
        testing::nest("", "while False:\n    break")
    }

    #[test]
    fn declarations_survive_the_way_to_disk_without_statements() {
        let undo = analysis::undo_plan(&nest());
        let about = About::of(
            &nest(),
            &analysis::ranges(&nest()),
            undo,
            &Schedule::serial(),
            Rewrite::None,
        );
        let bytes = postcard::to_stdvec(&about).unwrap();
        let back: About = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(back.undo, about.undo);
        assert!(back.in_order && !back.threaded);
        assert!(matches!(back.nest.top.kind, StmtKind::While(ref l) if l.body.is_empty()));
    }
}
