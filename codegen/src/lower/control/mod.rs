//! Statements, and loops that run one iteration after another.

pub(crate) mod exits;
pub(crate) mod guards;
pub(crate) mod interrupts;
pub(crate) mod iterations;
pub(crate) mod last_iteration;
pub(crate) mod loops;
pub(crate) mod nest;
pub(crate) mod peeled;
pub(crate) mod ranges;
pub(crate) mod stmt;
pub(crate) mod top_loop;
