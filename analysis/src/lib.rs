//! What each loop of a nest may do: dependences, reductions, legality of schedules. The crate knows nothing of the
//! machine.
//!
//! The order in which a nest meets these modules:
//!
//! 1. [`prove()`] (`range`, `forms`, `static_facts`): clears the guards that can never fail, before any value is known.
//! 2. [`BoundsPlan`]: what values can decide, compiled once. At each launch [`BoundsPlan::resolve`] gives the
//!    [`GuardSet`] that these values prove, without allocating; [`apply`] clears it from the nest.
//! 3. [`analyse`] (`dependence`, `scalar_roles`, `privatisation`, `array_reductions`, `anti_dependence_copies`): a
//!    [`Verdict`] per loop, in side tables by id.
//! 4. [`candidates`] (`transform`, `schedule`): the legal schedules that code generation can run, on the nest and its
//!    rewritings.
//! 5. [`undo_plan`]: what must be saved so that a chunk can be rolled back.
//! 6. [`FootprintPlan`]: which region of each array a launch touches, or any part of its iterations.
//!
//! Two facts carry everything. [`forms()`] expresses each subscript, bound and condition as an exact linear form
//! over counters and symbols. And a guard that fails rolls back the chunk it fails in, so what is proven of
//! executions in which no guard fails is enough: what comes after a guard may rely on its success.
//!
//! What the caller guarantees: a written array does not overlap itself (no stride 0), slots called disjoint are,
//! live-ins lie in their declared ranges.

#![warn(missing_docs)]

pub mod dataflow;
pub mod dependence;
pub mod explain;
pub mod footprint;
pub mod guards;
pub mod integer;
pub mod launch_info;
pub mod parallelism;
pub mod schedule;
pub mod structure;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod traffic;
pub mod transform;
pub mod values;

pub use crate::dataflow::undo::{Region, SlotUndo, UndoPlan, may_warn, undo_plan, warns};
pub use crate::footprint::{Area, Footprint, FootprintPlan, Span, Touched, Window};
pub use crate::guards::at_launch::Resolved;
pub use crate::guards::launch_values::LaunchValues;
pub use crate::guards::plan::BoundsPlan;
pub use crate::guards::prove::prove;
pub use crate::guards::{GuardId, GuardSet, apply};
pub use crate::launch_info::LaunchInfo;
pub use crate::parallelism::staging::{Abilities, Staged, Summary};
pub use crate::parallelism::verdict::{
    Analysis, Condition, LoopInfo, Memory, Options, Overlap, Verdict, Why, analyse, analyse_in,
    analyse_with,
};
pub use crate::schedule::candidate::Candidate;
pub use crate::schedule::candidates;
pub use crate::values::range::{Ranges, ranges};
pub use crate::values::trips::trip_count;
pub use crate::values::walk::{forms, shared_forms};
