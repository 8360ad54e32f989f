//! What each loop of a nest may do: dependences, reductions, legality of schedules.

pub mod affine;
pub mod bounds;
pub mod dependence;
pub mod eval;
pub mod floats;
pub mod forms;
pub mod guards;
mod induction;
pub mod interval;
mod launch;
pub mod legality;
pub mod liveness;
pub mod prove;
pub mod range;
mod refine;
mod resolve;
pub mod scalars;
pub mod schedule;
pub mod statics;
pub mod structure;
pub mod system;
#[cfg(test)]
mod testing;
pub mod transfer;
pub mod transform;
pub mod undo;
pub mod verdict;
mod visit;
mod walk;
mod widen;

pub use bounds::BoundsPlan;
pub use guards::{GuardId, GuardSet, apply};
pub use launch::LaunchValues;
pub use prove::prove;
pub use resolve::{Resolved, trip_count};
pub use schedule::{Candidate, LaunchInfo, candidates};
pub use undo::{Region, SlotUndo, UndoPlan, undo_plan, warns};
pub use verdict::{Analysis, Condition, LoopInfo, Options, Verdict, Why, analyse, analyse_with};
pub use walk::forms;

#[cfg(test)]
mod tests;
