//! What is known of the objects that a nest makes while it is resolved.

use std::sync::Arc;

use nestwise_ir::surface as s;

use crate::lowering::hir::LocalId;
use crate::lowering::names::resolve::element::{Element, ObjectElement};

/// The objects that the nest makes, as far as it matters whether they can be told apart.
#[derive(Default)]
pub(crate) struct Sharing {
    /// The classes of objects that a second name or attribute is given.
    pub shared: Vec<u32>,
    /// The classes of objects whose attributes are assigned after they were made.
    pub changed: Vec<u32>,
}

/// An object whose `__init__` is being resolved.
pub(crate) struct Unfinished {
    /// The attributes so far.
    pub object: ObjectElement,
    /// The locals that were made for it.
    pub own: Vec<LocalId>,
    /// The attributes that the first branches of statements around set: the second ones have to set the same.
    pub others: Vec<Vec<(String, Element)>>,
}

/// A function of a class.
pub(crate) struct Method {
    pub function: Arc<s::Function>,
    /// The index of the capture of the function's first access path.
    pub first: u32,
    /// The class that it is called of, and the place of the one that has it among those that are asked.
    pub defined: Option<(u32, u32)>,
}

impl Sharing {
    /// Notes that a second name or attribute is given an object of this class.
    pub fn share(&mut self, class: u32) {
        self.shared.push(class);
    }

    /// Whether objects of one class are both.
    pub fn conflict(&self) -> bool {
        self.shared.iter().any(|class| self.changed.contains(class))
    }
}
