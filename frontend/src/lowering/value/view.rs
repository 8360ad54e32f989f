//! Views: an array, or a row of it.

use nestwise_ir::ArrayId;
use nestwise_ir::model::nest::Expr;

/// An array or a part of it: a slot and subscripts for its first axes.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The flat index of the array's capture.
    pub capture: u32,
    pub array: ArrayId,
    pub index: Vec<Expr>,
    /// For each subscript, whether it is known to be in range where the view stands.
    pub checked: Vec<bool>,
}

impl View {
    /// The view of all of an array.
    pub fn all(capture: u32, array: ArrayId) -> View {
        View {
            capture,
            array,
            index: vec![],
            checked: vec![],
        }
    }
}
