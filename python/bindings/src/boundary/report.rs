//! The report: what became of the loops of this process, a record for each.

use std::collections::HashSet;

use nestwise_costmodel::Device;
use nestwise_costmodel::weights::Kind;
use nestwise_runtime::DeviceChoice;
use nestwise_runtime::options::options;
use nestwise_runtime::report::Stats;
use pyo3::prelude::*;

use crate::boundary::mapping::Mapping;
use crate::boundary::record;
use crate::site::registry;

record! {
    /// Seconds that declined calls were expected to take.
    Declined {
        /// Seconds expected in CPython.
        interpreter: f64,
        /// Seconds expected in native code.
        native: f64,
        /// Seconds expected until there is a kernel.
        compile: f64,
    }
}

record! {
    /// Copies between the host's memory and devices'.
    Transferred {
        /// Copies to devices.
        up: u64,
        /// Copies from devices.
        down: u64,
        /// Copies of single elements.
        elements: u64,
        /// Bytes copied to devices.
        bytes_up: u64,
        /// Bytes copied from devices.
        bytes_down: u64,
        /// Seconds that copies to devices took.
        seconds_up: f64,
        /// Seconds that copies from devices took.
        seconds_down: f64,
        /// Seconds that kernels on devices took.
        seconds_kernels: f64,
    }
}

record! {
    /// Nodes of a nest, which tell how long its code takes to make.
    Nodes {
        /// The number of nodes that become scalar code.
        node: f64,
        /// The number of nodes that become vector code.
        vector_node: f64,
    }
}

record! {
    /// A piece of code that was made for a nest.
    MadeCode {
        /// The tier: quick or optimised.
        tier: String,
        /// Seconds that making it was predicted to take.
        predicted_s: f64,
        /// Seconds that making it took.
        took_s: f64,
    }
}

record! {
    /// Calls that went to CPython for one reason.
    Fallback {
        /// The reason code.
        code: String,
        /// The reason as a sentence.
        reason: String,
        /// The number of calls.
        count: u64,
    }
}

record! {
    /// What became of one loop that was entered as a site. Times are in seconds.
    NestReport {
        /// The user's file.
        file: String,
        /// Line of the loop statement.
        line: u32,
        /// Times the hook was entered.
        calls: u64,
        /// Calls that the price left to CPython, at least when they began.
        declined: u64,
        /// The time that the declined calls were expected to take.
        declined_s: Declined,
        /// Iterations of the top loop that ran natively.
        iterations: u64,
        /// The verdict of the top loop.
        verdict: Option<String>,
        /// The verdict of each loop, outermost first, in words.
        verdicts: Vec<String>,
        /// The schedules of the kernels that ran: which loop was mapped to what, in words.
        schedules: Vec<String>,
        /// The transformations of the nest and what made them possible, each with the number of its launches.
        means: Mapping<u64>,
        /// Copies between the host and devices.
        transfers: Transferred,
        /// The devices that ran the loop, joined by `+`.
        device: String,
        /// Launches on all devices.
        launches: u64,
        /// Launches on threads.
        threaded_launches: u64,
        /// Launches that ended early, after some iterations.
        stopped: u64,
        /// Predicted seconds of native runs, without compilation.
        predicted_s: f64,
        /// Measured seconds of native runs, without compilation.
        measured_s: f64,
        /// Predicted seconds of all priced calls, by device.
        priced_s: Mapping<f64>,
        /// The work that the kernel of the last launch executed, as JSON; recorded only where prices are asked for.
        runs: String,
        /// The amount of work in all priced calls, by the kind of work.
        work: Mapping<f64>,
        /// The amount of work in all priced launches, by the kind of work.
        launch_work: Mapping<f64>,
        /// The number of the nest's nodes.
        nodes: Nodes,
        /// Loops whose trip counts were guessed.
        guessed_loops: u64,
        /// Seconds that CPython would have taken for what ran natively, by the model.
        replaced_s: f64,
        /// Seconds spent in compiling kernels or loading them from disk.
        compile_s: f64,
        /// Kernels that were compiled.
        kernels_compiled: u64,
        /// Kernels found in the cache on disk.
        kernels_from_cache: u64,
        /// The first code that was made.
        made: Vec<MadeCode>,
        /// Seconds that CPython spent in the loop after the hook gave all or part of it back.
        interpreted_s: f64,
        /// Seconds that attempts which ended early cost beyond CPython's time for the same iterations.
        lost_s: f64,
        /// Calls that went to CPython, by reason.
        fallbacks: Vec<Fallback>,
    }
}

/// The record of each loop that was entered as a site; only of those in `file` and on the lines `lines`, where these
/// are given.
#[pyfunction]
#[pyo3(signature = (file=None, lines=None))]
pub fn report(file: Option<&str>, lines: Option<HashSet<u32>>) -> Vec<NestReport> {
    let has_card = options().profile.gpu.is_some();
    let asked = |in_file: &str, line: u32| {
        file.is_none_or(|f| f == in_file) && lines.as_ref().is_none_or(|l| l.contains(&line))
    };
    let all = registry::report(asked).into_iter();
    all.map(|stats| nest(stats, has_card)).collect()
}

fn nest(s: Stats, has_card: bool) -> NestReport {
    let priced = Device::ALL.into_iter().zip(s.priced);
    let priced = priced.filter(|(device, _)| *device != Device::Gpu || has_card);
    let first = s.verdicts.first();
    let [interpreter, native, compile] = s.declined_for;
    let moved = &s.transfers;
    let work = s.features.work.iter();
    let launch = s.features.launch.iter();
    NestReport {
        verdict: first.and_then(|v| v.split(": ").nth(1)).map(str::to_string),
        device: device_word(&s),
        declined_s: Declined {
            interpreter,
            native,
            compile,
        },
        means: s.means.iter().cloned().collect(),
        transfers: Transferred {
            up: moved.up,
            down: moved.down,
            elements: moved.elements,
            bytes_up: moved.bytes_up,
            bytes_down: moved.bytes_down,
            seconds_up: moved.seconds_up,
            seconds_down: moved.seconds_down,
            seconds_kernels: moved.seconds_kernels,
        },
        launches: s.launches.iter().sum(),
        threaded_launches: s.launches[1],
        priced_s: priced
            .map(|(d, seconds)| (d.to_string(), seconds))
            .collect(),
        work: work.map(|(k, times)| (k.name().into(), times)).collect(),
        launch_work: launch.map(|(k, times)| (k.name().into(), times)).collect(),
        nodes: Nodes {
            node: s.features.nodes.0,
            vector_node: s.features.nodes.1,
        },
        made: s.made.iter().map(made).collect(),
        fallbacks: s.fallbacks.iter().map(fallback).collect(),
        file: s.file,
        line: s.line,
        calls: s.calls,
        declined: s.declined,
        iterations: s.iterations,
        verdicts: s.verdicts,
        schedules: s.schedules,
        stopped: s.stopped,
        predicted_s: s.predicted,
        measured_s: s.measured,
        runs: s.runs,
        guessed_loops: s.features.guessed,
        replaced_s: s.replaced,
        compile_s: s.compile.as_secs_f64(),
        kernels_compiled: s.kernels[0],
        kernels_from_cache: s.kernels[1],
        interpreted_s: s.interpreted,
        lost_s: s.lost,
    }
}

fn made(code: &nestwise_runtime::kernel::MadeCode) -> MadeCode {
    MadeCode {
        tier: code.tier.to_string(),
        predicted_s: code.predicted.0,
        took_s: code.took.as_secs_f64(),
    }
}

fn fallback((reason, count): &(nestwise_runtime::Reason, u64)) -> Fallback {
    Fallback {
        code: reason.code().into(),
        reason: reason.to_string(),
        count: *count,
    }
}

fn device_word(s: &Stats) -> String {
    let word = |device: &Device| match (device, options().device) {
        (Device::Gpu, DeviceChoice::Emulated) => "emulated".to_string(),
        _ => device.to_string(),
    };
    let ran = |device: &&Device| s.launches[device.kind()] > 0;
    let words: Vec<String> = Device::NATIVE.iter().filter(ran).map(word).collect();
    match words[..] {
        [] => Device::Interpreter.to_string(),
        _ => words.join("+"),
    }
}
