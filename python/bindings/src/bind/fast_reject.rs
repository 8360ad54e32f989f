//! Estimates how much work a call is by a look at a few numbers: see [`FastReject`](nestwise_tiering::FastReject).

use std::sync::atomic::{AtomicPtr, Ordering};

use nestwise_frontend::site::bounds::AtomKind;
use nestwise_runtime::{DeviceChoice, Options};
use nestwise_tiering::{FastReject, Work};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::amounts;
use crate::objects::{layout, numpy};
use crate::process::once::Once;
use crate::site::parsed::Parsed;

/// The estimator of a site's fast reject.
pub struct Sight {
    /// The sizes to look at; `None` where a device may have copies of arrays, which have to be copied back first.
    glance: Once<Option<Glance>>,
    /// NumPy's array type, once the program has imported NumPy; null before.
    ndarray: AtomicPtr<ffi::PyTypeObject>,
}

// One line of the cache.
const _: () = assert!(size_of::<FastReject<Sight>>() == 64);

impl Sight {
    /// An estimator that knows nothing of its site yet.
    pub fn new() -> Sight {
        Sight {
            glance: Once::new(),
            ndarray: AtomicPtr::default(),
        }
    }

    /// The work of a call, if a look at its sizes tells it. `key`: a name's value, or a tuple of several names' values.
    #[inline]
    pub fn work(&self, key: *mut PyObject) -> Option<Work> {
        let glance = self.glance.get()?.as_ref()?;
        let amount = glance.amount(key, self.ndarray.load(Ordering::Relaxed))?;
        Some(Work {
            amount,
            bounds: glance.bounds,
        })
    }

    /// Prepares for calls of a site whose text has been read.
    pub fn arm(&self, py: Python<'_>, parsed: &Parsed, options: &Options) {
        let glance = || Glance::of(parsed).filter(|_| !may_keep_copies(options));
        if self.glance.get_or_init(glance).is_some()
            && let Some(numpy) = numpy::numpy(py)
        {
            self.ndarray.store(numpy.ndarray, Ordering::Relaxed);
        }
    }
}

/// Whether a device may keep copies of arrays from one nest to the next.
fn may_keep_copies(options: &Options) -> bool {
    match options.device {
        DeviceChoice::Auto => options.profile.gpu.is_some(),
        DeviceChoice::Gpu | DeviceChoice::Emulated => true,
        _ => false,
    }
}

/// The sizes that tell how much work a call is: the atoms of a site that are sizes of its names, or the magnitudes of
/// all names.
struct Glance {
    /// For each atom, the index of its name in the brackets of `GATE`, and how the size is read off its value.
    atoms: [(u8, Measure); Glance::MOST],
    count: u8,
    /// The number of names in the brackets of `GATE`.
    names: u8,
    /// The site has atoms, and they bound its work.
    bounds: bool,
    /// The values that CPython stores in front of the digit of small ints, see [`layout::before_digit`].
    digit: [u8; 3],
}

/// An [`AtomKind`], packed into two bytes.
#[derive(Clone, Copy)]
enum Measure {
    Int,
    Len,
    Dim(u8),
}

impl Glance {
    const MOST: usize = 4;

    /// The sizes to look at for a site; `None` where it has too many atoms, or attributes among them.
    fn of(parsed: &Parsed) -> Option<Glance> {
        let found = parsed.interface.atoms.as_deref().unwrap_or_default();
        let mut atoms = [(0, Measure::Int); Glance::MOST];
        for (k, atom) in found.iter().enumerate() {
            let path = &parsed.paths[atom.path.index()];
            let argument = path.argument.filter(|_| path.parent.is_none())?;
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

    /// The product of the atoms' sizes, or of the names' magnitudes where there are no atoms; `None` if a value is not
    /// a small int, a list, a string or an array now. See [`crate::bind::amounts::work`].
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

    /// Measures a value as [`crate::bind::amounts::magnitude`] does; `None` where that takes more than a look.
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
                amounts::size_of_float(layout::payload(object))
            } else if ndarray.is_null() {
                return None;
            } else {
                1
            }
        };
        Some(size.max(1))
    }
}
