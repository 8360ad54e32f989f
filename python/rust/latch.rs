//! What leaves small calls to CPython at a glance.
//!
//! A loop that takes CPython two microseconds is not worth asking about, and a call that comes seldom finds nothing of ours
//! in the caches: what it costs to leave it is the lines that are fetched from memory to find out. So all of it is in one
//! line, and the function that reads it calls nothing.

use crate::gate::{self, Work};
use crate::layout;
use crate::numpy;
use crate::once::Once;
use crate::parsed::Parsed;
use nestwise_frontend::atoms::AtomKind;
use nestwise_runtime::{DeviceChoice, Options};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, Ordering};

/// A site's latch.
#[repr(C, align(64))]
pub struct Latch {
    /// Up to this much work CPython is cheaper, whatever the call finds in the caches; below zero at first.
    small: AtomicI64,
    /// Calls of just so much work are CPython's, too, for so many times; of `!alike` or less, until then, where that is below zero.
    alike: AtomicI64,
    times: AtomicU32,
    until: AtomicU32,
    /// What tells how much work a call is; none where a device may have copies of arrays, which have to come down.
    glance: Once<Option<Glance>>,
    /// NumPy's array type, once that is known.
    ndarray: AtomicPtr<ffi::PyTypeObject>,
}

const _: () = assert!(size_of::<Latch>() == 64);

/// [`ticks`] in some twenty milliseconds.
const LASTING: u32 = 64;

/// Time in 2^20 cycles of the processor's own counter, a third of a millisecond or so: reading it touches no memory.
#[inline]
fn ticks() -> u32 {
    // SAFETY: every x86-64 has the counter.
    let cycles = unsafe { std::arch::x86_64::_rdtsc() };
    (cycles >> 20) as u32
}

#[inline]
fn has_passed(until: u32) -> bool {
    ticks().wrapping_sub(until) as i32 >= 0
}

impl Latch {
    pub fn new() -> Latch {
        Latch {
            small: AtomicI64::new(-1),
            alike: AtomicI64::new(-1),
            times: AtomicU32::new(0),
            until: AtomicU32::new(0),
            glance: Once::new(),
            ndarray: AtomicPtr::default(),
        }
    }

    /// Whether CPython runs a call with these sizes, by what is known already. `key`: a name's value, or a tuple of them.
    #[inline]
    pub fn leaves(&self, key: *mut PyObject) -> bool {
        let Some(work) = self.work(key) else {
            return false;
        };
        if self.is_small(work.amount) {
            return true;
        }
        let times = self.times.load(Ordering::Relaxed);
        if times == 0 || !self.is_alike(work.amount) {
            return false;
        }
        // Two threads at once may count one call for two.
        self.times.store(times - 1, Ordering::Relaxed);
        true
    }

    #[inline]
    fn is_alike(&self, amount: i64) -> bool {
        let alike = self.alike.load(Ordering::Relaxed);
        match alike < 0 {
            true => amount <= !alike && !has_passed(self.until.load(Ordering::Relaxed)),
            false => amount == alike,
        }
    }

    /// How much work a call is, if that is seen at a glance.
    #[inline]
    pub fn work(&self, key: *mut PyObject) -> Option<Work> {
        let glance = self.glance.get()?.as_ref()?;
        let amount = glance.amount(key, self.ndarray.load(Ordering::Relaxed))?;
        Some(Work {
            amount,
            bounds: glance.bounds,
        })
    }

    /// Whether so much work is too little, whatever the call finds in the caches.
    pub fn is_small(&self, amount: i64) -> bool {
        amount <= self.small.load(Ordering::Relaxed)
    }

    /// It is from now on.
    pub fn set_small(&self, amount: i64) {
        self.small.fetch_max(amount, Ordering::Relaxed);
    }

    /// So many calls of just so much work are left.
    pub fn leave(&self, amount: i64, times: u32) {
        self.alike.store(amount, Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
    }

    /// So many calls of that much work or less are left, for some milliseconds.
    pub fn leave_up_to(&self, amount: i64, times: u32) {
        self.alike.store(!amount, Ordering::Relaxed);
        self.until
            .store(ticks().wrapping_add(LASTING), Ordering::Relaxed);
        self.times.store(times, Ordering::Relaxed);
    }

    /// Those of them that are to come.
    pub fn times(&self) -> u32 {
        self.times.load(Ordering::Relaxed)
    }

    /// The same, and they are asked about again.
    pub fn take_back(&self) -> u32 {
        self.times.swap(0, Ordering::Relaxed)
    }

    /// The site is known now: its calls may be looked at.
    pub fn arm(&self, py: Python<'_>, parsed: &Parsed, options: &Options) {
        let glance = || Glance::of(parsed).filter(|_| !may_keep_copies(options));
        if self.glance.get_or_init(glance).is_some()
            && let Some(numpy) = numpy::numpy(py)
        {
            self.ndarray.store(numpy.ndarray, Ordering::Relaxed);
        }
    }
}

/// Whether a device may have copies of arrays from one nest to the next.
fn may_keep_copies(options: &Options) -> bool {
    match options.device {
        DeviceChoice::Auto => options.profile.gpu.is_some(),
        DeviceChoice::Gpu | DeviceChoice::Emulated => true,
        _ => false,
    }
}

/// What tells how much work a call is: the atoms of a site that are sizes of its names, or what is large of all names.
struct Glance {
    /// Which of the names in the brackets of `GATE`, and what of it.
    atoms: [(u8, Measure); Glance::MOST],
    count: u8,
    /// How many names stand there.
    names: u8,
    /// There are atoms, and that is all of them.
    bounds: bool,
    /// What small ints have in front of their digit.
    digit: [u8; 3],
}

/// An [`AtomKind`] in two bytes.
#[derive(Clone, Copy)]
enum Measure {
    Int,
    Len,
    Dim(u8),
}

impl Glance {
    const MOST: usize = 4;

    /// None where there are too many atoms, or attributes among them.
    fn of(parsed: &Parsed) -> Option<Glance> {
        let found = parsed.interface.atoms.as_deref().unwrap_or_default();
        let mut atoms = [(0, Measure::Int); Glance::MOST];
        for (k, atom) in found.iter().enumerate() {
            let place = &parsed.places[atom.place.index()];
            let argument = place.argument.filter(|_| place.parent.is_none())?;
            let at = parsed.sizes.iter().position(|s| *s == argument)?;
            let measure = match atom.kind {
                AtomKind::Int => Measure::Int,
                AtomKind::Len => Measure::Len,
                AtomKind::Dim(axis) => Measure::Dim(u8::try_from(axis).ok()?),
            };
            *atoms.get_mut(k)? = (u8::try_from(at).ok()?, measure);
        }
        Some(Glance {
            atoms,
            count: found.len() as u8,
            names: u8::try_from(parsed.sizes.len()).ok()?,
            bounds: parsed.interface.atoms.is_some(),
            digit: layout::before_digit()?,
        })
    }

    /// The product of the atoms, or of what is large; None if an atom is not a small int, a list, a string or an array now.
    /// See [`crate::gate::work`].
    #[inline]
    fn amount(&self, key: *mut PyObject, ndarray: *mut ffi::PyTypeObject) -> Option<i64> {
        let values = match self.names {
            1 => std::slice::from_ref(&key),
            // SAFETY: a live object; its type is looked at before it is read.
            _ => unsafe {
                if ffi::Py_TYPE(key) != &raw mut ffi::PyTuple_Type {
                    return None; // not the rewritten code
                }
                layout::tuple_items(key)
            },
        };
        let mut amount = 1i64;
        if !self.bounds {
            for object in values.get(..usize::from(self.names))? {
                amount = amount.saturating_mul(self.magnitude(*object, ndarray)?);
            }
        }
        for (at, measure) in self.atoms.get(..usize::from(self.count))? {
            let object = *values.get(usize::from(*at))?;
            amount = amount.checked_mul(self.size(object, *measure, ndarray)?)?;
        }
        Some(amount)
    }

    #[inline]
    fn size(
        &self,
        object: *mut PyObject,
        measure: Measure,
        ndarray: *mut ffi::PyTypeObject,
    ) -> Option<i64> {
        if object.is_null() {
            return None;
        }
        // SAFETY: a live object; exact types are looked at before anything is read.
        unsafe {
            let ty = ffi::Py_TYPE(object);
            let axis = match measure {
                Measure::Int if ty == &raw mut ffi::PyLong_Type => {
                    return layout::digit(object, self.digit);
                }
                Measure::Int => return None,
                Measure::Len if layout::has_length(ty) => return Some(layout::length(object)),
                Measure::Len => 0,
                Measure::Dim(axis) => axis,
            };
            if ty != ndarray {
                return None;
            }
            let header = layout::array_header(object);
            let axis = usize::from(axis);
            (axis < header.nd as usize).then(|| *header.dimensions.add(axis) as i64)
        }
    }

    /// [`crate::gate::magnitude`]; None: it takes more to find out.
    #[inline]
    fn magnitude(&self, object: *mut PyObject, ndarray: *mut ffi::PyTypeObject) -> Option<i64> {
        // SAFETY: a live object; exact types are looked at before anything is read.
        let size = unsafe {
            let ty = ffi::Py_TYPE(object);
            if ty == &raw mut ffi::PyLong_Type {
                layout::digit(object, self.digit)?
            } else if layout::has_length(ty) {
                layout::length(object)
            } else if ty == ndarray {
                let header = layout::array_header(object);
                let extent = |axis: usize| *header.dimensions.add(axis) as i64;
                let extents = (0..header.nd as usize).map(extent);
                extents.fold(1, i64::saturating_mul)
            } else if ty == &raw mut ffi::PyFloat_Type {
                gate::size_of_float(layout::payload(object))
            } else if ndarray.is_null() {
                return None;
            } else {
                1
            }
        };
        Some(size.max(1))
    }
}
