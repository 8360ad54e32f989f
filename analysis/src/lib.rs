//! What each loop of a nest may do: dependences, reductions, legality of schedules.

pub mod affine;
pub mod bounds;
pub mod eval;
pub mod forms;
pub mod guards;
mod induction;
pub mod interval;
mod launch;
pub mod prove;
pub mod range;
mod refine;
mod resolve;
pub mod statics;
pub mod structure;
#[cfg(test)]
mod testing;
pub mod transfer;
mod visit;
mod walk;
mod widen;

pub use bounds::BoundsPlan;
pub use guards::{GuardId, GuardSet, apply};
pub use launch::LaunchValues;
pub use prove::prove;
pub use resolve::{Resolved, trip_count};
pub use walk::forms;

#[cfg(test)]
mod tests;
