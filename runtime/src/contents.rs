//! What the elements of index arrays are, for one launch: the least and the greatest of each.
//!
//! `x[column[e]]` needs no test in the loop once every element of `column` is known to be a subscript of `x`. Looking
//! costs one pass over the array, so it is done only where the nest does at least as much itself; and it holds only
//! while nobody writes there, so a launch that relies on it keeps the interpreter lock and looks again whenever
//! Python code may have run.

use crate::overlap::ArrayView;
use nestwise_ir::Scalar;

/// An array whose elements were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The slot.
    pub slot: usize,
    /// Its representation.
    pub storage: Scalar,
    /// Least and greatest element.
    pub ends: (i64, i64),
}

impl Seen {
    /// Looks at an array; `None` if it is empty or its elements are no 64-bit ints.
    pub fn look(slot: usize, storage: Scalar, view: &ArrayView) -> Option<Seen> {
        let ends = ends(view, storage)?;
        Some(Seen {
            slot,
            storage,
            ends,
        })
    }

    /// Whether every element still lies between the ends.
    pub fn holds(&self, views: &[ArrayView]) -> bool {
        let now = views.get(self.slot).and_then(|v| ends(v, self.storage));
        now.is_some_and(|(lo, hi)| self.ends.0 <= lo && hi <= self.ends.1)
    }
}

/// The least and the greatest element.
fn ends(view: &ArrayView, storage: Scalar) -> Option<(i64, i64)> {
    match storage {
        Scalar::I8 => scan::<i8>(view),
        Scalar::I16 => scan::<i16>(view),
        Scalar::I32 => scan::<i32>(view),
        Scalar::I64 => scan::<i64>(view),
        Scalar::U8 => scan::<u8>(view),
        Scalar::U16 => scan::<u16>(view),
        Scalar::U32 => scan::<u32>(view),
        Scalar::U64 => scan::<u64>(view),
        _ => None,
    }
}

fn scan<T: Copy + Ord + TryInto<i64>>(view: &ArrayView) -> Option<(i64, i64)> {
    if view.is_empty() || view.rank == 0 || view.size != size_of::<T>() as i64 {
        return None;
    }
    // SAFETY: the view is a window on live elements of this type, aligned as kernels need them too.
    let first = unsafe { *view.ptr.cast::<T>() };
    let (lo, hi) = rows(view, 0, view.ptr, (first, first));
    Some((lo.try_into().ok()?, hi.try_into().ok()?))
}

/// The ends of what lies at `at` along `axis` and those behind it, and of `ends`.
fn rows<T: Copy + Ord>(view: &ArrayView, axis: usize, at: *mut u8, ends: (T, T)) -> (T, T) {
    let (count, stride) = (view.extents[axis] as usize, view.strides[axis]);
    let widen = |(lo, hi): (T, T), v: T| (lo.min(v), hi.max(v));
    if axis + 1 == view.rank && stride == view.size {
        // SAFETY: `count` elements of the window follow each other here.
        let row = unsafe { std::slice::from_raw_parts(at.cast::<T>().cast_const(), count) };
        return row.iter().fold(ends, |ends, v| widen(ends, *v));
    }
    let mut ends = ends;
    for k in 0..count {
        // SAFETY: inside the window, since `k` is inside the axis.
        let next = unsafe { at.offset(k as isize * stride as isize) };
        ends = if axis + 1 == view.rank {
            // SAFETY: an element of the window.
            widen(ends, unsafe { *next.cast::<T>() })
        } else {
            rows(view, axis + 1, next, ends)
        };
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view<T>(data: &mut [T], extents: &[i64], strides: &[i64]) -> ArrayView {
        let mut view = ArrayView {
            ptr: data.as_mut_ptr().cast(),
            tags: std::ptr::null_mut(),
            rank: extents.len(),
            extents: [0; 8],
            strides: [0; 8],
            size: size_of::<T>() as i64,
        };
        view.extents[..extents.len()].copy_from_slice(extents);
        view.strides[..strides.len()].copy_from_slice(strides);
        view
    }

    #[test]
    fn ends_are_those_of_the_window_alone() {
        let mut data = [5i32, -7, 3, 100, 2, 9];
        let whole = view(&mut data, &[6], &[4]);
        assert_eq!(ends(&whole, Scalar::I32), Some((-7, 100)));
        // Every other element: 5, 3, 2.
        let some = view(&mut data, &[3], &[8]);
        assert_eq!(ends(&some, Scalar::I32), Some((2, 5)));
        // Two rows of two, the last column left out.
        let block = view(&mut data, &[2, 2], &[12, 4]);
        assert_eq!(ends(&block, Scalar::I32), Some((-7, 100)));
        assert_eq!(ends(&view(&mut data, &[0], &[4]), Scalar::I32), None);
    }

    #[test]
    fn unsigned_elements_beyond_64_bits_are_not_known() {
        let mut data = [1u64, u64::MAX];
        assert_eq!(ends(&view(&mut data, &[2], &[8]), Scalar::U64), None);
        assert_eq!(
            ends(&view(&mut data, &[1], &[8]), Scalar::U64),
            Some((1, 1))
        );
        let mut bytes = [0u8, 255];
        assert_eq!(
            ends(&view(&mut bytes, &[2], &[1]), Scalar::U8),
            Some((0, 255))
        );
    }

    #[test]
    fn what_is_written_later_is_noticed() {
        let mut data = [1i64, 2, 3];
        let view = view(&mut data, &[3], &[8]);
        let seen = Seen::look(0, Scalar::I64, &view).unwrap();
        assert!(seen.holds(&[view]));
        // SAFETY: the first element.
        unsafe { *view.ptr.cast::<i64>() = 3 };
        assert!(seen.holds(&[view]));
        // SAFETY: the same.
        unsafe { *view.ptr.cast::<i64>() = 4 };
        assert!(!seen.holds(&[view]));
    }
}
