//! The text form of typed nests and schedules, written ([`std::fmt::Display`]) and read ([`read`], [`read_schedule`]).
//!
//! A nest is one line a declaration and one line a statement. The blocks of a statement stand under it, two spaces deeper.
//! Empty lines and lines that begin with `#` mean nothing.
//!
//! ```text
//! a0 x: ndarray f64 as np.f64, rank 1, capture 1, read
//! v0 s: np.f64 in 2
//! v1 i: py.i64
//! L0 i
//! top
//!   L0 for v1 in 0 .. dim(a0, 0) step 1
//!     v0 = (v0 + x0:a0[v1]!)
//! out p2 = v0
//! ```
//!
//! # Declarations
//!
//! | line | declares |
//! |---|---|
//! | `a0 NAME: KIND STORAGE as TYPE, rank N, capture N` | an array slot; `read`, `written` and other properties follow |
//! | `v0 NAME: TYPE` | a variable; `in CAPTURE`, `range LO..=HI` and `tag v1` follow; a hidden one has no name |
//! | `L0 NAME` | the user's name of a loop's variable |
//! | `length 0 = (A * B)` | a length that is computed of others, see [`Extent`] |
//! | `scopes N` | how many scopes there are, if not as many as stand in the nest |
//!
//! A name with spaces, colons or quotes stands in double quotes. Then come `prologue` (if there is one) and `top` with
//! their statements, and what the nest leaves behind: `out`, `returns`, `requires`, `interruptible`.
//!
//! # Expressions
//!
//! `!` after an operation means that it is guarded. Every operation stands in parentheses, so there are no
//! precedences. The type of an expression is that of its variable, its array's elements or its operands; where it is
//! another one, it follows behind a colon, as in `0.0:np.f32` and `v3:np.f64`. A cast names the type it casts to.
//!
//! | text | meaning |
//! |---|---|
//! | `(a +! b)`, `min(a, b)` | a binary operation |
//! | `(a < b)` | a comparison |
//! | `(c ? a : b)` | a select |
//! | `x0:a0[v1, v2]!` | access 0, a load |
//! | `to<np.f64>(a)`, `round`, `trunc`, `truth`, `ord` | a cast |
//! | `np.exp(a)`, `math.sqrt!(a)` | a call |
//! | `{v5 = a; b}` | a binding |
//!
//! # Schedules
//!
//! One line a loop that is mapped to something; a serial schedule has no line.
//!
//! ```text
//! threads L0, reduce v3 by +, last v4, private a1
//! vector L1 by 4
//! ```
//!
//! [`Extent`]: crate::Extent

mod cursor;
mod error;
mod expr;
mod lines;
mod printer;
mod reader;
mod schedule;
mod stmt;
#[cfg(test)]
mod tests;
mod types;

pub use crate::text::error::ReadError;
pub use crate::text::reader::read;
pub use crate::text::schedule::read_schedule;
