//! What launches tell of a nest's estimates.
//!
//! A measured time says how far off the model is, on that device and near that size. Estimates of a nest are corrected
//! by a mean of the logarithms of such ratios, weighted by how near in size they were measured (the Nadaraya-Watson
//! estimator: Nadaraya, "On estimating regression", 1964), in which the model's own word counts as one observation.
//! So one measurement says little, and some of them nearly all. What is kept of a size is a median: a launch that was
//! delayed by something else says nothing.

use std::cmp::Ordering;

use crate::device::Device;
use crate::estimate::prices::Estimate;
use crate::profile::Caches;
use crate::units::Seconds;

/// The number of recent ratios whose median is taken.
const RECENT: usize = 5;
/// The weight of the model's own word, in measurements at the very size.
const PRIOR: f64 = 0.5;
/// How much less a measurement counts for each factor of two in size.
const FADING: f64 = 0.5;
/// The seconds from which a launch is long: what happens only once hardly delays it, so its first time is as good as
/// any.
const LONG: f64 = 1e-3;
/// The share of a nest's time that may be lost by trying the device that looks worse.
const TRIED_SHARE: f64 = 0.05;
/// What a trial is expected to lose where both devices look alike, as a share of its time: estimates err by a factor of
/// 1.6 or so, either way.
const RISK: f64 = 0.2;
/// How many times as long as the chosen device another may be estimated to take and still be tried: estimates err by
/// that much now and then.
const BAND: f64 = 2.0;
/// The change of a median (a logarithm) that is worth deciding anew the first time; it is doubled each time after.
const MOVED: f64 = 0.25;
/// The launches near a size, if all are short, before decisions are looked at again: with fewer there is no time for a
/// trial.
const SOME: u64 = 8;
/// [`SOME`] where a launch was long: beside it the time of a decision is negligible.
const SOME_LONG: u64 = 4;
/// The weight of measurements near a size from which a device counts as known there.
const KNOWN: f64 = 2.0;
/// A known device is tried again after this many launches, as others may have had its cores before, if a launch takes
/// longer than [`WORTH_AN_ATTEMPT`] seconds; such a trial may lose only [`TRIED_AGAIN_SHARE`].
const AGAIN: u64 = 16;
const WORTH_AN_ATTEMPT: f64 = 100e-6;
const TRIED_AGAIN_SHARE: f64 = 0.01;

/// The corrections of one nest.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    devices: [Vec<Octave>; 4],
    /// Measurements of what is around a kernel: binding, converting, writing back.
    around: Vec<Octave>,
    /// Whether no value of a call told how long its loops run: what is wrong with one device's estimate is wrong with
    /// all.
    lengths_guessed: bool,
    /// The number of launches so far.
    launches: u64,
    /// `spent`: the seconds that all launches took; `lost`: the seconds that trials took more than the other device
    /// would have.
    spent: f64,
    lost: f64,
    /// `tried`: the number of the launch that was the last trial; `promising`: whether it took less than the other
    /// device would have.
    tried: u64,
    promising: bool,
}

/// Measurements of launches whose modelled times lie within one factor of two.
#[derive(Clone, Debug)]
struct Octave {
    of: i32,
    /// Logarithms of measured over modelled time, the oldest replaced by the next.
    recent: [f64; RECENT],
    count: usize,
    /// The number of launches that the measurements stand for.
    launches: u64,
    /// `told`: the median when decisions were last said to be in doubt; `moves`: how often it had moved by then.
    told: Option<f64>,
    moves: u32,
    /// Whether one of the launches was long ([`LONG`]).
    long: bool,
}

impl Octave {
    /// The octave of a modelled time in seconds, added if there is none yet.
    fn at(octaves: &mut Vec<Octave>, modelled: f64) -> &mut Octave {
        let of = octave(modelled);
        let at = octaves.iter().position(|o| o.of == of);
        let at = at.unwrap_or_else(|| {
            octaves.push(Octave {
                of,
                recent: [0.0; RECENT],
                count: 0,
                launches: 0,
                told: None,
                moves: 0,
                long: false,
            });
            octaves.len() - 1
        });
        &mut octaves[at]
    }

    /// The weighted sum of what was measured near a modelled time, and the sum of the weights; `usual` picks the value
    /// that stands for an octave.
    fn near(octaves: &[Octave], modelled: f64, usual: fn(&Octave) -> f64) -> (f64, f64) {
        let at = octave(modelled);
        octaves.iter().fold((0.0, 0.0), |(sum, weights), o| {
            let w = o.weight() * FADING.powi((o.of - at).abs());
            (sum + w * usual(o), weights + w)
        })
    }

    /// Takes in a measurement in seconds, which stands for `launches` launches. True if decisions may change by it.
    fn add(&mut self, modelled: f64, measured: f64, launches: u32) -> bool {
        self.recent[self.count % RECENT] = (measured / modelled).ln();
        self.count += 1;
        self.long |= measured > LONG;
        let launches = self.launches + u64::from(launches.max(1));
        let some = if self.long { SOME_LONG } else { SOME };
        let doubled = launches >= some && launches.ilog2() > self.launches.max(1).ilog2();
        let again = measured > WORTH_AN_ATTEMPT && launches / AGAIN != self.launches / AGAIN;
        self.launches = launches;
        // Estimates move, or there may be time for a trial.
        self.has_moved() || doubled || again
    }

    /// The least of the recent logarithms.
    fn least(&self) -> f64 {
        let all = &self.recent[..self.count.min(RECENT)];
        all.iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
            .min(f64::MAX)
    }

    /// The lower median of the recent logarithms; 0 if there are none.
    fn median(&self) -> f64 {
        let mut all = self.recent;
        let all = &mut all[..self.count.min(RECENT)];
        all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        all.get((all.len().max(1) - 1) / 2).copied().unwrap_or(0.0)
    }

    /// Whether the median is far from where it was last told; farther each time, since times that scatter teach
    /// nothing.
    fn has_moved(&mut self) -> bool {
        let now = self.median();
        let far = MOVED * f64::from(1u32 << self.moves.min(4));
        if self.weight() == 0.0 || self.told.is_some_and(|then| (then - now).abs() < far) {
            return false;
        }
        self.moves += u32::from(self.told.is_some());
        self.told = Some(now);
        true
    }

    /// The weight of the median: the recent measurements, less one if none was long, since the first short launch finds
    /// caches and branch predictors cold.
    fn weight(&self) -> f64 {
        let cold = usize::from(!self.long);
        self.count.min(RECENT).saturating_sub(cold) as f64
    }
}

fn octave(seconds: f64) -> i32 {
    seconds.max(1e-12).log2().floor() as i32
}

/// A launch that was measured, or a run by CPython.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// Where the launch ran.
    pub device: Device,
    /// What the model expects the launch to take, uncorrected.
    pub modelled: Seconds,
    /// What the launch took.
    pub measured: Seconds,
    /// The number of launches that this one stands for.
    pub launches: u32,
    /// What the other device would have taken, if the launch was a trial.
    pub trial: Option<Seconds>,
    /// Whether no value of the call told how often its loops run.
    pub guessed: bool,
}

impl Learned {
    /// Takes in a launch. True if decisions may change by it, which happens less often the more is known.
    pub fn add(&mut self, lesson: &Lesson) -> bool {
        let (modelled, measured) = (lesson.modelled.0, lesson.measured.0);
        let usable = |s: f64| s.is_finite() && s > 0.0;
        if !usable(modelled) || !usable(measured) {
            return false;
        }
        self.lengths_guessed |= lesson.guessed;
        self.launches += u64::from(lesson.launches);
        let launches = f64::from(lesson.launches);
        self.spent += measured * launches;
        let lost = lesson.trial.map_or(0.0, |other| measured - other.0);
        self.lost += lost.max(0.0) * launches;
        if let Some(other) = lesson.trial {
            (self.tried, self.promising) = (self.launches, measured < other.0);
        }
        let promising = lesson.trial.is_some() && self.promising;
        let octaves = &mut self.devices[lesson.device as usize];
        Octave::at(octaves, modelled).add(modelled, measured, lesson.launches) || promising
    }

    /// The number of launches so far.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// Takes in what a launch took around its kernel, which stands for `launches` launches. True if decisions may
    /// change by it.
    pub fn add_around(&mut self, modelled: Seconds, measured: Seconds, launches: u32) -> bool {
        let usable = |s: Seconds| s.0.is_finite() && s.0 > 0.0;
        usable(modelled)
            && usable(measured)
            && Octave::at(&mut self.around, modelled.0).add(modelled.0, measured.0, launches)
    }

    /// The weighted sum of what was measured on a device near a modelled time, and the sum of the weights.
    fn near(&self, device: Device, modelled: Seconds) -> (f64, f64) {
        Octave::near(&self.devices[device as usize], modelled.0, Octave::median)
    }

    /// The logarithm of the correction for a device near a modelled time; `prior` is its value where nothing was
    /// measured.
    fn log_factor(&self, device: Device, modelled: Seconds, prior: f64) -> f64 {
        let (sum, weights) = self.near(device, modelled);
        (PRIOR * prior + sum) / (PRIOR + weights)
    }

    /// Corrects the estimates of one call, in the order of [`Device`].
    pub fn correct(&self, estimates: &mut [Estimate; 4], caches: Caches) {
        if self.devices.iter().all(Vec::is_empty) {
            return;
        }
        for estimate in &mut estimates[1..] {
            // What calls take that find the caches cold is mostly around the kernel, and CPython is slower then, too,
            // which nobody measures. If those times corrected the estimates of the next calls, CPython would run them
            // for ever: so cold calls keep the model's price, and warm ones are corrected by the least that was
            // measured.
            let (sum, weights) = Octave::near(&self.around, estimate.raw_around.0, Octave::least);
            let factor = (sum / (PRIOR + weights)).exp();
            estimate.correct_around(if caches.are_cold() { 1.0 } else { factor });
        }
        let modelled = estimates.map(|e| e.modelled());
        for device in Device::ALL {
            let estimate = &mut estimates[device as usize];
            let own = modelled[device as usize];
            if !own.0.is_finite() || own.0 <= 0.0 {
                continue;
            }
            let told = self.informants(device).iter().find_map(|other| {
                let at = modelled[*other as usize];
                (self.near(*other, at).1 > 0.0).then(|| self.log_factor(*other, at, 0.0))
            });
            // The other device's loops are the same, what starts them is not.
            let share = estimate.compute.0 / own.0;
            let prior = told.map_or(0.0, |t| {
                (1.0 + ((t * self.shared()).exp() - 1.0) * share).ln()
            });
            estimate.correct(self.log_factor(device, own, prior).exp());
        }
    }

    /// The part of a correction that another device shares: all, where lengths were guessed wrongly; else the loops may
    /// be what was wrong about both, or something of the one alone.
    fn shared(&self) -> f64 {
        if self.lengths_guessed { 1.0 } else { 0.5 }
    }

    /// The devices whose corrections hold for another, too, until that one is measured itself.
    fn informants(&self, device: Device) -> &'static [Device] {
        match (device, self.lengths_guessed) {
            // Nothing of a card's kernels is a core's.
            (Device::Interpreter, false) | (Device::Gpu, _) => &[],
            (Device::Interpreter, true) => &[Device::Serial, Device::Threads],
            (Device::Serial, false) => &[Device::Threads],
            (Device::Serial, true) => &[Device::Threads, Device::Interpreter],
            (Device::Threads, false) => &[Device::Serial],
            (Device::Threads, true) => &[Device::Serial, Device::Interpreter],
        }
    }

    /// Whether CPython is worth trying, although the native device `chosen` looks better: both look much alike, the call
    /// is short, and what that may lose is a small share of all the nest took. The first calls that CPython was measured
    /// at found the machine busy with plans and kernels.
    pub fn tries_interpreter(&self, chosen: Device, ranked: &[(Device, Estimate); 4]) -> bool {
        let of = |device: Device| Some(ranked.iter().find(|r| r.0 == device)?.1.warm());
        let (Some(best), Some(interpreted)) = (of(chosen), of(Device::Interpreter)) else {
            return false;
        };
        let loss = (interpreted.0 - best.0).max(0.0) + RISK * interpreted.0;
        chosen != Device::Interpreter
            && best.0 < LONG
            && interpreted.0 < best.0 * BAND
            && self.lost + loss <= TRIED_SHARE * self.spent
    }

    /// A native device worth trying, although `chosen` looks better: it is not known at this size, or was not tried for
    /// some time, looks not much worse, and what that may lose, with `compile` where it has no kernel yet, is a small
    /// share of all the nest took.
    pub fn trial(
        &self,
        chosen: Device,
        ranked: &[(Device, Estimate); 4],
        compile: &dyn Fn(Device) -> Seconds,
    ) -> Option<Device> {
        let best = ranked.iter().find(|r| r.0 == chosen)?.1;
        if chosen == Device::Interpreter {
            return None;
        }
        let is_other = |d: Device| d != Device::Interpreter && d != chosen;
        let (other, estimate) = ranked.iter().find(|(d, _)| is_other(*d))?;
        let warm = estimate.warm();
        let known = self.near(*other, estimate.raw).1 >= KNOWN;
        let loss = (warm.0 - best.warm().0).max(0.0) + RISK * warm.0 + compile(*other).0;
        let long = best.warm().0 > WORTH_AN_ATTEMPT;
        let due = self.promising || self.launches >= self.tried + AGAIN;
        let share = match known {
            false => TRIED_SHARE,
            true if long && due => TRIED_AGAIN_SHARE,
            true => 0.0,
        };
        let affordable = self.lost + loss <= share * self.spent;
        let worth = warm.0 < best.warm().0 * BAND && affordable;
        worth.then_some(*other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn estimates(serial: f64, fork_join: f64) -> [Estimate; 4] {
        let compute = |s: f64| Estimate {
            compute: Seconds(s),
            ..Estimate::default()
        };
        let mut all = [
            compute(serial * 100.0),
            compute(serial),
            Estimate {
                fork_join: Seconds(fork_join),
                ..compute(serial / 2.0)
            },
            compute(f64::INFINITY),
        ];
        all.iter_mut().for_each(|e| e.raw = e.modelled());
        all
    }

    fn corrected(learned: &Learned, serial: f64) -> [f64; 4] {
        let mut all = estimates(serial, 0.0);
        learned.correct(&mut all, Caches::Warm);
        all.map(|e| e.total().0)
    }

    fn lesson(device: Device, modelled: f64, measured: f64) -> Lesson {
        Lesson {
            device,
            modelled: Seconds(modelled),
            measured: Seconds(measured),
            launches: 1,
            trial: None,
            guessed: false,
        }
    }

    fn add(learned: &mut Learned, device: Device, modelled: f64, measured: f64, times: usize) {
        for _ in 0..times {
            learned.add(&lesson(device, modelled, measured));
        }
    }

    #[test]
    fn nothing_measured_changes_nothing() {
        let mut all = estimates(1e-5, 1e-6);
        Learned::default().correct(&mut all, Caches::Warm);
        assert_eq!(all, estimates(1e-5, 1e-6));
    }

    #[test]
    fn some_measurements_outweigh_the_model() {
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 1e-5, 2e-5, 5);
        let [interpreter, serial, threads, _] = corrected(&learned, 1e-5);
        assert!((1.8e-5..2.01e-5).contains(&serial), "{serial}");
        // Threads run the same loops on more cores; CPython runs them its own way.
        assert!((0.65e-5..0.75e-5).contains(&threads), "{threads}");
        assert_eq!(interpreter, 1e-3);
    }

    #[test]
    fn the_first_short_launch_says_nothing_and_the_first_long_one_much() {
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 1e-6, 1e-5, 1);
        assert_eq!(corrected(&learned, 1e-6)[1], 1e-6);
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 0.1, 1.0, 1);
        assert!(corrected(&learned, 0.1)[1] > 0.4);
    }

    #[test]
    fn decisions_are_looked_at_again_ever_more_seldom() {
        let mut learned = Learned::default();
        let again = (0..1000).filter(|_| learned.add(&lesson(Device::Serial, 1e-5, 2e-5)));
        let again: Vec<i32> = again.collect();
        assert!((5..15).contains(&again.len()), "{again:?}");
        assert!(!learned.add(&lesson(Device::Serial, 1e-5, 9e-5)));
    }

    #[test]
    fn times_that_scatter_do_not_keep_decisions_in_doubt() {
        let mut learned = Learned::default();
        let scattered = |k: u32| 1e-6 * f64::from(1 + k.wrapping_mul(2_654_435_761) % 4);
        let again =
            (0..10_000).filter(|k| learned.add(&lesson(Device::Serial, 1e-6, scattered(*k))));
        assert!(again.count() < 40);
    }

    #[test]
    fn cpython_is_tried_where_it_looks_much_alike() {
        let ranked = |interpreted: f64| {
            let mut all = estimates(20e-6, 0.0);
            all[0].compute = Seconds(interpreted);
            let mut devices = Device::ALL.into_iter();
            all.map(|estimate| (devices.next().unwrap(), estimate))
        };
        let mut learned = Learned::default();
        let alike = ranked(30e-6);
        assert!(!learned.tries_interpreter(Device::Serial, &alike));
        add(&mut learned, Device::Serial, 20e-6, 20e-6, 100);
        assert!(learned.tries_interpreter(Device::Serial, &alike));
        assert!(!learned.tries_interpreter(Device::Serial, &ranked(50e-6)));
        assert!(!learned.tries_interpreter(Device::Interpreter, &alike));
        let trial = Lesson {
            trial: Some(Seconds(20e-6)),
            ..lesson(Device::Interpreter, 30e-6, 200e-6)
        };
        learned.add(&trial);
        assert!(!learned.tries_interpreter(Device::Serial, &alike));
    }

    #[test]
    fn one_delay_among_others_does_not_count() {
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 1e-5, 1e-5, 3);
        add(&mut learned, Device::Serial, 1e-5, 1e-2, 1);
        let serial = corrected(&learned, 1e-5)[1];
        assert!((serial / 1e-5 - 1.0).abs() < 0.01, "{serial}");
    }

    #[test]
    fn what_was_measured_far_away_counts_less() {
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 1e-5, 4e-5, 5);
        let factor = |at: f64| corrected(&learned, at)[1] / at;
        assert!(factor(1e-5) > factor(1e-4) && factor(1e-4) > factor(1e-2));
        assert!(factor(1e-2) < 1.1);
    }

    #[test]
    fn starting_threads_is_not_what_one_core_was_wrong_about() {
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 1e-6, 4e-6, 5);
        let mut all = estimates(1e-6, 1e-4);
        learned.correct(&mut all, Caches::Warm);
        assert!(all[2].total().0 < 1.05e-4, "{:?}", all[2]);
    }

    #[test]
    fn what_is_around_kernels_is_corrected_for_both_native_devices() {
        let mut learned = Learned::default();
        add(&mut learned, Device::Serial, 1e-5, 1e-5, 5);
        let bind = Seconds(1e-6);
        let mut all = estimates(1e-5, 0.0).map(|e| Estimate {
            bind,
            raw_around: bind,
            ..e
        });
        (0..5).for_each(|_| {
            learned.add_around(bind, Seconds(2e-5), 1);
        });
        learned.correct(&mut all, Caches::Warm);
        assert_eq!(all[0].bind, bind);
        assert!(all[1].bind.0 > 1.2e-5 && all[2].bind.0 > 1.2e-5);
    }

    #[test]
    fn unknown_lengths_are_wrong_for_every_device() {
        let mut learned = Learned::default();
        learned.add(&Lesson {
            guessed: true,
            ..lesson(Device::Serial, 1e-3, 1e-1)
        });
        add(&mut learned, Device::Serial, 1e-3, 1e-1, 5);
        let [interpreter, _, threads, _] = corrected(&learned, 1e-3);
        assert!(interpreter > 1.0 && threads > 0.01);
    }

    #[test]
    fn a_device_that_looks_a_little_worse_is_tried_within_its_share() {
        let mut learned = Learned::default();
        let all = estimates(1e-4, 0.9e-4);
        let ranked = [
            (Device::Serial, all[1]),
            (Device::Threads, all[2]),
            (Device::Interpreter, all[0]),
            (Device::Gpu, all[3]),
        ];
        let trial =
            |l: &Learned, compile: f64| l.trial(Device::Serial, &ranked, &|_| Seconds(compile));
        assert_eq!(trial(&learned, 0.0), None);
        add(&mut learned, Device::Serial, 1e-4, 1e-4, 100);
        assert_eq!(trial(&learned, 0.0), Some(Device::Threads));
        assert_eq!(trial(&learned, 0.1), None);
        learned.add(&Lesson {
            trial: Some(Seconds(1e-4)),
            ..lesson(Device::Threads, all[2].raw.0, 1e-3)
        });
        assert_eq!(trial(&learned, 0.0), None);
        assert_eq!(
            learned.trial(Device::Interpreter, &ranked, &|_| Seconds(0.0)),
            None
        );
    }

    /// The corrected estimates, and their order with one core before threads.
    fn ranked(learned: &Learned, at: f64) -> ([Estimate; 4], [(Device, Estimate); 4]) {
        let mut all = estimates(at, 0.0);
        learned.correct(&mut all, Caches::Warm);
        let order = [
            Device::Serial,
            Device::Threads,
            Device::Interpreter,
            Device::Gpu,
        ];
        (all, order.map(|device| (device, all[device as usize])))
    }

    #[test]
    fn a_known_device_is_tried_again_and_taken_once_it_is_better() {
        let mut learned = Learned::default();
        let at = 2e-3;
        // Somebody else had the other core.
        add(&mut learned, Device::Threads, at / 2.0, at, 5);
        add(&mut learned, Device::Serial, at, at, 5);
        let (mut trials, mut taken) = (0, None);
        for k in 0..400 {
            let (all, ranked) = ranked(&learned, at);
            if all[2].total().0 < 0.8 * all[1].total().0 {
                taken.get_or_insert(k);
            }
            match learned.trial(Device::Serial, &ranked, &|_| Seconds(0.0)) {
                Some(device) => {
                    trials += 1;
                    // He is gone since the hundredth launch.
                    let took = if k < 100 { at } else { at / 2.0 };
                    learned.add(&Lesson {
                        trial: Some(all[1].total()),
                        ..lesson(device, all[2].raw.0, took)
                    });
                }
                None => add(&mut learned, Device::Serial, at, at, 1),
            }
        }
        let taken = taken.expect("it is found to be better");
        assert!((100..150).contains(&taken), "{taken}");
        assert!(trials < 400);
    }

    #[test]
    fn trying_again_costs_little() {
        let mut learned = Learned::default();
        let at = 1e-3;
        add(&mut learned, Device::Threads, at / 2.0, 1.5 * at, 5);
        add(&mut learned, Device::Serial, at, at, 20);
        let before = learned.spent;
        for _ in 0..2000 {
            let (all, ranked) = ranked(&learned, at);
            match learned.trial(Device::Serial, &ranked, &|_| Seconds(0.0)) {
                Some(device) => {
                    learned.add(&Lesson {
                        trial: Some(all[1].total()),
                        ..lesson(device, all[2].raw.0, 1.5 * at)
                    });
                }
                None => add(&mut learned, Device::Serial, at, at, 1),
            }
        }
        let lost = learned.spent - before - 2000.0 * at;
        assert!(lost < 0.02 * 2000.0 * at, "{lost}");
    }

    proptest! {
        #[test]
        fn corrected_estimates_are_costs(
            seen in prop::collection::vec((0usize..3, -9.0..1.0f64, -9.0..1.0f64), 0..40),
            at in -9.0..1.0f64,
            guessed: bool,
        ) {
            let devices = [Device::Interpreter, Device::Serial, Device::Threads];
            let mut learned = Learned::default();
            for (device, modelled, measured) in seen {
                learned.add(&Lesson {
                    guessed,
                    ..lesson(devices[device], 10f64.powf(modelled), 10f64.powf(measured))
                });
            }
            let [on_cores @ .., on_gpu] = corrected(&learned, 10f64.powf(at));
            for price in on_cores {
                prop_assert!(price.is_finite() && price > 0.0);
            }
            // There is none.
            prop_assert!(on_gpu.is_infinite());
        }
    }
}
