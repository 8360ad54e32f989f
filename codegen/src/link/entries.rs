//! The layout of the tables in which a launch keeps entries of dictionaries and sets: compiled code looks entries up by
//! itself, and calls the launch for those that it does not find.

use nestwise_ir::{Scalar, Ty};

/// A hash table of entries, as compiled code reads it. It is open-addressed: an entry is in the first free bucket from
/// the one of its hash on.
#[repr(C)]
pub struct Table {
    /// The numbers of the entries, counted from 1; 0 in a free bucket.
    pub buckets: *const u32,
    /// The number of buckets, a power of two, less one.
    pub mask: u64,
    /// The entries, one after another: a [`Head`] each, and the words of its key.
    pub entries: *mut u64,
    /// Goes on with every commit.
    pub clock: u32,
}

// SAFETY: the empty table alone is shared, and has nothing in it.
unsafe impl Sync for Table {}

static FREE: u32 = 0;

/// A table without entries.
pub static EMPTY: Table = Table {
    buckets: &raw const FREE,
    mask: 0,
    entries: std::ptr::null_mut(),
    clock: 0,
};

/// An entry, in front of the words of its key.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// A scalar's bits.
    pub word: u64,
    /// What the value is: [`MISSING`], [`OBJECT`], or the [`code`] of a type.
    pub code: u32,
    /// The clock when the entry was last changed for the first time since a commit.
    pub changed: u32,
    /// The [`Class`]es of the key's parts, two bits each.
    pub classes: u8,
    /// Whether the value is not the container's.
    pub dirty: bool,
    /// Whether the container has the entry.
    pub is_there: bool,
}

/// The words of a [`Head`].
pub const HEAD_WORDS: usize = size_of::<Head>() / 8;

/// The code of an entry that there is not.
pub const MISSING: u32 = 0;
/// The code of a value that the container alone holds.
pub const OBJECT: u32 = 1;
const TYPES: u32 = 2;

/// The code of scalars of a type.
pub const fn code(ty: Ty) -> u32 {
    TYPES + ty.prov as u32 * Scalar::ALL.len() as u32 + ty.repr as u32
}

/// The place of a scalar's type among all types, by its code.
pub const fn place(code: u32) -> Option<usize> {
    match code < TYPES {
        true => None,
        false => Some((code - TYPES) as usize),
    }
}

/// What keys are told apart by, beside their words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// An int, a bool, or a float without a fraction: an `i64`.
    Whole = 0,
    /// Any other float: its bits.
    Fraction = 1,
    /// A text: its number.
    Text = 2,
}

/// The factor of [`hash`]: 2**64 over the golden ratio, odd (Knuth, The Art of Computer Programming 3, 6.4).
pub const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a key of these classes and words.
pub fn hash(classes: u8, words: &[u64]) -> u64 {
    let mut hash = u64::from(classes);
    for word in words {
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(SPREAD);
    }
    hash ^ hash >> 32
}
