//! The functions that CPython evaluates for the nests of a site: each fragment is compiled once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use nestwise_frontend::site::captures::Capture;
use nestwise_ir::{Fragment, FragmentForm, Ty};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

/// The functions of a site's fragments, and what was seen of their values.
#[derive(Default)]
pub struct FragmentFunctions {
    /// The functions that were compiled for fragments, by their text.
    functions: Mutex<Vec<(String, Py<PyAny>)>>,
    /// The fragments whose value was not of the expected type, with its type, if it is a scalar.
    observed: Mutex<Vec<(String, Option<Ty>)>>,
    /// Whether CPython was found to be faster.
    left: AtomicBool,
}

impl FragmentFunctions {
    /// The function for a fragment, made when it is first asked for. `globals` are those of the site's module.
    pub fn function(
        &self,
        py: Python<'_>,
        fragment: &Fragment,
        file: &str,
        globals: *mut PyObject,
    ) -> PyResult<Py<PyAny>> {
        let text = definition(fragment);
        let known = |all: &Vec<(String, Py<PyAny>)>| {
            let found = all.iter().find(|(t, _)| *t == text);
            found.map(|(_, f)| f.clone_ref(py))
        };
        if let Some(function) = known(&self.functions.lock().unwrap_or_else(|e| e.into_inner())) {
            return Ok(function);
        }
        // Not locked meanwhile: making objects may set off a garbage collection, whose finalizers may come by here.
        let function = compiled(py, &text, file, globals)?;
        let mut all = self.functions.lock().unwrap_or_else(|e| e.into_inner());
        all.push((text, function.clone_ref(py)));
        Ok(function)
    }

    /// What the front end is to be told of values that were not of the expected type.
    pub fn observed(&self) -> Vec<Capture> {
        let observed = self.observed.lock().unwrap_or_else(|e| e.into_inner());
        let of = |(text, ty): &(String, Option<Ty>)| Capture::Observed {
            text: text.clone(),
            ty: *ty,
        };
        observed.iter().map(of).collect()
    }

    /// The number of values that were not of the expected type: where it changes, other plans are due.
    pub fn observations(&self) -> usize {
        self.observed
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .len()
    }

    /// Notes the type of a value that was not of the expected one, once for each text.
    pub fn observe(&self, text: &str, ty: Option<Ty>) {
        let mut observed = self.observed.lock().unwrap_or_else(|e| e.into_inner());
        if !observed.iter().any(|(of, _)| of == text) {
            observed.push((text.to_owned(), ty));
        }
    }

    /// Notes that CPython is faster with what the site does with containers.
    pub fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }

    /// Whether CPython was found to be faster.
    pub fn is_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Drops the functions.
    pub fn forget(&self) {
        let all = std::mem::take(&mut *self.functions.lock().unwrap_or_else(|e| e.into_inner()));
        drop(all);
    }
}

/// The definition of a fragment's function, on the line where the fragment stands in the file.
fn definition(fragment: &Fragment) -> String {
    let objects = fragment.objects.iter().map(|o| o.name.as_str());
    let values = fragment.values.iter().map(|v| v.name.as_str());
    let parameters: Vec<&str> = objects.chain(values).collect();
    let lines = "\n".repeat(fragment.span.line.saturating_sub(1) as usize);
    let keyword = match fragment.form {
        FragmentForm::Value(_) => "return ",
        FragmentForm::Statement => "",
    };
    let (parameters, text) = (parameters.join(", "), &fragment.text);
    format!("{lines}def fragment({parameters}): {keyword}{text}\n")
}

/// Compiles a definition to a function that has the module's globals, of which it assigns none.
fn compiled(py: Python<'_>, text: &str, file: &str, globals: *mut PyObject) -> PyResult<Py<PyAny>> {
    let builtins = py.import("builtins")?;
    let code = builtins
        .getattr("compile")?
        .call1((text, file, "exec", 0, true))?;
    let space = pyo3::types::PyDict::new(py);
    builtins.getattr("exec")?.call1((code, &space))?;
    let made = space.get_item("fragment")?;
    let made = made.ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("no function"))?;
    // SAFETY: the module's dictionary, alive during the call.
    let globals = unsafe { Bound::from_borrowed_ptr(py, globals) };
    let function = made
        .get_type()
        .call1((made.getattr("__code__")?, globals))?;
    Ok(function.unbind())
}
