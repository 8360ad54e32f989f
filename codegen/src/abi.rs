//! The kernel ABI: one call runs a range of top-loop iterations of a nest.
//!
//! ```text
//! extern "C" fn entry(frame: *mut u8, lo: i64, hi: i64)
//! ```
//!
//! `lo..hi` are iteration numbers of the top loop: its counter is `start + k * step` in iteration `k`. A `while`
//! runs at most `hi - lo` iterations. The frame is a [`FrameHeader`], then one descriptor per array slot, then one
//! 16-byte cell per variable; [`FrameLayout`] has every offset.
//!
//! # Chunks
//! Calls with consecutive ranges on one frame continue each other: whatever is carried between top iterations lives
//! in the frame. Invariants (the prologue, the top loop's start and step) are evaluated at each entry, unless
//! the nest assigns a variable that they read: then they are evaluated by the call with `lo == 0` only.
//!
//! # Guard failures
//! A call that ends in [`Status::GuardFailed`] has changed neither a variable's cell nor a descriptor, so the frame
//! still describes the state before `lo`. Array elements may have been written: undoing them is the caller's work.

use nestwise_ir::{ArrayId, Nest, Scalar, VarId};

/// The entry point of a kernel.
pub type Entry = unsafe extern "C" fn(frame: *mut u8, lo: i64, hi: i64);

/// Symbol of the entry point in an object file.
pub const ENTRY_SYMBOL: &str = "nw_entry";

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub enum Status {
    /// Every iteration up to `hi` is complete.
    Done = 0,
    /// A guard failed; undo the call's writes.
    GuardFailed = 1,
    /// The top loop was left by `break` in iteration `at`.
    Broke = 2,
    /// The nest returned in iteration `at`; the return variables are set.
    Returned = 3,
    /// A `while` condition became false after `at - lo` iterations of this call.
    Finished = 4,
}

impl Status {
    /// The status of a header, if it is one.
    pub fn from_code(code: i64) -> Option<Status> {
        Some(match code {
            0 => Self::Done,
            1 => Self::GuardFailed,
            2 => Self::Broke,
            3 => Self::Returned,
            4 => Self::Finished,
            _ => return None,
        })
    }
}

/// What failed, for reports; the interpreter's own exception is the authority.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub enum GuardFailure {
    /// An index out of range.
    Index = 1,
    /// An integer that leaves its representation.
    Overflow = 2,
    /// A division or modulo by zero.
    ZeroDivision = 3,
    /// A conversion that does not keep the value.
    Convert = 4,
    /// A function outside its domain, or an infinite result of finite arguments.
    Math = 5,
    /// A failed check of the nest.
    Check = 6,
    /// A loop with step 0.
    Step = 7,
    /// Several operations of a vectorised loop were watched together, and one of them failed.
    Several = 8,
    /// Somebody waits, and the iteration goes on too long.
    Interrupt = 9,
    /// CPython raised in a fragment, or gave a value of another type.
    HostCall = 10,
}

impl GuardFailure {
    /// The code of a header, if it is one.
    pub fn from_code(code: i64) -> Option<GuardFailure> {
        Some(match code {
            1 => Self::Index,
            2 => Self::Overflow,
            3 => Self::ZeroDivision,
            4 => Self::Convert,
            5 => Self::Math,
            6 => Self::Check,
            7 => Self::Step,
            8 => Self::Several,
            9 => Self::Interrupt,
            10 => Self::HostCall,
            _ => return None,
        })
    }
}

/// The fixed beginning of a frame.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FrameHeader {
    /// Out: a [`Status`].
    pub status: i64,
    /// Out: the first top iteration that was not completed. For a guard failure: the iteration in which it failed if
    /// that is known exactly, else `lo`.
    pub at: i64,
    /// Out: line of the operation that failed (of the loop, where operations are watched together).
    pub failure_line: i64,
    /// Out: a [`GuardFailure`].
    pub failure_code: i64,
    /// In: total trip count of the top loop; unused for `while`.
    pub trips: i64,
    /// In: anything the caller wants to find again; kernels hand it to [`Launch`], and do not touch it.
    pub user: *mut u8,
    /// Between calls: start and step of the top loop where they cannot be evaluated again.
    pub bounds: [i64; 2],
    /// In: the time, in nanoseconds of [`now`](crate::link::interrupts::now), from which an interruptible kernel gives
    /// up if somebody waits.
    pub deadline: i64,
}

impl FrameHeader {
    pub(crate) const STATUS: usize = 0;
    /// Offset of the iteration, in bytes.
    pub const AT: usize = 8;
    pub(crate) const LINE: usize = 16;
    pub(crate) const CODE: usize = 24;
    /// Offset of the pointer that callbacks are given, in bytes.
    pub const USER: usize = 40;
    pub(crate) const BOUNDS: usize = 48;
    pub(crate) const DEADLINE: usize = 64;
}

/// Where an array slot's descriptor lies in the frame: byte offsets from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotLayout {
    /// Address of element `[0, ..., 0]`.
    pub ptr: usize,
    /// `rank` extents, i64.
    pub extents: usize,
    /// `rank` strides in bytes, i64; multiples of the element size.
    pub strides: usize,
    /// Address of the tag plane of a [`Scalar::Num`] slot: one byte per element, non-zero for int. The tag of the
    /// element at byte offset `8 * k` of the value plane is at offset `k`.
    pub tags: Option<usize>,
    /// i64 naming the object: the caller writes the slot's own index; rebindings permute it.
    pub origin: usize,
    /// Number of dimensions.
    pub rank: usize,
}

/// Every offset of a nest's frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameLayout {
    /// Bytes of the frame; allocate it 16-byte aligned and zeroed.
    pub size: usize,
    slots: Vec<SlotLayout>,
    vars: usize,
    var_count: usize,
}

impl FrameLayout {
    /// The layout for `nest`; it depends on the declarations alone.
    pub fn of(nest: &Nest) -> FrameLayout {
        let mut at = size_of::<FrameHeader>();
        let mut take = |bytes: usize| {
            let here = at;
            at += bytes;
            here
        };
        let slots: Vec<SlotLayout> = nest
            .arrays
            .values()
            .map(|a| {
                let rank = a.rank as usize;
                SlotLayout {
                    ptr: take(8),
                    extents: take(8 * rank),
                    strides: take(8 * rank),
                    tags: (a.storage == Scalar::Num).then(|| take(8)),
                    origin: take(8),
                    rank,
                }
            })
            .collect();
        let vars = at.next_multiple_of(16);
        FrameLayout {
            size: vars + 16 * nest.vars.len(),
            slots,
            vars,
            var_count: nest.vars.len(),
        }
    }
    /// The descriptor of a slot.
    pub fn slot(&self, array: ArrayId) -> Option<&SlotLayout> {
        self.slots.get(array.index())
    }
    /// Offset of a variable's 16-byte cell. In it: bools as a byte, ints and floats in their own size, complex
    /// numbers as real and imaginary part, [`Scalar::Num`] as f64 and, at +8, the tag byte.
    pub fn var(&self, var: VarId) -> Option<usize> {
        (var.index() < self.var_count).then_some(self.vars + 16 * var.index())
    }
}

/// The body of a loop mapped to threads: runs iterations `lo..hi` and reports in its part record.
pub type Body = unsafe extern "C" fn(env: *mut u8, lo: i64, hi: i64, part: *mut u8);

/// Splits `lo..hi` into consecutive ranges, calls `body` once for each with a zeroed record of `part_size` bytes
/// (16-byte aligned), and returns the number of records; they lie one after the other, in the order of the ranges,
/// at `*parts`. The records stay valid until `nw_parts_free`'s registered counterpart is called with them.
///
/// Where `copies` is not 0, the record of every range but the last has at [`part::COPIES`] the address of so many
/// bytes, 64-byte aligned, that no other call of `body` uses meanwhile. Where `keep` is not 0, they are zeroed
/// beforehand, no two ranges have the same, and they stay valid as long as the records.
///
/// `save`, where there is one, says how many bytes a range needs, and fills them. With a record that has no address at
/// [`part::COPIES`] it leaves the number of bytes, `copies` included, at [`part::STATUS`]; otherwise it puts there what
/// the range is to find unchanged. It is called for all ranges but the last before `body` is for any, and what it fills
/// is one range's alone.
///
/// `grain` is how many iterations vectors run at once: a range that has not a multiple of it takes longer. `id` is the
/// loop's, for who knows what its iterations take.
pub type Parallel = unsafe extern "C" fn(
    body: Body,
    env: *mut u8,
    lo: i64,
    hi: i64,
    part_size: i64,
    parts: *mut *mut u8,
    copies: i64,
    keep: i64,
    save: Option<Body>,
    grain: i64,
    id: i64,
) -> i64;

/// Frees what a [`Parallel`] returned.
pub type PartsFree = unsafe extern "C" fn(parts: *mut u8, count: i64, part_size: i64);

/// Has the threads of a device run iterations of a loop, some time later but in the order of the calls; before the call
/// returns only if something of what they leave behind is wanted. `user` is the frame's ([`FrameHeader::user`]).
/// Returns 0, or another number if the device cannot, or something has failed: then the call ends with a guard failure.
pub type Launch = unsafe extern "C" fn(user: *mut u8, order: *mut Order) -> i64;

/// What a thread of an emulated device does to an element, as `nw_touched` is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub enum Access {
    /// The thread reads the element.
    Read = 0,
    /// The thread stores to the element.
    Write = 1,
    /// The thread updates the element atomically, as others may, too.
    Update = 2,
}

impl Access {
    /// The access with that code, if there is one.
    pub fn from_code(code: i64) -> Option<Access> {
        let all = [Access::Read, Access::Write, Access::Update];
        all.into_iter().find(|a| *a as i64 == code)
    }
}

/// What a [`Launch`] is asked to run, and what it leaves behind.
#[repr(C)]
pub struct Order {
    /// The kernel's number; below zero: none, but the late cells that kernels launched before have left.
    pub kernel: i64,
    /// The environment that the kernel is given a copy of: laid out like a frame, with addresses of the device's memory
    /// in its descriptors.
    pub env: *mut u8,
    /// Bytes of the environment.
    pub size: i64,
    /// Bytes of copies that each thread has for itself. The environment tells where they begin, in place of
    /// [`FrameHeader::user`].
    pub copies: i64,
    /// The first iteration.
    pub lo: i64,
    /// The iteration behind the last.
    pub hi: i64,
    /// The iterations of the next loop on an axis; -1 if there is none or they differ.
    pub inner: i64,
    /// Bytes that are wanted of the cells behind the status, from [`part::CELLS`] on; without a kernel, from
    /// [`part::DEFERRED`] on.
    pub cells: i64,
    /// Bytes of the record that each block leaves at [`part::RECORDS`] and behind; all records are wanted.
    pub record: i64,
    /// Out: what is wanted, as it lies on the device, the status first; valid until the next launch.
    pub left: *mut u8,
    /// Out: the number of blocks.
    pub blocks: i64,
}

/// What the threads of a cooperative kernel have in common: device memory that begins with zeros, whose address the
/// environment has in place of [`FrameHeader::at`].
pub mod cooperative {
    use crate::abi::part;
    use crate::grid::MOST_RECORD;

    /// Offset of the number of times that blocks have come to barriers so far.
    pub const ARRIVED: usize = 0;
    /// Offset of two areas for what a part of the kernel leaves behind, laid out like what a kernel leaves ([`part`]):
    /// parts take turns, so that one area may be written while threads look at the other.
    pub(crate) const PLACES: usize = 64;

    /// Bytes of the memory for `blocks` blocks.
    pub const fn size(blocks: usize) -> usize {
        PLACES + 2 * (part::RECORDS + blocks * MOST_RECORD)
    }
}

/// A kernel of an emulated device, as one of its threads runs it. `status` is [`part::STATUS`] and what follows, shared
/// by all threads: a thread in which something fails sets it, the one that runs the last iteration sets the cells
/// behind it, and each block a record. `place` has twelve numbers, the thread in its block, the threads of a block, the
/// block in the grid, the blocks of the grid, along three axes each; and the address of the block's shared memory.
pub type GridThread =
    unsafe extern "C" fn(env: *mut u8, lo: i64, hi: i64, status: *mut u8, place: *const i64);

/// Offsets in a part record, in bytes: status, line and code of a guard failure, the address of the part's copies of
/// arrays, then 16-byte cells.
pub mod part {
    /// Offset of the status; where a number of bytes is asked for, of that.
    pub const STATUS: usize = 0;
    /// Offset of the line of a guard failure.
    pub const LINE: usize = 8;
    pub(crate) const CODE: usize = 16;
    /// Offset of the address of the part's copies; null: the part works on the arrays themselves.
    pub const COPIES: usize = 24;
    /// Bytes of a cell.
    pub const CELL: usize = 16;
    /// Offset of the cells of results, in bytes.
    pub const CELLS: usize = 32;
    /// The most cells of results of one kernel.
    pub const MOST_CELLS: usize = 62;
    /// Offset of the cells of deferred results, which nobody waits for, in bytes.
    pub const DEFERRED: usize = CELLS + CELL * MOST_CELLS;
    /// The most cells of deferred results of all kernels of a nest together.
    pub const MOST_DEFERRED: usize = 62;
    /// Offset of the records of a kernel's blocks, in bytes.
    pub const RECORDS: usize = DEFERRED + CELL * MOST_DEFERRED;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_offsets_are_the_struct_s() {
        assert_eq!(
            std::mem::offset_of!(FrameHeader, status),
            FrameHeader::STATUS
        );
        assert_eq!(std::mem::offset_of!(FrameHeader, at), FrameHeader::AT);
        assert_eq!(
            std::mem::offset_of!(FrameHeader, failure_line),
            FrameHeader::LINE
        );
        assert_eq!(
            std::mem::offset_of!(FrameHeader, failure_code),
            FrameHeader::CODE
        );
        assert_eq!(std::mem::offset_of!(FrameHeader, user), FrameHeader::USER);
        assert_eq!(
            std::mem::offset_of!(FrameHeader, bounds),
            FrameHeader::BOUNDS
        );
        assert_eq!(
            std::mem::offset_of!(FrameHeader, deadline),
            FrameHeader::DEADLINE
        );
        assert_eq!(size_of::<FrameHeader>(), 72);
    }
}
