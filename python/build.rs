//! See `rust/exit.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--wrap=__cxa_atexit");
}
