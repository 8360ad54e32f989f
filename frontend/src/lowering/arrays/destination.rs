//! What a subscript stands for where something is stored.

use crate::lowering::value::section::Section;
use crate::lowering::value::tree::Elementwise;
use crate::lowering::value::view::View;

/// What a subscript assigns to.
pub(crate) enum Destination {
    Element(View),
    /// A part of a NumPy array.
    Part(Section),
    /// What a mask selects of one.
    Masked(Masked),
    /// The elements of one where the ints of another array say.
    Scattered(Scattered),
    /// What is subscripted is of a type that a later round will know.
    Unknown,
}

/// Elements of a part of an array with one axis, where the ints of another array say.
pub(crate) struct Scattered {
    pub target: Section,
    pub places: Elementwise,
}

/// Elements of a part of an array that a mask of the same shape selects, or rows that one of as many elements does.
pub(crate) struct Masked {
    pub target: Section,
    pub mask: Elementwise,
}
