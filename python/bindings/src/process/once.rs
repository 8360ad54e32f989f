//! Values that are made when they are first asked for, without anybody waiting.
//!
//! A lock on which others wait while one thread makes the value is wrong here for two reasons. Making it may run Python
//! code, which lets other threads run: a waiting one would hold the interpreter lock, which the first one needs to go
//! on. And the child of a fork has only the thread that forked, which would wait for ever for another one that was
//! about to make the value.

use std::sync::OnceLock;

/// A value that is made when it is first asked for. Two threads may make it at once; the value of the first one to
/// finish counts.
pub struct Once<T>(OnceLock<T>);

impl<T> Once<T> {
    /// A value that is not made yet.
    pub const fn new() -> Once<T> {
        Once(OnceLock::new())
    }

    /// The value; `None` if it was not made yet.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// The value, which `make` makes where there is none.
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        match self.0.get() {
            Some(value) => value,
            // Moves a value that is there: nothing in it takes time or runs anything.
            None => {
                let value = make();
                self.0.get_or_init(|| value)
            }
        }
    }

    /// The value, which `make` makes where there is none; after an error there still is none.
    pub fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.0.get() {
            Some(value) => Ok(value),
            None => {
                let value = make()?;
                Ok(self.0.get_or_init(|| value))
            }
        }
    }
}
