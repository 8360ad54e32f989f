//! The builtin functions of a site: what the rewritten code calls.
//!
//! They are plain C functions in vectorcall form, bound to their site through a capsule, since a call through a
//! Python class would cost more than the work they do.

use crate::driver::{self, Active};
use crate::site::Site;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::CStr;
use std::sync::Arc;

type Fast =
    unsafe extern "C" fn(*mut PyObject, *mut *mut PyObject, ffi::Py_ssize_t) -> *mut PyObject;

/// All functions of one site.
#[pyclass(frozen, module = "nestwise")]
pub struct SiteFunctions {
    #[pyo3(get)]
    admit: Py<PyAny>,
    #[pyo3(get)]
    call: Py<PyAny>,
    #[pyo3(get)]
    out: Py<PyAny>,
    #[pyo3(get)]
    maybe: Py<PyTuple>,
    #[pyo3(get)]
    rest: Py<PyAny>,
    #[pyo3(get)]
    again: Py<PyAny>,
    #[pyo3(get)]
    skip: Py<PyAny>,
    #[pyo3(get)]
    more: Py<PyAny>,
    #[pyo3(get)]
    waits: Py<PyAny>,
    #[pyo3(get)]
    tick: Py<PyAny>,
    #[pyo3(get)]
    orelse: Py<PyAny>,
    #[pyo3(get)]
    returned: Py<PyAny>,
    #[pyo3(get)]
    value: Py<PyAny>,
}

struct Bundle {
    site: Arc<Site>,
    /// Which `maybe` name, for that function.
    index: usize,
}

const CAPSULE: &CStr = c"nestwise.site";

/// A method table entry. CPython keeps a pointer to it, so entries live for ever: there is one set per process.
struct Method(ffi::PyMethodDef);
// SAFETY: immutable after construction.
unsafe impl Sync for Method {}

const fn method(name: &'static CStr, function: Fast) -> Method {
    Method(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: function,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: std::ptr::null(),
    })
}

static ADMIT: Method = method(c"admit", admit);
static CALL: Method = method(c"call", call);
static OUT: Method = method(c"out", out);
static MAYBE: Method = method(c"maybe", maybe);
static REST: Method = method(c"rest", rest);
static AGAIN: Method = method(c"again", again);
static SKIP: Method = method(c"skip", skip);
static MORE: Method = method(c"more", more);
static WAITS: Method = method(c"waits", waits);
static TICK: Method = method(c"tick", tick);
static ORELSE: Method = method(c"orelse", orelse);
static RETURNED: Method = method(c"returned", returned);
static VALUE: Method = method(c"value", value);

unsafe extern "C" fn drop_bundle(capsule: *mut PyObject) {
    // SAFETY: called once, for a capsule made in `bound`.
    unsafe {
        drop(Box::from_raw(
            ffi::PyCapsule_GetPointer(capsule, CAPSULE.as_ptr()).cast::<Bundle>(),
        ))
    };
}

fn bound(
    py: Python<'_>,
    site: &Arc<Site>,
    method: &'static Method,
    index: usize,
) -> PyResult<Py<PyAny>> {
    let bundle = Box::into_raw(Box::new(Bundle {
        site: site.clone(),
        index,
    }));
    // SAFETY: the capsule owns the bundle; the function owns the capsule; the method table is static and never
    // written, although the signature asks for a mutable pointer.
    unsafe {
        let capsule = ffi::PyCapsule_New(bundle.cast(), CAPSULE.as_ptr(), Some(drop_bundle));
        let capsule: Bound<'_, PyAny> = Bound::from_owned_ptr_or_err(py, capsule)?;
        let function = ffi::PyCFunction_NewEx(
            (&raw const method.0).cast_mut(),
            capsule.as_ptr(),
            std::ptr::null_mut(),
        );
        Ok(Bound::from_owned_ptr_or_err(py, function)?.unbind())
    }
}

/// Makes the functions of a site with `maybe` perhaps-assigned names.
pub fn functions(py: Python<'_>, site: &Arc<Site>, maybe: usize) -> PyResult<SiteFunctions> {
    let names: Vec<Py<PyAny>> = (0..maybe)
        .map(|i| bound(py, site, &MAYBE, i))
        .collect::<PyResult<_>>()?;
    Ok(SiteFunctions {
        admit: bound(py, site, &ADMIT, 0)?,
        call: bound(py, site, &CALL, 0)?,
        out: bound(py, site, &OUT, 0)?,
        maybe: PyTuple::new(py, names)?.unbind(),
        rest: bound(py, site, &REST, 0)?,
        again: bound(py, site, &AGAIN, 0)?,
        skip: bound(py, site, &SKIP, 0)?,
        more: bound(py, site, &MORE, 0)?,
        waits: bound(py, site, &WAITS, 0)?,
        tick: bound(py, site, &TICK, 0)?,
        orelse: bound(py, site, &ORELSE, 0)?,
        returned: bound(py, site, &RETURNED, 0)?,
        value: bound(py, site, &VALUE, 0)?,
    })
}

/// # Safety
/// `this` is the capsule of one of the functions above.
unsafe fn bundle<'a>(this: *mut PyObject) -> &'a Bundle {
    // SAFETY: as promised by the caller.
    unsafe { &*ffi::PyCapsule_GetPointer(this, CAPSULE.as_ptr()).cast() }
}

/// # Safety
/// CPython's promise about vectorcall arguments.
unsafe fn arguments<'a>(args: *mut *mut PyObject, count: ffi::Py_ssize_t) -> &'a [*mut PyObject] {
    if count <= 0 {
        return &[];
    }
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts(args, count as usize) }
}

fn bool_object(value: bool) -> *mut PyObject {
    // SAFETY: a new reference to an immortal object.
    unsafe { ffi::PyBool_FromLong(value.into()) }
}

fn raised(py: Python<'_>, error: PyErr) -> *mut PyObject {
    error.restore(py);
    std::ptr::null_mut()
}

/// Runs the body of a function that C calls: a panic must not cross into C, and becomes an exception.
fn shielded(body: impl FnOnce(Python<'_>) -> *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with the GIL held.
    let py = unsafe { Python::assume_attached() };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(py))).unwrap_or_else(|_| {
        raised(
            py,
            pyo3::exceptions::PySystemError::new_err("internal failure in nestwise's hook"),
        )
    })
}

fn active<T>(default: T, f: impl FnOnce(&Active) -> T) -> T {
    driver::with_active(f).unwrap_or(default)
}

unsafe extern "C" fn admit(
    this: *mut PyObject,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let (site, arguments) = unsafe { (&bundle(this).site, arguments(args, count)) };
        bool_object(site.admit(py, arguments))
    })
}

unsafe extern "C" fn call(
    this: *mut PyObject,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let (site, arguments) = unsafe { (&bundle(this).site, arguments(args, count)) };
        site.call(py, arguments).unwrap_or_else(|e| raised(py, e))
    })
}

/// The empty tuple, or a tuple of one value, which `for name in ...` assigns.
fn one_or_none(value: *mut PyObject) -> *mut PyObject {
    // SAFETY: the tuple takes a reference of its own.
    unsafe {
        if value.is_null() {
            return ffi::PyTuple_New(0);
        }
        let tuple = ffi::PyTuple_New(1);
        if !tuple.is_null() {
            ffi::Py_INCREF(value);
            ffi::PyTuple_SetItem(tuple, 0, value);
        }
        tuple
    }
}

unsafe extern "C" fn out(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| {
        active(one_or_none(std::ptr::null_mut()), |a| {
            if a.writes().is_empty() {
                return one_or_none(std::ptr::null_mut());
            }
            // SAFETY: the inner tuple takes a reference of its own to each value.
            unsafe {
                let values = ffi::PyTuple_New(a.writes().len() as isize);
                if values.is_null() {
                    return values;
                }
                for (i, value) in a.writes().iter().enumerate() {
                    ffi::Py_INCREF(*value);
                    ffi::PyTuple_SetItem(values, i as isize, *value);
                }
                let outer = one_or_none(values);
                ffi::Py_DECREF(values);
                outer
            }
        })
    })
}

unsafe extern "C" fn maybe(
    this: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| {
        // SAFETY: called by CPython with our capsule.
        let index = unsafe { bundle(this).index };
        active(one_or_none(std::ptr::null_mut()), |a| {
            one_or_none(
                a.maybe()
                    .get(index)
                    .copied()
                    .unwrap_or(std::ptr::null_mut()),
            )
        })
    })
}

unsafe extern "C" fn rest(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| match driver::with_active(|a| a.rest(py)) {
        Some(Ok(object)) => object,
        Some(Err(error)) => raised(py, error),
        None => py.None().into_ptr(),
    })
}

/// `AGAIN(reads...)`: whether native code went on, or CPython has a further part to run.
unsafe extern "C" fn again(
    _: *mut PyObject,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let arguments = unsafe { arguments(args, count) };
        bool_object(active(false, |a| a.again(py, arguments)))
    })
}

/// `SKIP(iterable)`: the iterable itself, or an iterator over CPython's share of it.
unsafe extern "C" fn skip(
    _: *mut PyObject,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: CPython's promise about vectorcall arguments; they are alive during the call.
        let iterable = unsafe {
            let Some(iterable) = arguments(args, count).first() else {
                return py.None().into_ptr();
            };
            Bound::from_borrowed_ptr(py, *iterable)
        };
        let rest = driver::with_active(|a| a.skip(&iterable)).unwrap_or(Ok(iterable));
        rest.map_or_else(|e| raised(py, e), Bound::into_ptr)
    })
}

unsafe extern "C" fn more(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(
        |py| match driver::with_active(Active::more).unwrap_or(Ok(true)) {
            Ok(value) => bool_object(value),
            Err(error) => raised(py, error),
        },
    )
}

unsafe extern "C" fn waits(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::waits)))
}

unsafe extern "C" fn tick(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(true, Active::tick)))
}

unsafe extern "C" fn orelse(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(true, Active::orelse)))
}

unsafe extern "C" fn returned(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::returned)))
}

unsafe extern "C" fn value(
    _: *mut PyObject,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        active(py.None().into_ptr(), |a| {
            let value = a.value();
            if value.is_null() {
                return py.None().into_ptr();
            }
            // SAFETY: alive as long as the active site.
            unsafe { ffi::Py_INCREF(value) };
            value
        })
    })
}
