//! The types of the records that functions of the module return. Each is made when something first asks for it (PEP 562):
//! making all of them would take a tenth of the time to import the module.

use pyo3::PyClass;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::boundary::{answers, report};
use crate::commands::calibrate;
use crate::verify;

/// Makes a type, or finds it.
type Make = for<'py> fn(Python<'py>) -> Bound<'py, PyType>;

const fn record<T: PyClass>() -> (&'static str, Make) {
    (T::NAME, |py| py.get_type::<T>())
}

/// The records by name.
const RECORDS: &[(&str, Make)] = &[
    record::<answers::Refused>(),
    record::<answers::Point>(),
    record::<answers::Computed>(),
    record::<answers::Lowered>(),
    record::<answers::RandomText>(),
    record::<answers::Reduction>(),
    record::<answers::Dependence>(),
    record::<answers::LoopVerdict>(),
    record::<answers::StageSeconds>(),
    record::<answers::Explained>(),
    record::<report::Declined>(),
    record::<report::Transferred>(),
    record::<report::Nodes>(),
    record::<report::MadeCode>(),
    record::<report::Fallback>(),
    record::<report::NestReport>(),
    record::<calibrate::Fit>(),
    record::<calibrate::HostFit>(),
    record::<calibrate::Errors>(),
    record::<calibrate::Summary>(),
    record::<calibrate::Card>(),
    record::<verify::NestCall>(),
    record::<verify::NativeRun>(),
];

/// The record of that name; AttributeError if there is none.
#[pyfunction(name = "__getattr__")]
pub fn find<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    let found = RECORDS.iter().find(|(of, _)| *of == name);
    found.map(|(_, make)| make(py)).ok_or_else(|| {
        PyAttributeError::new_err(format!("module nestwise._core has no attribute {name}"))
    })
}

/// The names of the module, those of records among them.
#[pyfunction(name = "__dir__", pass_module)]
pub fn names(module: &Bound<'_, PyModule>) -> PyResult<Vec<String>> {
    let mut names: Vec<String> = module.dict().keys().extract()?;
    names.extend(RECORDS.iter().map(|(name, _)| name.to_string()));
    Ok(names)
}
