//! What native attempts at the loops of one site may cost.
//!
//! A launch that ends early hands the loop to CPython, which runs some iterations; then native code is tried again, in
//! this call or the next. An attempt costs what it took, and gains what CPython would have taken for the iterations
//! that it completed. The bound: before each attempt after the first, all that attempts have cost beyond what they
//! gained is at most [`LOSS_SHARE`] of the time that CPython has run the site, and [`LOSS_CREDIT`]. So a site whose
//! attempts all come to nothing takes at most 1 + [`LOSS_SHARE`] times as long as in CPython, and one more attempt.

use std::sync::atomic::{AtomicU64, Ordering};

use nestwise_costmodel::Seconds;

use crate::constants::{LOSS_CREDIT, LOSS_SHARE};

/// What attempts at the loops of one site have cost and gained, in seconds.
#[derive(Default)]
pub struct Losses {
    /// What attempts have cost beyond what they gained.
    net: Sum,
    /// The time that CPython has taken for shares that have ended.
    interpreted: Sum,
}

/// A sum of seconds that several threads may add to; where two add at the same time, one addition may be lost.
#[derive(Default)]
struct Sum(AtomicU64);

impl Sum {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, seconds: f64) {
        self.0.store(seconds.to_bits(), Ordering::Relaxed);
    }
}

impl Losses {
    /// Takes in an attempt that is over. Returns what it has lost, 0 if nothing.
    pub fn attempted(&self, cost: Seconds, gain: Seconds) -> Seconds {
        let lost = cost.0 - gain.0;
        self.net.set((self.net.get() + lost).max(-LOSS_CREDIT.0));
        Seconds(lost.max(0.0))
    }

    /// Takes in the time of a share of CPython's that is over.
    pub fn interpreted(&self, seconds: Seconds) {
        self.interpreted.set(self.interpreted.get() + seconds.0);
    }

    /// How much longer CPython, which has run a share for `spent` so far, is to run it before the next attempt.
    pub fn wait(&self, spent: Seconds) -> Seconds {
        let net = self.net.get();
        if net <= 0.0 {
            return Seconds(0.0);
        }
        Seconds((net / LOSS_SHARE - self.interpreted.get() - spent.0).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_that_come_to_nothing_cost_a_share_of_the_rest() {
        let losses = Losses::default();
        let (mut spent, mut lost) = (0.0, 0.0);
        for k in 0..1000 {
            let cost = [1e-5, 3e-2, 1e-3][k % 3];
            assert!(lost <= LOSS_SHARE * spent + 1e-9);
            lost += losses.attempted(Seconds(cost), Seconds(0.0)).0;
            let share = losses.wait(Seconds(0.0)).0 + 1e-6;
            losses.interpreted(Seconds(share));
            spent += share;
        }
        assert!(lost > 0.0);
    }

    #[test]
    fn gains_pay_for_losses_after_them_as_far_as_the_credit_goes() {
        let losses = Losses::default();
        losses.attempted(Seconds(1.0), Seconds(100.0));
        losses.attempted(Seconds(1.0), Seconds(0.0));
        assert_eq!(
            losses.wait(Seconds(0.0)).0,
            (1.0 - LOSS_CREDIT.0) / LOSS_SHARE
        );
        losses.attempted(Seconds(1.0), Seconds(3.0));
        assert_eq!(losses.wait(Seconds(0.0)).0, 0.0);
    }
}
