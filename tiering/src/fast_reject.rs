//! What rejects small calls to CPython at a glance.
//!
//! A loop that takes CPython two microseconds is not worth asking about, and a call that comes seldom finds nothing of ours
//! in the caches: what it costs to reject it is the lines that are fetched from memory to find out. So all of it is in one
//! line, and the function that reads it calls nothing.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use crate::constants::REJECTED_FOR;

/// A site's fast reject. `S`: what tells how much work a call is.
#[repr(C, align(64))]
pub struct FastReject<S> {
    /// Up to this much work CPython is cheaper, whatever the call finds in the caches; below zero at first.
    small: AtomicI64,
    /// Calls of just so much work are CPython's, too, for so many times; of `!alike` or less, until then, where that is below zero.
    alike: AtomicI64,
    times: AtomicU32,
    until: AtomicU32,
    /// What tells how much work a call is.
    pub sight: S,
}

/// Time in 2^20 cycles of the processor's own counter, a third of a millisecond or so: reading it touches no memory.
#[inline]
fn ticks() -> u32 {
    // SAFETY: every x86-64 has the counter.
    let cycles = unsafe { std::arch::x86_64::_rdtsc() };
    (cycles >> 20) as u32
}

#[inline]
fn has_passed(until: u32) -> bool {
    ticks().wrapping_sub(until) as i32 >= 0
}

impl<S> FastReject<S> {
    /// A fast reject that rejects nothing.
    pub fn new(sight: S) -> FastReject<S> {
        FastReject {
            small: AtomicI64::new(-1),
            alike: AtomicI64::new(-1),
            times: AtomicU32::new(0),
            until: AtomicU32::new(0),
            sight,
        }
    }

    /// Whether to leave a call of so much work to CPython, by what is known already.
    #[inline]
    pub fn rejects(&self, amount: i64) -> bool {
        if self.is_small(amount) {
            return true;
        }
        let times = self.times.load(Ordering::Relaxed);
        if times == 0 || !self.is_alike(amount) {
            return false;
        }
        // Two threads at once may count one call for two.
        self.times.store(times - 1, Ordering::Relaxed);
        true
    }

    #[inline]
    fn is_alike(&self, amount: i64) -> bool {
        let alike = self.alike.load(Ordering::Relaxed);
        match alike < 0 {
            true => amount <= !alike && !has_passed(self.until.load(Ordering::Relaxed)),
            false => amount == alike,
        }
    }

    /// Whether so much work is too little, whatever the call finds in the caches.
    #[inline]
    pub fn is_small(&self, amount: i64) -> bool {
        amount <= self.small.load(Ordering::Relaxed)
    }

    /// Rejects calls of so much work, or less, from now on.
    pub fn set_small(&self, amount: i64) {
        self.small.fetch_max(amount, Ordering::Relaxed);
    }

    /// Rejects the next `times` calls of exactly that much work.
    pub fn reject_next(&self, amount: i64, times: u32) {
        self.alike.store(amount, Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
    }

    /// Rejects the next `times` calls of that much work or less, for some milliseconds.
    pub fn reject_up_to(&self, amount: i64, times: u32) {
        self.alike.store(!amount, Ordering::Relaxed);
        self.until
            .store(ticks().wrapping_add(REJECTED_FOR), Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
    }

    /// The number of calls that are still to be rejected.
    pub fn times(&self) -> u32 {
        self.times.load(Ordering::Relaxed)
    }

    /// Rejects no further calls of the last order; returns how many were still to be rejected.
    pub fn withdraw(&self) -> u32 {
        self.times.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_calls_and_so_many_like_one_are_rejected() {
        let fast_reject = FastReject::new(());
        assert!(!fast_reject.rejects(0));
        fast_reject.set_small(10);
        assert!(fast_reject.rejects(10) && !fast_reject.rejects(11));
        fast_reject.reject_next(20, 2);
        assert!(!fast_reject.rejects(21) && fast_reject.rejects(20));
        assert_eq!(fast_reject.times(), 1);
        assert!(fast_reject.rejects(20) && !fast_reject.rejects(20));
        fast_reject.reject_up_to(30, 3);
        assert!(fast_reject.rejects(25) && !fast_reject.rejects(31));
        assert_eq!(fast_reject.withdraw(), 2);
        assert!(!fast_reject.rejects(25));
    }
}
