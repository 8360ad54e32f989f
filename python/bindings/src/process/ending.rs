//! The end of the process: releases the program's own objects, so that finalizers run as they would under python.
//!
//! Tables hold code, globals, classes and settings so that their addresses mean these objects for as long as the
//! process lives. Once the program and its callbacks at exit are over nothing is compiled any more, and the tables are
//! emptied.

use nestwise_runtime::kernel::{background, making};
use pyo3::prelude::*;

use crate::host::environment;
use crate::objects::{attributes, classes, functions, texts};
use crate::process::over;
use crate::site::registry;

/// Ends native runs, and releases all objects of the program's.
#[pyfunction]
fn let_go() {
    over::begin();
    background::finish();
    making::keep();
    registry::let_go();
    environment::let_go();
    attributes::let_go();
    classes::let_go();
    texts::let_go();
    functions::let_go();
}

/// Registers [`let_go`] to be called at exit, after all callbacks that are registered later.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let function = wrap_pyfunction!(let_go, module)?;
    module
        .py()
        .import("atexit")?
        .call_method1("register", (function,))?;
    Ok(())
}
