//! Tests over whole nests.

mod proofs;
mod properties;
mod schedules;
mod verdicts;
