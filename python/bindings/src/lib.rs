//! The extension module `nestwise._core`: what the package's Python half calls.

#![warn(missing_docs)]

pub(crate) mod bind;
pub(crate) mod boundary;
pub(crate) mod commands;
pub(crate) mod hooks;
pub(crate) mod host;
pub(crate) mod objects;
pub(crate) mod process;
pub(crate) mod region;
pub(crate) mod results;
pub(crate) mod site;
#[cfg(all(test, not(without_interpreter)))]
mod tests;
pub(crate) mod verify;

use pyo3::prelude::*;

use crate::boundary::{options, records, report, sites};
use crate::commands::{calibrate, recording};
use crate::host::waiting;
use crate::objects::{layout, memory};
use crate::process::{ending, panics};

/// Whether this is a subinterpreter. PyO3 knows only the interpreter that the process began with: whatever attaches to
/// that one from another waits for ever for the lock that it holds itself.
fn in_subinterpreter() -> bool {
    // SAFETY: called with the GIL held, so that there is a current interpreter.
    unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) != 0 }
}

/// Adds everything to the extension module; raises ImportError where nestwise cannot run in this interpreter.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if in_subinterpreter() {
        // CPython's own words where it is told so, as `native/extension.py` expects them.
        return Err(pyo3::exceptions::PyImportError::new_err(
            "module nestwise._core does not support loading in subinterpreters",
        ));
    }
    if !layout::self_check() {
        return Err(pyo3::exceptions::PyImportError::new_err(
            "nestwise does not know this CPython's object layout",
        ));
    }
    nestwise_codegen::register_parallel(
        nestwise_runtime::threads::pool::parallel,
        nestwise_runtime::threads::pool::free_parts,
    );
    panics::watch();
    ending::register(module)?;
    waiting::find(module.py())?;
    for function in [
        wrap_pyfunction!(options::version, module)?,
        wrap_pyfunction!(options::configure, module)?,
        wrap_pyfunction!(options::cores, module)?,
        wrap_pyfunction!(options::use_libdevice, module)?,
        wrap_pyfunction!(sites::lower, module)?,
        wrap_pyfunction!(sites::explain_site, module)?,
        wrap_pyfunction!(sites::random_text, module)?,
        wrap_pyfunction!(sites::make_site, module)?,
        wrap_pyfunction!(report::report, module)?,
        wrap_pyfunction!(memory::keep_heap, module)?,
        wrap_pyfunction!(panics::panics, module)?,
        wrap_pyfunction!(verify::verify, module)?,
        wrap_pyfunction!(verify::passed_over, module)?,
        wrap_pyfunction!(calibrate::fit, module)?,
        wrap_pyfunction!(calibrate::errors, module)?,
        wrap_pyfunction!(calibrate::fit_host, module)?,
        wrap_pyfunction!(calibrate::summary, module)?,
        wrap_pyfunction!(calibrate::machine, module)?,
        wrap_pyfunction!(calibrate::card, module)?,
        wrap_pyfunction!(calibrate::default_profile, module)?,
        wrap_pyfunction!(calibrate::read_profile, module)?,
        wrap_pyfunction!(recording::recording, module)?,
        wrap_pyfunction!(recording::what_if, module)?,
        wrap_pyfunction!(records::find, module)?,
        wrap_pyfunction!(records::names, module)?,
    ] {
        module.add_function(function)?;
    }
    module.add_class::<hooks::functions::SiteFunctions>()?;
    Ok(())
}
