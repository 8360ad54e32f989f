//! What a call of a nest costs where, and what its site has lost so far by not knowing or not having more.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use nestwise_analysis as analysis;
use nestwise_costmodel::choose_device::{Quick, WORTH_A_START, WORTH_SHARING};
use nestwise_costmodel::record::Parallel;
use nestwise_costmodel::{
    Compute, Decision, Device, Learned, Ready, Seconds, Situation, Team, decide,
};
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{LoopId, Tier};

use crate::kernel::Kernel;
use crate::kernel::key::{copy_bytes, is_roomy, roomy_arrays};
use crate::options::{DeviceChoice, Options, options};
use crate::pipeline::{HasValue, Resume};
use crate::plan::{Plan, Sizes, lock};

/// Tiles of an average wave that keep one thread busy.
const TILES_PER_THREAD: f64 = 2.0;

/// What a call takes longer than one like those before, because everything is looked at again: calls are not taken to be alike as long as
/// quick code runs them.
const IN_FULL: Seconds = Seconds(3e-6);

/// Time to read a kernel from disk.
const LOADING: Seconds = Seconds(0.4e-3);

/// What is left of that once so much was lost without the kernel.
fn loading(lost: Seconds) -> Seconds {
    Seconds((LOADING.0 - lost.0).max(0.0))
}

impl Plan {
    /// Prices the devices.
    pub fn price<V: HasValue>(
        &self,
        sizes: &Sizes,
        captures: &[V],
        resume: Option<Resume>,
        options: &Options,
    ) -> Decision {
        self.price_by(None, sizes, captures, resume, options)
    }

    /// The same as if the launches so far had taught that.
    pub(super) fn price_by<V: HasValue>(
        &self,
        taught: Option<&Learned>,
        sizes: &Sizes,
        captures: &[V],
        resume: Option<Resume>,
        options: &Options,
    ) -> Decision {
        let trips = |id: LoopId| sizes.expected(id);
        let one = self.native(None, self.verdicts.has_parallel(), sizes);
        let around = self.launch_work(sizes, captures, one.total());
        let compiled = Device::NATIVE.map(|device| self.tiers.has_optimised(device));
        let spent = resume.map_or(Seconds(0.0), |r| r.spent);
        let so_far = self.tiers.lost().map(|lost| lost + spent);
        let left = |time: Seconds| Seconds(self.prices.compile().0 - time.0);
        let lost = match self.wait(Tier::Optimised, options) {
            _ if self.is_overdue(Tier::Optimised, options) => [left(Seconds(0.0)); 3],
            _ if self.loads(Tier::Optimised, options) => so_far.map(|lost| left(loading(lost))),
            // A native run would wait so long, however much was lost before.
            Some(wait) => [left(wait); 3],
            None => so_far,
        };
        let quick = self.quick_code(so_far[Device::Serial.kind()], options);
        let alone = Situation {
            bind: around.bind,
            convert: around.convert,
            undo: around.undo,
            compiled,
            quick,
            lost,
            rest: sizes.rest(resume.map_or(0, |r| r.next)),
            measured: resume.and_then(|r| match sizes.top {
                Some(_) => sizes.measured(r),
                // A `while` is halfway, for all that anybody knows.
                None => (self.prices.interpreted(&trips) < r.spent).then_some(r.spent),
            }),
            threads: 1,
            forks: 0.0,
            copied_bytes: 0.0,
            fresh: self.fresh(sizes),
            native: [one; 2],
            gpu: None,
            settle: self.settle(sizes),
            ready: match resume {
                None => *lock(&self.ready),
                Some(_) => Ready::default(),
            },
        };
        let decide = |situation: &Situation| {
            let by = |learned: &Learned| {
                decide(&self.prices, &options.profile, &trips, situation, learned)
            };
            match taught {
                Some(learned) => by(learned),
                None if options.learning => by(&lock(&self.learned)),
                None => by(&Learned::default()),
            }
        };
        let first = decide(&alone);
        let short = first.estimate.warm() < WORTH_SHARING && first.interpreted < WORTH_SHARING;
        let tiny = first.of(Device::Serial).compute < WORTH_A_START;
        if (short || tiny) && !options.prices {
            // What threads could do takes longer to find out than there is to gain.
            return first;
        }
        let one_core = match options.device {
            DeviceChoice::Auto => options.threads < 2 && self.prices.gpu().is_none(),
            device => device == DeviceChoice::Serial,
        };
        if one_core && !options.prices {
            return self.perhaps_tried(first, options);
        }
        if !self.asks_for_threads(sizes, &first, &alone, options) {
            return Decision {
                for_now: true,
                ..first
            };
        }
        let parallel = self.parallel(sizes, options.threads as u32, options);
        let team = Team {
            threads: parallel.most,
            weights: &options.profile.threads,
            always: parallel.always,
        };
        let situation = Situation {
            threads: parallel.most,
            forks: parallel.forks,
            copied_bytes: parallel.copied_bytes,
            native: [one, self.native(Some(&team), parallel.vectorisable, sizes)],
            gpu: self.on_gpu(sizes, resume.is_some(), options),
            ..alone
        };
        self.perhaps_tried(decide(&situation), options)
    }

    /// Whether code of this tier is read from disk, as far as anybody knows: as long as none was made, and none was missing there.
    fn loads(&self, tier: Tier, options: &Options) -> bool {
        lock(&self.kernels).is_empty()
            && lock(&self.not_on_disk).is_empty()
            && self.is_on_disk(tier, options)
    }

    /// Quick code, unless somebody has chosen what is to run.
    fn quick_code(&self, lost: Seconds, options: &Options) -> Option<Quick> {
        let free =
            options.device == DeviceChoice::Auto && !options.prices && options.tier.is_none();
        let fixed = !free || options.trial.is_some() || options.unchecked.is_some();
        if fixed || self.is_overdue(Tier::Optimised, options) {
            return None;
        }
        let compile = match self.wait(Tier::Quick, options) {
            _ if self.tiers.has_quick() => Seconds(0.0),
            _ if self.loads(Tier::Quick, options) => loading(lost),
            _ if self.is_overdue(Tier::Quick, options) => Seconds(0.0),
            Some(wait) => wait,
            None => Seconds((self.making(Device::Serial, Tier::Quick).0 - lost.0).max(0.0)),
        };
        let beside = options.background() > 0;
        Some(Quick { compile, beside })
    }

    /// What the nest can do on several threads in a call of these sizes.
    pub(crate) fn abilities(&self, sizes: &Sizes) -> Arc<analysis::Abilities> {
        let (refuted, proven) = (sizes.refuted, &sizes.proven);
        self.verdicts
            .abilities(&self.nest, refuted, proven, self.hopeful())
    }

    /// Whether that is known.
    pub(crate) fn knows_abilities(&self, sizes: &Sizes) -> bool {
        let (refuted, proven) = (sizes.refuted, &sizes.proven);
        self.verdicts
            .known_abilities(refuted, proven, self.hopeful())
            .is_some()
    }

    /// Whether index arrays may be what loops on threads want them to be.
    fn hopeful(&self) -> bool {
        self.elements().is_empty() || self.found.hopes()
    }

    /// What so many threads could do, at most.
    pub(super) fn parallel(&self, sizes: &Sizes, threads: u32, options: &Options) -> Parallel {
        let trips = |id: LoopId| sizes.expected(id);
        let able = self.abilities(sizes);
        let roomy = self.roomy(sizes, options);
        let roots = able.roots(|a| is_roomy(roomy, a));
        let copied = roots.iter().map(|t| {
            let bytes = t.copied().map(|a| copy_bytes(&self.nest, a, &sizes.values));
            bytes.sum::<i64>() as f64 * self.times_entered(t.id, &trips)
        });
        let copied_bytes = copied.sum();
        let (forks, most) = match self.told(roots, sizes, options) {
            Some(starts) => (starts, threads),
            None => self.parallelism(&able, roots, threads, &trips),
        };
        Parallel {
            most,
            forks,
            always: starts_always(&able, options),
            copied_bytes,
            vectorisable: able.vectorisable,
        }
    }

    /// Whether it is time to find out what threads could do, which takes as long as compiling, about: once they could have
    /// saved as much.
    fn asks_for_threads(
        &self,
        sizes: &Sizes,
        first: &Decision,
        alone: &Situation,
        options: &Options,
    ) -> bool {
        let free = options.device == DeviceChoice::Auto && !options.prices;
        if !free || self.knows_abilities(sizes) || options.threads < 2 {
            return true;
        }
        if self.may_order(options) || self.is_being_made() {
            // It is found out beside what runs.
            return false;
        }
        let serial = first.of(Device::Serial);
        let saved = serial.compute * (1.0 - 1.0 / options.threads as f64);
        alone.lost[1] + saved >= self.prices.compile()
    }

    /// Launches might have been shorter on the other native device, for which there is no kernel: that counts as lost, for
    /// all of them since the last that was counted.
    pub fn add_missing(&self, sizes: &Sizes, decision: &Decision, options: &Options) {
        let launches = lock(&self.learned).launches();
        let before = self.decided_at.swap(launches, Ordering::Relaxed);
        let launches = launches.saturating_sub(before).max(1) as f64;
        let (other, missed) = decision.missed().unwrap_or_else(|| {
            // Nobody may have asked yet what threads can do.
            let ideal = 1.0 - 1.0 / options.threads as f64;
            let gone = if self.knows_abilities(sizes) {
                0.0
            } else {
                ideal
            };
            let compute = decision.of(decision.device).compute;
            (Device::Threads, compute * gone)
        });
        let missed = match decision.quick {
            Some(_) => missed + IN_FULL,
            None => missed,
        };
        self.tiers.add_lost_without(other, missed * launches);
    }

    /// What compiled code takes: by what the kernel last launched executes, or else one of the other kind, or by a guess.
    pub(crate) fn native(
        &self,
        team: Option<&Team<'_>>,
        vectorised: bool,
        sizes: &Sizes,
    ) -> Compute {
        let trips = |id: LoopId| sizes.expected(id);
        let made = lock(&self.made);
        let kernel = |device: Device| made[device.kind()].as_ref().map(|k| &k.price);
        let kernels = [Device::Serial, Device::Threads].map(kernel);
        self.prices
            .native(kernels, team, vectorised, &trips, &sizes.values)
    }

    /// How often threads are started, and how many of them have something to do. Waves pay only if one has several tiles
    /// for each thread: their first and last ones are shorter than the others.
    fn parallelism(
        &self,
        able: &analysis::Abilities,
        roots: &[ThreadLoop],
        threads: u32,
        trips: &dyn Fn(LoopId) -> f64,
    ) -> (f64, u32) {
        if let Some(waves) = able.waves {
            let (count, tiles) = waves.count(trips);
            let fed = tiles / TILES_PER_THREAD;
            return (
                count * self.times_entered(waves.outer, trips),
                threads.min(fed as u32).max(1),
            );
        }
        let shared = roots.iter().filter(|t| trips(t.id) > 1.0);
        let forks = shared.map(|t| self.times_entered(t.id, trips));
        (forks.sum(), if roots.is_empty() { 1 } else { threads })
    }

    /// How often a kernel starts threads that was made because they were asked for, and has loops for them which the nest as written
    /// has not.
    fn told(&self, roots: &[ThreadLoop], sizes: &Sizes, options: &Options) -> Option<f64> {
        let told = options.device == DeviceChoice::Threads && roots.is_empty();
        let made = lock(&self.made)[Device::Threads.kind()].clone();
        let kernel = made.filter(|kernel| told && kernel.about.threaded)?;
        let trips = |id: LoopId| sizes.expected(id);
        Some(kernel.price.starts(&trips, &sizes.values))
    }

    /// By loop of a kernel: the fewest iterations for which so many threads are started in such calls; 0: as many as there
    /// may be.
    pub(crate) fn least(&self, kernel: &Kernel, threads: u32, sizes: &Sizes) -> Arc<[i64]> {
        if !kernel.about.threaded {
            return Arc::default();
        }
        let options = options();
        let found = || {
            let team = Team {
                threads: match threads {
                    0 => options.threads as u32,
                    some => some,
                },
                weights: &options.profile.threads,
                always: starts_always(&self.abilities(sizes), &options),
            };
            let trips = |id: LoopId| sizes.expected(id);
            kernel.price.least(&trips, &sizes.values, &team).into()
        };
        sizes.least.get_or_init(found).clone()
    }

    /// Arrays of which every thread may have a copy, a bit each.
    pub(super) fn roomy(&self, sizes: &Sizes, options: &Options) -> u64 {
        let copied = self.verdicts.copied();
        roomy_arrays(&self.nest, copied, &sizes.values, options.threads)
    }

    /// How often a loop is started.
    pub(crate) fn times_entered(&self, id: LoopId, trips: &dyn Fn(LoopId) -> f64) -> f64 {
        let mut product = 1.0;
        let mut at = self.nest.loops[id].parent;
        while let Some(outer) = at {
            product *= trips(outer).max(1.0);
            at = self.nest.loops[outer].parent;
        }
        product
    }

    /// Adds to the time lost by not being compiled, for each kind of kernel that there is not.
    pub fn add_lost(&self, time: Seconds) {
        self.tiers.add_lost(time);
    }
}

/// Whether threads are started for each loop that is for them: for tiles of waves, whose trips nobody prices, and where
/// threads were asked for.
fn starts_always(able: &analysis::Abilities, options: &Options) -> bool {
    able.waves.is_some() || options.device != DeviceChoice::Auto || options.trial.is_some()
}
