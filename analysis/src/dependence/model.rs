//! Pairs of accesses, and the dependences between them.

use std::fmt;

use nestwise_ir::{AccessId, ArrayId, LoopId, Nest};

use crate::values::affine::Affine;
use crate::values::condition::Clause;
use crate::values::forms::{AccessForm, Forms};

/// How the iteration of the first access relates to that of the second in one loop, in the order of its counter's way:
/// in one execution of the loop, the order of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dir {
    /// Earlier.
    Lt,
    /// Both iterations are one iteration of the loop.
    Eq,
    /// Later.
    Gt,
    /// Any of these.
    Any,
}

/// What two accesses do to an element, the earlier first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Written, then read.
    Flow,
    /// Read, then written.
    Anti,
    /// Written, then written.
    Output,
}

/// Two accesses that touch one element in different iterations of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Dependence {
    /// What they do.
    pub kind: Kind,
    /// The earlier access.
    pub src: AccessId,
    /// The later access.
    pub dst: AccessId,
    /// The loop that carries it; none: it stays inside an iteration of all of them.
    pub carrier: Option<LoopId>,
    /// The loops around both, outermost first.
    pub loops: Vec<LoopId>,
    /// Per loop.
    pub directions: Vec<Dir>,
    /// Per loop: iterations between them, where that is one number.
    pub distance: Vec<Option<i64>>,
    /// Whether the dependence certainly exists in a nest that executes by counters, ints and extents alone. Otherwise it may
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

/// Whether accesses with a set guard are where their subscripts say (`Trusted`), or anywhere (a negative index
/// wraps).
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
    /// Its element at an index is the first one's at that index plus this, times the sign.
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
    /// No two are equal.
    Distinct,
    /// None is less than one before it.
    Sorted,
}

/// Two accesses, the first one the earlier.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The first.
    pub x: &'a AccessForm,
    /// The second.
    pub y: &'a AccessForm,
    /// Whether they are of one array.
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
    /// Its forms.
    pub forms: &'a Forms,
    /// Clauses known not to hold.
    pub absent: &'a [Clause],
    /// What is known of the elements of arrays that nothing writes.
    pub elements: &'a [(ArrayId, Property)],
    /// What to take guarded accesses for.
    pub guarded: Guarded,
    /// Only iterations in which none of these is negative are asked about.
    pub within: &'a [Affine],
}

impl<'a> Tester<'a> {
    /// For a nest of which nothing but its forms is known.
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
