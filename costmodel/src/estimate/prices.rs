//! The model: from features, weights and sizes to the time that a nest takes in CPython and compiled.

use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_ir::{LoopId, LoopWork, Tally, Work};

use crate::device::Device;
use crate::estimate::compute::Compute;
use crate::estimate::host::Priced;
use crate::estimate::threads::Workers;
use crate::estimate::{gpu, guessed_shape};
use crate::features::{Features, LoopFeatures};
use crate::profile::MachineProfile;
use crate::units::Seconds;

/// The price of a call on one device, by term.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Binding, guards, writing back.
    pub bind: Seconds,
    /// Converting lists into buffers and back.
    pub convert: Seconds,
    /// Compiling; zero where the kernel is there.
    pub compile: Seconds,
    /// Starting and joining threads.
    pub fork_join: Seconds,
    /// The number of threads to start: 0 where there are none, or as many as there may be.
    pub threads: u32,
    /// Copying arrays to a GPU and back.
    pub transfer: Seconds,
    /// Handing kernels to a GPU.
    pub launch: Seconds,
    /// Making the copies from which a chunk is rolled back.
    pub undo: Seconds,
    /// Touching memory for the first time.
    pub pages: Seconds,
    /// The loops themselves.
    pub compute: Seconds,
    /// The model's word, before any correction, on the part that a launch measures ([`Estimate::modelled`]).
    pub raw: Seconds,
    /// The model's word, before any correction, on the part around that ([`Estimate::around`]).
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
    /// The part before and after the kernel.
    pub fn around(&self) -> Seconds {
        self.bind + self.convert
    }
    /// The part that a launch measures: all from the kernel's first iteration to its last.
    pub fn modelled(&self) -> Seconds {
        let starting = self.fork_join + self.transfer + self.launch;
        starting + self.undo + self.pages + self.compute
    }
    /// The name and time of each term.
    pub fn terms(&self) -> [(&'static str, Seconds); 9] {
        [
            ("bind", self.bind),
            ("convert", self.convert),
            ("compile", self.compile),
            ("fork-join", self.fork_join),
            ("transfer", self.transfer),
            ("launch", self.launch),
            ("undo", self.undo),
            ("pages", self.pages),
            ("compute", self.compute),
        ]
    }
    /// Multiplies the part that a launch measures by `factor`.
    pub(crate) fn correct(&mut self, factor: f64) {
        let terms = [
            &mut self.fork_join,
            &mut self.transfer,
            &mut self.launch,
            &mut self.undo,
            &mut self.pages,
            &mut self.compute,
        ];
        terms.into_iter().for_each(|term| *term = *term * factor);
    }
    /// Multiplies the part before and after the kernel by `factor`.
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
    /// What a kernel will likely take, for want of one: without vectors, and with them.
    guesses: [Priced; 2],
    /// The nest on the machine's GPU, or on a usual one where the profile has none.
    gpu: gpu::Priced,
    has_gpu: bool,
    /// Whether some of the nest's work is done by [NumPy's loops](LoopPrice::library).
    has_library: bool,
    /// CPython's time for the head of the top loop, once per call.
    entry: Seconds,
    /// CPython's additional time where others have had the caches: for any loop, and for each kind of operation.
    cold: [Seconds; 2],
    compile: Seconds,
    compile_quick: Seconds,
    compile_first: Seconds,
    nodes: (f64, f64),
}

#[derive(Clone, Debug)]
struct LoopPrice {
    id: LoopId,
    interpreted: Seconds,
    /// The part of `interpreted` that NumPy does in compiled code, too: by loops that cores may share, and by a library
    /// that uses all cores.
    library: [Seconds; 2],
    /// The kinds of operations that the loop's own body executes, a bit for each.
    kinds: u128,
    /// How often the loop is reached, and what its body does, as CPython runs it.
    work: LoopWork,
    inner: Vec<LoopPrice>,
}

impl Prices {
    /// Weighs `features` with `profile`; `lanes` is the number of 64-bit lanes in a vector register.
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
            let shape = guessed_shape::shape(features, lanes);
            Priced::new(&shape, traffic.clone(), Vec::new(), &profile.host)
        };
        let top = LoopPrice::new(&features.top, profile);
        Prices {
            has_library: top.has_library(),
            top,
            entry: interpreted(&features.entry, profile),
            cold: [profile.cold.interpreter, profile.cold.kind].map(Seconds::from_nanos),
            guesses: [guess(1), guess(lanes)],
            gpu: gpu::Priced::new(
                &features.top,
                traffic.clone(),
                &profile.gpu.clone().unwrap_or_default(),
            ),
            has_gpu: profile.gpu.is_some(),
            compile: Seconds::from_nanos(c.kernel + c.node * scalar + c.vector_node * vectors),
            compile_quick: Seconds::from_nanos(c.quick_kernel + c.quick_node * features.nodes),
            compile_first: Seconds::from_nanos(c.first),
            nodes: (scalar, vectors),
        }
    }

    /// The nest on the machine's GPU, if it has one.
    pub fn gpu(&self) -> Option<&gpu::Priced> {
        self.has_gpu.then_some(&self.gpu)
    }

    /// The nest on the machine's GPU, or on a usual one where nobody has measured any.
    pub fn some_gpu(&self) -> &gpu::Priced {
        &self.gpu
    }

    /// The memory that the nest goes through as it is written.
    pub fn traffic(&self) -> &TrafficPlan {
        &self.guesses[0].traffic
    }

    /// Time to compile an optimised kernel of this nest.
    pub fn compile(&self) -> Seconds {
        self.compile
    }

    /// Time to make quick code of this nest.
    pub fn compile_quick(&self) -> Seconds {
        self.compile_quick
    }

    /// What the first code of a process takes more than later ones.
    pub fn compile_first(&self) -> Seconds {
        self.compile_first
    }

    /// Time to make the first kernel for a device, and to get the device ready; `begun`: the process has used the GPU
    /// before.
    pub fn to_make(&self, device: Device, begun: bool) -> Seconds {
        match (device, self.gpu()) {
            (Device::Gpu, Some(gpu)) => self.compile + gpu.ready(begun),
            _ => self.compile,
        }
    }

    /// The number of the nest's nodes: as one without vectors, and as one with; one of the two is 0.
    pub fn nodes(&self) -> (f64, f64) {
        self.nodes
    }

    /// Time of the whole nest in CPython; `trips` gives each loop's mean trip count.
    pub fn interpreted(&self, trips: &dyn Fn(LoopId) -> f64) -> Seconds {
        self.entry + self.top.total(trips)
    }

    /// CPython's additional time where others have had the caches.
    pub fn interpreted_cold(&self, trips: &dyn Fn(LoopId) -> f64) -> Seconds {
        let [any, kind] = self.cold;
        any + kind * f64::from(self.top.kinds(1.0, trips).count_ones())
    }

    /// Time of compiled code: by what a kernel executes, if one was made, or by a guess. `kernels`: for one core, and
    /// for threads; the fitting one is taken (for one core, or for the threads of `workers`), or else the other.
    pub fn native(
        &self,
        kernels: [Option<&Priced>; 2],
        workers: Option<&Workers<'_>>,
        vectorised: bool,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> Compute {
        let [serial, threaded] = kernels;
        let compute = match (workers, serial, threaded) {
            (Some(workers), _, Some(kernel)) => kernel.on_workers(trips, values, workers),
            (Some(_), Some(kernel), None) => kernel.seconds(trips, values).all_shared(),
            (None, Some(kernel), _) | (None, None, Some(kernel)) => kernel.seconds(trips, values),
            (_, None, None) => return self.guess(vectorised, trips, values),
        };
        self.with_library(compute, trips)
    }

    /// Time that a kernel will likely take, all of which threads are taken to share.
    pub fn guess(
        &self,
        vectorised: bool,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> Compute {
        let guess = &self.guesses[usize::from(vectorised)];
        self.with_library(guess.seconds(trips, values).all_shared(), trips)
    }

    /// Adds the time of NumPy's loops that the code calls.
    fn with_library(&self, mut compute: Compute, trips: &dyn Fn(LoopId) -> f64) -> Compute {
        if !self.has_library {
            return compute;
        }
        let [each, all] = self.top.library(trips);
        compute.alone.compute = compute.alone.compute + all;
        match compute.shared.total() > compute.alone.total() {
            true => compute.shared.compute = compute.shared.compute + each,
            false => compute.alone.compute = compute.alone.compute + each,
        }
        compute
    }
}

impl LoopPrice {
    fn new(features: &LoopFeatures, profile: &MachineProfile) -> LoopPrice {
        LoopPrice {
            id: features.id,
            interpreted: interpreted(&features.work.body, profile),
            library: [Work::ArraySum, Work::ArrayProduct].map(|kind| {
                let times = features.work.body.0[kind as usize];
                Seconds::from_nanos(profile.interpreter.get(kind) * times)
            }),
            kinds: features.work.body.kinds(),
            work: features.work,
            inner: features
                .inner
                .iter()
                .map(|l| LoopPrice::new(l, profile))
                .collect(),
        }
    }

    /// The kinds of operations that the loop executes, if it is entered `entered` times, a bit for each. A second
    /// operation of a kind runs through the same code of the interpreter and of NumPy.
    fn kinds(&self, entered: f64, trips: &dyn Fn(LoopId) -> f64) -> u128 {
        let times = entered * trips(self.id) * self.work.reached;
        if times <= 0.0 {
            return 0;
        }
        let inner = self.inner.iter().map(|l| l.kinds(times, trips));
        inner.fold(self.kinds, |all, kinds| all | kinds)
    }

    fn has_library(&self) -> bool {
        self.library.iter().any(|each| each.0 > 0.0) || self.inner.iter().any(Self::has_library)
    }

    fn library(&self, trips: &dyn Fn(LoopId) -> f64) -> [Seconds; 2] {
        let times = trips(self.id).max(0.0) * self.work.reached;
        let inner = self.inner.iter().map(|l| l.library(trips));
        inner
            .fold(self.library, |[a, b], [c, d]| [a + c, b + d])
            .map(|each| each * times)
    }

    fn total(&self, trips: &dyn Fn(LoopId) -> f64) -> Seconds {
        let inner = self.inner.iter().map(|l| l.total(trips));
        let body = self.interpreted + inner.sum();
        body * (trips(self.id).max(0.0) * self.work.reached)
    }
}

fn interpreted(work: &Tally, profile: &MachineProfile) -> Seconds {
    profile.interpreter.weigh(work).seconds()
}
