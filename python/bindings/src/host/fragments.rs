//! Evaluates the fragments of a nest by their functions.
//!
//! Where a fragment changes something, the nest records results: when iterations run again, natively or in CPython, the
//! recorded results stand for the fragments ([`Recorded`]). So an effect happens once, at its place in program order,
//! and whatever a guard undoes, it does not undo what other objects have seen.

use std::collections::VecDeque;
use std::ffi::{CString, c_void};

use nestwise_codegen::link::entries::{EMPTY, Table};
use nestwise_codegen::link::host::{CELL, Fragments, keeping_flags};
use nestwise_ir::{Effect, Fragment, FragmentForm, FragmentId, Nest, Prov, Scalar, Ty};
use nestwise_runtime::{Reason, Value};
use pyo3::exceptions::PyException;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::bind::classify;
use crate::host::entries::{Done, Entries};
use crate::host::sequences::Sequences;
use crate::objects::texts::{self, Texts};
use crate::objects::{boxing, layout, numpy};
use crate::process::once::Once;
use crate::site::fragment_functions::FragmentFunctions;

/// The most results that are recorded for one chunk: beyond it, CPython runs the rest of the iteration.
const MOST_RECORDED: usize = 1 << 22;

/// What a fragment has given: its value, or the exception that it raised.
pub struct Recorded {
    fragment: usize,
    /// The site's point at which the fragment stands.
    pub point: u32,
    /// The value or the exception.
    pub outcome: Result<Py<PyAny>, PyErr>,
}

/// The fragments of a launch.
pub struct Calls<'a> {
    py: Python<'a>,
    nest: &'a Nest,
    /// The functions of the fragments that CPython evaluates.
    functions: Vec<Option<Py<PyAny>>>,
    /// The arguments of each fragment: its objects, borrowed, and room for its scalars.
    arguments: Vec<Vec<*mut PyObject>>,
    compiled: &'a FragmentFunctions,
    records: bool,
    recorded: VecDeque<Recorded>,
    /// The number of recorded results that stood for fragments since the last commit or roll-back.
    used: usize,
    entries: Entries,
    sequences: Sequences,
    /// Whether the rest is left to CPython, which is faster.
    left: bool,
    /// An exception that a fragment without effect raised and that would not come again: a signal handler's.
    pub raised: Option<PyErr>,
}

impl<'a> Calls<'a> {
    /// The fragments of a nest whose captures are bound.
    pub fn new(
        py: Python<'a>,
        nest: &'a Nest,
        binding: &Binding,
        compiled: &'a FragmentFunctions,
        file: &str,
        globals: *mut PyObject,
    ) -> Result<Calls<'a>, Reason> {
        if compiled.is_left() {
            return Err(Reason::List {
                name: "a dictionary or set".into(),
                why: "the loop does hardly anything but make new entries of it, which CPython does faster",
            });
        }
        let mut functions = Vec::with_capacity(nest.fragments.len());
        let mut arguments = Vec::with_capacity(nest.fragments.len());
        for fragment in nest.fragments.values() {
            let function = match fragment.kept {
                Some(_) => Ok(None),
                None => compiled.function(py, fragment, file, globals).map(Some),
            };
            functions.push(function.map_err(|e| Reason::Internal(e.to_string()))?);
            let mut given = Vec::with_capacity(fragment.objects.len() + fragment.values.len());
            for object in &fragment.objects {
                let bound = binding.captures.get(object.capture as usize);
                let bound = bound.map(|b| b.object).filter(|o| !o.is_null());
                given.push(bound.ok_or_else(|| Reason::Unbound(object.name.clone()))?);
            }
            given.extend(fragment.values.iter().map(|_| std::ptr::null_mut()));
            arguments.push(given);
        }
        let entries = Entries::new(py, nest, binding);
        let entries = entries.ok_or_else(|| Reason::List {
            name: "a container".into(),
            why: "it is used by two names, or of a type whose entries have no native form",
        })?;
        let sequences = Sequences::new(py, nest, binding);
        let sequences = sequences.ok_or_else(|| Reason::List {
            name: "a list or deque".into(),
            why: "it is used by two names, or has elements of several lengths",
        })?;
        Ok(Calls {
            py,
            entries,
            sequences,
            left: false,
            nest,
            functions,
            arguments,
            compiled,
            records: nest.records_results(),
            recorded: VecDeque::new(),
            used: 0,
            raised: None,
        })
    }

    /// Forgets the results that were used: nothing before this point is rolled back any more.
    pub fn committed(&mut self) {
        drop(self.recorded.drain(..self.used));
        self.used = 0;
        self.sequences.committed();
        if self.entries.only_grows() {
            self.compiled.leave();
            self.left = true;
        }
        if let Err(error) = self.entries.committed(self.py) {
            self.raised = Some(error);
        }
    }

    /// Uses the recorded results from the last commit on once more.
    pub fn rolled_back(&mut self) {
        self.used = 0;
        self.entries.rolled_back();
        self.sequences.rolled_back();
    }

    /// Writes what was done with containers back, so that others may look at them, and change them.
    ///
    /// # Errors
    /// There is no memory.
    pub fn release(&mut self) -> PyResult<()> {
        self.sequences.write_back(self.py)?;
        self.entries.release(self.py)
    }

    fn written_back(&mut self) -> PyResult<()> {
        self.entries.write_back(self.py)?;
        self.sequences.write_back(self.py)
    }

    /// Looks at the containers anew.
    pub fn read_again(&mut self) {
        self.sequences.read_again(self.py);
    }

    /// The results of an iteration that did not run to its end, which CPython runs over again.
    pub fn into_recorded(self) -> VecDeque<Recorded> {
        self.recorded
    }

    /// Calls the function of a fragment with the scalars in `cells`.
    ///
    /// # Safety
    /// As for [`Fragments::evaluate`].
    unsafe fn call(
        &mut self,
        at: usize,
        fragment: &Fragment,
        cells: *mut u8,
    ) -> PyResult<Py<PyAny>> {
        let arguments = &mut self.arguments[at];
        let first = fragment.objects.len();
        let function = self.functions[at].as_ref();
        let function = function.map_or(std::ptr::null_mut(), Py::as_ptr);
        // SAFETY: each cell holds a value of its type; the function and the objects are alive.
        unsafe {
            let mut boxed = !function.is_null();
            for (k, value) in fragment.values.iter().enumerate() {
                let object = boxing::boxed(self.py, value.ty, cells.add(CELL * k), false);
                boxed &= !object.is_null();
                arguments[first + k] = object;
            }
            let result = match boxed {
                true => keeping_flags(|| {
                    vectorcall()(
                        function,
                        arguments.as_ptr(),
                        arguments.len(),
                        std::ptr::null_mut(),
                    )
                }),
                false => std::ptr::null_mut(),
            };
            for object in &mut arguments[first..] {
                ffi::Py_XDECREF(std::mem::replace(object, std::ptr::null_mut()));
            }
            Bound::from_owned_ptr_or_err(self.py, result).map(Bound::unbind)
        }
    }
}

type Vectorcall = unsafe extern "C" fn(
    *mut PyObject,
    *const *mut PyObject,
    usize,
    *mut PyObject,
) -> *mut PyObject;

/// CPython's `PyObject_Vectorcall`, which every version exports, although the limited API declares it from 3.12 on only.
fn vectorcall() -> Vectorcall {
    static FOUND: Once<Vectorcall> = Once::new();
    *FOUND.get_or_init(|| {
        let name = CString::from(c"PyObject_Vectorcall");
        // SAFETY: looks a name up among the libraries that are loaded.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        match found.is_null() {
            true => by_tuple,
            // SAFETY: the symbol is that function.
            false => unsafe { std::mem::transmute::<*mut libc::c_void, Vectorcall>(found) },
        }
    })
}

/// Calls `function` with `count` arguments in a tuple, where CPython does not export `PyObject_Vectorcall`.
unsafe extern "C" fn by_tuple(
    function: *mut PyObject,
    arguments: *const *mut PyObject,
    count: usize,
    _names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `count` live objects; the tuple takes over references of its own.
    unsafe {
        let tuple = ffi::PyTuple_New(count as isize);
        if tuple.is_null() {
            return tuple;
        }
        for k in 0..count {
            let argument = *arguments.add(k);
            ffi::Py_INCREF(argument);
            ffi::PyTuple_SetItem(tuple, k as isize, argument);
        }
        let result = ffi::PyObject_Call(function, tuple, std::ptr::null_mut());
        ffi::Py_DECREF(tuple);
        result
    }
}

impl Fragments for Calls<'_> {
    fn kept(&self, fragment: usize) -> *const c_void {
        let table = self.entries.table(fragment).map(<*const Table>::cast);
        let sequence = || Some(self.sequences.kept(fragment)?.cast());
        table.or_else(sequence).unwrap_or((&raw const EMPTY).cast())
    }

    unsafe fn evaluate(&mut self, at: usize, cells: *mut u8) -> bool {
        let nest = self.nest;
        let Some(fragment) = nest.fragments.get(FragmentId(at as u32)) else {
            return false;
        };
        if self.left {
            return false;
        }
        // SAFETY: as promised by the caller.
        let performed = unsafe {
            let entry = self.entries.perform(self.py, at, cells);
            entry.or_else(|| self.sequences.perform(at, cells))
        };
        match performed {
            Some(Done::Yes) => return true,
            Some(Done::Other(ty)) => {
                self.compiled.observe(&fragment.text, ty);
                return false;
            }
            Some(Done::No) => return false,
            None => {}
        }
        if (fragment.effect != Effect::Pure || fragment.looks_inside)
            && let Err(error) = self.written_back()
        {
            self.raised = Some(error);
            return false;
        }
        let point = fragment.point.filter(|_| self.records);
        let Some(point) = point else {
            // SAFETY: as promised by the caller.
            return match unsafe { self.call(at, fragment, cells) } {
                // SAFETY: as above.
                Ok(value) => unsafe { self.unboxed(fragment, value.bind(self.py), cells) },
                Err(error) => {
                    // CPython evaluates the fragment again, and raises. Not what a signal handler has raised.
                    if !error.is_instance_of::<PyException>(self.py) {
                        self.raised = Some(error);
                    }
                    false
                }
            };
        };
        if self.used == self.recorded.len() {
            if self.used >= MOST_RECORDED {
                return false;
            }
            // SAFETY: as above.
            let outcome = unsafe { self.call(at, fragment, cells) };
            let outcome = outcome.map_err(|e| without_first_frame(self.py, e));
            self.recorded.push_back(Recorded {
                fragment: at,
                point,
                outcome,
            });
        }
        let recorded = &self.recorded[self.used];
        if recorded.fragment != at {
            return false;
        }
        self.used += 1;
        match &recorded.outcome {
            // SAFETY: as above.
            Ok(value) => unsafe { self.unboxed(fragment, value.bind(self.py), cells) },
            Err(_) => false,
        }
    }
}

/// The exception as if the fragment's text had been evaluated in its caller: without the frame of its function.
fn without_first_frame(py: Python<'_>, error: PyErr) -> PyErr {
    let inner = error.traceback(py).and_then(|t| t.getattr("tb_next").ok());
    let inner = inner.and_then(|t| t.cast_into().ok());
    error.set_traceback(py, inner);
    error
}

impl Calls<'_> {
    /// Leaves the value of a fragment in a cell; false where it is of another type than expected, which is noted.
    ///
    /// # Safety
    /// There is room for a value at `cell`.
    unsafe fn unboxed(&self, fragment: &Fragment, value: &Bound<'_, PyAny>, cell: *mut u8) -> bool {
        let FragmentForm::Value(ty) = fragment.form else {
            // SAFETY: as promised by the caller.
            unsafe { *cell = 0 };
            return true;
        };
        let object = value.as_ptr();
        // SAFETY: as promised by the caller; payloads are read only of exact types.
        let fits = unsafe { stored(self.py, ty, object, cell) };
        if !fits {
            // SAFETY: a live object.
            let number = unsafe { classify::number(numpy::numpy(self.py), object) };
            let actual = number.and_then(|(word, _)| classify::scalar_type(word));
            // SAFETY: the same.
            let is_text = unsafe { texts::is_text(object) };
            let actual = actual.or(is_text.then_some(Ty::CHAR));
            let long = ty == Ty::PY_INT && value.is_exact_instance_of::<pyo3::types::PyInt>();
            if !long && actual != Some(ty) {
                self.compiled.observe(&fragment.text, actual);
            }
        }
        fits
    }
}

unsafe fn stored(py: Python<'_>, ty: Ty, object: *mut PyObject, cell: *mut u8) -> bool {
    // SAFETY: as promised by the caller of `unboxed`.
    unsafe {
        let class = ffi::Py_TYPE(object);
        if ty == Ty::PY_FLOAT {
            if class != &raw mut ffi::PyFloat_Type {
                return false;
            }
            *cell.cast::<f64>() = layout::payload(object);
            return true;
        }
        if ty == Ty::CHAR {
            let number = Texts::new(py).number_of(object);
            number.inspect(|number| *cell.cast::<u32>() = *number);
            return number.is_some();
        }
        let Some((word, value)) = classify::number(numpy::numpy(py), object) else {
            return false;
        };
        if classify::scalar_type(word) != Some(ty) {
            return false;
        }
        if ty.prov == Prov::Np {
            let from = layout::payload_of(object);
            std::ptr::copy_nonoverlapping(from, cell, ty.repr.size());
            return true;
        }
        match (value, ty.repr) {
            (Value::Int(v), Scalar::I64) => *cell.cast() = v,
            (Value::Uint(v), Scalar::U64) => *cell.cast() = v,
            (Value::Wide(v), Scalar::I128) => *cell.cast() = v,
            (Value::Bool(v), Scalar::Bool) => *cell = u8::from(v),
            (Value::Complex(re, im), Scalar::C128) => *cell.cast() = [re, im],
            _ => return false,
        }
        true
    }
}
