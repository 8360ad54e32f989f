//! Finds out whether a warning of NumPy's is only a line on standard error: no filter turns it into an exception, and
//! no function of the program's shows it. Otherwise it matters how far a loop has come when the warning is given, which
//! native code cannot reproduce.

use std::sync::Mutex;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyList, PyString, PyTuple, PyType};

use crate::host::environment::{NumpyErrors, numpy_errors};
use crate::objects::layout;
use crate::process::once::Once;

/// The parts of the `warnings` module that decide what becomes of a warning.
struct Warnings {
    names: Py<PyDict>,
    /// The names of the functions that show warnings, and the module's original functions.
    shown_by: Vec<(Py<PyString>, Py<PyAny>)>,
    filters: Py<PyString>,
    action: Py<PyString>,
    context_aware: bool,
}

/// The filters that were looked at last, held so that their addresses stay theirs, and whether none of them raises.
static LAST: Mutex<Option<(Py<PyTuple>, bool)>> = Mutex::new(None);

/// Whether a warning may run anybody's code or become an exception.
pub fn warnings_stop(py: Python<'_>) -> bool {
    static WARNINGS: Once<Option<Warnings>> = Once::new();
    let warnings = WARNINGS.get_or_init(|| Warnings::of(py).ok().flatten());
    match warnings {
        Some(warnings) => numpy_errors(py) == NumpyErrors::Told || !warnings.are_plain(py),
        None => true,
    }
}

impl Warnings {
    /// The parts of the module; `None` where it is not as known CPython versions have it.
    fn of(py: Python<'_>) -> PyResult<Option<Warnings>> {
        let module = py.import("warnings")?;
        let original = module.getattr("_showwarning_orig")?;
        let showing = PyString::intern(py, "showwarning").unbind();
        let mut shown_by = vec![(showing, original.unbind())];
        for name in ["_showwarnmsg", "_showwarnmsg_impl"] {
            let name = PyString::intern(py, name);
            let function = module.getattr(&name)?;
            let from: String = function.getattr("__module__")?.extract()?;
            if !function.is_exact_instance_of::<PyFunction>() || !from.ends_with("warnings") {
                return Ok(None);
            }
            shown_by.push((name.unbind(), function.unbind()));
        }
        let flags = py.import("sys")?.getattr("flags")?;
        let aware = flags.getattr("context_aware_warnings");
        Ok(Some(Warnings {
            names: module.dict().unbind(),
            shown_by,
            filters: PyString::intern(py, "filters").unbind(),
            action: PyString::intern(py, "defaultaction").unbind(),
            context_aware: aware.is_ok_and(|a| a.is_truthy().unwrap_or(true)),
        }))
    }

    fn named(&self, name: &Py<PyString>) -> *mut PyObject {
        // SAFETY: an exact dictionary and an interned string; the result is borrowed.
        unsafe { ffi::PyDict_GetItemWithError(self.names.as_ptr(), name.as_ptr()) }
    }

    fn are_plain(&self, py: Python<'_>) -> bool {
        let own =
            |(name, function): &(Py<PyString>, Py<PyAny>)| self.named(name) == function.as_ptr();
        if self.context_aware || !self.shown_by.iter().all(own) {
            return false;
        }
        // SAFETY: null or alive while the dictionary has it.
        let filters = unsafe { Bound::from_borrowed_ptr_or_opt(py, self.named(&self.filters)) };
        let Some(filters) = filters.and_then(|f| f.cast_into_exact::<PyList>().ok()) else {
            return false;
        };
        let last = LAST.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((seen, plain)) = &*last {
            // SAFETY: an exact list and a tuple, alive.
            let same = unsafe {
                *layout::list_items(filters.as_ptr()) == *layout::tuple_items(seen.as_ptr())
            };
            if same {
                return *plain;
            }
        }
        // The lock is not held while Python runs: that may switch to a thread that waits for it.
        drop(last);
        let plain = self.none_raises(py, &filters).unwrap_or(false);
        let new = (filters.to_tuple().unbind(), plain);
        let old = LAST.lock().unwrap_or_else(|e| e.into_inner()).replace(new);
        drop(old);
        plain
    }

    /// Whether neither a filter nor the default action turns a RuntimeWarning into an exception.
    fn none_raises(&self, py: Python<'_>, filters: &Bound<'_, PyList>) -> PyResult<bool> {
        // SAFETY: null or alive while the dictionary has it.
        let action = unsafe { Bound::from_borrowed_ptr_or_opt(py, self.named(&self.action)) };
        if action.is_none_or(|a| !a.eq("default").unwrap_or(false)) {
            return Ok(false);
        }
        let runtime = py.get_type::<PyRuntimeWarning>();
        for filter in filters.iter() {
            let category = filter.get_item(2)?;
            let takes = category
                .cast::<PyType>()
                .is_ok_and(|c| runtime.is_subclass(c).unwrap_or(true));
            if takes && filter.get_item(0)?.eq("error")? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
