//! Classifies objects for a nest by their exact types: a signature word, and a value in native form.

use std::sync::Arc;

use nestwise_frontend::host_functions::Container;
use nestwise_frontend::site::captures::{Alike, Capture};
use nestwise_ir::model::types::WIDEST;
use nestwise_ir::{ArrayKind, Prov, Scalar, Ty};
use nestwise_runtime::{ArrayView, Value};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::int_classes::IntClass;
use crate::objects::buffers::{self, Flat};
use crate::objects::containers::{self, Items};
use crate::objects::numpy::{self, Numpy};
use crate::objects::{builtins, classes, functions, layout, lists, random, records, texts};

// What a signature word's lowest byte says.
/// The tag of an access path without a value.
pub const UNBOUND: u64 = 0;
/// The tag of a number of Python's or NumPy's, or a string of one character.
pub const SCALAR: u64 = 1;
/// The tag of an array, a list or tuple of numbers, or a flat sequence of numbers or characters.
pub const ARRAY: u64 = 2;
/// The tag of a function or type that the front end knows.
pub const KNOWN: u64 = 3;
/// The tag of a module.
pub const MODULE: u64 = 4;
/// The tag of an object whose attributes are access paths.
pub const OBJECT: u64 = 5;
/// The tag of a user's function.
pub const USER: u64 = 6;
/// The tag of an object of any other type; the rest of the word is the address of its type.
pub const OTHER: u64 = 7;
/// The tag of a bound method of a user's class or of a random generator.
pub const METHOD: u64 = 8;
/// The tag of a list's bound `append`.
pub const APPEND: u64 = 9;
/// The tag of a list or tuple of objects, of dictionaries, or of tuples whose length is in the rest of the word.
pub const OBJECTS: u64 = 10;
/// The rest of the word of a list of dictionaries.
const DICTS: u64 = 0xffff;
/// The tag of the items of tuples in a list where they are of a type that a nest cannot use.
pub const OPAQUE: u64 = 11;
/// The tag of a container that nests do not hold natively.
pub const CONTAINER: u64 = 12;
/// The tag of a method of a random generator that CPython is called for; the rest of the word is its number.
pub const DRAW: u64 = 13;

/// The tag of a class whose objects nests may make; the rest of the word is the address of its record.
pub const CLASS: u64 = 14;
/// The tag of an object of such a class that is used as a whole; the rest of the word is the address of the class's
/// record.
pub const INSTANCE: u64 = 15;

/// The bit of a container's signature word that says that the type of its items is known.
const KNOWN_ITEM: u64 = 1 << 32;

/// The signature word of a Python int of a class.
pub fn int_word(class: IntClass) -> u64 {
    scalar_word(Ty::py(class.repr()), class as u64)
}

/// The class of the Python int that has this signature word; `None` for the words of other objects.
pub fn int_class(word: u64) -> Option<IntClass> {
    let mut all = IntClass::ALL.into_iter();
    all.find(|class| int_word(*class) == word)
}

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

/// The signature word of an object that is told by its address: `tag` in the lowest byte, the address above it.
pub fn pointer_word(tag: u64, object: *const PyObject) -> u64 {
    tag | (object as u64) << 8
}

fn repr_of(byte: u64) -> Option<Scalar> {
    Scalar::ALL.into_iter().find(|s| *s as u64 == byte & 0xff)
}

/// The type of a scalar with this signature word; `None` for an unknown representation.
pub fn scalar_type(word: u64) -> Option<Ty> {
    let repr = repr_of(word >> 16)?;
    Some(if (word >> 8) & 0xff == 0 {
        Ty::py(repr)
    } else {
        Ty::np(repr)
    })
}

/// The signature word of a container; its items are taken to be of the type of the first one.
///
/// # Safety
/// What `items` refers to is alive.
unsafe fn container_word(np: Option<&'static Numpy>, kind: Container, items: Items) -> u64 {
    let scalar = |item: *mut PyObject| {
        // SAFETY: as promised by the caller.
        if unsafe { texts::is_text(item) } {
            return Some(Ty::CHAR);
        }
        // SAFETY: as promised by the caller.
        let (word, _) = unsafe { number(np, item) }?;
        let ty = scalar_type(word).filter(|_| word & 0xff == SCALAR)?;
        Some(ty).filter(|ty| ty.prov != Prov::Py || !matches!(ty.repr, Scalar::U64 | Scalar::I128))
    };
    let (item, parts) = match items {
        Items::Unknown => (None, 0),
        Items::Of(ty) => (Some(ty), 0),
        // SAFETY: as promised by the caller.
        Items::Like(item) => (scalar(item), unsafe { parts_word(item, &scalar) }),
    };
    let item = item.map_or(0, |ty| {
        KNOWN_ITEM | (ty.prov as u64) << 16 | (ty.repr as u64) << 24
    });
    CONTAINER | (kind as u64) << 8 | item | parts
}

/// Where the number of an item's own items is in the signature word of a container, and behind it their types, five bits
/// each.
const PARTS: u32 = 33;

/// What a container's signature word says of an item that is a tuple of a few scalars.
///
/// # Safety
/// `item` is alive.
unsafe fn parts_word(item: *mut PyObject, scalar: &dyn Fn(*mut PyObject) -> Option<Ty>) -> u64 {
    // SAFETY: looked into after the type is known.
    let items = unsafe {
        if ffi::PyTuple_CheckExact(item) == 0 {
            return 0;
        }
        layout::tuple_items(item)
    };
    let types: Option<Vec<Ty>> = items.iter().take(5).map(|item| scalar(*item)).collect();
    let Some(types) = types.filter(|types| types.len() <= 4) else {
        return 0;
    };
    let mut word = (types.len() as u64) << PARTS;
    for (k, ty) in types.iter().enumerate() {
        let own = (ty.prov as u64) << 4 | ty.repr as u64;
        word |= own << (PARTS + 3 + 5 * k as u32);
    }
    word
}

fn parts_of(word: u64) -> Vec<Ty> {
    let count = word >> PARTS & 7;
    let part = |k: u64| {
        let own = word >> (u64::from(PARTS) + 3 + 5 * k) & 31;
        scalar_type((own >> 4) << 8 | (own & 15) << 16)
    };
    (0..count).filter_map(part).collect()
}

/// The capture that the front end is told of for a container with this signature word.
pub fn container_type(word: u64) -> Option<Capture> {
    let mut kinds = Container::ALL.into_iter();
    let kind = kinds.find(|k| *k as u64 == (word >> 8) & 0xff)?;
    let item = match word & KNOWN_ITEM {
        0 => None,
        _ => scalar_type(word >> 8),
    };
    let parts = parts_of(word);
    Some(Capture::Container { kind, item, parts })
}

/// The capture that the front end is told of for an array with this signature word.
pub fn array_type(word: u64) -> Option<Capture> {
    let kinds = [
        ArrayKind::Ndarray,
        ArrayKind::List,
        ArrayKind::Tuple,
        ArrayKind::ArrayArray,
        ArrayKind::Bytes,
        ArrayKind::Str,
    ];
    let kind = kinds
        .into_iter()
        .find(|k| *k as u64 == (word >> 8) & 0xff)?;
    let storage = repr_of(word >> 16)?;
    let elem = match kind {
        ArrayKind::Ndarray => Ty::np(storage),
        ArrayKind::Str => Ty::CHAR,
        _ if (word >> 33) & 1 == 1 => Ty::np(storage),
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
pub unsafe fn classify(
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
        if np.is_some_and(|np| ty == np.ndarray) {
            return ndarray(object);
        }
        if let Some(found) = number(np, object) {
            return found;
        }
        if ty == &raw mut ffi::PyList_Type || ty == &raw mut ffi::PyTuple_Type {
            return sequence(np, object, ty == &raw mut ffi::PyList_Type, mixed);
        }
        if ty == &raw mut ffi::PyModule_Type {
            return (MODULE, Value::None);
        }
        if let Some(list) = crate::host::appended::list_of(object) {
            let length = layout::list_items(list).len() as i64;
            return (APPEND, Value::Append { length });
        }
        if builtins::is_known(py, object) {
            return (pointer_word(KNOWN, object), Value::None);
        }
        if let Some(code) = functions::code_of(py, object) {
            return (pointer_word(USER, code), Value::None);
        }
        if let Some(class) = classes::user_class(py, object) {
            return (pointer_word(CLASS, Arc::as_ptr(&class).cast()), Value::None);
        }
        if let Some(code) = crate::objects::buffers::character(object) {
            return (scalar_word(Ty::CHAR, 2), Value::Int(code.into()));
        }
        let drawn = |function: Arc<functions::UserFunction>| {
            (
                pointer_word(METHOD, Arc::as_ptr(&function).cast()),
                Value::None,
            )
        };
        if let Some((function, receiver)) = functions::method(py, object) {
            // One code object may be that of methods of several classes, of which some draw in another way.
            if let Some(own) = random::drawn_by(py, &function, &receiver) {
                return drawn(own);
            }
            if let Some(code) = functions::code_of(py, function.as_ptr()) {
                return (pointer_word(METHOD, code), Value::None);
            }
            if let Some(draw) = random::called(py, object) {
                return (DRAW | u64::from(draw.index()) << 8, Value::None);
            }
        } else if let Some((_, own)) = random::method_of(py, object) {
            return drawn(own);
        }
        // A generator is of use for its attributes, or for its state.
        let generator = has_children && random::is_generator(py, object);
        if !generator && let Some((word, value)) = buffer(py, object) {
            return (word, value);
        }
        if let Some((kind, items)) = containers::container(py, object) {
            return (container_word(np, kind, items), Value::None);
        }
        if has_children {
            return (OBJECT, Value::None);
        }
        (pointer_word(OTHER, ty.cast()), Value::None)
    }
}

/// The signature word and the native value of a number of Python's or NumPy's; `None` for other objects and for ints of
/// more than [`WIDEST`].
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn number(np: Option<&'static Numpy>, object: *mut PyObject) -> Option<(u64, Value)> {
    // SAFETY: payloads are read only after the exact type is known.
    unsafe {
        let ty = ffi::Py_TYPE(object);
        if ty == &raw mut ffi::PyLong_Type {
            return Some(int(object)).filter(|found| found.0 & 0xff == SCALAR);
        }
        if ty == &raw mut ffi::PyFloat_Type {
            let value = Value::Float(layout::payload(object));
            return Some((scalar_word(Ty::PY_FLOAT, 2), value));
        }
        if ty == &raw mut ffi::PyBool_Type {
            let value = Value::Bool(object == ffi::Py_True());
            return Some((scalar_word(Ty::PY_BOOL, 2), value));
        }
        if ty == &raw mut ffi::PyComplex_Type {
            let re = ffi::PyComplex_RealAsDouble(object);
            let im = ffi::PyComplex_ImagAsDouble(object);
            return Some((scalar_word(Ty::PY_COMPLEX, 2), Value::Complex(re, im)));
        }
        let repr = np?.scalar_of(ty)?;
        Some(numpy_scalar(object, repr))
    }
}

/// The element of a list, tuple or string (possibly of nested lists or tuples) at the subscripts `at`, of which
/// negative ones count from the end; `None` where they are out of range or the element is no number.
///
/// # Safety
/// `object` is alive; the GIL is held.
pub unsafe fn element(
    np: Option<&'static Numpy>,
    mut object: *mut PyObject,
    at: &[i64],
) -> Option<Value> {
    for k in at {
        // SAFETY: `object` is an element of what is alive, whose type is looked at before its items; nobody changes
        // them meanwhile.
        unsafe {
            let within = |length: usize| {
                let from = if *k < 0 { length as i64 } else { 0 };
                let k = usize::try_from(k.checked_add(from)?).ok()?;
                (k < length).then_some(k)
            };
            if ffi::Py_TYPE(object) == &raw mut ffi::PyUnicode_Type {
                let k = within(ffi::PyUnicode_GetLength(object) as usize)?;
                let letter = ffi::PyUnicode_ReadChar(object, k as ffi::Py_ssize_t);
                return Some(Value::Int(letter.into()));
            }
            let items = lists::items(object)?;
            object = items[within(items.len())?];
        }
    }
    // SAFETY: as above.
    unsafe { number(np, object) }.map(|found| found.1)
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
                return (int_word(IntClass::Unsigned), Value::Uint(value));
            }
            ffi::PyErr_Clear();
            if let Some(value) = wide(object) {
                return (int_word(IntClass::Wide), Value::Wide(value));
            }
            return (
                pointer_word(OTHER, ffi::Py_TYPE(object).cast()),
                Value::None,
            );
        }
    }
    (int_word(IntClass::of(value)), Value::Int(value))
}

/// The value of an int of more than 64 bits, up to [`WIDEST`].
///
/// # Safety
/// `object` is an exact int; the GIL is held.
unsafe fn wide(object: *mut PyObject) -> Option<i128> {
    // SAFETY: as promised by the caller; the shifted int is let go of here.
    let (low, high, overflow) = unsafe {
        let bits = ffi::PyLong_FromLong(64);
        let shifted = ffi::PyNumber_Rshift(object, bits);
        ffi::Py_XDECREF(bits);
        if shifted.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        let mut overflow = 0;
        let high = ffi::PyLong_AsLongLongAndOverflow(shifted, &raw mut overflow);
        ffi::Py_DECREF(shifted);
        (ffi::PyLong_AsUnsignedLongLongMask(object), high, overflow)
    };
    let value = i128::from(high) << 64 | i128::from(low);
    (overflow == 0 && value.abs() <= WIDEST).then_some(value)
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

/// The part of an ndarray's header that a signature word depends on, to tell whether a later array, with the same
/// extents and strides, can be used in its stead.
pub struct Shape {
    type_num: i32,
    flags: i32,
}

const LOOKED_AT: i32 = layout::ALIGNED | layout::WRITEABLE;

impl Shape {
    /// The shape of an exact ndarray; `None` for any other object.
    ///
    /// # Safety
    /// `object` is alive; the GIL is held.
    pub unsafe fn of(py: Python<'_>, object: *mut PyObject) -> Option<Shape> {
        // SAFETY: a live object; the header is read of an exact ndarray only.
        unsafe {
            if numpy::numpy(py)?.ndarray != ffi::Py_TYPE(object) {
                return None;
            }
            let header = layout::array_header(object);
            Some(Shape {
                type_num: (*header.descr).type_num,
                flags: header.flags & LOOKED_AT,
            })
        }
    }

    /// Whether an array has this shape and the extents and strides of `view`, whose pointer is set to the array's data.
    ///
    /// # Safety
    /// `object` is an exact ndarray.
    pub unsafe fn again(&self, object: *mut PyObject, view: &mut ArrayView) -> bool {
        // SAFETY: the header's dtype is alive as long as the array; both lists have `nd` entries.
        unsafe {
            let header = layout::array_header(object);
            let descr = &*header.descr;
            if descr.type_num != self.type_num
                || !is_native(descr)
                || header.flags & LOOKED_AT != self.flags
                || header.nd as usize != view.rank
            {
                return false;
            }
            view.ptr = header.data;
            (0..view.rank).all(|axis| {
                view.extents[axis] == *header.dimensions.add(axis) as i64
                    && view.strides[axis] == *header.strides.add(axis) as i64
            })
        }
    }
}

/// Whether the elements' bytes are in this machine's order.
fn is_native(descr: &layout::Descr) -> bool {
    matches!(descr.byteorder as u8, b'=' | b'|')
}

unsafe fn ndarray(object: *mut PyObject) -> (u64, Value) {
    // SAFETY: an exact ndarray.
    let header = unsafe { layout::array_header(object) };
    // SAFETY: the header's dtype is alive as long as the array.
    let descr = unsafe { &*header.descr };
    let native = is_native(descr);
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

/// A view of an array whose elements are numbers that kernels can work with; `None` for any other array.
///
/// # Safety
/// `object` is an exact ndarray, alive.
pub unsafe fn numbers(object: *mut PyObject) -> Option<ArrayView> {
    // SAFETY: as promised by the caller.
    match unsafe { ndarray(object) } {
        (_, Value::Array(view)) => Some(view),
        _ => None,
    }
}

unsafe fn sequence(
    np: Option<&'static Numpy>,
    object: *mut PyObject,
    is_list: bool,
    mixed: bool,
) -> (u64, Value) {
    // SAFETY: a live list or tuple.
    let length = unsafe { records::tuple_length(object, np) };
    if let Some(length) = length.filter(|_| !mixed) {
        // SAFETY: the same.
        return (OBJECTS | (length as u64) << 8, unsafe {
            objects_in(object)
        });
    }
    // SAFETY: a live list or tuple.
    if !mixed && unsafe { records::begins_with_dict(object) } {
        // SAFETY: the same.
        return (OBJECTS | DICTS << 8, unsafe { objects_in(object) });
    }
    // SAFETY: an exact list or tuple.
    let shape = unsafe { lists::shape(object, np) };
    // Not of texts and other objects, or of rows of several lengths, where it is known that there may be such.
    let array = |shape: &lists::Shape| {
        // SAFETY: the same.
        !mixed || shape.leaf != Scalar::Char && unsafe { lists::is_regular(object, shape) }
    };
    let Some(shape) = shape.filter(array) else {
        // SAFETY: a live list or tuple.
        if unsafe { records::begins_with_object(object) } {
            // SAFETY: the same.
            return (OBJECTS, unsafe { objects_in(object) });
        }
        // SAFETY: a live list or tuple.
        return unsafe {
            let (kind, items) = containers::sequence(object, is_list);
            (container_word(np, kind, items), Value::None)
        };
    };
    let storage = if mixed { Scalar::Num } else { shape.leaf };
    let kind = if is_list {
        ArrayKind::List
    } else {
        ArrayKind::Tuple
    };
    let numpy = u64::from(shape.numpy && !mixed) << 33;
    (
        array_word(kind, storage, shape.rank, is_list) | numpy,
        Value::Sequence {
            rank: shape.rank,
            extents: shape.extents,
        },
    )
}

/// The native value of a list of objects: an array with one row for each object.
///
/// # Safety
/// `list` is a live list or tuple.
pub unsafe fn objects_in(list: *mut PyObject) -> Value {
    // SAFETY: as promised by the caller.
    let length = unsafe { layout::length(list) };
    objects_of(length)
}

/// The native value of a list of `length` objects.
pub fn objects_of(length: i64) -> Value {
    let mut extents = [0; 8];
    extents[0] = length;
    Value::Sequence { rank: 2, extents }
}

/// What the objects of a list with this signature word have in common; `None` where the word is not that of a list of
/// objects.
pub fn alike(word: u64) -> Option<Alike> {
    match (word & 0xff, word >> 8) {
        (OPAQUE, _) => Some(Alike::Nothing),
        (OBJECTS, 0) => Some(Alike::Class),
        (OBJECTS, DICTS) => Some(Alike::Dicts),
        (OBJECTS, length) => Some(Alike::Tuples(length as usize)),
        _ => None,
    }
}

/// Recognises a flat sequence, or the state of a random generator; `None` for any other object.
pub fn flat(py: Python<'_>, object: *mut PyObject) -> Option<Flat> {
    // SAFETY: a live object.
    buffers::view(py, object).or_else(|| unsafe { random::state(py, object) })
}

/// Classifies `array.array`, `bytes`, `bytearray`, `str` and generators' states.
unsafe fn buffer(py: Python<'_>, object: *mut PyObject) -> Option<(u64, Value)> {
    let found = flat(py, object)?;
    let word = array_word(found.kind, found.storage, 1, found.writable);
    Some((word, found.value))
}
