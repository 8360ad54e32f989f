//! Tests over whole nests.

mod called;
mod cuts;
mod dependences;
mod explained;
mod footprints;
mod fusion;
mod growth;
mod hoist;
mod legality;
mod proofs;
mod properties;
mod renaming;
mod repeats;
mod resolved;
mod schedules;
mod unshared;
mod verdicts;
