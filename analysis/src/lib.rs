//! What each loop of a nest may do: dependences, reductions, legality of schedules. Never sees a machine.
//!
//! The order in which a nest meets these modules:
//!
//! 1. [`prove()`] (`range`, `forms`, `statics`): clears the guards that can never fire, before any value is known.
//! 2. [`BoundsPlan`]: what values can decide, compiled once. At each launch [`BoundsPlan::resolve`] gives the
//!    [`GuardSet`] that these values prove, without allocating; [`apply`] clears it from the nest.
//! 3. [`analyse`] (`dependence`, `scalars`, `privatise`, `array_reductions`, `renaming`): a [`Verdict`] per loop, in side
//!    tables by id.
//! 4. [`candidates`] (`legality`, `cuts`, `transform`): the schedules worth pricing, on the nest and its rewritings.
//! 5. [`undo_plan`]: what must be saved so that a chunk can be taken back.
//! 6. [`FootprintPlan`]: which region of each array a launch touches, or any part of its iterations.
//!
//! Two facts carry everything. [`forms()`] expresses each subscript, bound and condition as an exact linear form
//! over counters and symbols. And an event undoes the chunk it happens in, so whatever is proven of executions
//! without events is all that is needed: a guard's own success may be relied on by what comes after it.
//!
//! What the caller guarantees: a written array does not overlap itself (no stride 0), slots called disjoint are,
//! live-ins lie in their declared ranges.

pub mod affine;
mod area;
pub mod array_reductions;
pub mod bounds;
pub mod condition;
pub mod cuts;
pub mod dependence;
pub mod eval;
pub mod explain;
pub mod fixed;
pub mod floats;
pub mod footprint;
pub mod forms;
pub mod guards;
mod image;
mod induction;
pub mod integer;
pub mod interval;
pub mod known;
mod launch;
pub mod legality;
pub mod liveness;
mod num;
pub mod privatise;
pub mod prove;
pub mod range;
mod refine;
pub mod renaming;
mod resolve;
pub mod scalars;
pub mod schedule;
pub mod staging;
pub mod statics;
mod strides;
pub mod structure;
#[cfg(test)]
mod testing;
pub mod traffic;
pub mod transfer;
pub mod transform;
pub mod trip_bounds;
mod trips;
pub mod undo;
mod updates;
pub mod verdict;
mod visit;
mod walk;
mod widen;
mod words;

pub use bounds::BoundsPlan;
pub use footprint::{Area, Footprint, FootprintPlan, Span, Touched, Window};
pub use guards::{GuardId, GuardSet, apply};
pub use launch::LaunchValues;
pub use prove::prove;
pub use range::{Ranges, ranges};
pub use resolve::Resolved;
pub use schedule::{Candidate, LaunchInfo, candidates};
pub use staging::{Abilities, Staged, Summary};
pub use trips::trip_count;
pub use undo::{Region, SlotUndo, UndoPlan, may_warn, undo_plan, warns};
pub use verdict::{
    Analysis, Condition, LoopInfo, Memory, Options, Overlap, Verdict, Why, analyse, analyse_in,
    analyse_with,
};
pub use walk::{forms, shared_forms};

#[cfg(test)]
mod tests;
