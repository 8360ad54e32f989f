//! Copies of what a chunk may write, to take it back when an event fires.

use crate::overlap::ArrayView;
use std::cell::RefCell;

/// The saved elements of one window; of none at first.
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

impl Drop for Saved {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        SPARE.with_borrow_mut(|spare| {
            let kept: usize = spare.iter().map(Vec::capacity).sum();
            if kept + bytes.capacity() <= KEPT_BYTES {
                spare.push(bytes);
            }
        });
    }
}

/// Memory for copies that a thread keeps for the next chunk: fresh memory costs more than copying.
const KEPT_BYTES: usize = 8 << 20;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer, the last one that was given back if there is one.
fn spare() -> Vec<u8> {
    let mut bytes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
    bytes.clear();
    bytes
}

/// The part of a window whose index along `axis` is in `lo..hi`.
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
    let last = view.rank - 1;
    let adjacent = view.strides[last] == view.size;
    let outer = &view.extents[..last];
    let mut index = [0i64; 8];
    loop {
        let offset: i64 = (0..last).map(|a| index[a] * view.strides[a]).sum();
        // SAFETY: offsets of elements inside the window.
        let row = unsafe { view.ptr.offset(offset as isize) };
        if adjacent {
            f(row, (view.size * view.extents[last]) as usize);
        } else {
            for i in 0..view.extents[last] {
                // SAFETY: as above.
                f(
                    unsafe { row.offset((i * view.strides[last]) as isize) },
                    view.size as usize,
                );
            }
        }
        let Some(axis) = (0..last).rev().find(|a| index[*a] + 1 < outer[*a]) else {
            return;
        };
        index[axis] += 1;
        index[axis + 1..last].fill(0);
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
}
