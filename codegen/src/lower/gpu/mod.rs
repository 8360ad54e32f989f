//! Loops on the grid of a GPU, and the host's part that launches them.

pub(crate) mod axes;
pub(crate) mod cooperative;
pub(crate) mod cooperative_parts;
pub(crate) mod deferred_results;
pub(crate) mod fold;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod mapped_loops;
pub(crate) mod orders;
pub(crate) mod records;
pub(crate) mod reductions;
pub(crate) mod register_tiles;
pub(crate) mod registers;
pub(crate) mod single_thread;
pub(crate) mod state;
pub(crate) mod strided;
pub(crate) mod threaded;
pub(crate) mod tile;
pub(crate) mod unshared;
pub(crate) mod updates;
pub(crate) mod uses;
pub(crate) mod warps;
