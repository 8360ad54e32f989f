//! Statements, and loops that run one iteration after another.

pub(crate) mod exits;
pub(crate) mod guards;
pub(crate) mod interrupts;
pub(crate) mod last_iteration;
pub(crate) mod loops;
pub(crate) mod peeled;
pub(crate) mod stmt;
