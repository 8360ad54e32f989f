//! Where arrays lie in memory: which may touch the same bytes.

use nestwise_analysis::{Memory, Overlap};
use nestwise_ir::{ArrayId, Extent};

/// A strided view of memory, as a kernel gets it.
#[derive(Clone, Copy, Debug)]
pub struct ArrayView {
    /// The address of the first element (`[0, 0, ...]`).
    pub ptr: *mut u8,
    /// The plane of int/float tags, for lists of ints and floats; else null.
    pub tags: *mut u8,
    /// The number of axes in use.
    pub rank: usize,
    /// The number of elements along each axis.
    pub extents: [i64; 8],
    /// Bytes from one element to the next along each axis; any sign.
    pub strides: [i64; 8],
    /// Bytes of an element.
    pub size: i64,
}

impl ArrayView {
    /// Whether both views have the same elements at the same addresses.
    pub fn is_same(&self, other: &ArrayView) -> bool {
        self.ptr == other.ptr && self.lies_like(other)
    }

    /// Whether the elements lie row by row with nothing between them.
    pub fn is_dense(&self) -> bool {
        let axes = self.strides.iter().zip(self.extents).take(self.rank);
        let mut next = self.size;
        axes.rev()
            .filter(|(_, extent)| *extent != 1)
            .all(|(stride, extent)| {
                let lies = *stride == next;
                next *= extent;
                lies
            })
    }

    /// Whether both views have the same extents, strides and element size, whatever their addresses.
    pub fn lies_like(&self, other: &ArrayView) -> bool {
        let axes = ..self.rank;
        self.tags == other.tags
            && self.rank == other.rank
            && self.size == other.size
            && self.extents[axes] == other.extents[axes]
            && self.strides[axes] == other.strides[axes]
    }

    /// A view of no memory, row by row, whose axes have the lengths that `long` gives.
    pub fn of_nothing(axes: &[Extent], long: impl Fn(Extent) -> i64, size: i64) -> ArrayView {
        let mut view = ArrayView {
            ptr: std::ptr::null_mut(),
            tags: std::ptr::null_mut(),
            rank: axes.len(),
            extents: [0; 8],
            strides: [0; 8],
            size,
        };
        let mut bytes = size;
        for (own, axis) in axes.iter().enumerate().rev() {
            view.extents[own] = long(*axis);
            view.strides[own] = bytes;
            bytes = bytes.saturating_mul(view.extents[own].max(1));
        }
        view
    }

    /// The number of elements.
    pub fn len(&self) -> i64 {
        self.extents[..self.rank].iter().product()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.extents[..self.rank].contains(&0)
    }

    /// The addresses of the first byte and of the byte after the last.
    pub fn range(&self) -> (i64, i64) {
        let base = self.ptr as i64;
        if self.is_empty() {
            return (base, base);
        }
        let (mut lo, mut hi) = (base, base + self.size);
        for axis in 0..self.rank {
            let reach = self.strides[axis] * (self.extents[axis] - 1);
            if reach < 0 {
                lo += reach;
            } else {
                hi += reach;
            }
        }
        (lo, hi)
    }

    /// Whether no two index tuples name overlapping bytes. Sufficient condition: sorted by stride, every axis
    /// steps over all that the smaller ones reach.
    pub fn is_injective(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut axes = [(0, 1); 8];
        for (axis, place) in axes.iter_mut().enumerate().take(self.rank) {
            if self.extents[axis] > 1 {
                *place = (self.strides[axis].abs(), self.extents[axis]);
            }
        }
        axes.sort_unstable();
        let mut reach = self.size;
        for (stride, extent) in axes.into_iter().filter(|a| a.1 > 1) {
            if stride < reach {
                return false;
            }
            reach += stride * (extent - 1);
        }
        true
    }

    /// For each axis: whether consecutive elements along it are adjacent.
    pub fn unit_strides(&self) -> [bool; 8] {
        std::array::from_fn(|axis| {
            axis < self.rank && (self.strides[axis] == self.size || self.extents[axis] <= 1)
        })
    }
}

/// Whether every written view is free of overlap with itself and with every other view. Compares address ranges:
/// interleaved views that share no byte count as overlapping, which only costs speed.
pub fn disjoint(views: &[ArrayView], written: impl Fn(usize) -> bool) -> bool {
    let ranges: Vec<(i64, i64)> = views.iter().map(ArrayView::range).collect();
    (0..views.len()).filter(|&w| written(w)).all(|w| {
        views[w].is_injective()
            && (0..views.len())
                .all(|o| o == w || ranges[w].1 <= ranges[o].0 || ranges[o].1 <= ranges[w].0)
    })
}

/// How the views lie in memory, as far as a dependence needs to know: pairs of which neither is written are disjoint.
pub fn memory(views: &[ArrayView], written: impl Fn(usize) -> bool) -> Memory {
    let ranges: Vec<(i64, i64)> = views.iter().map(ArrayView::range).collect();
    let mut overlaps = Vec::new();
    for (b, view) in views.iter().enumerate() {
        if written(b) && !view.is_injective() {
            return Memory::Unknown;
        }
        for a in 0..b {
            let apart = ranges[a].1 <= ranges[b].0 || ranges[b].1 <= ranges[a].0;
            if !apart && (written(a) || written(b)) {
                overlaps.push(Overlap {
                    a: ArrayId(a as u32),
                    b: ArrayId(b as u32),
                    shift: shift(&views[a], view),
                });
            }
        }
    }
    match overlaps.is_empty() {
        true => Memory::Disjoint,
        false => Memory::Overlaps(overlaps),
    }
}

/// The index in `a` at which `b` begins, if both step through memory alike and the same byte is the same element only
/// where the indices differ by that.
fn shift(a: &ArrayView, b: &ArrayView) -> Option<Vec<i64>> {
    let alike = a.rank == b.rank && a.size == b.size && a.strides[..a.rank] == b.strides[..a.rank];
    if !alike || a.strides[..a.rank].contains(&0) {
        return None;
    }
    let mut axes: Vec<usize> = (0..a.rank).collect();
    axes.sort_unstable_by_key(|axis| std::cmp::Reverse(a.strides[*axis].abs()));
    let mut left = (b.ptr as i64).checked_sub(a.ptr as i64)?;
    let mut shift = vec![0; a.rank];
    for axis in &axes {
        let stride = a.strides[*axis];
        // To the nearest multiple: what is left is as small as can be.
        let half = stride.abs() / 2;
        shift[*axis] = (left + half).div_euclid(stride.abs()) * stride.signum();
        left -= shift[*axis] * stride;
    }
    // Differences of indices that make up no distance: none but zero, if each stride is more than all smaller ones
    // reach.
    let mut reach = a.size - 1;
    let unique = axes.iter().rev().all(|axis| {
        let stride = a.strides[*axis].abs();
        let most = a.extents[*axis].max(b.extents[*axis]) - 1 + shift[*axis].abs();
        let larger = stride > reach;
        reach += stride * most;
        larger
    });
    (left == 0 && unique).then_some(shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(at: usize, extents: &[i64], strides: &[i64]) -> ArrayView {
        let mut v = ArrayView {
            ptr: at as *mut u8,
            tags: std::ptr::null_mut(),
            rank: extents.len(),
            extents: [0; 8],
            strides: [0; 8],
            size: 8,
        };
        v.extents[..extents.len()].copy_from_slice(extents);
        v.strides[..strides.len()].copy_from_slice(strides);
        v
    }

    #[test]
    fn shifted_views_overlap_and_neighbours_do_not() {
        let a = view(1000, &[10], &[8]);
        assert!(!disjoint(&[a, view(1008, &[10], &[8])], |i| i == 0));
        assert!(disjoint(&[a, view(1080, &[10], &[8])], |i| i == 0));
        assert!(disjoint(&[a, view(1008, &[10], &[8])], |_| false));
        // Reversed: the pointer is the highest element.
        assert!(!disjoint(&[a, view(1100, &[5], &[-8])], |i| i == 0));
    }

    fn shift_of(a: ArrayView, b: ArrayView) -> Option<Vec<i64>> {
        match memory(&[a, b], |_| true) {
            Memory::Overlaps(list) => list[0].shift.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn shifts() {
        let a = view(1000, &[10], &[8]);
        assert_eq!(shift_of(a, a), Some(vec![0]));
        assert_eq!(shift_of(a, view(1008, &[9], &[8])), Some(vec![1]));
        assert_eq!(shift_of(view(1008, &[9], &[8]), a), Some(vec![-1]));
        // Half an element; another step; backwards.
        assert_eq!(shift_of(a, view(1004, &[9], &[8])), None);
        assert_eq!(shift_of(a, view(1000, &[5], &[16])), None);
        assert_eq!(shift_of(a, view(1072, &[10], &[-8])), None);
        let back = view(1072, &[9], &[-8]);
        assert_eq!(shift_of(back, view(1064, &[9], &[-8])), Some(vec![1]));
        // A window of a matrix of 10 columns: one row down and one column to the left.
        let m = view(1000, &[5, 8], &[80, 8]);
        assert_eq!(
            shift_of(m, view(1072, &[4, 8], &[80, 8])),
            Some(vec![1, -1])
        );
        // In a buffer of 8 columns, the end of a row and the beginning of the next are neighbours.
        let full = view(1000, &[5, 8], &[64, 8]);
        assert_eq!(shift_of(full, view(1008, &[4, 8], &[64, 8])), None);
        assert_eq!(shift_of(full, view(1008, &[4, 7], &[64, 8])), None);
        assert_eq!(
            shift_of(full, view(1064, &[4, 8], &[64, 8])),
            Some(vec![1, 0])
        );
        assert_eq!(memory(&[a, a], |_| false), Memory::Disjoint);
        assert_eq!(
            memory(&[view(1000, &[4, 4], &[0, 8])], |_| true),
            Memory::Unknown
        );
    }

    #[test]
    fn a_broadcast_view_overlaps_itself() {
        assert!(!disjoint(&[view(1000, &[4, 4], &[0, 8])], |_| true));
        assert!(!disjoint(&[view(1000, &[4, 4], &[8, 8])], |_| true));
        assert!(disjoint(&[view(1000, &[4, 4], &[8, 32])], |_| true));
        assert!(disjoint(&[view(1000, &[0, 4], &[0, 0])], |_| true));
    }
}
