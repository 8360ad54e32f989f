//! Sums and products of arrays of several axes that NumPy takes for arrays of one: what loops around a step of
//! [`nestwise_ir::Fun::AddFlatNext`] or [`nestwise_ir::Fun::DotFlatNext`] call.
//!
//! NumPy's arrays have nothing between their elements then. Memory of a nest's own may: it has room for the longest
//! rows.

use crate::link::numpy::folds;

/// A function that adds to a value so far. Its arguments are that value, the number of axes, and words: the extents,
/// and of each array the address of its first element and the bytes from one element to the next along each axis.
pub(crate) type Flat<T> = unsafe extern "C" fn(T, i64, *const i64) -> T;

/// The address of the elements one behind the other, as they lie or else in a copy, and how many there are.
///
/// # Safety
///
/// The elements are there.
unsafe fn in_a_row<T: Copy>(
    first: *mut u8,
    extents: &[i64],
    steps: &[i64],
    copy: &mut Vec<T>,
) -> *mut u8 {
    let size = size_of::<T>() as i64;
    let mut next = size;
    let mut dense = true;
    for (extent, step) in extents.iter().zip(steps).rev() {
        dense &= *extent == 1 || *step == next;
        next *= extent;
    }
    if dense || extents.contains(&0) {
        return first;
    }
    let mut at = vec![0; extents.len()];
    for _ in 0..next / size {
        let distance: i64 = at.iter().zip(steps).map(|(k, step)| k * step).sum();
        // SAFETY: as promised.
        copy.push(unsafe { first.offset(distance as isize).cast::<T>().read_unaligned() });
        for (k, extent) in at.iter_mut().zip(extents).rev() {
            *k += 1;
            if *k < *extent {
                break;
            }
            *k = 0;
        }
    }
    copy.as_mut_ptr().cast()
}

macro_rules! flat {
    ($sum_flat:ident, $dot_flat:ident, $sum:ident, $dot:ident, $ty:ty) => {
        pub(crate) unsafe extern "C" fn $sum_flat(
            before: $ty,
            axes: i64,
            words: *const i64,
        ) -> $ty {
            let axes = axes as usize;
            let mut copy = Vec::<$ty>::new();
            // SAFETY: generated code passes elements of an array.
            unsafe {
                let words = std::slice::from_raw_parts(words, 2 * axes + 1);
                let (extents, array) = words.split_at(axes);
                let first = in_a_row(array[0] as *mut u8, extents, &array[1..], &mut copy);
                folds::$sum(
                    before,
                    first,
                    size_of::<$ty>() as i64,
                    extents.iter().product(),
                )
            }
        }

        pub(crate) unsafe extern "C" fn $dot_flat(
            before: $ty,
            axes: i64,
            words: *const i64,
        ) -> $ty {
            let axes = axes as usize;
            let (mut x_copy, mut y_copy) = (Vec::<$ty>::new(), Vec::<$ty>::new());
            let size = size_of::<$ty>() as i64;
            // SAFETY: generated code passes elements of arrays.
            unsafe {
                let words = std::slice::from_raw_parts(words, 3 * axes + 2);
                let (extents, arrays) = words.split_at(axes);
                let (x, y) = arrays.split_at(axes + 1);
                let x = in_a_row(x[0] as *mut u8, extents, &x[1..], &mut x_copy);
                let y = in_a_row(y[0] as *mut u8, extents, &y[1..], &mut y_copy);
                folds::$dot(before, x, size, y, size, extents.iter().product())
            }
        }
    };
}

flat!(
    nw_sum_flat_f32,
    nw_dot_flat_f32,
    nw_sum_f32,
    nw_dot_f32,
    f32
);
flat!(
    nw_sum_flat_f64,
    nw_dot_flat_f64,
    nw_sum_f64,
    nw_dot_f64,
    f64
);
