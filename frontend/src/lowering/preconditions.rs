//! The preconditions that statements of the nest ask for.

use std::collections::BTreeSet;

use nestwise_ir::Precondition;

/// The preconditions on the nest's arrays, which launches have to check.
#[derive(Default)]
pub(crate) struct Preconditions {
    required: BTreeSet<Precondition>,
    /// Whether a part of an array is used as a whole.
    pub sliced: bool,
}

impl Preconditions {
    /// Adds a condition that launches have to check.
    pub fn require(&mut self, condition: Precondition) {
        self.required.insert(condition);
    }

    /// The conditions that statements have asked for.
    pub fn required(&self) -> impl Iterator<Item = &Precondition> {
        self.required.iter()
    }
}
