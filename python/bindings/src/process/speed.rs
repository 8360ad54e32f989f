//! Measures how fast this machine is, compared with the one that the default profile describes.
//!
//! A machine that nobody calibrated may be three times as fast, and all that is bought with CPython's time would be
//! priced wrongly. So a loop of CPython's and a chain of multiplications are timed, for less than a millisecond. The
//! first processes each do so, and the fastest is kept: whatever else the machine does makes a loop slower, never
//! faster.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use nestwise_costmodel::Speed;
use nestwise_ir::Work;
use nestwise_runtime::kernel::cache;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::host::environment;

/// The name of the file in the cache.
const NAME: &str = "speed";
/// The number of processes that measure.
const MEASURED: u32 = 4;
/// The number of rounds of each measurement.
const ROUNDS: usize = 6;
/// The number of iterations of CPython's loop in a round, and of multiplications in a chain.
const ITERATIONS: usize = 2_000;

const PROGRAM: &std::ffi::CStr = c"
def probe(n, a):
    s = 0.0
    for i in range(n):
        s = s * 0.5 + a[i & 7]
    return s
";

/// The work of one iteration of CPython's loop.
const WORK: &[(Work, f64)] = &[
    (Work::RangeStep, 1.0),
    (Work::FloatAdd, 2.0),
    (Work::IntBits, 1.0),
    (Work::ListGet, 1.0),
    (Work::Load, 5.0),
    (Work::Store, 2.0),
];

/// The fastest measured times in nanoseconds: of an iteration of CPython's loop, and of a multiplication that the next
/// one waits for; and the number of processes that have measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    interpreted: f64,
    multiplied: f64,
    times: u32,
}

impl Measured {
    fn parse(text: &str) -> Option<Measured> {
        let mut words = text.split_whitespace();
        let mut number = || words.next()?.parse::<f64>().ok().filter(|n| *n > 0.0);
        Some(Measured {
            interpreted: number()?,
            multiplied: number()?,
            times: number()? as u32,
        })
    }

    fn text(self) -> String {
        format!("{} {} {}", self.interpreted, self.multiplied, self.times)
    }

    /// The faster of both times, and all processes together.
    fn and(self, other: Measured) -> Measured {
        Measured {
            interpreted: self.interpreted.min(other.interpreted),
            multiplied: self.multiplied.min(other.multiplied),
            times: self.times + other.times,
        }
    }
}

/// The speed of this machine, measured or read from the cache in `folder`, where it is kept for these `versions` of
/// CPython and nestwise. An error is whatever interrupts the program.
pub fn speed(py: Python<'_>, folder: Option<&Path>, versions: &str) -> PyResult<Speed> {
    let text = folder.and_then(|folder| cache::machine_text(folder, NAME, versions));
    let before = text.and_then(|text| Measured::parse(&text));
    let known = match before {
        Some(before) if before.times >= MEASURED => Some(before),
        // Whoever traces the program is told of no function of ours.
        _ if environment::unusual(py).is_some() => before,
        _ => match measured(py) {
            Ok(now) => Some(before.map_or(now, |before| before.and(now))),
            // A signal's handler has raised that.
            Err(error) if !error.is_instance_of::<PyException>(py) => return Err(error),
            Err(_) => before,
        },
    };
    if let Some(folder) = folder.filter(|_| known != before)
        && let Some(known) = known
    {
        cache::put_machine_text(folder, NAME, versions, &known.text());
    }
    Ok(known.map_or(Speed::default(), |known| {
        Speed::of(WORK, known.interpreted, known.multiplied)
    }))
}

/// Measures the fastest of several rounds.
fn measured(py: Python<'_>) -> PyResult<Measured> {
    let names = PyDict::new(py);
    py.run(PROGRAM, Some(&names), None)?;
    let probe = names.as_any().get_item("probe")?;
    let numbers = vec![0.5; 8];
    let mut interpreted = f64::INFINITY;
    let mut multiplied = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        probe.call1((ITERATIONS, numbers.clone()))?;
        interpreted = interpreted.min(begun.elapsed().as_nanos() as f64 / ITERATIONS as f64);
        let begun = Instant::now();
        black_box(chain(black_box(0x9e37_79b9_7f4a_7c15)));
        multiplied = multiplied.min(begun.elapsed().as_nanos() as f64 / ITERATIONS as f64);
    }
    Ok(Measured {
        interpreted,
        multiplied,
        times: 1,
    })
}

/// A product of ints in which each multiplication waits for the one before: three cycles each on most x86-64 cores.
fn chain(factor: u64) -> u64 {
    (0..ITERATIONS).fold(1, |product, _| black_box(product).wrapping_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_is_kept() {
        let one = Measured {
            interpreted: 70.0,
            multiplied: 1.0,
            times: 1,
        };
        let other = Measured {
            interpreted: 30.5,
            multiplied: 1.25,
            times: 2,
        };
        let both = one.and(other);
        assert_eq!(Measured::parse(&both.text()), Some(both));
        assert_eq!(both.text(), "30.5 1 3");
        for text in ["", "1 2", "a b c", "-1 2 3"] {
            assert_eq!(Measured::parse(text), None, "{text}");
        }
    }
}
