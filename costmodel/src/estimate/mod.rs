//! Estimates of the time a call takes in CPython, on one core, on threads and on a GPU.

pub mod block_size;
pub mod compute;
pub mod executions;
pub mod gpu;
pub mod guessed_shape;
pub mod host;
pub mod host_call;
pub mod prices;
pub mod resources;
pub mod threads;
