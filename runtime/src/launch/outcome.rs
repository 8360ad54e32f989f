//! What became of a launch.

use std::sync::Arc;

use nestwise_codegen::abi::FrameHeader;
use nestwise_costmodel::{Decision, Device, Lesson, Seconds};
use nestwise_ir::machine_shape::Body;
use nestwise_ir::{ArrayId, LoopId, Nest, Tier, VarId};

use crate::device::{Expected, Transfers};
use crate::kernel::{CompileInfo, Kernel};
use crate::plan::sizes::{Sizes, TopRange};
use crate::reason::Reason;

/// How far native code came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All iterations ran.
    Finished,
    /// The loop was left by `break`.
    Broke,
    /// The site was left by `return`.
    Returned,
    /// Iterations before `next` ran; CPython goes on with it.
    Partial {
        /// The first iteration of the top loop that has not run.
        next: i64,
    },
}

/// A launch that is over.
pub struct Launch {
    /// How the launch ended.
    pub ended: Ended,
    /// The device on which the launch ran, or ended.
    pub device: Device,
    /// The decision for this device, and what it rests on.
    pub decision: Decision,
    /// The measured time of the kernel, in seconds.
    pub seconds: Seconds,
    /// How the kernel came into this process.
    pub compile: CompileInfo,
    /// Why the launch ended early, if it did.
    pub stopped_by: Option<Reason>,
    /// Whether some loop's length was not known beforehand.
    pub(crate) guessed: bool,
    /// Whether some loop may be left early.
    pub(crate) leaves: bool,
    /// The iterations of the top loop that the decision reckons with, at least one.
    pub(crate) expected: f64,
    /// Whether an earlier call had the same facts.
    pub repeated: bool,
    /// Whether the launch went on with another kernel half-way.
    pub(crate) changed: bool,
    /// Whether the device changed with that.
    pub(crate) device_changed: bool,
    /// What the kernel executed, where prices are asked for: JSON.
    pub runs: String,
    /// What was copied between the host's memory and a device's.
    pub transfers: Transfers,
    /// Whether the launch takes too little time to let other threads of Python's run meanwhile.
    pub(crate) brief: bool,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) frame: Vec<u128>,
    pub(crate) top: Option<TopRange>,
    pub(crate) from: i64,
    pub(crate) next: i64,
    pub(crate) started: i64,
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Launch({:?}, {}, next {})",
            self.ended, self.device, self.next
        )
    }
}

impl Launch {
    /// What was done with the nest's loops, in words.
    pub fn schedule(&self) -> &str {
        &self.kernel.about.description
    }
    /// What was done with the nest, and what made it possible, a word each.
    pub fn means(&self) -> impl Iterator<Item = &str> {
        let changed = match (self.changed, self.device_changed) {
            (true, true) => Some("changed device"),
            (true, false) => Some("changed code"),
            (false, _) => None,
        };
        let about = &self.kernel.about;
        let calls = about.nest.calls_host().then_some("calls of CPython");
        let recorded = about.nest.records_results().then_some("recorded results");
        let means = about.means.iter().map(String::as_str);
        means.chain(changed).chain(calls).chain(recorded)
    }
    /// What the kernel executes in a call of these sizes, loop by loop, and the lines that it fetches: JSON. `written`
    /// gives the trips of each loop as it was written.
    pub fn executed(&self, written: &dyn Fn(LoopId) -> f64, sizes: &Sizes) -> String {
        let about = &self.kernel.about;
        let origin = |id: LoopId| about.origin.get(id.index()).copied().unwrap_or(id);
        let trips = |id: LoopId| written(origin(id));
        let runs = nestwise_costmodel::estimate::executions::runs(&about.shape, &trips);
        let own = |run: &nestwise_costmodel::estimate::executions::Run<'_>| {
            let body = Body {
                inner: Vec::new(),
                ..run.body.clone()
            };
            (run.times, run.entries, run.threads, body)
        };
        let runs: Vec<_> = runs.iter().map(own).collect();
        let fetched = self.kernel.price.lines(written, &sizes.values);
        let lines: Vec<_> = fetched.iter().map(|t| (t.lines, t.order)).collect();
        serde_json::to_string(&(runs, lines)).unwrap_or_default()
    }
    /// The nest that ran.
    pub fn nest(&self) -> &Nest {
        &self.kernel.about.nest
    }
    /// The first iteration that did not run to its end.
    pub fn next(&self) -> i64 {
        self.next
    }
    /// The first iteration of the launch.
    pub fn from(&self) -> i64 {
        self.from
    }
    /// The number of iterations that were at least begun.
    pub fn iterations(&self) -> i64 {
        self.started - self.from
    }
    /// The number of iterations that ran to their end.
    pub fn completed(&self) -> i64 {
        self.next - self.from
    }
    /// The top loop's start, stop and step.
    pub fn range(&self) -> Option<(i64, i64, i64)> {
        self.top.map(|t| (t.start, t.stop, t.step))
    }
    /// The address of a variable's value in the frame.
    pub fn slot(&self, var: VarId) -> *const u8 {
        let offset = self.kernel.layout.var(var).unwrap_or(0);
        // SAFETY: the layout's offsets lie inside the frame it was made for.
        unsafe { self.frame.as_ptr().cast::<u8>().add(offset) }
    }
    /// Gives an int variable another value between two chunks.
    pub fn set_int(&mut self, var: VarId, value: i64) {
        if let Some(offset) = self.kernel.layout.var(var) {
            // SAFETY: the layout's offsets of cells of 16 bytes lie inside the frame it was made for.
            unsafe {
                *self
                    .frame
                    .as_mut_ptr()
                    .cast::<u8>()
                    .add(offset)
                    .cast::<i64>() = value;
            }
        }
    }
    /// The slot whose entry object `array` holds now.
    pub fn origin(&self, array: ArrayId) -> ArrayId {
        let Some(slot) = self.kernel.layout.slot(array) else {
            return array;
        };
        // SAFETY: an aligned i64 of the frame, at the layout's offset.
        ArrayId(unsafe {
            *self
                .frame
                .as_ptr()
                .cast::<u8>()
                .add(slot.origin)
                .cast::<i64>()
        } as u32)
    }
    /// The seconds that one iteration of the top loop takes by the model, not quite nothing.
    pub(crate) fn per_trip(&self) -> f64 {
        let estimate = &self.decision.estimate;
        let starting = estimate.fork_join + estimate.launch;
        ((estimate.compute + starting).0 / self.expected).max(1e-10)
    }
    /// The part of the top loop's iterations that has not run yet.
    pub fn rest(&self) -> f64 {
        self.top
            .map_or(1.0, |top| 1.0 - self.next as f64 / top.trips.max(1) as f64)
    }
    /// What the launch asks of a device with a grid.
    pub(crate) fn expected_of_grid(&self, sizes: &Sizes) -> Expected {
        let about = &self.kernel.about;
        let trips = |id: LoopId| {
            let written = about.origin.get(id.index()).copied().unwrap_or(id);
            sizes.expected(written)
        };
        let top = about.nest.top_for().map(|top| top.id);
        let grid = self.kernel.grid.as_ref();
        grid.map_or_else(Expected::default, |grid| grid.expected(top, trips))
    }
    pub(crate) fn header(&self) -> &FrameHeader {
        // SAFETY: every frame starts with a header.
        unsafe { &*self.frame.as_ptr().cast() }
    }
    /// What the launch tells of the model, if it ran to its end; it stands for `launches` launches.
    pub fn lesson(&self, launches: u32) -> Option<Lesson> {
        let partial = matches!(self.ended, Ended::Partial { .. });
        // What quick code takes tells nothing of what optimised code would.
        let quick = self.kernel.about.tier == Tier::Quick;
        if partial || self.stopped_by.is_some() || self.changed || quick {
            return None;
        }
        Some(Lesson {
            device: self.device,
            modelled: self.decision.of(self.device).raw,
            measured: self.seconds,
            launches,
            trial: self.decision.trial,
            guessed: self.is_guess(),
        })
    }
    /// Whether no value of the call tells how long its loops go on.
    pub fn is_guess(&self) -> bool {
        self.guessed || self.leaves
    }
    /// Whether the launch can go on with this kernel of another device between two chunks: the variables are the same,
    /// and what lies in memory is the host's.
    pub fn may_go_on(&self, kernel: &Kernel) -> bool {
        let other =
            kernel.device() != self.kernel.device() || kernel.about.tier != self.kernel.about.tier;
        other
            && kernel.grid.is_none()
            && self.kernel.grid.is_none()
            && kernel.continues(&self.kernel)
    }
    /// Goes on with another kernel from here on, for which [`Launch::may_go_on`] holds.
    pub(crate) fn go_on(&mut self, kernel: Arc<Kernel>, decision: Decision) {
        self.device_changed |= kernel.device() != self.device;
        self.device = kernel.device();
        self.changed = true;
        (self.kernel, self.decision) = (kernel, decision);
    }
    /// The seconds that CPython would have taken for the iterations that ran.
    pub fn replaced(&self) -> f64 {
        if self.iterations() == 0 {
            return 0.0;
        }
        let model = self.decision.interpreted.0 * self.iterations() as f64 / self.expected;
        if !self.guessed {
            return model;
        }
        // Where the sizes were guessed, the time that native code took says more: it is that many times slower.
        let slower = self.decision.interpreted.0 / self.decision.estimate.compute.0.max(1e-12);
        model.max(self.seconds.0 * slower)
    }
}
