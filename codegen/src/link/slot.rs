//! Slots for NumPy's inner loops.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

/// A ufunc inner loop: arguments, number of elements, byte strides, the loop's own data.
pub type UfuncLoop = unsafe extern "C" fn(
    args: *mut *mut u8,
    dimensions: *const isize,
    steps: *const isize,
    data: *mut c_void,
);

/// One registered loop. Generated code holds the address of its slot and so sees a later registration.
pub(crate) struct Slot {
    function: AtomicPtr<c_void>,
    data: AtomicPtr<c_void>,
    /// What trying the loop out has told, in the bits that `ufunc` gives it; 0 until a kernel asks, since that takes a
    /// while.
    pub(crate) found: AtomicU8,
}

impl Slot {
    /// A slot with no loop.
    pub(crate) const fn new() -> Slot {
        Slot {
            function: AtomicPtr::new(std::ptr::null_mut()),
            data: AtomicPtr::new(std::ptr::null_mut()),
            found: AtomicU8::new(0),
        }
    }

    /// Registers a loop.
    pub(crate) fn set(&self, function: UfuncLoop, data: *mut c_void) {
        self.data.store(data, Ordering::Release);
        self.function
            .store(function as *mut c_void, Ordering::Release);
        self.found.store(0, Ordering::Release);
    }

    /// The registered loop and its data.
    pub(crate) fn get(&self) -> Option<(UfuncLoop, *mut c_void)> {
        let f = self.function.load(Ordering::Acquire);
        if f.is_null() {
            return None;
        }
        let f: UfuncLoop = unsafe { std::mem::transmute(f) };
        Some((f, self.data.load(Ordering::Acquire)))
    }
}
