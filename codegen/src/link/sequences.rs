//! The layout of the copies in which a launch keeps lists and deques that grow and shrink: compiled code appends, takes
//! out and reads by itself, and calls the launch where that does not do.

/// A sequence of elements, as compiled code has it.
///
/// Elements have positions, from `head` up to `tail`. An element is a word for each of its parts and, behind them, a word
/// of notes: the codes of the parts ([`crate::link::entries::code`]), a byte each, and a [`Sequence::stamp`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    /// The words of the element at position 0.
    pub items: *mut u64,
    /// The position of the first element.
    pub head: i64,
    /// The position behind the last element.
    pub tail: i64,
    /// The position behind the last one that there is room for.
    pub room: i64,
    /// The position of the first element at the last commit.
    pub first: i64,
    /// The position behind the last element at the last commit.
    pub last: i64,
    /// The greatest `head` since the elements were read or written back.
    pub most_head: i64,
    /// The least `tail` since the elements were read or written back.
    pub least_tail: i64,
    /// The bits above the codes of an element that was made or changed since the last commit.
    pub stamp: u64,
    /// The words of the element that was taken out last.
    pub taken: *const u64,
}

/// The bit of an element's notes that says that it was changed since it was read or written back.
pub const CHANGED: u64 = 1 << 32;

/// Where the clock begins in an element's notes: in the bits above.
pub const CLOCK: u32 = 40;

/// A sequence without elements.
pub const NONE: Sequence = Sequence {
    items: std::ptr::null_mut(),
    head: 0,
    tail: 0,
    room: 0,
    first: 0,
    last: 0,
    most_head: 0,
    least_tail: 0,
    stamp: CHANGED,
    taken: std::ptr::null(),
};

/// The most parts of an element.
pub const MOST_PARTS: usize = 4;
