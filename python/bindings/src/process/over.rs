//! Whether the program is over.

use std::sync::atomic::{AtomicBool, Ordering};

static OVER: AtomicBool = AtomicBool::new(false);

/// Whether the program is over: loops that still run, in finalizers, are CPython's.
#[inline]
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// Has [`is_over`] say so for the rest of the process.
pub fn begin() {
    OVER.store(true, Ordering::Relaxed);
}
