//! Memory for what operations on whole arrays make before it is stored.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use nestwise_ir::{Extent, Scalar};
use nestwise_runtime::ArrayView;

/// As vectors like it.
const ALIGNMENT: usize = 64;

/// Memory for as many elements as an array has, row by row, of any content.
pub struct Scratch {
    memory: NonNull<u8>,
    layout: Layout,
    view: ArrayView,
}

impl Scratch {
    /// With axes so long, some as those of `other` or as captured ints say, and elements of type `storage`; none: there is no
    /// memory for it.
    pub fn new(
        axes: &[Extent],
        other: Option<&ArrayView>,
        ints: impl Fn(u32) -> i64,
        storage: Scalar,
    ) -> Option<Scratch> {
        let mut view = ArrayView::of_nothing(axes, other, ints, storage.size() as i64);
        let extents = view.extents[..view.rank].iter();
        let mut bytes = view.size;
        for extent in extents {
            bytes = bytes.checked_mul((*extent).max(1))?;
        }
        let layout = Layout::from_size_align(usize::try_from(bytes).ok()?, ALIGNMENT).ok()?;
        // SAFETY: an element has a size, and no extent counts as less than one.
        let memory = NonNull::new(unsafe { alloc(layout) })?;
        view.ptr = memory.as_ptr();
        Some(Scratch {
            memory,
            layout,
            view,
        })
    }

    /// Copies all elements of an array of the same shape and type.
    ///
    /// # Safety
    /// They are there.
    pub unsafe fn fill(&self, from: &ArrayView) {
        let mut to = self.memory.as_ptr();
        let size = from.size as usize;
        for at in 0..from.len() {
            let (mut rest, mut offset) = (at, 0);
            for axis in (0..from.rank).rev() {
                offset += rest % from.extents[axis] * from.strides[axis];
                rest /= from.extents[axis];
            }
            // SAFETY: as promised; this memory lies row by row.
            unsafe {
                std::ptr::copy_nonoverlapping(from.ptr.offset(offset as isize), to, size);
                to = to.add(size);
            }
        }
    }

    /// All of it.
    pub fn view(&self) -> ArrayView {
        self.view
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: from `alloc` with this layout.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lies_row_by_row_and_is_apart() {
        let mut other = ArrayView {
            ptr: std::ptr::null_mut(),
            tags: std::ptr::null_mut(),
            rank: 2,
            extents: [3, 5, 0, 0, 0, 0, 0, 0],
            strides: [8, 800, 0, 0, 0, 0, 0, 0],
            size: 8,
        };
        let both = [Extent::Axis(0), Extent::Axis(1)];
        let one = Scratch::new(&both, Some(&other), |_| 0, Scalar::F32)
            .expect("memory")
            .view();
        assert_eq!(
            (one.strides[0], one.strides[1], one.size, one.extents),
            (20, 4, 4, other.extents)
        );
        let row = Scratch::new(
            &[Extent::Axis(1), Extent::Fixed(2)],
            Some(&other),
            |_| 0,
            Scalar::F64,
        )
        .expect("memory")
        .view();
        assert_eq!(
            (row.rank, &row.extents[..2], row.strides[0]),
            (2, &[5, 2][..], 16)
        );
        other.extents[1] = 0;
        assert!(Scratch::new(&both, Some(&other), |_| 0, Scalar::F64).is_some());
        other.extents = [i64::MAX / 2, 9, 0, 0, 0, 0, 0, 0];
        assert!(Scratch::new(&both, Some(&other), |_| 0, Scalar::F64).is_none());
    }
}
