//! Sends registrations of destructors to `src/exit.rs`. Such an argument is only taken from the build script of the
//! package that the library is made of.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=-Wl,--wrap=__cxa_atexit");
}
