//! What values a nest computes: intervals, affine forms, induction variables, trip counts.

pub mod affine;
pub mod condition;
pub mod eval;
pub mod float_enclosure;
pub mod forms;
pub(crate) mod image;
pub(crate) mod increment;
pub(crate) mod induction;
pub mod interval;
pub(crate) mod numeric_form;
pub mod range;
pub(crate) mod refine;
pub mod state;
pub mod strides;
pub mod transfer;
pub mod trip_bounds;
pub(crate) mod trips;
pub(crate) mod visit;
pub(crate) mod walk;
pub(crate) mod widen;
