//! Panics. Each is a bug of nestwise that costs a nest its native run, but no wrong results: it is caught where CPython
//! can still run everything, and kept for the report, where tests look for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Mutex;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// The most panics that are kept.
const MAX_SEEN: usize = 16;

/// Has panics kept from now on; they appear on the user's terminal only where a backtrace is asked for.
pub fn watch() {
    let shown = std::env::var_os("RUST_BACKTRACE").is_some();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        keep(info);
        if shown {
            before(info);
        }
    }));
}

fn keep(info: &PanicHookInfo<'_>) {
    let mut seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    if seen.len() < MAX_SEEN {
        let place = info
            .location()
            .map_or_else(String::new, |l| format!("{l}: "));
        seen.push(format!("{place}{}", message(info.payload())));
    }
}

/// The message of a panic.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_else(|| "panic".into())
}

/// The messages of this process's panics, with the places in the source; those that were caught are among them.
#[pyfunction]
pub fn panics() -> Vec<String> {
    SEEN.lock().unwrap_or_else(|e| e.into_inner()).clone()
}

/// Runs `work`, and turns a panic into a RuntimeError that the caller may catch: PyO3's own exception would pass an
/// `except Exception`.
pub fn raised<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(PyRuntimeError::new_err(message(&*panic))))
}
