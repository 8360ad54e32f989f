//! The destination of a store into a subscript.

use crate::lowering::value::section::Section;
use crate::lowering::value::tree::Elementwise;
use crate::lowering::value::view::View;

/// The destination of a store into a subscript.
pub(crate) enum Destination {
    Element(View),
    /// A part of a NumPy array.
    Part(Section),
    /// The elements of an array that a mask selects.
    Masked(Masked),
    /// The elements of an array at the positions in another array.
    Scattered(Scattered),
    /// The subscripted value is of a type that a later round will know.
    Unknown,
}

/// The elements of a part of an array with one axis, at the positions in another array.
pub(crate) struct Scattered {
    pub target: Section,
    pub places: Elementwise,
}

/// The elements of a part of an array that a mask of the same shape selects, or the rows that a mask of one axis
/// selects.
pub(crate) struct Masked {
    pub target: Section,
    pub mask: Elementwise,
}
