//! Elements of arrays: addresses, loads, stores, private copies.

pub(crate) mod anti_dependence_copies;
pub(crate) mod elements;
pub(crate) mod places;
pub(crate) mod privatised;
pub(crate) mod slots;
