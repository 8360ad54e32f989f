//! Attributes, methods, and records: objects that lists hold.

pub(crate) mod attributes;
pub(crate) mod methods;
pub(crate) mod records;
