//! Lowers a typed nest to LLVM IR.
//!
//! Every variable is an alloca, promoted by LLVM. Every operation is emitted once for two shapes: *narrow* (one value)
//! and *wide* (a vector with one lane per iteration of the enclosing vector loop; see [`vector::lanes`]). Emission is
//! functions over the context of the function being emitted ([`emitter`]).

pub(crate) mod accumulations;
pub(crate) mod combine;
pub(crate) mod control;
pub(crate) mod emitter;
pub(crate) mod entry;
pub(crate) mod gpu;
pub(crate) mod host_call;
mod math;
pub(crate) mod memory;
pub(crate) mod part_cells;
pub(crate) mod scalar;
pub(crate) mod sequence;
pub(crate) mod threads;
pub(crate) mod unit;
pub(crate) mod value;
pub(crate) mod variables;
pub(crate) mod vector;
