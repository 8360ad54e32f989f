//! Tests over whole nests.

mod explained;
mod proofs;
mod properties;
mod schedules;
mod verdicts;
