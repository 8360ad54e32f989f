//! What each loop may do: verdicts, reductions, privatisation, copies that remove anti-dependences.

pub mod anti_dependence_copies;
pub mod array_reductions;
pub(crate) mod concurrent;
pub(crate) mod deferred_exceptions;
pub mod legality;
pub(crate) mod lockstep;
pub mod privatisation;
pub mod scalar_roles;
pub mod staging;
pub(crate) mod updates;
pub mod verdict;
