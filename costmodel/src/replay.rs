//! A recorded run on another machine: the same calls in the same order, decided by that machine's prices.
//!
//! What that machine's compiler would make of a nest is not known: its kernels are taken to be those of the machine
//! that recorded the run.

#[cfg(test)]
mod tests;

use nestwise_ir::LoopId;
use serde::Serialize;

use crate::choose_device::{Decision, Situation, WORTH_SHARING, decide};
use crate::correction::Learned;
use crate::device::Device;
use crate::estimate::compute::Compute;
use crate::estimate::gpu::{Axes, OnGpu};
use crate::estimate::host::Priced;
use crate::estimate::prices::Prices;
use crate::estimate::threads::Workers;
use crate::profile::{MachineProfile, Ready};
use crate::record::{CallRecord, NestRecord};
use crate::units::Seconds;

/// The number of calls that are decided one by one; if nothing is settled by then, nothing will be.
const MOST_STEPS: u32 = 100_000;

/// What a nest's calls come to on a machine.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Replay {
    /// The number of calls by the device on which they ran, or ended where they changed devices half-way.
    pub calls: ByDevice<u64>,
    /// Seconds that the calls took in all, compilation included.
    pub seconds: f64,
    /// The part of `seconds` that was spent compiling.
    pub compile: f64,
    /// The number of kernels compiled.
    pub kernels: u32,
    /// Seconds of all calls if they all ran on one device, with its kernel there already.
    pub always: ByDevice<f64>,
}

/// A value for each device.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ByDevice<T> {
    /// CPython's value.
    pub interpreter: T,
    /// The value of one core.
    pub serial: T,
    /// The value of several cores; where no loop is for threads, of one core.
    pub threads: T,
    /// The value of a GPU; where there is none, or no loop is for it, of one core.
    pub gpu: T,
}

impl<T> ByDevice<T> {
    fn of(&mut self, device: Device) -> &mut T {
        match device {
            Device::Interpreter => &mut self.interpreter,
            Device::Serial => &mut self.serial,
            Device::Threads => &mut self.threads,
            Device::Gpu => &mut self.gpu,
        }
    }
}

impl NestRecord {
    /// Replays the calls on a machine with this profile and number of cores: no kernel compiled beforehand, none in the
    /// background, nothing learned.
    pub fn replay(&self, profile: &MachineProfile, cores: u32) -> Replay {
        let priced = |kernel: &crate::record::KernelRecord| {
            let (traffic, origin) = (kernel.traffic.clone(), kernel.origin.clone());
            Priced::new(&kernel.shape, traffic, origin, &profile.host)
        };
        let mut run = Run {
            prices: Prices::new(&self.features, &self.traffic, self.lanes, profile),
            kernels: self.kernels.each_ref().map(|k| k.as_ref().map(priced)),
            vectors: self.features.vectors,
            profile,
            cores,
            axes: &self.grid,
            begun: false,
            compiled: [false; 3],
            lost: [Seconds(0.0); 3],
            done: Replay::default(),
        };
        self.calls.iter().for_each(|call| run.calls(call));
        run.done
    }
}

struct Run<'a> {
    prices: Prices,
    kernels: [Option<Priced>; 2],
    vectors: bool,
    profile: &'a MachineProfile,
    cores: u32,
    axes: &'a [Axes],
    /// Whether the GPU was used before.
    begun: bool,
    compiled: [bool; 3],
    /// Seconds that not having each kernel has cost so far.
    lost: [Seconds; 3],
    done: Replay,
}

impl Run<'_> {
    fn calls(&mut self, call: &CallRecord) {
        let (mut left, mut steps) = (call.times, 0);
        while left > 0 {
            let decision = self.decide(call, 1.0);
            let native = decision.device != Device::Interpreter;
            let missing = native && !self.compiled[decision.device.kind()];
            let changes = missing || decision.for_now || decision.waits_for_compile;
            steps += 1;
            let alike = match changes && steps < MOST_STEPS {
                true => 1,
                false => left,
            };
            match decision.waits_for_compile && steps < MOST_STEPS {
                true => self.waits(call, &decision),
                false => self.runs(&decision, alike),
            }
            for (device, estimate) in &decision.ranked {
                let warm = Some(estimate.warm().0).filter(|s| s.is_finite());
                // Threads without a loop for them run on one core.
                let warm = warm.unwrap_or_else(|| decision.of(Device::Serial).warm().0);
                *self.done.always.of(*device) += warm * alike as f64;
            }
            left -= alike;
        }
    }

    /// Has CPython run a call until as much is lost as compiling costs; a kernel runs the rest.
    fn waits(&mut self, call: &CallRecord, decision: &Decision) {
        let lost = self.lost.map(|l| l.0).into_iter().fold(0.0, f64::max);
        let budget = (self.prices.compile().0 - lost).max(0.0);
        let all = decision.interpreted.0;
        let spent = all.min(budget);
        self.lost = self.lost.map(|lost| lost + Seconds(spent));
        self.done.seconds += spent;
        if spent >= all {
            *self.done.calls.of(Device::Interpreter) += 1;
        } else {
            let rest = self.decide(call, 1.0 - spent / all);
            self.runs(&rest, 1);
        }
    }

    /// Adds up `calls` calls that are decided alike.
    fn runs(&mut self, decision: &Decision, calls: u64) {
        *self.done.calls.of(decision.device) += calls;
        self.done.seconds += decision.estimate.warm().0 * calls as f64;
        if decision.device == Device::Interpreter {
            return;
        }
        let kind = decision.device.kind();
        if !self.compiled[kind] {
            let compile = self.prices.to_make(decision.device, self.begun).0;
            self.begun |= decision.device == Device::Gpu;
            self.compiled[kind] = true;
            self.done.kernels += 1;
            self.done.compile += compile;
            self.done.seconds += compile;
        }
        // The other kernel is made once not having it has cost as much.
        if let Some((other, missed)) = decision.missed() {
            let lost = &mut self.lost[other.kind()];
            *lost = *lost + missed * calls as f64;
        }
    }

    fn decide(&self, call: &CallRecord, rest: f64) -> Decision {
        let trips = |id: LoopId| of(&call.trips, id);
        let p = call.parallel;
        let alone = Situation {
            quick: None,
            bind: call.bind,
            convert: call.convert,
            undo: call.undo,
            compiled: self.compiled,
            lost: self.lost,
            rest,
            measured: None,
            threads: 1,
            forks: 0.0,
            copied_bytes: 0.0,
            fresh: call.fresh,
            native: [self.native(call, None, self.vectors); 2],
            gpu: None,
            settle: Seconds(0.0),
            ready: Ready::default(),
        };
        let learned = Learned::default();
        let decided =
            |situation: &Situation| decide(&self.prices, self.profile, &trips, situation, &learned);
        let first = decided(&alone);
        if first.estimate.warm() < WORTH_SHARING && first.interpreted < WORTH_SHARING {
            return first;
        }
        let workers = Workers {
            threads: p.most.min(self.cores),
            weights: &self.profile.threads,
            always: p.always,
        };
        decided(&Situation {
            threads: workers.threads,
            forks: p.forks,
            copied_bytes: p.copied_bytes,
            native: [
                alone.native[0],
                self.native(call, Some(&workers), p.vectorisable),
            ],
            gpu: self.gpu(call),
            ..alone
        })
    }

    fn gpu(&self, call: &CallRecord) -> Option<(OnGpu, Seconds)> {
        let trips = |id: LoopId| of(&call.trips, id);
        let gpu = self.prices.gpu()?;
        let (_, call) = gpu.cheapest(
            self.axes.iter(),
            gpu.cooperation(),
            &call.copies,
            &trips,
            &call.values,
        )?;
        Some((call, gpu.ready(self.begun)))
    }

    fn native(
        &self,
        call: &CallRecord,
        workers: Option<&Workers<'_>>,
        vectorised: bool,
    ) -> Compute {
        let trips = |id: LoopId| of(&call.trips, id);
        let kernels = self.kernels.each_ref().map(Option::as_ref);
        self.prices
            .native(kernels, workers, vectorised, &trips, &call.values)
    }
}

/// A loop's trips, or 1 if a damaged recording names too few.
fn of(trips: &[f64], id: LoopId) -> f64 {
    trips.get(id.index()).copied().unwrap_or(1.0)
}
