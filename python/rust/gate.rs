//! Calls that are left to CPython without an attempt: too small for one to pay, or like others that came to nothing.

use crate::attributes;
use crate::latch::Latch;
use crate::layout;
use crate::parsed::Parsed;
use crate::switch::Switch;
use crate::vain::{Answer, Attempted, Vain, Why};
use crate::verify;
use nestwise_costmodel::{Caches, Ready};
use nestwise_frontend::atoms::{Atom, AtomKind};
use nestwise_ir::surface::Scope;
use nestwise_runtime::crew::PATIENCE;
use nestwise_runtime::{DeviceChoice, options};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};

/// Of a loop that takes CPython so many seconds or more, an attempt is a small part.
pub const SHORT: f64 = 25e-6;

/// The same where calls come seldom: an attempt takes ten times as long with cold caches.
const SHORT_SELDOM: f64 = 250e-6;

/// Seconds after which a call that is only watched is asked about after all.
pub const WATCHED: f64 = 100e-6;

/// Nanoseconds after which a call finds little of the one before in the caches.
const SELDOM: i64 = 50_000;

/// What may have been found, by number.
const FOUND: [Option<Ready>; 6] = [
    None,
    found(Caches::Warm, false),
    found(Caches::Shared, false),
    found(Caches::Shared, true),
    found(Caches::Cold, false),
    found(Caches::Cold, true),
];

const fn found(caches: Caches, asleep: bool) -> Option<Ready> {
    Some(Ready { caches, asleep })
}

/// Launches of all sites.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);
/// When the last of them ended, about, in nanoseconds, that had something for helpers, or could have had.
static SHARED: AtomicI64 = AtomicI64::new(0);

/// What stands before a site's attempts. What calls ask that come seldom is side by side.
#[repr(C)]
pub struct Gate {
    /// What leaves calls at a glance.
    pub latch: Latch,
    /// Up to this much work CPython is cheaper if a call finds the caches so: see [`Latch`] for those that find them warm.
    shared: AtomicI64,
    cold: AtomicI64,
    /// When the last call that was asked about ended, about, or began, in nanoseconds; 0: never.
    before: AtomicI64,
    /// What the call that was just admitted finds, if that was looked at: see [`FOUND`].
    found: AtomicU8,
    /// Launches of the site, and those of others when it was asked about last.
    own: AtomicU64,
    others: AtomicU64,
    /// That was long after the time before.
    late: AtomicBool,
    /// The call that comes now is to be watched.
    watch: AtomicBool,
    vain: Vain,
    /// For sites whose calls nothing tells apart at a glance.
    pub switch: Switch,
    /// Nothing told the last call's work at a glance.
    blind: AtomicBool,
}

impl Gate {
    pub fn new() -> Gate {
        Gate {
            latch: Latch::new(),
            shared: AtomicI64::new(-1),
            cold: AtomicI64::new(-1),
            before: AtomicI64::new(0),
            found: AtomicU8::new(0),
            own: AtomicU64::new(0),
            others: AtomicU64::new(0),
            late: AtomicBool::new(false),
            watch: AtomicBool::new(false),
            vain: Vain::default(),
            switch: Switch::default(),
            blind: AtomicBool::new(true),
        }
    }

    /// Whether a call of that much work is worth an attempt, or at least [to be watched](Gate::watches). `glanced`: the latch
    /// sees how much that is, and may leave others.
    pub fn admits(&self, work: Option<Work>, glanced: bool) -> bool {
        if work.is_some_and(|w| w.bounds && self.leaves(w.amount)) {
            return false;
        }
        let answer = self.vain.answer(&self.latch, work, glanced);
        if answer == Answer::Watch {
            self.watch.store(true, Ordering::Relaxed);
        }
        answer != Answer::Leave
    }

    /// Whether a glance tells how much work the call that comes now is.
    pub fn sees(&self, glance: bool) {
        if self.blind.load(Ordering::Relaxed) == glance {
            self.blind.store(!glance, Ordering::Relaxed);
        }
    }

    /// Whether CPython is to begin the call that was just admitted, which is asked about only if it takes long: what
    /// became of the ones before.
    pub fn watches(&self) -> Option<Why> {
        let watched =
            self.watch.load(Ordering::Relaxed) && self.watch.swap(false, Ordering::Relaxed);
        watched.then(|| self.vain.before())
    }

    fn leaves(&self, amount: i64) -> bool {
        if self.latch.is_small(amount) {
            return true;
        }
        let within = |threshold: &AtomicI64| amount <= threshold.load(Ordering::Relaxed);
        if !within(&self.shared) && !within(&self.cold) {
            return false;
        }
        let found = self.look();
        let leaves = match found.caches {
            Caches::Warm => false,
            Caches::Shared => within(&self.shared),
            Caches::Cold => within(&self.cold),
        };
        let found = FOUND.iter().position(|f| *f == Some(found));
        let found = found.filter(|_| !leaves).unwrap_or(0);
        self.found.store(found as u8, Ordering::Relaxed);
        leaves
    }

    /// What the call that comes now finds.
    pub fn ready(&self) -> Ready {
        let found = self.found.swap(0, Ordering::Relaxed);
        FOUND[usize::from(found)].unwrap_or_else(|| self.look())
    }

    /// Helpers that nobody had anything for sleep; not after launches that were not for them, but could have been: they would be
    /// awake if such calls were theirs.
    fn look(&self) -> Ready {
        let now = time(libc::CLOCK_MONOTONIC);
        let before = self.before.swap(now, Ordering::Relaxed);
        let late = before > 0 && now - before > SELDOM;
        self.late.store(late, Ordering::Relaxed);
        let launches = LAUNCHES.load(Ordering::Relaxed);
        let others = launches.wrapping_sub(self.own.load(Ordering::Relaxed));
        let launched = self.others.swap(others, Ordering::Relaxed) != others;
        let caches = match (late, launched) {
            (false, _) => Caches::Warm,
            (true, true) => Caches::Shared,
            (true, false) => Caches::Cold,
        };
        let idle = now - SHARED.load(Ordering::Relaxed);
        Ready {
            caches,
            asleep: late && idle > PATIENCE.as_nanos() as i64,
        }
    }

    /// A call of that much work is cheaper in CPython, whatever else is asked, if it finds that in the caches, or less.
    pub fn is_small(&self, work: Work, caches: Caches) {
        if !work.bounds || options().prices {
            return;
        }
        match caches {
            Caches::Warm => self.latch.set_small(work.amount),
            Caches::Shared => _ = self.shared.fetch_max(work.amount, Ordering::Relaxed),
            Caches::Cold => _ = self.cold.fetch_max(work.amount, Ordering::Relaxed),
        }
    }

    /// An attempt ended, and CPython's share of the call took so many seconds.
    pub fn ended(&self, vain: Option<Attempted>, seconds: f64) {
        match vain {
            // It was counted when that was found.
            Some(Attempted {
                why: Why::Refused, ..
            }) => {}
            Some(attempted) if counts_vain() => {
                let short = match self.late.load(Ordering::Relaxed) {
                    true => SHORT_SELDOM,
                    false => SHORT,
                };
                self.vain.add(&self.latch, attempted, seconds, short);
            }
            _ => self.vain.clear(&self.latch),
        }
        let (constant, refused) = self.vain.is_constant();
        // What types refuse is refused whatever the sizes.
        if (self.blind.load(Ordering::Relaxed) || constant && refused) && counts_vain() {
            self.switch.ended(seconds, constant, SHORT);
        }
        self.took(seconds);
    }

    /// Something is in the way of a call that was asked about. Its loop may call the function that it is in: the next question
    /// may come before it ends, however long it takes.
    pub fn refused(&self, work: Option<Work>) {
        let why = Why::Failed;
        if counts_vain() {
            self.vain
                .add(&self.latch, Attempted { work, why }, 0.0, SHORT);
        }
    }

    /// The call that was asked about last took so many seconds; when it ended.
    fn took(&self, seconds: f64) -> i64 {
        let nanos = (seconds * 1e9) as i64;
        self.before.fetch_add(nanos, Ordering::Relaxed) + nanos
    }

    /// Native code ran for so many seconds; it `shares` something with helpers, or could have. `far`: it was not stopped at once.
    pub fn ran(&self, seconds: f64, shares: bool, far: bool) {
        let ended = self.took(seconds);
        if shares {
            SHARED.fetch_max(ended, Ordering::Relaxed);
        }
        // Two threads at once may count one launch for two.
        let count = |to: &AtomicU64| {
            to.store(
                to.load(Ordering::Relaxed).wrapping_add(1),
                Ordering::Relaxed,
            );
        };
        count(&LAUNCHES);
        count(&self.own);
        if far {
            self.vain.clear(&self.latch);
        }
    }

    /// Calls that were left because others came to nothing.
    pub fn left(&self) -> u64 {
        self.vain.left(&self.latch)
    }
}

/// How much work a call is.
#[derive(Clone, Copy)]
pub struct Work {
    /// A number that it grows with.
    pub amount: i64,
    /// That is an upper measure of the trip counts. Otherwise it only tells how large the numbers are that may decide
    /// them: a `while` of numbers alike may well run for longer.
    pub bounds: bool,
}

/// Whether attempts that come to nothing are counted: a device that was asked for is not second-guessed, and comparisons want every
/// run.
pub fn counts_vain() -> bool {
    options().device == DeviceChoice::Auto && !verify::on() && !options().prices
}

/// Does something after a launch of which helpers are to know nothing: as if that had just ended.
pub fn unnoticed(work: impl FnOnce()) {
    let begun = time(libc::CLOCK_MONOTONIC);
    work();
    SHARED.fetch_add(time(libc::CLOCK_MONOTONIC) - begun, Ordering::Relaxed);
}

/// Nanoseconds on a clock that moves every few milliseconds, and costs next to nothing.
pub fn coarse_time() -> i64 {
    time(libc::CLOCK_MONOTONIC_COARSE)
}

fn time(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a place to write to.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// How much work a call is: the product of the atoms' sizes, or of what is large of the places, where there are no atoms or one is not
/// a plain int or container now (a row of a list of lists, which may have any length). Runs no user code. `argument(i)` is the
/// value of the `i`th name that the hook is given.
pub fn work(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Work {
    let held = |index: usize| held(py, parsed, index, argument);
    let size = |atom: &Atom| size(py, held(atom.place.index())?.as_ptr(), atom.kind);
    let atoms = parsed.interface.atoms.as_ref();
    atoms
        .and_then(|atoms| bounded(atoms.iter().map(size)))
        .unwrap_or_else(|| {
            let large = |index: &usize| held(*index).map_or(1, |h| magnitude(py, h.as_ptr()));
            let product = parsed.telling.iter().map(large);
            Work {
                amount: product.fold(1, i64::saturating_mul),
                bounds: false,
            }
        })
}

/// The sizes that a site's effort depends on; None: it is not a plain int or container now.
pub fn sizes(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Vec<Option<f64>> {
    let atoms = parsed.interface.effort.atoms.iter();
    let size = |atom: &Atom| {
        let held = held(py, parsed, atom.place.index(), argument)?;
        Some(size(py, held.as_ptr(), atom.kind)? as f64)
    };
    atoms.map(size).collect()
}

/// Whether a call works on arrays of which it takes more than an element at once.
pub fn uses_wholes(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> bool {
    let Some(np) = crate::numpy::numpy(py) else {
        return false;
    };
    parsed.interface.wholes.iter().any(|whole| {
        let held = held(py, parsed, whole.place.index(), argument);
        held.is_some_and(|held| {
            let object = held.as_ptr();
            // SAFETY: an object that is held; only an array's header is read as one.
            unsafe {
                !object.is_null()
                    && ffi::Py_TYPE(object) == np.ndarray
                    && layout::array_header(object).nd as u32 > whole.axes
            }
        })
    })
}

/// The work of a call whose atoms have these sizes.
fn bounded(sizes: impl Iterator<Item = Option<i64>>) -> Option<Work> {
    let mut amount = 1i64;
    for size in sizes {
        amount = amount.checked_mul(size?.max(0))?;
    }
    Some(Work {
        amount,
        bounds: true,
    })
}

/// What a place holds.
pub enum Held<'py> {
    Borrowed(*mut PyObject),
    Owned(Bound<'py, PyAny>),
}

impl<'py> Held<'py> {
    /// A reference of its own.
    pub fn bound(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        // SAFETY: what a place holds lives as long as this does.
        unsafe { Bound::from_borrowed_ptr(py, self.as_ptr()) }
    }

    fn as_ptr(&self) -> *mut PyObject {
        match self {
            Held::Borrowed(object) => *object,
            Held::Owned(object) => object.as_ptr(),
        }
    }
}

pub fn held<'py>(
    py: Python<'py>,
    parsed: &Parsed,
    index: usize,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Option<Held<'py>> {
    let place = &parsed.places[index];
    match place.argument.filter(|_| place.parent.is_none()) {
        Some(i) => argument(i).map(Held::Borrowed),
        None => object(py, parsed, index, argument).map(Held::Owned),
    }
}

/// What a place holds, if it is found without running user code.
fn object<'py>(
    py: Python<'py>,
    parsed: &Parsed,
    index: usize,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Option<Bound<'py, PyAny>> {
    let place = &parsed.places[index];
    // SAFETY: arguments and dictionaries live through the call; attributes are read as new references.
    unsafe {
        if let Some(parent) = place.parent {
            let parent = object(py, parsed, parent, argument)?;
            let object = place.of(py, parent.as_ptr());
            return Bound::from_owned_ptr_or_opt(py, object);
        }
        let object = match (place.scope, place.argument) {
            (Scope::Local, Some(i)) => argument(i)?,
            (Scope::Global, _) => {
                let globals = attributes::globals(py);
                ffi::PyDict_GetItemWithError(globals.as_ptr(), place.name.as_ptr())
            }
            _ => return None,
        };
        Bound::from_borrowed_ptr_or_opt(py, object)
    }
}

/// The size that an atom reads off an object, if that is possible without running user code.
fn size(py: Python<'_>, object: *mut PyObject, kind: AtomKind) -> Option<i64> {
    if object.is_null() {
        return None;
    }
    // SAFETY: a live object; exact types are checked before anything is read.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            let value = ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow);
            return (overflow == 0 && matches!(kind, AtomKind::Int)).then_some(value);
        }
        if matches!(kind, AtomKind::Int) {
            return None;
        }
        if layout::has_length(ty) {
            return matches!(kind, AtomKind::Len).then(|| layout::length(object));
        }
        if crate::numpy::numpy(py).is_some_and(|np| ty == np.ndarray) {
            let header = layout::array_header(object);
            let axis = if let AtomKind::Dim(axis) = kind {
                axis as usize
            } else {
                0
            };
            return (axis < header.nd as usize).then(|| *header.dimensions.add(axis) as i64);
        }
    }
    None
}

/// How large a float is, as far as loops go by it: a tolerance is the larger, the smaller it is.
#[inline]
pub fn size_of_float(value: f64) -> i64 {
    let value = value.abs();
    value.max(value.recip()) as i64
}

/// How large a number or a container is, at least 1; 1 for whatever else there is.
fn magnitude(py: Python<'_>, object: *mut PyObject) -> i64 {
    if object.is_null() {
        return 1;
    }
    // SAFETY: a live object; exact types are checked before anything is read.
    let size = unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            match ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow) {
                _ if overflow != 0 => i64::MAX,
                value => value.saturating_abs(),
            }
        } else if ty == &raw mut ffi::PyFloat_Type {
            size_of_float(ffi::PyFloat_AsDouble(object))
        } else if crate::numpy::numpy(py).is_some_and(|np| ty == np.ndarray) {
            let header = layout::array_header(object);
            let extent = |axis: usize| *header.dimensions.add(axis) as i64;
            (0..header.nd as usize)
                .map(extent)
                .fold(1, i64::saturating_mul)
        } else if layout::has_length(ty) {
            layout::length(object)
        } else {
            1
        }
    };
    size.max(1)
}
