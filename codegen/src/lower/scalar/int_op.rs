//! What every operation on ints is given.

use nestwise_ir::{Scalar, Span};

/// An integer operation's circumstances.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    pub(crate) repr: Scalar,
    pub(crate) wide: bool,
    pub(crate) guard: bool,
    pub(crate) span: Span,
}

impl Op {
    pub(crate) fn signed(self) -> bool {
        self.repr.is_signed()
    }
    pub(crate) fn range(self) -> (i128, i128) {
        self.repr.int_range().unwrap_or((0, 0))
    }
}
