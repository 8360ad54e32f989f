//! Tests over whole nests.

mod proofs;
