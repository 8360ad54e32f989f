use nestwise_analysis::traffic::TrafficPlan;
use nestwise_ir::machine_shape::{Body, LoopShape, Op, Part, Width};

use crate::estimate::threads::*;
use crate::profile::MachineProfile;
use crate::profile::host::HostWeights;

/// The number of iterations of the loop around the shared ones.
const STEPS: f64 = 100.0;

fn own(id: Option<u32>, threads: bool, body: Body) -> LoopShape {
    LoopShape {
        id: id.map(LoopId),
        stride: 1,
        part: Part::All,
        copied: false,
        reached: 1.0,
        threads,
        body,
    }
}

/// A kernel of a loop on one core with two loops for threads in it: one with a division in each iteration, and one with
/// a thousand.
fn kernel() -> Priced {
    let shared = |id: u32, divisions: f32| {
        let mut body = Body::default();
        body.ops.add(Op::FloatDiv, Width::Scalar, divisions);
        let whole = Body {
            inner: vec![own(Some(id), false, body)],
            ..Body::default()
        };
        own(None, true, whole)
    };
    let step = Body {
        inner: vec![shared(1, 1.0), shared(2, 1000.0)],
        ..Body::default()
    };
    let root = Body {
        inner: vec![own(Some(0), false, step)],
        ..Body::default()
    };
    let weights = HostWeights::default();
    Priced::new(&root, TrafficPlan::default(), Vec::new(), &weights)
}

fn trips(each: f64) -> impl Fn(LoopId) -> f64 {
    move |id: LoopId| if id.0 == 0 { STEPS } else { each }
}

fn workers(profile: &MachineProfile, always: bool) -> Workers<'_> {
    Workers {
        threads: 4,
        weights: &profile.threads,
        always,
    }
}

fn on_workers(each: f64, always: bool) -> Compute {
    let profile = MachineProfile::default();
    let values = LaunchValues::default();
    kernel().on_workers(&trips(each), &values, &workers(&profile, always))
}

#[test]
fn loops_are_started_where_that_pays() {
    assert_eq!(on_workers(1.0, false).forks, Some(0.0));
    assert_eq!(on_workers(100.0, false).forks, Some(STEPS));
    assert_eq!(on_workers(1e6, false).forks, Some(2.0 * STEPS));
    assert_eq!(on_workers(1.0, false).shared, ByBound::default());
    assert_eq!(on_workers(1e6, false).shared, on_workers(1e6, true).shared);
}

#[test]
fn it_is_the_same_work_in_all() {
    for each in [1.0, 100.0, 1e6] {
        let [some, all] = [false, true].map(|always| on_workers(each, always).total().0);
        assert!((some - all).abs() < 1e-9 * all, "{some} {all}");
    }
}

#[test]
fn the_fewest_iterations_that_pay_are_those_that_save_a_start() {
    let profile = MachineProfile::default();
    let workers = workers(&profile, false);
    let values = LaunchValues::default();
    let least = kernel().least(&trips(100.0), &values, &workers);
    assert_eq!((least.len(), least[0]), (3, 0), "{least:?}");
    assert!(least[1] > 100 && (1..=100).contains(&least[2]), "{least:?}");
    for l in kernel().parts(&trips(100.0), &values).1 {
        let one = l.time.total().0 / (l.starts * l.trips);
        let gained =
            |n: i64| one * n as f64 - workers.share(&l.time).0 / l.time.total().0 * one * n as f64;
        let n = least[l.id.unwrap().index()];
        assert!(gained(n) >= workers.start().0 && gained(n - 1) < workers.start().0);
    }
}

#[test]
fn a_single_start_is_the_decision_itself() {
    let profile = MachineProfile::default();
    let values = LaunchValues::default();
    let once = |_: LoopId| 1.0;
    let least = kernel().least(&once, &values, &workers(&profile, false));
    assert!(least.iter().all(|n| *n == 0), "{least:?}");
}

#[test]
fn who_asks_for_threads_gets_them() {
    let profile = MachineProfile::default();
    let values = LaunchValues::default();
    let always = workers(&profile, true);
    let least = kernel().least(&trips(1.0), &values, &always);
    assert!(least.iter().all(|n| *n == 0), "{least:?}");
    assert_eq!(on_workers(1.0, true).forks, None);
}

#[test]
fn memory_works_beside_the_cores_and_bounds_what_threads_gain() {
    let mut profile = MachineProfile::default();
    (profile.threads.compute, profile.threads.memory) = (1.0, 0.0);
    let share = |compute: f64, memory: f64| {
        let time = ByBound {
            compute: Seconds(compute),
            memory: Seconds(memory),
            ..ByBound::default()
        };
        (time.total().0, workers(&profile, false).share(&time).0)
    };
    // What the core does hides the fetching, until four of them wait for it.
    assert_eq!(share(8.0, 1.0), (8.0, 2.0));
    assert_eq!(share(8.0, 5.0), (8.0, 5.0));
    assert_eq!(share(1.0, 5.0), (5.0, 5.0));
}
