//! How many iterations CPython runs before native code is asked about again.
//!
//! CPython can be stopped between two iterations only, so its shares are counted in iterations, although what is wanted
//! is a time. The pace so far tells how many iterations that are, but later ones may take much longer, or less.

use nestwise_costmodel::Seconds;

use crate::constants::{
    FAR, FIRST_SHARE, LEAST_PART, OWN_PART, PACE, PARTS, SHARE_GROWTH, WATCHING,
};

/// The part of a share's measured time that CPython itself took, without the watching of the share.
pub fn own_time(measured: Seconds) -> Seconds {
    Seconds((measured.0 - WATCHING.0).max(OWN_PART * measured.0))
}

/// How far CPython has come with a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The number of iterations that CPython has run.
    pub done: i64,
    /// The time that CPython has taken for them.
    pub spent: Seconds,
}

impl Pace {
    /// Whether CPython has run enough of the loop for its pace to tell what the rest takes.
    pub fn tells(self) -> bool {
        self.done > 0 && self.spent >= PACE
    }

    /// The time that the rest of a loop of `trips` iterations takes at the pace so far, if that tells.
    pub fn rest(self, trips: i64) -> Option<Seconds> {
        let left = trips.saturating_sub(self.done).max(0) as f64;
        self.tells()
            .then(|| Seconds(self.spent.0 / self.done as f64 * left))
    }

    /// The number of iterations that CPython makes in `time` at the pace so far, at most twice as many as it has made.
    pub fn iterations_in(self, time: Seconds) -> i64 {
        let done = self.done.max(1);
        let each = (self.spent.0 / done as f64).max(1e-10);
        ((time.0 / each) as i64).clamp(FIRST_SHARE, done.saturating_mul(2))
    }

    /// The number of iterations until CPython is asked whether it has gone on for long enough, which is after `wait`.
    pub fn iterations_of(self, wait: Seconds) -> i64 {
        let part = (wait.0 / PARTS).max(LEAST_PART.0.min(wait.0));
        self.iterations_in(Seconds(part))
    }

    /// The iteration at which the clock is looked at next, where CPython may take `budget` in all.
    pub fn next_look(self, budget: Seconds) -> i64 {
        let factor = budget.0 / self.spent.0.max(1e-9);
        (self.done as f64 * factor.clamp(1.02, SHARE_GROWTH)) as i64 + 1
    }
}

/// The number of iterations of CPython's first share of a loop, if it is to have `time`. The loop is expected to make
/// `trips` trips in `expected`; 0 seconds: nothing tells.
pub fn first(time: Seconds, expected: Seconds, trips: i64) -> i64 {
    if expected.0 == 0.0 {
        return FIRST_SHARE;
    }
    let each = expected.0 / trips.max(1) as f64;
    ((time.0 / each.max(1e-10)) as i64).clamp(FIRST_SHARE, trips.max(FIRST_SHARE))
}

/// The number of iterations of CPython's share after an attempt which ran `ran` iterations and followed a share of
/// `share`: short again if the attempt got far, else twice as many.
pub fn after(share: i64, ran: i64) -> i64 {
    match ran / FAR > share {
        true => FIRST_SHARE,
        false => share.saturating_mul(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_as_long_as_the_pace_tells_but_grows_slowly() {
        let pace = Pace {
            done: 100,
            spent: Seconds(1e-3),
        };
        assert_eq!(pace.iterations_in(Seconds(0.5e-3)), 50);
        assert_eq!(pace.iterations_in(Seconds(1.0)), 200);
        assert_eq!(pace.iterations_in(Seconds(0.0)), FIRST_SHARE);
        assert_eq!(pace.iterations_of(Seconds(2e-3)), 50);
    }

    #[test]
    fn the_rest_of_a_loop_is_known_once_some_of_it_has_run() {
        let pace = |spent| Pace {
            done: 100,
            spent: Seconds(spent),
        };
        assert_eq!(pace(1e-6).rest(1000), None);
        let rest = pace(1e-3).rest(1000).map_or(0.0, |rest| rest.0);
        assert!((rest - 9e-3).abs() < 1e-9);
        assert_eq!(pace(1e-3).rest(50), Some(Seconds(0.0)));
    }

    /// Iterations that take ever longer: CPython runs beyond the time that it was to have by no more than a part of it.
    #[test]
    fn growing_iterations_do_not_carry_it_far_beyond() {
        let budget = 4e-3;
        let (mut done, mut spent, mut share) = (0, 0.0, FIRST_SHARE);
        while spent < budget {
            for _ in 0..share {
                done += 1;
                spent += 2e-6 * done as f64;
            }
            let pace = Pace {
                done,
                spent: Seconds(spent),
            };
            share = pace.iterations_of(Seconds(budget - spent));
        }
        assert!(spent < budget * 1.25, "{spent}");
    }

    #[test]
    fn attempts_come_again_after_ever_longer_shares_until_one_gets_far() {
        let shares: Vec<i64> = std::iter::successors(Some(FIRST_SHARE), |s| Some(after(*s, 0)))
            .take(4)
            .collect();
        assert_eq!(shares, [1, 2, 4, 8]);
        assert_eq!(after(8, 8 * FAR), 16);
        assert_eq!(after(8, 9 * FAR), FIRST_SHARE);
    }

    #[test]
    fn the_first_share_goes_by_what_is_expected() {
        assert_eq!(first(Seconds(1e-3), Seconds(0.0), 1000), FIRST_SHARE);
        assert_eq!(first(Seconds(1e-3), Seconds(1e-2), 1000), 100);
        assert_eq!(first(Seconds(1.0), Seconds(1e-2), 1000), 1000);
    }

    #[test]
    fn looks_at_the_clock_come_closer_as_time_runs_out() {
        let at = |spent| Pace {
            done: 1000,
            spent: Seconds(spent),
        };
        assert_eq!(at(1e-4).next_look(Seconds(1e-3)), 1251);
        assert_eq!(at(9e-4).next_look(Seconds(1e-3)), 1112);
        assert_eq!(at(2e-3).next_look(Seconds(1e-3)), 1021);
    }
}
