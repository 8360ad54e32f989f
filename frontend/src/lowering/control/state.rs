//! The state of control flow while statements are lowered: open loops and calls, and where jumps go.

use std::collections::HashMap;

use nestwise_ir::model::nest::StmtKind;
use nestwise_ir::{LoopId, ScopeId};

use crate::lowering::hir::{BlockId, LocalId};

/// A loop being lowered: what its jumps become.
#[derive(Clone, Debug)]
pub(crate) struct LoopFrame {
    pub on_break: StmtKind,
    pub on_continue: StmtKind,
}

impl LoopFrame {
    /// The frame of a loop of the nest; `broken` is where `break` goes if the loop has an `else`.
    pub fn new(id: LoopId, broken: Option<ScopeId>) -> LoopFrame {
        LoopFrame {
            on_break: broken.map_or(StmtKind::Break(id), StmtKind::Leave),
            on_continue: StmtKind::Continue(id),
        }
    }
}

/// An inlined call that is open.
pub(crate) struct OpenCall {
    /// The locals that hold the call's results.
    pub results: Vec<LocalId>,
    /// All locals of the call's own.
    pub own: Vec<LocalId>,
}

/// Open loops and calls.
#[derive(Default)]
pub(crate) struct Control {
    /// The loops of the program, and copies of a body that stand for one, innermost last.
    pub frames: Vec<LoopFrame>,
    /// The loops of the nest, outermost first.
    pub open_loops: Vec<LoopId>,
    /// The scopes that bodies of inlined calls leave.
    pub call_scopes: HashMap<BlockId, ScopeId>,
    /// The inlined calls, innermost last.
    pub open_calls: Vec<OpenCall>,
    /// Whether the bounds of the top loop are being lowered, which are evaluated anew for every chunk.
    pub at_entry: bool,
    /// Whether the top loop's last iteration may end before its body begins.
    pub stepwise: bool,
    /// A local that may be None and is read for whatever it is: no guard fails.
    pub unguarded: Option<LocalId>,
    /// Whether the last iterable is of a type that a later round will know.
    pub unknown_items: bool,
}
