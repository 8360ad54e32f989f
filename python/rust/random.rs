//! `random.random()` and `random()` of a `random.Random`: the generator's state is an array that nests work on in
//! place, and the method a function over it that is inlined like a user's.
//!
//! The generator is the Mersenne Twister, MT19937 (Matsumoto and Nishimura 1998), with 53 bits of two draws for each
//! number, as CPython's `_randommodule.c` has it.

use crate::bind;
use crate::functions::UserFunction;
use nestwise_frontend::parse_function;
use nestwise_ir::surface::Place;
use nestwise_ir::{ArrayKind, Scalar};
use nestwise_runtime::{ArrayView, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use crate::buffers::Flat;

/// Words of the state: the position of the next draw, then the twister's words.
const WORDS: i64 = 625;
/// Behind the object's header.
const OFFSET: usize = size_of::<ffi::PyObject>();

const TEXT: &str = "\
def random(state):
    k = state[0]
    drawn = 0
    bits = 0
    while drawn < 2:
        if k >= 624:
            i = 0
            while i < 624:
                j = i + 1 if i < 623 else 0
                y = (state[i + 1] & 0x80000000) | (state[j + 1] & 0x7fffffff)
                v = state[(i + 397 if i < 227 else i - 227) + 1] ^ (y >> 1)
                state[i + 1] = v ^ 0x9908b0df if y & 1 else v
                i += 1
            k = 0
        y = state[k + 1]
        k += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9d2c5680
        y ^= (y << 15) & 0xefc60000
        y ^= y >> 18
        bits = y >> 5 if drawn == 0 else (bits << 26) | (y >> 6)
        drawn += 1
    state[0] = k
    return bits * (1.0 / 9007199254740992.0)
";
const LOCALS: [&str; 8] = ["state", "k", "drawn", "bits", "i", "j", "y", "v"];

struct Twister {
    /// `_random.Random`.
    class: Py<PyAny>,
    /// `random.Random`.
    plain: Py<PyAny>,
    /// The C function behind its `random`.
    method: usize,
    function: Arc<UserFunction>,
}

/// Set once the program has imported `random`; `None` if this CPython keeps its state elsewhere.
fn twister(py: Python<'_>) -> Option<&Twister> {
    static TWISTER: PyOnceLock<Option<Twister>> = PyOnceLock::new();
    if TWISTER.get(py).is_none() {
        let modules = py.import("sys").ok()?.getattr("modules").ok()?;
        let module = modules.get_item("_random").ok()?;
        let _ = TWISTER.set(py, make(py, &module).ok().flatten());
    }
    TWISTER.get(py)?.as_ref()
}

fn make(py: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Option<Twister>> {
    let class = module.getattr("Random")?;
    let sample = class.call1((20_260_101,))?;
    sample.call_method0("random")?;
    let said: Vec<u32> = sample.call_method0("getstate")?.extract()?;
    // SAFETY: the type says that its objects are that large.
    let held = unsafe {
        let size = class.getattr("__basicsize__")?.extract::<usize>()?;
        if size < OFFSET + 4 * WORDS as usize {
            return Ok(None);
        }
        std::slice::from_raw_parts(words(sample.as_ptr()), WORDS as usize).to_vec()
    };
    // The position is the last of what `getstate` says.
    if said.len() != held.len() || said.last() != held.first() || said[..624] != held[1..] {
        return Ok(None);
    }
    let method = sample.getattr("random")?;
    // SAFETY: a method of a C type.
    let Some(method) = (unsafe { ffi::PyCFunction_GetFunction(method.as_ptr()) }) else {
        return Ok(None);
    };
    let locals = LOCALS.iter().map(ToString::to_string).collect();
    let surface = parse_function(
        TEXT,
        1,
        false,
        &locals,
        &Default::default(),
        "random",
        "random",
    );
    let Ok(surface) = surface else {
        return Ok(None);
    };
    let places: Vec<&Place> = surface.places.values().collect();
    let places = bind::bind_places(py, &places, &[]);
    Ok(Some(Twister {
        class: class.unbind(),
        plain: py.import("random")?.getattr("Random")?.unbind(),
        method: method as usize,
        function: Arc::new(UserFunction {
            surface: Arc::new(surface),
            places,
            globals: PyDict::new(py).unbind(),
        }),
    }))
}

fn words(generator: *mut PyObject) -> *mut u32 {
    generator.wrapping_byte_add(OFFSET).cast()
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
        let is =
            twister(py).is_some_and(|t| ffi::PyType_IsSubtype(ty, t.class.as_ptr().cast()) != 0);
        if !is {
            OTHERS.with_borrow_mut(|o| o.insert(ty as usize));
        }
        is
    }
}

/// Whether the object is a generator of a class whose attributes are known.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn is_plain(py: Python<'_>, object: *mut PyObject) -> bool {
    // SAFETY: a live object.
    let ty = unsafe { ffi::Py_TYPE(object) };
    twister(py).is_some_and(|t| ty.cast() == t.plain.as_ptr())
}

/// The generator (borrowed) whose own `random` this bound method is.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn method_of(py: Python<'_>, object: *mut PyObject) -> Option<*mut PyObject> {
    // SAFETY: the type is checked before the method is looked into.
    unsafe {
        if ffi::PyCFunction_CheckExact(object) == 0 {
            return None;
        }
        let function = ffi::PyCFunction_GetFunction(object)? as usize;
        let twister = twister(py).filter(|t| t.method == function)?;
        let generator = ffi::PyCFunction_GetSelf(object);
        let own = !generator.is_null()
            && ffi::PyType_IsSubtype(ffi::Py_TYPE(generator), twister.class.as_ptr().cast()) != 0;
        own.then_some(generator)
    }
}

/// What is inlined for such a method.
pub fn function(py: Python<'_>) -> Option<Arc<UserFunction>> {
    twister(py).map(|t| t.function.clone())
}

/// The state of a generator.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn state(py: Python<'_>, object: *mut PyObject) -> Option<Flat> {
    // SAFETY: as promised by the caller.
    if !unsafe { is_generator(py, object) } {
        return None;
    }
    let view = ArrayView {
        ptr: words(object).cast(),
        tags: std::ptr::null_mut(),
        rank: 1,
        extents: [WORDS, 0, 0, 0, 0, 0, 0, 0],
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
