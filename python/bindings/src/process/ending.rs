//! The end of the process: what is kept of the program's own objects is let go of, so that finalizers run as they would under
//! python.
//!
//! Tables hold code, globals, classes and settings so that their addresses mean these objects for as long as the process
//! lives. Once the program and its callbacks at exit are over nothing is compiled any more, and the tables are emptied.

use nestwise_runtime::kernel::{background, making};
use pyo3::prelude::*;

use crate::host::environment;
use crate::objects::{attributes, functions};
use crate::process::over;
use crate::site::registry;

/// Lets go of all objects of the program's.
#[pyfunction]
fn let_go() {
    over::begin();
    background::finish();
    making::keep();
    registry::let_go();
    environment::let_go();
    attributes::let_go();
    functions::let_go();
}

/// Has [`let_go`] called at exit, behind all callbacks that are registered from now on.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let function = wrap_pyfunction!(let_go, module)?;
    module
        .py()
        .import("atexit")?
        .call_method1("register", (function,))?;
    Ok(())
}
