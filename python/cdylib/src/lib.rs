//! The extension module `nestwise._core`: the entry point that CPython looks for, and what the library's link settles.

mod exit;
mod globals;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    nestwise_codegen::register_globals(globals::make);
    nestwise_bindings::register(module)
}
