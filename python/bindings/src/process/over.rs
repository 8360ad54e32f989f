//! Whether the program is over.

use std::sync::atomic::{AtomicBool, Ordering};

static OVER: AtomicBool = AtomicBool::new(false);

/// Whether the program is over: loops that still run then, in finalizers, are left to CPython.
#[inline]
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// Makes [`is_over`] true for the rest of the process.
pub fn begin() {
    OVER.store(true, Ordering::Relaxed);
}
