use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_ir::{LoopWork, Tally, Work};

use crate::choose_device::Undo;
use crate::estimate::gpu::Copies;
use crate::features::{Counts, Features, LoopFeatures};
use crate::launch_work::{LaunchTally, LaunchWork};
use crate::profile::Fresh;
use crate::record::{Parallel, RECORDING_VERSION, Recording};
use crate::replay::*;

/// A nest of one loop that adds up elements of an array.
fn nest(calls: Vec<CallRecord>) -> NestRecord {
    let mut body = Tally::default();
    body.add(Work::RangeStep, 1.0);
    body.add(Work::ArrayGet, 1.0);
    body.add(Work::NumpyFloat, 1.0);
    let top = LoopFeatures {
        id: LoopId(0),
        reached: 1.0,
        body: Counts {
            simple_ops: 1.0,
            accesses: 1.0,
            ..Counts::default()
        },
        work: LoopWork {
            reached: 1.0,
            once: false,
            leaves: false,
            body,
        },
        inner: vec![],
    };
    NestRecord {
        file: "f.py".into(),
        line: 3,
        features: Features {
            top,
            entry: Tally::default(),
            nodes: 8.0,
            vectors: false,
        },
        traffic: TrafficPlan::default(),
        grid: Vec::new(),
        lanes: 8,
        kernels: [None, None],
        calls,
        folded: 0,
    }
}

fn calls(times: u64, trips: f64) -> CallRecord {
    let mut bind = LaunchTally::default();
    bind.add(LaunchWork::Launch, 1.0);
    CallRecord {
        times,
        trips: vec![trips],
        values: LaunchValues::default(),
        bind,
        convert: LaunchTally::default(),
        undo: [Undo::default(); 2],
        fresh: Fresh::default(),
        copies: Copies::default(),
        parallel: Parallel {
            most: 1000,
            forks: 1.0,
            always: true,
            copied_bytes: 0.0,
            vectorisable: false,
        },
    }
}

fn replayed(times: u64, trips: f64, cores: u32) -> Replay {
    nest(vec![calls(times, trips)]).replay(&MachineProfile::default(), cores)
}

#[test]
fn every_call_ends_somewhere() {
    for (times, trips) in [(1, 3.0), (7, 1e3), (1000, 1e5), (3, 1e8)] {
        let c = replayed(times, trips, 4).calls;
        assert_eq!(c.interpreter + c.serial + c.threads, times, "{trips} trips");
    }
}

#[test]
fn a_few_short_calls_are_left_to_cpython_and_many_are_compiled() {
    let few = replayed(10, 1000.0, 1);
    assert_eq!((few.calls.interpreter, few.kernels), (10, 0));
    let many = replayed(100_000, 1000.0, 1);
    assert_eq!(many.kernels, 1);
    assert!(many.calls.interpreter > 0 && many.calls.serial > 90_000);
    // Until it is compiled it loses what compiling takes, and compiling takes as much.
    let native = many.always.serial;
    assert!(many.seconds <= native + 2.5 * many.compile, "{many:?}");
}

#[test]
fn a_single_long_call_is_compiled_half_way() {
    let one = replayed(1, 1e8, 1);
    assert_eq!((one.calls.serial, one.kernels), (1, 1));
    assert!(one.seconds < 0.2 * one.always.interpreter, "{one:?}");
}

#[test]
fn cores_shorten_what_they_share_and_nothing_else() {
    let (alone, four, many) = (
        replayed(1000, 1e7, 1),
        replayed(1000, 1e7, 4),
        replayed(1000, 1e7, 64),
    );
    assert_eq!(alone.calls.threads, 0);
    assert!(four.calls.threads > 900 && many.calls.threads > 900);
    assert!(many.seconds < four.seconds && four.seconds < alone.seconds);
    assert_eq!(alone.always.serial, many.always.serial);
    assert_eq!(replayed(10, 100.0, 64).calls.threads, 0);
}

#[test]
fn a_faster_interpreter_keeps_more() {
    let record = nest(vec![calls(2000, 1000.0)]);
    let slow = MachineProfile::default();
    let mut fast = slow.clone();
    for kind in Work::ALL {
        fast.interpreter
            .set(kind, slow.interpreter.get(kind) / 1000.0);
    }
    let kept = |p: &MachineProfile| record.replay(p, 1).calls.interpreter;
    assert!(kept(&slow) < kept(&fast));
    assert_eq!(kept(&fast), 2000);
}

#[test]
fn a_recording_survives_its_way_to_a_file_and_back() {
    let recording = Recording {
        version: RECORDING_VERSION,
        nests: vec![nest(vec![calls(3, 10.0), calls(1, 1e6)])],
    };
    let text = serde_json::to_string(&recording).unwrap();
    let back = Recording::parse(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    let wrong = |text: &str| Recording::parse(text).unwrap_err();
    let own = format!("\"version\":{RECORDING_VERSION}");
    assert!(wrong(&text.replace(&own, "\"version\":99")).contains("version 99"));
    assert!(wrong("{}").contains("no version"));
    assert!(wrong(&text.replace("\"line\":3", "\"line\":\"x\"")).contains("line 1 column"));
    assert!(wrong("[").contains("EOF"));
}

#[test]
fn calls_that_are_alike_are_counted_and_too_many_others_too() {
    let mut record = nest(vec![]);
    (0..10).for_each(|_| record.add(calls(1, 5.0)));
    assert_eq!((record.calls.len(), record.calls[0].times), (1, 10));
    (0..5000).for_each(|n| record.add(calls(1, f64::from(n))));
    let all: u64 = record.calls.iter().map(|c| c.times).sum();
    assert_eq!(all, 5010);
    assert_eq!(record.calls.len() as u64 + record.folded, 1 + 5000);
}
