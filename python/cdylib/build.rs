//! What the link settles: registrations of destructors go to `src/exit.rs`, the making of LLVM's global objects to
//! `src/globals.rs`. Such arguments are only taken from the build script of the package that the library is made of.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=globals.ld");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/globals.ld");
    println!("cargo::rustc-link-arg-cdylib=-Wl,--wrap=__cxa_atexit");
    println!("cargo::rustc-link-arg-cdylib=-Wl,-T,{script}");
}
