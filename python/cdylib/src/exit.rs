//! A process that ends does not wait for kernels that are being made in the background.
//!
//! LLVM's global objects would be destroyed at exit, under the feet of threads that still use them. These objects own
//! nothing that outlives the process, so their destructors need not run: the linker is told (`build.rs`) to send this
//! library's registrations of destructors here, where they are dropped.

use std::ffi::{c_int, c_void};

/// Takes the place of `__cxa_atexit` for this library's own objects; 0: registered.
#[allow(unsafe_code)] // The name of a symbol that nothing else has.
#[unsafe(no_mangle)]
extern "C" fn __wrap___cxa_atexit(
    _destructor: *const c_void,
    _object: *mut c_void,
    _library: *mut c_void,
) -> c_int {
    0
}
