//! The user's own functions, for inlining: identified by their code object, globals and defaults, and parsed once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use nestwise_frontend::site::handed_objects::{HandedObjects, handed_objects};
use nestwise_frontend::{attributes_of_function, members_of_function, parse_function, whole_uses};
use nestwise_ir::surface::{AccessPath as Mentioned, Function};
use pyo3::ffi::{self, PyObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyString};

use crate::boundary::function_text::FunctionText;
use crate::objects::access_path::{AccessPath, access_paths, interned, mark_whole};
use crate::process::once::Once;

/// A function that may be inlined.
pub struct UserFunction {
    /// The function in surface form.
    pub surface: Arc<Function>,
    /// The function's access paths, ready to bind: only globals are captured.
    pub paths: Vec<AccessPath>,
    /// The objects that the function hands to functions.
    pub handed: HandedObjects,
    /// The dictionary of the function's module.
    pub globals: Py<PyDict>,
    attributes: Once<Vec<Py<PyString>>>,
    members: Once<Vec<Py<PyString>>>,
}

impl UserFunction {
    /// A function whose globals are `globals`.
    pub fn new(surface: Function, paths: Vec<AccessPath>, globals: Py<PyDict>) -> UserFunction {
        UserFunction {
            handed: handed_objects(&surface.paths, &surface.body),
            surface: Arc::new(surface),
            paths,
            globals,
            attributes: Once::new(),
            members: Once::new(),
        }
    }

    /// The attributes that the function may read of objects in lists.
    pub fn attributes(&self, py: Python<'_>) -> &[Py<PyString>] {
        let names = || attributes_of_function(&self.surface);
        self.attributes.get_or_init(|| interned(py, names()))
    }

    /// What the function may ask of classes whose objects it makes, or of such objects.
    pub fn members(&self, py: Python<'_>) -> &[Py<PyString>] {
        let names = || members_of_function(&self.surface);
        self.members.get_or_init(|| interned(py, names()))
    }
}

struct Entry {
    /// The code, the globals and the defaults, kept alive so that their addresses mean these objects for ever.
    _held: [Py<PyAny>; 3],
    /// A copy of the keyword-only parameters' defaults, which can be changed in place.
    by_name: Option<Py<PyDict>>,
    function: Option<Arc<UserFunction>>,
}

/// The addresses of a function's code, globals and defaults.
type Key = [usize; 3];

/// Every function that was met, in any thread, for as long as the process lives: signatures hold addresses of entries.
/// The lock is never held while Python runs.
static FUNCTIONS: Mutex<Option<HashMap<Key, Arc<Entry>>>> = Mutex::new(None);
/// The most functions that are remembered; further ones run in CPython.
const MAX_FUNCTIONS: usize = 10_000;

fn with_functions<T>(work: impl FnOnce(&mut HashMap<Key, Arc<Entry>>) -> T) -> T {
    let mut all = FUNCTIONS.lock().unwrap_or_else(|e| e.into_inner());
    work(all.get_or_insert_default())
}

/// Forgets every function.
pub fn let_go() {
    // Not while they are locked: what goes may have finalizers.
    let all = with_functions(std::mem::take);
    drop(all);
}

/// Whether a function's keyword-only defaults are the very objects that they were.
fn same_by_name(then: Option<&Bound<'_, PyDict>>, now: &Bound<'_, PyAny>) -> bool {
    match (then, now.cast_exact::<PyDict>()) {
        (None, _) => now.is_none(),
        (Some(then), Ok(now)) => {
            let pairs = || then.iter().zip(now.iter());
            let is =
                |((k, v), (l, w)): ((Bound<'_, _>, Bound<'_, _>), (Bound<'_, _>, Bound<'_, _>))| {
                    Bound::is(&k, &l) && Bound::is(&v, &w)
                };
            then.len() == now.len() && pairs().all(is)
        }
        _ => false,
    }
}

fn function_type(py: Python<'_>) -> *mut ffi::PyTypeObject {
    use crate::process::once::Once;
    static TYPE: Once<Py<PyAny>> = Once::new();
    let ty = TYPE.get_or_try_init(|| {
        py.import("types")?
            .getattr("FunctionType")
            .map(Bound::unbind)
    });
    ty.map_or(std::ptr::null_mut(), |t| t.as_ptr().cast())
}

/// The code object (borrowed) of an exact Python function.
pub fn code_of(py: Python<'_>, object: *mut PyObject) -> Option<*mut PyObject> {
    // SAFETY: a live object; `__code__` of an exact function runs no user code and outlives the new reference,
    // since the function owns it.
    unsafe {
        if ffi::Py_TYPE(object) != function_type(py) {
            return None;
        }
        let code = ffi::PyObject_GetAttr(object, intern!(py, "__code__").as_ptr());
        if code.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        ffi::Py_DECREF(code);
        Some(code)
    }
}

/// The function and the object of an exact bound method.
pub fn method(py: Python<'_>, object: *mut PyObject) -> Option<(Py<PyAny>, Py<PyAny>)> {
    use crate::process::once::Once;
    static TYPE: Once<Py<PyAny>> = Once::new();
    let ty = TYPE.get_or_try_init(|| py.import("types")?.getattr("MethodType").map(Bound::unbind));
    // SAFETY: a live object; the attributes of an exact method are slots.
    let method: Bound<'_, PyAny> = unsafe {
        if ffi::Py_TYPE(object) != ty.ok()?.as_ptr().cast() {
            return None;
        }
        Bound::from_borrowed_ptr(py, object)
    };
    let function = method.getattr(intern!(py, "__func__")).ok()?;
    let receiver = method.getattr(intern!(py, "__self__")).ok()?;
    Some((function.unbind(), receiver.unbind()))
}

/// The values of the function's free names now, in the order of `co_freevars`: strong references.
pub fn closure(py: Python<'_>, function: *mut PyObject) -> Vec<Py<PyAny>> {
    // SAFETY: a live function.
    let function: Bound<'_, PyAny> = unsafe { Bound::from_borrowed_ptr(py, function) };
    let cells = function
        .getattr(intern!(py, "__closure__"))
        .ok()
        .filter(|c| !c.is_none());
    let contents = |cell: Bound<'_, PyAny>| {
        cell.getattr(intern!(py, "cell_contents"))
            .map_or_else(|_| py.None(), Bound::unbind)
    };
    cells
        .and_then(|c| c.try_iter().ok())
        .map_or_else(Vec::new, |c| c.flatten().map(contents).collect())
}

/// The surface form of an exact Python function, parsed once; `None` where it cannot be inlined.
pub fn parsed_function(py: Python<'_>, object: *mut PyObject) -> Option<Arc<UserFunction>> {
    let code = code_of(py, object)?;
    // SAFETY: a live function.
    let function: Bound<'_, PyAny> = unsafe { Bound::from_borrowed_ptr(py, object) };
    let globals = function.getattr(intern!(py, "__globals__")).ok()?;
    let defaults = function.getattr(intern!(py, "__defaults__")).ok()?;
    let by_name = function.getattr(intern!(py, "__kwdefaults__")).ok()?;
    let key = [code.cast(), globals.as_ptr(), defaults.as_ptr()].map(|p: *mut PyObject| p as usize);
    let (found, count) = with_functions(|all| (all.get(&key).cloned(), all.len()));
    let entry = match found {
        Some(entry) => entry,
        None if count >= MAX_FUNCTIONS => return None,
        None => {
            let copy = by_name.cast_exact::<PyDict>().ok();
            let copy = copy.map(|d| d.copy()).transpose().ok()?;
            let parsed = parse(py, &function, &globals).ok().flatten();
            // SAFETY: a live code object.
            let code = unsafe { Bound::from_borrowed_ptr(py, code) }.unbind();
            let made = Arc::new(Entry {
                _held: [code, globals.unbind(), defaults.unbind()],
                by_name: copy.map(Bound::unbind),
                function: parsed.map(Arc::new),
            });
            // Whoever was first meanwhile is what signatures go by; ours is let go of without the lock.
            with_functions(|all| all.entry(key).or_insert_with(|| made.clone()).clone())
        }
    };
    let then = entry.by_name.as_ref().map(|d| d.bind(py));
    let same = same_by_name(then, &by_name);
    entry.function.clone().filter(|_| same)
}

fn parse(
    py: Python<'_>,
    function: &Bound<'_, PyAny>,
    globals: &Bound<'_, PyAny>,
) -> PyResult<Option<UserFunction>> {
    let text = py
        .import("nestwise.rewriting.sources")?
        .call_method1("function_text", (function,))?;
    if text.is_none() {
        return Ok(None);
    }
    let found: FunctionText = text.extract()?;
    let locals: HashSet<String> = found.local_names.into_iter().collect();
    let free = found.free_names;
    let free_set: HashSet<String> = free.iter().cloned().collect();
    let name: String = function.getattr("__name__")?.extract()?;
    let file: String = function
        .getattr("__code__")?
        .getattr("co_filename")?
        .extract()?;
    let (text, first_line, indented) = (&found.text, found.first_line, found.indented);
    let Ok(surface) = parse_function(text, first_line, indented, &locals, &free_set, &name, &file)
    else {
        return Ok(None);
    };
    let paths: Vec<&Mentioned> = surface.paths.values().collect();
    let mut paths = access_paths(py, &paths, &free);
    mark_whole(&mut paths, &whole_uses(&surface.paths, &surface.body));
    let globals = globals.clone().cast_into::<PyDict>()?.unbind();
    Ok(Some(UserFunction::new(surface, paths, globals)))
}
