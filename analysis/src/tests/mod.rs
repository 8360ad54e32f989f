//! Tests over whole nests.

mod footprints;
mod proofs;
mod properties;
mod schedules;
mod verdicts;
