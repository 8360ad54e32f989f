//! What the elements of index arrays are, for one launch: the least and the greatest of each.
//!
//! `x[column[e]]` needs no test in the loop once every element of `column` is known to be a subscript of `x`. Looking
//! costs one pass over the array, so it is done only where the nest does at least as much itself; and it holds only
//! while nobody writes there, so a launch that relies on it keeps the interpreter lock and looks again whenever
//! Python code may have run. Memory that other threads can write while the lock is held is left out
//! ([`Host::is_quiet`](crate::Host::is_quiet)): arrays that do not own their memory, and all arrays that are not copies
//! while Python has several threads.

use nestwise_analysis::dependence::Property;
use nestwise_ir::Scalar;

use crate::device::residency;
use crate::estimate::number::Number;
use crate::memory::overlap::ArrayView;

/// An array whose elements were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The array's slot.
    pub slot: usize,
    /// The representation of the array's elements.
    pub storage: Scalar,
    /// The least and the greatest element.
    pub ends: (i64, i64),
    /// What else holds of the elements.
    pub property: Option<Property>,
}

impl Seen {
    /// Looks at an array; `None` if it is empty or its elements are no 64-bit ints.
    pub fn look(slot: usize, storage: Scalar, view: &ArrayView) -> Option<Seen> {
        let ends = ends(view, storage)?;
        Some(Seen {
            slot,
            storage,
            ends,
            property: None,
        })
    }

    /// Looks at an array that is to have a property; `None` if it does not have it.
    pub fn inspect(
        slot: usize,
        storage: Scalar,
        view: &ArrayView,
        property: Property,
    ) -> Option<Seen> {
        let seen = Seen::look(slot, storage, view)?;
        has(view, storage, property, seen.ends).then_some(Seen {
            property: Some(property),
            ..seen
        })
    }

    /// Whether every element still lies between the ends, and what else held still does.
    pub fn holds(&self, views: &[ArrayView]) -> bool {
        let Some(view) = views.get(self.slot) else {
            return false;
        };
        let inside = |now: (i64, i64)| self.ends.0 <= now.0 && now.1 <= self.ends.1;
        ends(view, self.storage).is_some_and(inside)
            && self
                .property
                .is_none_or(|p| has(view, self.storage, p, self.ends))
    }
}

/// Calls a function of an element's type; `none` where the elements are no ints.
macro_rules! by_storage {
    ($storage:expr, $call:ident($($argument:expr),*), $none:expr) => {
        match $storage {
            Scalar::I8 => $call::<i8>($($argument),*),
            Scalar::I16 => $call::<i16>($($argument),*),
            Scalar::I32 => $call::<i32>($($argument),*),
            Scalar::I64 => $call::<i64>($($argument),*),
            Scalar::U8 => $call::<u8>($($argument),*),
            Scalar::U16 => $call::<u16>($($argument),*),
            Scalar::U32 => $call::<u32>($($argument),*),
            Scalar::U64 => $call::<u64>($($argument),*),
            _ => $none,
        }
    };
}

/// The value of an element, by subscripts; one below zero counts from the end, once. Good for guesses alone: a device
/// may have a newer one.
pub(crate) fn number(view: &ArrayView, storage: Scalar, index: &[i64]) -> Option<Number> {
    match storage {
        Scalar::F64 => read::<f64>(view, index).map(Number::Float),
        Scalar::F32 => read::<f32>(view, index).map(|v| Number::Float(v.into())),
        Scalar::C128 => read::<[f64; 2]>(view, index).map(|[re, im]| Number::Complex(re, im)),
        Scalar::C64 => {
            read::<[f32; 2]>(view, index).map(|[re, im]| Number::Complex(re.into(), im.into()))
        }
        Scalar::Bool => read::<u8>(view, index).map(|v| Number::Int(v.into())),
        _ => by_storage!(storage, read_int(view, index), None).map(Number::Int),
    }
}

fn read_int<T: Copy + TryInto<i64>>(view: &ArrayView, index: &[i64]) -> Option<i64> {
    read::<T>(view, index)?.try_into().ok()
}

fn read<T: Copy>(view: &ArrayView, index: &[i64]) -> Option<T> {
    if view.size != size_of::<T>() as i64 {
        return None;
    }
    let offset = offset(view, index)?;
    // SAFETY: inside the window; whatever its alignment.
    let value = unsafe {
        view.ptr
            .offset(offset as isize)
            .cast::<T>()
            .read_unaligned()
    };
    Some(value)
}

/// The address of an element, by the same subscripts as in [`number`].
pub(crate) fn address(view: &ArrayView, index: &[i64]) -> Option<usize> {
    let offset = offset(view, index)?;
    Some((view.ptr as usize).wrapping_add_signed(offset as isize))
}

/// The offset of an element in bytes from the first one; none outside of the view.
fn offset(view: &ArrayView, index: &[i64]) -> Option<i64> {
    if view.rank != index.len() || view.ptr.is_null() {
        return None;
    }
    let mut offset = 0;
    for (axis, at) in index.iter().enumerate() {
        let extent = view.extents[axis];
        let at = if *at < 0 {
            at.checked_add(extent)?
        } else {
            *at
        };
        if !(0..extent).contains(&at) {
            return None;
        }
        offset += at * view.strides[axis];
    }
    Some(offset)
}

/// Whether the elements of an array of one axis, all between the ends, have a property.
fn has(view: &ArrayView, storage: Scalar, property: Property, ends: (i64, i64)) -> bool {
    by_storage!(storage, inspect(view, property, ends), false)
}

/// The most bits per element that a table of the values met may take; values that lie further from each other are
/// sorted instead.
const BITS: usize = 64;

fn inspect<T: Copy + Ord + TryInto<i64>>(
    view: &ArrayView,
    property: Property,
    (lo, hi): (i64, i64),
) -> bool {
    if view.rank != 1 || view.size != size_of::<T>() as i64 {
        return false;
    }
    let (count, stride) = (view.extents[0].max(0) as usize, view.strides[0] as isize);
    // SAFETY: inside the window; elements are aligned as kernels need them too.
    let element = |k: usize| unsafe { *view.ptr.offset(k as isize * stride).cast::<T>() };
    match property {
        Property::Sorted => (1..count).all(|k| element(k - 1) <= element(k)),
        Property::Distinct => {
            let span = usize::try_from(hi.wrapping_sub(lo)).unwrap_or(usize::MAX);
            if span / BITS < count {
                let mut met = vec![0u64; span / 64 + 1];
                (0..count).all(|k| {
                    let v: i64 = element(k).try_into().unwrap_or(lo);
                    let at = v.wrapping_sub(lo).clamp(0, span as i64) as usize;
                    let (word, bit) = (&mut met[at / 64], 1 << (at % 64));
                    let new = *word & bit == 0;
                    *word |= bit;
                    new
                })
            } else {
                let mut all: Vec<T> = (0..count).map(element).collect();
                all.sort_unstable();
                all.windows(2).all(|w| w[0] < w[1])
            }
        }
    }
}

/// The least and the greatest element. What a device has computed of them is downloaded first.
fn ends(view: &ArrayView, storage: Scalar) -> Option<(i64, i64)> {
    residency::settle(Some(view.range())).ok()?;
    by_storage!(storage, scan(view), None)
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

/// The least and greatest of `ends` and the elements at `at` along `axis` and the axes behind it.
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
    fn properties() {
        let test = |data: &mut [i64], step: i64, distinct: bool, sorted: bool| {
            let count = (data.len() as i64 + step - 1) / step;
            let view = view(data, &[count], &[8 * step]);
            for (property, expected) in [(Property::Distinct, distinct), (Property::Sorted, sorted)]
            {
                let seen = Seen::inspect(0, Scalar::I64, &view, property);
                assert_eq!(seen.is_some(), expected, "{data:?} {property:?}");
                assert!(seen.is_none_or(|s| s.holds(&[view])));
            }
        };
        test(&mut [3, 1, 2], 1, true, false);
        test(&mut [1, 2, 2], 1, false, true);
        test(&mut [1, 2, 2], 2, true, true);
        test(&mut [-5, i64::MAX, 7, i64::MIN], 1, true, false);
        test(&mut [i64::MAX, 0, i64::MAX], 1, false, false);
        test(&mut [4], 1, true, true);
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
