//! Merging the copies of arrays that the parts of a loop on threads accumulated into.

use nestwise_ir::Scalar;
use nestwise_ir::schedule::RedOp;

/// How the elements of an array and of a copy are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    pub(crate) op: RedOp,
    pub(crate) storage: Scalar,
    /// Whether an element that leaves its representation is reported.
    pub(crate) checked: bool,
}

const OPS: [RedOp; 7] = [
    RedOp::Add,
    RedOp::Mul,
    RedOp::Min,
    RedOp::Max,
    RedOp::And,
    RedOp::Or,
    RedOp::Xor,
];

impl Kind {
    /// The kind as a number that generated code passes on.
    pub(crate) fn code(self) -> i64 {
        let op = OPS.iter().position(|op| *op == self.op).unwrap_or(0);
        let storage = Scalar::ALL.iter().position(|s| *s == self.storage);
        ((storage.unwrap_or(0) * OPS.len() + op) * 2 + usize::from(self.checked)) as i64
    }
    fn from_code(code: i64) -> Option<Kind> {
        let code = usize::try_from(code).ok()?;
        Some(Kind {
            op: OPS[code / 2 % OPS.len()],
            storage: *Scalar::ALL.get(code / 2 / OPS.len())?,
            checked: code % 2 == 1,
        })
    }
    /// Whether memory full of zeros holds the identity of the reduction.
    pub(crate) fn identity_is_zero(self) -> bool {
        matches!(self.op, RedOp::Add | RedOp::Or | RedOp::Xor)
    }
}

/// The merging operations on one type: `(value, left its representation)`.
trait Element: Copy {
    fn identity(op: RedOp) -> Self;
    fn merged(op: RedOp, a: Self, b: Self) -> (Self, bool);
}

macro_rules! ints {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            fn identity(op: RedOp) -> $ty {
                match op {
                    RedOp::Add | RedOp::Or | RedOp::Xor => 0,
                    RedOp::Mul => 1,
                    RedOp::Min => <$ty>::MAX,
                    RedOp::Max => <$ty>::MIN,
                    RedOp::And => !0,
                    // Positions and last values reduce variables only.
                    RedOp::Along(_) | RedOp::Last => 0,
                }
            }
            #[inline(always)]
            fn merged(op: RedOp, a: $ty, b: $ty) -> ($ty, bool) {
                match op {
                    RedOp::Add => a.overflowing_add(b),
                    RedOp::Mul => a.overflowing_mul(b),
                    RedOp::Min => (a.min(b), false),
                    RedOp::Max => (a.max(b), false),
                    RedOp::And => (a & b, false),
                    RedOp::Or => (a | b, false),
                    RedOp::Xor => (a ^ b, false),
                    RedOp::Along(_) | RedOp::Last => (b, false),
                }
            }
        }
    )*};
}
ints!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            fn identity(op: RedOp) -> $ty {
                if op == RedOp::Mul { 1.0 } else { 0.0 }
            }
            #[inline(always)]
            fn merged(op: RedOp, a: $ty, b: $ty) -> ($ty, bool) {
                (if op == RedOp::Mul { a * b } else { a + b }, false)
            }
        }
    )*};
}
floats!(f32 f64);

/// Calls `$f::<T>` for the type behind a storage. Bools are bytes of 0 and 1: operations on them are bitwise.
macro_rules! with_type {
    ($storage:expr, $f:ident($($arg:expr),*), $other:expr) => {
        match $storage {
            Scalar::I8 => $f::<i8>($($arg),*),
            Scalar::I16 => $f::<i16>($($arg),*),
            Scalar::I32 => $f::<i32>($($arg),*),
            Scalar::I64 => $f::<i64>($($arg),*),
            Scalar::U8 | Scalar::Bool => $f::<u8>($($arg),*),
            Scalar::U16 => $f::<u16>($($arg),*),
            Scalar::U32 => $f::<u32>($($arg),*),
            Scalar::U64 => $f::<u64>($($arg),*),
            Scalar::F32 => $f::<f32>($($arg),*),
            Scalar::F64 => $f::<f64>($($arg),*),
            _ => $other,
        }
    };
}

/// Fills the copy that lies `offset` bytes behind `copies` with the identity of a reduction; null: there are no copies.
///
/// # Safety
///
/// `count` elements of the kind's storage are there.
pub(crate) unsafe extern "C" fn nw_fill_copy(code: i64, copies: *mut u8, offset: i64, count: i64) {
    unsafe fn fill<T: Element>(op: RedOp, at: *mut u8, count: usize) {
        // SAFETY: as promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(at.cast::<T>(), count) }.fill(T::identity(op));
    }
    let Some(kind) = Kind::from_code(code).filter(|_| !copies.is_null()) else {
        return;
    };
    // SAFETY: as promised by the caller; copies are aligned.
    unsafe {
        let at = copies.add(offset as usize);
        with_type!(kind.storage, fill(kind.op, at, count as usize), ());
    }
}

/// Merges the copy that lies `offset` bytes behind `copies` into the array that a frame's `slot` describes; null: there
/// are no copies. Returns 1 if an element left its representation, and that was to be reported.
///
/// # Safety
///
/// `slot` has an address, `rank` extents and as many strides, of an array of the kind's storage that nobody else uses;
/// the copy has as many elements, contiguous.
pub(crate) unsafe extern "C" fn nw_merge_copy(
    code: i64,
    rank: i64,
    slot: *const u8,
    copies: *const u8,
    offset: i64,
) -> i64 {
    let Some(kind) = Kind::from_code(code).filter(|_| !copies.is_null()) else {
        return 0;
    };
    // SAFETY: as promised by the caller; the fields of a slot lie one behind the other.
    let left = unsafe {
        let base = *slot.cast::<*mut u8>();
        let fields = slot.cast::<i64>().add(1);
        let extents = std::slice::from_raw_parts(fields, rank as usize);
        let strides = std::slice::from_raw_parts(fields.add(rank as usize), rank as usize);
        let from = copies.add(offset as usize);
        with_type!(
            kind.storage,
            merge(kind.op, base, extents, strides, from),
            false
        )
    };
    i64::from(left && kind.checked)
}

/// # Safety
/// As for [`nw_merge_copy`].
unsafe fn merge<T: Element>(
    op: RedOp,
    base: *mut u8,
    extents: &[i64],
    strides: &[i64],
    from: *const u8,
) -> bool {
    let (Some((n, outer)), Some((step, steps))) = (extents.split_last(), strides.split_last())
    else {
        return false;
    };
    let rows = outer.iter().product::<i64>();
    let mut left = false;
    for row in 0..rows {
        let (mut rest, mut to) = (row, 0);
        for (extent, stride) in outer.iter().zip(steps).rev() {
            to += rest % extent * stride;
            rest /= extent;
        }
        // SAFETY: elements of the array and of its copy.
        left |= unsafe {
            let to = base.offset(to as isize);
            let from = from.cast::<T>().add((row * n) as usize);
            merge_row(op, to, *step, from, *n)
        };
    }
    left
}

/// # Safety
/// `n` elements are at `to`, `step` bytes apart, and as many at `from`, one after the other.
unsafe fn merge_row<T: Element>(op: RedOp, to: *mut u8, step: i64, from: *const T, n: i64) -> bool {
    let mut left = false;
    for i in 0..n {
        // SAFETY: as promised by the caller.
        unsafe {
            let at = to.offset((i * step) as isize).cast::<T>();
            let (value, over) = T::merged(op, *at, *from.add(i as usize));
            *at = value;
            left |= over;
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart() {
        let mut seen = vec![];
        for storage in Scalar::ALL {
            for op in OPS {
                for checked in [false, true] {
                    let kind = Kind {
                        op,
                        storage,
                        checked,
                    };
                    assert_eq!(Kind::from_code(kind.code()), Some(kind));
                    assert!(!seen.contains(&kind.code()));
                    seen.push(kind.code());
                }
            }
        }
    }

    /// A slot of a frame for every other column of a matrix, and copies for it.
    #[test]
    fn a_strided_array_gets_what_its_copy_holds() {
        for (op, expected) in [
            (RedOp::Add, 1 + 5),
            (RedOp::Mul, 5),
            (RedOp::Min, 1),
            (RedOp::Max, 5),
            (RedOp::Xor, 1 ^ 5),
        ] {
            let mut memory = [1i32; 24];
            let slot: [i64; 5] = [memory.as_mut_ptr() as i64, 4, 3, 24, 8];
            let mut copy = [0i32; 16 + 12];
            let kind = Kind {
                op,
                storage: Scalar::I32,
                checked: true,
            };
            unsafe { nw_fill_copy(kind.code(), copy.as_mut_ptr().cast(), 64, 12) };
            assert!(copy[..16].iter().all(|v| *v == 0));
            let merge = |copy: &[i32; 28]| unsafe {
                nw_merge_copy(
                    kind.code(),
                    2,
                    slot.as_ptr().cast(),
                    copy.as_ptr().cast(),
                    64,
                )
            };
            // The identity changes nothing.
            assert_eq!(merge(&copy), 0, "{op:?}");
            assert_eq!(memory, [1; 24], "{op:?}");
            copy[16 + 4] = 5;
            assert_eq!(merge(&copy), 0, "{op:?}");
            for (at, v) in memory.iter().enumerate() {
                // Element 4 is in the second row, the second of its columns.
                assert_eq!(*v, if at == 6 + 2 { expected } else { 1 }, "{op:?} {at}");
            }
        }
    }

    #[test]
    fn what_leaves_its_representation_is_told_if_wanted() {
        for checked in [false, true] {
            let (mut memory, copy) = ([200u8], [100u8; 1]);
            let slot: [i64; 3] = [memory.as_mut_ptr() as i64, 1, 1];
            let kind = Kind {
                op: RedOp::Add,
                storage: Scalar::U8,
                checked,
            };
            let told =
                unsafe { nw_merge_copy(kind.code(), 1, slot.as_ptr().cast(), copy.as_ptr(), 0) };
            assert_eq!((told == 1, memory[0]), (checked, 44));
        }
    }
}
