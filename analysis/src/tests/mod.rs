//! Tests over whole nests.

mod dependences;
mod footprints;
mod legality;
mod proofs;
mod properties;
mod schedules;
mod verdicts;
