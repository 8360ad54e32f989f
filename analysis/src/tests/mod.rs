//! Tests over whole nests.

mod dependences;
mod proofs;
mod properties;
mod schedules;
mod verdicts;
