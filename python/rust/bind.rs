//! Binding: what a call of the hook finds in the places of its site, without running any user code.
//!
//! Each place gives a *capture*: the object (kept alive until the call ends), its value in native form, and a
//! 64-bit signature word. The words of all places together are the signature under which a plan is found.

use crate::attributes;
use crate::functions::{self, UserFunction};
use crate::known;
use crate::layout;
use crate::lists;
use crate::numpy::{self, Numpy};
use crate::random;
use nestwise_frontend::capture::Capture;
use nestwise_ir::surface::{Place, Scope};
use nestwise_ir::{ArrayKind, Scalar, Ty};
use nestwise_runtime::pipeline::HasValue;
use nestwise_runtime::{ArrayView, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// A place as the binder needs it.
pub struct BindPlace {
    /// Interned name.
    pub name: Py<PyString>,
    /// Index of the parent place.
    pub parent: Option<usize>,
    /// Where it lives.
    pub scope: Scope,
    /// Its entry value may be needed.
    pub captured: bool,
    /// Position among the hook's arguments, for locals.
    pub argument: Option<usize>,
    /// Attributes of it are places too.
    pub has_children: bool,
    /// Only kept to be given back: its type does not matter.
    pub pass_through: bool,
}

/// Prepares the places of a site or of a user's function.
pub fn bind_places(py: Python<'_>, places: &[&Place], arguments: &[String]) -> Vec<BindPlace> {
    let mut out: Vec<BindPlace> = places
        .iter()
        .map(|p| BindPlace {
            name: PyString::intern(py, &p.name).unbind(),
            parent: p.parent.map(|q| q.index()),
            scope: p.scope,
            captured: p.captured,
            argument: match p.scope {
                Scope::Local => arguments.iter().position(|a| *a == p.name),
                _ => None,
            },
            has_children: false,
            pass_through: false,
        })
        .collect();
    for child in 0..out.len() {
        if let Some(parent) = out[child].parent {
            out[parent].has_children = true;
        }
    }
    out
}

/// One capture of a call.
pub struct Bound {
    /// A strong reference, or null.
    pub object: *mut PyObject,
    /// Signature word.
    pub word: u64,
    /// Native value.
    pub value: Value,
}

impl HasValue for Bound {
    fn value(&self) -> &Value {
        &self.value
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // SAFETY: the reference is ours; dropped with the GIL held, as the whole call is.
        unsafe { ffi::Py_XDECREF(self.object) };
    }
}

const UNBOUND: u64 = 0;
const SCALAR: u64 = 1;
const ARRAY: u64 = 2;
const KNOWN: u64 = 3;
const MODULE: u64 = 4;
const OBJECT: u64 = 5;
const USER: u64 = 6;
const OTHER: u64 = 7;
const METHOD: u64 = 8;
const APPEND: u64 = 9;

fn scalar_word(ty: Ty, class: u64) -> u64 {
    SCALAR | (ty.prov as u64) << 8 | (ty.repr as u64) << 16 | class << 24
}

fn array_word(kind: ArrayKind, storage: Scalar, rank: usize, writable: bool) -> u64 {
    ARRAY
        | (kind as u64) << 8
        | (storage as u64) << 16
        | (rank as u64) << 24
        | u64::from(writable) << 32
}

fn pointer_word(tag: u64, object: *const PyObject) -> u64 {
    tag | (object as u64) << 8
}

/// Ranges that a live-in int's signature promises, narrowest first.
const INT_CLASSES: [Option<(i64, i64)>; 3] = [
    Some((0, i32::MAX as i64)),
    Some((i32::MIN as i64, i32::MAX as i64)),
    None,
];

/// Where names are looked up.
pub struct Names<'a> {
    /// Positional arguments of the hook.
    pub arguments: &'a [*mut PyObject],
    /// Borrowed dictionaries.
    pub globals: *mut PyObject,
    /// The frame's builtins.
    pub builtins: *mut PyObject,
    /// In a method: the place of its first parameter, and the object it is bound to.
    pub receiver: Option<(usize, *mut PyObject)>,
}

/// A user's function, or a method of a user's object, among the captures.
pub struct User {
    /// Its capture.
    pub capture: usize,
    /// What it is.
    pub function: Arc<UserFunction>,
    /// The capture of its first place.
    pub first: usize,
    /// The object that a method is bound to: its first parameter.
    receiver: Option<Py<PyAny>>,
    callee: Py<PyAny>,
}

/// Everything bound in one call.
pub struct Binding {
    /// Captures: the site's places, then those of user functions.
    pub captures: Vec<Bound>,
    /// User functions among them.
    pub users: Vec<User>,
}

/// Binds all places of a site; `mixed[i]` says that capture `i` is known to hold ints and floats together.
pub fn bind(py: Python<'_>, places: &[BindPlace], names: &Names<'_>, mixed: &[usize]) -> Binding {
    let mut binding = Binding {
        captures: Vec::with_capacity(places.len() + 4),
        users: Vec::new(),
    };
    let np = numpy::numpy(py);
    binding.scope(py, np, places, names, mixed);
    let mut next = 0;
    // Functions found while binding functions are appended behind, so this ends when none is new; a function
    // that contains itself is cut off by the limit.
    while next < binding.users.len() && binding.users.len() <= 16 {
        let first = binding.captures.len();
        let user = &mut binding.users[next];
        user.first = first;
        let function = user.function.clone();
        let receiver = user.receiver.as_ref().map(|r| r.clone_ref(py));
        let held = functions::closure(py, user.callee.as_ptr());
        let cells: Vec<*mut PyObject> = held.iter().map(Py::as_ptr).collect();
        let inner = Names {
            arguments: &cells,
            globals: function.globals.as_ptr(),
            builtins: names.builtins,
            receiver: receiver
                .as_ref()
                .and_then(|r| Some((function.surface.params.first()?.place.index(), r.as_ptr()))),
        };
        binding.scope(py, np, &function.places, &inner, mixed);
        next += 1;
    }
    binding
}

impl Binding {
    /// The signature of the call.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        self.captures.iter().map(|b| b.word)
    }

    fn scope(
        &mut self,
        py: Python<'_>,
        np: Option<&'static Numpy>,
        places: &[BindPlace],
        names: &Names<'_>,
        mixed: &[usize],
    ) {
        let first = self.captures.len();
        for place in places {
            let index = self.captures.len();
            let receiver = names.receiver.filter(|(at, _)| first + at == index);
            let object = if let Some((_, object)) = receiver {
                // SAFETY: kept alive by the caller.
                unsafe { ffi::Py_XINCREF(object) };
                object
            } else if place.captured {
                self.look_up(py, place, first, names)
            } else {
                std::ptr::null_mut()
            };
            let (word, value) = if place.pass_through {
                (UNBOUND, Value::None)
            } else {
                // SAFETY: null or a strong reference.
                unsafe { classify(py, np, object, place.has_children, mixed.contains(&index)) }
            };
            self.captures.push(Bound {
                object,
                word,
                value,
            });
            if matches!(word & 0xff, USER | METHOD)
                && let Some((callee, receiver)) = functions::callee(py, object)
                && let Some(function) = functions::user_function(py, callee.as_ptr())
            {
                self.users.push(User {
                    capture: index,
                    function,
                    first: 0,
                    receiver,
                    callee,
                });
            }
        }
    }

    /// A strong reference to the place's object, or null.
    fn look_up(
        &self,
        py: Python<'_>,
        place: &BindPlace,
        first: usize,
        names: &Names<'_>,
    ) -> *mut PyObject {
        // SAFETY: the dictionaries and arguments are alive during the call; lookups of interned exact strings in
        // exact dictionaries run no user code.
        unsafe {
            match (place.parent, place.scope) {
                (Some(parent), _) => {
                    let parent = &self.captures[first + parent];
                    if parent.object.is_null() {
                        return std::ptr::null_mut();
                    }
                    attributes::read(py, parent.object, place.name.bind(py))
                }
                (None, Scope::Local) => {
                    let object = place.argument.and_then(|i| names.arguments.get(i)).copied();
                    let object = object.unwrap_or(std::ptr::null_mut());
                    ffi::Py_XINCREF(object);
                    object
                }
                (None, _) => {
                    let mut object =
                        ffi::PyDict_GetItemWithError(names.globals, place.name.as_ptr());
                    if object.is_null() && !names.builtins.is_null() {
                        object = ffi::PyDict_GetItemWithError(names.builtins, place.name.as_ptr());
                    }
                    ffi::Py_XINCREF(object);
                    object
                }
            }
        }
    }

    /// A place by its number among all captures, and the capture of what it is an attribute of.
    pub fn place<'a>(
        &'a self,
        site: &'a [BindPlace],
        index: usize,
    ) -> (&'a BindPlace, Option<usize>) {
        let owner = self
            .users
            .iter()
            .filter(|u| {
                u.first > 0 && (u.first..u.first + u.function.places.len()).contains(&index)
            })
            .map(|u| (u.function.places.as_slice(), u.first))
            .next();
        let (places, first) = owner.unwrap_or((site, 0));
        let place = &places[index - first];
        (place, place.parent.map(|p| first + p))
    }

    /// What the front end needs to know of the captures.
    pub fn describe(&self, py: Python<'_>) -> Vec<Capture> {
        (0..self.captures.len())
            .map(|i| self.capture(py, i))
            .collect()
    }

    fn capture(&self, py: Python<'_>, index: usize) -> Capture {
        let bound = &self.captures[index];
        let other = || Capture::Other(attributes::type_name(py, bound.object));
        match bound.word & 0xff {
            UNBOUND => Capture::Unbound,
            SCALAR => {
                let class = (bound.word >> 24) as usize & 0xff;
                let Some(ty) = scalar_type(bound.word) else {
                    return other();
                };
                Capture::Scalar {
                    ty,
                    range: INT_CLASSES.get(class).copied().flatten(),
                }
            }
            ARRAY => match array_type(bound) {
                Some(capture) => capture,
                None => other(),
            },
            KNOWN => known::known(py, bound.object).map_or_else(other, Capture::Known),
            MODULE => Capture::Module,
            APPEND => Capture::Append,
            OBJECT => Capture::Object,
            tag @ (USER | METHOD) => match self.users.iter().find(|u| u.capture == index) {
                Some(user) if user.first > 0 => Capture::User {
                    function: user.function.surface.clone(),
                    first: user.first as u32,
                    method: tag == METHOD,
                },
                _ => other(),
            },
            _ => other(),
        }
    }
}

const SCALARS: [Scalar; 16] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::I128,
    Scalar::F32,
    Scalar::F64,
    Scalar::C64,
    Scalar::C128,
    Scalar::Num,
    Scalar::Char,
];

fn repr_of(byte: u64) -> Option<Scalar> {
    SCALARS.into_iter().find(|s| *s as u64 == byte & 0xff)
}

fn scalar_type(word: u64) -> Option<Ty> {
    let repr = repr_of(word >> 16)?;
    Some(if (word >> 8) & 0xff == 0 {
        Ty::py(repr)
    } else {
        Ty::np(repr)
    })
}

fn array_type(bound: &Bound) -> Option<Capture> {
    let kinds = [
        ArrayKind::Ndarray,
        ArrayKind::List,
        ArrayKind::Tuple,
        ArrayKind::ArrayArray,
        ArrayKind::Bytes,
        ArrayKind::Str,
    ];
    let word = bound.word;
    let kind = kinds
        .into_iter()
        .find(|k| *k as u64 == (word >> 8) & 0xff)?;
    let storage = repr_of(word >> 16)?;
    let elem = match kind {
        ArrayKind::Ndarray => Ty::np(storage),
        ArrayKind::Str => Ty::CHAR,
        _ if storage.is_int() => Ty::PY_INT,
        _ if storage == Scalar::F32 => Ty::PY_FLOAT,
        _ => Ty::py(storage),
    };
    let rank = (word >> 24) as u32 & 0xff;
    Some(Capture::Array {
        kind,
        storage,
        elem,
        rank,
        writable: (word >> 32) & 1 == 1,
    })
}

/// The signature word and the native value of an object.
///
/// # Safety
/// `object` is null or alive; the GIL is held.
unsafe fn classify(
    py: Python<'_>,
    np: Option<&'static Numpy>,
    object: *mut PyObject,
    has_children: bool,
    mixed: bool,
) -> (u64, Value) {
    if object.is_null() {
        return (UNBOUND, Value::None);
    }
    // SAFETY: payloads are read only after the exact type is known.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyLong_Type {
            return int(object);
        }
        if ty == &raw mut ffi::PyFloat_Type {
            return (
                scalar_word(Ty::PY_FLOAT, 2),
                Value::Float(layout::payload(object)),
            );
        }
        if let Some(np) = np {
            if ty == np.ndarray {
                return ndarray(object);
            }
            if let Some(repr) = np.scalar_of(ty) {
                return numpy_scalar(object, repr);
            }
        }
        if ty == &raw mut ffi::PyBool_Type {
            return (
                scalar_word(Ty::PY_BOOL, 2),
                Value::Bool(object == ffi::Py_True()),
            );
        }
        if ty == &raw mut ffi::PyList_Type || ty == &raw mut ffi::PyTuple_Type {
            return sequence(object, ty == &raw mut ffi::PyList_Type, mixed);
        }
        if ty == &raw mut ffi::PyComplex_Type {
            let value = Value::Complex(
                ffi::PyComplex_RealAsDouble(object),
                ffi::PyComplex_ImagAsDouble(object),
            );
            return (scalar_word(Ty::PY_COMPLEX, 2), value);
        }
        if ty == &raw mut ffi::PyModule_Type {
            return (MODULE, Value::None);
        }
        if crate::appended::list_of(object).is_some() {
            return (APPEND, Value::Append);
        }
        if known::is_known(py, object) {
            return (pointer_word(KNOWN, object), Value::None);
        }
        if let Some(code) = functions::code_of(py, object) {
            return (pointer_word(USER, code), Value::None);
        }
        if let Some(code) = functions::code_of_method(py, object) {
            return (pointer_word(METHOD, code), Value::None);
        }
        if let Some(code) = crate::buffers::character(object) {
            return (scalar_word(Ty::CHAR, 2), Value::Int(code.into()));
        }
        if random::method_of(py, object).is_some() {
            return (pointer_word(METHOD, std::ptr::null()), Value::None);
        }
        // A generator is of use for its attributes, or for its state.
        let generator = has_children && random::is_generator(py, object);
        if !generator && let Some((word, value)) = buffer(py, object) {
            return (word, value);
        }
        if has_children {
            return (OBJECT, Value::None);
        }
        (pointer_word(OTHER, ty.cast()), Value::None)
    }
}

unsafe fn int(object: *mut PyObject) -> (u64, Value) {
    let mut overflow = 0;
    // SAFETY: an exact int.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow) };
    if overflow != 0 {
        // SAFETY: an exact int; the error of one that is negative or too large is cleared.
        unsafe {
            let value = ffi::PyLong_AsUnsignedLongLong(object);
            if ffi::PyErr_Occurred().is_null() {
                return (scalar_word(Ty::py(Scalar::U64), 2), Value::Uint(value));
            }
            ffi::PyErr_Clear();
            return (
                pointer_word(OTHER, ffi::Py_TYPE(object).cast()),
                Value::None,
            );
        }
    }
    let holds = |c: &Option<(i64, i64)>| c.is_none_or(|(lo, hi)| (lo..=hi).contains(&value));
    let class = INT_CLASSES.iter().position(holds).unwrap_or(2);
    (scalar_word(Ty::PY_INT, class as u64), Value::Int(value))
}

unsafe fn numpy_scalar(object: *mut PyObject, repr: Scalar) -> (u64, Value) {
    // SAFETY: the scalar type was just identified, so its payload is of that representation.
    let value = unsafe {
        match repr {
            Scalar::Bool => Value::Bool(layout::payload::<u8>(object) != 0),
            Scalar::I8 => Value::Int(layout::payload::<i8>(object).into()),
            Scalar::I16 => Value::Int(layout::payload::<i16>(object).into()),
            Scalar::I32 => Value::Int(layout::payload::<i32>(object).into()),
            Scalar::U8 => Value::Int(layout::payload::<u8>(object).into()),
            Scalar::U16 => Value::Int(layout::payload::<u16>(object).into()),
            Scalar::U32 => Value::Int(layout::payload::<u32>(object).into()),
            Scalar::I64 => Value::Int(layout::payload::<i64>(object)),
            Scalar::U64 => Value::Uint(layout::payload::<u64>(object)),
            Scalar::F32 => Value::Float(layout::payload::<f32>(object).into()),
            Scalar::F64 => Value::Float(layout::payload::<f64>(object)),
            Scalar::C64 => {
                let [re, im] = layout::payload::<[f32; 2]>(object);
                Value::Complex(re.into(), im.into())
            }
            _ => {
                let [re, im] = layout::payload::<[f64; 2]>(object);
                Value::Complex(re, im)
            }
        }
    };
    (scalar_word(Ty::np(repr), 2), value)
}

unsafe fn ndarray(object: *mut PyObject) -> (u64, Value) {
    // SAFETY: an exact ndarray.
    let header = unsafe { layout::array_header(object) };
    // SAFETY: the header's dtype is alive as long as the array.
    let descr = unsafe { &*header.descr };
    let native = matches!(descr.byteorder as u8, b'=' | b'|');
    let rank = header.nd as usize;
    let storage =
        numpy::dtype(descr.type_num).filter(|_| native && header.flags & layout::ALIGNED != 0);
    let Some(storage) = storage.filter(|_| (1..=8).contains(&rank)) else {
        // SAFETY: a live object.
        return (
            pointer_word(OTHER, unsafe { ffi::Py_TYPE(object) }.cast()),
            Value::None,
        );
    };
    let mut view = ArrayView {
        ptr: header.data,
        tags: std::ptr::null_mut(),
        rank,
        extents: [0; 8],
        strides: [0; 8],
        size: storage.size() as i64,
    };
    for axis in 0..rank {
        // SAFETY: both arrays have `nd` entries.
        unsafe {
            view.extents[axis] = *header.dimensions.add(axis) as i64;
            view.strides[axis] = *header.strides.add(axis) as i64;
        }
    }
    let writable = header.flags & layout::WRITEABLE != 0;
    (
        array_word(ArrayKind::Ndarray, storage, rank, writable),
        Value::Array(view),
    )
}

unsafe fn sequence(object: *mut PyObject, is_list: bool, mixed: bool) -> (u64, Value) {
    // SAFETY: an exact list or tuple.
    let Some(shape) = (unsafe { lists::shape(object) }) else {
        // SAFETY: a live object.
        return (
            pointer_word(OTHER, unsafe { ffi::Py_TYPE(object) }.cast()),
            Value::None,
        );
    };
    let storage = if mixed { Scalar::Num } else { shape.leaf };
    let kind = if is_list {
        ArrayKind::List
    } else {
        ArrayKind::Tuple
    };
    (
        array_word(kind, storage, shape.rank, is_list),
        Value::Sequence {
            rank: shape.rank,
            extents: shape.extents,
        },
    )
}

/// `array.array`, `bytes`, `bytearray`, `str`.
unsafe fn buffer(py: Python<'_>, object: *mut PyObject) -> Option<(u64, Value)> {
    let found = crate::buffers::view(py, object)?;
    let word = array_word(found.kind, found.storage, 1, found.writable);
    Some((word, found.value))
}
