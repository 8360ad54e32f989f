//! The extension module `nestwise._core`: nothing but the entry point that CPython looks for.

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    nestwise_bindings::register(module)
}
