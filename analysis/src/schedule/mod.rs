//! The legal schedules of a nest: which loop becomes vector lanes, which runs on threads, on the nest as written and on
//! its legal rewritings. Which of them is the quickest is for `costmodel` to estimate.
//!
//! Semantics are strict throughout: the operations that make up one element, and their order, never change. So a sum
//! over `k` stays a serial loop, and it is a loop around it (`j`) whose iterations become the lanes.

pub(crate) mod candidate;
mod cooperative;
mod grid;
mod lanes;
pub mod runnable;
mod splits;
mod threads;
pub(crate) mod variants;

use nestwise_ir::model::nest::Nest;
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{LoopId, Schedule};

use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Analysis, analyse_with};
use crate::schedule::runnable::{Obstacle, obstacle};
use crate::schedule::variants::{Form, Forms};
use crate::traffic::TrafficPlan;
use crate::transform::{Rewritten, Waved, replace_scalars, version_loops};

pub use crate::schedule::candidate::{Candidate, Kind, LoopFacts, Rewrite};
pub use crate::schedule::cooperative::cooperative_loops;
pub use crate::schedule::grid::{fits_grid, grid_choices, grid_loops};
pub use crate::schedule::lanes::vectorise;
pub use crate::schedule::threads::thread_loops;
pub use crate::schedule::variants::Waves;
pub(crate) use crate::schedule::variants::{Beyond, beyond, parallel_by_substitution};

/// The candidates for a nest with proven guards cleared, in no order of preference; the first is serial and as written.
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
        traffic: TrafficPlan::with(nest, &analysis.forms, &[]),
        loops: LoopFacts::of(nest, analysis, info),
    }];
    add(nest, analysis, info, (Rewrite::None, &same), &mut out);
    if nest.calls_host() {
        // Rewritings move statements past one another, and CPython's are not to be moved.
        return out;
    }
    let form = Form::plain(nest, analysis, info);
    let replaced = replace_scalars(&form.given(), info.assumed.nonempty);
    let forms = Forms::of(form);
    if let Some(made) = forms.substituted() {
        make(made, info, Rewrite::InductionSubstitution, &mut out);
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
            out.extend(forms.wavefront().map(|(_, waved)| in_waves(waved, info)));
        }
        if let Some(made) = forms.distributed() {
            make(made, info, Rewrite::Distribution, &mut out);
        }
    }
    if let Some(made) = forms.split() {
        make(made, info, Rewrite::IndexSetSplitting, &mut out);
    }
    if let Some(made) = version_loops(nest, info) {
        make(made, info, Rewrite::LoopVersioning, &mut out);
    }
    if let Some(nest) = replaced {
        let replaced = Rewritten {
            nest,
            origin: same,
            nonempty: info.assumed.nonempty,
        };
        make(replaced, info, Rewrite::ScalarReplacement, &mut out);
    }
    out
}

/// Adds the schedules of a rewritten nest.
fn make(made: Rewritten, info: &LaunchInfo, rewrite: Rewrite, out: &mut Vec<Candidate>) {
    let info = info.of(&made);
    let analysis = analyse_with(&made.nest, info.assumed.clone());
    add(&made.nest, &analysis, &info, (rewrite, &made.origin), out);
}

/// The candidate of a nest as a wavefront. Only the tiles of a wave are parallel: no loop of the nest as written was.
fn in_waves(Waved { made, tiles }: Waved, info: &LaunchInfo) -> Candidate {
    let info = info.of(&made);
    let analysis = analyse_with(&made.nest, info.assumed.clone());
    Candidate {
        traffic: TrafficPlan::with(&made.nest, &analysis.forms, &[]),
        loops: LoopFacts::of(&made.nest, &analysis, &info),
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

/// Adds the schedules of one form of the nest.
fn add(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
    (rewrite, origin): (Rewrite, &[LoopId]),
    out: &mut Vec<Candidate>,
) {
    let lanes = vectorise(nest, analysis, info);
    let threads = thread_loops(nest, analysis, info);
    let loops = LoopFacts::of(nest, analysis, info);
    let mut push = |schedule: Schedule| {
        let Some(schedule) = runnable_part(nest, schedule) else {
            return;
        };
        let vector = schedule.has_vectors();
        // Substitution of induction variables is worth nothing in itself, nor is the nest as written without anything.
        let plain = schedule.threads.is_empty() && !vector;
        if plain && matches!(rewrite, Rewrite::None | Rewrite::InductionSubstitution) {
            return;
        }
        let rewritten = (rewrite != Rewrite::None).then(|| nest.clone());
        let kind = Kind {
            threads: !schedule.threads.is_empty(),
            vector,
            rewrite,
        };
        out.push(Candidate {
            nest: rewritten,
            origin: origin.to_vec(),
            traffic: TrafficPlan::with(nest, &analysis.forms, &schedule.vector),
            schedule,
            kind,
            loops: loops.clone(),
        });
    };
    push(lanes.clone());
    if !threads.is_empty() {
        push(Schedule { threads, ..lanes });
    }
}

/// The schedule without lanes that code generation cannot make; `None` if there would be no kernel at all.
fn runnable_part(nest: &Nest, mut schedule: Schedule) -> Option<Schedule> {
    match obstacle(nest, &schedule) {
        None => Some(schedule),
        Some(Obstacle::Lanes(_)) => {
            schedule.vector.clear();
            obstacle(nest, &schedule).is_none().then_some(schedule)
        }
        Some(_) => None,
    }
}
