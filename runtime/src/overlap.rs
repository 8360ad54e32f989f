//! Where arrays lie in memory: which may touch the same bytes.

/// A strided window on memory, as a kernel gets it.
#[derive(Clone, Copy, Debug)]
pub struct ArrayView {
    /// First element (`[0, 0, ...]`).
    pub ptr: *mut u8,
    /// For mixed lists, the plane of int/float tags.
    pub tags: *mut u8,
    /// Number of axes in use.
    pub rank: usize,
    /// Elements per axis.
    pub extents: [i64; 8],
    /// Bytes per step, per axis; any sign.
    pub strides: [i64; 8],
    /// Bytes of an element.
    pub size: i64,
}

impl ArrayView {
    /// Number of elements.
    pub fn len(&self) -> i64 {
        self.extents[..self.rank].iter().product()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.extents[..self.rank].contains(&0)
    }

    /// Addresses of the first byte and of the byte after the last.
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

    /// By axis: whether consecutive elements along it are adjacent.
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

    #[test]
    fn a_broadcast_view_overlaps_itself() {
        assert!(!disjoint(&[view(1000, &[4, 4], &[0, 8])], |_| true));
        assert!(!disjoint(&[view(1000, &[4, 4], &[8, 8])], |_| true));
        assert!(disjoint(&[view(1000, &[4, 4], &[8, 32])], |_| true));
        assert!(disjoint(&[view(1000, &[0, 4], &[0, 0])], |_| true));
    }
}
