//! Where native code goes on in a nest that CPython has begun.

use nestwise_costmodel::Seconds;

/// Where to go on in a nest that CPython has run a part of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resume {
    /// The first iteration of the top loop that has not run; 0 for a `while`, which has no counter and goes on from
    /// what its names hold.
    pub next: i64,
    /// The start, stop and step of the top loop as they were when it began; none for a `while`.
    pub range: Option<(i64, i64, i64)>,
    /// The time that CPython has taken for the part it ran.
    pub spent: Seconds,
    /// The number of iterations in that part, 0 if not known.
    pub done: i64,
}

impl Resume {
    /// Whether the nest's own counter has moved on from where it begins. Otherwise the call is like any other.
    pub fn is_halfway(&self) -> bool {
        self.next != 0
    }
}
