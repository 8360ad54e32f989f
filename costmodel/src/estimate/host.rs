//! What compiled code takes on one core, and what of it threads can share.
//!
//! The execution-cache-memory model (Treibig and Hager, "Introducing a performance model for bandwidth-limited loop
//! kernels", 2009): a core's resources work at once, arithmetic, the width of the front end, loads, stores, and the
//! transfers into the first cache, which do not overlap with loads and stores on some cores ([`HostWeights::overlap`]).
//! Not quite at once: they get in each other's way ([`together`]). An iteration takes as long as they do, or as the
//! chain from one iteration to the next, or the one within it, whichever is longest. What fills the second cache works
//! on its own, ahead of the core: a call takes as long as the slower of the two.

use std::ops::Add;

use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::{Order, Sizes, Traffic, TrafficPlan};
use nestwise_ir::LoopId;
use nestwise_ir::machine_shape::{Body, LoopShape};

use crate::estimate::compute::{ByBound, Compute, Shared};
use crate::estimate::executions;
use crate::estimate::resources::{Forms, UNITS, WINDOW, longer, occupied, together, weigh};
use crate::profile::host::{HostWeights, LEVELS};
use crate::units::Seconds;

/// The usual value of [`LaunchValues::surprise`]: how hard branches that data decide are to predict where nobody
/// looked. Calibration measures branches that random data decide.
const SURPRISE: f64 = 0.4;

/// The share of a loop's dependence chains that is waited for, 0 to 1: the core goes on to what comes behind the loop
/// as far as its window reaches, where the next chain, if the loop is entered again, begins while the last one goes on.
/// Of chains as long as the window two are under way at any time.
///
/// `ops`: the operations of an iteration as [`occupied`] counts them; `times`: the iterations in all; `entries`: how
/// often the loop is entered.
pub fn waits(ops: f64, times: f64, entries: f64) -> f64 {
    let entries = entries.max(1.0);
    let windows = (ops * times / entries / WINDOW).max(f64::MIN_POSITIVE);
    1.0 / (1.0 + (1.0 - 1.0 / entries) / windows)
}

/// A kernel's shape under a machine's weights.
#[derive(Clone, Debug)]
pub struct Priced {
    root: Part,
    pub(crate) traffic: TrafficPlan,
    /// For each loop of the kernel: the loop of the nest as written.
    origin: Vec<LoopId>,
    caches: [f64; LEVELS],
    stream: [f64; LEVELS],
    strided: [f64; LEVELS],
    scattered: [f64; LEVELS],
    overlap: bool,
}

/// What one iteration asks of each resource, in nanoseconds unless a field says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Demand {
    /// Operations that the iteration takes of the core's window ([`occupied`]).
    ops: f64,
    units: [f64; UNITS],
    chain: f64,
    path: f64,
    issue: f64,
    loads: f64,
    stores: f64,
    unsure: f64,
}

#[derive(Clone, Debug)]
struct Part {
    demand: Demand,
    entry: f64,
    inner: Vec<(LoopShape, Part)>,
}

impl Priced {
    /// Weighs what a kernel executes.
    pub fn new(
        shape: &Body,
        traffic: TrafficPlan,
        origin: Vec<LoopId>,
        weights: &HostWeights,
    ) -> Priced {
        Priced {
            root: Part::new(shape, weights, &weights.to_vec()),
            traffic,
            origin,
            caches: weights.caches,
            stream: weights.stream,
            strided: weights.strided,
            scattered: weights.scattered,
            overlap: weights.overlap,
        }
    }

    /// The time of a call; `trips` gives the mean trip count of each loop of the nest as written.
    pub fn seconds(&self, trips: &dyn Fn(LoopId) -> f64, values: &LaunchValues) -> Compute {
        let (alone, shared) = self.parts(trips, values);
        let shared = shared.iter().map(|l| l.time);
        Compute {
            alone,
            shared: shared.fold(ByBound::default(), Add::add),
            forks: None,
        }
    }

    /// The time of a call outside of the loops that threads share, and for each of these loops.
    pub(crate) fn parts(
        &self,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> (ByBound, Vec<Shared>) {
        let own = |id: LoopId| trips(self.origin.get(id.index()).copied().unwrap_or(id));
        let mut sums = Sums::default();
        let surprise = values.surprise.unwrap_or(SURPRISE);
        let known = (&own as &dyn Fn(LoopId) -> f64, surprise);
        self.root.add((None, 1), (1.0, 1.0), None, known, &mut sums);
        let Sums {
            mut each,
            mut shared,
        } = sums;
        for fetched in self.lines(trips, values) {
            let [near, far, memory] = self.transfers(&fetched);
            let home = each.iter_mut().find(|s| s.home == Some(fetched.home));
            if let Some(sum) = home {
                sum.near += near;
                sum.far += far + memory;
            }
        }
        let mut alone = ByBound::default();
        for sum in &each {
            let part = match sum.shared {
                Some(k) => &mut shared[k].time,
                None => &mut alone,
            };
            *part = *part + sum.by_bound(self.overlap);
        }
        (alone, shared)
    }

    /// The lines that a call fetches, by access and by level of cache that misses them.
    pub fn lines(
        &self,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> Vec<Traffic<LEVELS>> {
        let trips = |id: LoopId| trips(self.origin.get(id.index()).copied().unwrap_or(id));
        let sizes = Sizes {
            trips: &trips,
            values,
        };
        self.traffic.traffic(&sizes, self.caches)
    }

    /// Nanoseconds of transfers, by level of cache that misses the lines.
    fn transfers(&self, fetched: &Traffic<LEVELS>) -> [f64; LEVELS] {
        let each = match fetched.order {
            Order::Stream => self.stream,
            Order::Strided => self.strided,
            Order::Scattered => self.scattered,
        };
        std::array::from_fn(|level| fetched.lines[level] * each[level])
    }
}

/// What the parts of a kernel take in a call.
#[derive(Default)]
struct Sums {
    each: Vec<Sum>,
    /// The loops that threads share, without their times.
    shared: Vec<Shared>,
}

impl Sums {
    /// The index in `shared` of a loop, which is added if it is new, after counting `starts` more starts of it.
    fn started(&mut self, id: Option<LoopId>, starts: f64, trips: f64) -> usize {
        let known = self.shared.iter().position(|l| l.id == id && id.is_some());
        let k = known.unwrap_or(self.shared.len());
        if known.is_none() {
            self.shared.push(Shared {
                id,
                starts: 0.0,
                trips,
                time: ByBound::default(),
            });
        }
        self.shared[k].starts += starts;
        k
    }
}

/// What all code of a kernel takes in a call whose innermost loop is `home`, in nanoseconds.
struct Sum {
    home: Option<LoopId>,
    /// The index in [`Sums::shared`] of the shared loop around this code, if there is one.
    shared: Option<usize>,
    /// Time until all is done but the fetching of lines.
    core: f64,
    /// Time until all is done but the fetching of lines, if no operation waited for another.
    busy: f64,
    /// The part of `core` in which the chain from one iteration to the next is the bottleneck.
    waiting: f64,
    /// Time of loads and stores alone.
    memory: f64,
    /// Time of transfers into the first cache.
    near: f64,
    /// Time of transfers into the caches behind the first, from what several cores share.
    far: f64,
    /// Time that overlaps with nothing else.
    extra: f64,
}

impl Sum {
    fn by_bound(&self, overlap: bool) -> ByBound {
        let nanos = |ns: f64| Seconds(ns * 1e-9);
        let busy = match overlap {
            true => together(&[self.busy, self.near]),
            false => longer(self.busy, self.memory, self.near),
        };
        let (core, waiting) = match busy > self.core {
            true => (busy, 0.0),
            false => (self.core, self.waiting),
        };
        ByBound {
            compute: nanos(core - waiting + self.extra),
            latency: nanos(waiting),
            memory: nanos(self.far),
        }
    }
}

impl Part {
    fn new(body: &Body, weights: &HostWeights, values: &[f64]) -> Part {
        let forms = Forms::of(body, weights);
        let demand = Demand {
            ops: occupied(body),
            units: forms.units.map(|unit| weigh(&unit, values)),
            chain: weigh(&forms.chain, values),
            path: weigh(&forms.path, values),
            issue: weigh(&forms.issue, values),
            loads: weigh(&forms.loads, values),
            stores: weigh(&forms.stores, values),
            unsure: weigh(&forms.extra, values),
        };
        let inner = |l: &LoopShape| {
            let part = Part::new(&l.body, weights, values);
            let bare = LoopShape {
                body: Body {
                    ends: l.body.ends,
                    ..Body::default()
                },
                ..l.clone()
            };
            (bare, part)
        };
        Part {
            demand,
            entry: weights.entry,
            inner: body.inner.iter().map(inner).collect(),
        }
    }

    fn add(
        &self,
        (home, copies): (Option<LoopId>, u32),
        (times, entries): (f64, f64),
        shared: Option<usize>,
        (trips, surprise): (&dyn Fn(LoopId) -> f64, f64),
        sums: &mut Sums,
    ) {
        let d = &self.demand;
        let memory = together(&[d.loads, d.stores]) * times;
        let [a, b, c] = d.units;
        let busy = together(&[a, b, c, d.issue, d.loads, d.stores]) * times;
        let chain = (d.chain * waits(d.ops, times, entries)).max(d.path) * times;
        let core = busy.max(chain);
        let waiting = if chain > busy { core } else { 0.0 };
        let extra = d.unsure * surprise * times + self.entry * entries;
        let found = sums
            .each
            .iter_mut()
            .find(|s| s.home == home && s.shared == shared);
        match found {
            Some(sum) => {
                sum.core += core;
                sum.busy += busy;
                sum.waiting += waiting;
                sum.memory += memory;
                sum.extra += extra;
            }
            None => sums.each.push(Sum {
                home,
                shared,
                core,
                busy,
                waiting,
                memory,
                near: 0.0,
                far: 0.0,
                extra,
            }),
        }
        let each = |(l, part): &(LoopShape, Part), how_often: (f64, f64)| {
            let started = || {
                let id = part.inner.iter().find_map(|(l, _)| l.id);
                sums.started(id, how_often.1, id.map_or(1.0, trips))
            };
            let shared = shared.or_else(|| l.threads.then(started));
            part.add(
                (l.id.or(home), l.stride),
                how_often,
                shared,
                (trips, surprise),
                sums,
            );
        };
        executions::shares(&self.inner, copies, |l| &l.0, times, trips, each);
    }
}

#[cfg(test)]
mod tests {
    use crate::estimate::host::occupied;
    use crate::estimate::host::waits;
    use nestwise_ir::machine_shape::Body;
    use nestwise_ir::machine_shape::Op;
    use nestwise_ir::machine_shape::Width;

    #[test]
    fn chains_overlap_with_those_of_the_next_entry() {
        // Entered once there is no next one.
        assert_eq!(waits(10.0, 100.0, 1.0), 1.0);
        let share = |trips: f64| waits(10.0, trips * 1e4, 1e4);
        assert!(share(4.0) < share(50.0) && share(50.0) < share(1000.0));
        assert!(share(4.0) < 0.1 && share(1000.0) > 0.9);
        assert!(waits(0.0, 0.0, 3.0) < 1e-9);
    }

    #[test]
    fn chains_do_not_overlap_where_data_end_the_loop_or_the_next_one_begins_with_what_they_left() {
        let mut body = Body::default();
        body.ops.add(Op::Float, Width::Scalar, 10.0);
        let share = |body: &Body| waits(occupied(body), 400.0, 100.0);
        assert!(share(&body) < 0.1);
        let carried = Body {
            carried: true,
            ..body.clone()
        };
        let ends = Body {
            ends: Some(1),
            ..body
        };
        assert_eq!((share(&carried), share(&ends)), (1.0, 1.0));
    }
}
