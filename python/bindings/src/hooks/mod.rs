//! What the rewritten code calls, and what CPython runs meanwhile.

pub(crate) mod bundle;
pub(crate) mod driver;
pub(crate) mod functions;
pub(crate) mod iterator;
pub(crate) mod running;
