//! Memory for intermediate results of whole-array operations, and for arrays and lists that a nest makes.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use nestwise_ir::{Extent, Scalar};
use nestwise_runtime::ArrayView;

/// The alignment of the memory in bytes, enough for the widest vectors.
const ALIGNMENT: usize = 64;

/// Memory for the elements of one array, in row-major order, with unspecified contents.
pub struct Scratch {
    memory: NonNull<u8>,
    layout: Layout,
    view: ArrayView,
    /// One byte for each element that says whether it is an int, where the array mixes ints and floats.
    _tags: Vec<u8>,
}

impl Scratch {
    /// Memory for an array with these axes, whose lengths `long` gives, and elements of type `storage`; `None` where
    /// there is not so much.
    pub fn new(axes: &[Extent], long: impl Fn(Extent) -> i64, storage: Scalar) -> Option<Scratch> {
        let mut view = ArrayView::of_nothing(axes, long, storage.size() as i64);
        let extents = view.extents[..view.rank].iter();
        let mut bytes = view.size;
        for extent in extents {
            bytes = bytes.checked_mul((*extent).max(1))?;
        }
        let layout = Layout::from_size_align(usize::try_from(bytes).ok()?, ALIGNMENT).ok()?;
        // SAFETY: an element has a size, and no extent counts as less than one.
        let memory = NonNull::new(unsafe { alloc(layout) })?;
        view.ptr = memory.as_ptr();
        let mut tags = Vec::new();
        if storage == Scalar::Num {
            let count = layout.size() / storage.size();
            if tags.try_reserve_exact(count).is_err() {
                // SAFETY: from `alloc` with this layout.
                unsafe { dealloc(memory.as_ptr(), layout) };
                return None;
            }
            tags.resize(count, 0u8);
            view.tags = tags.as_mut_ptr();
        }
        Some(Scratch {
            memory,
            layout,
            view,
            _tags: tags,
        })
    }

    /// Copies all elements of an array of the same shape and type.
    ///
    /// # Safety
    /// `from` points to live elements, and has this array's shape and type.
    pub unsafe fn fill(&self, from: &ArrayView) {
        // SAFETY: as promised; this memory lies row by row, as lists do that have tags.
        unsafe {
            copy(from, &from.extents[..from.rank], self.memory.as_ptr());
            if !self.view.tags.is_null() && !from.tags.is_null() {
                let count = from.len() as usize;
                std::ptr::copy_nonoverlapping(from.tags, self.view.tags, count);
            }
        }
    }

    /// The view of all elements.
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

/// Copies the first elements of `from`, `shape[k]` along axis `k`, to `to` in row-major order.
///
/// # Safety
/// `from` has these elements, and `to` has room for them.
pub unsafe fn copy(from: &ArrayView, shape: &[i64], mut to: *mut u8) {
    let Some((last, outer)) = shape.split_last() else {
        return;
    };
    let (size, stride) = (from.size as usize, from.strides[outer.len()] as isize);
    let (together, count) = match stride == from.size as isize {
        true => (*last as usize * size, (*last).min(1)),
        false => (size, *last),
    };
    let rows: i64 = outer.iter().product();
    for row in 0..rows {
        let (mut rest, mut offset) = (row, 0);
        for axis in (0..outer.len()).rev() {
            offset += rest % outer[axis] * from.strides[axis];
            rest /= outer[axis];
        }
        for k in 0..count as isize {
            // SAFETY: as promised.
            unsafe {
                let first = from.ptr.offset(offset as isize + k * stride);
                std::ptr::copy_nonoverlapping(first, to, together);
                to = to.add(together);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lies_row_by_row_and_is_apart() {
        let long = |extents: [i64; 2]| {
            move |extent| match extent {
                Extent::Axis { axis, .. } => extents[axis as usize],
                Extent::Fixed(n) => n.into(),
                Extent::Value { .. } | Extent::Computed(_) => 0,
            }
        };
        let axis = |axis| Extent::Axis {
            capture: 0,
            axis,
            plus: 0,
        };
        let both = [axis(0), axis(1)];
        let one = Scratch::new(&both, long([3, 5]), Scalar::F32);
        let one = one.expect("memory").view();
        assert_eq!(
            (one.strides[0], one.strides[1], one.size, &one.extents[..2]),
            (20, 4, 4, &[3, 5][..])
        );
        let row = Scratch::new(&[axis(1), Extent::Fixed(2)], long([3, 5]), Scalar::F64);
        let row = row.expect("memory").view();
        assert_eq!(
            (row.rank, &row.extents[..2], row.strides[0]),
            (2, &[5, 2][..], 16)
        );
        assert!(Scratch::new(&both, long([3, 0]), Scalar::F64).is_some());
        assert!(Scratch::new(&both, long([i64::MAX / 2, 9]), Scalar::F64).is_none());
    }

    #[test]
    fn what_does_not_lie_together_is_copied_element_by_element() {
        let numbers: Vec<u16> = (0..24).collect();
        let mut view = ArrayView {
            ptr: numbers.as_ptr().cast_mut().cast(),
            tags: std::ptr::null_mut(),
            rank: 3,
            extents: [2, 3, 4, 0, 0, 0, 0, 0],
            strides: [24, 8, 2, 0, 0, 0, 0, 0],
            size: 2,
        };
        let taken = |view: &ArrayView, shape: &[i64]| {
            let mut to = vec![99u16; shape.iter().product::<i64>() as usize];
            // SAFETY: the numbers are there, and there is room for them.
            unsafe { copy(view, shape, to.as_mut_ptr().cast()) };
            to
        };
        assert_eq!(taken(&view, &[2, 3, 4]), numbers);
        assert_eq!(taken(&view, &[2, 2, 1]), [0, 4, 12, 16]);
        assert!(taken(&view, &[2, 0, 4]).is_empty());
        // Axes the other way round, and one backwards.
        (view.extents, view.strides) = ([4, 3, 2, 0, 0, 0, 0, 0], [2, 8, 24, 0, 0, 0, 0, 0]);
        assert_eq!(taken(&view, &[2, 2, 2]), [0, 12, 4, 16, 1, 13, 5, 17]);
        // SAFETY: the last of the first four.
        view.ptr = unsafe { view.ptr.add(6) };
        view.strides = [24, 8, -2, 0, 0, 0, 0, 0];
        assert_eq!(taken(&view, &[1, 1, 4]), [3, 2, 1, 0]);
    }
}
