//! Records the calls of a program's nests as a document, and prices that document for another machine.

use nestwise_costmodel::MachineProfile;
use nestwise_costmodel::record::{NestRecord, RECORDING_VERSION, Recording};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::site::registry;

/// The recording of all nests' calls so far, as JSON; without nests where the options do not ask for recording.
#[pyfunction]
pub fn recording() -> String {
    let recording = Recording {
        version: RECORDING_VERSION,
        nests: registry::recorded(),
    };
    serde_json::to_string(&recording).unwrap_or_default()
}

/// Prices the nests of a recording for a machine with this profile (`None`: the one in force) and number of cores (0:
/// the profile's own), as JSON. Raises ValueError with a message for the user where the recording or the profile cannot
/// be read.
#[pyfunction]
pub fn what_if(recording: &str, profile: Option<&str>, cores: u32) -> PyResult<String> {
    let recording = Recording::parse(recording).map_err(PyValueError::new_err)?;
    let in_force = nestwise_runtime::options();
    let parsed = profile.map(MachineProfile::parse).transpose();
    let parsed = parsed.map_err(|e| PyValueError::new_err(e.to_string()))?;
    let profile = parsed.as_ref().unwrap_or(&in_force.profile);
    let measured = profile.machine.as_ref().map(|m| m.cores as u32);
    let cores = match cores {
        0 => measured.unwrap_or(in_force.threads as u32),
        given => given,
    };
    let answer = |nest: &NestRecord| {
        json!({
            "file": nest.file,
            "line": nest.line,
            "folded": nest.folded,
            "replay": nest.replay(profile, cores),
        })
    };
    let nests: Vec<_> = recording.nests.iter().map(answer).collect();
    Ok(json!({"profile": profile.name, "cores": cores, "nests": nests}).to_string())
}
