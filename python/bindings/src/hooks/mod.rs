//! The functions that the rewritten code calls, and the sites whose statements CPython is running.

pub(crate) mod bundle;
pub(crate) mod driver;
pub(crate) mod functions;
pub(crate) mod iterator;
pub(crate) mod running;
