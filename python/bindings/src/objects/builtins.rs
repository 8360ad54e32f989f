//! Functions and types the front end knows, recognised by identity: a rebound `range` or a patched `math.sin` is
//! simply another object.

use std::cell::RefCell;
use std::collections::HashMap;

use nestwise_frontend::builtins::{Known, MathFn, MathSpecial};
use pyo3::ffi::{self, PyObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyFunction, PyString, PyType};

use crate::objects::modules;
use crate::process::once::Once;

thread_local! {
    /// Known functions and types that a program has used, by the address of the object.
    static MET: RefCell<HashMap<usize, Known>> = RefCell::default();
}

/// The modules that known functions and types belong to.
const MODULES: [&str; 8] = [
    "builtins",
    "math",
    "numpy",
    "numpy.linalg",
    "heapq",
    "bisect",
    "time",
    "statistics",
];

/// The known function or type that an object is, found by its name, for an object that was not met before; `None` if it
/// is none.
fn meet(py: Python<'_>, object: &Bound<'_, PyAny>) -> Option<Known> {
    let ty = object.get_type();
    let plain = ty.is(py.get_type::<PyCFunction>())
        || ty.is(py.get_type::<PyType>())
        || ty.is(py.get_type::<PyFunction>());
    // Known functions of other types are NumPy's.
    if !plain && ty.module().ok()?.to_str().ok()? != "numpy" {
        return None;
    }
    let name = object.getattr(intern!(py, "__name__")).ok()?;
    let name = name.cast_exact::<PyString>().ok()?.to_str().ok()?;
    MODULES.into_iter().find_map(|module| {
        let known = Known::from_name(&format!("{module}.{name}"))?;
        let module_name = PyString::new(py, module);
        let found = modules::imported(py, &module_name)?.getattr(name).ok()?;
        let genuine = found.is(object) && is_genuine(object, module, known).unwrap_or(false);
        genuine.then_some(known)
    })
}

/// Whether an object in a module is the module's original: a program may have patched the module before its first nest,
/// perhaps with a function that goes by the same name (`functools.wraps`).
pub fn is_genuine(object: &Bound<'_, PyAny>, module: &str, known: Known) -> PyResult<bool> {
    let name: String = object.getattr("__name__")?.extract()?;
    let named = Known::from_name(&format!("{module}.{name}")) == Some(known);
    Ok(named && is_at_home(object, module)?)
}

/// Whether a function or a type is one that the module itself made.
pub fn is_at_home(object: &Bound<'_, PyAny>, module: &str) -> PyResult<bool> {
    let ty = object.get_type();
    let kind = (ty.module()?.to_string(), ty.name()?.to_string());
    let text = |name: &str| object.getattr(name)?.extract::<String>();
    // Nobody but C code makes the first, the second and the last two of these.
    Ok(match (kind.0.as_str(), kind.1.as_str()) {
        ("builtins", "builtin_function_or_method") => {
            let home = text("__module__")?;
            home == module || home.strip_prefix('_') == Some(module)
        }
        ("builtins", "type") => {
            let class = object.cast::<PyType>()?;
            // SAFETY: a live type.
            let flags = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) };
            flags & ffi::Py_TPFLAGS_HEAPTYPE == 0 && text("__module__")? == module
        }
        ("builtins", "function") => {
            let globals = object.getattr("__globals__")?;
            let home: String = globals.get_item("__name__")?.extract()?;
            home.split('.').next() == Some(module)
        }
        ("numpy", "ufunc" | "_ArrayFunctionDispatcher") => {
            module == "numpy" || module == "numpy.linalg" && text("__module__")? == module
        }
        _ => false,
    })
}

/// Whether the running version's `math.hypot` is one that code generation knows; samples are compared once, when a nest
/// first mentions it.
fn has_hypot(py: Python<'_>, hypot: *mut PyObject) -> bool {
    static KNOWN: Once<bool> = Once::new();
    *KNOWN.get_or_init(|| {
        // SAFETY: the function, alive for ever.
        let hypot: Bound<'_, PyAny> = unsafe { Bound::from_borrowed_ptr(py, hypot) };
        let samples: PyResult<Vec<[f64; 3]>> = sample_points()
            .map(|(x, y)| Ok([x, y, hypot.call1((x, y))?.extract()?]))
            .collect();
        samples.is_ok_and(|s| nestwise_codegen::register_hypot(&s))
    })
}

/// Pairs of floats of all magnitudes from a fixed generator (splitmix64).
fn sample_points() -> impl Iterator<Item = (f64, f64)> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..3000).map(move |k| {
        let (a, b) = (next(), next());
        // Most pairs are of similar size, where the last bit is decided by the algorithm.
        let unit = |v: u64| (v >> 11) as f64 / (1_u64 << 53) as f64;
        match k % 4 {
            0 => (f64::from_bits(a >> 2), f64::from_bits(b >> 2)),
            _ => (unit(a) - 0.5, (unit(b) - 0.5) * 3.0),
        }
    })
}

/// The function or type that `object` is, if the front end knows it.
pub fn known(py: Python<'_>, object: *mut PyObject) -> Option<Known> {
    let met = MET.with_borrow(|met| met.get(&(object as usize)).copied());
    let found = match met {
        Some(known) => known,
        None => {
            // SAFETY: null or a live object.
            let bound = unsafe { Bound::from_borrowed_ptr_or_opt(py, object) }?;
            let known = meet(py, &bound)?;
            // The object lives as long as the process; leaking one reference keeps the address meaningful.
            let address = bound.into_ptr() as usize;
            MET.with_borrow_mut(|met| met.insert(address, known));
            known
        }
    };
    let hypot = found == Known::Math(MathFn::Special(MathSpecial::Hypot));
    (!hypot || has_hypot(py, object)).then_some(found)
}

/// Whether the front end knows `object`.
pub fn is_known(py: Python<'_>, object: *mut PyObject) -> bool {
    known(py, object).is_some()
}
