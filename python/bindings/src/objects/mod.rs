//! Python's objects, read and written without running user code.

pub(crate) mod access_path;
pub(crate) mod array_owner;
pub(crate) mod attributes;
pub(crate) mod boxing;
pub(crate) mod buffers;
pub(crate) mod builtins;
pub(crate) mod classes;
pub(crate) mod containers;
pub(crate) mod functions;
pub(crate) mod iterables;
pub(crate) mod layout;
pub(crate) mod lists;
pub(crate) mod memory;
pub(crate) mod modules;
pub(crate) mod numpy;
pub(crate) mod random;
pub(crate) mod records;
pub(crate) mod texts;
pub(crate) mod types;
