use nestwise_analysis::LaunchValues;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_ir::{LoopWork, Tally, Work};
use proptest::prelude::*;

use crate::choose_device::*;
use crate::correction::Lesson;
use crate::estimate::compute::ByBound;
use crate::features::{Counts, Features, LoopFeatures};
use crate::profile::Caches;

/// The state that a call finds long after the call before.
const COLD: Ready = Ready {
    caches: Caches::Cold,
    asleep: true,
};

fn features(body: Counts, work: &[(Work, f64)]) -> Features {
    let mut tally = Tally::default();
    work.iter().for_each(|(kind, n)| tally.add(*kind, *n));
    let top = LoopFeatures {
        id: LoopId(0),
        reached: 1.0,
        body,
        work: LoopWork {
            reached: 1.0,
            once: false,
            leaves: false,
            body: tally,
        },
        inner: vec![],
    };
    Features {
        top,
        entry: Tally::default(),
        nodes: 10.0,
        vectors: false,
    }
}

fn prices(body: Counts) -> Prices {
    let work = [
        (Work::RangeStep, 1.0),
        (Work::NumpyFloat, 2.0),
        (Work::ArrayGet, 3.0),
    ];
    let features = features(body, &work);
    let profile = MachineProfile::default();
    Prices::new(&features, &TrafficPlan::default(), 8, &profile)
}

fn situation() -> Situation {
    let mut launch = LaunchTally::default();
    launch.add(LaunchWork::Launch, 1.0);
    Situation {
        quick: None,
        bind: launch,
        convert: LaunchTally::default(),
        undo: [Undo::default(); 2],
        compiled: [true; 3],
        lost: [Seconds(0.0); 3],
        rest: 1.0,
        measured: None,
        threads: 2,
        forks: 1.0,
        copied_bytes: 0.0,
        fresh: Fresh::default(),
        native: [Compute::default(); 2],
        gpu: None,
        settle: Seconds(0.0),
        ready: Ready::default(),
    }
}

#[test]
fn what_is_small_with_warm_caches_too_is_told() {
    let cold = Situation {
        ready: COLD,
        ..situation()
    };
    let body = Counts {
        simple_ops: 2.0,
        accesses: 3.0,
        ..Counts::default()
    };
    let sizes = (0..40).map(|k| 1.3f64.powi(k));
    let (mut anyway, mut cold_alone) = (0, 0);
    for n in sizes {
        let decision = decided(body, n, false, &cold);
        if decision.device != Device::Interpreter {
            continue;
        }
        let warm = decided(body, n, false, &situation()).device == Device::Interpreter;
        assert!(warm || !decision.anyway, "{n}");
        *(if decision.anyway {
            &mut anyway
        } else {
            &mut cold_alone
        }) += 1;
    }
    assert!(anyway > 0 && cold_alone > 0, "{anyway} {cold_alone}");
}

/// The interpreter's code for a kind of operation is fetched once, however often it runs.
#[test]
fn cold_code_takes_by_its_kinds() {
    let profile = MachineProfile::default();
    let takes = |work: &[(Work, f64)], n: f64| {
        let features = features(Counts::default(), work);
        let prices = Prices::new(&features, &TrafficPlan::default(), 8, &profile);
        let [cold, warm] = [COLD, Ready::default()].map(|ready| {
            let situation = Situation {
                ready,
                ..situation()
            };
            let learned = Learned::default();
            decide(&prices, &profile, &|_| n, &situation, &learned).interpreted
        });
        (cold.0 - warm.0) * 1e9
    };
    let weights = &profile.cold;
    let one = [(Work::NumpyFloat, 40.0)];
    let two = [(Work::NumpyFloat, 3.0), (Work::ArrayGet, 1.0)];
    assert!((takes(&one, 0.0) - weights.interpreter).abs() < 1e-3);
    for n in [1.0, 50.0] {
        for (work, kinds) in [(&one[..], 1.0), (&two[..], 2.0)] {
            let expected = weights.interpreter + weights.kind * kinds;
            assert!((takes(work, n) - expected).abs() < 1e-3);
        }
    }
}

#[test]
fn what_a_card_has_computed_has_to_come_down_for_everybody_else() {
    let body = Counts::default();
    let without = decided(body, 1e6, false, &situation());
    let settle = Seconds(1e-3);
    let with = decided(
        body,
        1e6,
        false,
        &Situation {
            settle,
            ..situation()
        },
    );
    for device in Device::ALL {
        let more = with.of(device).total().0 - without.of(device).total().0;
        let expected = if device == Device::Gpu { 0.0 } else { settle.0 };
        // There is no card here: that stays infinite.
        assert!(
            more.is_nan() || (more - expected).abs() < 1e-12,
            "{device}: {more}"
        );
    }
}

/// A decision for a nest of one loop of `n` iterations.
fn decided(body: Counts, n: f64, vectorised: bool, situation: &Situation) -> Decision {
    decided_with(&Learned::default(), body, n, vectorised, situation)
}

fn decided_with(
    learned: &Learned,
    body: Counts,
    n: f64,
    vectorised: bool,
    situation: &Situation,
) -> Decision {
    let prices = prices(body);
    let native = prices.guess(vectorised, &|_| n, &LaunchValues::default());
    let threaded = Compute {
        forks: situation.native[1].forks,
        ..native
    };
    let situation = Situation {
        native: [native, threaded],
        ..*situation
    };
    decide(
        &prices,
        &MachineProfile::default(),
        &|_| n,
        &situation,
        learned,
    )
}

fn device(n: f64, situation: &Situation) -> Device {
    let body = Counts {
        simple_ops: 2.0,
        accesses: 3.0,
        ..Counts::default()
    };
    decided(body, n, false, situation).device
}

#[test]
fn sizes_move_the_decision_from_interpreter_to_serial_to_threads() {
    assert_eq!(device(1.0, &situation()), Device::Interpreter);
    assert_eq!(device(1_000.0, &situation()), Device::Serial);
    assert_eq!(device(10_000_000.0, &situation()), Device::Threads);
}

#[test]
fn a_call_that_comes_seldom_has_to_gain_more() {
    let least = |caches: Caches| {
        let situation = Situation {
            ready: Ready {
                caches,
                asleep: caches.are_cold(),
            },
            ..situation()
        };
        (1..).find(|n| device(f64::from(*n), &situation) == Device::Serial)
    };
    let [often, shared, seldom] =
        [Caches::Warm, Caches::Shared, Caches::Cold].map(|c| least(c).unwrap());
    assert!(
        often < shared && shared < seldom,
        "{often} {shared} {seldom}"
    );
    assert!(often * 2 < seldom && seldom < often * 6, "{often} {seldom}");
}

#[test]
fn a_kernel_of_which_no_loop_is_worth_a_start_has_nothing_for_threads() {
    let mut situation = situation();
    situation.native[1].forks = Some(0.0);
    assert_eq!(device(10_000_000.0, &situation), Device::Serial);
}

/// No thread is started where no loop is worth it, but the kernel for threads may have loops of another form.
#[test]
fn a_kernel_for_threads_may_be_the_faster_one_on_one_core() {
    let prices = prices(Counts::default());
    let slow = prices.guess(false, &|_| 1e6, &LaunchValues::default());
    let times = |part: f64| {
        let fast = Compute {
            alone: ByBound {
                compute: slow.total() * part,
                ..ByBound::default()
            },
            shared: ByBound::default(),
            forks: Some(0.0),
        };
        let situation = Situation {
            native: [slow, fast],
            ..situation()
        };
        let profile = MachineProfile::default();
        let all = decide(&prices, &profile, &|_| 1e6, &situation, &Learned::default());
        (all.device, all.of(Device::Threads))
    };
    let (device, estimate) = times(0.5);
    assert_eq!(device, Device::Threads);
    assert_eq!(estimate.fork_join, Seconds(0.0));
    assert!((estimate.compute.0 / slow.total().0 - 0.5).abs() < 1e-9);
    // As everywhere, a tenth is the least to leave one core's kernel for.
    assert_eq!(times(0.95).0, Device::Serial);
}

/// A call that CPython runs only because of what was learned is asked about each time: that must be worth it.
#[test]
fn launches_teach_to_leave_calls_only_if_asking_each_time_is_worth_it() {
    let body = Counts {
        simple_ops: 2.0,
        accesses: 3.0,
        ..Counts::default()
    };
    let alone = Situation {
        threads: 1,
        ..situation()
    };
    let taught = |n: f64, times: f64| {
        let plain = decided(body, n, false, &alone);
        assert_eq!(plain.device, Device::Serial);
        let modelled = plain.of(Device::Serial).compute;
        let mut learned = Learned::default();
        let longer = plain.interpreted.0 - plain.estimate.total().0
            + times * plain.of(Device::Serial).bind.0;
        for _ in 0..20 {
            learned.add(&Lesson {
                device: Device::Serial,
                modelled,
                measured: Seconds(modelled.0 + longer),
                launches: 10,
                trial: None,
                guessed: false,
            });
        }
        decided_with(&learned, body, n, false, &alone).device
    };
    let least = (1..)
        .map(f64::from)
        .find(|n| device(*n, &alone) == Device::Serial);
    // Longer than CPython by half of what asking takes, and by many times that.
    assert_eq!(taught(least.unwrap() + 1.0, 0.5), Device::Serial);
    assert_eq!(taught(1e4, 1e5), Device::Interpreter);
}

/// A byte copied for rolling back costs more where no cache holds it, and only on the device that copies it.
#[test]
fn copies_for_undo_come_through_the_caches_that_are_too_small() {
    let with = |bytes: f64, device: usize| {
        let mut all = situation();
        all.undo[device].work.add(LaunchWork::UndoByte, bytes);
        all.undo[device].at_once = bytes;
        all
    };
    let terms = |situation: &Situation| {
        let decision = decided(Counts::default(), 1e6, false, situation);
        [Device::Serial, Device::Threads].map(|d| decision.of(d).undo.0)
    };
    let none = terms(&situation());
    let caches = MachineProfile::default().host.caches;
    let byte = |bytes: f64| (terms(&with(bytes, 1))[1] - none[1]) / bytes;
    let (small, large, huge) = (
        byte(caches[0] / 4.0),
        byte(caches[1]),
        byte(caches[2] * 2.0),
    );
    assert!(small < large && large < huge, "{small} {large} {huge}");
    assert_eq!(terms(&with(1e6, 1))[0], none[0]);
    assert_eq!(terms(&with(1e6, 0))[1], none[1]);
}

#[test]
fn a_few_of_many_threads_are_enough_for_little() {
    let many = Situation {
        threads: 48,
        ..situation()
    };
    let body = Counts {
        simple_ops: 2.0,
        accesses: 3.0,
        ..Counts::default()
    };
    let on = |n: f64| decided(body, n, false, &many).of(Device::Threads).threads;
    let numbers = [1e4, 1e5, 1e6, 1e7, 1e8].map(on);
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert!(numbers[0] < 8 && numbers[4] == 48, "{numbers:?}");
    // Nobody asks what is best where a number is given.
    let forced = decided(body, 1e4, false, &many).forced(Device::Threads);
    assert_eq!(forced.estimate.threads, 0);
}

#[test]
fn what_runs_on_threads_is_looked_at_in_full() {
    let bind = |situation: &Situation, device: Device| {
        let decision = decided(Counts::default(), 1e6, false, situation);
        decision.of(device).bind.0
    };
    let at_a_glance = situation();
    let more = bind(&at_a_glance, Device::Threads) - bind(&at_a_glance, Device::Serial);
    let full = MachineProfile::default().call.get(LaunchWork::Full) * 1e-9;
    assert!((more - full).abs() < 1e-12, "{more}");
    let mut in_full = situation();
    in_full.bind.add(LaunchWork::Full, 1.0);
    let both = [Device::Serial, Device::Threads].map(|device| bind(&in_full, device));
    assert_eq!(both[0], both[1]);
}

#[test]
fn untouched_memory_costs_every_device_and_threads_the_least() {
    let pages = |bytes: f64, device: Device| {
        let mut fresh = Fresh::default();
        fresh.add(bytes, bytes);
        let call = Situation {
            fresh,
            ..situation()
        };
        let with = decided(Counts::default(), 1e6, false, &call).of(device);
        let without = decided(Counts::default(), 1e6, false, &situation()).of(device);
        let more = with.warm().0 - without.warm().0;
        assert!((more - with.pages.0).abs() < 1e-12, "{more}");
        with.pages.0
    };
    for device in [Device::Interpreter, Device::Serial, Device::Threads] {
        let [one, two] = [1e6, 2e6].map(|bytes| pages(bytes, device));
        assert!(
            (two / one - 2.0).abs() < 1e-9 && one > 0.0,
            "{device} {one} {two}"
        );
        // Large pages are fewer.
        assert!(pages(2e7, device) < 10.0 * two, "{device}");
    }
    assert_eq!(pages(1e6, Device::Interpreter), pages(1e6, Device::Serial));
    assert!(pages(1e6, Device::Threads) < pages(1e6, Device::Serial));
    assert!(pages(1e6, Device::Threads) > pages(1e6, Device::Serial) / 2.0);
}

#[test]
fn a_card_is_chosen_where_what_crosses_is_little_next_to_what_it_saves() {
    let on = |transfer: f64, ready: f64| {
        let gpu = OnGpu {
            transfer: Seconds(transfer),
            launch: Seconds(2e-5),
            compute: Seconds(1e-4),
        };
        let call = Situation {
            gpu: Some((gpu, Seconds(ready))),
            ..situation()
        };
        let body = Counts {
            simple_ops: 2.0,
            accesses: 3.0,
            ..Counts::default()
        };
        decided(body, 1e7, false, &call)
    };
    let (fast, slow) = (on(1e-4, 0.0), on(1.0, 0.0));
    assert_eq!((fast.device, fast.wanted), (Device::Gpu, Device::Gpu));
    assert_eq!(slow.device, Device::Threads);
    assert_eq!(fast.of(Device::Gpu).transfer, Seconds(1e-4));
    // Without one nothing of it is priced.
    let without = decided(Counts::default(), 1e7, false, &situation());
    assert_eq!(without.of(Device::Gpu).total(), Seconds::INFINITE);
}

#[test]
fn a_card_is_waited_for_until_as_much_was_lost() {
    let gpu = OnGpu {
        compute: Seconds(1e-4),
        ..OnGpu::default()
    };
    let body = Counts {
        simple_ops: 2.0,
        accesses: 3.0,
        ..Counts::default()
    };
    let after = |lost: f64| {
        let call = Situation {
            compiled: [true, true, false],
            lost: [Seconds(0.0), Seconds(0.0), Seconds(lost)],
            gpu: Some((gpu, Seconds(0.15))),
            ..situation()
        };
        decided(body, 1e7, false, &call)
    };
    let first = after(0.0);
    assert_eq!((first.device, first.wanted), (Device::Threads, Device::Gpu));
    let (other, missed) = first.missed().expect("something is missed");
    assert!(first.for_now && other == Device::Gpu && missed.0 > 0.0);
    assert_eq!(after(1.0).device, Device::Gpu);
}

#[test]
fn a_loop_whose_pace_is_known_has_touched_what_it_touches() {
    let mut fresh = Fresh::default();
    fresh.add(1e6, 1e6);
    let halfway = Situation {
        fresh,
        measured: Some(Seconds(0.5)),
        ..situation()
    };
    let decision = decided(Counts::default(), 1e6, false, &halfway);
    assert_eq!(decision.interpreted, Seconds(0.5));
}

#[test]
fn threads_have_to_promise_a_tenth() {
    let with = |copied_bytes: f64| {
        let copying = Situation {
            copied_bytes,
            ..situation()
        };
        let body = Counts {
            simple_ops: 2.0,
            accesses: 3.0,
            ..Counts::default()
        };
        decided(body, 1e7, false, &copying)
    };
    // The least that speaks against them: so much to copy that they are no longer chosen, while they still look better.
    let mut bytes = 1.0;
    while with(bytes).device == Device::Threads {
        bytes *= 1.02;
    }
    let found = with(bytes);
    assert_eq!(
        (found.device, found.wanted),
        (Device::Serial, Device::Serial)
    );
    assert!(found.of(Device::Threads).total() < found.of(Device::Serial).total());
    assert_eq!(found.missed(), None);
}

#[test]
fn compilation_is_charged_once_and_waived_when_as_much_was_lost() {
    let cold = Situation {
        compiled: [false; 3],
        ..situation()
    };
    assert_eq!(device(1_000.0, &cold), Device::Interpreter);
    let lost = Situation {
        lost: [Seconds(1.0); 3],
        ..cold
    };
    assert_eq!(device(1_000.0, &lost), Device::Serial);
}

#[test]
fn a_kernel_for_threads_is_waited_for_until_as_much_was_lost() {
    let n = 200_000.0;
    assert_eq!(device(n, &situation()), Device::Threads);
    let body = Counts {
        simple_ops: 2.0,
        accesses: 3.0,
        ..Counts::default()
    };
    let one = Situation {
        compiled: [true, false, false],
        ..situation()
    };
    let first = decided(body, n, false, &one);
    assert!(first.device == Device::Serial && first.for_now);
    let lost = Situation {
        lost: [Seconds(0.0), Seconds(1.0), Seconds(0.0)],
        ..one
    };
    let then = decided(body, n, false, &lost);
    assert!(then.device == Device::Threads && !then.for_now);
    // The other way round, too.
    let several = Situation {
        compiled: [false, true, false],
        ..situation()
    };
    let small = decided(body, 2_000.0, false, &several);
    assert!(small.device != Device::Serial);
    assert!(small.for_now || small.waits_for_compile);
    // Where threads gain nothing, nothing is waited for.
    assert!(!decided(body, 1_000.0, false, &one).for_now);
}

#[test]
fn a_pace_that_was_measured_counts_more_than_the_model() {
    let slow = Situation {
        compiled: [false; 3],
        rest: 0.5,
        measured: Some(Seconds(1.0)),
        ..situation()
    };
    assert_eq!(device(10.0, &slow), Device::Serial);
    let fast = Situation {
        measured: Some(Seconds(1e-7)),
        ..slow
    };
    assert_eq!(device(100_000.0, &fast), Device::Interpreter);
}

#[test]
fn a_forced_device_has_its_own_price() {
    let alone = Situation {
        threads: 1,
        ..situation()
    };
    let body = Counts {
        simple_ops: 2.0,
        ..Counts::default()
    };
    let best = decided(body, 1.0, false, &alone);
    assert_eq!(best.device, Device::Interpreter);
    let serial = best.forced(Device::Serial);
    assert!(serial.estimate.compute.0 < best.estimate.compute.0);
    assert_eq!(best.forced(Device::Threads).estimate, serial.estimate);
}

#[test]
fn vectors_make_calls_shorter_that_have_a_vector_form() {
    let compute = |vector_calls: f64, vectorised: bool| {
        let body = Counts {
            calls: 1.0,
            vector_calls,
            ..Counts::default()
        };
        let alone = Situation {
            threads: 1,
            ..situation()
        };
        let decision = decided(body, 1e6, vectorised, &alone);
        decision.forced(Device::Serial).estimate.compute
    };
    assert_eq!(compute(0.0, false), compute(1.0, false));
    assert!(compute(1.0, true) < compute(0.0, true) * 0.5);
}

/// A loop in a loop, the inner one reached `share` times in an iteration of the outer one.
fn nested(outer: &[(Work, f64)], inner: &[(Work, f64)], share: f64) -> Prices {
    let mut top = features(Counts::default(), outer);
    let mut inside = features(Counts::default(), inner).top;
    inside.id = LoopId(1);
    inside.work.reached = share;
    top.top.inner.push(inside);
    top.entry.add(Work::ForLoop, 1.0);
    Prices::new(&top, &TrafficPlan::default(), 8, &MachineProfile::default())
}

proptest! {
    /// What CPython takes is the sum of what its loops take, each times its trips, and never less for more.
    #[test]
    fn interpreted_times_add_up(
        a in 0.0..50.0f64, b in 0.0..50.0f64, share in 0.0..1.0f64,
        n in 0.0..1e6f64, m in 0.0..1e6f64,
    ) {
        let price = |a: f64, b: f64, n: f64, m: f64| {
            let prices = nested(&[(Work::IntAdd, a)], &[(Work::ArrayGet, b)], share);
            let trips = |id: LoopId| if id.index() == 0 { n } else { m };
            prices.interpreted(&trips).0
        };
        let empty = price(0.0, 0.0, n, m);
        let w = &MachineProfile::default().interpreter;
        prop_assert_eq!(empty, w.get(Work::ForLoop) * 1e-9);
        let each = (price(a, 0.0, n, m) - empty) + (price(0.0, b, n, m) - empty);
        let both = price(a, b, n, m) - empty;
        prop_assert!((both - each).abs() <= 1e-9 * (both + empty));
        let inner = b * w.get(Work::ArrayGet) * share * n * m * 1e-9;
        prop_assert!((price(0.0, b, n, m) - empty - inner).abs() <= 1e-9 * (inner + empty));
        prop_assert!(price(a, b, n + 1.0, m) >= price(a, b, n, m));
        prop_assert!(price(a, b, n, m + 1.0) >= price(a, b, n, m));
    }
}

#[test]
fn a_launch_costs_what_it_does() {
    let mut more = situation();
    more.convert.add(LaunchWork::FloatIn, 1000.0);
    let profile = MachineProfile::default();
    let serial = |s: &Situation| {
        let learned = Learned::default();
        let decision = decide(&prices(Counts::default()), &profile, &|_| 1.0, s, &learned);
        decision.forced(Device::Serial).estimate
    };
    let (plain, lists) = (serial(&situation()), serial(&more));
    let nanos = 1000.0 * profile.call.get(LaunchWork::FloatIn);
    assert_eq!(plain.convert, Seconds(0.0));
    assert_eq!(lists.convert, Seconds::from_nanos(nanos));
    assert_eq!(lists.bind, plain.bind);
}

#[test]
fn estimates_grow_with_trip_counts() {
    let p = prices(Counts {
        simple_ops: 1.0,
        ..Counts::default()
    });
    let mut last = (Seconds(0.0), Seconds(0.0));
    for n in [1.0, 10.0, 1e6, 1e12] {
        let guess = p.guess(false, &|_| n, &LaunchValues::default());
        let now = (p.interpreted(&|_| n), guess.total());
        assert!(now.0 > last.0 && now.1 > last.1);
        last = now;
    }
}

/// Sums and products that NumPy's own loops do take as long in compiled code as in CPython; products of matrices use
/// all cores, whoever calls them.
#[test]
fn what_numpy_does_itself_costs_the_same_everywhere() {
    let profile = MachineProfile::default();
    let priced = |work: &[(Work, f64)]| {
        let features = features(Counts::default(), work);
        let prices = Prices::new(&features, &TrafficPlan::default(), 8, &profile);
        let trips = |_| 1e6;
        let guess = prices.guess(false, &trips, &LaunchValues::default());
        (prices.interpreted(&trips).0, guess)
    };
    let (plain, compiled) = priced(&[]);
    for (kind, alone) in [(Work::ArraySum, false), (Work::ArrayProduct, true)] {
        let more = 1e6 * 3.0 * profile.interpreter.get(kind) * 1e-9;
        let (interpreted, with) = priced(&[(kind, 3.0)]);
        assert!((interpreted - plain - more).abs() < 1e-9 * more);
        let [shared, rest] = [with.shared, with.alone].map(|t| t.total().0);
        let added = if alone {
            rest
        } else {
            shared - compiled.shared.total().0
        };
        assert!((added - more).abs() < 1e-9 * (more + shared), "{kind:?}");
    }
}
