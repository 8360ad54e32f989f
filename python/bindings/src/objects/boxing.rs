//! Boxes values of a launch's frame as Python objects.

use nestwise_ir::{Prov, Scalar, Ty};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::objects::numpy::{self, Numpy};
use crate::objects::texts;

/// A new object for the value of type `ty` at `slot`; null, with an exception set, if there is no memory. `is_numpy`: a
/// value whose provenance is dynamic becomes a NumPy scalar.
///
/// # Safety
/// `slot` holds a value of `ty` in the frame's format.
pub unsafe fn boxed(py: Python<'_>, ty: Ty, slot: *const u8, is_numpy: bool) -> *mut PyObject {
    let np = match ty.prov {
        Prov::Py => None,
        Prov::Np => numpy::numpy(py),
        Prov::Dyn => numpy::numpy(py).filter(|_| is_numpy),
    };
    // SAFETY: as promised by the caller.
    unsafe {
        match np {
            Some(np) => numpy_scalar(np, ty.repr, slot),
            None => python(py, ty.repr, slot),
        }
    }
}

unsafe fn numpy_scalar(np: &Numpy, repr: Scalar, slot: *const u8) -> *mut PyObject {
    // SAFETY: as promised by the caller of `boxed`.
    unsafe { np.scalar(repr, slot) }
}

unsafe fn python(py: Python<'_>, repr: Scalar, slot: *const u8) -> *mut PyObject {
    // SAFETY: as promised by the caller of `boxed`.
    unsafe {
        match repr {
            Scalar::Bool => ffi::PyBool_FromLong((*slot).into()),
            Scalar::F64 => ffi::PyFloat_FromDouble(*slot.cast()),
            Scalar::F32 => ffi::PyFloat_FromDouble((*slot.cast::<f32>()).into()),
            Scalar::C128 => {
                let [re, im] = *slot.cast::<[f64; 2]>();
                ffi::PyComplex_FromDoubles(re, im)
            }
            Scalar::Num if *slot.add(8) != 0 => ffi::PyLong_FromDouble(*slot.cast()),
            Scalar::Num => ffi::PyFloat_FromDouble(*slot.cast()),
            Scalar::Char => texts::text(py, *slot.cast()),
            Scalar::U64 => ffi::PyLong_FromUnsignedLongLong(*slot.cast()),
            Scalar::I128 => {
                let Ok(object) = (*slot.cast::<i128>()).into_pyobject(py);
                object.into_ptr()
            }
            _ => ffi::PyLong_FromLongLong(*slot.cast()),
        }
    }
}
