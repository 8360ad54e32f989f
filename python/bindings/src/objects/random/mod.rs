//! Random numbers: `random.random()`, `randint()` of a `random.Random`, `np.random.rand()`, `random()` of
//! `np.random.default_rng()`. The generator's state is an array that nests work on in place, and a method is a function
//! over that array ([`crate::objects::random::draws`]).

pub(crate) mod draws;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::Arc;

use nestwise_frontend::host_functions::HostFn;
use nestwise_frontend::parse_function;
use nestwise_ir::surface::AccessPath;
use nestwise_ir::{ArrayKind, Scalar};
use nestwise_runtime::{ArrayView, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};

use crate::objects::access_path::access_paths;
use crate::objects::buffers::Flat;
use crate::objects::functions::{self, UserFunction};
use crate::objects::modules;
use crate::objects::random::draws::{DRAWS, Draw};
use crate::process::once::Once;

/// The number of words of the Mersenne Twister's state: its own and, before or behind them, the position of the next
/// draw.
const WORDS: usize = 625;
/// The offset in bytes of the state's words in CPython's generator: behind the object's header.
const OFFSET: usize = size_of::<ffi::PyObject>();

/// The generators of one library.
struct Library {
    /// The class that holds a state or, in NumPy, that knows the bit generator.
    class: Py<PyAny>,
    /// The class whose attributes are known.
    plain: Py<PyAny>,
    /// The methods that draw, by the address of their C function or function object.
    methods: HashMap<usize, Method>,
    /// How far into the object a kept number is, where the attribute in which nests see it is none of the object's.
    kept_at: Option<usize>,
}

/// A method that draws, whose text is parsed once it is called.
struct Method {
    draw: &'static Draw,
    /// The index in the state where the words begin.
    at: String,
    /// The index in the state where its position is.
    position: &'static str,
    inlined: Once<Option<Arc<UserFunction>>>,
}

impl Method {
    fn new(draw: &'static Draw, at: impl Into<String>, position: &'static str) -> Method {
        Method {
            draw,
            at: at.into(),
            position,
            inlined: Once::new(),
        }
    }
}

impl Library {
    /// The function that is inlined for the method with the function at this address; `None` if there is none.
    fn inlined(&self, py: Python<'_>, function: usize) -> Option<Arc<UserFunction>> {
        let method = self.methods.get(&function)?;
        let Method {
            draw, at, position, ..
        } = method;
        let read = || {
            let agrees = !draw.checked || agrees(py, draw, self.plain.bind(py));
            Ok::<_, ()>(
                agrees
                    .then(|| parsed(py, draw, at, position).ok())
                    .flatten(),
            )
        };
        method.inlined.get_or_try_init(read).ok()?.clone()
    }

    fn is_plain(&self, object: *mut PyObject) -> bool {
        // SAFETY: a live object.
        unsafe { ffi::Py_TYPE(object) }.cast() == self.plain.as_ptr()
    }
}

/// The generators of CPython, once the program has imported them; `None` if this version keeps their state elsewhere.
fn python(py: Python<'_>) -> Option<&Library> {
    static LIBRARY: Once<Option<Library>> = Once::new();
    imported(py, &LIBRARY, intern!(py, "_random"), make_python)
}

/// The legacy generators of NumPy, once the program has imported them; `None` if this version keeps their state
/// elsewhere.
fn numpy(py: Python<'_>) -> Option<&Library> {
    static LIBRARY: Once<Option<Library>> = Once::new();
    imported(py, &LIBRARY, intern!(py, "numpy.random.mtrand"), make_numpy)
}

/// The generators that `np.random.default_rng()` makes, once the program has imported them; `None` if this version
/// keeps their state elsewhere.
fn generator(py: Python<'_>) -> Option<&Library> {
    static LIBRARY: Once<Option<Library>> = Once::new();
    imported(
        py,
        &LIBRARY,
        intern!(py, "numpy.random._generator"),
        make_generator,
    )
}

fn libraries(py: Python<'_>) -> impl Iterator<Item = &Library> {
    [python, numpy, generator]
        .into_iter()
        .filter_map(move |l| l(py))
}

type Make = fn(Python<'_>, &Bound<'_, PyAny>) -> PyResult<Option<Library>>;

fn imported<'a>(
    py: Python<'a>,
    library: &'a Once<Option<Library>>,
    module: &Bound<'a, PyString>,
    make: Make,
) -> Option<&'a Library> {
    let find = || {
        let module = modules::imported(py, module).ok_or(())?;
        Ok::<_, ()>(make(py, &module).ok().flatten())
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
    let plain = py.import("random")?.getattr("Random")?;
    let mut methods = HashMap::new();
    for (draw, name) in all_of(draws::Library::Python) {
        let method = plain.getattr(name)?;
        let function = match draw.work.calls {
            0 => {
                let method = sample.getattr(name)?;
                // SAFETY: an object.
                let function = unsafe { ffi::PyCFunction_GetFunction(method.as_ptr()) };
                function.map(|f| f as usize)
            }
            // Somebody may have put another one in its place.
            _ => {
                let own = |attribute: &str| method.getattr(attribute)?.extract::<String>();
                let known = own("__module__")? == "random";
                let known = known && own("__qualname__")? == format!("Random.{name}");
                known.then_some(method.as_ptr() as usize)
            }
        };
        if let Some(function) = function {
            methods.insert(function, Method::new(draw, "1", "0"));
            // An address means one function for ever.
            std::mem::forget(method);
        }
    }
    Ok(Some(Library {
        class: class.unbind(),
        plain: plain.unbind(),
        methods,
        kept_at: None,
    }))
}

fn make_numpy(_: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Option<Library>> {
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
    let kept_at = kept_in_object(&sample)?;
    let mut methods = numpy_methods(draws::Library::Numpy, &sample, "0", "624")?;
    methods.retain(|_, method| kept_at.is_some() || !method.draw.keeps);
    Ok(Some(Library {
        plain: class.clone().unbind(),
        class: class.unbind(),
        methods,
        kept_at,
    }))
}

fn make_generator(py: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Option<Library>> {
    let class = module.getattr("Generator")?;
    let bits = py.import("numpy.random")?.getattr("PCG64")?;
    let sample = class.call1((bits.call1((20_260_101,))?,))?;
    sample.call_method0("random")?;
    let state = sample.getattr("bit_generator")?.getattr("state")?;
    let state = state.get_item("state")?;
    let said: [u128; 2] = [
        state.get_item("state")?.extract()?,
        state.get_item("inc")?.extract()?,
    ];
    let Some((pieces, at)) = in_pcg64(&sample) else {
        return Ok(None);
    };
    // SAFETY: NumPy's structure of the state: two numbers of 128 bits, as far behind the others.
    if said != unsafe { pieces.add(at).cast::<[u128; 2]>().read_unaligned() } {
        return Ok(None);
    }
    let mut methods = numpy_methods(draws::Library::Generator, &sample, &at.to_string(), "0")?;
    if !draws_ints(&sample, said, pieces)? {
        let integers = sample.getattr("integers")?.getattr("__func__")?;
        methods.remove(&(integers.as_ptr() as usize));
    }
    Ok(Some(Library {
        plain: class.clone().unbind(),
        class: class.unbind(),
        methods,
        kept_at: None,
    }))
}

/// How far into a `RandomState` the second of two normally distributed numbers is kept: behind an int that says whether
/// one is. `None` if this version keeps it elsewhere.
fn kept_in_object(sample: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let size: usize = sample.get_type().getattr("__basicsize__")?.extract()?;
    let said = || {
        let state = sample.call_method1("get_state", (false,))?;
        let number: f64 = state.get_item("gauss")?.extract()?;
        Ok::<_, PyErr>((state.get_item("has_gauss")?.extract::<i32>()?, number))
    };
    let mut found: Option<Vec<usize>> = None;
    for _ in 0..4 {
        sample.call_method0("standard_normal")?;
        let (keeps, number) = said()?;
        let held = (size_of::<ffi::PyObject>()..size.saturating_sub(15)).step_by(8);
        let here = held.filter(|at| {
            // SAFETY: inside an object of this size.
            let (flag, kept) = unsafe { kept_place(sample.as_ptr(), *at) };
            // SAFETY: as above; aligned, as the object is.
            unsafe { *flag == keeps && (*kept).to_bits() == number.to_bits() }
        });
        let here: Vec<usize> = here.collect();
        found = Some(match found {
            Some(before) => before.into_iter().filter(|at| here.contains(at)).collect(),
            None => here,
        });
    }
    Ok(match found.as_deref() {
        Some([at]) => Some(*at),
        _ => None,
    })
}

/// Where an object keeps a number `at` bytes from its beginning: whether it does, and the number.
///
/// # Safety
/// The object is that large.
unsafe fn kept_place(object: *mut PyObject, at: usize) -> (*mut i32, *mut f64) {
    let flag = object.wrapping_byte_add(at);
    (flag.cast(), flag.wrapping_byte_add(8).cast())
}

/// How far into this object a number is kept for later, if nests see it in this attribute, which the object does not have.
fn kept_at(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> Option<usize> {
    if name.as_ptr() != intern!(py, "gauss_next").as_ptr() {
        return None;
    }
    let library = numpy(py)?;
    library.kept_at.filter(|_| library.is_plain(object))
}

/// Whether NumPy draws ints as `draws` has it, which it does not promise: compares some draws of a generator with this
/// state that keeps nothing.
fn draws_ints(sample: &Bound<'_, PyAny>, state: [u128; 2], pieces: *mut u16) -> PyResult<bool> {
    const FACTOR: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
    let [mut at, increment] = state;
    let mut kept = None;
    let mut next = || {
        if let Some(piece) = kept.take() {
            return piece;
        }
        at = at.wrapping_mul(FACTOR).wrapping_add(increment);
        let drawn = ((at >> 64) as u64 ^ at as u64).rotate_right((at >> 122) as u32);
        kept = Some(drawn >> 32);
        drawn & 0xffff_ffff
    };
    for most in [9u64, 0xbfff_ffff, 0, 0xbfff_ffff, 999, 1] {
        let threshold = (0xffff_ffff - most) % (most + 1);
        let mut products = std::iter::repeat_with(|| next() * (most + 1));
        let expected = match most {
            0 => Some(0),
            _ => products.find(|product| product & 0xffff_ffff >= threshold),
        };
        let expected = expected.map_or(0, |product| product >> 32);
        let drawn = sample.call_method1("integers", (0, most + 1))?;
        if drawn.extract::<u64>()? != expected {
            return Ok(false);
        }
    }
    // SAFETY: NumPy's structure: a C int and 32 bits.
    let (keeps, piece) = unsafe {
        let words = pieces.cast::<u32>();
        (words.read_unaligned(), words.add(1).read_unaligned())
    };
    Ok(match kept {
        Some(kept) => keeps == 1 && u64::from(piece) == kept,
        None => keeps == 0,
    })
}

/// The methods of one of NumPy's generators, by the address of their function. `at` and `position`: where the state's
/// words begin, and where its position is.
fn numpy_methods(
    library: draws::Library,
    sample: &Bound<'_, PyAny>,
    at: &str,
    position: &'static str,
) -> PyResult<HashMap<usize, Method>> {
    let mut methods = HashMap::new();
    for (draw, name) in all_of(library) {
        let function = sample.getattr(name)?.getattr("__func__")?;
        let method = Method::new(draw, at, position);
        methods.insert(function.as_ptr() as usize, method);
        // An address means one function for ever.
        std::mem::forget(function);
    }
    Ok(methods)
}

/// The methods of a library, once for each of their names.
fn all_of(library: draws::Library) -> impl Iterator<Item = (&'static Draw, &'static str)> {
    let own = DRAWS.iter().filter(move |d| d.library == library);
    own.flat_map(|draw| draw.names.iter().map(move |name| (draw, *name)))
}

/// The text of the method with this full name, for instance `random.randint`, and its local names, for `explain`, which
/// has no generator; `None` if it is not known.
pub fn text(name: &str) -> Option<(String, HashSet<String>)> {
    let short = name.rsplit('.').next()?;
    Draw::named(name).map(|draw| draw.text(short, "1", "0"))
}

fn parsed(py: Python<'_>, draw: &Draw, at: &str, position: &str) -> PyResult<Arc<UserFunction>> {
    let name = draw.names[0];
    let (text, locals) = draw.text(name, at, position);
    let none = HashSet::new();
    let surface = parse_function(&text, 1, false, &locals, &none, name, "random");
    let mut surface =
        surface.map_err(|e| pyo3::exceptions::PyValueError::new_err(e.error.to_string()))?;
    surface.library = Some(draw.work);
    let paths: Vec<&AccessPath> = surface.paths.values().collect();
    let mut paths = access_paths(py, &paths, &[]);
    if let Some(own) = surface.params.first() {
        // The parameter is the state, although an attribute of it is looked at, too.
        paths[own.path.index()].has_children = false;
    }
    let globals = PyDict::new(py);
    let math = py.import("math")?;
    for name in ["log", "sqrt", "sin", "cos"] {
        globals.set_item(name, math.getattr(name)?)?;
    }
    if draw.library != draws::Library::Python {
        globals.set_item("int64", py.import("numpy")?.getattr("int64")?)?;
    }
    let function = UserFunction::new(surface, paths, globals.unbind());
    Ok(Arc::new(function))
}

/// Whether the text of a method does what the method does in this version of Python.
fn agrees(py: Python<'_>, draw: &Draw, class: &Bound<'_, PyAny>) -> bool {
    let name = draw.names[0];
    let is_numpy = draw.library == draws::Library::Numpy;
    let (text, _) = match is_numpy {
        true => draw.text(name, "0", "624"),
        false => draw.text(name, "1", "0"),
    };
    let agrees = || {
        let module = py.import("nestwise.native.generators")?;
        let given = (text, name, class, draws::KEPT, draws::NOTHING_KEPT);
        let check = if is_numpy {
            "agrees_with_numpy"
        } else {
            "agrees"
        };
        module.call_method1(check, given)?.extract::<bool>()
    };
    agrees().unwrap_or(false)
}

/// The value of an object's attribute as nests see it: where a generator keeps nothing in the attribute, a number
/// stands for None.
///
/// # Safety
/// `value` is null or a strong reference, which is taken over; `object` is alive and the GIL is held.
pub unsafe fn kept(
    py: Python<'_>,
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
    value: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as promised by the caller.
    unsafe {
        if value.is_null()
            && let Some(at) = kept_at(py, object, name)
        {
            let (flag, number) = kept_place(object, at);
            return match *flag {
                0 => nothing_kept(py).clone_ref(py).into_ptr(),
                _ => PyFloat::new(py, *number).into_any().into_ptr(),
            };
        }
        if value != ffi::Py_None() || !keeps(py, object, name) {
            return value;
        }
        ffi::Py_DECREF(value);
        nothing_kept(py).clone_ref(py).into_ptr()
    }
}

/// Whether an attribute is one that [`keep`] sets.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn is_kept(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> bool {
    kept_at(py, object, name).is_some()
}

/// Sets an attribute of an object, which is safe to set, to `value` as nests see it: the inverse of [`kept`]. Returns 0,
/// or -1 with an exception set.
///
/// # Safety
/// `object` is alive.
pub unsafe fn keep(
    object: *mut PyObject,
    name: &Bound<'_, PyString>,
    value: &Bound<'_, PyAny>,
) -> i32 {
    let py = name.py();
    // SAFETY: as promised by the caller; the place is inside the object.
    unsafe {
        if let Some(at) = kept_at(py, object, name) {
            let (flag, number) = kept_place(object, at);
            let nothing = is_nothing(value);
            *flag = i32::from(!nothing);
            *number = match nothing {
                true => 0.0,
                false => value.cast_exact::<PyFloat>().map_or(0.0, |v| v.value()),
            };
            return 0;
        }
        let value = match keeps(py, object, name) && is_nothing(value) {
            true => py.None().into_bound(py),
            false => value.clone(),
        };
        ffi::PyObject_GenericSetAttr(object, name.as_ptr(), value.as_ptr())
    }
}

/// The object that [`kept`] will give for an attribute with this value, as nests see it.
pub fn as_kept<'py>(value: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    let py = value.py();
    match is_nothing(value) {
        true => nothing_kept(py).bind(py).clone(),
        false => value.clone(),
    }
}

fn is_nothing(value: &Bound<'_, PyAny>) -> bool {
    let float = value.cast_exact::<PyFloat>();
    float.is_ok_and(|v| v.value() == draws::NOTHING_KEPT)
}

/// Whether an attribute is the one in which a generator keeps a number for later.
unsafe fn keeps(py: Python<'_>, object: *mut PyObject, name: &Bound<'_, PyString>) -> bool {
    // SAFETY: as promised by the caller.
    name.as_ptr() == pyo3::intern!(py, "gauss_next").as_ptr() && unsafe { is_generator(py, object) }
}

/// The number that stands for an attribute in which nothing is kept: always the same object, so that it can be told by
/// its address.
fn nothing_kept(py: Python<'_>) -> &Py<PyAny> {
    static NOTHING: Once<Py<PyAny>> = Once::new();
    NOTHING.get_or_init(|| PyFloat::new(py, draws::NOTHING_KEPT).into_any().unbind())
}

fn in_object(generator: *mut PyObject) -> *mut u32 {
    generator.wrapping_byte_add(OFFSET).cast()
}

/// The address of the words that a `RandomState` draws from; `None` if its bit generator is not a Mersenne Twister.
fn in_bit_generator(state: &Bound<'_, PyAny>) -> Option<*mut u32> {
    let bits = state.getattr("_bit_generator").ok()?;
    held(&bits, "numpy.random._mt19937.MT19937").map(|p| p.cast())
}

/// The address of the 16-bit pieces that a `Generator` draws from, beginning with what it keeps for later, and the
/// index at which its state begins; `None` if its bit generator is not PCG64.
fn in_pcg64(generator: &Bound<'_, PyAny>) -> Option<(*mut u16, usize)> {
    let bits = generator.getattr("bit_generator").ok()?;
    let held = held(&bits, "numpy.random._pcg64.PCG64")?.cast::<*mut u16>();
    // SAFETY: NumPy's structure begins with the pointer to the state, which lives as long, and is in the same object.
    let (state, kept) = unsafe { (*held, held.add(1).cast::<u16>()) };
    let at = (state as usize).checked_sub(kept as usize)? / size_of::<u16>();
    // Next to each other, but for what a number of 128 bits is aligned by.
    matches!(at, 4 | 8).then_some((kept, at))
}

/// The address of the state of a bit generator; `None` if it is not of the class with this name.
fn held(bits: &Bound<'_, PyAny>, class: &str) -> Option<*mut c_void> {
    let name = bits.get_type().fully_qualified_name().ok()?;
    if name != class {
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
        Some(*interface.cast::<*mut c_void>())
    }
}

/// Whether the object is a random generator of a known class, or of one derived from it.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn is_generator(py: Python<'_>, object: *mut PyObject) -> bool {
    thread_local! {
        /// The addresses of classes that are no generators'. A generator's class at the address of one that died is not
        /// recognised, which does no harm.
        static OTHERS: RefCell<HashSet<usize>> = RefCell::default();
    }
    // SAFETY: types live as long as their objects.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if OTHERS.with_borrow(|o| o.contains(&(ty as usize))) {
            return false;
        }
        let is = may_be_generator(py, ty) && libraries(py).any(|l| is_a(ty, l));
        if !is {
            OTHERS.with_borrow_mut(|o| o.insert(ty as usize));
        }
        is
    }
}

/// Whether a class is one of the known generators' classes, or derived from one, without looking up what is known of
/// them.
///
/// # Safety
/// The class is alive and the GIL is held.
unsafe fn may_be_generator(py: Python<'_>, ty: *mut ffi::PyTypeObject) -> bool {
    let classes = [
        (intern!(py, "_random"), intern!(py, "Random")),
        (
            intern!(py, "numpy.random.mtrand"),
            intern!(py, "RandomState"),
        ),
        (
            intern!(py, "numpy.random._generator"),
            intern!(py, "Generator"),
        ),
    ];
    classes.into_iter().any(|(module, name)| {
        let class = modules::imported(py, module).and_then(|m| m.getattr(name).ok());
        // SAFETY: live types.
        class.is_some_and(|class| unsafe {
            ffi::PyType_Check(class.as_ptr()) != 0
                && ffi::PyType_IsSubtype(ty, class.as_ptr().cast()) != 0
        })
    })
}

unsafe fn is_a(ty: *mut ffi::PyTypeObject, library: &Library) -> bool {
    // SAFETY: live types.
    unsafe { ffi::PyType_IsSubtype(ty, library.class.as_ptr().cast()) != 0 }
}

/// Whether the attribute of the object is a method of a generator that draws a number, and reading it runs no user
/// code.
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
    let Ok(name) = name.to_str() else {
        return false;
    };
    let plain = |l: Option<&Library>| l.is_some_and(|l| l.is_plain(object));
    draws::has(draws::Library::Python, name) && plain(python(py))
        || draws::has(draws::Library::Numpy, name) && plain(numpy(py))
        || draws::has(draws::Library::Generator, name) && plain(generator(py))
        || HostFn::draw(name).is_some() && (plain(numpy(py)) || plain(generator(py)))
}

/// The method of one of NumPy's generators that CPython is called for; `None` if `object` is none.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn called(py: Python<'_>, object: *mut PyObject) -> Option<HostFn> {
    let (function, receiver) = functions::method(py, object)?;
    // SAFETY: as promised by the caller.
    if !unsafe { is_generator(py, receiver.as_ptr()) } {
        return None;
    }
    let name = function.getattr(py, intern!(py, "__name__")).ok()?;
    let name = name.bind(py).cast_exact::<PyString>().ok()?;
    let text = name.to_str().ok()?;
    let mut libraries = [numpy(py), generator(py)].into_iter().flatten();
    let library = libraries.find(|l| l.is_plain(receiver.as_ptr()))?;
    let own = library.plain.bind(py).getattr(name).ok()?;
    HostFn::draw(text).filter(|_| own.is(function.bind(py)))
}

/// The generator that a bound method belongs to, and the function that is inlined for it; `None` if `object` is not a
/// known method of a generator.
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
            let drawn = drawn_by(py, &function, &receiver)?;
            return Some((receiver, drawn));
        }
        let function = ffi::PyCFunction_GetFunction(object)? as usize;
        let library = python(py)?;
        let method = library.inlined(py, function)?;
        let generator = ffi::PyCFunction_GetSelf(object);
        if generator.is_null() || !is_a(ffi::Py_TYPE(generator), library) {
            return None;
        }
        let generator = Bound::from_borrowed_ptr(py, generator).unbind();
        Some((generator, method))
    }
}

/// The function that is inlined for a bound method of these parts; `None` if it is not a known method of a generator.
pub fn drawn_by(
    py: Python<'_>,
    function: &Py<PyAny>,
    receiver: &Py<PyAny>,
) -> Option<Arc<UserFunction>> {
    // SAFETY: a live object.
    if !unsafe { is_generator(py, receiver.as_ptr()) } {
        return None;
    }
    let mut plain = libraries(py).filter(|l| l.is_plain(receiver.as_ptr()));
    plain.next()?.inlined(py, function.as_ptr() as usize)
}

/// The state of a generator as a flat sequence; `None` for other objects.
///
/// # Safety
/// `object` is alive and the GIL is held.
pub unsafe fn state(py: Python<'_>, object: *mut PyObject) -> Option<Flat> {
    // SAFETY: as promised by the caller.
    let (ptr, storage, count) = unsafe {
        if !is_generator(py, object) {
            return None;
        }
        let ty = ffi::Py_TYPE(object);
        let is = |library: Option<&Library>| library.is_some_and(|l| is_a(ty, l));
        if is(python(py)) {
            (in_object(object).cast(), Scalar::U32, WORDS)
        } else if is(generator(py)) {
            let (pieces, at) = in_pcg64(&Bound::from_borrowed_ptr(py, object))?;
            (pieces.cast(), Scalar::U16, at + draws::PCG_PIECES)
        } else {
            let words = in_bit_generator(&Bound::from_borrowed_ptr(py, object))?;
            (words.cast(), Scalar::U32, WORDS)
        }
    };
    let size = storage.size() as i64;
    let view = ArrayView {
        ptr,
        tags: std::ptr::null_mut(),
        rank: 1,
        extents: [count as i64, 0, 0, 0, 0, 0, 0, 0],
        strides: [size, 0, 0, 0, 0, 0, 0, 0],
        size,
    };
    Some(Flat {
        kind: ArrayKind::ArrayArray,
        storage,
        writable: true,
        value: Value::Array(view),
    })
}
