use nestwise_ir::{LoopWork, Tally};

use crate::estimate::gpu::*;
use crate::features::LoopFeatures;

/// A GPU of the 2020s on a fast bus, by its makers' tables.
fn card() -> GpuWeights {
    GpuWeights {
        context: 1.5e8,
        module: 3e6,
        launch: 3_000.0,
        kernel: 2_500.0,
        wait: 8_000.0,
        barrier: Some(1_500.0),
        up: CopyWeights {
            copy: 8_000.0,
            first: 0.16,
            byte: 0.08,
        },
        down: CopyWeights {
            copy: 8_000.0,
            first: 0.16,
            byte: 0.08,
        },
        processors: 100.0,
        resident: 1024.0,
        busy: GpuOps {
            simple: 0.01,
            slow: 0.2,
            access: 0.02,
            call: 0.5,
        },
        latency: GpuOps {
            simple: 3.0,
            slow: 40.0,
            access: 300.0,
            call: 60.0,
        },
        cache: 4e7,
        cached: 0.006,
        memory: 0.016,
    }
}

/// Loops inside each other, the innermost with a body.
fn loops(depth: u32) -> LoopFeatures {
    let mut made: Option<LoopFeatures> = None;
    for id in (0..depth).rev() {
        let body = Counts {
            simple_ops: 2.0,
            accesses: 3.0,
            ..Counts::default()
        };
        made = Some(LoopFeatures {
            id: LoopId(id),
            reached: 1.0,
            body: if made.is_none() {
                body
            } else {
                Counts::default()
            },
            work: LoopWork {
                reached: 1.0,
                once: false,
                leaves: false,
                body: Tally::default(),
            },
            inner: made.into_iter().collect(),
        });
    }
    made.expect("a loop")
}

fn on(weights: &GpuWeights, axes: &[&[u32]], trips: &[f64], copies: &Copies) -> OnGpu {
    let priced = Priced::new(&loops(trips.len() as u32), TrafficPlan::default(), weights);
    let axes = apart(axes.iter().map(|a| on_axes(a, false)).collect());
    let of = |id: LoopId| trips[id.index()];
    priced.seconds(&axes, copies, &of, &LaunchValues::default())
}

fn on_axes(loops: &[u32], awaited: bool) -> OnAxes {
    OnAxes {
        loops: loops.iter().map(|id| LoopId(*id)).collect(),
        awaited,
        private: Vec::new(),
    }
}

fn apart(kernels: Vec<OnAxes>) -> Axes {
    Axes {
        kernels,
        cooperative: vec![],
    }
}

fn total(on: OnGpu) -> f64 {
    (on.transfer + on.launch + on.compute).0
}

#[test]
fn more_iterations_never_take_less() {
    let sizes = [1.0, 10.0, 300.0, 1e4, 1e5, 1e6, 1e8];
    let times = sizes.map(|n| total(on(&card(), &[&[0]], &[n], &Copies::default())));
    assert!(times.is_sorted(), "{times:?}");
    // Until its processors are busy, a card takes as long for more.
    assert_eq!(times[2], times[3]);
    assert!(times[6] > 20.0 * times[5]);
}

#[test]
fn copies_add_up_in_each_direction() {
    let of = |arrays: usize, bytes: f64| {
        let mut copied = Copied::default();
        (0..arrays).for_each(|_| copied.add(bytes));
        copied
    };
    let crossing = |up, down| {
        let copies = Copies { up, down };
        on(&card(), &[&[0]], &[1e4], &copies).transfer.0
    };
    let (up, down) = (
        crossing(of(1, 1e6), of(0, 0.0)),
        crossing(of(0, 0.0), of(1, 1e6)),
    );
    // The first 256 KiB at a rate of their own.
    let first = 262_144.0 * 0.16 + (1e6 - 262_144.0) * 0.08;
    assert!((up - (8e3 + first) * 1e-9).abs() < 1e-12);
    assert!((crossing(of(1, 1e6), of(1, 1e6)) - up - down).abs() < 1e-12);
    assert!((crossing(of(2, 1e6), of(0, 0.0)) - 2.0 * up).abs() < 1e-12);
    let small = crossing(of(1, 1e3), of(0, 0.0));
    assert!((small - (8e3 + 160.0) * 1e-9).abs() < 1e-12);
}

#[test]
fn under_a_serial_loop_the_host_hands_over_one_kernel_after_the_other() {
    let outside = on(&card(), &[&[0]], &[1000.0, 1000.0], &Copies::default());
    let inside = on(&card(), &[&[1]], &[1000.0, 1000.0], &Copies::default());
    assert!(total(outside) < total(inside) / 5.0);
    // Kernels that are shorter than what it takes to hand them over leave the card waiting.
    let handing = 1000.0 * card().launch + card().wait;
    assert!((inside.launch.0 - handing * 1e-9).abs() < 1e-9);
    let slow = GpuWeights {
        kernel: 10.0 * card().launch,
        ..card()
    };
    let starved = on(&slow, &[&[1]], &[1000.0, 1000.0], &Copies::default());
    assert!((total(starved) / (1000.0 * slow.kernel * 1e-9) - 1.0).abs() < 0.1);
}

#[test]
fn both_loops_of_a_grid_are_threads() {
    let one = on(&card(), &[&[0]], &[1000.0, 1000.0], &Copies::default());
    let two = on(&card(), &[&[0, 1]], &[1000.0, 1000.0], &Copies::default());
    assert!(total(two) < total(one), "{two:?} {one:?}");
}

#[test]
fn what_is_reduced_is_waited_for() {
    let priced = Priced::new(&loops(2), TrafficPlan::default(), &card());
    let each = |awaited: bool| {
        let axes = apart(vec![on_axes(&[1], awaited)]);
        let trips = |_: LoopId| 100.0;
        priced.seconds(&axes, &Copies::default(), &trips, &LaunchValues::default())
    };
    let more = total(each(true)) - total(each(false));
    assert!(
        (more / (100.0 * card().wait * 1e-9) - 1.0).abs() < 1e-6,
        "{more}"
    );
}

#[test]
fn what_no_grid_has_is_run_by_one_thread() {
    let mut nest = loops(2);
    nest.body.accesses = 4.0;
    let with = |nest: &LoopFeatures| {
        let priced = Priced::new(nest, TrafficPlan::default(), &card());
        let axes = apart(vec![on_axes(&[1], false)]);
        let trips = |_: LoopId| 100.0;
        total(priced.seconds(&axes, &Copies::default(), &trips, &LaunchValues::default()))
    };
    let more = with(&nest) - with(&loops(2));
    // A kernel, and a wait, in each iteration.
    assert!(more > 100.0 * card().wait * 1e-9, "{more}");
}

#[test]
fn the_first_nest_pays_for_the_context() {
    let priced = Priced::new(&loops(1), TrafficPlan::default(), &card());
    assert_eq!(priced.ready(false).0, (1.5e8 + 3e6) * 1e-9);
    assert_eq!(priced.ready(true).0, 3e6 * 1e-9);
}

/// A call in which the second of two loops is on axes: as a kernel in each iteration of the first, and as parts of one.
fn steps(weights: &GpuWeights, steps: f64, threads: f64) -> [OnGpu; 2] {
    let priced = Priced::new(&loops(2), TrafficPlan::default(), weights);
    let trips = |id: LoopId| [steps, threads][id.index()];
    [vec![], vec![LoopId(0)]].map(|cooperative| {
        let axes = Axes {
            cooperative,
            ..apart(vec![on_axes(&[1], false)])
        };
        priced.seconds(&axes, &Copies::default(), &trips, &LaunchValues::default())
    })
}

#[test]
fn short_steps_are_cheaper_as_parts_of_a_kernel() {
    let [apart, one] = steps(&card(), 1000.0, 5000.0);
    // A barrier for each, and nothing to hand over.
    assert!(total(one) < 0.7 * total(apart), "{one:?} {apart:?}");
    assert!(one.launch.0 < 0.01 * apart.launch.0);
    // Threads of one block wait less.
    let [_, block] = steps(&card(), 1000.0, 250.0);
    assert!(total(block) < total(one));
    // Where all threads of the card have something to do, those that have room at once as blocks of a cooperative
    // kernel do it in turns.
    let [apart, one] = steps(&card(), 1000.0, 1e7);
    assert!(total(one) > total(apart), "{one:?} {apart:?}");
}

#[test]
fn kernels_are_cooperative_where_it_was_measured_what_that_takes() {
    let unknown = GpuWeights {
        barrier: None,
        ..card()
    };
    let chosen = |weights: &GpuWeights, asked: Option<Cooperation>| {
        let priced = Priced::new(&loops(2), TrafficPlan::default(), weights);
        let cooperative = Axes {
            cooperative: vec![LoopId(0)],
            ..apart(vec![on_axes(&[1], false)])
        };
        let ways = [apart(vec![on_axes(&[1], false)]), cooperative];
        let trips = |_: LoopId| 1000.0;
        let asked = asked.unwrap_or(priced.cooperation());
        let values = LaunchValues::default();
        let best = priced.cheapest(ways.iter(), asked, &Copies::default(), &trips, &values);
        best.map(|(k, _)| k)
    };
    assert_eq!(chosen(&card(), None), Some(1));
    assert_eq!(chosen(&unknown, None), Some(0));
    assert_eq!(chosen(&unknown, Some(Cooperation::Always)), Some(1));
    assert_eq!(chosen(&card(), Some(Cooperation::Never)), Some(0));
}
