//! What compiled code executes: its loops, and in each the machine's operations by kind.
//!
//! The shape is taken from optimised code, so what was hoisted, shared, folded or vectorised counts as what became of
//! it.

use serde::{Deserialize, Serialize};

use crate::model::ids::LoopId;

/// The kinds of operations, by what they occupy in a core.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Op {
    /// Integer addition, logic, shift, comparison, select.
    Int,
    /// Integer multiplication.
    IntMul,
    /// Integer division and remainder.
    IntDiv,
    /// Float addition, comparison, minimum.
    Float,
    /// Float multiplication, with an addition or without.
    FloatMul,
    /// Float division.
    FloatDiv,
    /// Square root.
    Root,
    /// Conversion between ints and floats, or widths of floats; rounding.
    Convert,
    /// A load from one address.
    Load,
    /// A store to one address.
    Store,
    /// One element of a gather.
    Gather,
    /// One element of a scatter.
    Scatter,
    /// A move of lanes: insertion, extraction, shuffle.
    Shuffle,
    /// A conditional jump.
    Branch,
    /// A call: passing arguments and saving registers. What the function does is counted in [`Body::calls`].
    Call,
}

impl Op {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Op; 15] = [
        Op::Int,
        Op::IntMul,
        Op::IntDiv,
        Op::Float,
        Op::FloatMul,
        Op::FloatDiv,
        Op::Root,
        Op::Convert,
        Op::Load,
        Op::Store,
        Op::Gather,
        Op::Scatter,
        Op::Shuffle,
        Op::Branch,
        Op::Call,
    ];
}

/// The beginning of the names of functions by which compiled code calls CPython; the time that the fragment takes
/// CPython follows, in tenths of a call of a quick builtin.
pub const HOST_CALL: &str = "nw_host_";

/// The name of the function by which compiled code has the launch perform an operation on an entry.
pub const ENTRY_CALL: &str = "nw_host_entry";

/// Whether an operation works on one number or on a vector register full of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Width {
    /// The operation works on one number.
    Scalar,
    /// The operation works on a vector register; one that needs several registers counts as often.
    Vector,
}

/// How often operations of each kind are executed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Ops(Vec<(Op, Width, f32)>);

impl Ops {
    /// Counts `times` more of a kind.
    pub fn add(&mut self, op: Op, width: Width, times: f32) {
        if times == 0.0 {
            return;
        }
        match self.0.iter_mut().find(|o| (o.0, o.1) == (op, width)) {
            Some(found) => found.2 += times,
            None => self.0.push((op, width, times)),
        }
    }
    /// The count of all kinds together.
    pub fn total(&self) -> f64 {
        self.iter().map(|o| f64::from(o.2)).sum()
    }
    /// The kinds with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Op, Width, f32)> + '_ {
        self.0.iter().copied()
    }
}

/// A dependence chain: operations, and functions called by name, each of which waits for the one before.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Chain {
    /// The operations, with how often each is executed.
    pub ops: Ops,
    /// The functions called, by name, with how often.
    pub calls: Vec<(String, f32)>,
}

/// What one iteration of a loop executes itself, or one execution of a function outside its loops.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Body {
    /// The operations, with how often each is executed.
    pub ops: Ops,
    /// The functions called, by name, with how often.
    pub calls: Vec<(String, f32)>,
    /// The longest chain that leads from one iteration to the next.
    pub chain: Chain,
    /// The longest chain within an iteration.
    pub path: Chain,
    /// Whether `chain` begins with the value that it left when the loop was entered before.
    pub carried: bool,
    /// The number of jumps that only data decide.
    pub unsure: f32,
    /// If data end the loop: how many iterations of a loop around go through it together, so that the last one to
    /// finish ends it.
    pub ends: Option<u32>,
    /// The loops inside.
    pub inner: Vec<LoopShape>,
}

/// Which iterations a loop of the machine code runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Part {
    /// All iterations, or those that other loops for the same loop of the nest leave.
    #[default]
    All,
    /// Whole groups of iterations; the rest is run elsewhere, not by a loop.
    Groups,
    /// Some iterations at an end, which differ from those in between.
    Edge,
}

/// A loop of the machine code.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoopShape {
    /// The loop of the nest whose iterations it runs; `None` for a loop that only the machine code has.
    pub id: Option<LoopId>,
    /// The number of iterations of the nest's loop that one of its iterations runs.
    pub stride: u32,
    /// Which iterations of the nest's loop it runs.
    pub part: Part,
    /// Whether a loop of the nest around it was unrolled completely, so that there may be as many copies of this loop
    /// as that one had iterations.
    pub copied: bool,
    /// How often the loop is reached in one execution of what encloses it.
    pub reached: f32,
    /// Whether the loop's iterations are shared among threads.
    pub threads: bool,
    /// What one iteration executes.
    pub body: Body,
}
