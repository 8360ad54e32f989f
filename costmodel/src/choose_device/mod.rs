//! The choice: what a call is like, what that adds to the model's prices, and where it runs.

#[cfg(test)]
mod tests;

use nestwise_analysis::traffic::LINE;
use nestwise_ir::{LoopId, Tier};
use serde::{Deserialize, Serialize};

use crate::correction::Learned;
use crate::device::Device;
use crate::estimate::compute::Compute;
use crate::estimate::gpu::OnGpu;
use crate::estimate::prices::{Estimate, Prices};
use crate::estimate::threads::Workers;
use crate::launch_work::{LaunchTally, LaunchWork};
use crate::profile::host::HostWeights;
use crate::profile::{Fresh, MachineProfile, Ready};
use crate::units::{Nanos, Seconds};

/// What a launch does so that chunks can be rolled back.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Looking for failed guards, and copying.
    pub work: LaunchTally,
    /// Bytes that are copied one after the other before the kernel goes on: small caches do not hold them.
    pub at_once: f64,
}

impl Undo {
    /// Time to look for failed guards and to copy. Both the copies and the originals come through the caches that are
    /// too small for them.
    pub fn seconds(&self, profile: &MachineProfile) -> Seconds {
        let bytes = 2.0 * self.work.of(LaunchWork::UndoByte);
        let fetched = fetched(bytes, 2.0 * self.at_once, &profile.host);
        (profile.call.weigh(&self.work) + fetched).seconds()
    }
}

/// The time until `bytes` bytes have come through the caches that are smaller than `at_once`, the bytes that are gone
/// through at once.
fn fetched(bytes: f64, at_once: f64, host: &HostWeights) -> Nanos {
    let levels = host.caches.iter().zip(&host.stream);
    let through = levels.filter(|(size, _)| at_once > **size);
    Nanos(bytes / LINE * through.map(|(_, fetch)| fetch).sum::<f64>())
}

/// Bytes of an element of a list of numbers: a pointer, the object, and its value in a buffer.
const ELEMENT: f64 = 8.0 + 24.0 + 8.0;

/// Time to convert lists. Calibration converts lists that are in the first caches, so the fetching is added here.
fn converted(work: &LaunchTally, profile: &MachineProfile) -> Seconds {
    let kinds = [LaunchWork::FloatIn, LaunchWork::IntIn, LaunchWork::MixedIn];
    let bytes = ELEMENT * kinds.iter().map(|kind| work.of(*kind)).sum::<f64>();
    let fetched = fetched(bytes, bytes, &profile.host);
    (profile.call.weigh(work) + fetched).seconds()
}

/// Quick code for one core, which stands in until there is optimised code.
#[derive(Clone, Copy, Debug)]
pub struct Quick {
    /// Time that whoever needs the code waits until there is some: 0 where it is there.
    pub compile: Seconds,
    /// Whether optimised kernels are made while quick code runs, so that nobody waits for them.
    pub beside: bool,
}

/// The ratio of quick code's time to optimised code's, roughly: quick code has no vectors, and keeps little in
/// registers.
const SLOWER: f64 = 3.0;

/// What a decision needs to know of a call besides the sizes.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// What the launch does to bind what the nest works on and to write back what it changed.
    pub bind: LaunchTally,
    /// What the launch does to convert lists.
    pub convert: LaunchTally,
    /// What the launch does so that chunks can be rolled back: on one core, and on threads.
    pub undo: [Undo; 2],
    /// Whether there is a kernel for each of [`Device::NATIVE`].
    pub compiled: [bool; 3],
    /// Quick code, if it may be used.
    pub quick: Option<Quick>,
    /// Time that this site has lost so far for want of a kernel for each of [`Device::NATIVE`]; compiling is charged
    /// only with what exceeds it (the ski-rental rule: compile once as much was lost as compiling costs).
    pub lost: [Seconds; 3],
    /// The part of the top loop's iterations that this call is about, 0 to 1.
    pub rest: f64,
    /// What CPython takes for `rest`, if the call has already shown its pace; better than any model.
    pub measured: Option<Seconds>,
    /// Threads that a parallel schedule may use; 1 where there is none.
    pub threads: u32,
    /// How many times the parallel loops are started.
    pub forks: f64,
    /// Bytes of arrays that each thread copies, over all starts of parallel loops.
    pub copied_bytes: f64,
    /// The pages that the call is the first to touch.
    pub fresh: Fresh,
    /// Time of compiled code for the whole call on one core: of the kernel made for one core, and of the one made for
    /// threads.
    pub native: [Compute; 2],
    /// The price of the call on the machine's GPU, and the time to get that ready for its first kernel; none where the
    /// call cannot run there.
    pub gpu: Option<(OnGpu, Seconds)>,
    /// Time to copy back what a GPU has computed of the call's arrays, for which every other device waits.
    pub settle: Seconds,
    /// What the call finds when it comes.
    pub ready: Ready,
}

/// A decision and what it rests on.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// The device to run on: the cheapest, unless this is a trial.
    pub device: Device,
    /// The price on that device.
    pub estimate: Estimate,
    /// The second cheapest device, and its price.
    pub runner_up: (Device, Seconds),
    /// CPython's price.
    pub interpreted: Seconds,
    /// What the cheapest device would take, if this is a trial: `device` is not the cheapest, but may turn out to be.
    pub trial: Option<Seconds>,
    /// Whether the next call may be decided otherwise although it is the same, since something is still waited for.
    pub for_now: bool,
    /// The native device to run on once both have kernels.
    pub wanted: Device,
    /// Whether only the time to compile spoke against running natively.
    pub waits_for_compile: bool,
    /// What the call found: the decision holds only for calls that find the same.
    pub ready: Ready,
    /// Whether CPython would be the cheapest with warm caches and threads awake, too.
    pub anyway: bool,
    /// Whether CPython would be the cheapest by the model alone, without what launches have taught.
    pub modelled: bool,
    /// The estimate of optimised code on one core, if the price there is that of quick code, which may still have to be
    /// made.
    pub quick: Option<Estimate>,
    /// All devices and their prices, the cheapest first.
    pub ranked: [(Device, Estimate); 4],
}

impl Decision {
    /// The price on a device.
    pub fn of(&self, device: Device) -> Estimate {
        let found = self.ranked.iter().find(|r| r.0 == device);
        found.map_or(self.estimate, |r| r.1)
    }

    /// The native device that the decision does without, and the seconds that a call loses by that; none where there is
    /// no such device.
    pub fn missed(&self) -> Option<(Device, Seconds)> {
        let wanted = match self.wanted {
            Device::Serial => self.quick.unwrap_or(self.of(Device::Serial)),
            device => self.of(device),
        };
        if self.device == Device::Serial && self.quick.is_some() {
            let lost = self.estimate.warm().0 - wanted.warm().0;
            return Some((self.wanted, Seconds(lost.max(0.0))));
        }
        let other = match (self.device, self.wanted) {
            (Device::Threads, Device::Threads) => Device::Serial,
            (Device::Interpreter, Device::Serial) => return None,
            (device, wanted) if device == wanted => return None,
            (_, wanted) => wanted,
        };
        let lost = self.of(self.device).warm().0 - self.of(other).warm().0;
        Some((other, Seconds(lost.max(0.0))))
    }

    /// The kernel to make next, while CPython runs the call: its device and tier.
    pub fn next(&self) -> (Device, Tier) {
        match self.quick {
            Some(_) => (Device::Serial, Tier::Quick),
            None => (self.wanted, Tier::Optimised),
        }
    }

    /// The tier of the code that runs.
    pub fn tier(&self) -> Tier {
        match (self.device, self.quick) {
            (Device::Serial, Some(_)) => Tier::Quick,
            _ => Tier::Optimised,
        }
    }

    /// The decision once there is optimised code for the device that is wanted: that device, at the price of optimised
    /// code.
    pub fn with_optimised_code(self) -> Decision {
        let mut decision = self.on(self.wanted);
        if let (Device::Serial, Some(optimised)) = (self.wanted, self.quick) {
            decision.estimate = optimised;
        }
        decision.quick = None;
        decision
    }

    /// The decision to try `device`, although it looks worse.
    pub fn tried(self, device: Device) -> Decision {
        Decision {
            trial: Some(self.estimate.modelled()),
            ..self.on(device)
        }
    }

    /// Whether the decision is for a native device other than `device`, and not for a trial.
    pub fn is_other(&self, device: Device) -> bool {
        self.device != Device::Interpreter && self.device != device && self.trial.is_none()
    }

    /// The decision if `device` has to be taken whatever it costs, with all of its threads.
    pub fn forced(self, device: Device) -> Decision {
        let mut forced = self.on(device);
        forced.estimate.threads = 0;
        forced
    }

    fn on(mut self, device: Device) -> Decision {
        self.device = device;
        // Nothing is waited for.
        (self.trial, self.for_now) = (None, false);
        let possible = self.of(device).total().0.is_finite();
        // Threads without a loop for them run on one core.
        self.estimate = self.of(if possible { device } else { Device::Serial });
        self
    }
}

/// The time of a call from which it is worth looking for what threads could do.
pub const WORTH_SHARING: Seconds = Seconds(1e-3);

/// Time of compiled code on one core below which there is too little to share, however long CPython takes.
pub const WORTH_A_START: Seconds = Seconds(2e-6);

/// The fraction of its time that another kernel, or other cores, have to promise at most to be taken: estimates are not
/// more certain than that, least of all what a further core adds, which others may want for themselves.
const WORTH_IT: f64 = 0.9;

/// Prices the devices for one call and picks the cheapest.
pub fn decide(
    prices: &Prices,
    profile: &MachineProfile,
    trips: &dyn Fn(LoopId) -> f64,
    situation: &Situation,
    learned: &Learned,
) -> Decision {
    let caches = situation.ready.caches;
    let cold = match caches.are_cold() {
        true => prices.interpreted_cold(trips),
        false => Seconds(0.0),
    };
    let interpreted = || prices.interpreted(trips) * situation.rest + cold;
    let pages = profile.pages.weigh(&situation.fresh).seconds();
    let interpreter = Estimate {
        transfer: situation.settle,
        compute: situation.measured.unwrap_or_else(interpreted),
        pages,
        ..Estimate::default()
    };
    let c = &profile.call;
    let compile = |device: Device, all: Seconds| match situation.compiled[device.kind()] {
        true => Seconds(0.0),
        false => Seconds((all.0 - situation.lost[device.kind()].0).max(0.0)),
    };
    let bind = |work: &LaunchTally| (c.weigh(work) + profile.cold.weigh(work, caches)).seconds();
    let undo = situation.undo.map(|u| u.seconds(profile));
    let serial = Estimate {
        bind: bind(&situation.bind),
        convert: converted(&situation.convert, profile),
        compile: compile(Device::Serial, prices.compile()),
        undo: undo[0],
        transfer: situation.settle,
        pages,
        compute: situation.native[0].total() * situation.rest,
        ..Estimate::default()
    };
    let threads = Estimate {
        bind: bind(&in_full(situation.bind)),
        compile: compile(Device::Threads, prices.compile()),
        undo: undo[1],
        ..threaded(&serial, profile, situation)
    };
    let gpu = match situation.gpu {
        // Everything is looked at there, too. What comes down is written to the arrays by the host.
        Some((gpu, ready)) => Estimate {
            bind: threads.bind,
            convert: serial.convert,
            compile: compile(Device::Gpu, prices.compile() + ready),
            transfer: gpu.transfer,
            launch: gpu.launch * situation.rest,
            pages,
            compute: gpu.compute * situation.rest,
            ..Estimate::default()
        },
        None => Estimate {
            compute: Seconds::INFINITE,
            ..serial
        },
    };
    let mut estimates = [interpreter, serial, threads, gpu];
    for estimate in &mut estimates {
        (estimate.raw, estimate.raw_around) = (estimate.modelled(), estimate.around());
    }
    let [alone, natives @ ..] = estimates.map(|e| e.total().0);
    let modelled = natives.iter().all(|native| alone <= *native);
    learned.correct(&mut estimates, caches);
    if let Some(measured) = situation.measured {
        // The pace of this very call.
        (estimates[0].compute, estimates[0].pages) = (measured, Seconds(0.0));
    }
    let [interpreter, optimised, threads, gpu] = estimates;
    // Quick code stands in for what there is not yet.
    let missing = !situation.compiled[Device::Serial.kind()];
    let quick = situation.quick.filter(|_| missing).and_then(|quick| {
        let estimate = Estimate {
            compile: quick.compile,
            compute: optimised.compute * SLOWER,
            ..optimised
        };
        (quick.beside || estimate.total() < optimised.total()).then_some(estimate)
    });
    let serial = quick.unwrap_or(optimised);
    let interpreted = interpreter.total();
    let fetched = |work: &LaunchTally| profile.cold.weigh(work, caches).0 * 1e-9;
    let full = fetched(&in_full(situation.bind));
    let least_warm = (serial.total().0 - fetched(&situation.bind))
        .min(threads.total().0 - full - woken(profile, situation).0 * 1e-9)
        .min(gpu.total().0 - full);
    let mut ranked = [
        (Device::Interpreter, interpreter),
        (Device::Serial, serial),
        (Device::Threads, threads),
        (Device::Gpu, gpu),
    ];
    // Only what the model itself leaves to CPython is left without being asked about: else the next call is, too.
    let asked = match modelled || situation.measured.is_some() {
        true => 0.0,
        false => bind(&in_full(situation.bind)).0,
    };
    // While kernels are made beside it a launch runs on what there is.
    let beside = situation.quick.is_some_and(|quick| quick.beside);
    let is_barred = |device: Device| beside && !situation.compiled[device.kind()];
    let cost = |(device, estimate): &(Device, Estimate)| match device {
        Device::Threads | Device::Gpu if is_barred(*device) => f64::INFINITY,
        Device::Threads | Device::Gpu => {
            estimate.total().0 + estimate.modelled().0 * (1.0 / WORTH_IT - 1.0)
        }
        Device::Serial => estimate.total().0,
        Device::Interpreter => estimate.total().0 + asked,
    };
    ranked.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    // What is around the kernels is the same, and depends on when the call comes.
    let worth = |other: &Estimate, than: &Estimate| other.modelled() < than.modelled() * WORTH_IT;
    let (on_cores, cores) = match worth(&threads, &optimised) {
        true => (Device::Threads, threads),
        false => (Device::Serial, optimised),
    };
    Decision {
        device: ranked[0].0,
        estimate: ranked[0].1,
        runner_up: (ranked[1].0, ranked[1].1.total()),
        interpreted,
        trial: None,
        for_now: match ranked[0].0 {
            Device::Interpreter => false,
            Device::Serial => quick.is_some() || worth(&threads, &serial) || worth(&gpu, &serial),
            Device::Threads => worth(&serial, &threads) || worth(&gpu, &threads),
            Device::Gpu => worth(&cores, &gpu),
        },
        waits_for_compile: ranked[0].0 == Device::Interpreter
            && optimised.warm().0.min(threads.warm().0).min(gpu.warm().0) < interpreted.0,
        wanted: match worth(&gpu, &cores) {
            true => Device::Gpu,
            false => on_cores,
        },
        ready: situation.ready,
        anyway: interpreted.0 - cold.0 <= least_warm,
        modelled,
        quick: quick.map(|_| optimised),
        ranked,
    }
}

/// The work of a launch that looks at everything, as launches on threads do: none of them repeats an earlier call.
fn in_full(mut bind: LaunchTally) -> LaunchTally {
    if !bind
        .iter()
        .any(|(kind, n)| kind == LaunchWork::Full && n > 0.0)
    {
        bind.add(LaunchWork::Full, 1.0);
    }
    bind
}

/// The time that threads take to wake up.
fn woken(profile: &MachineProfile, situation: &Situation) -> Nanos {
    match situation.ready.asleep {
        true => Nanos(profile.cold.fork_join),
        false => Nanos(0.0),
    }
}

/// The estimate with the best number of threads: all of them, or a power of two below.
fn threaded(serial: &Estimate, profile: &MachineProfile, situation: &Situation) -> Estimate {
    workers(situation.threads, profile)
        .numbers()
        .map(|n| on_threads(n, serial, profile, situation))
        .min_by(|a, b| a.warm().0.total_cmp(&b.warm().0))
        .unwrap_or(*serial)
}

fn workers(threads: u32, profile: &MachineProfile) -> Workers<'_> {
    Workers {
        threads,
        weights: &profile.threads,
        always: true,
    }
}

fn on_threads(
    threads: u32,
    serial: &Estimate,
    profile: &MachineProfile,
    situation: &Situation,
) -> Estimate {
    let workers = workers(threads, profile);
    let native = &situation.native[1];
    let forks = native.forks.unwrap_or(situation.forks);
    if threads < 2 {
        return Estimate {
            compute: Seconds::INFINITE,
            ..*serial
        };
    }
    if forks == 0.0 {
        // No loop is worth a start, or has anything to share. But the kernel has another form than the one for one
        // core, which may be the faster one.
        return Estimate {
            compute: native.total() * situation.rest,
            threads,
            ..*serial
        };
    }
    // A copy is filled and merged, the former by its own thread, the latter one after the other.
    let copies =
        situation.copied_bytes * f64::from(threads) * profile.call.get(LaunchWork::UndoByte);
    Estimate {
        fork_join: workers.start() * forks.max(1.0)
            + (Nanos(copies) + woken(profile, situation)).seconds(),
        pages: workers.on(profile.threads.pages, serial.pages),
        compute: (native.alone.total() + workers.share(&native.shared)) * situation.rest,
        threads,
        ..*serial
    }
}
