//! The fast reject, which leaves small calls to CPython at a glance.
//!
//! A loop that takes CPython two microseconds is not worth asking about, and a call that comes seldom finds nothing of
//! ours in the caches: the cost of rejecting it is the lines that are fetched from memory to find out. So all that is
//! needed is in one line, and the function that reads it calls nothing.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use crate::constants::REJECTED_FOR;

/// A site's fast reject. `S` is the type of what tells how much work a call is.
#[repr(C, align(64))]
pub struct FastReject<S> {
    /// The work up to which CPython is cheaper, whatever the call finds in the caches; below zero at first.
    small: AtomicI64,
    /// Further work that is left to CPython for the next `times` calls: exactly `alike`, or, if that is below zero, up
    /// to `!alike` and only until `until`.
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

    /// Whether to leave a call whose work is `amount` to CPython, by what is known already.
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

    /// Whether the work `amount` is too little for native code, whatever the call finds in the caches.
    #[inline]
    pub fn is_small(&self, amount: i64) -> bool {
        amount <= self.small.load(Ordering::Relaxed)
    }

    /// Rejects calls whose work is at most `amount`.
    pub fn set_small(&self, amount: i64) {
        self.small.fetch_max(amount, Ordering::Relaxed);
    }

    /// Rejects the next `times` calls whose work is exactly `amount`.
    pub fn reject_next(&self, amount: i64, times: u32) {
        self.alike.store(amount, Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
    }

    /// Rejects the next `times` calls whose work is at most `amount`, for some milliseconds.
    pub fn reject_up_to(&self, amount: i64, times: u32) {
        self.alike.store(!amount, Ordering::Relaxed);
        self.until
            .store(ticks().wrapping_add(REJECTED_FOR), Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
    }

    /// The number of calls that [`FastReject::reject_next`] or [`FastReject::reject_up_to`] still rejects.
    pub fn times(&self) -> u32 {
        self.times.load(Ordering::Relaxed)
    }

    /// Ends what the last [`FastReject::reject_next`] or [`FastReject::reject_up_to`] began; returns how many calls
    /// were still to be rejected.
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
