//! NumPy's own loops for sums and for products of vectors, registered by the runtime: what a loop of nothing but
//! [`Fun::AddNext`], [`Fun::DotNext`] or [`Fun::MatMulNext`] calls.

use std::ptr::from_mut;

use nestwise_ir::{Fun, Scalar};

use crate::link::slot::Slot;

static SLOTS: [Slot; 4] = [const { Slot::new() }; 4];

pub(crate) fn slot(fun: Fun, repr: Scalar) -> Option<&'static Slot> {
    let function = match fun {
        Fun::AddNext | Fun::AddFlatNext => 0,
        _ if fun.is_fold() => 2,
        _ => return None,
    };
    match repr {
        Scalar::F32 => SLOTS.get(function),
        Scalar::F64 => SLOTS.get(function + 1),
        _ => None,
    }
}

/// Whether NumPy's loop for a fold of a representation is registered.
pub(crate) fn is_registered(fun: Fun, repr: Scalar) -> bool {
    slot(fun, repr).is_some_and(|slot| slot.get().is_some())
}

/// # Safety
/// The loop is registered, and its arguments are what it takes.
pub(crate) unsafe fn run(
    fun: Fun,
    repr: Scalar,
    args: &mut [*mut u8; 3],
    sizes: &[isize],
    steps: &[isize],
) {
    if let Some((function, data)) = slot(fun, repr).and_then(Slot::get) {
        // SAFETY: as promised.
        unsafe { function(args.as_mut_ptr(), sizes.as_ptr(), steps.as_ptr(), data) };
    }
}

/// The sum of `before` and all elements, as `np.add.reduce` adds them: the loop's first argument is its result, by
/// which it knows a reduction.
unsafe fn sum<T>(repr: Scalar, mut before: T, first: *mut u8, stride: i64, n: i64) -> T {
    let total = from_mut(&mut before).cast::<u8>();
    let mut args = [total, first, total];
    // SAFETY: `n` elements, `stride` bytes apart.
    unsafe {
        run(
            Fun::AddNext,
            repr,
            &mut args,
            &[n as isize],
            &[0, stride as isize, 0],
        );
    }
    before
}

/// The product of two vectors as a matrix of one row and one of one column.
unsafe fn dot<T: Default>(repr: Scalar, x: (*mut u8, i64), y: (*mut u8, i64), n: i64) -> T {
    let mut result = T::default();
    let size = size_of::<T>() as isize;
    let (sx, sy) = (x.1 as isize, y.1 as isize);
    let mut args = [x.0, y.0, from_mut(&mut result).cast()];
    // Steps of the outer loop; of x: rows, columns; of y; of the result.
    let steps = [0, 0, 0, sx, sx, sy, sy, size, size];
    // SAFETY: `n` elements each.
    unsafe {
        run(
            Fun::DotNext,
            repr,
            &mut args,
            &[1, 1, n as isize, 1],
            &steps,
        );
    }
    result
}

/// A vector as `np.dot` takes it: itself, or a copy where it does not go forward in whole elements.
unsafe fn forward<T: Copy>(x: (*mut u8, i64), n: i64, copy: &mut Vec<T>) -> (*mut u8, i64) {
    let size = size_of::<T>() as i64;
    let plain = x.1 > 0 && x.1 % size == 0 && x.0 as i64 % size == 0;
    if plain || n < 2 {
        return x;
    }
    // SAFETY: `n` elements, so many bytes apart.
    let element = |k: i64| unsafe { x.0.offset((k * x.1) as isize).cast::<T>().read_unaligned() };
    copy.extend((0..n).map(element));
    (copy.as_mut_ptr().cast(), size)
}

pub(crate) type Sum<T> = unsafe extern "C" fn(T, *mut u8, i64, i64) -> T;
pub(crate) type Dot<T> = unsafe extern "C" fn(T, *mut u8, i64, *mut u8, i64, i64) -> T;

macro_rules! folds {
    ($sum:ident, $dot:ident, $matmul:ident, $ty:ty, $repr:expr) => {
        pub(crate) unsafe extern "C" fn $sum(
            before: $ty,
            first: *mut u8,
            stride: i64,
            n: i64,
        ) -> $ty {
            // SAFETY: generated code passes elements of an array.
            match n > 0 {
                true => unsafe { sum($repr, before, first, stride, n) },
                false => before,
            }
        }

        pub(crate) unsafe extern "C" fn $matmul(
            before: $ty,
            x: *mut u8,
            sx: i64,
            y: *mut u8,
            sy: i64,
            n: i64,
        ) -> $ty {
            // SAFETY: generated code passes elements of arrays.
            match n > 0 {
                true => unsafe { dot($repr, (x, sx), (y, sy), n) },
                false => before,
            }
        }

        pub(crate) unsafe extern "C" fn $dot(
            before: $ty,
            x: *mut u8,
            sx: i64,
            y: *mut u8,
            sy: i64,
            n: i64,
        ) -> $ty {
            if n == 1 {
                // `np.dot` takes vectors of one element for numbers.
                // SAFETY: generated code passes elements of arrays.
                return unsafe {
                    x.cast::<$ty>().read_unaligned() * y.cast::<$ty>().read_unaligned()
                };
            }
            let (mut x_copy, mut y_copy) = (Vec::<$ty>::new(), Vec::<$ty>::new());
            // SAFETY: generated code passes elements of arrays.
            unsafe {
                let (x, sx) = forward((x, sx), n, &mut x_copy);
                let (y, sy) = forward((y, sy), n, &mut y_copy);
                $matmul(before, x, sx, y, sy, n)
            }
        }
    };
}

folds!(nw_sum_f32, nw_dot_f32, nw_matmul_f32, f32, Scalar::F32);
folds!(nw_sum_f64, nw_dot_f64, nw_matmul_f64, f64, Scalar::F64);
