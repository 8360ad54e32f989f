//! Sites that are switched off for a while: their loops run as they were, at the price of a look at a number.
//!
//! A switch is for sites of which no size that the rewritten code could look at tells how long a call takes, and whose
//! calls have been brief, or attempts at them have come to nothing, many times in a row. Each time that is found again
//! the site stays off for twice as long, up to [`LONGEST_OFF`]: what can be missed is what begins meanwhile.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use nestwise_costmodel::Seconds;

use crate::clock;
use crate::constants::{BRIEF, FIRST_OFF, LONGEST_OFF, MANY_BRIEF, OUTWEIGHS};

/// The switch of one site.
#[derive(Default)]
pub struct Switch {
    /// When the site is switched on again, in nanoseconds of the coarse clock; 0: it is on.
    until: AtomicI64,
    /// Nanoseconds for which the site was off the last time.
    last: AtomicI64,
    /// The number of calls that were brief, less what the others outweigh.
    brief: AtomicU32,
}

impl Switch {
    /// Whether the site is off, so that its loop runs as it was.
    #[inline]
    pub fn is_off(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        if until == 0 {
            return false;
        }
        let off = clock::coarse() < until;
        if !off {
            self.until.store(0, Ordering::Relaxed);
        }
        off
    }

    /// Whether calls have been brief so many times that the next one switches the site off.
    pub fn were_brief(&self) -> bool {
        self.brief.load(Ordering::Relaxed) >= MANY_BRIEF - 1
    }

    /// Counts a call that CPython ran in `seconds`, if that is brief; returns the surplus of brief calls. `short`: the
    /// time from which a call is worth an attempt.
    pub fn count(&self, seconds: Seconds, short: Seconds) -> u32 {
        let before = self.brief.load(Ordering::Relaxed);
        let brief = match seconds {
            s if s < BRIEF => (before + 1).min(MANY_BRIEF),
            // Where functions call themselves, calls around brief ones are not brief.
            s if s < short => before.saturating_sub(OUTWEIGHS),
            _ => 0,
        };
        self.brief.store(brief, Ordering::Relaxed);
        brief
    }

    /// Takes in that CPython ran a call in `seconds`, and switches the site off where that is the end of the matter.
    /// `futile`: attempts have come to nothing too often to be made; `short`: the time from which a call is worth an
    /// attempt.
    pub fn ended(&self, seconds: Seconds, futile: bool, short: Seconds) {
        let brief = self.count(seconds, short);
        if brief >= MANY_BRIEF || futile && seconds <= short {
            // The next brief call after that switches it off again.
            self.brief.store(MANY_BRIEF - 1, Ordering::Relaxed);
            let time = (self.last.load(Ordering::Relaxed) * 2).clamp(FIRST_OFF, LONGEST_OFF);
            self.last.store(time, Ordering::Relaxed);
            self.until.store(clock::coarse() + time, Ordering::Relaxed);
        } else if brief == 0 && !futile {
            self.last.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::SHORT;

    #[test]
    fn brief_calls_switch_off_for_longer_and_longer() {
        let switch = Switch::default();
        (0..MANY_BRIEF - 1).for_each(|_| switch.ended(Seconds(1e-7), false, SHORT));
        assert!(!switch.is_off());
        let mut times = Vec::new();
        for _ in 0..6 {
            switch.ended(Seconds(1e-7), false, SHORT);
            assert!(switch.is_off());
            times.push(switch.last.load(Ordering::Relaxed));
        }
        assert_eq!(
            (times[0], times[1], times[5]),
            (FIRST_OFF, 2 * FIRST_OFF, LONGEST_OFF)
        );
    }

    #[test]
    fn a_longer_call_counts_anew() {
        let switch = Switch::default();
        for _ in 0..10 {
            (0..MANY_BRIEF - 1).for_each(|_| switch.ended(Seconds(1e-7), false, SHORT));
            switch.ended(Seconds(1e-3), false, SHORT);
        }
        assert!(!switch.is_off());
        switch.ended(Seconds(1e-5), true, SHORT);
        assert!(switch.is_off());
    }
}
