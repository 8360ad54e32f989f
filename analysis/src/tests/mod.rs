//! Tests over whole nests.

mod proofs;
mod verdicts;
