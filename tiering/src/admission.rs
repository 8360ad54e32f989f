//! Calls that are left to CPython without an attempt: too small for one to pay, or like others that came to nothing.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};

use nestwise_costmodel::{Caches, Ready, Seconds};

use crate::backoff::{Answer, Attempted, Backoff, Why};
use crate::clock;
use crate::constants::{ASLEEP, MOST_REJECTED, SELDOM, SHORT, SHORT_SELDOM};
use crate::fast_reject::FastReject;
use crate::switch::Switch;
use crate::work::Work;

/// What a call may have found, by the number that [`Admission::found`] holds.
const FOUND: [Option<Ready>; 6] = [
    None,
    found(Caches::Warm, false),
    found(Caches::Shared, false),
    found(Caches::Shared, true),
    found(Caches::Cold, false),
    found(Caches::Cold, true),
];

const fn found(caches: Caches, asleep: bool) -> Option<Ready> {
    Some(Ready { caches, asleep })
}

/// The number of launches of all sites.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);
/// When the last launch ended that had something for the worker pool, or could have had, about, in nanoseconds.
static SHARED: AtomicI64 = AtomicI64::new(0);

/// What stands before a site's attempts. The fields that rare calls look at lie side by side.
#[repr(C)]
pub struct Admission<S> {
    /// What rejects calls at a glance.
    pub fast_reject: FastReject<S>,
    /// The work up to which CPython is cheaper if a call finds the caches shared (`shared`) or cold (`cold`); for warm
    /// ones see [`FastReject`].
    shared: AtomicI64,
    cold: AtomicI64,
    /// When the last call that was asked about ended, about, or began, in nanoseconds; 0: never.
    before: AtomicI64,
    /// What the call that was just admitted finds, if that was looked at: see [`FOUND`].
    found: AtomicU8,
    /// `own`: launches of the site; `others`: launches of other sites when this one was asked about last.
    own: AtomicU64,
    others: AtomicU64,
    /// Whether the site was asked about last long after the time before.
    late: AtomicBool,
    /// Whether the call that comes now is to be watched.
    watch: AtomicBool,
    backoff: Backoff,
    /// The switch, for sites whose calls nothing tells apart at a glance.
    pub switch: Switch,
    /// Whether nothing told the last call's work at a glance.
    blind: AtomicBool,
}

impl<S> Admission<S> {
    /// The state of a site that nobody has called; `sight` is what tells how much work a call is.
    pub fn new(sight: S) -> Admission<S> {
        Admission {
            fast_reject: FastReject::new(sight),
            shared: AtomicI64::new(-1),
            cold: AtomicI64::new(-1),
            before: AtomicI64::new(0),
            found: AtomicU8::new(0),
            own: AtomicU64::new(0),
            others: AtomicU64::new(0),
            late: AtomicBool::new(false),
            watch: AtomicBool::new(false),
            backoff: Backoff::default(),
            switch: Switch::default(),
            blind: AtomicBool::new(true),
        }
    }

    /// Whether a call is worth an attempt, or at least [to be watched](Admission::watches). `work`: how much work it
    /// is, if that is known; `glanced`: the fast reject sees that, too, and may leave other calls.
    pub fn admits(&self, work: Option<Work>, glanced: bool) -> bool {
        if work.is_some_and(|w| w.bounds && self.is_too_small(w.amount)) {
            return false;
        }
        let answer = self.backoff.answer(&self.fast_reject, work, glanced);
        if answer == Answer::Watch {
            self.watch.store(true, Ordering::Relaxed);
        }
        answer != Answer::Reject
    }

    /// Notes whether a glance tells how much work the call that comes now is.
    pub fn sees(&self, glance: bool) {
        if self.blind.load(Ordering::Relaxed) == glance {
            self.blind.store(!glance, Ordering::Relaxed);
        }
    }

    /// Has calls of a site without a plan rejected, where nothing but its end tells how long a call takes and many have
    /// been brief: for a while those of at most this `work`, or any where nothing tells how much that is.
    pub fn rejects_like_brief(&self, work: Option<Work>) {
        match work {
            Some(work) if self.switch.were_brief() => {
                self.fast_reject.reject_up_to(work.amount, MOST_REJECTED);
            }
            Some(_) => {}
            None => self.sees(false),
        }
    }

    /// Whether CPython is to begin the call that was just admitted, about which native code is asked only if it takes
    /// long; with the reason why the attempts before came to nothing.
    pub fn watches(&self) -> Option<Why> {
        let watched =
            self.watch.load(Ordering::Relaxed) && self.watch.swap(false, Ordering::Relaxed);
        watched.then(|| self.backoff.before())
    }

    fn is_too_small(&self, amount: i64) -> bool {
        if self.fast_reject.is_small(amount) {
            return true;
        }
        let within = |threshold: &AtomicI64| amount <= threshold.load(Ordering::Relaxed);
        if !within(&self.shared) && !within(&self.cold) {
            return false;
        }
        let found = self.look();
        let small = match found.caches {
            Caches::Warm => false,
            Caches::Shared => within(&self.shared),
            Caches::Cold => within(&self.cold),
        };
        let found = FOUND.iter().position(|f| *f == Some(found));
        let found = found.filter(|_| !small).unwrap_or(0);
        self.found.store(found as u8, Ordering::Relaxed);
        small
    }

    /// The caches and threads that the call which comes now finds.
    pub fn ready(&self) -> Ready {
        let found = self.found.swap(0, Ordering::Relaxed);
        FOUND[usize::from(found)].unwrap_or_else(|| self.look())
    }

    /// The caches and threads that the call which comes now finds. Threads without work sleep; not after launches that
    /// were not for them, but could have been: they would be awake if such calls were theirs.
    fn look(&self) -> Ready {
        let now = clock::now();
        let before = self.before.swap(now, Ordering::Relaxed);
        let late = before > 0 && now - before > SELDOM;
        self.late.store(late, Ordering::Relaxed);
        let launches = LAUNCHES.load(Ordering::Relaxed);
        let others = launches.wrapping_sub(self.own.load(Ordering::Relaxed));
        let launched = self.others.swap(others, Ordering::Relaxed) != others;
        let caches = match (late, launched) {
            (false, _) => Caches::Warm,
            (true, true) => Caches::Shared,
            (true, false) => Caches::Cold,
        };
        let idle = now - SHARED.load(Ordering::Relaxed);
        Ready {
            caches,
            asleep: late && idle > ASLEEP,
        }
    }

    /// Notes that CPython is cheaper for a call of this much work or less, whatever else is asked, if it finds the
    /// caches like this.
    pub fn is_small(&self, work: Work, caches: Caches) {
        if !work.bounds {
            return;
        }
        match caches {
            Caches::Warm => self.fast_reject.set_small(work.amount),
            Caches::Shared => _ = self.shared.fetch_max(work.amount, Ordering::Relaxed),
            Caches::Cold => _ = self.cold.fetch_max(work.amount, Ordering::Relaxed),
        }
    }

    /// Takes in that an attempt ended, and that CPython's share of the call took `seconds`. `futile`: the attempt, if
    /// it came to nothing; `counted`: whether such attempts are counted.
    pub fn ended(&self, futile: Option<Attempted>, seconds: Seconds, counted: bool) {
        match futile {
            // A refused attempt was counted when it was refused.
            Some(Attempted {
                why: Why::Refused, ..
            }) => {}
            Some(attempted) if counted => {
                let short = match self.late.load(Ordering::Relaxed) {
                    true => SHORT_SELDOM,
                    false => SHORT,
                };
                self.backoff
                    .add(&self.fast_reject, attempted, seconds, short);
            }
            _ => self.backoff.clear(&self.fast_reject),
        }
        let (constant, refused) = self.backoff.is_constant();
        // What types refuse is refused whatever the sizes.
        match self.blind.load(Ordering::Relaxed) || constant && refused {
            true if counted => self.switch.ended(seconds, constant, SHORT),
            false if counted => _ = self.switch.count(seconds, SHORT),
            _ => {}
        }
        self.took(seconds);
    }

    /// Takes in that something is in the way of a call that was asked about. Its loop may call the function that it is
    /// in: the next question may come before the call ends, however long it takes.
    pub fn refused(&self, work: Option<Work>) {
        let attempted = Attempted {
            work,
            why: Why::Failed,
        };
        self.backoff
            .add(&self.fast_reject, attempted, Seconds(0.0), SHORT);
    }

    /// Adds the time of the call that was asked about last; returns when it ended, in nanoseconds.
    fn took(&self, seconds: Seconds) -> i64 {
        let nanos = (seconds.0 * 1e9) as i64;
        self.before.fetch_add(nanos, Ordering::Relaxed) + nanos
    }

    /// Takes in that native code ran for `seconds`. `shares`: it shares something with the worker pool, or could have;
    /// `far`: it was not stopped at once.
    pub fn ran(&self, seconds: Seconds, shares: bool, far: bool) {
        let ended = self.took(seconds);
        if shares {
            SHARED.fetch_max(ended, Ordering::Relaxed);
        }
        // Two threads at once may count one launch for two.
        let count = |to: &AtomicU64| {
            to.store(
                to.load(Ordering::Relaxed).wrapping_add(1),
                Ordering::Relaxed,
            );
        };
        count(&LAUNCHES);
        count(&self.own);
        if far {
            self.backoff.clear(&self.fast_reject);
        }
    }

    /// The number of calls that were left to CPython because others came to nothing.
    pub fn rejected(&self) -> u64 {
        self.backoff.rejected(&self.fast_reject)
    }
}

/// Runs `work` so that its time does not count as idle time of the worker pool: as if the last launch had ended as much
/// later.
pub fn unnoticed(work: impl FnOnce()) {
    let begun = clock::now();
    work();
    SHARED.fetch_add(clock::now() - begun, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::CHANCE;
    use std::time::Duration;

    fn work(amount: i64) -> Option<Work> {
        Some(Work {
            amount,
            bounds: true,
        })
    }

    #[test]
    fn what_is_small_is_left_and_what_only_seems_so_is_not() {
        let admission = Admission::new(());
        let small = Work {
            amount: 10,
            bounds: true,
        };
        admission.is_small(small, Caches::Warm);
        assert!(!admission.admits(work(10), false) && admission.admits(work(11), false));
        // A number that bounds nothing says nothing of others.
        let unbounded = Work {
            bounds: false,
            ..small
        };
        assert!(admission.admits(Some(unbounded), false));
        admission.is_small(
            Work {
                amount: 1000,
                ..unbounded
            },
            Caches::Warm,
        );
        assert!(admission.admits(work(1000), false));
    }

    #[test]
    fn calls_that_come_seldom_have_a_threshold_of_their_own() {
        let admission = Admission::new(());
        let some = Work {
            amount: 10,
            bounds: true,
        };
        admission.is_small(some, Caches::Cold);
        admission.is_small(some, Caches::Shared);
        // Nothing was before the first call, and the second comes at once.
        assert!(admission.admits(work(10), false) && admission.admits(work(10), false));
        std::thread::sleep(Duration::from_millis(5));
        assert!(!admission.admits(work(10), false));
        std::thread::sleep(Duration::from_millis(5));
        assert!(admission.admits(work(11), false));
    }

    #[test]
    fn calls_like_those_that_came_to_nothing_are_left_until_one_gets_far() {
        let admission = Admission::new(());
        for _ in 0..=CHANCE {
            assert!(admission.admits(work(5), false));
            let attempted = Attempted {
                work: work(5),
                why: Why::Failed,
            };
            admission.ended(Some(attempted), Seconds(1e-6), true);
        }
        assert!(!admission.admits(work(5), false));
        assert_eq!(admission.rejected(), 1);
        admission.ran(Seconds(1e-3), false, true);
        assert!(admission.admits(work(5), false));
    }
}
