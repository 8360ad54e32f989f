//! Pairs of accesses, and the dependences between them.

use std::fmt;

use nestwise_ir::{AccessId, ArrayId, LoopId, Nest};

use crate::values::affine::Affine;
use crate::values::condition::Clause;
use crate::values::forms::{AccessForm, Forms};

/// How the first access's iteration of one loop relates to the second's. Iterations are ordered as the counter goes: in
/// one execution of the loop that is the order in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dir {
    /// The first access is in an earlier iteration.
    Lt,
    /// Both accesses are in the same iteration.
    Eq,
    /// The first access is in a later iteration.
    Gt,
    /// The first access may be in an earlier, the same or a later iteration.
    Any,
}

/// The kind of a dependence: what the earlier and the later access do to the element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The element is written, then read.
    Flow,
    /// The element is read, then written.
    Anti,
    /// The element is written, then written again.
    Output,
}

/// Two accesses that touch one element in different iterations of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Dependence {
    /// Which of the two accesses read and write.
    pub kind: Kind,
    /// The earlier access.
    pub src: AccessId,
    /// The later access.
    pub dst: AccessId,
    /// The loop that carries the dependence; `None` if both accesses are in one iteration of all common loops.
    pub carrier: Option<LoopId>,
    /// The loops around both, outermost first.
    pub loops: Vec<LoopId>,
    /// By loop of `loops`: the direction.
    pub directions: Vec<Dir>,
    /// By loop of `loops`: the number of iterations from the earlier access to the later one, where it is constant.
    pub distance: Vec<Option<i64>>,
    /// Whether the dependence certainly exists, given that both accesses are executed as written. Otherwise it may
    /// exist.
    pub exact: bool,
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dir::Lt => "<",
            Dir::Eq => "=",
            Dir::Gt => ">",
            Dir::Any => "*",
        })
    }
}

/// What is assumed of accesses whose guard flag is set: they are where their subscripts say, or anywhere (a negative
/// index wraps).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarded {
    /// Subscripts may wrap.
    Anywhere,
    /// Subscripts are taken literally.
    Trusted,
}

/// How the array of the second access lies in that of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slots<'a> {
    /// Both slots hold one array.
    Same,
    /// The second array's element at an index is the first one's at that index plus the shift, which is the list (by
    /// axis) times the sign.
    Shifted(&'a [i64], i64),
}

impl Slots<'_> {
    pub(super) fn shift(self, axis: usize) -> i64 {
        match self {
            Slots::Same => 0,
            Slots::Shifted(by, sign) => by.get(axis).map_or(0, |v| v * sign),
        }
    }
}

/// Loops around both accesses, outermost first.
pub fn common_loops(x: &AccessForm, y: &AccessForm) -> Vec<LoopId> {
    let both = x.loops.iter().zip(&y.loops);
    both.take_while(|(a, b)| a == b).map(|(a, _)| *a).collect()
}

/// What can be known of all elements of an array.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub enum Property {
    /// No two elements are equal.
    Distinct,
    /// No element is less than one before it.
    Sorted,
}

/// Two accesses, the first one the earlier.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The first access.
    pub x: &'a AccessForm,
    /// The second access.
    pub y: &'a AccessForm,
    /// How the second access's array lies in the first's.
    pub slots: Slots<'a>,
}

impl<'a> Pair<'a> {
    /// Two accesses to one array.
    pub fn new(x: &'a AccessForm, y: &'a AccessForm) -> Pair<'a> {
        Pair {
            x,
            y,
            slots: Slots::Same,
        }
    }
    pub(super) fn kind(&self) -> Kind {
        match (self.x.store, self.y.store) {
            (true, false) => Kind::Flow,
            (false, _) => Kind::Anti,
            (true, true) => Kind::Output,
        }
    }
}

/// Answers questions about pairs of accesses of a nest.
#[derive(Clone, Copy)]
pub struct Tester<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// The nest's forms.
    pub forms: &'a Forms,
    /// Clauses known not to hold.
    pub absent: &'a [Clause],
    /// What is known of the elements of arrays that nothing writes.
    pub elements: &'a [(ArrayId, Property)],
    /// What is assumed of guarded accesses.
    pub guarded: Guarded,
    /// Forms that are not negative in the iterations asked about: the questions are restricted to those.
    pub within: &'a [Affine],
}

impl<'a> Tester<'a> {
    /// A tester that knows nothing of the nest but its forms.
    pub fn new(nest: &'a Nest, forms: &'a Forms, guarded: Guarded) -> Tester<'a> {
        Tester {
            nest,
            forms,
            absent: &[],
            elements: &[],
            guarded,
            within: &[],
        }
    }
}
