//! When a rewriting keeps the meaning of a nest. Each check is its formal condition, then code that reads the
//! same.
//!
//! Events: a rewriting that changes the order of iterations also changes which event is seen first and what has
//! been written by then. That is allowed where no event can fire, or where `undo` holds: the runtime takes the
//! whole chunk back and CPython runs it from its beginning, so that order inside a chunk is never observed.

use nestwise_ir::LoopId;
use nestwise_ir::guarded::any_expr_may_fire;
use nestwise_ir::model::nest::{For, Nest};

use crate::parallelism::verdict::{Analysis, LoopInfo};
use crate::structure::{assigned, invariant};
use crate::values::forms::{AccessForm, Forms};

/// What a check may rely on.
pub struct Given<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// Its analysis.
    pub analysis: &'a Analysis,
    /// All slots are different memory.
    pub disjoint: bool,
    /// The runtime takes back a whole chunk when an event fires.
    pub undo: bool,
}

impl Given<'_> {
    pub(crate) fn forms(&self) -> &Forms {
        &self.analysis.forms
    }
    pub(crate) fn info(&self, id: LoopId) -> Option<&LoopInfo> {
        self.analysis.loop_info(id)
    }
    pub(crate) fn inside(&self, id: LoopId) -> impl Iterator<Item = &AccessForm> {
        let all = self.forms().accesses.iter().flatten();
        all.filter(move |a| a.loops.contains(&id))
    }

    /// Whether a loop is known to run at least once whenever it is entered.
    pub fn runs(&self, id: LoopId) -> bool {
        let nonempty = self.analysis.options.nonempty;
        id.index() < 64 && nonempty >> id.index() & 1 == 1
    }

    /// Whether the bounds of nested loops are the same wherever in them they are evaluated: they depend on nothing that
    /// the outermost of them assigns, and cannot fire.
    pub(crate) fn rectangular(&self, loops: &[&For]) -> bool {
        let Some(first) = loops.first() else {
            return false;
        };
        let mut changed = assigned(&first.body);
        changed.push(first.counter);
        loops.iter().all(|l| {
            [&l.start, &l.stop, &l.step]
                .into_iter()
                .all(|e| !any_expr_may_fire(e) && invariant(e, &changed))
        })
    }
}
