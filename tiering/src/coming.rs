//! How the code comes that a call would run on, from disk or made somewhere, and what a native run would wait for it.

use nestwise_costmodel::Seconds;

use crate::constants::LOADING;

/// How code of a tier that is not in the process comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coming {
    /// Earlier processes have lost as much without the code as it takes to make it: the call waits for it, whatever it
    /// takes.
    Overdue,
    /// The code is read from disk, as far as anybody knows.
    OnDisk,
    /// The code is made beside CPython, and a native run would wait this long for it, however much was lost before.
    Beside(Seconds),
    /// Whoever needs the code makes it.
    Inline,
}

impl Coming {
    /// The part of `compile`, the time that optimised code takes to make, that counts as lost before a call: the rest
    /// speaks against a native run. `so_far`: what was lost without the code.
    pub fn counts_as_lost(self, so_far: Seconds, compile: Seconds) -> Seconds {
        match self {
            Coming::Overdue => compile,
            Coming::OnDisk => Seconds(compile.0 - loading(so_far).0),
            Coming::Beside(wait) => Seconds(compile.0 - wait.0),
            Coming::Inline => so_far,
        }
    }

    /// The time that speaks against a run on code that takes `making` to make. `so_far`: what was lost without the
    /// code.
    pub fn speaks_against(self, so_far: Seconds, making: Seconds) -> Seconds {
        match self {
            Coming::Overdue => Seconds(0.0),
            Coming::OnDisk => loading(so_far),
            Coming::Beside(wait) => wait,
            Coming::Inline => Seconds((making.0 - so_far.0).max(0.0)),
        }
    }
}

/// What is left of the time to read a kernel from disk once `lost` was lost without it.
fn loading(lost: Seconds) -> Seconds {
    Seconds((LOADING.0 - lost.0).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_pays_for_code_unless_somebody_else_makes_it() {
        let (lost, making) = (Seconds(1e-3), Seconds(3e-3));
        let against = |coming: Coming| coming.speaks_against(lost, making).0;
        assert_eq!(against(Coming::Overdue), 0.0);
        assert_eq!(against(Coming::Beside(Seconds(7e-3))), 7e-3);
        assert_eq!(against(Coming::Inline), 2e-3);
        assert_eq!(Coming::Inline.speaks_against(Seconds(5e-3), making).0, 0.0);
        assert_eq!(against(Coming::OnDisk), 0.0);
        assert_eq!(Coming::OnDisk.speaks_against(Seconds(0.0), making), LOADING);
    }

    #[test]
    fn what_counts_as_lost_is_the_part_of_compiling_that_no_run_waits_for() {
        let (lost, compile) = (Seconds(1e-3), Seconds(15e-3));
        let counts = |coming: Coming| coming.counts_as_lost(lost, compile).0;
        assert_eq!(counts(Coming::Overdue), 15e-3);
        assert_eq!(counts(Coming::OnDisk), 15e-3);
        assert!((counts(Coming::Beside(Seconds(5e-3))) - 10e-3).abs() < 1e-9);
        assert_eq!(counts(Coming::Inline), 1e-3);
    }
}
