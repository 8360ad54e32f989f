//! How many frames CPython has left for calls of Python functions.

use pyo3::ffi;
use pyo3::prelude::*;

/// The frames that are left to whoever runs beside a nest: those of its caller, and what CPython opens for itself.
const LEFT: u32 = 150;

/// What [`frames`] is under CPython's usual recursion limit.
pub(crate) const USUAL: u32 = 1000 - LEFT;

/// The recursion limit.
fn limit(py: Python<'_>) -> u32 {
    let limit = py
        .import("sys")
        .and_then(|sys| sys.call_method0("getrecursionlimit"));
    limit.and_then(|limit| limit.extract()).unwrap_or(0)
}

/// The most frames of calls that a nest may stand for.
pub(crate) fn frames(py: Python<'_>) -> u32 {
    limit(py).saturating_sub(LEFT)
}

/// Whether CPython could open this many frames more.
pub(crate) fn are_left(py: Python<'_>, frames: u32) -> bool {
    let spare = limit(py).saturating_sub(frames);
    // SAFETY: a borrowed reference or null.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let mut open = 0;
    let mut next = frame;
    while let Some(frame) = next {
        open += 1;
        if open + LEFT / 2 > spare {
            return false;
        }
        next = frame.getattr("f_back").ok().filter(|back| !back.is_none());
    }
    true
}
