//! Gives the crate a fingerprint of its own sources: part of the key of cached object files, so that a kernel made by
//! another version of the code generator is never loaded.

use std::path::Path;

/// Adds the contents of the files under `path`, in the order of their names, to an FNV-1a hash of 64 bits.
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
    println!("cargo:rerun-if-changed=src");
    let mut sum = 0xcbf2_9ce4_8422_2325;
    hash(Path::new("src"), &mut sum);
    println!("cargo:rustc-env=NESTWISE_CODEGEN_FINGERPRINT={sum:016x}");
}
