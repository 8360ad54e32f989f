//! LLVM's global objects, in a library whose link leaves their making to it.
//!
//! Several hundred functions of LLVM make these objects; they take 2.3 of the 5 ms that loading the extension module
//! takes otherwise. A program whose loops all stay in CPython never needs the objects, and any other needs them on the
//! thread that makes code.

use std::sync::OnceLock;

static MAKE: OnceLock<fn()> = OnceLock::new();

/// Tells how LLVM's global objects are made; without it they have been, as usual, when the process loaded the code.
/// Only the first function counts, and it is called once at most, before anything of LLVM is used.
pub fn register_globals(make: fn()) {
    // A second one would make the same objects again.
    let _ = MAKE.set(make);
}

/// Makes the global objects. The caller sees to it that this is done once.
pub(crate) fn make() {
    if let Some(make) = MAKE.get() {
        make();
    }
}
