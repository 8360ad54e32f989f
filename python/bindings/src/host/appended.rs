//! The values that a nest appends to lists: columns of native values, boxed when the nest has ended.

use nestwise_ir::{ArrayDecl, ArrayId, LiveOutKind, Prov, Scalar, VarId};
use nestwise_runtime::value::ROOM;
use nestwise_runtime::{ArrayView, Launch};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::objects::lists::{Buffer, Shape, Trouble};
use crate::objects::{boxing, layout};
use crate::process::once::Once;

/// One column of the values that a nest appends to a list: all of them, or one item of each tuple.
pub struct Appended {
    slot: ArrayId,
    method: *mut PyObject,
    list: *mut PyObject,
    /// The list's length at entry, or after it was last lengthened.
    length: usize,
    /// The number of the list's own elements that are copied to the front of the column.
    held: usize,
    /// The nest reads the list's elements or its length.
    read: bool,
    storage: Scalar,
    data: Vec<u64>,
    tags: Vec<u8>,
}

/// The list that a bound `append` appends to, borrowed; `None` for null and for other objects.
///
/// # Safety
/// `object` is null, or alive as long as the result is used; the GIL is held.
pub unsafe fn list_of(object: *mut PyObject) -> Option<*mut PyObject> {
    // SAFETY: the type is checked before the method is looked into.
    unsafe {
        if object.is_null() || ffi::PyCFunction_CheckExact(object) == 0 {
            return None;
        }
        let list = ffi::PyCFunction_GetSelf(object);
        if list.is_null() || ffi::PyList_CheckExact(list) == 0 {
            return None;
        }
        let function = ffi::PyCFunction_GetFunction(object).map(|f| f as usize);
        (function.is_some() && function == append_of_lists()).then_some(list)
    }
}

/// The address of the C function behind every list's `append`.
fn append_of_lists() -> Option<usize> {
    static FUNCTION: Once<Option<usize>> = Once::new();
    *FUNCTION.get_or_init(|| {
        // SAFETY: only called with the GIL held; a new list has the method.
        unsafe {
            let list = ffi::PyList_New(0);
            let method = ffi::PyObject_GetAttrString(list, c"append".as_ptr());
            let function = ffi::PyCFunction_GetFunction(method);
            ffi::Py_XDECREF(method);
            ffi::Py_XDECREF(list);
            function.map(|f| f as usize)
        }
    })
}

/// The lists that columns are appended to, one for each bound method: a list stands twice where two methods append to
/// it.
pub fn lists(columns: &[Appended]) -> Vec<*mut PyObject> {
    let mut lists = Vec::new();
    for (k, column) in columns.iter().enumerate() {
        if columns[..k].iter().all(|c| c.method != column.method) {
            lists.push(column.list);
        }
    }
    lists
}

impl Appended {
    /// A column with room for [`ROOM`] values, behind a copy of the list's elements if the nest reads the list. The
    /// error says why there is none.
    ///
    /// # Safety
    /// `method` is a list's `append`, alive as long as the column; the GIL is held.
    pub unsafe fn new(
        slot: ArrayId,
        method: *mut PyObject,
        decl: &ArrayDecl,
    ) -> Result<Appended, &'static str> {
        // SAFETY: as promised by the caller; an exact list.
        let (list, length) = unsafe {
            let list = list_of(method).ok_or("it is gone")?;
            (list, layout::list_items(list).len())
        };
        let held = if decl.read { length } else { 0 };
        let mut column = Appended {
            slot,
            method,
            list,
            length,
            held,
            read: decl.read,
            storage: decl.storage,
            data: Vec::new(),
            tags: Vec::new(),
        };
        column
            .reserve()
            .map_err(|_| "there is no memory for what is appended to it")?;
        if held > 0 {
            // SAFETY: the list is alive and nothing has run since it was looked at.
            unsafe { column.fill()? };
        }
        Ok(column)
    }

    fn room(&self) -> usize {
        self.held + ROOM as usize
    }

    fn reserve(&mut self) -> Result<(), std::collections::TryReserveError> {
        let bytes = self.room() * self.storage.size();
        self.data.try_reserve_exact(bytes.div_ceil(8))?;
        if self.storage == Scalar::Num {
            self.tags.try_reserve_exact(self.room())?;
        }
        Ok(())
    }

    /// Copies the list's elements to the front of the column. The error says why they cannot be copied.
    unsafe fn fill(&mut self) -> Result<(), &'static str> {
        let mut extents = [0; 8];
        extents[0] = self.held as i64;
        let shape = Shape {
            rank: 1,
            extents,
            leaf: self.storage,
            numpy: false,
        };
        // SAFETY: as promised by the caller.
        let mut buffer =
            unsafe { Buffer::new(self.list, shape, self.storage, None) }.map_err(Trouble::why)?;
        let view = buffer.view();
        // SAFETY: both have room for that many elements.
        unsafe {
            let bytes = self.held * self.storage.size();
            std::ptr::copy_nonoverlapping(view.ptr, self.data.as_mut_ptr().cast(), bytes);
            if !view.tags.is_null() {
                std::ptr::copy_nonoverlapping(view.tags, self.tags.as_mut_ptr(), self.held);
            }
        }
        Ok(())
    }

    /// The view of the column that a kernel writes to.
    pub fn view(&mut self) -> ArrayView {
        let size = self.storage.size() as i64;
        ArrayView {
            ptr: self.data.as_mut_ptr().cast(),
            tags: match self.storage {
                Scalar::Num => self.tags.as_mut_ptr(),
                _ => std::ptr::null_mut(),
            },
            rank: 1,
            extents: [self.room() as i64, 0, 0, 0, 0, 0, 0, 0],
            strides: [size, 0, 0, 0, 0, 0, 0, 0],
            size,
        }
    }

    /// Whether the list still has the length that is known of it.
    pub fn unchanged(&self) -> bool {
        // SAFETY: an exact list, alive.
        unsafe { layout::list_items(self.list) }.len() == self.length
    }

    /// Element `at` of the column, in the format of a variable in a launch's frame.
    ///
    /// # Safety
    /// A kernel wrote element `at`.
    unsafe fn cell(&self, at: usize) -> [u64; 2] {
        let mut cell = [0_u64; 2];
        let size = self.storage.size();
        // SAFETY: within the room; no value is larger than a cell.
        unsafe {
            let from = self.data.as_ptr().cast::<u8>().add(at * size);
            std::ptr::copy_nonoverlapping(from, cell.as_mut_ptr().cast(), size);
            if self.storage == Scalar::Num {
                cell[1] = (*self.tags.as_ptr().add(at)).into();
            }
        }
        cell
    }
}

/// Appends to the lists what a launch appended. Returns false where memory ran out, with part of it appended.
pub fn write_back(py: Python<'_>, all: &[Appended], launch: &Launch) -> bool {
    let outs = launch.nest().live_outs.iter();
    outs.filter_map(|out| grown(&out.kind)).all(|grown| {
        let Some(own) = grown.columns(all) else {
            return false;
        };
        extend(py, launch, &grown, &own)
    })
}

/// Appends, between two chunks, to the lists that the nest does not read, and empties their columns: else all values
/// would be boxed in one piece at the end, with everybody waiting. Returns false where memory ran out, with part of
/// them appended.
pub fn flush(py: Python<'_>, all: &mut [Appended], launch: &mut Launch) -> bool {
    let kinds = launch.nest().live_outs.iter().map(|out| out.kind.clone());
    let kinds: Vec<LiveOutKind> = kinds.collect();
    // A collection might run somebody's finalizers, which could see lists that the nest has copies of.
    // SAFETY: the GIL is held.
    let collects = unsafe { ffi::PyGC_Disable() } != 0;
    let flushed = kinds.iter().filter_map(grown).all(|grown| {
        let own = grown.columns(all);
        if own.as_ref().is_none_or(|own| own[0].read) {
            return true;
        }
        let done = own.is_some_and(|own| extend(py, launch, &grown, &own));
        for column in all.iter_mut().filter(|c| grown.columns.contains(&c.slot)) {
            // SAFETY: an exact list, alive.
            column.length = unsafe { layout::list_items(column.list) }.len();
        }
        launch.set_int(grown.count, 0);
        done
    });
    if collects {
        // SAFETY: as above.
        unsafe { ffi::PyGC_Enable() };
    }
    flushed
}

/// A list that grows: its columns and the variable that counts.
struct Grown<'a> {
    columns: &'a [ArrayId],
    count: VarId,
    tuple: bool,
}

fn grown(kind: &LiveOutKind) -> Option<Grown<'_>> {
    match kind {
        LiveOutKind::Appended {
            columns,
            count,
            tuple,
        } => Some(Grown {
            columns,
            count: *count,
            tuple: *tuple,
        }),
        _ => None,
    }
}

impl Grown<'_> {
    fn columns<'a>(&self, all: &'a [Appended]) -> Option<Vec<&'a Appended>> {
        let own = |slot: &ArrayId| all.iter().find(|a| a.slot == *slot);
        self.columns.iter().map(own).collect()
    }
}

/// Appends the values in the columns to the list, behind its own elements. Returns false where memory ran out.
fn extend(py: Python<'_>, launch: &Launch, grown: &Grown<'_>, own: &[&Appended]) -> bool {
    let nest = launch.nest();
    // SAFETY: an int slot of the frame.
    let count = unsafe { *launch.slot(grown.count).cast::<i64>() };
    (own[0].held..count as usize).all(|at| {
        let item = |k: usize| {
            let ty = nest.arrays[grown.columns[k]].elem;
            // SAFETY: the kernel wrote `count` elements of each column.
            let cell = unsafe { own[k].cell(at) };
            // SAFETY: a value of the type.
            unsafe { boxing::boxed(py, ty, cell.as_ptr().cast(), ty.prov == Prov::Np) }
        };
        // SAFETY: new references; a null is passed on.
        unsafe { append(own[0].list, grown.columns.len(), grown.tuple, item) }
    })
}

/// # Safety
/// `list` is an exact list; `item` gives new references or null.
unsafe fn append(
    list: *mut PyObject,
    width: usize,
    tuple: bool,
    item: impl Fn(usize) -> *mut PyObject,
) -> bool {
    // SAFETY: as promised by the caller; the tuple takes over its items.
    unsafe {
        let value = if tuple {
            let value = ffi::PyTuple_New(width as isize);
            for k in 0..width {
                let part = item(k);
                if value.is_null() || part.is_null() {
                    ffi::Py_XDECREF(part);
                    ffi::Py_XDECREF(value);
                    return false;
                }
                ffi::PyTuple_SetItem(value, k as isize, part);
            }
            value
        } else {
            item(0)
        };
        if value.is_null() {
            return false;
        }
        let done = ffi::PyList_Append(list, value) == 0;
        ffi::Py_DECREF(value);
        done
    }
}
