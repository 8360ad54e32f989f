//! NumPy seen from outside: its types by identity, scalars boxed, its ufunc loops handed to the code generator.
//!
//! Nothing here imports NumPy: until the user's program has, no object can be NumPy's.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use nestwise_codegen::UfuncLoop;
use nestwise_frontend::builtins::{Known, NumpyFn};
use nestwise_ir::{Fun, Scalar};
use pyo3::ffi::{self, PyObject, PyTypeObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::objects::{builtins, layout, modules};

/// What is known of the imported NumPy.
pub struct Numpy {
    /// The module.
    pub module: *mut PyObject,
    /// `numpy.ndarray`.
    pub ndarray: *mut PyTypeObject,
    scalars: Vec<(Scalar, *mut PyTypeObject)>,
    true_: *mut PyObject,
    false_: *mut PyObject,
    version: String,
    /// Whether `np.floor` and its like give ints for ints.
    pub whole_ints: bool,
}

// SAFETY: the pointers are to objects that live as long as the process, and are used with the GIL held.
unsafe impl Send for Numpy {}
unsafe impl Sync for Numpy {}

const SCALARS: [(Scalar, &str); 13] = [
    (Scalar::Bool, "bool_"),
    (Scalar::I8, "int8"),
    (Scalar::I16, "int16"),
    (Scalar::I32, "int32"),
    (Scalar::I64, "int64"),
    (Scalar::U8, "uint8"),
    (Scalar::U16, "uint16"),
    (Scalar::U32, "uint32"),
    (Scalar::U64, "uint64"),
    (Scalar::F32, "float32"),
    (Scalar::F64, "float64"),
    (Scalar::C64, "complex64"),
    (Scalar::C128, "complex128"),
];

static NUMPY: OnceLock<Option<Numpy>> = OnceLock::new();

/// NumPy, once the program has imported a supported version of it.
pub fn numpy(py: Python<'_>) -> Option<&'static Numpy> {
    if let Some(known) = NUMPY.get() {
        return known.as_ref();
    }
    let module = loaded(py)?;
    let found = Numpy::look(&module).ok();
    NUMPY.get_or_init(|| found).as_ref()
}

/// Registers NumPy's own loops with the code generator, once, before anything is compiled; this takes longer than
/// finding NumPy.
pub fn register_loops(py: Python<'_>) {
    static DONE: AtomicBool = AtomicBool::new(false);
    if numpy(py).is_some()
        && !DONE.swap(true, Ordering::Relaxed)
        && let Some(module) = loaded(py)
    {
        register_ufuncs(&module);
    }
}

/// Adds what is known of NumPy to the options, after they were replaced.
pub fn configured() {
    if let Some(Some(numpy)) = NUMPY.get() {
        numpy.add_version();
    }
}

/// The module `sys.modules['numpy']`, if it has been executed to its end.
fn loaded(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    let module = modules::imported(py, intern!(py, "numpy"))?;
    module.getattr("complex128").ok()?;
    module.getattr("float64").ok()?;
    module.getattr("ndarray").ok()?;
    Some(module)
}

/// The most bases that are looked through for the owner of an array's memory.
const MOST_BASES: usize = 16;

/// Whether an array's memory is NumPy's own or that of a `bytes`: no file's, no other process's.
///
/// # Safety
/// `array` is a live, exact ndarray; the GIL is held.
pub unsafe fn owns_memory(py: Python<'_>, array: *mut PyObject) -> bool {
    let Some(ndarray) = numpy(py).map(|n| n.ndarray) else {
        return false;
    };
    let mut at = array;
    for _ in 0..MOST_BASES {
        // SAFETY: an exact ndarray, whose base is null or a live object.
        unsafe {
            let header = layout::array_header(at);
            if header.flags & layout::OWNDATA != 0 {
                return true;
            }
            if header.base.is_null() {
                return false;
            }
            if ffi::PyBytes_CheckExact(header.base) != 0 {
                return true;
            }
            if ffi::Py_TYPE(header.base) != ndarray {
                return false;
            }
            at = header.base;
        }
    }
    false
}

/// Whether `np.floor` of an int is an int. A function of the program's in its place is not called.
fn whole_ints(module: &Bound<'_, PyAny>) -> PyResult<bool> {
    let floor = module.getattr("floor")?;
    let own = floor.get_type().is(&module.getattr("ufunc")?);
    Ok(own
        && floor
            .call1((1,))?
            .is_instance(&module.getattr("integer")?)?)
}

impl Numpy {
    fn look(module: &Bound<'_, PyAny>) -> PyResult<Numpy> {
        let version: String = module.getattr("__version__")?.extract()?;
        let major: u32 = version
            .split('.')
            .next()
            .and_then(|v| v.parse().ok())
            .unwrap_or(0);
        if major < 2 {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "NumPy 2 is needed",
            ));
        }
        let immortal =
            |name: &str| -> PyResult<*mut PyObject> { Ok(module.getattr(name)?.into_ptr()) };
        let mut scalars = Vec::new();
        for (scalar, name) in SCALARS {
            scalars.push((scalar, own_type(module, name)?));
        }
        let this = Numpy {
            module: module.clone().into_ptr(),
            ndarray: own_type(module, "ndarray")?,
            scalars,
            true_: immortal("True_")?,
            false_: immortal("False_")?,
            version,
            whole_ints: whole_ints(module)?,
        };
        this.check_layout(module.py())?;
        this.add_version();
        Ok(this)
    }

    fn add_version(&self) {
        nestwise_runtime::options::add_version(&format!(" numpy {}", self.version));
    }

    /// Compares the direct reads of `layout` with NumPy's own words on a small array.
    fn check_layout(&self, py: Python<'_>) -> PyResult<()> {
        // By the type, which is NumPy's own: its functions may be somebody else's by now.
        // SAFETY: a type that lives as long as the process.
        let ndarray = unsafe { Bound::from_borrowed_ptr(py, self.ndarray.cast()) };
        let array = ndarray.call1(((3, 5), "int16"))?;
        // SAFETY: an ndarray, just made.
        let header = unsafe { layout::array_header(array.as_ptr()) };
        let interface = array.getattr("__array_interface__")?;
        let (address, _): (usize, bool) = interface.get_item("data")?.extract()?;
        // SAFETY: two axes, if the header is what we believe; `nd` is checked first.
        let good = header.nd == 2
            && header.data as usize == address
            && unsafe {
                *header.dimensions.add(1) == 5
                    && *header.strides == 10
                    && (*header.descr).type_num == 3
            };
        if good {
            Ok(())
        } else {
            Err(pyo3::exceptions::PyRuntimeError::new_err(
                "unknown ndarray layout",
            ))
        }
    }

    /// The representation of a NumPy scalar type; `None` for other types.
    pub fn scalar_of(&self, ty: *mut PyTypeObject) -> Option<Scalar> {
        self.scalars.iter().find(|(_, t)| *t == ty).map(|(s, _)| *s)
    }

    /// A new NumPy scalar of the value at `value`.
    ///
    /// # Safety
    /// `value` points to a value of the representation.
    pub unsafe fn scalar(&self, repr: Scalar, value: *const u8) -> *mut PyObject {
        // SAFETY: `value` is as the caller promises; the types are NumPy's own, with the payload behind the head.
        unsafe {
            if repr == Scalar::Bool {
                let object = if *value != 0 { self.true_ } else { self.false_ };
                ffi::Py_INCREF(object);
                return object;
            }
            let Some((_, ty)) = self.scalars.iter().find(|(s, _)| *s == repr) else {
                return std::ptr::null_mut();
            };
            let object = ffi::PyType_GenericAlloc(*ty, 0);
            if object.is_null() {
                return object;
            }
            match repr.size() {
                1 => layout::set_payload(object, *value),
                2 => layout::set_payload(object, *value.cast::<u16>()),
                4 => layout::set_payload(object, *value.cast::<u32>()),
                8 => layout::set_payload(object, *value.cast::<u64>()),
                _ => layout::set_payload(object, *value.cast::<[u64; 2]>()),
            }
            object
        }
    }
}

/// The representation behind a number of `NPY_TYPES`; `None` where there is none. `long long` is a type of its own
/// beside `long`, and is not among them.
pub fn dtype(type_num: i32) -> Option<Scalar> {
    Some(match type_num {
        0 => Scalar::Bool,
        1 => Scalar::I8,
        2 => Scalar::U8,
        3 => Scalar::I16,
        4 => Scalar::U16,
        5 => Scalar::I32,
        6 => Scalar::U32,
        7 => Scalar::I64,
        8 => Scalar::U64,
        11 => Scalar::F32,
        12 => Scalar::F64,
        14 => Scalar::C64,
        15 => Scalar::C128,
        _ => return None,
    })
}

/// A new array of this shape in row-major order, with unspecified elements. Raises SystemError where NumPy has no type
/// for `storage`.
pub fn new_array<'py>(
    py: Python<'py>,
    shape: &[i64],
    storage: Scalar,
) -> PyResult<Bound<'py, PyAny>> {
    let lacks = || pyo3::exceptions::PySystemError::new_err("NumPy has no such array");
    let numpy = numpy(py).ok_or_else(lacks)?;
    let ty = numpy.scalars.iter().find(|(s, _)| *s == storage);
    let (_, ty) = ty.ok_or_else(lacks)?;
    // SAFETY: types that live as long as the process.
    unsafe {
        let array = Bound::from_borrowed_ptr(py, numpy.ndarray.cast());
        let dtype = Bound::from_borrowed_ptr(py, (*ty).cast());
        array.call1((pyo3::types::PyTuple::new(py, shape)?, dtype))
    }
}

/// The head of a `PyUFuncObject`.
#[repr(C)]
struct Ufunc {
    head: ffi::PyObject,
    nin: i32,
    nout: i32,
    nargs: i32,
    identity: i32,
    functions: *const *const std::ffi::c_void,
    data: *const *mut std::ffi::c_void,
    ntypes: i32,
    reserved1: i32,
    name: *const std::os::raw::c_char,
    types: *const i8,
}

/// NumPy's own type of that name, for as long as the process lives; an error if the program has put another in its
/// place.
fn own_type(module: &Bound<'_, PyAny>, name: &str) -> PyResult<*mut PyTypeObject> {
    let class = module.getattr(name)?.cast_into::<PyType>()?;
    let own = class.module()? == "numpy" && class.name()? == name.trim_end_matches('_');
    // SAFETY: a live type.
    let flags = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) };
    if own && flags & ffi::Py_TPFLAGS_HEAPTYPE == 0 {
        return Ok(class.into_ptr().cast());
    }
    let what = format!("numpy.{name} is not NumPy's own");
    Err(pyo3::exceptions::PyRuntimeError::new_err(what))
}

/// Hands NumPy's own inner loops to the code generator, so that `np.exp(x)` in a nest has the very bits of NumPy.
fn register_ufuncs(module: &Bound<'_, PyAny>) {
    let Ok(ufunc_type) = module.getattr("ufunc") else {
        return;
    };
    let register = |name: &str, fun: Fun, genuine: &dyn Fn(&Bound<'_, PyAny>) -> bool| {
        let Ok(ufunc) = module.getattr(name) else {
            return;
        };
        if ufunc.get_type().is(&ufunc_type) && genuine(&ufunc) {
            // SAFETY: an exact ufunc.
            unsafe { register_loops_of(fun, &*ufunc.as_ptr().cast::<Ufunc>()) };
            // The loops must stay: whoever deletes the ufunc from the module does not delete it from here.
            std::mem::forget(ufunc);
        }
    };
    for name in Known::all_names() {
        if let Some(known) = Known::from_name(&name)
            && let Known::Numpy(NumpyFn::Unary(fun) | NumpyFn::Binary(fun)) = known
        {
            let genuine =
                |f: &Bound<'_, PyAny>| builtins::is_genuine(f, "numpy", known).unwrap_or(false);
            register(name.trim_start_matches("numpy."), fun, &genuine);
        }
    }
    // The loops of sums and of products of vectors.
    for (name, fun) in [("add", Fun::AddNext), ("matmul", Fun::MatMulNext)] {
        let called = |f: &Bound<'_, PyAny>| {
            let own = f.getattr("__name__").and_then(|n| n.extract::<String>());
            own.is_ok_and(|own| own == name)
        };
        register(name, fun, &called);
    }
}

/// # Safety
/// `ufunc` is the head of a live ufunc.
unsafe fn register_loops_of(fun: Fun, ufunc: &Ufunc) {
    let nargs = ufunc.nargs.max(0) as usize;
    // NumPy takes the first loop that fits; later ones of the same types are more general and have other bits.
    let mut seen = Vec::new();
    for row in 0..ufunc.ntypes.max(0) as usize {
        // SAFETY: the arrays have `ntypes` rows, of `nargs` type numbers each; a loop of floats has this signature.
        unsafe {
            let types = std::slice::from_raw_parts(ufunc.types.add(row * nargs), nargs);
            let repr = match types.first() {
                Some(11) => Scalar::F32,
                Some(12) => Scalar::F64,
                _ => continue,
            };
            let function = *ufunc.functions.add(row);
            if seen.contains(&repr) {
                continue;
            }
            if types.iter().all(|t| *t == types[0]) && !function.is_null() {
                let function = std::mem::transmute::<*const std::ffi::c_void, UfuncLoop>(function);
                seen.push(repr);
                let data = *ufunc.data.add(row);
                nestwise_codegen::register_ufunc(fun, repr, function, data);
            }
        }
    }
}
