//! The functions of a site, which its rewritten code calls.
//!
//! The functions are objects of an own type with vectorcall: a call through a Python class would cost more than the
//! work they do, and a profiler is told of every call of a builtin function.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::hooks::bundle::{Bundle, arguments, bool_object, only, raised, shielded};
use crate::hooks::running::{self, Active};
use crate::hooks::{driver, iterator};
use crate::objects::layout;
use crate::objects::types::new_type;
use crate::process::once::Once;
use crate::region::hooks::{assign, copy, flush, keep, known, made, over, region_begins};
use crate::region::{self, Place};
use crate::site::Site;

type Body = unsafe extern "C" fn(&Bundle, *mut *mut PyObject, ffi::Py_ssize_t) -> *mut PyObject;

/// The functions of a site, each made when the rewritten code is given it: most sites of most modules never run.
#[pyclass(frozen, module = "nestwise._core")]
pub struct SiteFunctions {
    site: Arc<Site>,
}

/// The functions by name, each with its body and its index.
const FUNCTIONS: &[(&str, Body, usize)] = &[
    ("gate", gate, 0),
    ("call", call, 0),
    ("call_asked", call, 1),
    ("stay", stay, 0),
    ("out", out, 0),
    ("rest", rest, 0),
    ("again", again, 0),
    ("skip", skip, 0),
    ("more", more, 0),
    ("waits", waits, 0),
    ("tick", tick, 0),
    ("replays", replays, 0),
    ("turn", turn, 0),
    ("recorded", recorded, 0),
    ("orelse", orelse, 0),
    ("returned", returned, 0),
    ("value", value, 0),
    ("noted", noted, 0),
    ("ask", ask, 0),
    ("got", got, 0),
    ("instead", instead, 0),
    ("region", region_begins, 0),
    ("keep", keep, 0),
    ("flush", flush, 0),
    ("over", over, 0),
    ("known", known, 0),
    ("made", made, 0),
    ("copy", copy, 0),
    ("assign", assign, 0),
];

impl SiteFunctions {
    /// Makes the functions of a site.
    pub fn of(site: Arc<Site>) -> SiteFunctions {
        SiteFunctions { site }
    }
}

#[pymethods]
impl SiteFunctions {
    /// The function with this name; `maybe` followed by a number: the function for the `maybe` name with that index;
    /// `is_recorded` followed by a number: the function for the point with that number; `computed` followed by a
    /// number: the function for the computed part with that number.
    /// Raises ValueError for an unknown name.
    fn function(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        if let Some(of) = name.strip_prefix("maybe")
            && let Ok(index) = of.parse()
        {
            return bound(py, &self.site, maybe, index);
        }
        if let Some(of) = name.strip_prefix("is_recorded")
            && let Ok(point) = of.parse()
        {
            return bound(py, &self.site, is_recorded, point);
        }
        if let Some(of) = name.strip_prefix("computed")
            && let Ok(index) = of.parse()
        {
            return bound(py, &self.site, computed, index);
        }
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let (_, body, index) =
            known.ok_or_else(|| PyValueError::new_err(format!("{name}: no such function")))?;
        bound(py, &self.site, *body, *index)
    }

    /// The function `gate`, `call` or `call_asked` for a site in the region whose first site is `first`. `flags`: one
    /// letter for each field of [`Place`] that is true, see `nestwise/rewriting/region.py`.
    fn within(
        &self,
        py: Python<'_>,
        what: &str,
        first: &SiteFunctions,
        flags: &str,
    ) -> PyResult<Py<PyAny>> {
        let place = Place {
            first: first.site.clone(),
            keeps: flags.contains('k'),
            unsure: flags.contains('u'),
            maybe: flags.contains('m'),
            alone: flags.contains('a'),
        };
        let bundle = Bundle {
            place: Some(place),
            ..Bundle::of(&self.site, usize::from(what == "call_asked"))
        };
        bound_to(py, bundle, if what == "gate" { gate } else { call })
    }
}

type Vectorcall =
    unsafe extern "C" fn(*mut PyObject, *mut *mut PyObject, usize, *mut PyObject) -> *mut PyObject;

/// One of the functions as CPython sees it.
#[repr(C)]
struct Function {
    head: PyObject,
    vectorcall: Vectorcall,
    body: Body,
    bundle: Bundle,
}

unsafe extern "C" {
    /// Exported since CPython 3.8, although the limited API declares it from 3.12 on only.
    fn PyVectorcall_Call(
        callable: *mut PyObject,
        tuple: *mut PyObject,
        dict: *mut PyObject,
    ) -> *mut PyObject;
}

/// The flag for types whose objects are called by vectorcall; a number, since the limited API declares it from 3.12 on
/// only.
const HAVE_VECTORCALL: u32 = 1 << 11;
const MEMBER_SSIZE: c_int = 19;
const MEMBER_READONLY: c_int = 1;
/// Set in vectorcall's argument count where the caller lends the place before the first argument.
const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

/// Calls the function's body. The rewritten code passes positional arguments only.
unsafe extern "C" fn vectorcall(
    this: *mut PyObject,
    args: *mut *mut PyObject,
    count: usize,
    _names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: CPython calls with an object of the type below.
    unsafe {
        let function = &*this.cast::<Function>();
        (function.body)(&function.bundle, args, (count & !ARGUMENTS_OFFSET) as isize)
    }
}

/// `for () in STAY` calls the function without the price of a call.
unsafe extern "C" fn iterate(this: *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with an object of the type below; the body takes no arguments.
    unsafe {
        let function = &*this.cast::<Function>();
        (function.body)(&function.bundle, std::ptr::null_mut(), 0)
    }
}

/// Makes `FUNCTION[...]` call the function's body. `GATE` gets what is in the brackets; other functions get the items
/// of the tuple there.
///
/// Behind a call CPython handles signals, and a handler may raise. Behind a subscript it does not: so those functions
/// that leave values for names are subscripted, and names are assigned before anything else can happen.
unsafe extern "C" fn subscript(this: *mut PyObject, mut key: *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with an object of the type below; a tuple's items are alive as long as it is.
    unsafe {
        let function = &*this.cast::<Function>();
        if !std::ptr::fn_addr_eq(function.body, gate as Body) {
            if ffi::Py_TYPE(key) != &raw mut ffi::PyTuple_Type {
                return (function.body)(&function.bundle, &raw mut key, 1);
            }
            let items = layout::tuple_items(key);
            let first = items.as_ptr().cast_mut();
            return (function.body)(&function.bundle, first, items.len() as isize);
        }
        if function.bundle.site.rejects(key) {
            return bool_object(false);
        }
        (function.body)(&function.bundle, &raw mut key, 1)
    }
}

unsafe extern "C" fn dealloc(this: *mut PyObject) {
    // SAFETY: called once, for an object made in `bound`; instances of heap types own a reference to their type.
    unsafe {
        let ty = ffi::Py_TYPE(this);
        std::ptr::drop_in_place(&raw mut (*this.cast::<Function>()).bundle);
        ffi::PyObject_Free(this.cast());
        ffi::Py_DECREF(ty.cast());
    }
}

/// The pickled form of a function, for code that is pickled by value: an object of Python's own that declines, so that
/// the code runs as written where nestwise is absent.
unsafe extern "C" fn reduce(this: *mut PyObject, _none: *mut PyObject) -> *mut PyObject {
    // SAFETY: CPython calls with an object of the type below.
    let body = unsafe { (*this.cast::<Function>()).body };
    let is = |one: Body| std::ptr::fn_addr_eq(body, one);
    let text = if is(stay) {
        "()"
    } else if is(gate) {
        "type('', (), {'__getitem__': lambda *_: False})()"
    } else if is(region_begins) {
        "lambda: ((),)"
    } else if is(keep) || is(flush) {
        "lambda *_: True"
    } else if is(over) {
        "iter"
    } else if is(assign) || is(ask) {
        "lambda *_: False"
    } else if is(instead) {
        "lambda: lambda it: it"
    } else if is(known) {
        "lambda it: it"
    } else if is(made) {
        "lambda _, it: it"
    } else if is(copy) {
        "lambda _, it: it.copy()"
    } else {
        "lambda *_: ()"
    };
    shielded(|py| {
        let eval = py.import("builtins").and_then(|b| b.getattr("eval"));
        let reduced = eval.and_then(|eval| (eval, (text,)).into_pyobject(py));
        reduced.map_or_else(|e| raised(py, e), |r| r.into_any().into_ptr())
    })
}

static TYPE: Once<Py<PyType>> = Once::new();

/// The type of the functions, made once; CPython copies the slots that it is made from.
fn function_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let ty = TYPE.get_or_try_init(|| -> PyResult<Py<PyType>> {
        let mut members = [
            ffi::PyMemberDef {
                name: c"__vectorcalloffset__".as_ptr(),
                type_code: MEMBER_SSIZE,
                offset: std::mem::offset_of!(Function, vectorcall) as isize,
                flags: MEMBER_READONLY,
                doc: std::ptr::null(),
            },
            ffi::PyMemberDef::default(),
        ];
        // CPython keeps pointers to these for as long as the type lives, which is for ever.
        let methods = Box::leak(Box::new([
            ffi::PyMethodDef {
                ml_name: c"__reduce__".as_ptr(),
                ml_meth: ffi::PyMethodDefPointer {
                    PyCFunction: reduce,
                },
                ml_flags: ffi::METH_NOARGS,
                ml_doc: std::ptr::null(),
            },
            ffi::PyMethodDef::zeroed(),
        ]));
        let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
        let mut slots = [
            slot(ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            slot(ffi::Py_tp_iter, iterate as *mut c_void),
            slot(ffi::Py_mp_subscript, subscript as *mut c_void),
            slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
            slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
            slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
            slot(0, std::ptr::null_mut()),
        ];
        new_type(
            py,
            c"nestwise.hook",
            size_of::<Function>(),
            HAVE_VECTORCALL,
            &mut slots,
        )
    })?;
    Ok(ty.bind(py))
}

fn bound(py: Python<'_>, site: &Arc<Site>, body: Body, index: usize) -> PyResult<Py<PyAny>> {
    bound_to(py, Bundle::of(site, index), body)
}

fn bound_to(py: Python<'_>, bundle: Bundle, body: Body) -> PyResult<Py<PyAny>> {
    let ty = function_type(py)?;
    // SAFETY: an object of our type, whose fields are written before anybody sees it.
    unsafe {
        let object = ffi::PyType_GenericAlloc(ty.as_ptr().cast(), 0);
        let object = Bound::from_owned_ptr_or_err(py, object)?;
        let function = object.as_ptr().cast::<Function>();
        (&raw mut (*function).vectorcall).write(vectorcall);
        (&raw mut (*function).body).write(body);
        (&raw mut (*function).bundle).write(bundle);
        Ok(object.unbind())
    }
}

fn active<T>(default: T, f: impl FnOnce(&Active) -> T) -> T {
    running::with_active(f).unwrap_or(default)
}

/// The body of `GATE[names]`: whether the call is worth an attempt.
unsafe extern "C" fn gate(
    this: &Bundle,
    key: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let key = unsafe { arguments(key, count) }.first();
        let admits = key.is_none_or(|key| this.site.admits(py, *key));
        if !admits {
            if let Some(place) = &this.place {
                place.ran(&this.site, false);
            }
            if let Err(error) = region::release(py) {
                return raised(py, error);
            }
        }
        bool_object(admits)
    })
}

unsafe extern "C" fn call(
    this: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let (site, arguments) = (&this.site, unsafe { arguments(args, count) });
        let asked = this.index != 0;
        let keeps = this.place.as_ref().is_some_and(|place| place.keeps(site));
        if !keeps && let Err(error) = region::release(py) {
            return raised(py, error);
        }
        let called = driver::call(py, site, arguments, asked, keeps);
        region::nest_ended(site);
        match called {
            Ok(turns) => {
                if let Some(place) = &this.place {
                    place.ran(site, iterator::is_finished(turns));
                }
                turns
            }
            Err(error) => raised(py, error),
        }
    })
}

/// The body of `ASK(reads...)`: whether native code has computed the expression.
unsafe extern "C" fn ask(
    this: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let arguments = unsafe { arguments(args, count) };
        let asked = region::release(py).and_then(|()| driver::ask(py, &this.site, arguments));
        region::nest_ended(&this.site);
        asked.map_or_else(|error| raised(py, error), bool_object)
    })
}

/// The body of `GOT()`: what `ASK` has computed.
unsafe extern "C" fn got(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|py| match driver::got() {
        value if value.is_null() => py.None().into_ptr(),
        value => value,
    })
}

unsafe extern "C" fn instead(
    _: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| iterator::stay(py).unwrap_or_else(|e| raised(py, e)))
}

unsafe extern "C" fn stay(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|py| iterator::stay(py).unwrap_or_else(|e| raised(py, e)))
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

/// The body of `OUT[reads...]`: tries natively if that is due, then gives the values of `writes` in a tuple for `for
/// ... in ...`, which is empty where there is nothing to assign.
unsafe extern "C" fn out(
    _: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: called by CPython with the GIL held.
        let arguments = unsafe { arguments(args, count) };
        active(one_or_none(std::ptr::null_mut()), |a| {
            a.try_again(py, arguments);
            let writes = a.writes();
            if writes.is_empty() {
                return one_or_none(std::ptr::null_mut());
            }
            // SAFETY: the inner tuple takes a reference of its own to each value.
            unsafe {
                let values = ffi::PyTuple_New(writes.len() as isize);
                if values.is_null() {
                    return values;
                }
                for (i, value) in writes.iter().enumerate() {
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
    this: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| {
        let index = this.index;
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

unsafe extern "C" fn rest(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|py| match running::with_active(|a| a.rest(py)) {
        Some(Ok(object)) => object,
        Some(Err(error)) => raised(py, error),
        None => py.None().into_ptr(),
    })
}

/// The body of `AGAIN()`: whether native code is to go on, or CPython has a further part to run.
unsafe extern "C" fn again(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::again)))
}

/// The body of `SKIP(iterable)`: the iterable itself, or an iterator over CPython's share of it.
unsafe extern "C" fn skip(
    _: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: CPython's promise about vectorcall arguments; they are alive during the call.
        let Some(iterable) = (unsafe { only(py, args, count) }) else {
            return py.None().into_ptr();
        };
        let rest = running::with_active(|a| a.skip(&iterable)).unwrap_or(Ok(iterable));
        rest.map_or_else(|e| raised(py, e), Bound::into_ptr)
    })
}

/// The body of `COMPUTED<n>[()]`: part n of the loop's iterable, as it was computed for `CALL`.
unsafe extern "C" fn computed(
    this: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        let part = running::with_active(|a| a.computed(py, this.index)).flatten();
        part.map_or_else(|| py.None().into_ptr(), Py::into_ptr)
    })
}

unsafe extern "C" fn more(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(
        |py| match running::with_active(Active::more).unwrap_or(Ok(true)) {
            Ok(value) => bool_object(value),
            Err(error) => raised(py, error),
        },
    )
}

unsafe extern "C" fn waits(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::waits)))
}

unsafe extern "C" fn tick(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|_| bool_object(active(true, Active::tick)))
}

/// The body of `REPLAYS()`: whether results were recorded in the iteration that CPython runs over again.
unsafe extern "C" fn replays(
    _: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::replays)))
}

/// The body of `TURN()`: true once in a share of a `while` that takes recorded results.
unsafe extern "C" fn turn(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::turn)))
}

/// The body of `IS_RECORDED<n>()`: whether the next recorded result is that of point n.
unsafe extern "C" fn is_recorded(
    this: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(false, |a| a.is_recorded(this.index as u32))))
}

/// The body of `RECORDED()`: the next recorded result, which is returned or raised.
unsafe extern "C" fn recorded(
    _: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(
        |py| match running::with_active(Active::take_recorded).flatten() {
            Some(Ok(value)) => value.into_ptr(),
            Some(Err(error)) => raised(py, error),
            None => py.None().into_ptr(),
        },
    )
}

unsafe extern "C" fn orelse(
    _: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(true, Active::orelse)))
}

unsafe extern "C" fn returned(
    _: &Bundle,
    _: *mut *mut PyObject,
    _: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|_| bool_object(active(false, Active::returned)))
}

unsafe extern "C" fn value(_: &Bundle, _: *mut *mut PyObject, _: ffi::Py_ssize_t) -> *mut PyObject {
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

/// The body of `NOTED(value)`: returns the value, which a `return` in CPython's share is about to return; for
/// comparisons only.
unsafe extern "C" fn noted(
    _: &Bundle,
    args: *mut *mut PyObject,
    count: ffi::Py_ssize_t,
) -> *mut PyObject {
    shielded(|py| {
        // SAFETY: CPython's promise about vectorcall arguments; they are alive during the call.
        let value = unsafe { arguments(args, count) }.first();
        let Some(value) = value else {
            return py.None().into_ptr();
        };
        // SAFETY: as above.
        let value = unsafe { Bound::from_borrowed_ptr(py, *value) };
        running::note(&value);
        value.into_ptr()
    })
}
