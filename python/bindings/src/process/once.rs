//! Values that are made when they are first asked for, without anybody waiting.
//!
//! A lock that others wait at while one makes the value is wrong here twice. Making it may run Python code, which lets
//! other threads run: one that waits holds the interpreter lock, which the first one needs to go on. And the child of a
//! fork has only the thread that forked: it would wait for ever for one that was about to make the value.

use std::sync::OnceLock;

/// Such a value. Two may make it at once; the first one counts.
pub struct Once<T>(OnceLock<T>);

impl<T> Once<T> {
    /// Nothing yet.
    pub const fn new() -> Once<T> {
        Once(OnceLock::new())
    }

    /// The value, if it was made.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// The value; `make` is run where there is none.
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

    /// The same; after an error there still is none.
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
