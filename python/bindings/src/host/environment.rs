//! The conditions on the interpreter for a nest to run natively: nobody traces or profiles this thread, and NumPy is
//! not asked for errors that kernels do not watch.

use std::sync::Mutex;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::process::once::Once;

/// The functions that tell whether this thread is traced or profiled, looked up once.
struct Probes {
    gettrace: Py<PyAny>,
    getprofile: Py<PyAny>,
    /// The function `sys.monitoring.get_tool`, from CPython 3.12 on.
    get_tool: Option<Py<PyAny>>,
}

static PROBES: Once<Probes> = Once::new();

/// What keeps nests from running natively in this thread now, in words; `None` if nothing does.
pub fn unusual(py: Python<'_>) -> Option<&'static str> {
    let probes = PROBES.get_or_try_init(|| -> PyResult<Probes> {
        let sys = py.import("sys")?;
        Ok(Probes {
            gettrace: sys.getattr("gettrace")?.unbind(),
            getprofile: sys.getattr("getprofile")?.unbind(),
            get_tool: sys
                .getattr("monitoring")
                .and_then(|m| m.getattr("get_tool"))
                .ok()
                .map(Bound::unbind),
        })
    });
    let Ok(probes) = probes else {
        return Some("sys has no gettrace");
    };
    // SAFETY: the GIL is held; a result is a new reference.
    let set = |f: &Py<PyAny>| unsafe {
        let value = ffi::PyObject_CallNoArgs(f.as_ptr());
        if value.is_null() {
            ffi::PyErr_Clear();
            return true;
        }
        ffi::Py_DECREF(value);
        value != ffi::Py_None()
    };
    if set(&probes.gettrace) {
        return Some("a trace function is set");
    }
    if set(&probes.getprofile) {
        return Some("a profile function is set");
    }
    let monitored = probes.get_tool.as_ref().is_some_and(|get_tool| {
        // Debugger, coverage, profiler, optimiser, and the two nameless ids.
        let get_tool = get_tool.bind(py);
        (0..6).any(|id| get_tool.call1((id,)).map_or(true, |v| !v.is_none()))
    });
    monitored.then_some("sys.monitoring is in use")
}

/// Whether the main thread is the only thread of Python's: others may write arrays without the interpreter lock, inside
/// NumPy.
pub fn is_alone(py: Python<'_>) -> bool {
    static COUNT: Once<Py<PyAny>> = Once::new();
    let count = COUNT.get_or_try_init(|| -> PyResult<Py<PyAny>> {
        Ok(py.import("_thread")?.getattr("_count")?.unbind())
    });
    let others = count.and_then(|f| f.call0(py)?.extract::<usize>(py));
    others.is_ok_and(|n| n == 0)
}

/// Whether a signal would run a function of the program's: any handler but the one that raises KeyboardInterrupt.
pub fn handles_signals(py: Python<'_>) -> bool {
    struct Signals {
        getsignal: Py<PyAny>,
        default: Py<PyAny>,
        count: i32,
    }
    static SIGNALS: Once<Signals> = Once::new();
    let signals = SIGNALS.get_or_try_init(|| -> PyResult<Signals> {
        let module = py.import("_signal")?;
        Ok(Signals {
            getsignal: module.getattr("getsignal")?.unbind(),
            default: module.getattr("default_int_handler")?.unbind(),
            count: module.getattr("NSIG")?.extract()?,
        })
    });
    let Ok(signals) = signals else { return true };
    (1..signals.count).any(|number| {
        let handler = signals.getsignal.bind(py).call1((number,));
        handler.is_ok_and(|h| h.is_callable() && !h.is(&signals.default))
    })
}

/// The floating-point errors that `np.errstate` and `np.seterr` ask NumPy to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumpyErrors {
    /// Overflows, invalid operations or divisions by zero are reported by at most a warning: CPython runs the operation
    /// that meets one.
    Watched,
    /// Overflows, invalid operations or divisions by zero are reported by more than a warning: NumPy raises, or calls a
    /// function of the program's.
    Told,
    /// No error is reported.
    Ignored,
    /// Underflows, which kernels do not watch, are reported, or the settings are not known.
    Underflow,
}

/// How NumPy's settings are read: NumPy keeps an object for each setting in a context variable.
struct Settings {
    /// The context variable with the current settings object; `None` if this NumPy keeps settings otherwise.
    variable: Option<Py<PyAny>>,
    /// The function `np.geterr`, which gives the settings as a dictionary.
    read: Py<PyAny>,
}

static SETTINGS: Once<Option<Settings>> = Once::new();
/// The settings objects that were seen, kept alive so that their addresses stay theirs, and what each asks for.
static SEEN: Mutex<Vec<(Py<PyAny>, NumpyErrors)>> = Mutex::new(Vec::new());
/// The most settings objects that are remembered; a program that makes more has the others read each time.
const MAX_SEEN: usize = 16;

/// Drops the settings objects that were seen: one may hold a function of the program's, which NumPy is to call.
pub fn let_go() {
    let seen = std::mem::take(&mut *SEEN.lock().unwrap_or_else(|e| e.into_inner()));
    drop(seen);
}

/// The errors that NumPy is asked to report in this context.
pub fn numpy_errors(py: Python<'_>) -> NumpyErrors {
    if crate::objects::numpy::numpy(py).is_none() {
        return NumpyErrors::Watched;
    }
    let settings = SETTINGS.get_or_init(|| settings(py).ok());
    let Some(settings) = settings else {
        // Unknown settings: nothing may be assumed.
        return NumpyErrors::Underflow;
    };
    let variable = settings.variable.as_ref();
    let Some(object) = variable.and_then(|v| current(v.bind(py))) else {
        return read(py, &settings.read);
    };
    // The lock is not held while Python runs: that may switch to a thread that waits for it with the GIL held.
    let seen = || SEEN.lock().unwrap_or_else(|e| e.into_inner());
    let known = seen().iter().find(|(o, _)| o.is(&object)).map(|s| s.1);
    if let Some(known) = known {
        return known;
    }
    let errors = read(py, &settings.read);
    let mut seen = seen();
    if seen.len() < MAX_SEEN {
        seen.push((object.unbind(), errors));
    }
    errors
}

unsafe extern "C" {
    /// Exported since CPython 3.7, although the limited API does not declare it.
    fn PyContextVar_Get(
        variable: *mut PyObject,
        default: *mut PyObject,
        value: *mut *mut PyObject,
    ) -> std::ffi::c_int;
}

/// The value of an exact `contextvars.ContextVar`; `None` where it has none.
fn current<'py>(variable: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let mut value = std::ptr::null_mut();
    // SAFETY: a context variable; what is found is a new reference.
    unsafe {
        if PyContextVar_Get(variable.as_ptr(), std::ptr::null_mut(), &raw mut value) != 0 {
            ffi::PyErr_Clear();
        }
        Bound::from_owned_ptr_or_opt(variable.py(), value)
    }
}

fn settings(py: Python<'_>) -> PyResult<Settings> {
    let numpy = py.import("numpy")?;
    let exact = py.import("contextvars")?.getattr("ContextVar")?;
    let core = py.import("numpy._core._multiarray_umath");
    let variable = core
        .and_then(|core| core.getattr("_extobj_contextvar"))
        .ok()
        .filter(|variable| variable.get_type().is(&exact));
    Ok(Settings {
        variable: variable.map(Bound::unbind),
        read: numpy.getattr("geterr")?.unbind(),
    })
}

fn read(py: Python<'_>, read: &Py<PyAny>) -> NumpyErrors {
    let kind =
        |name: &str| -> PyResult<String> { read.bind(py).call0()?.get_item(name)?.extract() };
    if !kind("under").is_ok_and(|kind| kind == "ignore") {
        return NumpyErrors::Underflow;
    }
    let kinds = ["over", "invalid", "divide"].map(|name| kind(name).unwrap_or_default());
    if kinds.iter().all(|kind| kind == "ignore") {
        NumpyErrors::Ignored
    } else if kinds
        .iter()
        .all(|k| matches!(k.as_str(), "ignore" | "warn"))
    {
        NumpyErrors::Watched
    } else {
        NumpyErrors::Told
    }
}
