//! Calls that are left to CPython because others like them came to nothing.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

use nestwise_costmodel::Seconds;

use crate::clock;
use crate::constants::{
    BACKOFF_LASTS, CHANCE, CHANCE_STOPPED, LARGER, MOST_REJECTED, MOST_REJECTED_STOPPED, SHORT,
};
use crate::fast_reject::FastReject;
use crate::work::Work;

/// An attempt that came to nothing.
#[derive(Clone, Copy)]
pub struct Attempted {
    /// How much work the call was, if that is known.
    pub work: Option<Work>,
    /// Why it came to nothing.
    pub why: Why,
}

/// Why an attempt came to nothing.
#[derive(Clone, Copy, PartialEq)]
pub enum Why {
    /// CPython is cheaper, at about this price.
    Unprofitable(Seconds),
    /// Something was in the way of the call, or of others like it.
    Failed,
    /// Something was in the way of the call, which [is counted already](crate::Admission::refused).
    Refused,
    /// Native code ran, and was stopped at once, perhaps before it had done anything.
    Lost,
}

/// What is to be done with a call.
#[derive(Clone, Copy, PartialEq)]
pub enum Answer {
    /// CPython runs the call, and native code is not asked about.
    Reject,
    /// CPython begins the call, and native code is asked about if it takes long.
    Watch,
    /// Native code is asked about.
    Ask,
}

/// Attempts that came to nothing, and calls that are left to CPython because of them.
///
/// Asking costs a microsecond or two, whatever is found to be in the way, or the pricing alone where no bound of the
/// work is known, and ten times as much with cold caches; a launch that is rolled back can cost much more. After a few
/// such calls in a row some are left to CPython without being asked about, by the [`FastReject`] where that can, and
/// only up to the next question. Where asking was what cost too much, only calls that are not much larger are left, and
/// only for some milliseconds: so what could be missed is bounded. Then one is watched: CPython begins, and is
/// interrupted if it takes long.
#[derive(Default)]
pub struct Backoff {
    /// The number of attempts in a row that came to nothing.
    streak: AtomicU32,
    /// `skip`: the number of calls still to be left, besides those that the fast reject was lent; `lent`: the number of
    /// those.
    skip: AtomicU32,
    lent: AtomicU32,
    /// The largest amount of work of those attempts; [`Backoff::ANY`] where launches were stopped at once.
    work: AtomicI64,
    /// When the last of those attempts was, in nanoseconds of the coarse clock.
    last: AtomicI64,
    /// Whether calls are left because CPython is cheaper; as with calls below the threshold, these are not counted.
    unprofitable: AtomicBool,
    /// The number of calls that were left for other reasons.
    rejected: AtomicU64,
}

impl Backoff {
    /// An amount of work larger than any call's.
    const ANY: i64 = i64::MAX;

    /// Why the attempts before a call that is only to be watched came to nothing.
    pub fn before(&self) -> Why {
        match self.unprofitable.load(Ordering::Relaxed) {
            true => Why::Unprofitable(SHORT),
            false => Why::Failed,
        }
    }

    /// What is to be done with a call. `lends`: the fast reject may leave the calls after this one.
    pub fn answer<S>(
        &self,
        fast_reject: &FastReject<S>,
        work: Option<Work>,
        lends: bool,
    ) -> Answer {
        self.settle(fast_reject);
        let skip = self.skip.load(Ordering::Relaxed);
        let largest = self.work.load(Ordering::Relaxed);
        if skip == 0 || work.map_or(Self::ANY, |w| w.amount) / LARGER > largest {
            return Answer::Ask;
        }
        // Two threads at once may count one call for two.
        self.skip.store(skip - 1, Ordering::Relaxed);
        self.count(1);
        // A call that was left may have taken long, and the next may too.
        let old = || clock::coarse() - self.last.load(Ordering::Relaxed) > BACKOFF_LASTS;
        if largest != Self::ANY && old() {
            return Answer::Watch;
        }
        if lends && skip > 1 {
            self.lent.store(skip - 1, Ordering::Relaxed);
            self.skip.store(0, Ordering::Relaxed);
            fast_reject.reject_up_to(largest.saturating_mul(LARGER), skip - 1);
        }
        Answer::Reject
    }

    /// Counts calls that were left to CPython.
    fn count(&self, calls: u32) {
        if !self.unprofitable.load(Ordering::Relaxed) {
            self.rejected.fetch_add(calls.into(), Ordering::Relaxed);
        }
    }

    /// Withdraws the calls that the fast reject was lent and has not left yet.
    fn settle<S>(&self, fast_reject: &FastReject<S>) {
        let lent = self.lent.swap(0, Ordering::Relaxed);
        if lent > 0 {
            let rest = fast_reject.withdraw().min(lent);
            self.count(lent - rest);
            self.skip.store(rest, Ordering::Relaxed);
        }
    }

    /// The number of calls that were left because something was in the way of others like them.
    pub fn rejected<S>(&self, fast_reject: &FastReject<S>) -> u64 {
        let lent = match self.unprofitable.load(Ordering::Relaxed) {
            true => 0,
            false => self.lent.load(Ordering::Relaxed),
        };
        let more = u64::from(lent.saturating_sub(fast_reject.times()));
        self.rejected.load(Ordering::Relaxed) + more
    }

    /// Adds an attempt that came to nothing at a call that took CPython `seconds`. `short`: calls of that time or more
    /// are asked about anyway.
    pub fn add<S>(
        &self,
        fast_reject: &FastReject<S>,
        attempted: Attempted,
        seconds: Seconds,
        short: Seconds,
    ) {
        let lost = attempted.why == Why::Lost;
        let (work, chance, most) = match attempted.work {
            _ if lost => (Self::ANY, CHANCE_STOPPED, MOST_REJECTED_STOPPED),
            Some(work) if seconds <= short => {
                (work.amount.min(Self::ANY - 1), CHANCE, MOST_REJECTED)
            }
            _ => return self.clear(fast_reject),
        };
        let before = self.work.load(Ordering::Relaxed);
        if (before == Self::ANY) != lost {
            self.clear(fast_reject);
        }
        self.settle(fast_reject);
        let unprofitable = matches!(attempted.why, Why::Unprofitable(_));
        self.unprofitable.store(unprofitable, Ordering::Relaxed);
        let streak = self.streak.load(Ordering::Relaxed) + 1;
        let largest = if streak > 1 { work.max(before) } else { work };
        self.work.store(largest, Ordering::Relaxed);
        self.last.store(clock::coarse(), Ordering::Relaxed);
        self.streak.store(streak, Ordering::Relaxed);
        if streak > chance {
            let doubled = (streak - chance).min(most.ilog2());
            self.skip.store(1 << doubled, Ordering::Relaxed);
        }
    }

    /// Whether so many attempts in a row came to nothing that most calls are not attempted any more, and whether the
    /// last one was refused, rather than too expensive or stopped.
    pub fn is_constant(&self) -> (bool, bool) {
        let lost = self.work.load(Ordering::Relaxed) == Self::ANY;
        let most = match lost {
            true => CHANCE_STOPPED + MOST_REJECTED_STOPPED.ilog2(),
            false => CHANCE + MOST_REJECTED.ilog2(),
        };
        let constant = self.streak.load(Ordering::Relaxed) >= most;
        (
            constant,
            !lost && !self.unprofitable.load(Ordering::Relaxed),
        )
    }

    /// Ends the streak: an attempt came to something.
    pub fn clear<S>(&self, fast_reject: &FastReject<S>) {
        if self.streak.load(Ordering::Relaxed) != 0 {
            self.settle(fast_reject);
            self.streak.store(0, Ordering::Relaxed);
            self.skip.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(amount: i64) -> Option<Work> {
        Some(Work {
            amount,
            bounds: true,
        })
    }

    /// How many of `calls` calls of one kind are asked about, if each comes to nothing.
    fn asked(why: Why, calls: u32) -> u32 {
        let (backoff, fast_reject) = (Backoff::default(), FastReject::new(()));
        let mut asked = 0;
        for _ in 0..calls {
            if backoff.answer(&fast_reject, call(100), false) == Answer::Ask {
                asked += 1;
                let attempted = Attempted {
                    work: call(100),
                    why,
                };
                backoff.add(&fast_reject, attempted, Seconds(1e-6), SHORT);
            }
        }
        asked
    }

    #[test]
    fn calls_that_come_to_nothing_are_asked_about_ever_more_seldom() {
        assert_eq!(asked(Why::Failed, CHANCE), CHANCE);
        // 2, 4, 8, ... are left between two questions.
        assert_eq!(asked(Why::Failed, CHANCE + 1 + 2 + 1 + 4 + 1), CHANCE + 3);
        assert!(asked(Why::Unprofitable(Seconds(1e-6)), 10_000) < 40);
        assert!(asked(Why::Lost, 10_000) > asked(Why::Failed, 10_000));
    }

    #[test]
    fn much_larger_calls_are_asked_about() {
        let (backoff, fast_reject) = (Backoff::default(), FastReject::new(()));
        for _ in 0..=CHANCE {
            let attempted = Attempted {
                work: call(100),
                why: Why::Failed,
            };
            backoff.add(&fast_reject, attempted, Seconds(1e-6), SHORT);
        }
        assert!(backoff.answer(&fast_reject, call(100 * LARGER), false) == Answer::Reject);
        assert!(backoff.answer(&fast_reject, call(1000), false) == Answer::Ask);
        backoff.clear(&fast_reject);
        assert!(backoff.answer(&fast_reject, call(100), false) == Answer::Ask);
    }

    #[test]
    fn a_long_call_counts_anew() {
        let (backoff, fast_reject) = (Backoff::default(), FastReject::new(()));
        for k in 0..100 {
            assert!(backoff.answer(&fast_reject, call(100), false) == Answer::Ask);
            let seconds = Seconds(if k % 4 == 3 { 1e-3 } else { 1e-6 });
            let attempted = Attempted {
                work: call(100),
                why: Why::Failed,
            };
            backoff.add(&fast_reject, attempted, seconds, SHORT);
        }
    }
}
