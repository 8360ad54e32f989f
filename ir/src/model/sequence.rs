//! Operations on lists and deques that grow and shrink: stacks, queues and heaps of scalars or of tuples of scalars.
//!
//! Where every fragment that uses a container is such an operation, a launch performs them on a copy of the elements.

use crate::model::entry::{Part, Update};

/// Which element is taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Which {
    /// The last one: `pop()`.
    Last,
    /// The first one: `popleft()`, `pop(0)`.
    First,
    /// The least one of a heap: `heapq.heappop(heap)`.
    Least,
}

/// What is done with a sequence.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum SequenceOperation {
    /// `sequence.append(element)`.
    Append(Vec<Part>),
    /// `deque.appendleft(element)`.
    AppendLeft(Vec<Part>),
    /// `heapq.heappush(heap, element)`.
    Push(Vec<Part>),
    /// Takes an element out, and gives the first of its parts.
    Take(Which),
    /// Gives the part with this index of the element that was taken out last.
    Taken(u32),
    /// Gives a part of the element at an index.
    Item {
        /// The index, counted from the end if it is negative.
        index: Part,
        /// The index of the part.
        part: u32,
    },
    /// `sequence[index] = value`, of scalars.
    Store {
        /// The index, counted from the end if it is negative.
        index: Part,
        /// The value.
        value: Part,
    },
    /// `sequence[index] op= value`, of scalars.
    Update {
        /// The index, counted from the end if it is negative.
        index: Part,
        /// The arithmetic.
        update: Update,
        /// The operand.
        value: Part,
    },
    /// `len(sequence)`.
    Length,
}

/// An operation on the sequence that is the fragment's only object.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct SequenceAccess {
    /// The number of parts of an element; 0 where the operation does not tell.
    pub parts: u32,
    /// Whether the elements are tuples.
    pub is_tuple: bool,
    /// What is done.
    pub operation: SequenceOperation,
}
