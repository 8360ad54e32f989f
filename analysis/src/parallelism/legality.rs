//! What every legality check may rely on: the nest, its analysis, and what is known of the launch.
//!
//! Each check stands in the file of its rewriting, under its formal condition. Conditions speak of
//!   - dependences, as direction vectors of `<`, `=` and `>`, a component for each loop, outermost first;
//!   - `R(s)` and `W(s)`, the variables and slots that a statement, a block or a loop reads and writes;
//!   - guards, whose failure ends native execution (see [`Given::undo`]).

use nestwise_ir::LoopId;
use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::nest::{For, Nest};

use crate::parallelism::verdict::{Analysis, LoopInfo};
use crate::structure::{assigned, invariant};
use crate::values::forms::{AccessForm, Forms};

/// What a legality check may rely on.
pub struct Given<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// The nest's analysis.
    pub analysis: &'a Analysis,
    /// Whether no two slots share memory.
    pub disjoint: bool,
    /// Whether the runtime rolls a whole chunk back when a guard fails, and CPython runs it from its beginning: if so,
    /// the order in which guards fail inside a chunk is never observed.
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
        self.analysis.options.nonempty.contains(id)
    }

    /// Whether nested loops are rectangular: their bounds have the same value wherever in the nest they are evaluated.
    ///
    /// The loops are rectangular iff `R(bounds) ∩ W(outermost loop) = ∅` and no bound has a guard.
    pub(crate) fn rectangular(&self, loops: &[&For]) -> bool {
        let Some(first) = loops.first() else {
            return false;
        };
        let mut changed = assigned(&first.body);
        changed.push(first.counter);
        loops.iter().all(|l| {
            [&l.start, &l.stop, &l.step]
                .into_iter()
                .all(|e| !any_expr_may_fail(e) && invariant(e, &changed))
        })
    }
}
