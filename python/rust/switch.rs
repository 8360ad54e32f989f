//! Sites that are switched off for a while: their loops run as they were, at the price of a look at a number.
//!
//! A switch is for sites of which no size that the rewritten code could be asked about tells how long a call takes
//! ([`Parsed::gated`](crate::parsed::Parsed)), and whose calls have been brief, or attempts at them come to nothing, many times in
//! a row. Each time that is found again the site stays off for twice as long, up to [`LONGEST`]: what can be missed is what
//! begins meanwhile.

use crate::gate::coarse_time;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// Nanoseconds for which a site is off the first time, and at most.
const FIRST: i64 = 20_000_000;
const LONGEST: i64 = 160_000_000;
/// A call that takes CPython less than so many seconds is brief: asking alone takes native code about as long.
const BRIEF: f64 = 2e-6;
/// Surplus of brief calls over others at which a site is switched off.
const MANY: u32 = 64;
/// A call that is not brief outweighs so many brief ones.
const OUTWEIGHS: u32 = 8;

/// The switch of one site.
#[derive(Default)]
pub struct Switch {
    /// The site is off until then, in nanoseconds of the coarse clock; 0: it is on.
    until: AtomicI64,
    /// For how long it was off the last time.
    last: AtomicI64,
    /// How many more calls were brief than not.
    brief: AtomicU32,
}

impl Switch {
    /// Whether the loop is to run as it was.
    #[inline]
    pub fn is_off(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        if until == 0 {
            return false;
        }
        let off = coarse_time() < until;
        if !off {
            self.until.store(0, Ordering::Relaxed);
        }
        off
    }

    /// CPython ran a call in so many seconds. `futile`: attempts have come to nothing too often to be made.
    pub fn ended(&self, seconds: f64, futile: bool, short: f64) {
        let before = self.brief.load(Ordering::Relaxed);
        let brief = match seconds {
            s if s < BRIEF => before + 1,
            // Where functions call themselves, calls around brief ones are not brief.
            s if s < short => before.saturating_sub(OUTWEIGHS),
            _ => 0,
        };
        self.brief.store(brief, Ordering::Relaxed);
        if brief >= MANY || futile && seconds <= short {
            // The next brief call after that switches it off again.
            self.brief.store(MANY - 1, Ordering::Relaxed);
            let time = (self.last.load(Ordering::Relaxed) * 2).clamp(FIRST, LONGEST);
            self.last.store(time, Ordering::Relaxed);
            self.until.store(coarse_time() + time, Ordering::Relaxed);
        } else if brief == 0 && !futile {
            self.last.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brief_calls_switch_off_for_longer_and_longer() {
        let switch = Switch::default();
        (0..MANY - 1).for_each(|_| switch.ended(1e-7, false, 25e-6));
        assert!(!switch.is_off());
        let mut times = Vec::new();
        for _ in 0..6 {
            switch.ended(1e-7, false, 25e-6);
            assert!(switch.is_off());
            times.push(switch.last.load(Ordering::Relaxed));
        }
        assert_eq!((times[0], times[1], times[5]), (FIRST, 2 * FIRST, LONGEST));
    }

    #[test]
    fn a_longer_call_counts_anew() {
        let switch = Switch::default();
        for _ in 0..10 {
            (0..MANY - 1).for_each(|_| switch.ended(1e-7, false, 25e-6));
            switch.ended(1e-3, false, 25e-6);
        }
        assert!(!switch.is_off());
        switch.ended(1e-5, true, 25e-6);
        assert!(switch.is_off());
    }
}
