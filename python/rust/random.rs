//! Random numbers: `random.random()`, `random()` of a `random.Random`, `np.random.rand()` and its like. The
//! generator's state is an array that nests work on in place, and the method a function over it that is inlined like
//! a user's.
//!
//! The generator of all of them is the Mersenne Twister, MT19937 (Matsumoto and Nishimura 1998), and a number is made
//! of 53 bits of two draws, as in CPython's `_randommodule.c` and NumPy's `mt19937.h`.

use crate::bind;
use crate::buffers::Flat;
use crate::functions::{self, UserFunction};
use crate::once::Once;
use nestwise_frontend::parse_function;
use nestwise_ir::surface::Place;
use nestwise_ir::{ArrayKind, Scalar};
use nestwise_runtime::{ArrayView, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

/// Words of the state: those of the twister and, before or behind them, the position of the next draw.
const WORDS: usize = 625;
/// Where CPython's generator keeps them: behind the object's header.
const OFFSET: usize = size_of::<ffi::PyObject>();

/// The method; `AT` and `POS` stand for where the words begin and where the position is.
const TEXT: &str = "\
def random(state):
    k = state[POS]
    drawn = 0
    bits = 0
    while drawn < 2:
        if k >= 624:
            i = 0
            while i < 624:
                j = i + 1 if i < 623 else 0
                y = (state[i + AT] & 0x80000000) | (state[j + AT] & 0x7fffffff)
                v = state[(i + 397 if i < 227 else i - 227) + AT] ^ (y >> 1)
                state[i + AT] = v ^ 0x9908b0df if y & 1 else v
                i += 1
            k = 0
        y = state[k + AT]
        k += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9d2c5680
        y ^= (y << 15) & 0xefc60000
        y ^= y >> 18
        bits = y >> 5 if drawn == 0 else (bits << 26) | (y >> 6)
        drawn += 1
    state[POS] = k
    return bits * (1.0 / 9007199254740992.0)
";
const LOCALS: [&str; 8] = ["state", "k", "drawn", "bits", "i", "j", "y", "v"];
/// NumPy's methods that draw one such number when they are given nothing.
const NUMPY_METHODS: [&str; 3] = ["rand", "random", "random_sample"];

/// One of the two libraries' generators.
struct Library {
    /// The class that holds a state or, in NumPy, that knows the bit generator.
    class: Py<PyAny>,
    /// The class whose attributes are known.
    plain: Py<PyAny>,
    /// The methods' functions: addresses of C functions in CPython, of function objects in NumPy.
    methods: Vec<usize>,
    function: Arc<UserFunction>,
}

/// CPython's, once the program has imported it; `None` if this version keeps its state elsewhere.
fn python(py: Python<'_>) -> Option<&Library> {
    static LIBRARY: Once<Option<Library>> = Once::new();
    imported(py, &LIBRARY, "_random", make_python)
}

/// NumPy's, likewise.
fn numpy(py: Python<'_>) -> Option<&Library> {
    static LIBRARY: Once<Option<Library>> = Once::new();
    imported(py, &LIBRARY, "numpy.random.mtrand", make_numpy)
}

type Make = fn(Python<'_>, &Bound<'_, PyAny>) -> PyResult<Option<Library>>;

fn imported<'a>(
    py: Python<'a>,
    library: &'a Once<Option<Library>>,
    module: &str,
    make: Make,
) -> Option<&'a Library> {
    let find = || -> PyResult<Option<Library>> {
        let modules = py.import("sys")?.getattr("modules")?;
        let module = modules.get_item(module)?;
        Ok(make(py, &module).ok().flatten())
    };
    library.get_or_try_init(find).ok()?.as_ref()
}

fn make_python(py: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Option<Library>> {
    let class = module.getattr("Random")?;
    let sample = class.call1((20_260_101,))?;
    sample.call_method0("random")?;
    let said: Vec<u32> = sample.call_method0("getstate")?.extract()?;
    if class.getattr("__basicsize__")?.extract::<usize>()? < OFFSET + 4 * WORDS {
        return Ok(None);
    }
    // SAFETY: the type says that its objects are that large.
    let held = unsafe { std::slice::from_raw_parts(in_object(sample.as_ptr()), WORDS) };
    // The position is the last of what `getstate` says.
    if said.len() != WORDS || said.last() != held.first() || said[..624] != held[1..] {
        return Ok(None);
    }
    let method = sample.getattr("random")?;
    // SAFETY: an object.
    let method = unsafe { ffi::PyCFunction_GetFunction(method.as_ptr()) };
    let plain = py.import("random")?.getattr("Random")?.unbind();
    Ok(Some(Library {
        class: class.unbind(),
        plain,
        methods: method.map(|m| m as usize).into_iter().collect(),
        function: parsed(py, "1", "0")?,
    }))
}

fn make_numpy(py: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Option<Library>> {
    let class = module.getattr("RandomState")?;
    let sample = class.call1((20_260_101,))?;
    sample.call_method0("rand")?;
    let state = sample.call_method1("get_state", (false,))?;
    let state = state.get_item("state")?;
    let key: Vec<u32> = state.get_item("key")?.extract()?;
    let at: u32 = state.get_item("pos")?.extract()?;
    let Some(held) = in_bit_generator(&sample) else {
        return Ok(None);
    };
    // SAFETY: NumPy's structure of the state: 624 words and the position.
    let held = unsafe { std::slice::from_raw_parts(held, WORDS) };
    if key != held[..624] || at != held[624] {
        return Ok(None);
    }
    let methods: PyResult<Vec<usize>> = NUMPY_METHODS
        .iter()
        .map(|name| {
            let method = sample.getattr(*name)?;
            Ok(method.getattr("__func__")?.as_ptr() as usize)
        })
        .collect();
    Ok(Some(Library {
        plain: class.clone().unbind(),
        class: class.unbind(),
        methods: methods?,
        function: parsed(py, "0", "624")?,
    }))
}

/// The method's text and its local names, for `explain`, which has no generator.
pub fn text() -> (String, HashSet<String>) {
    let text = TEXT.replace("AT", "1").replace("POS", "0");
    (text, LOCALS.iter().map(ToString::to_string).collect())
}

fn parsed(py: Python<'_>, at: &str, position: &str) -> PyResult<Arc<UserFunction>> {
    let text = TEXT.replace("AT", at).replace("POS", position);
    let locals = LOCALS.iter().map(ToString::to_string).collect();
    let none = HashSet::new();
    let surface = parse_function(&text, 1, false, &locals, &none, "random", "random");
    let surface =
        surface.map_err(|e| pyo3::exceptions::PyValueError::new_err(e.error.to_string()))?;
    let places: Vec<&Place> = surface.places.values().collect();
    let places = bind::bind_places(py, &places, &[]);
    Ok(Arc::new(UserFunction {
        surface: Arc::new(surface),
        places,
        globals: PyDict::new(py).unbind(),
    }))
}

fn in_object(generator: *mut PyObject) -> *mut u32 {
    generator.wrapping_byte_add(OFFSET).cast()
}

/// The words that a `RandomState` draws from, if its bit generator is a Mersenne Twister.
fn in_bit_generator(state: &Bound<'_, PyAny>) -> Option<*mut u32> {
    let bits = state.getattr("_bit_generator").ok()?;
    let name = bits.get_type().fully_qualified_name().ok()?;
    if name != "numpy.random._mt19937.MT19937" {
        return None;
    }
    let capsule = bits.getattr("capsule").ok()?;
    // SAFETY: the capsule's structure begins with the pointer to the state, and lives as long as its generator.
    unsafe {
        let interface = ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"BitGenerator".as_ptr());
        if interface.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        Some(*interface.cast::<*mut u32>())
    }
}

/// Whether the object is a generator, of any class.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn is_generator(py: Python<'_>, object: *mut PyObject) -> bool {
    thread_local! {
        /// Classes of other objects. One that dies may be followed by a generator's at its address, which is then
        /// not recognised: nothing worse.
        static OTHERS: RefCell<HashSet<usize>> = RefCell::default();
    }
    // SAFETY: types live as long as their objects.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if OTHERS.with_borrow(|o| o.contains(&(ty as usize))) {
            return false;
        }
        let is = is_a(ty, python(py)) || is_a(ty, numpy(py));
        if !is {
            OTHERS.with_borrow_mut(|o| o.insert(ty as usize));
        }
        is
    }
}

unsafe fn is_a(ty: *mut ffi::PyTypeObject, library: Option<&Library>) -> bool {
    // SAFETY: live types.
    library.is_some_and(|l| unsafe { ffi::PyType_IsSubtype(ty, l.class.as_ptr().cast()) != 0 })
}

/// Whether reading the attribute of the object gives a method that draws a number, and runs nobody's code.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn has_method(
    py: Python<'_>,
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
) -> bool {
    // SAFETY: as promised by the caller.
    if !unsafe { is_generator(py, object) } {
        return false;
    }
    // SAFETY: a live object.
    let ty = unsafe { ffi::Py_TYPE(object) };
    let of = |l: Option<&Library>| l.is_some_and(|l| ty.cast() == l.plain.as_ptr());
    let known = NUMPY_METHODS.iter().any(|m| *name == *m);
    known && (*name == "random" && of(python(py)) || of(numpy(py)))
}

/// The generator whose own method this bound method is, and what is to be inlined for it.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn method_of(
    py: Python<'_>,
    object: *mut PyObject,
) -> Option<(Py<PyAny>, Arc<UserFunction>)> {
    // SAFETY: the types are checked before the methods are looked into.
    unsafe {
        if ffi::PyCFunction_CheckExact(object) == 0 {
            let (function, receiver) = functions::method(py, object)?;
            if !is_generator(py, receiver.as_ptr()) {
                return None;
            }
            let library =
                numpy(py).filter(|l| l.methods.contains(&(function.as_ptr() as usize)))?;
            let plain = ffi::Py_TYPE(receiver.as_ptr()).cast() == library.plain.as_ptr();
            return plain.then(|| (receiver, library.function.clone()));
        }
        let function = ffi::PyCFunction_GetFunction(object)? as usize;
        let library = python(py).filter(|l| l.methods.contains(&function))?;
        let generator = ffi::PyCFunction_GetSelf(object);
        if generator.is_null() || !is_a(ffi::Py_TYPE(generator), Some(library)) {
            return None;
        }
        let generator = Bound::from_borrowed_ptr(py, generator).unbind();
        Some((generator, library.function.clone()))
    }
}

/// The state of a generator.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn state(py: Python<'_>, object: *mut PyObject) -> Option<Flat> {
    // SAFETY: as promised by the caller.
    let ptr = unsafe {
        if !is_generator(py, object) {
            return None;
        }
        if is_a(ffi::Py_TYPE(object), python(py)) {
            in_object(object)
        } else {
            in_bit_generator(&Bound::from_borrowed_ptr(py, object))?
        }
    };
    let view = ArrayView {
        ptr: ptr.cast(),
        tags: std::ptr::null_mut(),
        rank: 1,
        extents: [WORDS as i64, 0, 0, 0, 0, 0, 0, 0],
        strides: [4, 0, 0, 0, 0, 0, 0, 0],
        size: 4,
    };
    Some(Flat {
        kind: ArrayKind::ArrayArray,
        storage: Scalar::U32,
        writable: true,
        value: Value::Array(view),
    })
}
