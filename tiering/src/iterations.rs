//! How long one iteration of a top loop may keep signals and other threads waiting.

use nestwise_costmodel::Seconds;

use crate::constants::{LONG_ASKED, LONG_ITERATION, LONG_SHARED};

/// How native code runs the iterations of a top loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Iterations {
    /// One core runs the iterations, and nobody is asked whether somebody waits before one is over.
    Uninterrupted,
    /// Several threads, or a device, share a loop inside an iteration.
    Shared,
    /// The kernel asks inside an iteration whether somebody waits.
    Asked,
}

impl Iterations {
    /// The longest time that one iteration may take; CPython runs a top loop of longer ones, and the loops inside are
    /// nests of their own.
    pub fn longest(self) -> Seconds {
        match self {
            Iterations::Uninterrupted => LONG_ITERATION,
            Iterations::Shared => LONG_SHARED,
            Iterations::Asked => LONG_ASKED,
        }
    }
}
