//! Gives the crate a fingerprint of the sources that decide what is planned and compiled: part of the keys of cached
//! plans and kernels, so that what another version made is never loaded.

use std::path::Path;

/// Adds the contents of the files under `path` to an FNV-1a hash of 64 bits.
fn hash(path: &Path, sum: &mut u64) {
    let mut entries: Vec<_> = std::fs::read_dir(path)
        .map(|dir| dir.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            hash(&entry, sum);
        } else {
            for byte in std::fs::read(&entry).unwrap_or_default() {
                *sum = (*sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
}

fn main() {
    let mut sum = 0xcbf2_9ce4_8422_2325;
    for folder in [
        "src",
        "../analysis/src",
        "../codegen/src",
        "../costmodel/src",
        "../frontend/src",
        "../ir/src",
    ] {
        println!("cargo:rerun-if-changed={folder}");
        hash(Path::new(folder), &mut sum);
    }
    println!("cargo:rustc-env=NESTWISE_PLAN_FINGERPRINT={sum:016x}");
}
