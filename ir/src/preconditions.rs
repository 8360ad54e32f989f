//! What must hold of a call's arrays for a nest to mean what CPython would do. The lowering asserts these conditions
//! and every launch checks them; where one does not hold, CPython runs the site.

use std::fmt;

use crate::model::ids::ArrayId;

/// One condition on the arrays of a call.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
pub enum Precondition {
    /// Two arrays share no memory; of an array with itself: no two subscripts name the same element. Loops over the
    /// elements of a whole-array operation rely on it, since NumPy reads all operands before it stores.
    NoAlias(ArrayId, ArrayId),
    /// Two arrays have the same extents. They swap buffers, so what is known of one's extents has to hold for the
    /// other.
    SameShape(ArrayId, ArrayId),
    /// Every stride of the array is positive: NumPy computes other arrays by other loops, with other bits.
    PositiveStride(ArrayId),
    /// The array is row-major: NumPy reduces other arrays along an axis in another order.
    RowMajor(ArrayId),
    /// The array is contiguous: NumPy adds the elements of other arrays in another order.
    Contiguous(ArrayId),
}

impl Precondition {
    /// The arrays that the condition is about: one, or two that may be equal.
    pub fn arrays(self) -> impl Iterator<Item = ArrayId> {
        let (first, second) = match self {
            Self::NoAlias(a, b) | Self::SameShape(a, b) => (a, Some(b)),
            Self::PositiveStride(a) | Self::RowMajor(a) | Self::Contiguous(a) => (a, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Replaces each array of the condition by what `f` gives for it.
    pub fn map(self, mut f: impl FnMut(ArrayId) -> ArrayId) -> Precondition {
        match self {
            Self::NoAlias(a, b) => Self::NoAlias(f(a), f(b)),
            Self::SameShape(a, b) => Self::SameShape(f(a), f(b)),
            Self::PositiveStride(a) => Self::PositiveStride(f(a)),
            Self::RowMajor(a) => Self::RowMajor(f(a)),
            Self::Contiguous(a) => Self::Contiguous(f(a)),
        }
    }
}

/// Writes the text form: `no-alias a0 a1`.
impl fmt::Display for Precondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAlias(a, b) => write!(f, "no-alias {a} {b}"),
            Self::SameShape(a, b) => write!(f, "same-shape {a} {b}"),
            Self::PositiveStride(a) => write!(f, "positive-stride {a}"),
            Self::RowMajor(a) => write!(f, "row-major {a}"),
            Self::Contiguous(a) => write!(f, "contiguous {a}"),
        }
    }
}
