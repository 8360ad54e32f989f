//! A process that ends does not wait for kernels that are being made in the background.
//!
//! LLVM's global objects would be destroyed at exit, under the feet of whoever still uses them. They own nothing that
//! outlives the process, so nobody needs to: the linker is told (`build.rs`) to send this library's registrations of such
//! destructors here, where they are forgotten.

use std::ffi::{c_int, c_void};

/// `__cxa_atexit` for this library's own objects.
#[unsafe(no_mangle)]
extern "C" fn __wrap___cxa_atexit(
    _destructor: *const c_void,
    _object: *mut c_void,
    _library: *mut c_void,
) -> c_int {
    0
}
