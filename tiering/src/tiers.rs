//! The code of one nest: which there is, what is lost without, and when it is made.
//!
//! Quick code takes a few milliseconds to make, optimised code several times as long. While CPython or quick code runs,
//! what is lost without code of the next tier is summed up; once that is a small part of what it takes to make it
//! ([`ORDER_SHARE`], as the core that makes it was idle), it is begun beside. Nobody waits for code longer than it
//! takes to make it, and where no core is to spare it is made once as much was lost as that takes (ski-rental).

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nestwise_costmodel::{Device, Seconds};
use nestwise_ir::Tier;

use crate::constants::{KERNEL_LOOKS, ORDER_SHARE, USEFUL, WAITS, WAITS_LEFT_EARLY};
use crate::lost::Lost;

/// The state of one nest's code.
#[derive(Default)]
pub struct Tiers {
    /// Whether there is quick code, or was.
    quick: AtomicBool,
    /// The native devices for which there is optimised code, a bit each.
    optimised: AtomicU8,
    /// The time lost for want of optimised code, by native device.
    lost: Mutex<[Seconds; 3]>,
    /// When code was begun that is made beside CPython now, and its tier.
    ordered: Mutex<Option<(Instant, Tier)>>,
    /// Whether code could not be made beside CPython: whoever needs it makes it.
    gave_up: AtomicBool,
}

/// Where code can be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Whether code can be made beside what runs, on cores of its own.
    pub beside: bool,
    /// Whether one of those cores is idle.
    pub now: bool,
}

/// What may be made next, and what that takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// The device that the code is for.
    pub device: Device,
    /// The tier of the code.
    pub tier: Tier,
    /// The time to make the code.
    pub making: Seconds,
}

/// A call that CPython runs for now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Running {
    /// The time that CPython has run the call so far; none if it has not begun.
    pub spent: Option<Seconds>,
    /// The time that the rest of the call takes.
    pub rest: Seconds,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bit(device: Device) -> u8 {
    1 << device.kind()
}

/// Whether a call waits for what takes `making`, if its rest is expected to take CPython `rest`. `early`: the loop may
/// be left early.
pub fn waits(rest: Seconds, making: Seconds, early: bool) -> bool {
    let factor = if early { WAITS_LEFT_EARLY } else { WAITS };
    rest.0 >= making.0 * factor
}

/// The most that `threads` threads could save of a time that one core takes.
pub fn most_saved(time: Seconds, threads: usize) -> Seconds {
    time * (1.0 - 1.0 / threads as f64)
}

/// Whether to begin making, on an idle core, what takes `making` and would save `saved` of a call that runs.
pub fn is_worth_beginning(saved: Seconds, making: Seconds) -> bool {
    saved >= making * ORDER_SHARE
}

/// A kernel that a call needs and that does not exist yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missing {
    /// The time to make the kernel.
    pub making: Seconds,
    /// The time that CPython takes before native code may take over: for an iteration, or for all of the call.
    pub step: Seconds,
    /// The time that CPython takes for the rest of the call.
    pub rest: Seconds,
    /// Whether `rest` is known, or told by the loop's pace, and no guess.
    pub known: bool,
    /// Whether the loop may be left early.
    pub early: bool,
}

impl Missing {
    /// Whether the call waits for the kernel, since CPython could not hand over before the kernel is there, or goes on
    /// for much longer.
    pub fn is_waited_for(self) -> bool {
        self.step > self.making || self.known && waits(self.rest, self.making, self.early)
    }
}

impl Tiers {
    /// Whether there is quick code, or was.
    pub fn has_quick(&self) -> bool {
        self.quick.load(Ordering::Relaxed)
    }

    /// Whether there is optimised code for a device.
    pub fn has_optimised(&self, device: Device) -> bool {
        self.optimised.load(Ordering::Relaxed) & bit(device) != 0
    }

    /// Notes that there is code now: what was lost without it is paid for.
    pub fn came(&self, device: Device, tier: Tier) {
        match tier {
            Tier::Quick => {
                if !self.quick.swap(true, Ordering::Relaxed) {
                    *lock(&self.lost) = [Seconds(0.0); 3];
                }
            }
            Tier::Optimised => {
                let before = self.optimised.fetch_or(bit(device), Ordering::Relaxed);
                if before & bit(device) == 0 {
                    let mut lost = lock(&self.lost);
                    let others = (0..lost.len()).filter(|kind| *kind != device.kind());
                    others.for_each(|kind| lost[kind] = Seconds(0.0));
                }
            }
        }
    }

    /// The time lost for want of optimised code, by native device.
    pub fn lost(&self) -> [Seconds; 3] {
        *lock(&self.lost)
    }

    /// Adds time that was lost for want of code for any device.
    pub fn add_lost(&self, time: Seconds) {
        let optimised = self.optimised.load(Ordering::Relaxed);
        for (kind, lost) in lock(&self.lost).iter_mut().enumerate() {
            if optimised >> kind & 1 == 0 {
                *lost = *lost + time;
            }
        }
    }

    /// Adds time that was lost for want of code for `device`.
    pub fn add_lost_without(&self, device: Device, time: Seconds) {
        let mut lost = lock(&self.lost);
        lost[device.kind()] = lost[device.kind()] + time;
    }

    /// Whether code is being made beside CPython.
    pub fn is_making(&self) -> bool {
        lock(&self.ordered).is_some()
    }

    /// Has code of `tier` begun by `start`, unless some is being made.
    pub fn begin(&self, tier: Tier, start: impl FnOnce() -> bool) {
        let mut ordered = lock(&self.ordered);
        if ordered.is_none() && start() {
            *ordered = Some((Instant::now(), tier));
        }
    }

    /// Ends what was begun, whatever became of it.
    pub fn end(&self) {
        *lock(&self.ordered) = None;
    }

    /// Whether code is no longer made beside CPython, since that failed.
    pub fn has_given_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// Notes whether code could not be made beside CPython.
    pub fn set_given_up(&self, gave_up: bool) {
        self.gave_up.store(gave_up, Ordering::Relaxed);
    }

    /// Whether code is made beside CPython, as soon as there is room.
    pub fn may_begin(&self, room: Room) -> bool {
        room.beside && !self.has_given_up()
    }

    /// Whether a kernel that a call needs is made while CPython goes on with it.
    pub fn goes_on_without(&self, missing: Missing, room: Room) -> bool {
        let beside = self.may_begin(room) || self.is_making();
        beside && !missing.is_waited_for()
    }

    /// How long a native run would wait for code of this tier that is made, or could be made, while CPython goes on:
    /// waiting gains nothing over that. What is late may well take as long again. None: whoever needs the code makes
    /// it.
    pub fn wait(&self, tier: Tier, making: Seconds, room: Room) -> Option<Seconds> {
        let begun = lock(&self.ordered).filter(|ordered| ordered.1 == tier);
        match begun.map(|(begun, _)| begun.elapsed().as_secs_f64()) {
            Some(spent) => Some(Seconds(spent.max(making.0 - spent))),
            None => self.may_begin(room).then_some(making),
        }
    }

    /// Whether it is time to make the code that comes next: it is missing, and enough was lost without it.
    pub fn is_due(&self, next: Next, spent: Seconds, room: Room) -> bool {
        let missing = match next.tier {
            Tier::Quick => !self.has_quick(),
            Tier::Optimised => !self.has_optimised(next.device),
        };
        let lost = self.lost()[next.device.kind()] + spent;
        missing
            && self.may_begin(room)
            && room.now
            && lost.0 >= ORDER_SHARE * next.making.0
            && !self.is_making()
    }

    /// Whether to make the code that comes next while CPython runs a call. A call that is going to be taken over
    /// half-way asks then, as other proofs hold half-way, unless so much was lost that it seems never to be; and what
    /// would not be done before the call is over is begun only once as much was lost as it takes to make.
    pub fn is_due_beside(&self, next: Next, running: Running, room: Room) -> bool {
        let spent = running.spent.unwrap_or(Seconds(0.0));
        let late = self.lost()[next.device.kind()] >= next.making;
        let short = running.rest < next.making * 0.5;
        let useful = running.rest.0.max(spent.0) >= next.making.0 * USEFUL;
        (running.spent.is_some() || short || late)
            && (useful || late)
            && self.is_due(next, spent, room)
    }

    /// Whether earlier processes have lost as much for want of code of this tier as it takes to make it, so that this
    /// process waits for it.
    pub fn is_overdue(&self, before: impl FnOnce() -> Lost, tier: Tier, making: Seconds) -> bool {
        let missing =
            !self.has_optimised(Device::Serial) && (tier == Tier::Optimised || !self.has_quick());
        missing && before().pays_for(tier, making)
    }

    /// What all processes have lost, this one included, for want of the code that is the next to be made.
    pub fn lost_in_all(&self, before: Lost) -> Lost {
        if self.has_optimised(Device::Serial) {
            return Lost {
                tier: Tier::Optimised,
                time: Seconds(0.0),
            };
        }
        let tier = match self.has_quick() {
            true => Tier::Optimised,
            false => Tier::Quick,
        };
        before.and(tier, self.lost()[Device::Serial.kind()])
    }

    /// How much longer CPython, which has run a call for `spent`, may go on before native code is asked about again.
    pub fn budget(&self, making: Seconds, spent: Seconds, room: Room) -> Seconds {
        let look = making.0 / KERNEL_LOOKS;
        if self.is_making() {
            return Seconds(look);
        }
        let share = if room.beside { ORDER_SHARE } else { 1.0 };
        let most = self.lost().map(|l| l.0).into_iter().fold(0.0, f64::max);
        let left = making.0 * share - most - spent.0;
        match left > 0.0 {
            true => Seconds(left),
            // Still too early, although enough was lost: something else speaks against it.
            false => Seconds(spent.0.max(look)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BESIDE: Room = Room {
        beside: true,
        now: true,
    };
    const ALONE: Room = Room {
        beside: false,
        now: false,
    };
    const QUICK: Next = Next {
        device: Device::Serial,
        tier: Tier::Quick,
        making: Seconds(3e-3),
    };
    const OPTIMISED: Next = Next {
        device: Device::Serial,
        tier: Tier::Optimised,
        making: Seconds(15e-3),
    };

    fn running(spent: f64, rest: f64) -> Running {
        Running {
            spent: Some(Seconds(spent)),
            rest: Seconds(rest),
        }
    }

    #[test]
    fn quick_code_comes_first_and_optimised_code_once_it_would_have_paid() {
        let tiers = Tiers::default();
        assert!(!tiers.is_due_beside(QUICK, running(1e-4, 1.0), BESIDE));
        assert!(tiers.is_due_beside(QUICK, running(1e-3, 1.0), BESIDE));
        tiers.begin(Tier::Quick, || true);
        assert!(tiers.is_making() && !tiers.is_due(QUICK, Seconds(1.0), BESIDE));
        tiers.end();
        tiers.add_lost(Seconds(1.0));
        tiers.came(Device::Serial, Tier::Quick);
        // What was lost before was lost for want of quick code.
        assert_eq!(tiers.lost(), [Seconds(0.0); 3]);
        assert!(!tiers.is_due(QUICK, Seconds(1.0), BESIDE));
        assert!(!tiers.is_due(OPTIMISED, Seconds(1e-3), BESIDE));
        tiers.add_lost(Seconds(2e-3));
        assert!(tiers.is_due(OPTIMISED, Seconds(0.0), BESIDE));
        tiers.came(Device::Serial, Tier::Optimised);
        assert!(!tiers.is_due(OPTIMISED, Seconds(1.0), BESIDE));
    }

    #[test]
    fn cpython_goes_on_without_a_kernel_unless_it_could_not_hand_over_or_much_is_left() {
        let tiers = Tiers::default();
        let missing = Missing {
            making: Seconds(3e-3),
            step: Seconds(1e-6),
            rest: Seconds(4e-3),
            known: true,
            early: false,
        };
        assert!(tiers.goes_on_without(missing, BESIDE));
        assert!(!tiers.goes_on_without(missing, ALONE));
        let one_step = Missing {
            step: Seconds(4e-3),
            ..missing
        };
        assert!(!tiers.goes_on_without(one_step, BESIDE));
        let long = Missing {
            rest: Seconds(5e-3),
            ..missing
        };
        assert!(!tiers.goes_on_without(long, BESIDE));
        // A guess is not waited for.
        let guessed = Missing {
            known: false,
            ..long
        };
        assert!(tiers.goes_on_without(guessed, BESIDE));
    }

    #[test]
    fn what_would_come_too_late_is_not_begun() {
        let tiers = Tiers::default();
        assert!(!tiers.is_due_beside(QUICK, running(1e-3, 2e-3), BESIDE));
        assert!(tiers.is_due_beside(QUICK, running(1e-3, 5e-3), BESIDE));
        // After some such calls it is.
        tiers.add_lost(Seconds(3e-3));
        assert!(tiers.is_due_beside(QUICK, running(1e-3, 2e-3), BESIDE));
        // Nor is anything where there is no core for it.
        assert!(!tiers.is_due_beside(QUICK, running(1e-3, 5e-3), ALONE));
        let busy = Room {
            now: false,
            ..BESIDE
        };
        assert!(!tiers.is_due_beside(QUICK, running(1e-3, 5e-3), busy));
    }

    #[test]
    fn nobody_waits_longer_than_making_takes() {
        let tiers = Tiers::default();
        assert_eq!(
            tiers.wait(Tier::Quick, QUICK.making, BESIDE),
            Some(QUICK.making)
        );
        assert_eq!(tiers.wait(Tier::Quick, QUICK.making, ALONE), None);
        tiers.begin(Tier::Quick, || true);
        let wait = tiers.wait(Tier::Quick, QUICK.making, BESIDE).unwrap();
        assert!(wait.0 <= QUICK.making.0 + 1e-3);
        tiers.end();
        tiers.set_given_up(true);
        assert_eq!(tiers.wait(Tier::Quick, QUICK.making, BESIDE), None);
    }

    #[test]
    fn long_calls_wait_sooner_where_they_run_to_their_end() {
        let making = QUICK.making;
        assert!(waits(making * WAITS, making, false));
        assert!(!waits(making * WAITS, making, true));
        assert!(waits(making * WAITS_LEFT_EARLY, making, true));
    }

    #[test]
    fn later_processes_wait_for_what_earlier_ones_lacked() {
        let tiers = Tiers::default();
        let before = Lost {
            tier: Tier::Quick,
            time: Seconds(2e-3),
        };
        assert!(!tiers.is_overdue(|| before, Tier::Quick, QUICK.making));
        tiers.add_lost(Seconds(2e-3));
        let all = tiers.lost_in_all(before);
        assert_eq!(all.time, Seconds(4e-3));
        let next = Tiers::default();
        assert!(next.is_overdue(|| all, Tier::Quick, QUICK.making));
        next.came(Device::Serial, Tier::Quick);
        assert!(!next.is_overdue(|| all, Tier::Quick, QUICK.making));
        assert_eq!(next.lost_in_all(all).tier, Tier::Optimised);
    }

    /// With a core to spare a call of any length loses little more than quick code takes to be made, compared with the
    /// better of CPython to the end and native code from the start.
    #[test]
    fn what_a_call_loses_is_bounded() {
        for length in [1e-3, 3e-3, 5e-3, 10e-3, 0.1] {
            let tiers = Tiers::default();
            let (mut at, step) = (0.0, 1e-4);
            while at < length && !tiers.is_due_beside(QUICK, running(at, length - at), BESIDE) {
                at += step;
            }
            let native = at + QUICK.making.0;
            let took = native.min(length);
            assert!(
                took <= QUICK.making.0 * (1.0 + ORDER_SHARE + USEFUL) + step,
                "{length}: {took}"
            );
        }
    }
}
