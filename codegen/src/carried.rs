//! The names that a loop carries from one iteration to the next.

use nestwise_ir::Nest;

use crate::lower::frame::carried_and_kept;

/// Whether CPython can go on between any two iterations of the top loop: every name that it reads there, and that an iteration
/// assigns after it has read it, is a live-out. The error names one that is not.
pub fn hands_over(nest: &Nest) -> Result<(), String> {
    match carried_and_kept(nest) {
        Some(var) => Err(format!(
            "{} is carried from one iteration to the next, and not handed over",
            nest.vars[var].name
        )),
        None => Ok(()),
    }
}
