//! Small nests for the tests of every crate: from a Python-like text ([`nest`]), or piece by piece ([`builder`]).
//! Errors panic.

pub mod builder;
mod python;

pub use crate::testing::python::nest;
