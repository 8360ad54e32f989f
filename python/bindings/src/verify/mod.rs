//! `nestwise verify`: native runs that CPython does over again.
//!
//! Before a nest runs natively a [`Check`] remembers everything that it could change. Afterwards what the nest left
//! behind is remembered too, and everything is put back: CPython runs the very same iterations, on the objects
//! themselves, and the program goes on from what CPython did. When CPython's part is over (its iterations are, or an
//! exception, a `break` or a `return` leaves the loop) both results are compared. Remembering and comparing are done in
//! `nestwise/verifying/check.py`.

pub(crate) mod rerun;

use std::cell::Cell;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nestwise_ir::surface::Scope;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::bind::Binding;
use crate::bind::record_values::Values;
use crate::boundary::record;
use crate::host::environment;
use crate::objects::attributes;
use crate::objects::records::PartOf;
use crate::site::parsed::Parsed;

record! {
    /// One call of one nest.
    NestCall {
        /// The user's file.
        file: String,
        /// Line of the loop statement.
        line: u32,
        /// The number of the call, from 1.
        call: u64,
    }
}

record! {
    /// The outcome of a native run of a nest.
    NativeRun {
        /// `finished`, `broke`, `returned`, `stopped` after some iterations, or `undone` before the first one was over.
        how: &'static str,
        /// The device where the nest ran.
        device: String,
        /// The schedule: what was done with the nest's loops, in words.
        schedule: String,
        /// The number of iterations of the top loop that ran natively.
        iterations: i64,
    }
}

/// One call of one nest: `nestwise.native.settings.OneCall`.
#[derive(FromPyObject)]
pub struct OneCall {
    file: String,
    line: u32,
    call: u64,
}

/// The comparisons that the user asked for.
struct Mode {
    /// The function that makes the Python half of a check.
    check: Py<PyAny>,
    /// The number of calls of which about one is compared.
    sample: u64,
    /// The only call that runs natively, if the user asked for one.
    only: Option<OneCall>,
}

static MODE: Mutex<Option<Mode>> = Mutex::new(None);
static ON: AtomicBool = AtomicBool::new(false);
static PASSED_OVER: AtomicU64 = AtomicU64::new(0);

/// The number of first calls of a nest that are compared in any case.
const FIRST_CALLS: u64 = 2;

thread_local! {
    /// The number of checks on this thread for which CPython is at work: nothing runs natively meanwhile.
    static BUSY: Cell<u32> = const { Cell::new(0) };
}

/// Has native runs compared from now on: about one in `sample`, or `only` one call. `check` makes the Python half of a
/// comparison.
#[pyfunction]
pub fn verify(check: Py<PyAny>, sample: u64, only: Option<OneCall>) {
    let sample = sample.max(1);
    let mode = Mode {
        check,
        sample,
        only,
    };
    *MODE.lock().unwrap_or_else(|e| e.into_inner()) = Some(mode);
    ON.store(true, Ordering::Relaxed);
}

/// Whether native runs are compared.
pub fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Whether CPython is at work for a comparison on this thread.
pub fn busy() -> bool {
    on() && BUSY.get() > 0
}

/// The treatment of one call of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picked {
    /// The call runs natively, and nothing is compared.
    Runs,
    /// The call runs natively and is counted. It would be compared, but for other threads of Python's: they may write
    /// what is remembered, and what they wrote would be lost.
    PassedOver,
    /// The call runs natively and in CPython, and both results are compared.
    Compared,
    /// The call is left to CPython.
    Left,
}

/// The treatment of the `call`-th call (from 1) of the nest at `line` of `file`.
pub fn picked(py: Python<'_>, file: &str, line: u32, call: u64) -> Picked {
    if !on() {
        return Picked::Runs;
    }
    let mode = MODE.lock().unwrap_or_else(|e| e.into_inner());
    let Some(mode) = &*mode else {
        return Picked::Runs;
    };
    if let Some(only) = &mode.only {
        let same = Path::new(file) == Path::new(&only.file);
        let same = same && (line, call) == (only.line, only.call);
        return if same { Picked::Compared } else { Picked::Left };
    }
    let taken = call <= FIRST_CALLS
        || nestwise_runtime::testing::forced_schedules::scattered(call).is_multiple_of(mode.sample);
    match (taken, taken && environment::is_alone(py)) {
        (_, true) => Picked::Compared,
        (true, _) => Picked::PassedOver,
        (false, _) => Picked::Runs,
    }
}

/// Counts a call that was passed over and ran natively.
pub fn pass_over() {
    PASSED_OVER.fetch_add(1, Ordering::Relaxed);
}

/// The number of native runs that were not compared because other threads of Python's were alive.
#[pyfunction]
pub fn passed_over() -> u64 {
    PASSED_OVER.load(Ordering::Relaxed)
}

struct Busy;

impl Busy {
    fn new() -> Busy {
        BUSY.set(BUSY.get() + 1);
        Busy
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(BUSY.get().saturating_sub(1));
    }
}

/// A comparison under way.
pub struct Check {
    /// The Python half of the check.
    pub(crate) object: Py<PyAny>,
    /// The part of the loop that CPython runs for the check.
    pub(crate) part: Part,
    _busy: Busy,
}

/// CPython's part of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// CPython runs all that is left of the loop.
    All,
    /// CPython runs `count` iterations of a `for`; then the loop goes on with iteration `next`.
    Iterations { count: i64, next: i64 },
    /// CPython runs this many iterations of a `while`.
    Turns(i64),
}

/// The outcome of a comparison.
pub enum Concluded {
    /// The comparison is over, and so is CPython's part, which was this one.
    Over(Part),
    /// CPython is to run one more iteration before the check concludes: the one with this number, unless the loop is a
    /// `while`.
    More(i64, Check),
}

impl Part {
    /// The part of a single iteration; of a `for` (`counted`), the one before `next`.
    pub(crate) fn one(counted: bool, next: i64) -> Part {
        if counted {
            Part::Iterations { count: 1, next }
        } else {
            Part::Turns(1)
        }
    }
}

/// The way in which CPython's part was left.
pub enum Exit<'py> {
    /// All iterations of the part have run.
    Completed,
    /// The loop was left by `break`, or early in some other way.
    Left,
    /// The loop was left by `return` with this value.
    Returned(Bound<'py, PyAny>),
    /// The loop was left by this exception.
    Raised(Bound<'py, PyAny>),
}

pub(crate) fn borrowed<'py>(py: Python<'py>, object: *mut PyObject) -> Option<Bound<'py, PyAny>> {
    // SAFETY: null or alive.
    unsafe { Bound::from_borrowed_ptr_or_opt(py, object) }
}

/// Begins a comparison: remembers everything that a nest with this binding could change. `call`: the number of the
/// call, from 1.
pub fn begin(
    py: Python<'_>,
    parsed: &Parsed,
    binding: &Binding,
    (file, line): (&str, u32),
    call: u64,
) -> PyResult<Check> {
    let make = MODE.lock().unwrap_or_else(|e| e.into_inner());
    let make = make.as_ref().map(|m| m.check.clone_ref(py));
    let make = make.ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("not verifying"))?;
    let captured = PyList::empty(py);
    let attributes = PyList::empty(py);
    let names = PyList::empty(py);
    let note = |label: String, index: usize, written: bool| -> PyResult<()> {
        let (path, parent) = binding.path_of(&parsed.paths, index);
        if let Some(object) = borrowed(py, binding.captures[index].object) {
            captured.append((&label, object))?;
        }
        match parent.map(|p| borrowed(py, binding.captures[p].object)) {
            Some(Some(owner)) if written => attributes.append((label, owner, &path.name)),
            None if written && path.scope != Scope::Local => names.append(&path.name),
            _ => Ok(()),
        }
    };
    for (id, path) in parsed.surface.paths.iter() {
        note(parsed.surface.dotted_name(id), id.index(), path.written)?;
    }
    for user in binding.users.iter().filter(|u| u.first > 0) {
        for (id, path) in user.function.surface.paths.iter() {
            let label = format!("{} of a called function", path.name);
            let outer = path.written && path.scope != Scope::Local || path.parent.is_some();
            note(label, user.first + id.index(), path.written && outer)?;
        }
    }
    for field in binding
        .fields
        .iter()
        .filter(|f| !matches!(f.part.of, PartOf::Item(_)))
    {
        // Where an object lacks it the nest does not work on it.
        let wanted = |capture| [field.capture, field.list].contains(&capture);
        let values = Values::of(py, binding, wanted).unwrap_or_default();
        for (at, object) in values.objects(binding, field.list).iter().enumerate() {
            let label = format!("object {at} of a list");
            attributes.append((label, borrowed(py, *object), &field.part.name))?;
        }
    }
    let globals = PyList::new(py, [attributes::globals(py)])?;
    for user in &binding.users {
        globals.append(&user.function.globals)?;
    }
    let locals = (&parsed.interface.writes, &parsed.interface.maybe);
    let about = NestCall {
        file: file.into(),
        line,
        call,
    };
    let arguments = (about, captured, attributes, names, globals, locals);
    let object = make.call1(py, arguments)?;
    Ok(Check {
        object,
        part: Part::All,
        _busy: Busy::new(),
    })
}

impl Check {
    /// Compares `iterable`, over which the loop runs, with the range that native code took it for.
    pub fn runs_over(&self, iterable: &Bound<'_, PyAny>, range: (i64, i64, i64)) {
        let told = self
            .object
            .call_method1(iterable.py(), "runs_over", (iterable, range));
        if let Err(error) = told {
            error.write_unraisable(iterable.py(), None);
        }
    }

    /// The number of iterations that CPython runs before the comparison.
    pub fn burst(&self) -> i64 {
        match self.part {
            Part::Iterations { count, .. } => count,
            Part::All | Part::Turns(_) => i64::MAX,
        }
    }

    /// Whether CPython may begin another iteration of a `while` of which it has run `done`.
    pub fn goes_on(&self, done: i64) -> bool {
        !matches!(self.part, Part::Turns(turns) if done >= turns)
    }

    /// Compares when CPython's part is over, and says what that part was; or has CPython run one more iteration.
    pub fn conclude(mut self, py: Python<'_>, exit: Exit<'_>) -> Concluded {
        let (word, object) = match exit {
            Exit::Completed => ("completed", None),
            Exit::Left => ("left", None),
            Exit::Returned(value) => ("returned", Some(value)),
            Exit::Raised(error) => ("raised", Some(error)),
        };
        let more = self.object.call_method1(py, "concluded", (word, object));
        let more = more.and_then(|m| m.extract::<bool>(py));
        let more = more.unwrap_or_else(|error| {
            error.write_unraisable(py, None);
            false
        });
        if !more {
            return Concluded::Over(self.part);
        }
        let next = match self.part {
            Part::Iterations { next, .. } => next,
            Part::All | Part::Turns(_) => 0,
        };
        self.part = match self.part {
            Part::Turns(turns) => Part::Turns(turns + 1),
            _ => Part::one(true, next + 1),
        };
        Concluded::More(next, self)
    }
}
