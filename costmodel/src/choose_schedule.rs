//! Which legal schedule of a nest a kernel is compiled under: the one that is estimated to take the least time.
//!
//! An estimate is made as for a kernel that exists, by the execution-cache-memory model of [`crate::estimate::host`],
//! from a shape that code under the schedule will likely have: what the nest executes, lanes and all, what its
//! iterations wait for, and the memory that it goes through. A kernel serves every launch of which the same facts hold,
//! so the trips are those that its facts tell, and [`USUAL_TRIPS`] for loops of which they tell nothing.
//!
//! Before there is machine code an estimate is coarse. So a [`Rank`] stands for experience, and an estimate overrules
//! it where it is better by more than [`TOLERANCE`].

#[cfg(test)]
mod tests;

use nestwise_analysis::schedule::Rewrite;
use nestwise_analysis::{Candidate, LaunchInfo, LaunchValues};
use nestwise_ir::machine_shape::{Body, LoopShape, Op, Part, Width};
use nestwise_ir::{LoopId, Nest};

use crate::estimate::host::Priced;
use crate::estimate::threads::Workers;
use crate::features::{Counts, Features, LoopFeatures, Vectors};
use crate::profile::MachineProfile;
use crate::profile::host::OTHER;
use crate::units::Seconds;

/// Trips of a loop, and elements along an axis, of which nothing is known: about the middle, on a scale of powers,
/// between what is worth compiling and what fills the caches of one core two axes at a time.
const USUAL_TRIPS: f64 = 256.0;

/// How many times as long as another schedule the one of the best rank may be estimated to take before that is taken
/// for a difference: a shape that is guessed is mostly within twice of the one that code generation makes, either way.
const TOLERANCE: f64 = 4.0;

/// What runs a kernel.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The machine's weights.
    pub profile: &'a MachineProfile,
    /// The number of 64-bit lanes in a vector register.
    pub lanes: u32,
    /// The number of threads that a kernel for threads may use.
    pub threads: u32,
    /// Which functions have a vector form.
    pub vectors: Vectors<'a>,
}

/// How schedules of one kind have done, larger is better: loops on vectors first, then what the rewriting is worth.
type Rank = (usize, u8);

/// Chooses the schedule to compile: the index of the candidate that is likely the fastest in launches like `launch`, or
/// none if there are no candidates. Every candidate is a legal schedule of `nest`. Where `launch` asks for threads,
/// candidates without them are looked at only if there is no other, and the other way round.
pub fn choose_schedule(
    nest: &Nest,
    candidates: &[Candidate],
    launch: &LaunchInfo,
    target: &Target<'_>,
) -> Option<usize> {
    let asked = |c: &Candidate| c.kind.threads == launch.threads;
    let some = candidates.iter().any(asked);
    let fitting: Vec<usize> = (0..candidates.len())
        .filter(|k| !some || asked(&candidates[*k]))
        .collect();
    let usual = *fitting
        .iter()
        .max_by_key(|k| rank(&candidates[**k], launch.threads))?;
    if fitting.len() == 1 {
        return Some(usual);
    }
    let price = |k: usize| estimate(nest, &candidates[k], launch, target);
    let limit = price(usual) * (1.0 / TOLERANCE);
    let others = fitting.iter().map(|k| (*k, price(*k)));
    let better = others.filter(|(_, price)| *price < limit);
    let best = better.min_by(|a, b| a.1.0.total_cmp(&b.1.0));
    Some(best.map_or(usual, |(k, _)| k))
}

fn rank(candidate: &Candidate, threads: bool) -> Rank {
    // By the loops as written: copies of one are not more than it.
    let mut vectors: Vec<LoopId> = candidate
        .schedule
        .on_vectors()
        .filter_map(|id| candidate.origin.get(id.index()).copied())
        .collect();
    vectors.sort_unstable();
    vectors.dedup();
    let form = match candidate.kind.rewrite {
        // Made only where loops then run on threads or vectors; otherwise it is but more work.
        Rewrite::InductionSubstitution if candidate.kind.threads => 6,
        Rewrite::InductionSubstitution => 0,
        // Made only where nothing else runs these loops on threads or as vectors.
        Rewrite::IndexSetSplitting => 5,
        // On one core nothing is gained but vectors.
        Rewrite::Distribution if !threads => 0,
        // Made for threads only where nothing else runs these loops on them.
        Rewrite::Wavefront | Rewrite::Distribution => 4,
        Rewrite::ScalarReplacement | Rewrite::LoopVersioning => 3,
        Rewrite::None => 2,
        Rewrite::Interchange(_) => 1,
    };
    (vectors.len(), form)
}

/// The time that a launch like `launch` takes under a candidate for `nest`.
pub fn estimate(
    nest: &Nest,
    candidate: &Candidate,
    launch: &LaunchInfo,
    target: &Target<'_>,
) -> Seconds {
    let nest = candidate.nest.as_ref().unwrap_or(nest);
    let features = Features::of(nest, target.vectors);
    let scheduled = Scheduled {
        candidate,
        lanes: target.lanes.max(1),
    };
    let shape = Body {
        inner: vec![scheduled.of_loop(&features.top, None)],
        ..Body::default()
    };
    let host = &target.profile.host;
    let priced = Priced::new(&shape, candidate.traffic.clone(), Vec::new(), host);
    let trips: Vec<f64> = nest
        .loops
        .ids()
        .map(|id| trips(nest, candidate, launch, id))
        .collect();
    let trips = |id: LoopId| trips.get(id.index()).copied().unwrap_or(USUAL_TRIPS);
    let values = LaunchValues {
        dims: vec![[USUAL_TRIPS as i64; 8]; nest.arrays.len()],
        ..LaunchValues::unknown(nest)
    };
    if !candidate.kind.threads {
        return priced.seconds(&trips, &values).total();
    }
    let workers = Workers {
        threads: target.threads,
        weights: &target.profile.threads,
        // The loop over the tiles of a wave is started whatever it has to share.
        always: candidate.kind.rewrite == Rewrite::Wavefront,
    };
    let compute = priced.on_workers(&trips, &values, &workers);
    let starts = compute
        .forks
        .unwrap_or_else(|| priced.starts(&trips, &values));
    compute.alone.total() + workers.share(&compute.shared) + workers.start() * starts
}

/// The trips of a loop of a candidate's nest each time it is entered.
fn trips(nest: &Nest, candidate: &Candidate, launch: &LaunchInfo, id: LoopId) -> f64 {
    let origin = |id: LoopId| candidate.origin.get(id.index()).copied().unwrap_or(id);
    let parent = |id: LoopId| nest.loops.get(id).and_then(|l| l.parent);
    let known = launch.trips.get(origin(id).index()).copied().flatten();
    let all = known.unwrap_or(USUAL_TRIPS);
    if nest.whole.is_some() && id == LoopId(0) {
        // All iterations are those of the loop inside.
        return 1.0;
    }
    match candidate.kind.rewrite {
        Rewrite::IndexSetSplitting => {
            let part =
                |other: &LoopId| origin(*other) == origin(id) && parent(*other) == parent(id);
            all / nest.loops.ids().filter(part).count().max(1) as f64
        }
        Rewrite::Wavefront => {
            let Some(tiles) = candidate.schedule.threads.first().map(|t| t.id) else {
                return all;
            };
            let row = nest.loops.ids().find(|l| parent(*l) == Some(tiles));
            let column = nest
                .loops
                .ids()
                .find(|l| row.is_some() && parent(*l) == row);
            let size = launch.tile.map(|bits| f64::from(1u32 << bits));
            let tiled = |l: Option<LoopId>, size: f64| {
                let known = l.and_then(|l| launch.trips.get(origin(l).index()).copied().flatten());
                (known.unwrap_or(USUAL_TRIPS) / size).ceil().max(1.0)
            };
            let (rows, columns) = (tiled(row, size[0]), tiled(column, size[1]));
            let waves = rows + columns - 1.0;
            match id {
                _ if Some(id) == parent(tiles) => waves,
                _ if id == tiles => rows * columns / waves,
                _ if Some(id) == row => size[0].min(all),
                _ if Some(id) == column => size[1].min(all),
                _ => all,
            }
        }
        _ => all,
    }
}

/// The shape that code under a candidate's schedule will likely have.
struct Scheduled<'a> {
    candidate: &'a Candidate,
    /// The number of 64-bit lanes in a vector register.
    lanes: u32,
}

/// A loop whose iterations run as lanes of vectors, and the number of lanes.
#[derive(Clone, Copy)]
struct InLanes {
    id: LoopId,
    lanes: u32,
}

impl Scheduled<'_> {
    /// The lanes that a loop's own iterations run as, if they do.
    fn lanes_of(&self, id: LoopId) -> Option<InLanes> {
        let schedule = &self.candidate.schedule;
        if let Some((_, lanes)) = schedule.vector.iter().find(|v| v.0 == id) {
            return Some(InLanes { id, lanes: *lanes });
        }
        // The compiler's vectoriser gains nothing where lanes lie apart.
        let facts = self.candidate.loops.get(id.index())?;
        let s = facts.strides;
        let streams = s.unit > 0 && s.far_stores == 0 && s.far_loads <= s.unit;
        let in_registers = s.unit + s.far_loads + s.far_stores == 0;
        let left_to_it = schedule.independent.contains(&id) || schedule.lockstep.contains(&id);
        let lanes = self.lanes;
        (left_to_it && (streams || in_registers)).then_some(InLanes { id, lanes })
    }

    fn of_loop(&self, l: &LoopFeatures, around: Option<InLanes>) -> LoopShape {
        let own = self.lanes_of(l.id);
        let lanes = own.or(around);
        let waits = self
            .candidate
            .loops
            .get(l.id.index())
            .is_some_and(|f| f.waits);
        let mut body = self.of_body(&l.body, lanes);
        if waits {
            // Lanes that add up one after the other wait for each other.
            let times = own.map_or(1, |own| own.lanes);
            let width = if lanes.is_some() {
                Width::Vector
            } else {
                Width::Scalar
            };
            body.chain.ops.add(Op::Float, width, times as f32);
        }
        body.inner = l.inner.iter().map(|l| self.of_loop(l, lanes)).collect();
        LoopShape {
            id: Some(l.id),
            stride: own.map_or(1, |own| own.lanes),
            part: Part::All,
            copied: false,
            reached: l.reached as f32,
            threads: self.candidate.schedule.threads.iter().any(|t| t.id == l.id),
            body,
        }
    }

    fn of_body(&self, c: &Counts, lanes: Option<InLanes>) -> Body {
        let mut body = Body::default();
        // The counter's step and test.
        body.ops.add(Op::Int, Width::Scalar, 1.0);
        body.ops.add(Op::Branch, Width::Scalar, 1.0);
        let Some(InLanes { id, lanes }) = lanes else {
            body.ops.add(Op::Float, Width::Scalar, c.simple_ops as f32);
            body.ops.add(Op::FloatDiv, Width::Scalar, c.slow_ops as f32);
            body.ops.add(Op::Load, Width::Scalar, c.accesses as f32);
            let calls = c.calls + c.numpy_calls + c.host_calls;
            if calls > 0.0 {
                body.calls.push((OTHER.into(), calls as f32));
            }
            return body;
        };
        let registers = f64::from(lanes.div_ceil(self.lanes));
        let mut add = |op, width, n: f64| body.ops.add(op, width, n as f32);
        add(Op::Float, Width::Vector, c.simple_ops * registers);
        add(Op::FloatDiv, Width::Vector, c.slow_ops * registers);
        let strides = self.candidate.loops.get(id.index()).map(|f| f.strides);
        let s = strides.unwrap_or_default();
        let all = f64::from((s.unit + s.fixed + s.far_loads + s.far_stores).max(1));
        let share = |n: u32| c.accesses * f64::from(n) / all;
        add(Op::Load, Width::Vector, share(s.unit) * registers);
        add(Op::Load, Width::Scalar, share(s.fixed));
        // Lanes that lie apart are loaded and stored one by one.
        let apart = share(s.far_loads + s.far_stores) * f64::from(lanes);
        add(Op::Load, Width::Scalar, apart);
        add(Op::Shuffle, Width::Vector, apart);
        let wide = (c.vector_calls + c.vector_numpy_calls) * registers;
        let alone = (c.calls - c.vector_calls) + (c.numpy_calls - c.vector_numpy_calls);
        let calls = wide + alone * f64::from(lanes);
        if calls > 0.0 {
            body.calls.push((OTHER.into(), calls as f32));
        }
        body
    }
}
