//! Loops on the grid of a GPU, and the host's part that launches them.

pub(crate) mod cooperative;
pub(crate) mod deferred_results;
pub(crate) mod kernel;
pub(crate) mod mapped_loops;
pub(crate) mod reductions;
pub(crate) mod register_tiles;
pub(crate) mod single_thread;
pub(crate) mod state;
pub(crate) mod updates;
pub(crate) mod uses;
pub(crate) mod warps;
