//! What verdicts may take for granted.

use crate::condition::Clause;
use crate::dependence::Property;
use nestwise_ir::{ArrayId, FpMode};

/// How slots lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Memory {
    /// All slots are different memory.
    Disjoint,
    /// They may overlap in any way.
    Unknown,
    /// These overlap, the others do not.
    Overlaps(Vec<Overlap>),
}

/// Two slots that share memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The one.
    pub a: ArrayId,
    /// The other.
    pub b: ArrayId,
    /// The element of `b` at an index is that of `a` at the index plus this; none: they lie otherwise.
    pub shift: Option<Vec<i64>>,
}

/// What to assume.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether sums of floats may be reassociated.
    pub fp: FpMode,
    /// How slots lie in memory.
    pub memory: Memory,
    /// Loops (a bit each, by number) that run at least once whenever they are entered.
    pub nonempty: u64,
    /// None of these holds.
    pub absent: Vec<Clause>,
    /// The elements of these arrays, which the nest does not write, are so.
    pub elements: Vec<(ArrayId, Property)>,
}

impl Options {
    /// Slots are disjoint; nothing else is known.
    pub fn new(fp: FpMode) -> Options {
        Options {
            fp,
            memory: Memory::Disjoint,
            nonempty: 0,
            absent: vec![],
            elements: vec![],
        }
    }
    /// Whether all slots are different memory.
    pub fn disjoint(&self) -> bool {
        self.memory == Memory::Disjoint
    }
}

impl Overlap {
    pub(super) fn joins(&self, a: ArrayId, b: ArrayId) -> bool {
        (self.a, self.b) == (a, b) || (self.b, self.a) == (a, b)
    }
}
