//! What is known of the memory that arrays lie in: overlap, contents of index arrays, pages, zeros.

pub mod index_facts;
pub mod overlap;
pub(crate) mod pages;
pub(crate) mod zeros;
