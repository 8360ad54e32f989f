//! Control flow: loops, comprehensions, assignment in all its forms.

pub(crate) mod assign;
pub(crate) mod comprehension;
pub(crate) mod for_loop;
pub(crate) mod iteration;
pub(crate) mod parallel_assignment;
pub(crate) mod state;
pub(crate) mod top_loop;
pub(crate) mod unpack;
pub(crate) mod unroll;
