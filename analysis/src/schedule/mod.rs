//! The schedules worth pricing for a nest: which loop becomes vector lanes, which runs on threads, on the nest as
//! written and on its legal rewritings.
//!
//! Strict semantics throughout: the operations that make up one element, and their order, never change. So a sum
//! over `k` stays a serial loop, and it is a loop around it (`j`) whose iterations become the lanes.

mod cooperative;
mod grid;
mod lanes;
mod splits;
pub(crate) mod variants;

use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{ArrayId, FpMode, LoopId, Schedule};

use crate::parallelism::privatisation::worth_copying;
use crate::parallelism::verdict::{Analysis, Options, analyse_with};
use crate::schedule::variants::{Form, Forms};
use crate::transform::{Rewritten, Tile, Waved, hoist, promote};

pub use crate::schedule::cooperative::cooperative_loops;
pub use crate::schedule::grid::{fits_grid, grid_choices, grid_loops};
pub use crate::schedule::lanes::vectorise;
pub use crate::schedule::variants::Waves;
pub(crate) use crate::schedule::variants::{Beyond, beyond, freed};

/// Tiles whose rows are long, for the sake of memory, and few, so that waves have many of them.
pub const TILE: Tile = [5, 7];

/// What a launch (or a guess) says about sizes and layout.
#[derive(Clone, Debug)]
pub struct LaunchInfo {
    /// By loop: the estimated trip count.
    pub trips: Vec<Option<f64>>,
    /// By slot and axis: consecutive elements along the axis are adjacent in memory.
    pub unit_stride: Vec<[bool; 8]>,
    /// Lanes of 8-byte elements that a vectorised outer loop should have; 0: no such loops.
    pub lanes: u32,
    /// By slot: every thread may have a copy of the array.
    pub roomy: Vec<bool>,
    /// How large the tiles of waves are.
    pub tile: Tile,
    /// Schedules for threads are wanted.
    pub threads: bool,
    /// The runtime takes back a whole chunk when an event fires.
    pub undo: bool,
    /// Whatever is legal is worth it, however small: for tests.
    pub eager: bool,
    /// What the analysis may assume.
    pub assumed: Options,
}

impl LaunchInfo {
    /// C order everywhere, sizes unknown.
    pub fn guess(nest: &Nest, fp: FpMode) -> LaunchInfo {
        let unit = |rank: u32| std::array::from_fn(|axis| axis + 1 == rank as usize);
        LaunchInfo {
            trips: vec![None; nest.loops.len()],
            unit_stride: nest.arrays.values().map(|a| unit(a.rank)).collect(),
            lanes: 16,
            roomy: vec![true; nest.arrays.len()],
            tile: TILE,
            threads: true,
            undo: true,
            eager: false,
            assumed: Options::new(fp),
        }
    }
    fn trips(&self, id: LoopId) -> Option<f64> {
        self.trips.get(id.index()).copied().flatten()
    }
    /// What it says about a nest made from the one it is about.
    fn of(&self, made: &Rewritten) -> LaunchInfo {
        LaunchInfo {
            trips: made.origin.iter().map(|old| self.trips(*old)).collect(),
            assumed: Options {
                nonempty: made.nonempty,
                ..self.assumed.clone()
            },
            ..self.clone()
        }
    }
    pub(crate) fn unit(&self, a: ArrayId, axis: usize) -> bool {
        self.unit_stride
            .get(a.index())
            .and_then(|u| u.get(axis))
            .copied()
            .unwrap_or(false)
    }
}

/// How a candidate runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Loops on threads.
    pub threads: bool,
    /// Loops as vector lanes, or left to the compiler's vectoriser.
    pub vector: bool,
    /// What was done to the nest.
    pub rewrite: Rewrite,
}

/// What was done to a candidate's nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Nothing.
    None,
    /// What only counts along with loops is computed from their counters; the best is kept beside its position.
    Freed,
    /// Elements that a loop keeps storing are held in variables.
    Promoted,
    /// The loop was made the innermost of its band.
    Interchanged(LoopId),
    /// Loops were made into several, some of them parallel.
    Distributed,
    /// Two loops run as waves of tiles, those of a wave on threads.
    Wavefront,
    /// Loops were made into several over consecutive ranges of their iterations, some of them parallel.
    Split,
    /// Subscripts are looked at before a loop, for all of its iterations.
    Hoisted,
}

impl Rewrite {
    /// The names that [`Rewrite::name`] gives.
    pub const NAMES: [&str; 7] = [
        "promoted",
        "interchanged",
        "distributed",
        "waves",
        "freed",
        "parted",
        "hoisted",
    ];

    /// What was done in a word.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Rewrite::None => None,
            Rewrite::Promoted => Some("promoted"),
            Rewrite::Interchanged(_) => Some("interchanged"),
            Rewrite::Distributed => Some("distributed"),
            Rewrite::Wavefront => Some("waves"),
            Rewrite::Freed => Some("freed"),
            Rewrite::Split => Some("parted"),
            Rewrite::Hoisted => Some("hoisted"),
        }
    }

    /// Whether iterations may run before others that came earlier as written.
    pub fn reorders(self) -> bool {
        !matches!(
            self,
            Rewrite::None | Rewrite::Freed | Rewrite::Promoted | Rewrite::Split | Rewrite::Hoisted
        )
    }
}

/// A way to run a nest.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rewritten nest; `None`: as it was.
    pub nest: Option<Nest>,
    /// By loop of the candidate's nest: the loop it was.
    pub origin: Vec<LoopId>,
    /// The mapping of its loops.
    pub schedule: Schedule,
    /// In words.
    pub kind: Kind,
}

/// The candidates for a nest with proven guards cleared; the first is serial and plain.
pub fn candidates(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<Candidate> {
    let same: Vec<LoopId> = nest.loops.ids().collect();
    let plain = Kind {
        threads: false,
        vector: false,
        rewrite: Rewrite::None,
    };
    let mut out = vec![Candidate {
        nest: None,
        origin: same.clone(),
        schedule: Schedule::serial(),
        kind: plain,
    }];
    add(nest, analysis, info, (Rewrite::None, &same), &mut out);
    let form = Form::plain(nest, analysis, info);
    let promoted = promote(&form.given(), info.assumed.nonempty);
    let forms = Forms::of(form);
    if let Some(made) = forms.freed() {
        make(made, info, Rewrite::Freed, &mut out);
    }
    let top = |t: &ThreadLoop, c: &Candidate| c.origin.get(t.id.index()) == Some(&LoopId(0));
    let all_on_threads = out
        .iter()
        .any(|c| c.schedule.threads.iter().any(|t| top(t, c)));
    for (rewrite, made) in forms.interchanged() {
        make(made, info, rewrite, &mut out);
    }
    if info.eager || !all_on_threads {
        if info.threads {
            out.extend(forms.wavefront().map(|(_, waved)| in_waves(waved)));
        }
        if let Some(made) = forms.distributed() {
            make(made, info, Rewrite::Distributed, &mut out);
        }
    }
    if let Some(made) = forms.split() {
        make(made, info, Rewrite::Split, &mut out);
    }
    if let Some(made) = hoist(nest, info) {
        make(made, info, Rewrite::Hoisted, &mut out);
    }
    if let Some(nest) = promoted {
        let promoted = Rewritten {
            nest,
            origin: same,
            nonempty: info.assumed.nonempty,
        };
        make(promoted, info, Rewrite::Promoted, &mut out);
    }
    out
}

/// The schedules of a rewritten nest.
fn make(made: Rewritten, info: &LaunchInfo, rewrite: Rewrite, out: &mut Vec<Candidate>) {
    let info = info.of(&made);
    let analysis = analyse_with(&made.nest, info.assumed.clone());
    add(&made.nest, &analysis, &info, (rewrite, &made.origin), out);
}

/// Only the tiles of a wave are parallel: as written, no loop of the nest was.
fn in_waves(Waved { made, tiles }: Waved) -> Candidate {
    Candidate {
        nest: Some(made.nest),
        origin: made.origin,
        schedule: Schedule {
            threads: vec![tiles],
            nonempty: made.nonempty,
            ..Schedule::serial()
        },
        kind: Kind {
            threads: true,
            vector: false,
            rewrite: Rewrite::Wavefront,
        },
    }
}

/// The schedules of one form of the nest.
fn add(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
    (rewrite, origin): (Rewrite, &[LoopId]),
    out: &mut Vec<Candidate>,
) {
    let lanes = vectorise(nest, analysis, info);
    let threads = thread_loops(nest, analysis, info);
    let vector = lanes.has_vectors();
    let mut push = |schedule: Schedule| {
        let nest = (rewrite != Rewrite::None).then(|| nest.clone());
        let kind = Kind {
            threads: !schedule.threads.is_empty(),
            vector,
            rewrite,
        };
        out.push(Candidate {
            nest,
            origin: origin.to_vec(),
            schedule,
            kind,
        });
    };
    // Freeing a loop is worth nothing in itself.
    if vector || !matches!(rewrite, Rewrite::None | Rewrite::Freed) {
        push(lanes.clone());
    }
    if !threads.is_empty() {
        push(Schedule { threads, ..lanes });
    }
}

/// The loops to run on threads: the outermost parallel ones, looked for inside serial ones.
pub fn thread_loops(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<ThreadLoop> {
    let mut out = vec![];
    collect_threads(std::slice::from_ref(&nest.top), analysis, info, &mut out);
    out
}

fn collect_threads(
    block: &[Stmt],
    analysis: &Analysis,
    info: &LaunchInfo,
    out: &mut Vec<ThreadLoop>,
) {
    for s in block {
        if let StmtKind::For(l) = &s.kind
            && let Some(t) = thread_loop(l, analysis, info)
        {
            out.push(t);
            continue;
        }
        for b in s.blocks() {
            collect_threads(b, analysis, info, out);
        }
    }
}

fn thread_loop(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<ThreadLoop> {
    let mapped = analysis.may_run_parallel(l.id)?;
    if info.trips(l.id).is_some_and(|t| t < 2.0) {
        return None;
    }
    let roomy = |a: ArrayId| info.roomy.get(a.index()).copied().unwrap_or(false);
    let worth = info.eager || worth_copying(analysis, &mapped);
    (mapped.copied().all(roomy) && worth).then_some(mapped)
}
