//! What verdicts may assume.

use nestwise_ir::{ArrayId, FpMode, IdSet, LoopId, Nest};

use crate::dependence::Property;
use crate::structure::Classes;
use crate::values::condition::Clause;

/// How slots lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Memory {
    /// No two slots share memory.
    Disjoint,
    /// Any slots may overlap, in any way.
    Unknown,
    /// The slots of these pairs overlap, no others do.
    Overlaps(Vec<Overlap>),
}

impl Memory {
    /// How the slots lie in memory throughout a nest, given how they lie at entry. Slots that swap buffers hold each
    /// other's arrays in turn, so what is known of them at entry does not hold later.
    pub fn throughout(self, nest: &Nest) -> Memory {
        let classes = Classes::of(nest);
        match &self {
            Memory::Overlaps(list)
                if list
                    .iter()
                    .any(|o| classes.permuted(o.a) || classes.permuted(o.b)) =>
            {
                Memory::Unknown
            }
            _ => self,
        }
    }
}

/// Two slots that share memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// One of the slots.
    pub a: ArrayId,
    /// The other slot.
    pub b: ArrayId,
    /// The shift: the element of `b` at an index is that of `a` at the index plus the shift, by axis. `None`: the
    /// arrays overlap in another way.
    pub shift: Option<Vec<i64>>,
}

/// The assumptions of an analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether sums of floats may be reassociated.
    pub fp: FpMode,
    /// How slots lie in memory.
    pub memory: Memory,
    /// Loops that run at least once whenever they are entered.
    pub nonempty: IdSet<LoopId>,
    /// Clauses that are known not to hold.
    pub absent: Vec<Clause>,
    /// Properties that the elements of arrays, which the nest does not write, are known to have.
    pub elements: Vec<(ArrayId, Property)>,
}

impl Options {
    /// Assumes that slots are disjoint, and nothing else.
    pub fn new(fp: FpMode) -> Options {
        Options {
            fp,
            memory: Memory::Disjoint,
            nonempty: IdSet::new(),
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
    pub(crate) fn joins(&self, a: ArrayId, b: ArrayId) -> bool {
        (self.a, self.b) == (a, b) || (self.b, self.a) == (a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nest;

    #[test]
    fn arrays_that_trade_places_lie_in_more_than_one_way() {
        let shifted = Memory::Overlaps(vec![Overlap {
            a: ArrayId(0),
            b: ArrayId(1),
            shift: Some(vec![1]),
        }]);
        let header = "n: int, a: f64[1], b: f64[1], c: f64[1]";
        let steps = |moves: &str| {
            let loops =
                "for t in range(n):\n    for i in range(n):\n        b[i] = a[i] + c[i]\n    ";
            nest(header, &format!("{loops}{moves}"))
        };
        let own = steps("a[t] = 1.0");
        assert_eq!(shifted.clone().throughout(&own), shifted);
        // With one of the two, and with the other.
        assert_eq!(
            shifted.clone().throughout(&steps("swap a b")),
            Memory::Unknown
        );
        assert_eq!(shifted.throughout(&steps("swap b c")), Memory::Unknown);
        assert_eq!(
            Memory::Disjoint.throughout(&steps("swap a b")),
            Memory::Disjoint
        );
    }
}
