//! The typed nest and what it is made of: ids, types, operations, statements, live-outs.

pub mod entry;
pub mod fragment;
pub mod ids;
pub mod liveout;
pub mod nest;
pub(crate) mod ops;
pub mod sequence;
pub mod span;
pub mod texts;
pub mod types;
