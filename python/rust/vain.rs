//! Calls that are left to CPython because others like them came to nothing.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// Attempts that come to nothing, on loops that take CPython about as long as an attempt.
///
/// Asking costs a microsecond or two, whatever is found to be in the way. After a few such calls in a row some are
/// left to CPython without being asked about: those that are no larger, so that what could be missed is bounded, and
/// only up to the next question.
#[derive(Default)]
pub struct Vain {
    /// How many there were in a row.
    streak: AtomicU32,
    /// Calls that are not asked about.
    skip: AtomicU32,
    /// The largest of them.
    work: AtomicI64,
}

impl Vain {
    /// Of a loop that takes CPython longer, an attempt is a small part.
    const SHORT: f64 = 25e-6;
    /// So many in a row may be chance.
    const CHANCE: u32 = 4;
    /// Calls in a row that are not asked about, at most.
    const MOST: u32 = 64;

    /// Whether a call of this much work is not to be asked about.
    pub fn skips(&self, work: i64) -> bool {
        let skip = self.skip.load(Ordering::Relaxed);
        if skip == 0 || work > self.work.load(Ordering::Relaxed) {
            return false;
        }
        // Two threads at once may count one call for two.
        self.skip.store(skip - 1, Ordering::Relaxed);
        true
    }

    /// A call of this much work came to nothing, and CPython took so many seconds for it.
    pub fn add(&self, work: i64, seconds: f64) {
        if seconds > Self::SHORT {
            return self.clear();
        }
        let streak = self.streak.load(Ordering::Relaxed) + 1;
        let work = match streak {
            1 => work,
            _ => work.min(self.work.load(Ordering::Relaxed)),
        };
        self.work.store(work, Ordering::Relaxed);
        self.streak.store(streak, Ordering::Relaxed);
        let doubled = streak.saturating_sub(Self::CHANCE).min(Self::MOST.ilog2());
        if streak > Self::CHANCE {
            self.skip.store(1 << doubled, Ordering::Relaxed);
        }
    }

    /// Some call came to something.
    pub fn clear(&self) {
        if self.streak.load(Ordering::Relaxed) != 0 {
            self.streak.store(0, Ordering::Relaxed);
            self.skip.store(0, Ordering::Relaxed);
        }
    }
}
