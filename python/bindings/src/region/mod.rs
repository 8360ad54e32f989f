//! Regions: loops in which a device keeps its copies of arrays from one nest to the next.
//!
//! `nestwise/rewriting/region.py` finds regions, and puts a call of ours before every statement between nests that
//! could look at an array: `FLUSH()` has the arrays of the host hold what the device computed, and forgets the copies;
//! `KEEP(roles, names...)` does so only if a name holds something with which the statement could run user code. While
//! copies are kept, only statements without user code run: no signal handler, no other thread (nests keep no copies
//! where there are any), and not the garbage collector, which is off meanwhile.
//!
//! The form of a statement decides before the program runs which call it gets; the types of its names are looked at
//! when it runs. So no type has to be proved, and a form that is not foreseen costs transfers, never an answer.

pub(crate) mod hooks;
pub(crate) mod makers;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nestwise_runtime::device::residency;
use nestwise_runtime::{ArrayView, Reason};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::bind::classify;
use crate::host::warnings;
use crate::objects::array_owner::owner;
use crate::objects::numpy::{self, Numpy};
use crate::objects::{attributes, builtins, layout};
use crate::site::Site;

unsafe extern "C" {
    // In the limited API since CPython 3.10.
    fn PyGC_Disable() -> std::ffi::c_int;
    fn PyGC_Enable() -> std::ffi::c_int;
}

thread_local! {
    /// The last site that kept copies, under which the report counts what is copied back later.
    static LAST: RefCell<Option<Arc<Site>>> = const { RefCell::new(None) };
    /// Whether the garbage collector was on when copies were first kept.
    static COLLECTS: Cell<bool> = const { Cell::new(false) };
}

/// A running region: what is known of names that may have had no value when it began.
struct Activation {
    id: u64,
    /// The first site of the region, which stands for it.
    first: *const Site,
    /// A statement bound such names to objects that were not checked.
    failed: bool,
    /// A name that the next site binds held an object that does not fit: the site keeps no copies.
    blocked: bool,
    /// The time, counted from 1, when each site last ran natively to its end: what it binds was made by native code
    /// then.
    native: Vec<(*const Site, u64)>,
    /// The time when CPython last ran a site, or a part of one.
    interpreted: u64,
    /// The number of site runs so far, as a clock.
    now: u64,
    /// The array that was made last at each place where arrays are made: see [`crate::region::makers`].
    made: Vec<Made>,
    /// How often code ran that may have done anything with the made arrays.
    flushed: u64,
}

/// The array that was made last at a place.
#[derive(Default)]
struct Made {
    array: Option<Py<PyAny>>,
    /// The value of [`Activation::flushed`] when the array was made.
    flushed: u64,
}

thread_local! {
    /// The running regions of this thread, the innermost last: a function with a region is no generator.
    static ACTIVE: RefCell<Vec<Activation>> = const { RefCell::new(Vec::new()) };
}

/// Replaces the array that was made at a place of a region by `made`; returns the array made there before, and whether
/// no code has run since that may have kept it.
pub(crate) fn exchange<'py>(
    first: &Arc<Site>,
    place: usize,
    made: &Bound<'py, PyAny>,
) -> (Option<Bound<'py, PyAny>>, bool) {
    let exchange = |active: &mut Activation| {
        let places = active.made.len().max(place + 1);
        active.made.resize_with(places, Made::default);
        let now = Made {
            array: Some(made.clone().unbind()),
            flushed: active.flushed,
        };
        let before = std::mem::replace(&mut active.made[place], now);
        (before.array, before.flushed == active.flushed)
    };
    let (before, known) = with_active(first, exchange).unwrap_or_default();
    // Bound: what nobody is bound to goes when PyO3 finds the time.
    (before.map(|before| before.into_bound(made.py())), known)
}

/// Flushes the copies before code that may do anything with the made arrays, so that nothing is known of them any more.
pub(crate) fn flush(py: Python<'_>, first: &Arc<Site>) -> PyResult<()> {
    release(py)?;
    let made = with_active(first, |active| {
        active.flushed += u64::from(!active.made.is_empty());
        let arrays = active.made.iter_mut().filter_map(|made| made.array.take());
        arrays.collect::<Vec<_>>()
    });
    let bound = |array: Py<PyAny>| array.into_bound(py);
    made.into_iter().flatten().map(bound).for_each(drop);
    Ok(())
}

fn with_active<T>(first: &Arc<Site>, f: impl FnOnce(&mut Activation) -> T) -> Option<T> {
    ACTIVE.with_borrow_mut(|all| {
        let own = |one: &&mut Activation| std::ptr::eq(one.first, Arc::as_ptr(first));
        all.iter_mut().rev().find(own).map(f)
    })
}

/// The role of a site in its region.
pub struct Place {
    /// The first site of the region, which stands for it.
    pub first: Arc<Site>,
    /// The device's copies of the site's arrays may outlive it.
    pub keeps: bool,
    /// The site binds names that may have no value before, and what they held is not checked.
    pub unsure: bool,
    /// The site may leave some of those names unchanged, so that what CPython bound them to may stay for long.
    pub maybe: bool,
    /// Names that may have no value surely have none when the region begins.
    pub alone: bool,
}

impl Place {
    /// Whether copies may be kept in the site: its assignments drop no object whose end user code could notice.
    pub fn keeps(&self, site: &Arc<Site>) -> bool {
        let known = |active: &mut Activation| {
            // Names may hold arrays whose end somebody sees.
            let strange = active
                .made
                .iter()
                .any(|made| made.flushed != active.flushed);
            if std::mem::take(&mut active.blocked) || strange {
                return false;
            }
            let last = active.native.iter().find(|n| n.0 == Arc::as_ptr(site));
            match last {
                _ if !self.unsure => true,
                Some((_, last)) if !self.maybe => *last > active.interpreted,
                _ => self.alone && active.interpreted == 0,
            }
        };
        self.keeps && with_active(&self.first, known).unwrap_or(false)
    }

    /// Notes that the site has run, natively to its end or not.
    pub fn ran(&self, site: &Arc<Site>, natively: bool) {
        with_active(&self.first, |active| {
            active.now += 1;
            if natively {
                active.native.retain(|n| n.0 != Arc::as_ptr(site));
                active.native.push((Arc::as_ptr(site), active.now));
            } else {
                active.interpreted = active.now;
            }
        });
    }
}

/// Notes that a nest of the site is over: if copies are kept, the garbage collector is turned off.
pub fn nest_ended(site: &Arc<Site>) {
    if !residency::any() {
        return;
    }
    LAST.set(Some(site.clone()));
    // SAFETY: the GIL is held.
    if unsafe { PyGC_Disable() } != 0 {
        COLLECTS.set(true);
    }
}

/// Copies arrays back and forgets the device's copies, before CPython runs anything that may look at arrays. An error
/// says that what the device computed is lost.
pub fn release(_: Python<'_>) -> PyResult<()> {
    if !residency::any() {
        return Ok(());
    }
    let released = residency::release();
    if let Some(site) = LAST.take() {
        site.transferred(residency::take_transfers());
    }
    if COLLECTS.replace(false) {
        // SAFETY: the GIL is held.
        unsafe { PyGC_Enable() };
    }
    released.map_err(|reason| {
        PyRuntimeError::new_err(format!(
            "nestwise: what loops computed on the GPU since arrays were last on the host is lost: {reason}; \
             NESTWISE_DEVICE=auto or threads runs them without it"
        ))
    })
}

/// The work of `KEEP(roles, names...)`: if not all names hold what their roles say, the copies are flushed.
///
/// A role is a letter: `n`, a number that operators work with; `m`, an object whose name is assigned, so that it may
/// die; `r` and `w`, an array whose elements are read or written; `e`, an array of which one element is read, at the
/// subscript whose parts follow with roles `i`; `h`, an array whose header is read; `s`, an int or a tuple of ints;
/// `p`, NumPy itself; `f`, a function that does something with numbers. For a capital letter the argument is the name
/// itself, which is looked up as a global or a builtin.
///
/// After a `!` the statement binds names that may have had no value before: they must have been bound to checked
/// objects since the region began or, after a `!+`, by sites that ran natively. After a `?` the names are those that
/// the site behind the call binds.
pub fn keep(py: Python<'_>, first: &Arc<Site>, arguments: &[*mut PyObject]) -> PyResult<()> {
    let Some((roles, names)) = arguments.split_first() else {
        return Ok(());
    };
    // SAFETY: the rewritten code's constant.
    let roles = unsafe { Bound::from_borrowed_ptr(py, *roles) };
    let roles = roles
        .cast::<PyString>()
        .map_or(Ok(""), |roles| roles.to_str())?;
    let (unsure, site) = (roles.starts_with('!'), roles.starts_with('?'));
    if !unsure && !site && !residency::any() {
        return Ok(());
    }
    let by_sites = roles.starts_with("!+");
    let looked_at =
        |active: &mut Activation| !active.failed && (!by_sites || active.interpreted == 0);
    let mut all = !unsure || with_active(first, looked_at).unwrap_or(false);
    let mut held = Held {
        roles: roles.trim_start_matches(['!', '+', '?']).as_bytes(),
        names,
    };
    while let Some((role, value)) = held.next(py) {
        let fits = match (role, value) {
            (b'e', Some(array)) => fits_element(py, array, &held.subscript(py))?,
            (role, Some(value)) => fits(py, role, value)?,
            // The name has no value yet, so that no object dies when it is assigned.
            (role, None) => role == b'm',
        };
        all = all && fits;
    }
    if all {
        return Ok(());
    }
    with_active(first, |active| {
        active.failed |= unsure;
        active.blocked |= site;
    });
    release(py)
}

/// The roles and values of `KEEP` that are left to check.
struct Held<'a> {
    roles: &'a [u8],
    names: &'a [*mut PyObject],
}

impl Held<'_> {
    /// Takes the next role, with the value of its name, if that has one.
    fn next(&mut self, py: Python<'_>) -> Option<(u8, Option<*mut PyObject>)> {
        let (role, roles) = self.roles.split_first()?;
        let (name, names) = self.names.split_first()?;
        (self.roles, self.names) = (roles, names);
        let value = match role.is_ascii_uppercase() {
            true => looked_up(py, *name),
            false => Some(*name),
        };
        Some((role.to_ascii_lowercase(), value))
    }

    /// Takes the subscript that follows; `None` where a part of it is no int of 64 bits.
    fn subscript(&mut self, py: Python<'_>) -> Option<Vec<i64>> {
        let mut parts = Vec::new();
        while self
            .roles
            .first()
            .is_some_and(|r| r.eq_ignore_ascii_case(&b'i'))
        {
            parts.push(self.next(py).and_then(|part| int(part.1?)));
        }
        parts.into_iter().collect()
    }
}

/// The value of an exact int; `None` for other objects and for more than 64 bits.
fn int(value: *mut PyObject) -> Option<i64> {
    // SAFETY: a live object; an exact int raises nothing but what is cleared.
    unsafe {
        if ffi::Py_TYPE(value) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let mut overflow = 0;
        let found = ffi::PyLong_AsLongLongAndOverflow(value, &raw mut overflow);
        (overflow == 0).then_some(found)
    }
}

/// The value of a name that is no local, borrowed; `None` if it has none.
fn looked_up(py: Python<'_>, name: *mut PyObject) -> Option<*mut PyObject> {
    let dictionaries = [attributes::globals(py).as_ptr(), attributes::builtins(py)];
    let found = dictionaries.map(|dictionary| {
        // SAFETY: a dictionary and a string; a borrowed reference comes back, or none.
        unsafe { ffi::PyDict_GetItemWithError(dictionary, name) }
    });
    found.into_iter().find(|value| !value.is_null())
}

fn fits(py: Python<'_>, role: u8, value: *mut PyObject) -> PyResult<bool> {
    let world = numpy::numpy(py);
    // SAFETY: a live object.
    let ty = unsafe { ffi::Py_TYPE(value) };
    let is_array = world.is_some_and(|w| w.ndarray == ty);
    Ok(match role {
        b'n' => is_plain(py, world, value, ty),
        b'm' if is_array => {
            // An array whose last name goes must not: its copy may be what counts. Nor may one that somebody sees
            // going, or whose elements have an end of their own. SAFETY: an exact ndarray.
            let is_quiet = || unsafe {
                layout::array_header(value).weak.is_null() && classify::numbers(value).is_some()
            };
            !residency::any() || is_quiet() && residency::hold(value as usize, || owner(py, value))
        }
        b'm' => is_plain(py, world, value, ty),
        b'r' | b'w' if is_array => elements(py, value, role == b'w')?,
        b'h' => is_array,
        b's' => is_shape(value),
        b'p' => world.is_some_and(|w| w.module == value),
        // NumPy's functions warn, and `range` is asked about most.
        b'f' if value == (&raw mut ffi::PyRange_Type).cast() => true,
        b'f' => builtins::is_known(py, value) && !warnings::warnings_stop(py),
        _ => false,
    })
}

/// Whether `value` is an int or a tuple of ints.
fn is_shape(value: *mut PyObject) -> bool {
    // SAFETY: a live object; types are looked at before anything is read.
    unsafe {
        let is_int = |of: *mut PyObject| ffi::Py_TYPE(of) == &raw mut ffi::PyLong_Type;
        let is_tuple = ffi::Py_TYPE(value) == &raw mut ffi::PyTuple_Type;
        is_int(value) || is_tuple && layout::tuple_items(value).iter().all(|of| is_int(*of))
    }
}

/// Makes an array on the host current because the statement that follows reads or, with `write`, writes its elements;
/// returns whether that statement runs no other code.
pub(crate) fn elements(py: Python<'_>, array: *mut PyObject, write: bool) -> PyResult<bool> {
    // SAFETY: a live ndarray.
    let Some(view) = (unsafe { classify::numbers(array) }) else {
        return Ok(false);
    };
    if warnings::warnings_stop(py) {
        return Ok(false);
    }
    let came_down = match write {
        true => residency::give_up(view.range()),
        false => residency::settle(Some(view.range())),
    };
    came(py, came_down.map(|()| true))
}

/// Makes one element on the host current because the statement that follows reads it; returns whether that statement
/// runs no other code. Without a subscript of ints the whole array is copied back.
fn fits_element(
    py: Python<'_>,
    array: *mut PyObject,
    subscript: &Option<Vec<i64>>,
) -> PyResult<bool> {
    // SAFETY: a live object; one that is an exact ndarray.
    let view = unsafe {
        let is_array = numpy::numpy(py).is_some_and(|w| w.ndarray == ffi::Py_TYPE(array));
        is_array.then(|| classify::numbers(array)).flatten()
    };
    let Some(view) = view.filter(|_| !warnings::warnings_stop(py)) else {
        return Ok(false);
    };
    let at = subscript
        .as_ref()
        .and_then(|subscript| address(&view, subscript));
    let came_down = match at {
        Some(at) => residency::settle_element(&view, at),
        None => residency::settle(Some(view.range())),
    };
    came(py, came_down.map(|()| true))
}

/// The address of the element at `subscript`; `None` where there is none, or several.
fn address(view: &ArrayView, subscript: &[i64]) -> Option<i64> {
    if subscript.len() != view.rank {
        return None;
    }
    let mut at = view.ptr as i64;
    for (axis, index) in subscript.iter().enumerate() {
        let extent = view.extents[axis];
        let index = if *index < 0 { index + extent } else { *index };
        if !(0..extent).contains(&index) {
            return None;
        }
        at += index * view.strides[axis];
    }
    Some(at)
}

/// Passes on the result of a copy to or from the device; after a failure all copies are flushed, and only if that
/// fails, too, an error is raised.
pub(crate) fn came<T: Default>(py: Python<'_>, came: Result<T, Reason>) -> PyResult<T> {
    came.map_or_else(|_| release(py).map(|()| T::default()), Ok)
}

/// Whether `value` is a number or another constant: neither its end nor an operator on it runs user code.
fn is_plain(
    py: Python<'_>,
    world: Option<&Numpy>,
    value: *mut PyObject,
    ty: *mut ffi::PyTypeObject,
) -> bool {
    let types = [
        &raw mut ffi::PyFloat_Type,
        &raw mut ffi::PyLong_Type,
        &raw mut ffi::PyBool_Type,
        &raw mut ffi::PyComplex_Type,
        &raw mut ffi::PyUnicode_Type,
        &raw mut ffi::PyBytes_Type,
    ];
    // SAFETY: comparing addresses.
    let none = unsafe { value == ffi::Py_None() };
    let scalar = || world.is_some_and(|w| w.scalar_of(ty).is_some());
    none || types.contains(&ty) || scalar() && !warnings::warnings_stop(py)
}

/// The iterator of `for () in REGION()`: one turn, in which the loop runs; the iterator's end, however the loop is
/// left, is the end of all copies.
#[pyclass(frozen, module = "nestwise", name = "region")]
pub struct Region {
    id: u64,
    begun: AtomicBool,
}

impl Region {
    /// Begins the region whose first site is `first`.
    pub fn new(first: &Arc<Site>) -> Region {
        static REGIONS: AtomicU64 = AtomicU64::new(0);
        let id = REGIONS.fetch_add(1, Ordering::Relaxed);
        let active = Activation {
            id,
            first: Arc::as_ptr(first),
            failed: false,
            blocked: false,
            native: Vec::new(),
            interpreted: 0,
            now: 0,
            made: Vec::new(),
            flushed: 0,
        };
        ACTIVE.with_borrow_mut(|all| all.push(active));
        Region {
            id,
            begun: AtomicBool::new(false),
        }
    }
}

#[pymethods]
impl Region {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if self.begun.swap(true, Ordering::Relaxed) {
            return release(py).map(|()| None);
        }
        Ok(Some(PyTuple::empty(py)))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // What it made goes after the copies do, and with nothing of ours borrowed.
        let _over: Vec<Activation> = ACTIVE
            .with_borrow_mut(|all| all.extract_if(.., |active| active.id == self.id).collect());
        if !residency::any() {
            return;
        }
        // An exception is on its way, and stays what the program is told of.
        Python::attach(|py| {
            let pending = PyErr::take(py);
            if let Err(error) = release(py) {
                error.write_unraisable(py, None);
            }
            if let Some(pending) = pending {
                pending.restore(py);
            }
        });
    }
}

/// The iterator of a loop in a region whose iterable is no range: between two elements user code may run, so that
/// copies are flushed.
#[pyclass(frozen, module = "nestwise", name = "iterator")]
pub struct Flushing {
    own: Py<PyAny>,
    first: Arc<Site>,
}

impl Flushing {
    /// The object that a loop in a region runs over instead of `iterable`: the iterable itself if it is a range, else a
    /// [`Flushing`] iterator.
    pub fn over<'py>(
        first: &Arc<Site>,
        iterable: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = iterable.py();
        // SAFETY: a live object.
        if unsafe { ffi::Py_TYPE(iterable.as_ptr()) == &raw mut ffi::PyRange_Type } {
            return Ok(iterable.clone());
        }
        release(py)?;
        let own = iterable.try_iter()?.into_any().unbind();
        let first = first.clone();
        Ok(Bound::new(py, Flushing { own, first })?.into_any())
    }
}

#[pymethods]
impl Flushing {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        release(py)?;
        // What it gives is bound to names, and is no number of ours.
        with_active(&self.first, |active| {
            active.failed = true;
            active.now += 1;
            active.interpreted = active.now;
        });
        // SAFETY: an iterator, as `iter` says; no object without an error is its end.
        unsafe {
            let next = ffi::PyIter_Next(self.own.as_ptr());
            match Bound::from_owned_ptr_or_opt(py, next) {
                Some(next) => Ok(Some(next.unbind())),
                None => PyErr::take(py).map_or(Ok(None), Err),
            }
        }
    }
}
