//! What compiled code takes on one core, and what of it threads can share.
//!
//! The execution-cache-memory model (Treibig and Hager, "Introducing a performance model for bandwidth-limited loop
//! kernels", 2009): a core's resources work at once, arithmetic, the width of the front end, loads, stores, and the transfers into
//! the first cache, which do not overlap with loads and stores on some cores ([`HostWeights::overlap`]). Not quite at once:
//! they get in each other's way ([`together`]). An iteration takes as long as they do, or as the chain from one iteration to
//! the next, or the one within it, whichever is longest.
//! What fills the second cache works on its own, ahead of the core: a call takes as long as the slower of the two.

use std::collections::BTreeMap;
use std::ops::Add;

use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::{Order, Sizes, Traffic, TrafficPlan};
use nestwise_ir::LoopId;
use nestwise_ir::machine_shape::{Body, LoopShape, Op};
use serde::{Deserialize, Serialize};

use crate::estimate::compute::{ByBound, Compute};
use crate::estimate::executions;
use crate::estimate::prices::Seconds;
use crate::estimate::resources::{Forms, UNITS, WINDOW, longer, occupied, together, weigh};
use crate::estimate::threads::Shared;

/// Levels of the cache hierarchy that are told apart: transfers into the first from the second, into that from the
/// third, into that from memory.
pub const LEVELS: usize = 3;

/// How hard jumps that data decide are to foresee where nobody looked; calibration measures those that random data decide.
const SURPRISE: f64 = 0.4;

/// The entry of [`HostWeights::functions`] for those that have none.
pub const OTHER: &str = "other";

/// Weights of one core. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostWeights {
    /// Each operation on one number, where enough of them are independent.
    pub scalar: OpWeights,
    /// The same on a vector register.
    pub vector: OpWeights,
    /// Each operation where the next one waits for it.
    pub latency: OpWeights,
    /// Each operation of any kind: the width of the front end.
    pub issue: f64,
    /// A jump that only data decide, about every other time foreseen wrongly.
    pub unsure: f64,
    /// Starting a loop.
    pub entry: f64,
    /// Functions that compiled code calls, by name; `other` stands for those without an entry.
    pub functions: BTreeMap<String, f64>,
    /// Bytes of the caches that one core can use, the smallest first.
    pub caches: [f64; LEVELS],
    /// Fetching a line of 64 bytes into each of them, its neighbours following.
    pub stream: [f64; LEVELS],
    /// Fetching the lines of places that lie apart by the same step.
    pub strided: [f64; LEVELS],
    /// Fetching a line from anywhere.
    pub scattered: [f64; LEVELS],
    /// Lines are fetched while the core loads and stores what is there, as AMD's cores do; Intel's do one or the other
    /// (Hofmann et al., "Bridging the architecture gap", 2020).
    pub overlap: bool,
}

/// A weight for each kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // The kinds are those of `Op`.
pub struct OpWeights {
    pub int: f64,
    pub int_mul: f64,
    pub int_div: f64,
    pub float: f64,
    pub float_mul: f64,
    pub float_div: f64,
    pub root: f64,
    pub convert: f64,
    pub load: f64,
    pub store: f64,
    pub gather: f64,
    pub scatter: f64,
    pub shuffle: f64,
    pub branch: f64,
    pub call: f64,
}

impl OpWeights {
    /// One kind's.
    pub fn of(&self, op: Op) -> f64 {
        match op {
            Op::Int => self.int,
            Op::IntMul => self.int_mul,
            Op::IntDiv => self.int_div,
            Op::Float => self.float,
            Op::FloatMul => self.float_mul,
            Op::FloatDiv => self.float_div,
            Op::Root => self.root,
            Op::Convert => self.convert,
            Op::Load => self.load,
            Op::Store => self.store,
            Op::Gather => self.gather,
            Op::Scatter => self.scatter,
            Op::Shuffle => self.shuffle,
            Op::Branch => self.branch,
            Op::Call => self.call,
        }
    }

    /// One kind's, to be set.
    pub fn of_mut(&mut self, op: Op) -> &mut f64 {
        match op {
            Op::Int => &mut self.int,
            Op::IntMul => &mut self.int_mul,
            Op::IntDiv => &mut self.int_div,
            Op::Float => &mut self.float,
            Op::FloatMul => &mut self.float_mul,
            Op::FloatDiv => &mut self.float_div,
            Op::Root => &mut self.root,
            Op::Convert => &mut self.convert,
            Op::Load => &mut self.load,
            Op::Store => &mut self.store,
            Op::Gather => &mut self.gather,
            Op::Scatter => &mut self.scatter,
            Op::Shuffle => &mut self.shuffle,
            Op::Branch => &mut self.branch,
            Op::Call => &mut self.call,
        }
    }

    /// From cycles, to three digits.
    fn scaled(&self, factor: f64) -> OpWeights {
        let mut out = self.clone();
        for op in Op::ALL {
            let nanos = out.of_mut(op);
            *nanos = (*nanos * factor * 1e3).round() / 1e3;
        }
        out
    }
}

impl Default for HostWeights {
    /// A server core of the 2020s at 3 GHz with vectors of 512 bits, by its makers' tables.
    fn default() -> Self {
        let cycle = 1.0 / 3.0;
        let scalar = OpWeights {
            int: 0.25,
            int_mul: 1.0,
            int_div: 7.0,
            float: 0.5,
            float_mul: 0.5,
            float_div: 4.0,
            root: 6.0,
            convert: 1.0,
            load: 0.5,
            store: 0.7,
            gather: 1.0,
            scatter: 1.5,
            shuffle: 1.0,
            branch: 0.5,
            call: 5.0,
        };
        let vector = OpWeights {
            int: 0.5,
            int_mul: 1.5,
            float: 0.7,
            float_mul: 0.7,
            float_div: 16.0,
            root: 20.0,
            load: 0.8,
            store: 1.2,
            ..scalar.clone()
        };
        let latency = OpWeights {
            int: 1.0,
            int_mul: 3.0,
            int_div: 14.0,
            float: 3.0,
            float_mul: 4.0,
            float_div: 13.0,
            root: 18.0,
            convert: 6.0,
            load: 5.0,
            store: 0.5,
            gather: 20.0,
            scatter: 20.0,
            shuffle: 3.0,
            branch: 0.0,
            call: 5.0,
        };
        HostWeights {
            scalar: scalar.scaled(cycle),
            vector: vector.scaled(cycle),
            latency: latency.scaled(cycle),
            issue: 0.067,
            unsure: 4.0,
            entry: 1.0,
            functions: BTreeMap::from([(OTHER.to_string(), 12.0)]),
            caches: [48e3, 2e6, 16e6],
            stream: [0.8, 2.5, 6.0],
            strided: [1.0, 4.0, 12.0],
            scattered: [2.0, 8.0, 25.0],
            overlap: false,
        }
    }
}

impl HostWeights {
    /// The weights in the order of their numbers ([`Forms`]), those of functions last, by name.
    pub fn to_vec(&self) -> Vec<f64> {
        let tables = [&self.scalar, &self.vector, &self.latency];
        let ops = tables.into_iter().flat_map(|t| Op::ALL.map(|op| t.of(op)));
        let single = [self.issue, self.unsure, self.entry];
        let lines = self.stream.into_iter().chain(self.strided);
        let lines = lines.chain(self.scattered);
        let all = ops.chain(single).chain(lines);
        all.chain(self.functions.values().copied()).collect()
    }

    /// The same with other values.
    pub fn with(&self, values: &[f64]) -> HostWeights {
        let mut out = self.clone();
        let mut next = values.iter().copied();
        let mut set = |place: &mut f64| *place = next.next().unwrap_or(*place);
        for table in [&mut out.scalar, &mut out.vector, &mut out.latency] {
            Op::ALL.iter().for_each(|op| set(table.of_mut(*op)));
        }
        [&mut out.issue, &mut out.unsure, &mut out.entry]
            .into_iter()
            .for_each(&mut set);
        out.stream
            .iter_mut()
            .chain(&mut out.strided)
            .chain(&mut out.scattered)
            .for_each(&mut set);
        out.functions.values_mut().for_each(set);
        out
    }
}

/// The share of the chains of a loop of so many operations that is waited for: the core goes on to what comes behind the
/// loop as far as its window reaches, where the next chain, if the loop is entered again, begins while the last one goes
/// on. Of chains as long as the window two are under way at any time.
///
/// `ops` as [`occupied`] has it.
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
    /// By loop of the kernel: the one of the nest as written.
    origin: Vec<LoopId>,
    caches: [f64; LEVELS],
    stream: [f64; LEVELS],
    strided: [f64; LEVELS],
    scattered: [f64; LEVELS],
    overlap: bool,
}

/// Nanoseconds per iteration, by resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Demand {
    /// What it takes of the core's window.
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

    /// The time of a call; `trips` gives the mean trip count of each loop as written.
    pub fn seconds(&self, trips: &dyn Fn(LoopId) -> f64, values: &LaunchValues) -> Compute {
        let (alone, shared) = self.parts(trips, values);
        let shared = shared.iter().map(|l| l.time);
        Compute {
            alone,
            shared: shared.fold(ByBound::default(), Add::add),
            forks: None,
        }
    }

    /// The same outside of the loops that threads share, and for each of these.
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

    /// The lines that a call fetches.
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

    /// Nanoseconds by the level below the one that lines come to.
    fn transfers(&self, fetched: &Traffic<LEVELS>) -> [f64; LEVELS] {
        let each = match fetched.order {
            Order::Stream => self.stream,
            Order::Strided => self.strided,
            Order::Scattered => self.scattered,
        };
        std::array::from_fn(|level| fetched.lines[level] * each[level])
    }
}

/// What parts of a kernel take in a call.
#[derive(Default)]
struct Sums {
    each: Vec<Sum>,
    /// Loops that threads share, without their times.
    shared: Vec<Shared>,
}

impl Sums {
    /// The number of a loop that is shared, started so often more.
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

/// What the loops of one home take in all, in nanoseconds.
struct Sum {
    home: Option<LoopId>,
    /// In which of the loops that threads share.
    shared: Option<usize>,
    /// Until all is done but lines that are fetched.
    core: f64,
    /// The same if nothing waited for anything.
    busy: f64,
    /// The part of it where that is the chain from one iteration to the next.
    waiting: f64,
    /// Loads and stores alone.
    memory: f64,
    /// Transfers into the first cache.
    near: f64,
    /// Those into the caches behind it, from what several cores have in common.
    far: f64,
    /// What overlaps with nothing.
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
