//! Links the unit tests against the shared library of the interpreter that the tests run with.
//!
//! The extension module itself is linked against none: CPython that imports it is there already. Where the interpreter
//! has no shared library, tests that need one are left out (`without_interpreter`).

use std::path::Path;
use std::process::Command;

const WHERE: &str = "import os, sysconfig as s; \
    print(os.path.join(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME') or ''))";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(without_interpreter)");
    println!("cargo::rerun-if-env-changed=NESTWISE_PYTHON");
    println!("cargo::rerun-if-changed=build.rs");
    let python = std::env::var("NESTWISE_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(python).args(["-c", WHERE]).output();
    let library = output
        .ok()
        .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    match library.as_deref().map(Path::new) {
        Some(library) if library.is_file() && library.to_string_lossy().contains(".so") => {
            println!("cargo::rustc-link-arg={}", library.display());
            if let Some(folder) = library.parent() {
                println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display());
            }
        }
        _ => println!("cargo::rustc-cfg=without_interpreter"),
    }
}
