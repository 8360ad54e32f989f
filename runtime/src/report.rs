//! The record of what happened at each site: counts, decisions, times, reasons.

use std::time::Duration;

use nestwise_costmodel::{Decision, Device, Seconds};

use crate::decline::Declined;
use crate::device::Transfers;
use crate::estimate::launch_work::CallFeatures;
use crate::kernel::MadeCode;
use crate::launch::Launch;
use crate::reason::Reason;

/// The number of reasons kept per site; those with run-time values in them could be many.
const MAX_REASONS: usize = 32;

/// The record of one site.
#[derive(Clone, Debug)]
pub struct Stats {
    /// The user's file.
    pub file: String,
    /// The line of the loop statement.
    pub line: u32,
    /// The number of times that the hook was entered.
    pub calls: u64,
    /// Iterations of the top loop that ran natively.
    pub iterations: u64,
    /// The number of launches by native device: serial, threads, GPU.
    pub launches: [u64; 3],
    /// The number of launches that a guard failure ended after some iterations.
    pub stopped: u64,
    /// The number of calls that the price left to CPython, at least at first.
    pub declined: u64,
    /// What these calls were expected to take, in seconds: in CPython, natively, and until there is a kernel for that.
    pub declined_for: [f64; 3],
    /// The verdict of each loop, outermost first, in words.
    pub verdicts: Vec<String>,
    /// The predicted seconds of native runs, without compilation.
    pub predicted: f64,
    /// The measured seconds of native runs, without compilation.
    pub measured: f64,
    /// For each device, the seconds that were predicted for all calls that were priced, where that was asked for,
    /// without compilation.
    pub priced: [f64; 4],
    /// What the kernel of the last launch executed in it, where prices are asked for: JSON.
    pub runs: String,
    /// What all priced calls do, where that was asked for.
    pub features: CallFeatures,
    /// The seconds that CPython would have taken for the native runs, by the model.
    pub replaced: f64,
    /// The time to compile or to load kernels.
    pub compile: Duration,
    /// The number of kernels compiled, and of kernels found in the cache on disk.
    pub kernels: [u64; 2],
    /// The first kernels that were compiled: what that was predicted to take, and took.
    pub made: Vec<MadeCode>,
    /// The seconds that CPython spent in the site after the hook gave (part of) it back.
    pub interpreted: f64,
    /// The seconds that attempts which ended early cost beyond what CPython would have taken for the same.
    pub lost: f64,
    /// What was done with which loop in the kernels that ran, in words.
    pub schedules: Vec<String>,
    /// What was done with the nests, and what made it possible, a word each with the number of launches.
    pub means: Vec<(String, u64)>,
    /// What was copied between the host's memory and devices'.
    pub transfers: Transfers,
    /// The reasons why CPython ran calls, or parts of them, with their counts.
    pub fallbacks: Vec<(Reason, u64)>,
}

impl Stats {
    /// An empty record.
    pub fn new(file: &str, line: u32) -> Stats {
        Stats {
            file: file.into(),
            line,
            calls: 0,
            iterations: 0,
            launches: [0; 3],
            stopped: 0,
            declined: 0,
            declined_for: [0.0; 3],
            verdicts: Vec::new(),
            predicted: 0.0,
            measured: 0.0,
            priced: [0.0; 4],
            runs: String::new(),
            features: CallFeatures::default(),
            replaced: 0.0,
            compile: Duration::ZERO,
            kernels: [0; 2],
            made: Vec::new(),
            interpreted: 0.0,
            lost: 0.0,
            schedules: Vec::new(),
            means: Vec::new(),
            transfers: Transfers::default(),
            fallbacks: Vec::new(),
        }
    }

    /// Adds the record of another site of the same loop.
    pub fn add(&mut self, other: &Stats) {
        self.calls += other.calls;
        self.iterations += other.iterations;
        for (mine, others) in self.launches.iter_mut().zip(other.launches) {
            *mine += others;
        }
        self.stopped += other.stopped;
        self.declined += other.declined;
        for (mine, others) in self.declined_for.iter_mut().zip(other.declined_for) {
            *mine += others;
        }
        if !other.verdicts.is_empty() {
            self.verdicts.clone_from(&other.verdicts);
        }
        self.predicted += other.predicted;
        self.measured += other.measured;
        self.replaced += other.replaced;
        self.compile += other.compile;
        for (mine, others) in self.kernels.iter_mut().zip(other.kernels) {
            *mine += others;
        }
        self.made.extend(&other.made);
        self.made.truncate(MAX_REASONS);
        self.interpreted += other.interpreted;
        for schedule in &other.schedules {
            self.scheduled(schedule);
        }
        for (word, launches) in &other.means {
            self.mean(word, *launches);
        }
        self.transfers.add(other.transfers);
        for (reason, count) in &other.fallbacks {
            self.fallbacks(reason, *count);
        }
    }

    /// Counts that CPython runs (a part of) a call, for this reason.
    pub fn fallback(&mut self, reason: &Reason) {
        self.fallbacks(reason, 1);
    }

    fn fallbacks(&mut self, reason: &Reason, count: u64) {
        if let Some(found) = self.fallbacks.iter_mut().find(|f| f.0 == *reason) {
            found.1 += count;
        } else if self.fallbacks.len() < MAX_REASONS {
            self.fallbacks.push((reason.clone(), count));
        }
    }

    fn scheduled(&mut self, schedule: &str) {
        if self.schedules.len() < MAX_REASONS && self.schedules.iter().all(|s| s != schedule) {
            self.schedules.push(schedule.into());
        }
    }

    fn mean(&mut self, word: &str, launches: u64) {
        match self.means.iter_mut().find(|m| m.0 == *word) {
            Some(found) => found.1 += launches,
            None => self.means.push((word.into(), launches)),
        }
    }

    /// Counts calls that were left to CPython because calls before them came to nothing.
    pub fn rejected(&mut self, calls: u64) {
        if calls > 0 {
            self.fallbacks.push((Reason::Futile, calls));
        }
    }

    /// Counts calls that were left to CPython because all of them together were not worth a look, and about the time
    /// that they took.
    pub fn brief(&mut self, calls: u64, seconds: Seconds) {
        if calls > 0 {
            self.calls += calls;
            self.interpreted += seconds.0;
            self.fallbacks.push((Reason::Brief, calls));
        }
    }

    /// Adds what a call was predicted to take.
    pub fn priced(&mut self, decision: &Decision) {
        let price = |device| Some(decision.of(device).warm().0).filter(|s| s.is_finite());
        let serial = price(Device::Serial).unwrap_or(0.0);
        for (sum, device) in self.priced.iter_mut().zip(Device::ALL) {
            // Threads or a card without a loop for them: one core runs it.
            *sum += price(device).unwrap_or(serial);
        }
    }

    /// Counts a call that the price left to CPython.
    pub fn declined(&mut self, declined: &Declined) {
        self.declined += 1;
        let decision = &declined.decision;
        let native = decision.ranked.iter().find(|(device, estimate)| {
            *device != Device::Interpreter && estimate.total().0.is_finite()
        });
        if let Some((_, native)) = native {
            let prices = [decision.interpreted, native.warm(), native.compile];
            for (sum, price) in self.declined_for.iter_mut().zip(prices) {
                *sum += price.0;
            }
        }
        if declined.budget.is_none() {
            // Not timed: the time to take it would be a good part of it.
            self.interpreted += declined.decision.interpreted.0;
        }
    }

    /// Adds a launch.
    pub fn launched(&mut self, launch: &Launch) {
        self.launches[launch.device.kind()] += 1;
        self.iterations += launch.iterations().max(0) as u64;
        self.predicted += launch.decision.estimate.warm().0;
        self.measured += launch.seconds.0;
        self.replaced += launch.replaced();
        self.compile += launch.compile.time;
        self.kernels[usize::from(launch.compile.from_disk)] += u64::from(launch.compile.happened);
        self.made.extend(launch.compile.made);
        self.made.truncate(MAX_REASONS);
        self.scheduled(launch.schedule());
        self.transfers.add(launch.transfers);
        for word in launch.means() {
            self.mean(word, 1);
        }
        if let Some(reason) = &launch.stopped_by {
            self.stopped += u64::from(launch.iterations() > 0);
            self.fallback(reason);
        }
    }
}
