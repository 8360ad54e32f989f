//! Panics. Each is a bug of ours that costs a nest its native run and nobody an answer: it is caught where CPython can
//! still run everything, and kept for the report, where tests look for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Mutex;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// More are not kept.
const MAX_SEEN: usize = 16;

/// From now on panics are kept; on the user's terminal they appear only where a backtrace is asked for.
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

/// What a panic says.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_else(|| "panic".into())
}

/// Every panic of this process, those that were caught among them, with its place.
#[pyfunction]
pub fn panics() -> Vec<String> {
    SEEN.lock().unwrap_or_else(|e| e.into_inner()).clone()
}

/// A panic as an exception that whoever calls us may catch: PyO3's own would pass an `except Exception`.
pub fn raised<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(PyRuntimeError::new_err(message(&*panic))))
}
