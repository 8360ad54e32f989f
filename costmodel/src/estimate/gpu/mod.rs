//! The time that a call takes on a GPU.
//!
//! A kernel takes as long as the longest of three: the operations that a multiprocessor does at once, the operations
//! that one thread does one after the other (times the turns that threads take, where there are more than have room),
//! and memory (after Hong and Kim, "An analytical model for a GPU architecture with memory-level and thread-level
//! parallelism awareness", 2009, and Volkov, "Understanding Latency Hiding on GPUs", 2016). Kernels run beside the
//! host, which hands them over one by one. Where kernels are short, the handing over is what takes time, unless a
//! cooperative launch runs the loop around them: its threads, no more than have room at once, wait for each other
//! behind each part. Arrays cross before and after.

#[cfg(test)]
mod tests;

use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::{Side, Sizes, TrafficPlan};
use nestwise_ir::{ArrayId, LoopId};
use serde::{Deserialize, Serialize};

use crate::estimate::block_size::{self, Room};
use crate::features::{Counts, LoopFeatures};
use crate::profile::gpu::{CopyWeights, GpuOps, GpuWeights};
use crate::units::Seconds;

/// Bytes by which memory is read and written.
const SECTOR: f64 = 32.0;
/// The share of a thread's operations that wait for each other.
const CHAINED: f64 = 0.5;
/// The number of threads in a block of a cooperative launch.
const COOPERATIVE_BLOCK: f64 = 256.0;
/// `BARRIER`: nanoseconds of a barrier for all threads of a cooperative launch, where nobody has measured it;
/// `ONE_BLOCK`: the share of that for the threads of a single block. Both are choices, not measured on any GPU.
const BARRIER: f64 = 1_500.0;
const ONE_BLOCK: f64 = 0.1;

/// Arrays that are copied in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copied {
    /// The number of arrays.
    pub arrays: f64,
    /// The bytes of all arrays.
    pub bytes: f64,
    /// The bytes that are among the first [`CopyWeights::FIRST`] of their arrays.
    pub first: f64,
}

impl Copied {
    /// Adds an array of `bytes` bytes.
    pub fn add(&mut self, bytes: f64) {
        self.arrays += 1.0;
        self.bytes += bytes;
        self.first += bytes.min(CopyWeights::FIRST);
    }
}

/// The arrays that are copied in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Arrays to the GPU.
    pub up: Copied,
    /// Arrays to the host.
    pub down: Copied,
}

/// Nanoseconds that copying arrays in one direction takes.
fn copying(w: &CopyWeights, copied: &Copied) -> f64 {
    let more = copied.bytes - copied.first;
    copied.arrays * w.copy + copied.first * w.first + more * w.byte
}

/// Nanoseconds that a thread takes for the operations `c`.
fn weigh(w: &GpuOps, c: &Counts) -> f64 {
    w.simple * c.simple_ops
        + w.slow * c.slow_ops
        + w.access * c.accesses
        + w.call * (c.calls + c.numpy_calls)
}

/// A loop of a nest that becomes a kernel, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnAxes {
    /// The loop and those inside it that are axes of one grid, outermost first.
    pub loops: Vec<LoopId>,
    /// Whether the host waits for what the kernel leaves behind.
    pub awaited: bool,
    /// The privatised arrays, of which each thread has one.
    pub private: Vec<ArrayId>,
}

/// A way to map a nest's loops to grids.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// The loops that become kernels, or parts of one.
    pub kernels: Vec<OnAxes>,
    /// The loops around `kernels` that are each run by a cooperative launch.
    pub cooperative: Vec<LoopId>,
}

/// Whether loops may be run by cooperative launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cooperation {
    /// No loop is run by a cooperative launch.
    Never,
    /// Loops are run by cooperative launches where that is cheaper.
    ByPrice,
    /// Every loop that can be is run by a cooperative launch.
    Always,
}

/// The price of a call on a GPU, by term.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnGpu {
    /// Copying arrays to the GPU and back.
    pub transfer: Seconds,
    /// Handing kernels over, and waiting for them.
    pub launch: Seconds,
    /// The time that kernels take beyond that.
    pub compute: Seconds,
}

/// A nest under a GPU's weights.
#[derive(Clone, Debug)]
pub struct Priced {
    top: LoopFeatures,
    traffic: TrafficPlan,
    weights: GpuWeights,
}

/// The kernels made of the same loops, which are alike.
#[derive(Clone, Copy, Debug, Default)]
struct Kernels {
    /// The number of kernels that run, one after the other.
    launches: f64,
    /// The number of blocks, if the kernels are parts of a cooperative launch.
    cooperative: Option<f64>,
    /// Whether the host may wait for what a kernel leaves behind.
    awaited: bool,
    /// The number of threads of each kernel.
    threads: f64,
    /// `busy`: nanoseconds that each thread keeps a multiprocessor busy; `latency`: nanoseconds that it takes by
    /// itself.
    busy: f64,
    latency: f64,
}

impl Priced {
    /// Weighs a nest with the features `top`.
    pub fn new(top: &LoopFeatures, traffic: TrafficPlan, weights: &GpuWeights) -> Priced {
        Priced {
            top: top.clone(),
            traffic,
            weights: weights.clone(),
        }
    }

    /// Time to get ready for the first kernel of this nest; `begun`: the process has used the GPU before.
    pub fn ready(&self, begun: bool) -> Seconds {
        let context = if begun { 0.0 } else { self.weights.context };
        Seconds::from_nanos(self.weights.module + context)
    }

    /// The index of the cheapest of several ways to map the nest's loops, and its price; none where there is no way.
    pub fn cheapest<'a>(
        &self,
        ways: impl Iterator<Item = &'a Axes> + Clone,
        cooperation: Cooperation,
        copies: &Copies,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> Option<(usize, OnGpu)> {
        let cooperates = |axes: &Axes| !axes.cooperative.is_empty();
        let any = ways.clone().any(cooperates);
        let allowed = |axes: &Axes| match cooperation {
            Cooperation::Never => !cooperates(axes),
            Cooperation::ByPrice => true,
            Cooperation::Always => cooperates(axes) || !any,
        };
        let priced = ways
            .enumerate()
            .filter(|(_, axes)| allowed(axes))
            .map(|(k, axes)| (k, self.seconds(axes, copies, trips, values)));
        let takes = |call: &OnGpu| (call.transfer + call.launch + call.compute).0;
        priced.min_by(|a, b| takes(&a.1).total_cmp(&takes(&b.1)))
    }

    /// Whether cooperative launches are chosen by price: only on a GPU where their barriers were measured.
    pub fn cooperation(&self) -> Cooperation {
        match self.weights.barrier {
            Some(_) => Cooperation::ByPrice,
            None => Cooperation::Never,
        }
    }

    /// The time of a call; `trips` gives each loop's mean trip count.
    pub fn seconds(
        &self,
        axes: &Axes,
        copies: &Copies,
        trips: &dyn Fn(LoopId) -> f64,
        values: &LaunchValues,
    ) -> OnGpu {
        let w = &self.weights;
        let mut kernels = Vec::new();
        self.kernels(&self.top, 1.0, axes, trips, &mut kernels);
        let sizes = Sizes { trips, values };
        let x = |id: LoopId, array: ArrayId| {
            let around = axes.kernels.iter().find(|a| a.loops.contains(&id))?;
            Some(match around.private.contains(&array) {
                true => Side::Own,
                false => Side::By(*around.loops.last()?),
            })
        };
        let sectors = self.traffic.sectors(&x, SECTOR, &sizes);
        let missed = self.traffic.traffic(&sizes, [w.cache]);
        let lines: f64 = missed.iter().map(|t| t.lines[0]).sum();
        let fetching = (sectors * w.cached).max(lines * 64.0 / SECTOR * w.memory);
        let computing: f64 = kernels.iter().map(|k| k.nanos(w)).sum();
        let (parts, whole): (Vec<Kernels>, Vec<Kernels>) =
            kernels.into_iter().partition(|k| k.cooperative.is_some());
        let launches: f64 = whole.iter().map(|k| k.launches).sum();
        let awaited = whole.iter().filter(|k| k.awaited).map(|k| k.launches);
        let handing = launches * w.launch + w.wait * (1.0 + awaited.sum::<f64>());
        let meeting: f64 = parts.iter().map(|k| k.launches * k.barrier(w)).sum();
        let running = launches * w.kernel + meeting + computing.max(fetching);
        OnGpu {
            transfer: self.crossing(copies),
            launch: Seconds::from_nanos(handing),
            // The host is ahead of the card; where it is not, the card waits for it.
            compute: Seconds::from_nanos(running - launches * w.launch),
        }
    }

    /// Time of the copies between the host's memory and the GPU's.
    pub fn crossing(&self, copies: &Copies) -> Seconds {
        let (up, down) = (&self.weights.up, &self.weights.down);
        Seconds::from_nanos(copying(up, &copies.up) + copying(down, &copies.down))
    }

    /// Adds to `out` the kernels of a loop that is reached `times` times: its own, where it is an axis; else those of
    /// the loops inside and, for what else there is, one of a single thread in each iteration.
    fn kernels(
        &self,
        l: &LoopFeatures,
        times: f64,
        axes: &Axes,
        trips: &dyn Fn(LoopId) -> f64,
        out: &mut Vec<Kernels>,
    ) {
        let times = times * l.reached;
        if axes.cooperative.contains(&l.id) {
            // None of these encloses another.
            let own = out.len();
            self.kernels_of(l, times, axes, trips, out);
            let whole = self.together(times, own, out);
            out.push(whole);
            return;
        }
        self.kernels_of(l, times, axes, trips, out);
    }

    /// Adds to `out` the kernels of a loop that runs `times` times, as if it were not cooperative itself.
    fn kernels_of(
        &self,
        l: &LoopFeatures,
        times: f64,
        axes: &Axes,
        trips: &dyn Fn(LoopId) -> f64,
        out: &mut Vec<Kernels>,
    ) {
        let own = axes.kernels.iter().find(|a| a.loops.first() == Some(&l.id));
        if own.is_none() && holds_axes(l, axes) {
            let iterations = times * trips(l.id);
            if l.body.accesses > 0.0 {
                out.push(self.alone(&l.body, iterations));
            }
            for inner in &l.inner {
                self.kernels(inner, iterations, axes, trips, out);
            }
            return;
        }
        let mut all = Kernels {
            launches: times,
            awaited: own.is_none_or(|a| a.awaited),
            ..Kernels::default()
        };
        let mut threads = 1.0;
        let is_axis = |l: &LoopFeatures| own.is_some_and(|a| a.loops.contains(&l.id));
        self.inside(l, 1.0, &is_axis, trips, &mut threads, &mut all);
        all.threads = threads;
        out.push(all);
    }

    /// Adds to `all` what a thread does in a loop that runs `times` times; axes only multiply `threads`.
    fn inside(
        &self,
        l: &LoopFeatures,
        times: f64,
        is_axis: &dyn Fn(&LoopFeatures) -> bool,
        trips: &dyn Fn(LoopId) -> f64,
        threads: &mut f64,
        all: &mut Kernels,
    ) {
        let times = match is_axis(l) {
            true => {
                *threads *= trips(l.id).max(1.0);
                times
            }
            false => times * l.reached * trips(l.id),
        };
        // The counter's step and test.
        let body = Counts {
            simple_ops: l.body.simple_ops + 2.0,
            ..l.body
        };
        all.busy += times * weigh(&self.weights.busy, &body);
        all.latency += times * weigh(&self.weights.latency, &body);
        for inner in &l.inner {
            self.inside(inner, times, is_axis, trips, threads, all);
        }
    }

    /// Turns the kernels of `out` from `first` on into parts of one cooperative launch, which is made `times` times,
    /// and returns that launch.
    fn together(&self, times: f64, first: usize, out: &mut [Kernels]) -> Kernels {
        let parts = &mut out[first..];
        let widest = parts.iter().map(|k| k.threads).fold(1.0, f64::max);
        let blocks = (widest / COOPERATIVE_BLOCK)
            .ceil()
            .min(self.weights.processors);
        for part in parts {
            part.cooperative = Some(blocks);
        }
        Kernels {
            launches: times,
            // The kernel tells the host where the loop ended.
            awaited: true,
            ..Kernels::default()
        }
    }

    fn alone(&self, body: &Counts, times: f64) -> Kernels {
        Kernels {
            launches: times,
            cooperative: None,
            awaited: true,
            threads: 1.0,
            busy: weigh(&self.weights.busy, body),
            latency: weigh(&self.weights.latency, body),
        }
    }
}

/// Whether some loop inside is the first axis of a grid.
fn holds_axes(l: &LoopFeatures, axes: &Axes) -> bool {
    let is_first = |id: LoopId| axes.kernels.iter().any(|a| a.loops.first() == Some(&id));
    l.inner
        .iter()
        .any(|inner| is_first(inner.id) || holds_axes(inner, axes))
}

impl Kernels {
    /// Nanoseconds until all threads of the cooperative launch have met behind a part.
    fn barrier(&self, w: &GpuWeights) -> f64 {
        let all = w.barrier.unwrap_or(BARRIER);
        let alone = self.cooperative.is_some_and(|blocks| blocks <= 1.0);
        all * if alone { ONE_BLOCK } else { 1.0 }
    }

    /// Nanoseconds on the GPU, without memory.
    fn nanos(&self, w: &GpuWeights) -> f64 {
        if let Some(blocks) = self.cooperative {
            let turns = (self.threads / (blocks * COOPERATIVE_BLOCK))
                .ceil()
                .max(1.0);
            let busy = self.busy * COOPERATIVE_BLOCK.min(self.threads);
            return self.launches * turns * busy.max(self.latency * CHAINED);
        }
        // Blocks are handed out whole: some processors have one more than others.
        let room = Room {
            processors: w.processors as i64,
            threads: w.resident as i64,
            registers: 0,
        };
        let block = room.block(self.threads as i64, None, block_size::USUAL) as f64;
        let blocks = (self.threads / block).ceil().max(1.0);
        let each = (blocks / w.processors).ceil();
        let busy = self.busy * each * block.min(self.threads);
        let turns = (each * block / w.resident).ceil().max(1.0);
        self.launches * busy.max(self.latency * CHAINED * turns)
    }
}
