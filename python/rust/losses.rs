//! What native attempts at one running loop may cost.
//!
//! A launch that ends early hands the loop to CPython, which runs some iterations; then native code is tried again. An
//! attempt costs what it took, and gains what CPython would have taken for the iterations that it completed. The bound:
//! before each attempt after the first, all that the attempts so far have cost beyond what they gained is at most
//! [`SHARE`] of the time that CPython has run this loop. So a loop whose attempts all come to nothing takes at most
//! 1 + [`SHARE`] times as long as in CPython, and one more attempt.

use nestwise_costmodel::Seconds;
use std::cell::Cell;

/// The part of CPython's time that attempts may cost: where guards fail often, a fifth of the whole is lost.
pub const SHARE: f64 = 0.25;

/// The account of one running loop.
#[derive(Default)]
pub struct Losses {
    /// What attempts cost beyond what they gained; never below zero, so that what was gained long ago pays for nothing.
    net: Cell<f64>,
}

impl Losses {
    /// An attempt is over. Returns what it has lost, if anything.
    pub fn attempted(&self, cost: Seconds, gain: Seconds) -> Seconds {
        self.net.set((self.net.get() + cost.0 - gain.0).max(0.0));
        Seconds((cost.0 - gain.0).max(0.0))
    }

    /// How much longer CPython, which has run the loop for `spent`, is to run it before the next attempt.
    pub fn wait(&self, spent: Seconds) -> Seconds {
        Seconds((self.net.get() / SHARE - spent.0).max(0.0))
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
            assert!(lost <= SHARE * spent + 1e-12);
            lost += losses.attempted(Seconds(cost), Seconds(0.0)).0;
            spent += losses.wait(Seconds(spent)).0 + 1e-6;
        }
        assert!(lost > 0.0);
    }

    #[test]
    fn gains_pay_for_losses_after_them_only_as_far_as_they_go() {
        let losses = Losses::default();
        losses.attempted(Seconds(1.0), Seconds(100.0));
        losses.attempted(Seconds(1.0), Seconds(0.0));
        assert_eq!(losses.wait(Seconds(0.0)).0, 1.0 / SHARE);
        losses.attempted(Seconds(1.0), Seconds(2.0));
        assert_eq!(losses.wait(Seconds(0.0)).0, 0.0);
    }
}
