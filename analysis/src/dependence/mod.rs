//! Which iterations touch the same element.
//!
//! A dependence between two accesses carried by a loop is a solution of: equal subscripts, both iterations in their
//! domains, equal counters of the loops around, and the one iteration before the other in that loop. The subscripts
//! stay coupled (as in Goff, Kennedy and Tseng's delta test, 1991), triangular, strided and clamped bounds and
//! conditions are constraints like others, and equal symbolic terms cancel by being one unknown. Products of a counter
//! and a symbol (`A[i * n + j]`) are unknowns of their own, related by the products of the bounds with that symbol, so
//! that a subscript of a flattened array falls into its axes (delinearisation; Maslov, 1992).
//!
//! The cheap tests of [`ladder`] come first; [`problem`] writes down what they leave as a system of integers, which
//! [`crate::integer`] decides exactly. Where symbols are unknown, [`Tester::clause`] says for which of their values
//! there is a dependence.
//!
//! The answer is exact where subscripts, bounds and conditions are affine or of another form that [`non_affine`]
//! expresses. Elsewhere a dependence may be reported that does not exist; one that exists is always reported. Tests
//! compare both with the traces of random nests.

mod cover;
mod index_arrays;
mod ladder;
mod model;
pub(crate) mod non_affine;
mod problem;
pub(crate) mod subrange;
mod tester;
mod ways;

pub use crate::dependence::model::{
    Dependence, Dir, Guarded, Kind, Pair, Property, Slots, Tester, common_loops,
};
pub(crate) use crate::dependence::tester::at_level;
