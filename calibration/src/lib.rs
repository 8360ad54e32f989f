//! Fits the weights of a machine's profile to measured times.
//!
//! [`robust`] makes one number of many measurements of the same thing, and [`fit`] makes weights of many numbers, by
//! non-negative least squares ([`nnls`]) of relative errors; [`machine`] describes the machine that all this belongs
//! to. Measuring itself is Python's part (`nestwise/calibrate/`): the probes are Python functions.

#![warn(missing_docs)]

pub mod fit;
pub mod host;
pub mod machine;
pub mod nnls;
pub mod robust;

pub use crate::fit::{Fit, Held, fit};
pub use crate::robust::{Summary, summary};
