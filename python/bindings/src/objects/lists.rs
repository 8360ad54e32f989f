//! Lists and tuples of numbers and texts: their shape, their conversion into row-major buffers, and back.
//!
//! A list is converted only if it is regular (every row as long as the first) and its leaves are exact `float`,
//! `int`, `bool` or `str` objects of one type, or ints and floats where the nest has room for both. Only elements whose
//! value or type changed are replaced afterwards; rows keep their identity.

use nestwise_ir::Scalar;
use nestwise_runtime::ArrayView;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::objects::layout;
use crate::objects::memory::Memory;
use crate::objects::numpy::Numpy;
use crate::objects::texts::{self, Texts};

/// The most levels that a list may nest.
pub const MAX_RANK: usize = 8;
/// The largest absolute value up to which every int is exact as a float.
const EXACT: i64 = 1 << 53;

/// The shape of a list, as its first elements tell it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Nesting depth.
    pub rank: usize,
    /// The number of elements at each level, along the first elements.
    pub extents: [i64; 8],
    /// The type of the first leaf; floats for an empty list.
    pub leaf: Scalar,
    /// The first leaf is a scalar of NumPy's.
    pub numpy: bool,
}

/// The reason why a list has no buffer, or may not be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trouble {
    /// Rows differ in length, or elements in depth.
    Ragged,
    /// Ints and floats stand together: convertible if the nest is typed for both.
    Mixed,
    /// An int does not fit into 64 bits, or, among floats, is not exact as a float.
    TooLarge,
    /// A leaf is not a number of the expected type.
    Leaf,
    /// One row stands in two places and the nest writes the list.
    SharedRow,
    /// One row is a tuple and the nest writes the list.
    Tuple,
    /// There is no memory for a copy of the list.
    Memory,
}

impl Trouble {
    /// The reason in words.
    pub fn why(self) -> &'static str {
        match self {
            Self::Ragged => "its rows differ in length or depth",
            Self::Mixed => "it mixes ints and floats",
            Self::TooLarge => "an int in it does not fit 64 bits",
            Self::Leaf => "an element is not a plain int, float, bool or str",
            Self::SharedRow => "one of its rows stands in two places",
            Self::Tuple => "one of its rows is a tuple",
            Self::Memory => "there is no memory for a copy of it",
        }
    }
}

fn leaf_of(object: *mut PyObject) -> Option<Scalar> {
    // SAFETY: a live object; only its type is looked at.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyFloat_Type {
            Some(Scalar::F64)
        } else if ty == &raw mut ffi::PyLong_Type {
            Some(Scalar::I64)
        } else if ty == &raw mut ffi::PyBool_Type {
            Some(Scalar::Bool)
        } else if ty == &raw mut ffi::PyComplex_Type {
            Some(Scalar::C128)
        } else if ty == &raw mut ffi::PyUnicode_Type {
            Some(Scalar::Char)
        } else {
            None
        }
    }
}

/// Whether an object is a plain int or float, which lists of [both](Trouble::Mixed) may hold.
pub fn is_int_or_float(object: *mut PyObject) -> bool {
    matches!(leaf_of(object), Some(Scalar::I64 | Scalar::F64))
}

/// The type of a scalar of NumPy's that lists may hold; `None` for other objects.
fn scalar_of(np: &Numpy, object: *mut PyObject) -> Option<Scalar> {
    // SAFETY: a live object; only its type is looked at.
    let found = np.scalar_of(unsafe { ffi::Py_TYPE(object) });
    found.filter(|repr| !matches!(repr, Scalar::Bool | Scalar::C64 | Scalar::C128))
}

/// The items of an exact list or tuple; `None` for any other object.
///
/// # Safety
/// `object` is alive, and nothing changes it while the slice lives; the GIL is held.
pub unsafe fn items<'a>(object: *mut PyObject) -> Option<&'a [*mut PyObject]> {
    // SAFETY: the exact types are checked.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyList_Type {
            Some(layout::list_items(object))
        } else if ty == &raw mut ffi::PyTuple_Type {
            Some(layout::tuple_items(object))
        } else {
            None
        }
    }
}

/// The shape of a list or tuple, found by a look at its first elements only; `None` for other objects.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn shape(object: *mut PyObject, np: Option<&Numpy>) -> Option<Shape> {
    // SAFETY: as promised by the caller.
    unsafe { outline(object, np) }.filter(|shape| shape.rank > 0)
}

/// The shape of a list, tuple or number, which has rank 0, found by a look at the first elements only; `None` for other
/// objects.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn outline(object: *mut PyObject, np: Option<&Numpy>) -> Option<Shape> {
    let mut shape = Shape {
        rank: 0,
        extents: [0; 8],
        leaf: Scalar::F64,
        numpy: false,
    };
    let mut at = object;
    // SAFETY: every `at` is an element of a live container.
    while let Some(row) = unsafe { items(at) } {
        if shape.rank == MAX_RANK {
            return None;
        }
        shape.extents[shape.rank] = row.len() as i64;
        shape.rank += 1;
        match row.first() {
            Some(first) => at = *first,
            None => return Some(shape),
        }
    }
    shape.leaf = match leaf_of(at) {
        Some(leaf) => leaf,
        None => {
            shape.numpy = true;
            scalar_of(np?, at)?
        }
    };
    Some(shape)
}

/// Whether the rows of a list or tuple are as long as its shape says, on every level but the last one.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn is_regular(object: *mut PyObject, shape: &Shape) -> bool {
    let mut level = vec![object];
    for depth in 0..shape.rank {
        let mut next = Vec::new();
        for row in level {
            // SAFETY: elements of a live container.
            match unsafe { items(row) } {
                Some(row) if row.len() as i64 == shape.extents[depth] => {
                    let inside = depth + 1 < shape.rank;
                    next.extend(row.iter().filter(|_| inside));
                }
                _ => return false,
            }
        }
        level = next;
    }
    true
}

/// A list's elements as native values.
pub struct Buffer {
    list: *mut PyObject,
    shape: Shape,
    storage: Scalar,
    /// Set where the elements are scalars of NumPy's.
    numpy: Option<&'static Numpy>,
    data: Memory,
    tags: Vec<u8>,
}

/// New zeroed memory of `count` bytes; `None` where there is not so much, for which a plain vector would end the
/// process.
fn zeros(count: usize) -> Option<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).ok()?;
    memory.resize(count, 0);
    Some(memory)
}

impl Buffer {
    /// Converts `list` to elements of `storage`, which are NumPy's scalars where `shape` says so. The error says why
    /// the list cannot be converted.
    ///
    /// # Safety
    /// `list` is an exact list or tuple; the GIL is held until the buffer is dropped or written back.
    pub unsafe fn new(
        list: *mut PyObject,
        shape: Shape,
        storage: Scalar,
        np: Option<&'static Numpy>,
    ) -> Result<Buffer, Trouble> {
        let count: i64 = shape.extents[..shape.rank].iter().product();
        let bytes = count as usize * storage.size();
        let tags = match storage {
            Scalar::Num => count as usize,
            _ => 0,
        };
        let mut buffer = Buffer {
            list,
            shape,
            storage,
            numpy: np.filter(|_| shape.numpy),
            data: Memory::of(bytes.div_ceil(8)).ok_or(Trouble::Memory)?,
            tags: zeros(tags).ok_or(Trouble::Memory)?,
        };
        let mut at = 0;
        // SAFETY: as promised by the caller.
        unsafe { buffer.read(list, 0, &mut at)? };
        Ok(buffer)
    }

    /// The view of the elements that a kernel works on.
    pub fn view(&mut self) -> ArrayView {
        let mut strides = [0i64; 8];
        let mut stride = self.storage.size() as i64;
        for axis in (0..self.shape.rank).rev() {
            strides[axis] = stride;
            stride *= self.shape.extents[axis];
        }
        ArrayView {
            ptr: self.data.as_mut_ptr().cast(),
            tags: if self.tags.is_empty() {
                std::ptr::null_mut()
            } else {
                self.tags.as_mut_ptr()
            },
            rank: self.shape.rank,
            extents: self.shape.extents,
            strides,
            size: self.storage.size() as i64,
        }
    }

    /// The view of the row that `object` is; `None` if it is neither the list itself nor one of its rows.
    ///
    /// # Safety
    /// The list is unchanged since it was read.
    pub unsafe fn row(&mut self, object: *mut PyObject) -> Option<ArrayView> {
        let mut view = self.view();
        let mut level = vec![self.list];
        loop {
            if let Some(at) = level.iter().position(|row| *row == object) {
                // SAFETY: row `at` of this level starts this many elements into the buffer.
                let offset = at as i64 * view.len();
                view.ptr = unsafe { view.ptr.offset((offset * view.size) as isize) };
                if !view.tags.is_null() {
                    view.tags = unsafe { view.tags.offset(offset as isize) };
                }
                return Some(view);
            }
            if view.rank == 1 {
                return None;
            }
            // SAFETY: `read` found rows at every level but the last.
            level = level
                .iter()
                .flat_map(|o| unsafe { items(*o) }.unwrap_or(&[]).to_vec())
                .collect();
            view.rank -= 1;
            view.extents.copy_within(1.., 0);
            view.strides.copy_within(1.., 0);
        }
    }

    /// The representation of the elements, and whether they are scalars of NumPy's.
    pub fn elements(&self) -> (Scalar, bool) {
        (self.storage, self.numpy.is_some())
    }

    unsafe fn read(
        &mut self,
        object: *mut PyObject,
        level: usize,
        at: &mut usize,
    ) -> Result<(), Trouble> {
        // SAFETY: `object` is the list or one of its rows.
        let row = unsafe { items(object) }.ok_or(Trouble::Ragged)?;
        if row.len() as i64 != self.shape.extents[level] {
            return Err(Trouble::Ragged);
        }
        if level + 1 < self.shape.rank {
            for inner in row {
                // SAFETY: an element of a live row.
                unsafe { self.read(*inner, level + 1, at)? };
            }
            return Ok(());
        }
        // SAFETY: elements of a live row, as many as the shape says that it has.
        unsafe {
            match (self.numpy, self.storage) {
                (Some(np), _) => self.read_scalars(np, row, *at)?,
                (_, Scalar::F64) => self.read_floats(row, *at)?,
                (_, Scalar::I64) => self.read_ints(row, *at)?,
                (_, Scalar::Char) => self.read_texts(row, *at)?,
                _ => {
                    for (k, leaf) in row.iter().enumerate() {
                        self.read_leaf(*leaf, *at + k)?;
                    }
                }
            }
        }
        *at += row.len();
        Ok(())
    }

    unsafe fn read_floats(&mut self, row: &[*mut PyObject], at: usize) -> Result<(), Trouble> {
        // SAFETY: live objects, whose type is looked at first; `at` counts elements of the shape, which sized the
        // buffer.
        unsafe {
            let data = self.data.as_mut_ptr().cast::<f64>().add(at);
            for (k, leaf) in row.iter().enumerate() {
                if ffi::Py_TYPE(*leaf) != &raw mut ffi::PyFloat_Type {
                    return Err(self.unlike(leaf_of(*leaf)));
                }
                let value = layout::payload::<f64>(*leaf);
                *data.add(k) = value;
            }
        }
        Ok(())
    }

    unsafe fn read_ints(&mut self, row: &[*mut PyObject], at: usize) -> Result<(), Trouble> {
        // SAFETY: as with floats.
        unsafe {
            let data = self.data.as_mut_ptr().cast::<i64>().add(at);
            for (k, leaf) in row.iter().enumerate() {
                if ffi::Py_TYPE(*leaf) != &raw mut ffi::PyLong_Type {
                    return Err(self.unlike(leaf_of(*leaf)));
                }
                *data.add(k) = int(*leaf)?;
            }
        }
        Ok(())
    }

    unsafe fn read_texts(&mut self, row: &[*mut PyObject], at: usize) -> Result<(), Trouble> {
        // SAFETY: as with floats; buffers are made with the GIL held.
        unsafe {
            let mut texts = Texts::new(Python::assume_attached());
            let data = self.data.as_mut_ptr().cast::<u32>().add(at);
            let mut last = (std::ptr::null_mut(), 0);
            for (k, leaf) in row.iter().enumerate() {
                if *leaf != last.0 {
                    last = (*leaf, texts.number_of(*leaf).ok_or(Trouble::Leaf)?);
                }
                *data.add(k) = last.1;
            }
        }
        Ok(())
    }

    unsafe fn read_scalars(
        &mut self,
        np: &Numpy,
        row: &[*mut PyObject],
        at: usize,
    ) -> Result<(), Trouble> {
        for (k, leaf) in row.iter().enumerate() {
            if scalar_of(np, *leaf) != Some(self.storage) {
                return Err(Trouble::Leaf);
            }
            let to = self.bytes_of(at + k);
            // SAFETY: the type was just looked at; `at` counts elements of the shape, which sized the buffer.
            unsafe {
                let from = layout::payload_of(*leaf);
                std::ptr::copy_nonoverlapping(from, to.cast_mut(), self.storage.size());
            }
        }
        Ok(())
    }

    /// The address of element `at` of the buffer.
    fn bytes_of(&self, at: usize) -> *const u8 {
        let first = self.data.as_ptr().cast::<u8>();
        first.wrapping_add(at * self.storage.size())
    }

    /// The trouble with an element of another type than the buffer's.
    fn unlike(&self, ty: Option<Scalar>) -> Trouble {
        match (self.storage, ty) {
            (Scalar::F64, Some(Scalar::I64)) | (Scalar::I64, Some(Scalar::F64)) => Trouble::Mixed,
            _ => Trouble::Leaf,
        }
    }

    unsafe fn read_leaf(&mut self, leaf: *mut PyObject, at: usize) -> Result<(), Trouble> {
        let ty = leaf_of(leaf).ok_or(Trouble::Leaf)?;
        // SAFETY: the payload's type was just checked; `at` counts elements of the shape, which sized the buffers.
        unsafe {
            let data = self.data.as_mut_ptr();
            match (self.storage, ty) {
                (Scalar::Num, Scalar::F64) => {
                    let value = layout::payload::<f64>(leaf);
                    *data.cast::<f64>().add(at) = value;
                }
                (Scalar::Num, Scalar::I64) => {
                    let value = int(leaf)?;
                    if !(-EXACT..=EXACT).contains(&value) {
                        return Err(Trouble::TooLarge);
                    }
                    *data.cast::<f64>().add(at) = value as f64;
                    self.tags[at] = 1;
                }
                (Scalar::Bool, Scalar::Bool) => {
                    *data.cast::<u8>().add(at) = u8::from(leaf == ffi::Py_True())
                }
                (Scalar::C128, Scalar::C128) => {
                    let parts = complex(leaf);
                    *data.cast::<[f64; 2]>().add(at) = parts;
                }
                _ => return Err(self.unlike(Some(ty))),
            }
        }
        Ok(())
    }

    /// Checks that elements can be stored back: not where two rows are one object, which would be two copies here, nor
    /// where a row is a tuple, which keeps its elements.
    ///
    /// # Safety
    /// The list is unchanged since it was read.
    pub unsafe fn writable(&self) -> Result<(), Trouble> {
        let mut level = vec![self.list];
        for depth in 0..self.shape.rank {
            // SAFETY: live objects; only their types are looked at.
            let is_list =
                |o: &*mut PyObject| unsafe { ffi::Py_TYPE(*o) == &raw mut ffi::PyList_Type };
            if !level.iter().all(is_list) {
                return Err(Trouble::Tuple);
            }
            if depth + 1 == self.shape.rank {
                break;
            }
            // SAFETY: `read` found rows at every level but the last.
            level = level
                .iter()
                .flat_map(|o| unsafe { items(*o) }.unwrap_or(&[]).to_vec())
                .collect();
            let mut sorted = level.clone();
            sorted.sort_unstable();
            if sorted.windows(2).any(|w| w[0] == w[1]) {
                return Err(Trouble::SharedRow);
            }
        }
        Ok(())
    }

    /// The addresses of all rows (the list itself first), to find rows that two lists share.
    ///
    /// # Safety
    /// The list is unchanged since it was read.
    pub unsafe fn rows(&self) -> Vec<*mut PyObject> {
        let mut all = vec![self.list];
        let mut level = vec![self.list];
        for _ in 1..self.shape.rank {
            // SAFETY: as promised by the caller.
            level = level
                .iter()
                .flat_map(|o| unsafe { items(*o) }.unwrap_or(&[]).to_vec())
                .collect();
            all.extend(&level);
        }
        all
    }

    /// Whether the list still has the rows `rows`, and the elements that the buffer holds.
    ///
    /// # Safety
    /// The list itself is alive; its rows need not be. The GIL is held.
    pub unsafe fn holds(&self, rows: &[*mut PyObject]) -> bool {
        let mut at = 0;
        // SAFETY: rows are compared with those of `rows` only once they are known to be there.
        unsafe { self.holds_row(self.list, 0, &mut at) && self.rows() == rows }
    }

    unsafe fn holds_row(&self, object: *mut PyObject, level: usize, at: &mut usize) -> bool {
        // SAFETY: `object` is the list or one of its rows.
        let Some(row) = (unsafe { items(object) }) else {
            return false;
        };
        if row.len() as i64 != self.shape.extents[level] {
            return false;
        }
        if level + 1 < self.shape.rank {
            // SAFETY: elements of a live row.
            return row
                .iter()
                .all(|inner| unsafe { self.holds_row(*inner, level + 1, at) });
        }
        row.iter().all(|leaf| {
            let found = match self.numpy {
                Some(np) => scalar_of(np, *leaf),
                None => leaf_of(*leaf),
            };
            let typed = self.storage == Scalar::Num || found == Some(self.storage);
            // SAFETY: a live object, of the buffer's type.
            let same = typed && unsafe { self.same(*leaf, *at) };
            *at += 1;
            same
        })
    }

    /// Stores changed elements back into the list. Returns false where memory ran out, with part of the elements
    /// replaced.
    ///
    /// # Safety
    /// The list is unchanged since it was read and the GIL has been held all the time.
    pub unsafe fn write_back(&self) -> bool {
        let mut at = 0;
        // SAFETY: as promised by the caller.
        unsafe { self.write(self.list, 0, &mut at) }
    }

    unsafe fn write(&self, object: *mut PyObject, level: usize, at: &mut usize) -> bool {
        // SAFETY: only lists are written; `read` checked every level.
        let row = unsafe { layout::list_items(object) };
        if level + 1 < self.shape.rank {
            // SAFETY: rows of a list that is unchanged.
            return row
                .iter()
                .all(|inner| unsafe { self.write(*inner, level + 1, at) });
        }
        for slot in row {
            // SAFETY: a live element; the old one is an exact number, so releasing it runs nobody's code.
            unsafe {
                if !self.same(*slot, *at) {
                    let new = self.element(*at);
                    if new.is_null() {
                        return false;
                    }
                    ffi::Py_DECREF(std::mem::replace(slot, new));
                }
            }
            *at += 1;
        }
        true
    }
    /// Whether `object` has the type and the bits of element `at`.
    unsafe fn same(&self, object: *mut PyObject, at: usize) -> bool {
        let data = self.data.as_ptr();
        let ty = leaf_of(object);
        // SAFETY: types are checked before payloads are read.
        unsafe {
            if self.numpy.is_some() {
                let size = self.storage.size();
                let bytes = |from| std::slice::from_raw_parts(from, size);
                return bytes(layout::payload_of(object)) == bytes(self.bytes_of(at));
            }
            match self.storage {
                Scalar::F64 => layout::payload::<u64>(object) == *data.add(at),
                Scalar::I64 => int(object) == Ok(*data.cast::<i64>().add(at)),
                Scalar::C128 => {
                    let own = (*data.cast::<[f64; 2]>().add(at)).map(f64::to_bits);
                    complex(object).map(f64::to_bits) == own
                }
                Scalar::Bool => (object == ffi::Py_True()) == (*data.cast::<u8>().add(at) != 0),
                Scalar::Char => {
                    let number = Texts::new(Python::assume_attached()).number_of(object);
                    number == Some(*data.cast::<u32>().add(at))
                }
                _ if self.tags[at] != 0 => {
                    ty == Some(Scalar::I64) && int(object) == Ok(*data.cast::<f64>().add(at) as i64)
                }
                _ => ty == Some(Scalar::F64) && layout::payload::<u64>(object) == *data.add(at),
            }
        }
    }

    unsafe fn element(&self, at: usize) -> *mut PyObject {
        let data = self.data.as_ptr();
        // SAFETY: `at` is within the buffer.
        unsafe {
            if let Some(np) = self.numpy {
                return np.scalar(self.storage, self.bytes_of(at));
            }
            match self.storage {
                Scalar::F64 => ffi::PyFloat_FromDouble(*data.cast::<f64>().add(at)),
                Scalar::I64 => ffi::PyLong_FromLongLong(*data.cast::<i64>().add(at)),
                Scalar::C128 => {
                    let [re, im] = *data.cast::<[f64; 2]>().add(at);
                    ffi::PyComplex_FromDoubles(re, im)
                }
                Scalar::Bool => ffi::PyBool_FromLong((*data.cast::<u8>().add(at)).into()),
                Scalar::Char => {
                    let number = *data.cast::<u32>().add(at);
                    texts::text(Python::assume_attached(), number)
                }
                _ if self.tags[at] != 0 => {
                    ffi::PyLong_FromLongLong(*data.cast::<f64>().add(at) as i64)
                }
                _ => ffi::PyFloat_FromDouble(*data.cast::<f64>().add(at)),
            }
        }
    }
}

/// An exact complex number's parts.
unsafe fn complex(object: *mut PyObject) -> [f64; 2] {
    // SAFETY: an exact complex number: no error is possible.
    unsafe {
        [
            ffi::PyComplex_RealAsDouble(object),
            ffi::PyComplex_ImagAsDouble(object),
        ]
    }
}

/// An exact int's value.
unsafe fn int(object: *mut PyObject) -> Result<i64, Trouble> {
    // SAFETY: an exact int.
    let small = layout::before_digit().and_then(|before| unsafe { layout::digit(object, before) });
    if let Some(value) = small {
        return Ok(value);
    }
    let mut overflow = 0;
    // SAFETY: an exact int: no error is possible but overflow.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow) };
    if overflow == 0 {
        Ok(value)
    } else {
        Err(Trouble::TooLarge)
    }
}
