//! Integer linear programming for dependence tests: is there an integer point, and where must parameters lie for there
//! to be one.
//!
//! The algorithm is Pugh's Omega test ("A practical algorithm for exact array dependence analysis", CACM 1992):
//! equations are solved exactly over the integers, inequalities by Fourier-Motzkin elimination with rounding; where an
//! elimination is not exact, the dark shadow proves that there is a point, and splinters look at what it leaves out.
//! Work is bounded by [`Fuel`]; when it runs out the answer is [`Answer::Unknown`], which everybody takes for
//! "perhaps".

pub(crate) mod components;
mod conjunction;
mod project;
mod row;
mod system;

pub use crate::integer::conjunction::{Answer, Fuel};
pub use crate::integer::project::Projection;
pub use crate::integer::row::Row;
pub use crate::integer::system::System;
