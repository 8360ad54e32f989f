//! LLVM's global objects are made when code is first made, not when the library is loaded (`globals.ld`).

type Initializer = unsafe extern "C" fn();

#[allow(unsafe_code)] // Symbols of the linker script: where a table begins and ends.
unsafe extern "C" {
    static nestwise_llvm_globals: Initializer;
    static nestwise_llvm_globals_end: Initializer;
}

/// Makes LLVM's global objects; to be called once.
#[allow(unsafe_code)]
pub(crate) fn make() {
    let first = &raw const nestwise_llvm_globals;
    let end = &raw const nestwise_llvm_globals_end;
    // SAFETY: between the two lie the addresses of functions as the loader would have called them.
    for at in 0..(end as usize - first as usize) / size_of::<Initializer>() {
        unsafe { (*first.add(at))() };
    }
}
