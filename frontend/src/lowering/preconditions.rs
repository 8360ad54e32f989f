//! The preconditions that statements of the nest ask for.

use std::collections::BTreeSet;

use nestwise_ir::Precondition;

/// What launches have to check of the arrays of the nest.
#[derive(Default)]
pub(crate) struct Preconditions {
    required: BTreeSet<Precondition>,
    /// Whether a part of an array is looked at as a whole.
    pub sliced: bool,
}

impl Preconditions {
    /// Has launches check a condition.
    pub fn require(&mut self, condition: Precondition) {
        self.required.insert(condition);
    }

    /// The conditions that statements have asked for.
    pub fn required(&self) -> impl Iterator<Item = &Precondition> {
        self.required.iter()
    }
}
