//! A recording of a program's run: all that the prices of its nests depend on besides the machine, so that they can be
//! priced for another one.

use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_ir::LoopId;
use nestwise_ir::machine_shape::Body;
use serde::{Deserialize, Serialize};

use crate::choose_device::Undo;
use crate::estimate::gpu::{Axes, Copies};
use crate::features::Features;
use crate::launch_work::LaunchTally;
use crate::profile::Fresh;

/// The version of the document that this code reads and writes.
pub const RECORDING_VERSION: u32 = 9;

/// The number of calls of a nest that are kept; a call beyond them that is unlike the last counts as one more of the
/// last.
const MOST_CALLS: usize = 4096;

/// A program's nests, in the order in which they were first met.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// [`RECORDING_VERSION`].
    pub version: u32,
    /// The nests.
    pub nests: Vec<NestRecord>,
}

/// A nest for one signature, and its calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestRecord {
    /// The user's file.
    pub file: String,
    /// The line of the nest's top loop.
    pub line: u32,
    /// What the nest does.
    pub features: Features,
    /// The memory that the nest goes through.
    pub traffic: TrafficPlan,
    /// The ways to map the nest's loops to a GPU's grid.
    pub grid: Vec<Axes>,
    /// The number of 64-bit lanes in a vector register of the machine that recorded the nest.
    pub lanes: u32,
    /// The kernels that were made: for one core, and for threads.
    pub kernels: [Option<KernelRecord>; 2],
    /// The nest's calls in their order.
    pub calls: Vec<CallRecord>,
    /// The number of calls that were not kept, but counted as others.
    pub folded: u64,
}

/// What a kernel executes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelRecord {
    /// The kernel's loops and operations.
    pub shape: Body,
    /// The memory that the kernel goes through.
    pub traffic: TrafficPlan,
    /// For each loop of the kernel: the loop of the nest as written.
    pub origin: Vec<LoopId>,
}

/// Calls that are alike in all that prices depend on, one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRecord {
    /// The number of calls.
    pub times: u64,
    /// For each loop: the mean trip count to reckon with.
    pub trips: Vec<f64>,
    /// The call's ints, and the extents of its arrays.
    pub values: LaunchValues,
    /// What a launch does to bind what the nest works on and to write back what it changed.
    pub bind: LaunchTally,
    /// What a launch does to convert lists.
    pub convert: LaunchTally,
    /// What a launch does so that chunks can be rolled back: on one core, and on threads of the machine that recorded
    /// it.
    pub undo: [Undo; 2],
    /// The pages that the call is the first to touch.
    pub fresh: Fresh,
    /// The arrays that would cross to a GPU and back.
    pub copies: Copies,
    /// What threads could do in the call.
    pub parallel: Parallel,
}

/// What threads could do in a call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parallel {
    /// The most threads that have something to do; 1 where no loop is for threads.
    pub most: u32,
    /// How many times the parallel loops are started.
    pub forks: f64,
    /// Whether parallel loops are started on threads even where that does not pay.
    pub always: bool,
    /// Bytes of arrays that each thread copies, over all starts of parallel loops.
    pub copied_bytes: f64,
    /// Whether some loop may run on vectors, whatever else is known.
    pub vectorisable: bool,
}

impl Recording {
    /// Reads the document; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Recording, String> {
        let all: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        // Another document may have a version, too.
        let nests = all.get("nests");
        match all
            .get("version")
            .filter(|_| nests.is_some())
            .and_then(serde_json::Value::as_u64)
        {
            None => Err("is no recording: it has no version, or no nests".into()),
            Some(v) if v != u64::from(RECORDING_VERSION) => Err(format!(
                "has version {v}; this nestwise reads version {RECORDING_VERSION}: record the run anew"
            )),
            // From the text: an error then tells its place.
            Some(_) => serde_json::from_str(text).map_err(|e| format!("is no recording: {e}")),
        }
    }
}

impl NestRecord {
    /// Adds a call, counting it as one more of the last where the two are alike or too many are kept.
    pub fn add(&mut self, call: CallRecord) {
        let full = self.calls.len() >= MOST_CALLS;
        match self.calls.last_mut() {
            Some(last) if full || last.is_like(&call) => {
                self.folded += u64::from(!last.is_like(&call)) * call.times;
                last.times += call.times;
            }
            _ => self.calls.push(call),
        }
    }
}

impl CallRecord {
    fn is_like(&self, other: &CallRecord) -> bool {
        self.values == other.values
            && self.trips == other.trips
            && (self.bind, self.convert, self.undo) == (other.bind, other.convert, other.undo)
            && (self.fresh, self.copies) == (other.fresh, other.copies)
            && self.parallel == other.parallel
    }
}
