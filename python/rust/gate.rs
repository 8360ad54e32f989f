//! Calls that are left to CPython without an attempt: too small for one to pay, or like others that came to nothing.

use crate::attributes;
use crate::layout;
use crate::parsed::Parsed;
use crate::verify;
use nestwise_frontend::atoms::AtomKind;
use nestwise_ir::surface::Scope;
use nestwise_runtime::{DeviceChoice, options};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

/// What stands before a site's attempts.
pub struct Gate {
    /// Up to this much work CPython is cheaper; below zero at first.
    threshold: AtomicI64,
    vain: Vain,
}

impl Gate {
    pub fn new() -> Gate {
        Gate {
            threshold: AtomicI64::new(-1),
            vain: Vain::default(),
        }
    }

    /// Whether a call of that much work is worth an attempt.
    pub fn admits(&self, work: Option<i64>) -> bool {
        let small = work.is_some_and(|w| w <= self.threshold.load(Ordering::Relaxed));
        !small && !self.vain.skips(work)
    }

    /// A call of that much work is cheaper in CPython, whatever else is asked.
    pub fn is_small(&self, work: i64) {
        if !options().prices {
            self.threshold.fetch_max(work, Ordering::Relaxed);
        }
    }

    /// An attempt ended, and CPython's share of the call took so many seconds.
    pub fn ended(&self, vain: Option<Attempted>, seconds: f64) {
        match vain {
            // A device that was asked for is not second-guessed, and comparisons want every run.
            Some(attempted)
                if options().device == DeviceChoice::Auto && !verify::on() && !options().prices =>
            {
                self.vain.add(attempted, seconds);
            }
            _ => self.vain.clear(),
        }
    }

    /// Native code ran all of a call.
    pub fn ran(&self) {
        self.vain.clear();
    }

    /// Calls that were left because others came to nothing.
    pub fn left(&self) -> u64 {
        self.vain.left.load(Ordering::Relaxed)
    }
}

/// An attempt that came to nothing.
#[derive(Clone, Copy)]
pub struct Attempted {
    /// How much work the call was, if that is known.
    pub work: Option<i64>,
    /// Native code ran, and all that it did was taken back.
    pub lost: bool,
}

/// Attempts that came to nothing.
///
/// Asking costs a microsecond or two, whatever is found to be in the way; a launch that is taken back can cost much
/// more. After a few such calls in a row some are left to CPython without being asked about, and only up to the next
/// question. Where it was the asking that was too much, those that are no larger: so what could be missed is bounded.
#[derive(Default)]
struct Vain {
    /// How many there were in a row.
    streak: AtomicU32,
    /// Calls that are not asked about.
    skip: AtomicU32,
    /// The largest of them.
    work: AtomicI64,
    /// How many there were.
    left: AtomicU64,
}

impl Vain {
    /// Of a loop that takes CPython longer, an attempt is a small part.
    const SHORT: f64 = 25e-6;
    /// So many in a row may be chance: attempts, and launches taken back.
    const CHANCE: u32 = 4;
    const CHANCE_LOST: u32 = 16;
    /// Calls in a row that are not asked about, at most.
    const MOST: u32 = 64;

    fn skips(&self, work: Option<i64>) -> bool {
        let skip = self.skip.load(Ordering::Relaxed);
        if skip == 0 || work.unwrap_or(i64::MAX) > self.work.load(Ordering::Relaxed) {
            return false;
        }
        // Two threads at once may count one call for two.
        self.skip.store(skip - 1, Ordering::Relaxed);
        self.left.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn add(&self, attempted: Attempted, seconds: f64) {
        let (work, chance) = match attempted {
            Attempted { lost: true, .. } => (i64::MAX, Self::CHANCE_LOST),
            Attempted {
                work: Some(work), ..
            } if seconds <= Self::SHORT => (work, Self::CHANCE),
            _ => return self.clear(),
        };
        let streak = self.streak.load(Ordering::Relaxed) + 1;
        let work = match streak {
            1 => work,
            _ => work.min(self.work.load(Ordering::Relaxed)),
        };
        self.work.store(work, Ordering::Relaxed);
        self.streak.store(streak, Ordering::Relaxed);
        if streak > chance {
            let doubled = (streak - chance).min(Self::MOST.ilog2());
            self.skip.store(1 << doubled, Ordering::Relaxed);
        }
    }

    fn clear(&self) {
        if self.streak.load(Ordering::Relaxed) != 0 {
            self.streak.store(0, Ordering::Relaxed);
            self.skip.store(0, Ordering::Relaxed);
        }
    }
}

/// How much work a call is: the product of the atoms' sizes, an upper measure of the trip counts. None if one is not a
/// plain size. `argument` gives what is passed for a name.
pub fn work(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Option<i64> {
    let mut work = 1i64;
    for atom in parsed.interface.atoms.as_ref()? {
        let place = &parsed.places[atom.place.index()];
        let size = match place.argument.filter(|_| place.parent.is_none()) {
            Some(i) => size(py, argument(i)?, atom.kind)?,
            None => {
                let object = object(py, parsed, atom.place.index(), argument)?;
                size(py, object.as_ptr(), atom.kind)?
            }
        };
        work = work.checked_mul(size.max(0))?;
    }
    Some(work)
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
            let object = attributes::read(py, parent.as_ptr(), place.name.bind(py));
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
        if ty == &raw mut ffi::PyList_Type || ty == &raw mut ffi::PyTuple_Type {
            return matches!(kind, AtomKind::Len).then(|| ffi::PyObject_Size(object) as i64);
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
