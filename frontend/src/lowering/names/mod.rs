//! The meaning of names: resolution, inlined functions, buffer swaps, reads of locals.

pub(crate) mod arguments;
pub(crate) mod inline;
pub(crate) mod method_paths;
pub(crate) mod reads;
pub(crate) mod resolve;
pub(crate) mod slots;
pub(crate) mod swaps;
