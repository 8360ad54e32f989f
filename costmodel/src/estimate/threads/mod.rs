//! Threads that share the iterations of loops, and the starts of a loop that are worth it.

#[cfg(test)]
mod tests;

use std::ops::Add;

use nestwise_analysis::LaunchValues;
use nestwise_ir::LoopId;

use crate::estimate::compute::{ByBound, Compute, Shared};
use crate::estimate::host::Priced;
use crate::profile::ThreadWeights;
use crate::units::Seconds;

/// Threads that a nest may run on.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    /// The number of threads.
    pub threads: u32,
    /// What the threads cost and gain on the machine.
    pub weights: &'a ThreadWeights,
    /// Whether parallel loops are started on the threads even where that does not pay.
    pub always: bool,
}

impl Workers<'_> {
    /// Time to start a parallel loop, and to join its threads.
    pub fn start(&self) -> Seconds {
        let more = f64::from(self.threads.saturating_sub(1));
        Seconds::from_nanos(self.weights.fork_join + self.weights.thread * more)
    }

    /// Time on all threads of what takes `time` on one core, if each further thread adds `share` of a core.
    pub fn on(&self, share: f64, time: Seconds) -> Seconds {
        time * (1.0 / (1.0 + f64::from(self.threads.saturating_sub(1)) * share))
    }

    /// Time on all threads of loops that take `time` on one core.
    pub fn share(&self, time: &ByBound) -> Seconds {
        let w = self.weights;
        ByBound {
            compute: self.on(w.compute, time.compute),
            latency: self.on(w.latency, time.latency),
            memory: self.on(w.memory, time.memory),
        }
        .total()
    }

    /// The fewest iterations with which starting a loop pays: they save what the start takes. 0 for a loop that is
    /// started only once: whether that pays is the decision for threads, which rests on more than a model.
    pub fn least(&self, l: &Shared) -> f64 {
        if self.always || l.starts <= 1.0 {
            return 0.0;
        }
        let iterations = l.starts * l.trips;
        let saved = (l.time.total().0 - self.share(&l.time).0) / iterations;
        match saved > 0.0 && saved.is_finite() {
            true => self.start().0 / saved,
            false => f64::INFINITY,
        }
    }

    /// The numbers of threads to choose from: powers of two below all of them, and all.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let all = self.threads;
        let fewer = (1..u32::BITS).map(|k| 1 << k).take_while(move |&n| n < all);
        fewer.chain([all])
    }

    /// Whether the loop's mean trips reach [`Workers::least`] with some number of threads. A single iteration leaves
    /// nothing to share (the trips of waves, which are always started, are known by no kernel).
    fn pays(&self, l: &Shared) -> bool {
        if l.trips <= 1.0 && !self.always {
            return false;
        }
        let mut least = self
            .numbers()
            .map(|threads| Workers { threads, ..*self }.least(l));
        least.any(|least| l.trips >= least)
    }
}

impl Priced {
    /// Time of a call of a kernel, where threads share the loops for which that pays.
    pub fn on_workers(
        &self,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
        workers: &Workers<'_>,
    ) -> Compute {
        let (alone, shared) = self.parts(trips, values);
        let (started, others): (Vec<&Shared>, Vec<&Shared>) =
            shared.iter().partition(|l| workers.pays(l));
        let time = |those: &[&Shared]| {
            those
                .iter()
                .map(|l| l.time)
                .fold(ByBound::default(), Add::add)
        };
        Compute {
            alone: alone + time(&others),
            shared: time(&started),
            // How often waves are started no kernel tells.
            forks: (!workers.always).then(|| started.iter().map(|l| l.starts).sum()),
        }
    }

    /// The number of times that loops with more than one iteration to share are started in a call.
    pub fn starts(&self, trips: &dyn Fn(LoopId) -> f64, values: &LaunchValues) -> f64 {
        let shared = self.parts(trips, values).1.into_iter();
        shared.filter(|l| l.trips > 1.0).map(|l| l.starts).sum()
    }

    /// For each loop of the kernel: the fewest iterations with which threads are to be started.
    pub fn least(
        &self,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
        workers: &Workers<'_>,
    ) -> Vec<i64> {
        let mut least = Vec::new();
        for l in &self.parts(trips, values).1 {
            let Some(id) = l.id else { continue };
            if least.len() <= id.index() {
                least.resize(id.index() + 1, 0);
            }
            least[id.index()] = workers.least(l).ceil() as i64;
        }
        least
    }
}
