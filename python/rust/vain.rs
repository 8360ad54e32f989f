//! Calls that are left to CPython because others like them came to nothing.

use crate::gate::{SHORT, Work, coarse_time};
use crate::latch::Latch;
use nestwise_costmodel::Seconds;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

/// An attempt that came to nothing.
#[derive(Clone, Copy)]
pub struct Attempted {
    /// How much work the call was, if that is known.
    pub work: Option<Work>,
    pub why: Why,
}

/// Why an attempt came to nothing.
#[derive(Clone, Copy, PartialEq)]
pub enum Why {
    /// CPython is cheaper, at about this price.
    Dear(Seconds),
    /// Something was in the way, of it or of others like it.
    Failed,
    /// The same, and the [gate knows](crate::gate::Gate::refused).
    Refused,
    /// Native code ran, and was stopped at once, perhaps before it had done anything.
    Lost,
}

/// What is to be done with a call.
#[derive(Clone, Copy, PartialEq)]
pub enum Answer {
    Leave,
    Watch,
    Ask,
}

/// Attempts that came to nothing.
///
/// Asking costs a microsecond or two, whatever is found to be in the way, or the pricing alone where no bound of the work
/// is known, and ten times as much with cold caches; a launch that is taken back can cost much more. After a few such calls
/// in a row some are left to CPython without being asked about, by the [`Latch`] where that can, and only up to the next
/// question. Where it was the asking that was too much, those that are not much larger, and for some milliseconds: so what
/// could be missed is bounded. Then one is watched: CPython begins, and is interrupted if it takes long.
#[derive(Default)]
pub struct Vain {
    /// How many there were in a row.
    streak: AtomicU32,
    /// Calls that are not asked about, but for those that are the latch's to leave, and how many that got.
    skip: AtomicU32,
    lent: AtomicU32,
    /// The largest of them.
    work: AtomicI64,
    /// When the last one was, in nanoseconds.
    last: AtomicI64,
    /// They are left to CPython because it is cheaper, as are calls below the threshold, which nobody counts.
    dear: AtomicBool,
    /// How many others there were.
    left: AtomicU64,
}

impl Vain {
    /// So many in a row may be chance: attempts, and launches taken back.
    const CHANCE: u32 = 4;
    const CHANCE_LOST: u32 = 16;
    /// Calls in a row that are not asked about, at most, by their size or not.
    const MOST: u32 = 512;
    const MOST_LOST: u32 = 64;
    /// Nanoseconds after which there is a question in any case: some hundred times as many as one takes.
    const LASTING: i64 = 20_000_000;
    /// Larger than any call.
    const ANY: i64 = i64::MAX;
    /// Calls that are so many times as large as those are still like them: sizes may grow from call to call.
    const LARGER: i64 = 2;

    /// What became of the ones before a call that is only to be watched.
    pub fn before(&self) -> Why {
        match self.dear.load(Ordering::Relaxed) {
            true => Why::Dear(Seconds(SHORT)),
            false => Why::Failed,
        }
    }

    /// `lends`: the latch may leave the calls after this one.
    pub fn answer(&self, latch: &Latch, work: Option<Work>, lends: bool) -> Answer {
        self.settle(latch);
        let skip = self.skip.load(Ordering::Relaxed);
        let largest = self.work.load(Ordering::Relaxed);
        if skip == 0 || work.map_or(Self::ANY, |w| w.amount) / Self::LARGER > largest {
            return Answer::Ask;
        }
        // Two threads at once may count one call for two.
        self.skip.store(skip - 1, Ordering::Relaxed);
        self.count(1);
        // A call that was left may have taken long, and the next may too.
        let old = || coarse_time() - self.last.load(Ordering::Relaxed) > Self::LASTING;
        if largest != Self::ANY && old() {
            return Answer::Watch;
        }
        if lends && skip > 1 {
            self.lent.store(skip - 1, Ordering::Relaxed);
            self.skip.store(0, Ordering::Relaxed);
            latch.leave_up_to(largest.saturating_mul(Self::LARGER), skip - 1);
        }
        Answer::Leave
    }

    /// Counts calls that were left to CPython.
    fn count(&self, calls: u32) {
        if !self.dear.load(Ordering::Relaxed) {
            self.left.fetch_add(calls.into(), Ordering::Relaxed);
        }
    }

    /// Takes back what the latch has not left of what it was lent.
    fn settle(&self, latch: &Latch) {
        let lent = self.lent.swap(0, Ordering::Relaxed);
        if lent > 0 {
            let rest = latch.take_back().min(lent);
            self.count(lent - rest);
            self.skip.store(rest, Ordering::Relaxed);
        }
    }

    /// How many calls were left that failed.
    pub fn left(&self, latch: &Latch) -> u64 {
        let lent = match self.dear.load(Ordering::Relaxed) {
            true => 0,
            false => self.lent.load(Ordering::Relaxed),
        };
        let more = u64::from(lent.saturating_sub(latch.times()));
        self.left.load(Ordering::Relaxed) + more
    }

    /// `short`: calls of so many seconds or more are asked about anyway.
    pub fn add(&self, latch: &Latch, attempted: Attempted, seconds: f64, short: f64) {
        let lost = attempted.why == Why::Lost;
        let (work, chance, most) = match attempted.work {
            _ if lost => (Self::ANY, Self::CHANCE_LOST, Self::MOST_LOST),
            Some(work) if seconds <= short => {
                (work.amount.min(Self::ANY - 1), Self::CHANCE, Self::MOST)
            }
            _ => return self.clear(latch),
        };
        let before = self.work.load(Ordering::Relaxed);
        if (before == Self::ANY) != lost {
            self.clear(latch);
        }
        self.settle(latch);
        let dear = matches!(attempted.why, Why::Dear(_));
        self.dear.store(dear, Ordering::Relaxed);
        let streak = self.streak.load(Ordering::Relaxed) + 1;
        let largest = if streak > 1 { work.max(before) } else { work };
        self.work.store(largest, Ordering::Relaxed);
        self.last.store(coarse_time(), Ordering::Relaxed);
        self.streak.store(streak, Ordering::Relaxed);
        if streak > chance {
            let doubled = (streak - chance).min(most.ilog2());
            self.skip.store(1 << doubled, Ordering::Relaxed);
        }
    }

    /// Whether the last of them was one of so many in a row that most calls are not attempted any more, and whether all of those
    /// were refused: it was not their price.
    pub fn is_constant(&self) -> (bool, bool) {
        let lost = self.work.load(Ordering::Relaxed) == Self::ANY;
        let most = match lost {
            true => Self::CHANCE_LOST + Self::MOST_LOST.ilog2(),
            false => Self::CHANCE + Self::MOST.ilog2(),
        };
        let constant = self.streak.load(Ordering::Relaxed) >= most;
        (constant, !lost && !self.dear.load(Ordering::Relaxed))
    }

    pub fn clear(&self, latch: &Latch) {
        if self.streak.load(Ordering::Relaxed) != 0 {
            self.settle(latch);
            self.streak.store(0, Ordering::Relaxed);
            self.skip.store(0, Ordering::Relaxed);
        }
    }
}
