//! Memory of the nest's own: arrays that operations make, and what is known of the names that hold them.

use std::collections::{BTreeSet, HashMap, HashSet};

use nestwise_ir::{ArrayId, Span, VarId};

use crate::lowering::hir::{DefId, LocalId};
use crate::lowering::types::facts::Made;
use crate::lowering::types::live_ranges::LiveRangeId;

/// The meaning of a bool variable that says, at run time, which objects names of arrays hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Flag {
    /// Two names hold one object.
    Same(LocalId, LocalId),
    /// A name holds what another one held at entry.
    Entry(LocalId, LocalId),
    /// A name no longer holds what it held at entry.
    Left(LocalId),
    /// A live range's name holds a part of an array that the nest has lost, since another array was made in its memory.
    Gone(LiveRangeId),
    /// A live range's name holds a part of what the array's name held at entry.
    OfEntry(LiveRangeId),
    /// A live range's name holds a view of an array of the same size that no name holds.
    Viewed(LiveRangeId),
}

/// The arrays that the nest makes.
#[derive(Default)]
pub(crate) struct Memory {
    /// The arrays that live for the time of a statement, each with what it can hold.
    pub temporaries: Vec<(Made, ArrayId)>,
    /// The temporaries whose contents an operation still needs.
    pub in_use: HashSet<ArrayId>,
    /// The arrays under names, by their live range.
    pub made: HashMap<LiveRangeId, ArrayId>,
    /// The arrays that open loops run over, whose contents have to stay.
    pub iterated: Vec<ArrayId>,
    /// The variables of the flags that say which objects names hold.
    pub flags: HashMap<Flag, VarId>,
    /// The names of parts of arrays.
    pub parts: Parts,
    /// A live range for which the nest makes arrays, and that was also given an array from outside.
    pub outside: Option<(LiveRangeId, Span)>,
    /// The assignments that give an array, made by the nest, another name that lives no longer than the first one keeps
    /// it: to parameters of inlined calls, and in place to the same name.
    pub takes_over: HashSet<DefId>,
}

/// The names of parts of arrays that the nest makes, and whether each still has its part.
#[derive(Default)]
pub(crate) struct Parts {
    there: BTreeSet<LiveRangeId>,
    gone: BTreeSet<LiveRangeId>,
    /// The names that lost their part so far, in the order of the statements.
    lost: Vec<LiveRangeId>,
}

/// The knowledge of parts at the beginning of a block or of a loop's body.
pub(crate) struct Mark {
    there: BTreeSet<LiveRangeId>,
    gone: BTreeSet<LiveRangeId>,
    lost: usize,
}

impl Parts {
    /// Notes that a name was given its part.
    pub fn give(&mut self, live: LiveRangeId) {
        self.there.insert(live);
        self.gone.remove(&live);
    }

    /// Notes that another array was made in the memory of a name's part.
    pub fn take(&mut self, live: LiveRangeId) {
        self.there.remove(&live);
        self.gone.insert(live);
        self.lost.push(live);
    }

    /// Whether the name has its part on every path to here.
    pub fn is_there(&self, live: LiveRangeId) -> bool {
        self.there.contains(&live)
    }

    /// Whether the name has lost its part on every path to here.
    pub fn is_gone(&self, live: LiveRangeId) -> bool {
        self.gone.contains(&live)
    }

    /// Begins the body of a loop: an earlier iteration may have made arrays anew.
    pub fn begin_iteration(&mut self) {
        self.there.clear();
    }

    /// The knowledge of parts at this point, for [`Parts::leave`].
    pub fn mark(&self) -> Mark {
        Mark {
            there: self.there.clone(),
            gone: self.gone.clone(),
            lost: self.lost.len(),
        }
    }

    /// Ends a block that may not have run. A jump may have left it after an array was made anew and before its part was
    /// named again.
    pub fn leave(&mut self, mark: Mark) {
        let lost = &self.lost[mark.lost..];
        self.there
            .retain(|live| mark.there.contains(live) && !lost.contains(live));
        self.gone.retain(|live| mark.gone.contains(live));
    }
}
