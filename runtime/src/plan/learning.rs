//! What launches taught about a nest's prices.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use nestwise_costmodel::{Caches, Device, Learned, Lesson, Seconds};
use nestwise_tiering::constants::HAND_OVER;

use crate::launch::Launch;
use crate::lock::lock;
use crate::options::options;

/// How many times as much as usual cold caches may add before a launch's time is taken to be its kernel's. They add
/// more now and then, and were that taken for the kernel's fault, one of a tenth of a microsecond would seem to take
/// ten times as long from then on.
const MORE_NOW_AND_THEN: f64 = 3.0;

/// The lesson of a launch without what cold caches added to it, which prices of such calls have already.
fn warm(lesson: Lesson, caches: Caches) -> Lesson {
    let (measured, modelled) = (lesson.measured.0, lesson.modelled.0);
    let cold = options().profile.cold.launch(caches).seconds().0;
    let told = match measured < modelled + MORE_NOW_AND_THEN * cold {
        true => modelled,
        false => measured - cold,
    };
    Lesson {
        measured: Seconds(measured.min(told)),
        ..lesson
    }
}

/// What launches taught about a nest's prices.
///
/// Launches write it when they are over, on the thread that made the call, and so do CPython's shares of calls; pricing
/// reads the corrections, and every call compares the count of lessons.
#[derive(Default)]
pub struct Learning {
    /// How estimates are to be corrected.
    learned: Mutex<Learned>,
    /// The number of times that decisions have become doubtful.
    lessons: AtomicU32,
    /// The number of launches at the last decision that had to do without missing code.
    decided_at: AtomicU64,
}

impl Learning {
    /// The number of times that decisions have become doubtful: one made at another count is to be made again.
    pub fn lessons(&self) -> u32 {
        self.lessons.load(Ordering::Relaxed)
    }

    /// Makes decisions doubtful for another reason than a lesson: code has come, or a device is out of the question.
    pub(crate) fn doubt(&self) {
        self.lessons.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls `price` with the corrections learned so far.
    pub(crate) fn corrected<T>(&self, price: impl FnOnce(&Learned) -> T) -> T {
        price(&lock(&self.learned))
    }

    /// A copy of the corrections learned so far.
    pub(crate) fn corrections(&self) -> Learned {
        lock(&self.learned).clone()
    }

    /// The number of launches since this was last asked, at least one.
    pub(crate) fn take_launches(&self) -> u64 {
        let launches = lock(&self.learned).launches();
        let before = self.decided_at.swap(launches, Ordering::Relaxed);
        launches.saturating_sub(before).max(1)
    }

    /// Takes in what a launch took, which stands for `launches` launches; `whole`: the time from the moment when it was
    /// asked for until everything was handed back, if it was all of a call.
    pub fn learn(&self, launch: &Launch, whole: Option<Duration>, launches: u32) {
        if !options().learns() {
            return;
        }
        if let Some(lesson) = launch.lesson(launches) {
            self.take_in(&warm(lesson, launch.decision.ready.caches));
        }
        if let Some(whole) = whole.filter(|_| !launch.compile.happened) {
            let around = Seconds(whole.as_secs_f64() + HAND_OVER.0 - launch.seconds.0);
            let modelled = launch.decision.of(launch.device).raw_around;
            if lock(&self.learned).add_around(modelled, around, launches) {
                self.doubt();
            }
        }
    }

    /// Takes in what CPython took for a whole call that was left to it; `trial`: what the best device would have taken,
    /// if CPython was only tried.
    pub fn learn_interpreted(&self, modelled: Seconds, measured: Seconds, trial: Option<Seconds>) {
        if options().learns() {
            self.take_in(&Lesson {
                device: Device::Interpreter,
                modelled,
                measured,
                launches: 1,
                trial,
                guessed: false,
            });
        }
    }

    /// Takes in a lesson for good.
    pub(crate) fn take_in(&self, lesson: &Lesson) {
        if lock(&self.learned).add(lesson) {
            self.doubt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_caches_are_no_fault_of_a_price() {
        let cold = options().profile.cold.launch * 1e-9;
        let learnt = |measured: f64, caches: Caches| {
            let lesson = Lesson {
                device: Device::Serial,
                modelled: Seconds(1e-6),
                measured: Seconds(measured),
                launches: 1,
                trial: None,
                guessed: false,
            };
            warm(lesson, caches).measured.0
        };
        assert_eq!(learnt(0.5 * cold, Caches::Warm), 0.5 * cold);
        assert_eq!(learnt(0.5 * cold, Caches::Cold), 1e-6);
        assert_eq!(learnt(2.5 * cold, Caches::Cold), 1e-6);
        assert_eq!(learnt(0.5e-6, Caches::Cold), 0.5e-6);
        assert!((learnt(1e-3, Caches::Cold) - (1e-3 - cold)).abs() < 1e-12);
    }
}
