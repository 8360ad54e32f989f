//! Copies of what a chunk may write, to roll it back when a guard fails.
//!
//! # Done once
//! Whatever ends a chunk, and however often its iterations are tried, the program sees each of them done once. That
//! rests on three facts, each with a planted mistake (`NESTWISE_BREAK`) that tests must find:
//!
//! 1. *Elements*: after a rollback every element that the chunk may have written holds what it held before the chunk,
//!    unless running the chunk again writes it before it reads it ([`SlotUndo::idempotent`]). A state of a random
//!    generator, a column that a list grows by and a list that the nest makes are arrays like any other
//!    (`undo-elements`).
//! 2. *Variables*: after a rollback the frame is what it was. Everything else that a nest has, counters and the lengths
//!    of what it appended included, is in the frame; nothing leaves it for Python's objects before the launch has ended
//!    (`undo-frame`).
//! 3. *Names*: where CPython goes on, every name that the loop carries from one iteration to the next holds what it
//!    holds between these two iterations: a variable that is read before it is assigned is a live-out
//!    ([`codegen::carried`](nestwise_codegen::carried)), whether or not the loop has an end of its own (`stale-names`).
//!
//! The first two are checked after every rollback in debug builds, and in any build with `NESTWISE_CHECK=undo`: the
//! whole of each array that had to be saved, not only the part that was.
//!
//! [`SlotUndo::idempotent`]: nestwise_analysis::SlotUndo::idempotent

use std::cell::RefCell;
use std::sync::OnceLock;

use crate::memory::overlap::ArrayView;
use crate::memory::pages;

/// The saved elements of one view; none at first.
#[derive(Default)]
pub struct Saved {
    view: Option<ArrayView>,
    bytes: Vec<u8>,
    tags: Vec<u8>,
}

impl Saved {
    /// Copies every element of `view`, if there is memory for that.
    pub fn of(view: &ArrayView) -> Option<Saved> {
        let mut saved = Saved::default();
        saved.bytes = spare();
        saved.take(view)?;
        Some(saved)
    }

    /// Copies every element of `view` in place of what was saved before, if there is memory for that.
    pub fn take(&mut self, view: &ArrayView) -> Option<()> {
        pages::find(view);
        let bytes = &mut self.bytes;
        bytes.clear();
        bytes
            .try_reserve((view.len() * view.size).max(0) as usize)
            .ok()?;
        for_each_run(view, &mut |at, length| {
            // SAFETY: runs lie inside the window, which is alive during the launch.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(at, length) });
        });
        self.tags.clear();
        if !view.tags.is_null() {
            // SAFETY: one tag per element.
            let tags = unsafe { std::slice::from_raw_parts(view.tags, view.len() as usize) };
            self.tags.try_reserve(tags.len()).ok()?;
            self.tags.extend_from_slice(tags);
        }
        self.view = Some(*view);
        Some(())
    }

    /// Puts every element back.
    pub fn restore(&self) {
        let Some(view) = &self.view else { return };
        let mut rest = &self.bytes[..];
        for_each_run(view, &mut |at, length| {
            let (run, after) = rest.split_at(length);
            // SAFETY: as in `of`; elements of one window, nobody else works on them now.
            unsafe { std::ptr::copy_nonoverlapping(run.as_ptr(), at, length) };
            rest = after;
        });
        if !self.tags.is_empty() {
            // SAFETY: as in `of`.
            unsafe {
                std::ptr::copy_nonoverlapping(self.tags.as_ptr(), view.tags, self.tags.len())
            };
        }
    }
}

/// Copies of whole arrays, of which parts were saved: after a rollback they tell whether those parts were all that was
/// written.
pub struct Witness(Vec<(ArrayView, Saved)>);

impl Witness {
    /// Bytes of the largest arrays that are checked.
    const MOST_BYTES: i64 = 1 << 22;

    /// Whether rollbacks are checked in this process.
    pub fn is_wanted() -> bool {
        static WANTED: OnceLock<bool> = OnceLock::new();
        *WANTED.get_or_init(|| {
            let asked = std::env::var("NESTWISE_CHECK");
            cfg!(debug_assertions) || asked.is_ok_and(|check| check == "undo")
        })
    }

    /// A witness of these arrays as they are at the moment.
    pub fn of<'a>(views: impl Iterator<Item = &'a ArrayView>) -> Witness {
        let small = views.filter(|v| v.len().saturating_mul(v.size) <= Self::MOST_BYTES);
        Witness(small.filter_map(|v| Some((*v, Saved::of(v)?))).collect())
    }

    /// Ends the process if an array is not what it was, or the frame is not (`frame`): the rollback that this follows
    /// has left work half done, and CPython would do it twice.
    pub fn check(&self, frame: bool) {
        let changed = self.0.iter().position(|(view, saved)| {
            let now = Saved::of(view);
            now.is_some_and(|now| now.bytes != saved.bytes || now.tags != saved.tags)
        });
        if let (true, None) = (frame, changed) {
            return;
        }
        eprintln!(
            "nestwise: a rollback left something as it was not: frame {frame}, array {changed:?}"
        );
        std::process::abort();
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.capacity() > 0 {
            SPARE.with_borrow_mut(|spare| spare.push(bytes));
        }
    }
}

/// The most bytes of memory for copies that a thread keeps from one launch to the next. From one chunk to the next it
/// keeps all of that memory: fresh memory costs more than copying.
const KEPT_BYTES: usize = 8 << 20;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Gives back what a launch used for copies when this is dropped, up to [`KEPT_BYTES`].
pub struct Spares;

impl Drop for Spares {
    fn drop(&mut self) {
        let mut kept = 0;
        SPARE.with_borrow_mut(|spare| {
            spare.retain(|bytes| {
                let fits = kept + bytes.capacity() <= KEPT_BYTES;
                kept += if fits { bytes.capacity() } else { 0 };
                fits
            });
        });
    }
}

/// An empty buffer: the last one that was given back, if there is one.
fn spare() -> Vec<u8> {
    let mut bytes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
    bytes.clear();
    bytes
}

/// The part of a view whose index along `axis` is in `lo..hi`.
pub fn slice(view: &ArrayView, axis: usize, lo: i64, hi: i64) -> ArrayView {
    let lo = lo.clamp(0, view.extents[axis]);
    let hi = hi.clamp(lo, view.extents[axis]);
    let mut part = *view;
    // SAFETY: stays inside the window, or at its end if the part is empty.
    part.ptr = unsafe { view.ptr.offset((lo * view.strides[axis]) as isize) };
    part.extents[axis] = hi - lo;
    part
}

/// Calls `f` with the address and length of every run of adjacent bytes, in a fixed order.
fn for_each_run(view: &ArrayView, f: &mut impl FnMut(*mut u8, usize)) {
    if view.is_empty() {
        return;
    }
    // Along the last axes elements may be adjacent: together they are one run.
    let (mut outer, mut run) = (view.rank, view.size);
    while outer > 0 && view.strides[outer - 1] == run {
        outer -= 1;
        run *= view.extents[outer];
    }
    let mut index = [0i64; 8];
    loop {
        let offset: i64 = (0..outer).map(|a| index[a] * view.strides[a]).sum();
        // SAFETY: offsets of elements inside the window.
        f(unsafe { view.ptr.offset(offset as isize) }, run as usize);
        let more = |a: &usize| index[*a] + 1 < view.extents[*a];
        let Some(axis) = (0..outer).rev().find(more) else {
            return;
        };
        index[axis] += 1;
        index[axis + 1..outer].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_windows_elements_come_back() {
        let mut memory: Vec<i64> = (0..60).collect();
        let mut view = ArrayView {
            ptr: memory.as_mut_ptr().cast(),
            tags: std::ptr::null_mut(),
            rank: 2,
            extents: [0; 8],
            strides: [0; 8],
            size: 8,
        };
        // Every other column of a 6 x 10 array, rows 1 to 4.
        view.extents[..2].copy_from_slice(&[6, 5]);
        view.strides[..2].copy_from_slice(&[80, 16]);
        let saved = Saved::of(&slice(&view, 0, 1, 4)).unwrap();
        memory.iter_mut().for_each(|v| *v = -1);
        saved.restore();
        for (at, value) in memory.iter().enumerate() {
            let inside = (1..4).contains(&(at / 10)) && at % 2 == 0;
            assert_eq!(*value, if inside { at as i64 } else { -1 });
        }
    }

    #[test]
    fn adjacent_elements_are_one_run() {
        let runs = |extents: &[i64], strides: &[i64]| {
            let mut memory = [0i64; 60];
            let mut view = ArrayView {
                ptr: memory.as_mut_ptr().cast(),
                tags: std::ptr::null_mut(),
                rank: extents.len(),
                extents: [0; 8],
                strides: [0; 8],
                size: 8,
            };
            view.extents[..extents.len()].copy_from_slice(extents);
            view.strides[..strides.len()].copy_from_slice(strides);
            let mut found = vec![];
            for_each_run(&view, &mut |at, n| {
                found.push((at as usize - view.ptr as usize, n))
            });
            found
        };
        assert_eq!(runs(&[3, 4, 5], &[160, 40, 8]), [(0, 480)]);
        assert_eq!(runs(&[2, 2, 5], &[160, 40, 8]), [(0, 80), (160, 80)]);
        assert_eq!(
            runs(&[2, 2], &[40, 16]),
            [(0, 8), (16, 8), (40, 8), (56, 8)]
        );
        let columns = [(0, 8), (16, 8), (32, 8), (8, 8), (24, 8), (40, 8)];
        assert_eq!(runs(&[2, 3], &[8, 16]), columns);
        assert_eq!(runs(&[3, 0], &[8, 8]), []);
    }
}
