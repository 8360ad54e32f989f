//! Memory of the nest's own: arrays that operations make, and what is known of the names that hold them.

use std::collections::{BTreeSet, HashMap, HashSet};

use nestwise_ir::{ArrayId, Span, VarId};

use crate::lowering::hir::{DefId, LocalId};
use crate::lowering::types::facts::Made;
use crate::lowering::types::live_ranges::LiveRangeId;

/// What a bool variable says, at run time, of the objects that names of arrays hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Flag {
    /// Two names hold one object.
    Same(LocalId, LocalId),
    /// A name holds what another one held at entry.
    Entry(LocalId, LocalId),
    /// A name no longer holds what it held at entry.
    Left(LocalId),
    /// A live range's name holds a part of an array that is no more: another one was made where that was.
    Gone(LiveRangeId),
    /// A live range's name holds a part of what the array's name held at entry.
    OfEntry(LiveRangeId),
    /// A live range's name holds a view of an array as large that nothing names.
    Viewed(LiveRangeId),
}

/// The arrays that the nest makes.
#[derive(Default)]
pub(crate) struct Memory {
    /// Arrays for the time of a statement, each with what it can hold.
    pub temporaries: Vec<(Made, ArrayId)>,
    /// Temporaries that hold what an operation still needs.
    pub in_use: HashSet<ArrayId>,
    /// Arrays under names.
    pub made: HashMap<LiveRangeId, ArrayId>,
    /// Arrays that open loops run over: what lies there has to stay.
    pub iterated: Vec<ArrayId>,
    /// What is known at run time of the objects that names hold.
    pub flags: HashMap<Flag, VarId>,
    /// Names of parts.
    pub parts: Parts,
    /// A name that the nest makes arrays for was given one from outside.
    pub outside: Option<(LiveRangeId, Span)>,
    /// Assignments that give an array that the nest makes another name for as long as the one before keeps it: to
    /// parameters of inlined calls, and in place to the same name.
    pub takes_over: HashSet<DefId>,
}

/// Names of parts of arrays that the nest makes: whether each still has its part.
#[derive(Default)]
pub(crate) struct Parts {
    there: BTreeSet<LiveRangeId>,
    gone: BTreeSet<LiveRangeId>,
    /// The names that lost their part so far, in the order of the statements.
    lost: Vec<LiveRangeId>,
}

/// What was known of parts where a block or the body of a loop begins.
pub(crate) struct Mark {
    there: BTreeSet<LiveRangeId>,
    gone: BTreeSet<LiveRangeId>,
    lost: usize,
}

impl Parts {
    /// A name was given its part.
    pub fn give(&mut self, live: LiveRangeId) {
        self.there.insert(live);
        self.gone.remove(&live);
    }

    /// Another array was made where a name's part was.
    pub fn take(&mut self, live: LiveRangeId) {
        self.there.remove(&live);
        self.gone.insert(live);
        self.lost.push(live);
    }

    /// Whether the name has its part whatever has been run.
    pub fn is_there(&self, live: LiveRangeId) -> bool {
        self.there.contains(&live)
    }

    /// Whether the name has lost its part whatever has been run.
    pub fn is_gone(&self, live: LiveRangeId) -> bool {
        self.gone.contains(&live)
    }

    /// Begins the body of a loop: an earlier iteration may have made arrays anew.
    pub fn begin_iteration(&mut self) {
        self.there.clear();
    }

    /// What is known here, for [`Parts::leave`].
    pub fn mark(&self) -> Mark {
        Mark {
            there: self.there.clone(),
            gone: self.gone.clone(),
            lost: self.lost.len(),
        }
    }

    /// Ends a block that may not have been run. A jump may have left it between an array made anew and its part named
    /// again.
    pub fn leave(&mut self, mark: Mark) {
        let lost = &self.lost[mark.lost..];
        self.there
            .retain(|live| mark.there.contains(live) && !lost.contains(live));
        self.gone.retain(|live| mark.gone.contains(live));
    }
}
