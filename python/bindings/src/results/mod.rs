//! Carries values from a launch's frame to Python's names: what the site assigned is boxed and handed over.

pub(crate) mod views;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nestwise_frontend::LoopKind;
use nestwise_frontend::builtins::{Builtin, Known};
use nestwise_ir::model::liveout::{MadeArray, MadeField, MadeObject, SameAs};
use nestwise_ir::model::nest::ReturnForm;
use nestwise_ir::surface::{ExprKind, Scope, StmtKind};
use nestwise_ir::{ArrayId, LiveOut, LiveOutKind, PathId, Prov, VarId};
use nestwise_runtime::{Ended, Launch, Reason};
use pyo3::exceptions::{PyMemoryError, PySystemError};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::bind::Binding;
use crate::host::PyHost;
use crate::objects::{attributes, boxing, builtins, classes, random};
use crate::process::panics;
use crate::site::parsed::{Parsed, order};
use crate::site::progress::Progress;

/// An object that the nest has made, with the capture of its class and its number.
type Numbered = ((u32, i64), Py<PyAny>);

struct Collector<'a> {
    py: Python<'a>,
    parsed: &'a Parsed,
    binding: &'a Binding,
    launch: &'a Launch,
    host: &'a PyHost<'a>,
    /// The objects of the arrays that the nest has made, by their slots.
    made: RefCell<Vec<(ArrayId, Py<PyAny>)>>,
    /// The objects of the user's classes that were made, by their classes and numbers.
    objects: RefCell<Vec<Numbered>>,
}

/// Writes lists, globals and attributes back after a launch, and boxes the values that the rewritten code assigns
/// itself.
///
/// Arrays are written already, so CPython cannot run the iterations again: what goes wrong here (there is no memory for
/// an object) is raised at the loop.
pub fn collect(
    py: Python<'_>,
    parsed: &Parsed,
    binding: &Binding,
    launch: &Launch,
    mut host: PyHost<'_>,
) -> Progress {
    let mut progress = Progress::none();
    progress.ended = Some(launch.ended);
    progress.brief = launch.replaced() < nestwise_tiering::constants::SHORT.0;
    progress.interrupted = matches!(launch.stopped_by, Some(Reason::Interrupted));
    progress.raised = host.raised.take();
    let calls = host.calls.take();
    if let Some(mut calls) = calls {
        if let Err(error) = calls.release() {
            progress.raised = Some(error);
        }
        if progress.raised.is_none() {
            progress.raised = calls.raised.take();
        }
        progress.recorded = calls.into_recorded();
    }
    let this = Collector {
        py,
        parsed,
        binding,
        launch,
        host: &host,
        made: RefCell::default(),
        objects: RefCell::default(),
    };
    let work = AssertUnwindSafe(|| this.fill(&mut progress));
    let done = catch_unwind(work)
        .unwrap_or_else(|panic| Err(PySystemError::new_err(panics::message(&*panic))));
    if let Err(error) = done {
        progress.raised = Some(error);
    }
    progress
}

/// Writes globals and attributes in the middle of a launch; returns the new objects, by capture, or `None` where there
/// is no memory.
pub fn publish(
    py: Python<'_>,
    parsed: &Parsed,
    binding: &Binding,
    launch: &Launch,
    host: &PyHost<'_>,
) -> Option<Vec<(usize, Py<PyAny>)>> {
    let this = Collector {
        py,
        parsed,
        binding,
        launch,
        host,
        made: RefCell::default(),
        objects: RefCell::default(),
    };
    let mut all = Vec::new();
    let mut keep =
        |capture, object: &Bound<'_, PyAny>| all.push((capture, object.clone().unbind()));
    this.write_global_places(&mut keep).ok()?;
    Some(all)
}

/// Whether the top loop's iterable is a call of the builtin `range`.
pub fn runs_over_range(py: Python<'_>, parsed: &Parsed, binding: &Binding) -> bool {
    let StmtKind::For { iter, .. } = &parsed.surface.top.kind else {
        return false;
    };
    let ExprKind::Call { func, .. } = &iter.kind else {
        return false;
    };
    let ExprKind::Path(path) = func.kind else {
        return false;
    };
    let function = binding.captures[path.index()].object;
    builtins::known(py, function) == Some(Known::Builtin(Builtin::Range))
}

fn release(values: &[*mut PyObject]) {
    for value in values {
        // SAFETY: null or a reference of ours.
        unsafe { ffi::Py_XDECREF(*value) };
    }
}

impl Collector<'_> {
    fn fill(&self, progress: &mut Progress) -> PyResult<()> {
        if !self.host.write_back(self.launch) {
            // Whoever had no memory may have said so.
            let said = PyErr::take(self.py);
            return Err(said.unwrap_or_else(|| PyMemoryError::new_err(())));
        }
        // What others may have assigned since, they assigned later.
        if !self.host.published_all {
            self.write_global_places(&mut |_, _| ())?;
        }
        let (writes, maybe) = order(&self.parsed.interface);
        // Nothing is assigned at all where no iteration ran, unless every name has an old value to keep.
        let values: Vec<*mut PyObject> = writes.iter().map(|p| self.value_or_old(*p)).collect();
        if values.iter().all(|v| !v.is_null()) {
            progress.writes = values;
        } else {
            release(&values);
        }
        if self.parsed.interface.kind == LoopKind::Value {
            // The value of an expression belongs to no name of the program.
            progress.value = progress.writes.pop().unwrap_or(std::ptr::null_mut());
        }
        progress.maybe = maybe.iter().map(|p| self.value(*p)).collect();
        progress.range = self.launch.range();
        progress.is_range = matches!(self.launch.ended, Ended::Partial { .. })
            && runs_over_range(self.py, self.parsed, self.binding);
        if self.launch.ended == Ended::Returned {
            progress.value = self.returned();
        }
        PyErr::take(self.py).map_or(Ok(()), Err)
    }

    /// The live-out that holds the access path's value: a name whose type changes has several variables, of which flags
    /// say which one was assigned. `None` if the path was not assigned.
    fn live_out(&self, path: PathId) -> Option<&LiveOut> {
        let all = &self.launch.nest().live_outs;
        all.iter().find(|l| l.path == path && self.is_assigned(l))
    }

    fn is_assigned(&self, live_out: &LiveOut) -> bool {
        match live_out.assigned {
            // SAFETY: a bool slot of the frame.
            Some(flag) => unsafe { *self.launch.slot(flag) != 0 },
            None => self.launch.iterations() > 0,
        }
    }

    /// The new object of an access path; null if the site left it alone, or if there is no memory.
    fn value(&self, path: PathId) -> *mut PyObject {
        match self.live_out(path) {
            Some(live_out) => self.object(&live_out.kind),
            None => std::ptr::null_mut(),
        }
    }

    fn value_or_old(&self, path: PathId) -> *mut PyObject {
        let value = self.value(path);
        if !value.is_null() {
            return value;
        }
        let old = self.binding.captures[path.index()].object;
        // SAFETY: null or alive.
        unsafe { ffi::Py_XINCREF(old) };
        old
    }

    fn object(&self, kind: &LiveOutKind) -> *mut PyObject {
        match kind {
            LiveOutKind::None(_) => self.py.None().into_ptr(),
            LiveOutKind::Var(var) => self.variable(*var),
            // Only ever appended to: its name keeps its list.
            LiveOutKind::Appended { .. } => std::ptr::null_mut(),
            LiveOutKind::Slot(array) => {
                let origin = self.launch.origin(*array);
                let capture = self.launch.nest().arrays[origin].capture as usize;
                let object = self.binding.captures[capture].object;
                // SAFETY: kept alive by the binding.
                unsafe { ffi::Py_XINCREF(object) };
                object
            }
            LiveOutKind::Tuple(vars) => self.tuple(vars),
            LiveOutKind::Object(object) => self.made_object(object),
            LiveOutKind::Part(array, axes) => {
                let capture = self.launch.nest().arrays[*array].capture as usize;
                let object = self.binding.captures[capture].object;
                // SAFETY: kept alive by the binding.
                unsafe { views::part(self.py, object, self.launch, axes) }
            }
            LiveOutKind::Made(made) => self.made(made),
            LiveOutKind::MadePart(made, axes) => {
                let whole = self.made(made);
                // SAFETY: a reference of our own, which is given back.
                match unsafe { Bound::from_owned_ptr_or_opt(self.py, whole) } {
                    // SAFETY: an exact ndarray.
                    Some(whole) if !self.launch.nest().arrays[made.array].list => unsafe {
                        views::part(self.py, whole.as_ptr(), self.launch, axes)
                    },
                    // SAFETY: a list that was made for it.
                    Some(whole) => unsafe { views::item(whole.as_ptr(), self.launch, axes) },
                    None => std::ptr::null_mut(),
                }
            }
            LiveOutKind::View(array, index) => {
                let capture = self.launch.nest().arrays[*array].capture as usize;
                self.row(self.host.object(capture), index)
            }
        }
    }

    /// The object of an array that the nest has made, one for each slot, or the object that it is the same as. Null if
    /// there is no memory.
    fn made(&self, made: &MadeArray) -> *mut PyObject {
        let (array, lens, same) = (made.array, &made.lens, &made.same);
        let known = |other: &SameAs| match other {
            SameAs::Made(other) => {
                let made = self.made.borrow();
                let object = made.iter().find(|(array, _)| array == other);
                object.map(|(_, object)| object.as_ptr())
            }
            SameAs::Entry(capture) => Some(self.binding.captures[*capture as usize].object),
        };
        // SAFETY: bool slots of the frame.
        let is = |flag: VarId| unsafe { *self.launch.slot(flag) != 0 };
        let others = same.iter().filter(|(flag, _)| is(*flag));
        let others = others.map(|(_, other)| *other);
        let mut all = others.chain([SameAs::Made(array)]);
        if let Some(object) = all.find_map(|other| known(&other)) {
            // SAFETY: kept alive by the binding, or here.
            unsafe { ffi::Py_XINCREF(object) };
            return object;
        }
        let decl = &self.launch.nest().arrays[array];
        let storage = decl.storage;
        let object = match self.host.scratch(array) {
            // SAFETY: the launch has written all of its elements.
            Some(view) if decl.list => unsafe {
                views::list(self.py, &view, decl.elem, self.launch, lens.first())
            },
            Some(view) => {
                let array = views::made(self.py, &view, storage, self.launch, lens);
                match made.viewed.is_some_and(is) {
                    true => views::view(self.py, array),
                    false => array,
                }
            }
            None => std::ptr::null_mut(),
        };
        // SAFETY: null or alive.
        if let Some(kept) = unsafe { Bound::from_borrowed_ptr_or_opt(self.py, object) } {
            self.made.borrow_mut().push((array, kept.unbind()));
        }
        object
    }

    /// The row `object[i][j]...` of an exact list, tuple or ndarray, whose subscripts are the variables `index`: a new
    /// reference, or null with an error.
    fn row(&self, object: *mut PyObject, index: &[VarId]) -> *mut PyObject {
        // SAFETY: each step holds one reference; the types are exact, so no user code runs.
        unsafe {
            ffi::Py_XINCREF(object);
            let mut at = object;
            for var in index {
                let key = ffi::PyLong_FromLongLong(*self.launch.slot(*var).cast());
                let next = if key.is_null() {
                    key
                } else {
                    ffi::PyObject_GetItem(at, key)
                };
                ffi::Py_XDECREF(key);
                ffi::Py_XDECREF(at);
                at = next;
                if at.is_null() {
                    break;
                }
            }
            at
        }
    }

    fn variable(&self, var: VarId) -> *mut PyObject {
        let decl = &self.launch.nest().vars[var];
        let is_numpy = match (decl.ty.prov, decl.np_tag) {
            // SAFETY: a bool slot of the frame.
            (Prov::Dyn, Some(tag)) => unsafe { *self.launch.slot(tag) != 0 },
            _ => false,
        };
        // SAFETY: the slot holds a value of the variable's type.
        unsafe { boxing::boxed(self.py, decl.ty, self.launch.slot(var), is_numpy) }
    }

    /// The object of a class of the user's that the nest has made, a new one unless it is known by its number; null, with
    /// an error, if there is no memory.
    fn made_object(&self, object: &MadeObject) -> *mut PyObject {
        // SAFETY: an int slot of the frame.
        let number = object
            .number
            .map(|var| unsafe { *self.launch.slot(var).cast::<i64>() });
        let Some(number) = number else {
            return self.new_object(object);
        };
        if let Ok(capture) = usize::try_from(-1 - number) {
            let held = self.binding.captures[capture].object;
            // SAFETY: kept alive by the binding.
            unsafe { ffi::Py_XINCREF(held) };
            return held;
        }
        let key = (object.class, number);
        let known =
            |(other, held): &Numbered| (*other == key).then(|| held.clone_ref(self.py).into_ptr());
        if let Some(known) = self.objects.borrow().iter().find_map(known) {
            return known;
        }
        let new = self.new_object(object);
        // SAFETY: null or alive.
        if let Some(kept) = unsafe { Bound::from_borrowed_ptr_or_opt(self.py, new) } {
            self.objects.borrow_mut().push((key, kept.unbind()));
        }
        new
    }

    /// A new object of a class of the user's; null, with an error, if there is no memory.
    fn new_object(&self, object: &MadeObject) -> *mut PyObject {
        let class = self.binding.captures[object.class as usize].object;
        // SAFETY: kept alive by the binding.
        let class = unsafe { Bound::from_borrowed_ptr(self.py, class) };
        // SAFETY: new references; a class whose objects nests make has nothing that setting an attribute runs.
        unsafe {
            let made = classes::make(self.py, &class);
            if made.is_null() {
                return made;
            }
            for (name, field) in &object.fields {
                let value = match field {
                    MadeField::Var(var) => self.variable(*var),
                    MadeField::Object(object) => self.made_object(object),
                };
                let name = PyString::intern(self.py, name);
                let set = match value.is_null() {
                    true => -1,
                    false => ffi::PyObject_GenericSetAttr(made, name.as_ptr(), value),
                };
                ffi::Py_XDECREF(value);
                if set != 0 {
                    ffi::Py_DECREF(made);
                    return std::ptr::null_mut();
                }
            }
            made
        }
    }

    /// A new tuple of the variables' values; null if there is no memory.
    fn tuple(&self, vars: &[VarId]) -> *mut PyObject {
        // SAFETY: new references; the tuple takes over its items, and is dropped with those it has.
        unsafe {
            let tuple = ffi::PyTuple_New(vars.len() as isize);
            for (i, var) in vars.iter().enumerate() {
                if tuple.is_null() {
                    break;
                }
                let item = self.variable(*var);
                if item.is_null() {
                    ffi::Py_DECREF(tuple);
                    return item;
                }
                ffi::PyTuple_SetItem(tuple, i as isize, item);
            }
            tuple
        }
    }

    fn returned(&self) -> *mut PyObject {
        let Some(returns) = &self.launch.nest().returns else {
            return std::ptr::null_mut();
        };
        // SAFETY: new references; the tuple takes over its items.
        unsafe {
            match returns.form {
                ReturnForm::Scalar => returns
                    .vars
                    .first()
                    .map_or(std::ptr::null_mut(), |v| self.variable(*v)),
                ReturnForm::Tuple => self.tuple(&returns.vars),
                ReturnForm::None => {
                    let none = ffi::Py_None();
                    ffi::Py_INCREF(none);
                    none
                }
            }
        }
    }

    /// Sets globals and attributes; locals are left, since only the rewritten code can assign them. `keep` is told of
    /// each object and its capture.
    fn write_global_places(
        &self,
        written: &mut dyn FnMut(usize, &Bound<'_, PyAny>),
    ) -> PyResult<()> {
        let globals = attributes::globals(self.py);
        for live_out in &self.launch.nest().live_outs {
            let (path, parent) = self
                .binding
                .path_of(&self.parsed.paths, live_out.path.index());
            let grown = matches!(live_out.kind, LiveOutKind::Appended { .. });
            if grown || path.scope == Scope::Local || !self.is_assigned(live_out) {
                continue;
            }
            let value = self.object(&live_out.kind);
            if value.is_null() {
                continue;
            }
            // SAFETY: a new reference.
            let value = unsafe { Bound::from_owned_ptr(self.py, value) };
            // SAFETY: exact dictionary and interned key; attributes were found safe to set before the launch.
            let done = unsafe {
                match parent {
                    None => {
                        ffi::PyDict_SetItem(globals.as_ptr(), path.name.as_ptr(), value.as_ptr())
                    }
                    Some(parent) => {
                        let object = self.binding.captures[parent].object;
                        let name = path.name.bind(self.py);
                        random::keep(object, name, &value)
                    }
                }
            };
            if done != 0 {
                return Err(PyErr::fetch(self.py));
            }
            let seen = random::as_kept(&value);
            written(live_out.path.index(), &seen);
        }
        Ok(())
    }
}
