//! Locks whose data hold together even where a holder panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose data every holder leaves consistent at any point.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
