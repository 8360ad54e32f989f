//! What must be as usual for a nest to run natively: nobody traces or profiles this thread.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The functions that tell, looked up once.
struct Probes {
    gettrace: Py<PyAny>,
    getprofile: Py<PyAny>,
    /// `sys.monitoring.get_tool`, from CPython 3.12 on.
    get_tool: Option<Py<PyAny>>,
}

static PROBES: PyOnceLock<Probes> = PyOnceLock::new();

/// What is unusual, if anything is.
pub fn unusual(py: Python<'_>) -> Option<&'static str> {
    let probes = PROBES.get_or_try_init(py, || -> PyResult<Probes> {
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
    let set = |f: &Py<PyAny>| f.call0(py).map_or(true, |v| !v.is_none(py));
    if set(&probes.gettrace) {
        return Some("a trace function is set");
    }
    if set(&probes.getprofile) {
        return Some("a profile function is set");
    }
    let monitored = probes.get_tool.as_ref().is_some_and(|get_tool| {
        // Debugger, coverage, profiler, and the two nameless ids; 5 is the optimiser's.
        (0..5).any(|id| get_tool.call1(py, (id,)).map_or(true, |v| !v.is_none(py)))
    });
    monitored.then_some("sys.monitoring is in use")
}
