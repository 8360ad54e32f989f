//! Functions that are handed to parameters.

use std::sync::Arc;

use nestwise_ir::surface as s;

use crate::builtins::Known;

/// A function that is handed to a parameter.
#[derive(Clone)]
pub(crate) enum Handed {
    Known(Known),
    /// A user's function, as in [`Res::User`].
    User(Arc<s::Function>, u32, Option<String>),
    /// The class with this capture.
    Class(u32),
}

impl Handed {
    /// Whether two functions are the same one.
    pub fn is_same(&self, other: &Handed) -> bool {
        match (self, other) {
            (Handed::Known(a), Handed::Known(b)) => a.name() == b.name(),
            (Handed::User(a, first, receiver), Handed::User(b, at, given)) => {
                Arc::ptr_eq(a, b) && first == at && receiver == given
            }
            (Handed::Class(a), Handed::Class(b)) => a == b,
            _ => false,
        }
    }
}
