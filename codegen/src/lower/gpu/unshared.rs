//! Arrays that threads of a kernel do not share as they are.

use nestwise_ir::schedule::{GridLoop, RedOp, ThreadLoop};
use nestwise_ir::{ArrayId, For};

use crate::lower::accumulations::array_may_fail;

/// The arrays that the threads of a kernel do not share as they are.
#[derive(Clone, Default)]
pub(crate) struct Unshared {
    /// The privatised arrays, of which each thread has a copy.
    pub(crate) private: Vec<ArrayId>,
    /// The arrays whose elements are updated atomically; whether that may leave their representation.
    pub(crate) updated: Vec<(ArrayId, RedOp, bool)>,
    /// Whether this iteration works on copies.
    pub(crate) copied: bool,
}

impl Unshared {
    pub(crate) fn of(l: &For, g: &GridLoop) -> Unshared {
        let updated = g.mapped.array_reductions.iter();
        Unshared {
            private: g.mapped.private.clone(),
            updated: updated
                .map(|(a, op)| (*a, *op, array_may_fail(l, *a)))
                .collect(),
            copied: false,
        }
    }

    /// Whether any iteration has copies.
    pub(crate) fn has_copies(&self) -> bool {
        !self.private.is_empty()
    }

    pub(crate) fn as_threads(&self, l: nestwise_ir::LoopId) -> ThreadLoop {
        ThreadLoop {
            private: self.private.clone(),
            ..ThreadLoop::plain(l)
        }
    }
}
