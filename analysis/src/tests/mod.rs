//! Tests over whole nests.

pub(crate) mod anti_dependence_copies;
mod called;
mod dependences;
mod explained;
mod footprints;
mod fusion;
mod growth;
mod index_set_splitting;
mod legality;
pub(crate) mod loop_versioning;
mod proofs;
mod properties;
mod repeats;
mod resolved;
mod round_trips;
mod schedules;
mod unshared;
mod verdicts;
