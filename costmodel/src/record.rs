//! What the prices of a program's nests depend on besides the machine: enough to price them for another one.

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

/// Calls of a nest that are kept apart; what differs from all of them counts as one more of the last.
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
    /// The line of its top loop.
    pub line: u32,
    /// What it does.
    pub features: Features,
    /// The memory it goes through.
    pub traffic: TrafficPlan,
    /// Its loops that a card could have.
    pub grid: Vec<Axes>,
    /// Numbers of 64 bits in a vector register of the machine that recorded it.
    pub lanes: u32,
    /// What its kernels execute that were made: for one core, and for threads.
    pub kernels: [Option<KernelRecord>; 2],
    /// Its calls in their order.
    pub calls: Vec<CallRecord>,
    /// How many of them stand for others that were not kept.
    pub folded: u64,
}

/// What compiled code executes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelRecord {
    /// Its loops and operations.
    pub shape: Body,
    /// The memory it goes through.
    pub traffic: TrafficPlan,
    /// By loop: the one of the nest as written.
    pub origin: Vec<LoopId>,
}

/// Calls that are alike in all that prices depend on, one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRecord {
    /// How many.
    pub times: u64,
    /// By loop: the trips to reckon with.
    pub trips: Vec<f64>,
    /// Ints and extents.
    pub values: LaunchValues,
    /// What a launch does to bind what the nest works on and to write back what it changed.
    pub bind: LaunchTally,
    /// What it does to convert lists.
    pub convert: LaunchTally,
    /// What it does to be able to undo, on one core and on threads of the machine that recorded it.
    pub undo: [Undo; 2],
    /// Memory that it touches first.
    pub fresh: Fresh,
    /// What would cross to a card and back.
    pub copies: Copies,
    /// What threads could do.
    pub parallel: Parallel,
}

/// What threads could do in a call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parallel {
    /// Threads that have something to do, at most; 1 where no loop is for them.
    pub most: u32,
    /// How many times the parallel loops are started.
    pub forks: f64,
    /// They are, whether that pays or not.
    pub always: bool,
    /// Bytes of arrays that each thread copies, over all those starts.
    pub copied_bytes: f64,
    /// Some loop may run on vectors, whatever else is known.
    pub vectorisable: bool,
}

impl Recording {
    /// Reads the document, or says what is wrong with it.
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
    /// One more call.
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
