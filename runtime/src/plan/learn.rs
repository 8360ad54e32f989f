//! What launches taught about a nest's prices.

use std::sync::atomic::Ordering;
use std::time::Duration;

use nestwise_costmodel::{Caches, Decision, Device, Lesson, Seconds};

use crate::launch::Launch;
use crate::options::{Options, options};
use crate::pipeline::HasValue;
use crate::plan::{Plan, Sizes, lock};

/// What some ten milliseconds of a launch tell of the rest of it, in launches of the past.
const AS_GOOD_AS: u32 = 4;

/// Up to so many times what cold caches usually add, a launch tells of them, not of its kernel: they add more now and then, and
/// were that taken for the kernel's fault, one of a tenth of a microsecond would seem to take ten times as long from then on.
const MORE_NOW_AND_THEN: f64 = 3.0;

/// The lesson of a launch, which takes longer where others have had the caches: prices of such calls have that already.
fn warm(lesson: Lesson, caches: Caches) -> Lesson {
    let (measured, modelled) = (lesson.measured.0, lesson.modelled.0);
    let cold = options().profile.cold.launch(caches) * 1e-9;
    let told = match measured < modelled + MORE_NOW_AND_THEN * cold {
        true => modelled,
        false => measured - cold,
    };
    Lesson {
        measured: Seconds(measured.min(told)),
        ..lesson
    }
}

impl Plan {
    /// Counts what has made decisions doubtful: one made at another count is to be made again.
    pub fn lessons(&self) -> u32 {
        self.lessons.load(Ordering::Relaxed)
    }

    /// Takes in what a launch took, which stands for so many; `whole`: from the moment when it was asked for until
    /// everything was handed back, if it was all of a call.
    pub fn learn(&self, launch: &Launch, whole: Option<Duration>, launches: u32) {
        if !options().learns() {
            return;
        }
        if let Some(lesson) = launch.lesson(launches) {
            self.take_in(&warm(lesson, launch.decision.ready.caches));
        }
        if let Some(whole) = whole.filter(|_| !launch.compile.happened) {
            let around = Seconds(whole.as_secs_f64() - launch.seconds);
            let modelled = launch.decision.of(launch.device).raw_around;
            if lock(&self.learned).add_around(modelled, around, launches) {
                self.lessons.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The decision for a call that would take so long at the pace so far; a lesson for good if it is for another device. Iterations
    /// need not all take the same, so it is not one in any case.
    pub(crate) fn reconsider<V: HasValue>(
        &self,
        lesson: &Lesson,
        sizes: &Sizes,
        captures: &[V],
        options: &Options,
    ) -> Decision {
        let mut learned = lock(&self.learned).clone();
        // It is about this very call.
        (0..AS_GOOD_AS).for_each(|_| {
            learned.add(lesson);
        });
        let decision = self.price_by(Some(&learned), sizes, captures, None, options);
        if decision.is_other(lesson.device) {
            self.take_in(lesson);
        }
        decision
    }

    /// Takes in what CPython took for a call that it was left, all of it.
    pub fn learn_interpreted(&self, modelled: Seconds, measured: Seconds) {
        if options().learns() {
            self.take_in(&Lesson {
                device: Device::Interpreter,
                modelled,
                measured,
                launches: 1,
                trial: None,
                guessed: false,
            });
        }
    }

    fn take_in(&self, lesson: &Lesson) {
        if lock(&self.learned).add(lesson) {
            self.lessons.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The decision, or now and then one for what may turn out to be better.
    pub(super) fn perhaps_tried(&self, decision: Decision, options: &Options) -> Decision {
        if !options.learning || !options.learns() {
            return decision;
        }
        let compile = |device: Device| match self.tiers.has_optimised(device) {
            true => Seconds(0.0),
            false => self.to_make(device),
        };
        let learned = lock(&self.learned);
        match learned.trial(decision.device, &decision.ranked, &compile) {
            Some(device) => decision.tried(device),
            None => decision,
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
