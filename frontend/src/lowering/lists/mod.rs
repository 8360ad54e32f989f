//! Lists that a nest makes, appends to, slices, or permutes rows of.

pub(crate) mod append;
pub(crate) mod comprehension;
pub(crate) mod counted;
pub(crate) mod grow;
pub(crate) mod make;
pub(crate) mod row_swap;
pub(crate) mod slice;
