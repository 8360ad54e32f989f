//! Units of cost.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul};

/// A cost in seconds. Never negative, never NaN; infinity means "cannot run there".
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Seconds(pub f64);

impl Seconds {
    /// A cost no candidate can win with.
    pub const INFINITE: Seconds = Seconds(f64::INFINITY);

    /// Converts nanoseconds to seconds; a negative number, or what is not a number, counts as free.
    pub fn from_nanos(ns: f64) -> Seconds {
        Seconds((ns * 1e-9).max(0.0))
    }
}

impl Add for Seconds {
    type Output = Seconds;
    fn add(self, other: Seconds) -> Seconds {
        Seconds(self.0 + other.0)
    }
}

impl Mul<f64> for Seconds {
    type Output = Seconds;
    fn mul(self, factor: f64) -> Seconds {
        // Zero trips of something impossible cost nothing, where plain arithmetic would say NaN.
        if factor == 0.0 {
            Seconds(0.0)
        } else {
            Seconds(self.0 * factor)
        }
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Seconds>>(iter: I) -> Seconds {
        iter.fold(Seconds(0.0), Add::add)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            s if s >= 1.0 => write!(f, "{s:.2} s"),
            s if s >= 1e-3 => write!(f, "{:.2} ms", s * 1e3),
            s if s >= 1e-6 => write!(f, "{:.2} us", s * 1e6),
            s => write!(f, "{:.0} ns", s * 1e9),
        }
    }
}

/// A cost in nanoseconds, the unit of a profile's weights.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Nanos(pub f64);

impl Nanos {
    /// The cost in seconds; a negative number, or what is not a number, counts as free.
    pub fn seconds(self) -> Seconds {
        Seconds::from_nanos(self.0)
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0 + other.0)
    }
}

impl Mul<f64> for Nanos {
    type Output = Nanos;
    fn mul(self, factor: f64) -> Nanos {
        Nanos(self.0 * factor)
    }
}
