//! Small nests for the tests of every crate: from a Python-like text ([`nest`]), or piece by piece ([`builder`]).
//! [`read`](crate::text::read) makes any nest from its text form. Errors panic.

pub mod builder;
mod python;
mod round_trip;

pub use crate::testing::python::nest;
pub use crate::testing::round_trip::assert_round_trip;
