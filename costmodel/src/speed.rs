//! The speed of a machine relative to the one that the default profile describes.

use nestwise_ir::Work;
use nestwise_ir::machine_shape::Op;

use crate::profile::MachineProfile;
use crate::profile::host::HostWeights;
use crate::weights::{Kind, Weights};

/// The largest factor between the speeds of two machines: a measurement beyond it was disturbed, and is clamped.
const MOST: f64 = 8.0;

/// How many times as long things take on a machine as the default profile says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// The factor of CPython's operations and what is like them: calls of its functions, making objects, compiling.
    pub interpreter: f64,
    /// The factor of operations in a core.
    pub core: f64,
}

impl Default for Speed {
    fn default() -> Self {
        Speed {
            interpreter: 1.0,
            core: 1.0,
        }
    }
}

impl Speed {
    /// The speed of a machine on which CPython takes `interpreted` nanoseconds for `work` (kinds and counts), and a
    /// multiplication of ints `multiplied` nanoseconds until one that needs its result can begin.
    pub fn of(work: &[(Work, f64)], interpreted: f64, multiplied: f64) -> Speed {
        let usual = MachineProfile::default();
        let weight = |(kind, times): &(Work, f64)| usual.interpreter.get(*kind) * times;
        let expected: f64 = work.iter().map(weight).sum();
        let ratio = |measured: f64, expected: f64| (measured / expected).clamp(1.0 / MOST, MOST);
        Speed {
            interpreter: ratio(interpreted, expected),
            core: ratio(multiplied, usual.host.latency.of(Op::IntMul)),
        }
    }
}

impl MachineProfile {
    /// This profile for a machine of that speed: the weights of memory, threads and GPU stay as they are.
    pub fn at(mut self, speed: Speed) -> MachineProfile {
        scale(&mut self.interpreter, speed.interpreter);
        scale(&mut self.call, speed.interpreter);
        self.compile.scale(|_| speed.interpreter);
        self.host = at(self.host, speed.core);
        self
    }
}

fn scale<K: Kind>(weights: &mut Weights<K>, factor: f64) {
    for kind in K::ALL {
        weights.set(*kind, weights.get(*kind) * factor);
    }
}

/// Multiplies the weights of what a core does by itself by `factor`; those of caches and memory stay as they are.
fn at(mut host: HostWeights, factor: f64) -> HostWeights {
    for table in [&mut host.scalar, &mut host.vector, &mut host.latency] {
        for op in Op::ALL {
            *table.of_mut(op) *= factor;
        }
    }
    for nanos in [&mut host.issue, &mut host.unsure, &mut host.entry] {
        *nanos *= factor;
    }
    host.functions.values_mut().for_each(|f| *f *= factor);
    host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_twice_as_fast_takes_half_the_time() {
        let usual = MachineProfile::default();
        let work = [(Work::RangeStep, 1.0), (Work::IntAdd, 2.0)];
        let expected =
            usual.interpreter.get(Work::RangeStep) + 2.0 * usual.interpreter.get(Work::IntAdd);
        let multiplied = usual.host.latency.of(Op::IntMul);
        let speed = Speed::of(&work, expected / 2.0, multiplied);
        assert_eq!(
            speed,
            Speed {
                interpreter: 0.5,
                core: 1.0
            }
        );
        let fast = usual.clone().at(speed);
        assert_eq!(
            fast.interpreter.get(Work::IntAdd),
            usual.interpreter.get(Work::IntAdd) / 2.0
        );
        assert_eq!(fast.compile.kernel, usual.compile.kernel / 2.0);
        assert_eq!(fast.host, usual.host);
        assert_eq!(fast.host.stream, usual.host.stream);
        assert_eq!(usual.clone().at(Speed::default()), usual);
    }

    #[test]
    fn nonsense_is_bounded() {
        let speed = Speed::of(&[(Work::IntAdd, 1.0)], 1e9, 1e-9);
        assert_eq!(
            speed,
            Speed {
                interpreter: MOST,
                core: 1.0 / MOST
            }
        );
    }
}
