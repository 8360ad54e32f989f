//! What compiled code executes: its loops, and in each the machine's operations by kind.
//!
//! Taken from the code as optimised, so what was hoisted, shared, folded or vectorised counts as what became of it.

use serde::{Deserialize, Serialize};

use crate::model::ids::LoopId;

/// Kinds of operations, by what they occupy in a core.
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
    /// Between ints and floats, or widths of floats; rounding.
    Convert,
    /// A load from one place.
    Load,
    /// A store to one place.
    Store,
    /// One element of a gather.
    Gather,
    /// One element of a scatter.
    Scatter,
    /// Lanes moved: inserted, extracted, shuffled.
    Shuffle,
    /// A conditional jump.
    Branch,
    /// A call: passing arguments, saving registers. What the function does is apart ([`Body::calls`]).
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

/// Whether an operation works on one number or on a vector register full of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Width {
    /// One number.
    Scalar,
    /// A register; what needs several counts as often.
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
    /// All kinds together.
    pub fn total(&self) -> f64 {
        self.iter().map(|o| f64::from(o.2)).sum()
    }
    /// The kinds with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Op, Width, f32)> + '_ {
        self.0.iter().copied()
    }
}

/// Operations, and functions called by name, each of which waits for the one before.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Chain {
    /// Operations.
    pub ops: Ops,
    /// Functions.
    pub calls: Vec<(String, f32)>,
}

/// What one iteration of a loop executes itself, or one execution of a function outside its loops.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Body {
    /// Operations.
    pub ops: Ops,
    /// Functions called, by name.
    pub calls: Vec<(String, f32)>,
    /// The longest chain from one iteration to the next.
    pub chain: Chain,
    /// The longest chain within an iteration.
    pub path: Chain,
    /// The first of the two begins with what it left when the loop was entered before.
    pub carried: bool,
    /// Jumps that only data decide.
    pub unsure: f32,
    /// Where data end the loop: how many iterations of a loop around go through it at once, the last of which does.
    pub ends: Option<u32>,
    /// Loops inside.
    pub inner: Vec<LoopShape>,
}

/// Which iterations a loop of the machine code runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Part {
    /// As many as there are, or as other loops of the same leave.
    #[default]
    All,
    /// Whole groups of iterations; what is left is run elsewhere, not by a loop.
    Groups,
    /// Some at an end that differ from those in between.
    Edge,
}

/// A loop of the machine code.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoopShape {
    /// The loop of the nest that it runs iterations of; none for one of the code's own.
    pub id: Option<LoopId>,
    /// How many of that loop's iterations one of its own runs.
    pub stride: u32,
    /// Which of that loop's iterations are its own.
    pub part: Part,
    /// A loop of the nest around it is no loop of the machine code: that was unrolled altogether, and there may be as many
    /// copies of this one as it had iterations.
    pub copied: bool,
    /// How often it is reached in an execution of what encloses it.
    pub reached: f32,
    /// Its iterations are shared among threads.
    pub threads: bool,
    /// One iteration.
    pub body: Body,
}
