//! The objects that the loops of the rewritten code run over.
//!
//! `for names in CALL(...)` has one turn, with the values of the names, where all of the site ran natively; that turn
//! ends in `break`. Otherwise the loop has no turn, and its `else` holds `for () in STAY`, which has a turn for each
//! part that CPython runs. What `CALL` found out is handed from the first loop to the second through a stack of this
//! thread: between the end of the first loop and the beginning of the second, CPython runs nothing that could raise.
//!
//! An expression is not a loop with an iterator: `ASK` tells whether it was computed, and if not hands over to
//! `INSTEAD()`, whose object lies on the stack while CPython evaluates the expression.
//!
//! The iterators are of an own type, made through the C API: making, asking and dropping one is a good part of what a
//! short call costs.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::hooks::bundle::shielded;
use crate::hooks::running::{self, Active};
use crate::objects::types::new_type;
use crate::process::once::Once;
use crate::region;

#[repr(C)]
struct Iterator {
    head: PyObject,
    turn: Turn,
    active: Option<Rc<Active>>,
}

/// What an iterator does at its next turn.
enum Turn {
    /// The iterator gives this tuple of values, once, after a native run; it owns the tuple until then.
    Values(*mut PyObject),
    /// The iterator has given its tuple, and ends.
    Over,
    /// The iterator has no turn; it hands the running site over to `STAY`.
    HandOver,
    /// The iterator has a turn for each part of the loop that CPython runs.
    Stay,
    /// The iterator has no turn, and hands nothing over.
    Nothing,
}

thread_local! {
    /// The sites that loops without a turn have handed over to `STAY`. `None` (nothing to hand over) is only pushed
    /// while some thread has an entry.
    static HANDED: RefCell<Vec<Option<Rc<Active>>>> = const { RefCell::new(Vec::new()) };
}

/// The number of entries of all threads in `HANDED`, counted with the GIL held: all that a loop which CPython runs as
/// it was costs is a check that this is 0.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Hands a running site, or nothing, over to the next `STAY` or `INSTEAD()` of this thread.
pub fn hand_over(active: Option<Rc<Active>>) {
    if active.is_some() || WAITING.load(Ordering::Relaxed) > 0 {
        HANDED.with_borrow_mut(|handed| handed.push(active));
        WAITING.fetch_add(1, Ordering::Relaxed);
    }
}

fn take_over() -> Option<Rc<Active>> {
    if WAITING.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let handed = HANDED.with_borrow_mut(Vec::pop)?;
    WAITING.fetch_sub(1, Ordering::Relaxed);
    handed
}

/// The iterator for a site that ran natively to its end: one turn with a tuple of values, whose reference is taken
/// over. A null tuple stands for an exception that is set, which is the error.
pub fn finished(
    py: Python<'_>,
    values: *mut PyObject,
    active: Option<Rc<Active>>,
) -> PyResult<*mut PyObject> {
    if values.is_null() {
        return Err(PyErr::fetch(py));
    }
    new(py, Turn::Values(values), active)
}

/// The iterator for a site of which CPython has something left to run: no turn, and the site is handed over to `STAY`.
pub fn left(py: Python<'_>, active: Rc<Active>) -> PyResult<*mut PyObject> {
    region::release(py)?;
    new(py, Turn::HandOver, Some(active))
}

/// The iterator of `STAY`, with a turn for each part that CPython has to run, which is none where it runs the loop as
/// written. Also the object of `INSTEAD()`: called with the value that CPython has computed, it gives the value back.
pub fn stay(py: Python<'_>) -> PyResult<*mut PyObject> {
    static NONE: Once<Py<PyAny>> = Once::new();
    match take_over() {
        Some(active) => {
            running::enter(active.clone());
            new(py, Turn::Stay, Some(active))
        }
        None => shared(py, &NONE, || Turn::Nothing),
    }
}

fn shared(
    py: Python<'_>,
    one: &'static Once<Py<PyAny>>,
    turn: fn() -> Turn,
) -> PyResult<*mut PyObject> {
    let one = one.get_or_try_init(|| -> PyResult<Py<PyAny>> {
        let object = new(py, turn(), None)?;
        // SAFETY: a new reference.
        Ok(unsafe { Bound::from_owned_ptr(py, object) }.unbind())
    })?;
    // SAFETY: a live object.
    unsafe { ffi::Py_INCREF(one.as_ptr()) };
    Ok(one.as_ptr())
}

fn new(py: Python<'_>, turn: Turn, active: Option<Rc<Active>>) -> PyResult<*mut PyObject> {
    let ty = iterator_type(py)?;
    // SAFETY: an object of our type, whose fields are written before anybody sees it. `PyObject_Init` takes a reference
    // to the type.
    unsafe {
        let memory = ffi::PyObject_Malloc(size_of::<Iterator>());
        if memory.is_null() {
            return Err(pyo3::exceptions::PyMemoryError::new_err(()));
        }
        let object = ffi::PyObject_Init(memory.cast(), ty.as_ptr().cast());
        let this = object.cast::<Iterator>();
        (&raw mut (*this).turn).write(turn);
        (&raw mut (*this).active).write(active);
        Ok(object)
    }
}

/// Whether an iterator that `CALL` returned is one that [`finished`] made, and has not given its tuple yet.
pub fn is_finished(turns: *mut PyObject) -> bool {
    // SAFETY: an object of our type, as all that `CALL` returns.
    let turn = unsafe { &(*turns.cast::<Iterator>()).turn };
    matches!(turn, Turn::Values(_))
}

unsafe extern "C" fn next(this: *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with an object of the type below. Null without an exception is the end.
    unsafe {
        let this = &mut *this.cast::<Iterator>();
        match this.turn {
            Turn::Values(values) => {
                this.turn = Turn::Over;
                values
            }
            Turn::HandOver => {
                hand_over(this.active.take());
                std::ptr::null_mut()
            }
            Turn::Stay if this.active.as_ref().is_some_and(|a| a.take_fresh()) => {
                ffi::PyTuple_New(0)
            }
            Turn::Stay | Turn::Over | Turn::Nothing => std::ptr::null_mut(),
        }
    }
}

/// The call `INSTEAD()(value)`: notes the value, and gives it back.
unsafe extern "C" fn same(
    this: *mut PyObject,
    arguments: *mut PyObject,
    _names: *mut PyObject,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: CPython calls with an object of the type below and a tuple.
        unsafe {
            let value = ffi::PyTuple_GetItem(arguments, 0);
            let Some(value) = Bound::from_borrowed_ptr_or_opt(py, value) else {
                return std::ptr::null_mut();
            };
            if let Some(active) = &(*this.cast::<Iterator>()).active {
                running::note_value(active, &value);
            }
            value.into_ptr()
        }
    })
}

unsafe extern "C" fn dealloc(this: *mut PyObject) {
    // SAFETY: called once, for an object made in `new`; instances of heap types own a reference to their type.
    unsafe {
        let ty = ffi::Py_TYPE(this);
        let iterator = this.cast::<Iterator>();
        if let Turn::Values(values) = (*iterator).turn {
            ffi::Py_DECREF(values);
        }
        if let Some(active) = (&raw mut (*iterator).active).read() {
            // A panic must not cross into C; what is lost by it is a figure of the report.
            let leave = std::panic::AssertUnwindSafe(|| running::leave(active));
            let _ = std::panic::catch_unwind(leave);
        }
        ffi::PyObject_Free(this.cast());
        ffi::Py_DECREF(ty.cast());
    }
}

static TYPE: Once<Py<PyType>> = Once::new();

/// The type of the iterators, made once; CPython copies the slots that it is made from.
fn iterator_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let ty = TYPE.get_or_try_init(|| -> PyResult<Py<PyType>> {
        let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
        let mut slots = [
            slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as *mut c_void),
            slot(ffi::Py_tp_iternext, next as *mut c_void),
            slot(ffi::Py_tp_call, same as *mut c_void),
            slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
            slot(0, std::ptr::null_mut()),
        ];
        new_type(py, c"nestwise.site", size_of::<Iterator>(), 0, &mut slots)
    })?;
    Ok(ty.bind(py))
}
