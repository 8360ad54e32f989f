//! Arrays: subscripts, views, whole-array operations as loops over elements, memory for their results.

pub(crate) mod alias;
pub(crate) mod axis_reduction;
pub(crate) mod borrowed_views;
pub(crate) mod concat;
pub(crate) mod creation;
pub(crate) mod cumsum;
pub(crate) mod element;
pub(crate) mod elementwise;
pub(crate) mod gather;
pub(crate) mod linspace;
pub(crate) mod mask;
pub(crate) mod materialise;
pub(crate) mod matmul;
pub(crate) mod memory;
pub(crate) mod named_views;
pub(crate) mod offsets;
pub(crate) mod reduction;
pub(crate) mod roll;
pub(crate) mod subscript;
pub(crate) mod temporary;
pub(crate) mod variance;
pub(crate) mod view;
