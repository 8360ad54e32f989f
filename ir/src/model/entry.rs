//! Operations on single entries of dictionaries and sets.
//!
//! Where every fragment that uses a container is such an operation, a launch performs them on copies of the entries that
//! it meets, and CPython need not be called for each.

/// A part of a key, or a value.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Part {
    /// The fragment's scalar with this index.
    Scalar(u32),
    /// An int.
    Int(i64),
    /// A text.
    Text(String),
}

/// The key of an entry.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Key {
    /// The items of a tuple, or the one scalar.
    pub parts: Vec<Part>,
    /// Whether the key is a tuple.
    pub is_tuple: bool,
}

impl Key {
    /// The text or int that is the key of every such access; `None` if it is computed.
    pub fn constant(&self) -> Option<&Part> {
        match self.parts.as_slice() {
            [one @ (Part::Int(_) | Part::Text(_))] if !self.is_tuple => Some(one),
            _ => None,
        }
    }
}

/// The arithmetic of `container[key] op= value`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Update {
    /// `+=`.
    Add,
    /// `-=`.
    Sub,
    /// `*=`.
    Mul,
}

/// What is done with an entry.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Operation {
    /// `container[key]`.
    Read,
    /// `container.get(key, value)`.
    ReadOr(Part),
    /// `key in container`, or `key not in container`.
    Contains {
        /// Whether the answer is negated.
        negated: bool,
    },
    /// `container[key] = value`.
    Store(Part),
    /// `container[key] op= value`.
    Update(Update, Part),
    /// `container.add(key)`.
    Add,
    /// `container.discard(key)`.
    Discard,
    /// `len(container)`, which has no key.
    Length,
}

/// An operation on an entry of the container that is the fragment's only object.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct EntryAccess {
    /// The key.
    pub key: Key,
    /// What is done with the entry.
    pub operation: Operation,
}
