//! Tests over whole nests.

mod dependences;
mod footprints;
mod proofs;
mod properties;
mod schedules;
mod unshared;
mod verdicts;
