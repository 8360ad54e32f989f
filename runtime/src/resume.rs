//! Where native code goes on in a nest that CPython has begun.

use nestwise_costmodel::Seconds;

/// Where to go on in a nest that CPython has run a part of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resume {
    /// The first iteration of the top loop that has not run; 0 for a `while`, which has no counter and goes on from
    /// what its names hold.
    pub next: i64,
    /// Start, stop and step as they were when the loop began; none for a `while`.
    pub range: Option<(i64, i64, i64)>,
    /// What CPython has taken for the part it ran.
    pub spent: Seconds,
    /// Iterations in that part, 0 if not known.
    pub done: i64,
}

impl Resume {
    /// Whether the nest's own counter has moved on from where it begins. Otherwise this is a call like any other.
    pub fn is_halfway(&self) -> bool {
        self.next != 0
    }
}
