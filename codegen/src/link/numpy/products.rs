//! Products with matrices by NumPy's own loop: what three loops around a step of [`Fun::DotEachNext`] or
//! [`Fun::MatMulEachNext`] call.

use nestwise_ir::{Fun, Scalar};

use crate::link::numpy::folds;

/// How a matrix lies in memory: its first element, bytes from row to row and from column to column, rows and columns.
#[derive(Clone, Copy)]
struct Matrix {
    first: *mut u8,
    steps: [i64; 2],
    extents: [i64; 2],
}

impl Matrix {
    /// The matrix as NumPy describes it: an axis of one element has no step.
    fn normal(self) -> Matrix {
        let [rows, columns] = self.extents;
        let step = |extent, step| if extent == 1 { 0 } else { step };
        Matrix {
            steps: [step(rows, self.steps[0]), step(columns, self.steps[1])],
            ..self
        }
    }

    /// Whether `np.dot` takes the matrix as it lies: rows or columns without anything between them, or a vector that
    /// goes forward in whole elements.
    fn is_taken(self, size: i64) -> bool {
        let [rows, columns] = self.extents;
        let [down, across] = self.steps;
        let whole = |extent: i64, step: i64| extent < 2 || step > 0 && step % size == 0;
        if self.first as i64 % size != 0 || !whole(rows, down) || !whole(columns, across) {
            return false;
        }
        rows < 2
            || columns < 2
            || across == size && down == columns * size
            || down == size && across == rows * size
    }

    /// A copy of the matrix, row by row.
    ///
    /// # Safety
    /// Its elements are there.
    unsafe fn copied<T: Copy>(self, copy: &mut Vec<T>) -> Matrix {
        let [rows, columns] = self.extents;
        let [down, across] = self.steps;
        let size = size_of::<T>() as i64;
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let distance = (i * down + j * across) as isize;
            // SAFETY: as promised.
            copy.push(unsafe { self.first.offset(distance).cast::<T>().read_unaligned() });
        }
        Matrix {
            first: copy.as_mut_ptr().cast(),
            steps: [columns * size, size],
            ..self
        }
    }

    /// The matrix as `np.dot` takes it: itself, or a copy.
    ///
    /// # Safety
    /// Its elements are there.
    unsafe fn taken<T: Copy>(self, copy: &mut Vec<T>) -> Matrix {
        match self.is_taken(size_of::<T>() as i64) || self.extents.contains(&0) {
            true => self,
            // SAFETY: as promised.
            false => unsafe { self.copied(copy) },
        }
    }
}

/// Where a matrix lies: its first element, and bytes from row to row and from column to column.
#[repr(C)]
struct Place {
    first: *mut u8,
    steps: [i64; 2],
}

/// What generated code passes to a product.
#[repr(C)]
pub(crate) struct Operands {
    /// Where both factors and the product lie.
    places: [Place; 3],
    /// Rows of the first factor, its columns, columns of the second one.
    extents: [i64; 3],
}

impl Operands {
    fn matrices(&self) -> [Matrix; 3] {
        let [m, n, p] = self.extents;
        let [x, y, z] = &self.places;
        [(x, [m, n]), (y, [n, p]), (z, [m, p])].map(|(place, extents)| Matrix {
            first: place.first,
            steps: place.steps,
            extents,
        })
    }
}

/// # Safety
/// Elements of all three are there, and the last one's are nobody else's.
unsafe fn multiply(fun: Fun, repr: Scalar, operands: [Matrix; 3]) {
    let [x, y, z] = operands.map(Matrix::normal);
    let sizes = [1, x.extents[0], x.extents[1], y.extents[1]].map(|n| n as isize);
    // Steps of the outer loop, which runs once; then of each operand's rows and columns.
    let mut steps = [0; 9];
    for (to, step) in steps[3..]
        .iter_mut()
        .zip([x, y, z].iter().flat_map(|of| of.steps))
    {
        *to = step as isize;
    }
    let mut args = [x.first, y.first, z.first];
    // SAFETY: as promised.
    unsafe { folds::run(fun, repr, &mut args, &sizes, &steps) };
}

/// A float type that NumPy has a product of.
pub(crate) trait Element: Copy {
    const REPR: Scalar;
}
impl Element for f32 {
    const REPR: Scalar = Scalar::F32;
}
impl Element for f64 {
    const REPR: Scalar = Scalar::F64;
}

pub(crate) type Product = unsafe extern "C" fn(*const Operands);

/// `x @ y`.
///
/// # Safety
/// Elements of all three are there, and the product's are nobody else's.
pub(crate) unsafe extern "C" fn matmul<T: Element>(operands: *const Operands) {
    // SAFETY: as promised.
    unsafe { multiply(Fun::MatMulEachNext, T::REPR, (*operands).matrices()) };
}

/// `np.dot(x, y)`.
///
/// # Safety
/// The operands' elements are there, and the result's are nobody else's.
pub(crate) unsafe extern "C" fn dot<T: Element>(operands: *const Operands) {
    let (mut x_copy, mut y_copy) = (Vec::<T>::new(), Vec::<T>::new());
    // SAFETY: as promised.
    unsafe {
        let [x, y, z] = (*operands).matrices();
        let (x, y) = (x.taken(&mut x_copy), y.taken(&mut y_copy));
        multiply(Fun::DotEachNext, T::REPR, [x, y, z]);
    }
}
