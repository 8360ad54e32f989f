//! The model: features, weights and sizes to an estimate per device, and a decision.

use crate::features::{Features, LoopFeatures};
use crate::guess;
use crate::host::{Compute, Priced};
use crate::learned::Learned;
use crate::profile::MachineProfile;
use crate::weights::{LaunchTally, LaunchWork};
use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_ir::{LoopId, LoopWork, Tally};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul};

/// A cost in seconds. Never negative, never NaN; infinity means "cannot run there".
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Seconds(pub f64);

impl Seconds {
    /// A cost no candidate can win with.
    pub const INFINITE: Seconds = Seconds(f64::INFINITY);

    /// From nanoseconds; what is not a number or negative counts as free.
    pub fn from_nanos(ns: f64) -> Seconds {
        Seconds((ns * 1e-9).max(0.0))
    }
}

impl Add for Seconds {
    type Output = Seconds;
    fn add(self, other: Seconds) -> Seconds {
        Seconds(self.0 + other.0)
    }
}

impl Mul<f64> for Seconds {
    type Output = Seconds;
    fn mul(self, factor: f64) -> Seconds {
        // Zero trips of something impossible cost nothing, where plain arithmetic would say NaN.
        if factor == 0.0 {
            Seconds(0.0)
        } else {
            Seconds(self.0 * factor)
        }
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Seconds>>(iter: I) -> Seconds {
        iter.fold(Seconds(0.0), Add::add)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            s if s >= 1.0 => write!(f, "{s:.2} s"),
            s if s >= 1e-3 => write!(f, "{:.2} ms", s * 1e3),
            s if s >= 1e-6 => write!(f, "{:.2} us", s * 1e6),
            s => write!(f, "{:.0} ns", s * 1e9),
        }
    }
}

/// The devices that are priced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Device {
    /// CPython itself.
    Interpreter,
    /// Compiled code on one core.
    Serial,
    /// Compiled code on several.
    Threads,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreter => "interpreter",
            Self::Serial => "serial",
            Self::Threads => "threads",
        })
    }
}

/// One device's price, by term.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Binding, guards, writing back.
    pub bind: Seconds,
    /// Lists into buffers and back.
    pub convert: Seconds,
    /// Compiling, zero when cached.
    pub compile: Seconds,
    /// Starting and joining threads.
    pub fork_join: Seconds,
    /// Copies from which an event is undone.
    pub undo: Seconds,
    /// The loops themselves.
    pub compute: Seconds,
    /// What the model said of the last three, before they were corrected by what was measured.
    pub raw: Seconds,
    /// The same for the first two.
    pub raw_around: Seconds,
}

impl Estimate {
    /// All terms together.
    pub fn total(&self) -> Seconds {
        self.warm() + self.compile
    }
    /// All terms but compilation: what every further call costs.
    pub fn warm(&self) -> Seconds {
        self.around() + self.modelled()
    }
    /// The part before and after that.
    pub fn around(&self) -> Seconds {
        self.bind + self.convert
    }
    /// The part that a launch measures: all from the kernel's first iteration to its last.
    pub fn modelled(&self) -> Seconds {
        self.fork_join + self.undo + self.compute
    }
    /// That part takes so many times as long.
    pub(crate) fn correct(&mut self, factor: f64) {
        for term in [&mut self.fork_join, &mut self.undo, &mut self.compute] {
            *term = *term * factor;
        }
    }
    /// What is around it takes so many times as long.
    pub(crate) fn correct_around(&mut self, factor: f64) {
        for term in [&mut self.bind, &mut self.convert] {
            *term = *term * factor;
        }
    }
}

/// A nest's features under one machine's weights: seconds per execution of each loop body, interpreted and
/// compiled. Made once per nest; [`Prices::total`] only multiplies trip counts in.
#[derive(Clone, Debug)]
pub struct Prices {
    top: LoopPrice,
    /// What a kernel will likely take: without vectors, and with them.
    guesses: [Priced; 2],
    /// The head of the top loop in CPython, once per call.
    entry: Seconds,
    compile: Seconds,
    nodes: (f64, f64),
}

#[derive(Clone, Debug)]
struct LoopPrice {
    id: LoopId,
    interpreted: Seconds,
    /// How often it is reached and how many trips it makes, as CPython sees it.
    work: LoopWork,
    inner: Vec<LoopPrice>,
}

impl Prices {
    /// Weighs `features` with `profile`.
    /// `lanes`: numbers of 64 bits in a vector register.
    pub fn new(
        features: &Features,
        traffic: &TrafficPlan,
        lanes: u32,
        profile: &MachineProfile,
    ) -> Prices {
        let c = &profile.compile;
        let (scalar, vectors) = match features.vectors {
            true => (0.0, features.nodes),
            false => (features.nodes, 0.0),
        };
        let guess = |lanes| {
            let shape = guess::shape(features, lanes);
            Priced::new(&shape, traffic.clone(), Vec::new(), &profile.host)
        };
        Prices {
            top: LoopPrice::new(&features.top, profile),
            entry: interpreted(&features.entry, profile),
            guesses: [guess(1), guess(lanes)],
            compile: Seconds::from_nanos(c.kernel + c.node * scalar + c.vector_node * vectors),
            nodes: (scalar, vectors),
        }
    }

    /// Time to compile a kernel of this nest.
    pub fn compile(&self) -> Seconds {
        self.compile
    }

    /// The nest's nodes: of one without vectors, of one with.
    pub fn nodes(&self) -> (f64, f64) {
        self.nodes
    }

    /// Time of the whole nest interpreted; `trips` gives each loop's mean trip count.
    pub fn interpreted(&self, trips: &dyn Fn(LoopId) -> f64) -> Seconds {
        self.entry + self.top.total(trips)
    }

    /// Time that a kernel will likely take, of which all is taken to be shared by threads.
    pub fn guess(
        &self,
        vectorised: bool,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> Compute {
        let guess = self.guesses[usize::from(vectorised)].seconds(trips, values);
        Compute {
            alone: Seconds(0.0),
            shared: guess.total(),
            memory: guess.memory,
        }
    }
}

impl LoopPrice {
    fn new(features: &LoopFeatures, profile: &MachineProfile) -> LoopPrice {
        LoopPrice {
            id: features.id,
            interpreted: interpreted(&features.work.body, profile),
            work: features.work,
            inner: features
                .inner
                .iter()
                .map(|l| LoopPrice::new(l, profile))
                .collect(),
        }
    }

    fn total(&self, trips: &dyn Fn(LoopId) -> f64) -> Seconds {
        let inner = self.inner.iter().map(|l| l.total(trips));
        let body = self.interpreted + inner.sum();
        body * (self.work.trips(trips(self.id)) * self.work.reached)
    }
}

fn interpreted(work: &Tally, profile: &MachineProfile) -> Seconds {
    Seconds::from_nanos(profile.interpreter.weigh(work))
}

/// What a decision needs to know of a call besides the sizes.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// What the launch does to bind what the nest works on and to write back what it changed.
    pub bind: LaunchTally,
    /// What it does to convert lists.
    pub convert: LaunchTally,
    /// What it does to be able to undo.
    pub undo: LaunchTally,
    /// Kernels for one thread, and for several, are compiled already.
    pub compiled: [bool; 2],
    /// Time this site has lost so far by not having each of them; compiling is charged only with what exceeds it (the
    /// ski-rental rule: compile once as much was lost as compiling costs).
    pub lost: [Seconds; 2],
    /// The part of the top loop's iterations that this call is about, 0 to 1.
    pub rest: f64,
    /// What CPython takes for that part, if it has already shown its pace; better than any model.
    pub measured: Option<Seconds>,
    /// Threads that a parallel schedule may use; 1 where there is none.
    pub threads: u32,
    /// How many times the parallel loops are started.
    pub forks: f64,
    /// Bytes of arrays that each thread copies, over all those starts.
    pub copied_bytes: f64,
    /// What compiled code takes for the whole call on one core, as it is made for one, and as it is made for threads.
    pub native: [Compute; 2],
}

/// A decision and what it rests on.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// The cheapest device.
    pub device: Device,
    /// Its price.
    pub estimate: Estimate,
    /// The next best.
    pub runner_up: (Device, Seconds),
    /// The interpreter's price.
    pub interpreted: Seconds,
    /// It is not the cheapest, but may turn out to be.
    pub trial: bool,
    /// The next call may be decided otherwise, although it is the same: something is still waited for.
    pub for_now: bool,
    /// Whether only the time to compile spoke against running natively.
    pub waits_for_compile: bool,
    /// All devices, the cheapest first.
    pub ranked: [(Device, Estimate); 3],
}

impl Decision {
    /// A device's price.
    pub fn of(&self, device: Device) -> Estimate {
        let found = self.ranked.iter().find(|r| r.0 == device);
        found.map_or(self.estimate, |r| r.1)
    }

    /// The same, to try a device that looks worse.
    pub fn tried(self, device: Device) -> Decision {
        Decision {
            trial: true,
            ..self.forced(device)
        }
    }

    /// The same, if `device` has to be taken whatever it costs.
    pub fn forced(mut self, device: Device) -> Decision {
        self.device = device;
        // Nothing is waited for.
        (self.trial, self.for_now) = (false, false);
        let possible = self.of(device).total().0.is_finite();
        // Threads without a loop for them run on one core.
        self.estimate = self.of(if possible { device } else { Device::Serial });
        self
    }
}

/// A device that is to save less than the rest is not worth pricing call after call, let alone a kernel.
const WORTH_WAITING: f64 = 0.9;

/// Prices the devices for one call and picks the cheapest.
pub fn decide(
    prices: &Prices,
    profile: &MachineProfile,
    trips: &dyn Fn(LoopId) -> f64,
    situation: &Situation,
    learned: &Learned,
) -> Decision {
    let interpreted = || prices.interpreted(trips) * situation.rest;
    let interpreter = Estimate {
        compute: situation.measured.unwrap_or_else(interpreted),
        ..Estimate::default()
    };
    let c = &profile.call;
    let compile = |kind: usize| match situation.compiled[kind] {
        true => Seconds(0.0),
        false => Seconds((prices.compile().0 - situation.lost[kind].0).max(0.0)),
    };
    let serial = Estimate {
        bind: Seconds::from_nanos(c.weigh(&situation.bind)),
        convert: Seconds::from_nanos(c.weigh(&situation.convert)),
        compile: compile(0),
        undo: Seconds::from_nanos(c.weigh(&situation.undo)),
        compute: situation.native[0].total() * situation.rest,
        ..Estimate::default()
    };
    let threads = Estimate {
        compile: compile(1),
        ..threaded(&serial, profile, situation)
    };
    let mut estimates = [interpreter, serial, threads];
    for estimate in &mut estimates {
        (estimate.raw, estimate.raw_around) = (estimate.modelled(), estimate.around());
    }
    learned.correct(&mut estimates);
    if let Some(measured) = situation.measured {
        // The pace of this very call.
        estimates[0].compute = measured;
    }
    let [interpreter, serial, threads] = estimates;
    let interpreted = interpreter.total();
    let mut ranked = [
        (Device::Interpreter, interpreter),
        (Device::Serial, serial),
        (Device::Threads, threads),
    ];
    ranked.sort_by(|a, b| a.1.total().0.total_cmp(&b.1.total().0));
    let best_native = if threads.warm() < serial.warm() {
        threads
    } else {
        serial
    };
    Decision {
        device: ranked[0].0,
        estimate: ranked[0].1,
        runner_up: (ranked[1].0, ranked[1].1.total()),
        interpreted,
        trial: false,
        for_now: match ranked[0].0 {
            Device::Interpreter => false,
            Device::Serial => threads.warm() < serial.warm() * WORTH_WAITING,
            Device::Threads => serial.warm() < threads.warm() * WORTH_WAITING,
        },
        waits_for_compile: ranked[0].0 == Device::Interpreter && best_native.warm() < interpreted,
        ranked,
    }
}

fn threaded(serial: &Estimate, profile: &MachineProfile, situation: &Situation) -> Estimate {
    if situation.threads < 2 {
        return Estimate {
            compute: Seconds::INFINITE,
            ..*serial
        };
    }
    let w = &profile.threads;
    let more = f64::from(situation.threads - 1);
    let (cores, channels) = (1.0 + more * w.efficiency, 1.0 + more * w.memory);
    let native = &situation.native[1];
    let busy = Seconds((native.shared.0 - native.memory.0).max(0.0));
    let shared = busy * (1.0 / cores) + native.memory * (1.0 / channels);
    // A copy is filled and merged, the former by its own thread, the latter one after the other.
    let copies = situation.copied_bytes
        * f64::from(situation.threads)
        * profile.call.get(LaunchWork::UndoByte);
    Estimate {
        fork_join: Seconds::from_nanos(profile.threads.fork_join) * situation.forks.max(1.0)
            + Seconds::from_nanos(copies),
        compute: (native.alone + shared) * situation.rest,
        ..*serial
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Counts;
    use nestwise_ir::Work;
    use proptest::prelude::*;

    fn features(body: Counts, work: &[(Work, f64)]) -> Features {
        let mut tally = Tally::default();
        work.iter().for_each(|(kind, n)| tally.add(*kind, *n));
        let top = LoopFeatures {
            id: LoopId(0),
            reached: 1.0,
            body,
            work: LoopWork {
                reached: 1.0,
                once: false,
                leaves: false,
                body: tally,
            },
            inner: vec![],
        };
        Features {
            top,
            entry: Tally::default(),
            nodes: 10.0,
            vectors: false,
        }
    }

    fn prices(body: Counts) -> Prices {
        let work = [
            (Work::RangeStep, 1.0),
            (Work::NumpyFloat, 2.0),
            (Work::ArrayGet, 3.0),
        ];
        let features = features(body, &work);
        let profile = MachineProfile::default();
        Prices::new(&features, &TrafficPlan::default(), 8, &profile)
    }

    fn situation() -> Situation {
        let mut launch = LaunchTally::default();
        launch.add(LaunchWork::Launch, 1.0);
        Situation {
            bind: launch,
            convert: LaunchTally::default(),
            undo: LaunchTally::default(),
            compiled: [true; 2],
            lost: [Seconds(0.0); 2],
            rest: 1.0,
            measured: None,
            threads: 2,
            forks: 1.0,
            copied_bytes: 0.0,
            native: [Compute::default(); 2],
        }
    }

    /// A decision for a nest of one loop of `n` iterations.
    fn decided(body: Counts, n: f64, vectorised: bool, situation: &Situation) -> Decision {
        let prices = prices(body);
        let native = prices.guess(vectorised, &|_| n, &LaunchValues::default());
        let situation = Situation {
            native: [native; 2],
            ..*situation
        };
        decide(
            &prices,
            &MachineProfile::default(),
            &|_| n,
            &situation,
            &Learned::default(),
        )
    }

    fn device(n: f64, situation: &Situation) -> Device {
        let body = Counts {
            simple_ops: 2.0,
            accesses: 3.0,
            ..Counts::default()
        };
        decided(body, n, false, situation).device
    }

    #[test]
    fn sizes_move_the_decision_from_interpreter_to_serial_to_threads() {
        assert_eq!(device(1.0, &situation()), Device::Interpreter);
        assert_eq!(device(1_000.0, &situation()), Device::Serial);
        assert_eq!(device(10_000_000.0, &situation()), Device::Threads);
    }

    #[test]
    fn compilation_is_charged_once_and_waived_when_as_much_was_lost() {
        let cold = Situation {
            compiled: [false; 2],
            ..situation()
        };
        assert_eq!(device(1_000.0, &cold), Device::Interpreter);
        let lost = Situation {
            lost: [Seconds(1.0); 2],
            ..cold
        };
        assert_eq!(device(1_000.0, &lost), Device::Serial);
    }

    #[test]
    fn a_kernel_for_threads_is_waited_for_until_as_much_was_lost() {
        let n = 200_000.0;
        assert_eq!(device(n, &situation()), Device::Threads);
        let body = Counts {
            simple_ops: 2.0,
            accesses: 3.0,
            ..Counts::default()
        };
        let one = Situation {
            compiled: [true, false],
            ..situation()
        };
        let first = decided(body, n, false, &one);
        assert!(first.device == Device::Serial && first.for_now);
        let lost = Situation {
            lost: [Seconds(0.0), Seconds(1.0)],
            ..one
        };
        let then = decided(body, n, false, &lost);
        assert!(then.device == Device::Threads && !then.for_now);
        // The other way round, too.
        let several = Situation {
            compiled: [false, true],
            ..situation()
        };
        let small = decided(body, 2_000.0, false, &several);
        assert!(small.device != Device::Serial);
        assert!(small.for_now || small.waits_for_compile);
        // Where threads gain nothing, nothing is waited for.
        assert!(!decided(body, 1_000.0, false, &one).for_now);
    }

    #[test]
    fn a_pace_that_was_measured_counts_more_than_the_model() {
        let slow = Situation {
            compiled: [false; 2],
            rest: 0.5,
            measured: Some(Seconds(1.0)),
            ..situation()
        };
        assert_eq!(device(10.0, &slow), Device::Serial);
        let fast = Situation {
            measured: Some(Seconds(1e-7)),
            ..slow
        };
        assert_eq!(device(100_000.0, &fast), Device::Interpreter);
    }

    #[test]
    fn a_forced_device_has_its_own_price() {
        let alone = Situation {
            threads: 1,
            ..situation()
        };
        let body = Counts {
            simple_ops: 2.0,
            ..Counts::default()
        };
        let best = decided(body, 1.0, false, &alone);
        assert_eq!(best.device, Device::Interpreter);
        let serial = best.forced(Device::Serial);
        assert!(serial.estimate.compute.0 < best.estimate.compute.0);
        assert_eq!(best.forced(Device::Threads).estimate, serial.estimate);
    }

    #[test]
    fn vectors_make_calls_shorter_that_have_a_vector_form() {
        let compute = |vector_calls: f64, vectorised: bool| {
            let body = Counts {
                calls: 1.0,
                vector_calls,
                ..Counts::default()
            };
            let alone = Situation {
                threads: 1,
                ..situation()
            };
            let decision = decided(body, 1e6, vectorised, &alone);
            decision.forced(Device::Serial).estimate.compute
        };
        assert_eq!(compute(0.0, false), compute(1.0, false));
        assert!(compute(1.0, true) < compute(0.0, true) * 0.5);
    }

    /// A loop in a loop, the inner one reached `share` times in an iteration of the outer one.
    fn nested(outer: &[(Work, f64)], inner: &[(Work, f64)], share: f64) -> Prices {
        let mut top = features(Counts::default(), outer);
        let mut inside = features(Counts::default(), inner).top;
        inside.id = LoopId(1);
        inside.work.reached = share;
        top.top.inner.push(inside);
        top.entry.add(Work::ForLoop, 1.0);
        Prices::new(&top, &TrafficPlan::default(), 8, &MachineProfile::default())
    }

    proptest! {
        /// What CPython takes is the sum of what its loops take, each times its trips, and never less for more.
        #[test]
        fn interpreted_times_add_up(
            a in 0.0..50.0f64, b in 0.0..50.0f64, share in 0.0..1.0f64,
            n in 0.0..1e6f64, m in 0.0..1e6f64,
        ) {
            let price = |a: f64, b: f64, n: f64, m: f64| {
                let prices = nested(&[(Work::IntAdd, a)], &[(Work::ArrayGet, b)], share);
                let trips = |id: LoopId| if id.index() == 0 { n } else { m };
                prices.interpreted(&trips).0
            };
            let empty = price(0.0, 0.0, n, m);
            let w = &MachineProfile::default().interpreter;
            prop_assert_eq!(empty, w.get(Work::ForLoop) * 1e-9);
            let each = (price(a, 0.0, n, m) - empty) + (price(0.0, b, n, m) - empty);
            let both = price(a, b, n, m) - empty;
            prop_assert!((both - each).abs() <= 1e-9 * (both + empty));
            let inner = b * w.get(Work::ArrayGet) * share * n * m * 1e-9;
            prop_assert!((price(0.0, b, n, m) - empty - inner).abs() <= 1e-9 * (inner + empty));
            prop_assert!(price(a, b, n + 1.0, m) >= price(a, b, n, m));
            prop_assert!(price(a, b, n, m + 1.0) >= price(a, b, n, m));
        }
    }

    #[test]
    fn a_loop_that_nobody_wrote_runs_once() {
        let mut top = features(Counts::default(), &[(Work::Load, 3.0)]);
        top.top.work.once = true;
        let price = Prices::new(&top, &TrafficPlan::default(), 8, &MachineProfile::default());
        assert_eq!(price.interpreted(&|_| 100.0), price.interpreted(&|_| 1.0));
    }

    #[test]
    fn a_launch_costs_what_it_does() {
        let mut more = situation();
        more.convert.add(LaunchWork::FloatIn, 1000.0);
        let profile = MachineProfile::default();
        let serial = |s: &Situation| {
            let learned = Learned::default();
            let decision = decide(&prices(Counts::default()), &profile, &|_| 1.0, s, &learned);
            decision.forced(Device::Serial).estimate
        };
        let (plain, lists) = (serial(&situation()), serial(&more));
        let nanos = 1000.0 * profile.call.get(LaunchWork::FloatIn);
        assert_eq!(plain.convert, Seconds(0.0));
        assert_eq!(lists.convert, Seconds::from_nanos(nanos));
        assert_eq!(lists.bind, plain.bind);
    }

    #[test]
    fn estimates_grow_with_trip_counts() {
        let p = prices(Counts {
            simple_ops: 1.0,
            ..Counts::default()
        });
        let mut last = (Seconds(0.0), Seconds(0.0));
        for n in [1.0, 10.0, 1e6, 1e12] {
            let guess = p.guess(false, &|_| n, &LaunchValues::default());
            let now = (p.interpreted(&|_| n), guess.total());
            assert!(now.0 > last.0 && now.1 > last.1);
            last = now;
        }
    }
}
