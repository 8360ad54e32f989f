//! File tests: one pass on one small input, compared with the output that is written below it.
//!
//! `tests/filetests/README.md` says what a file test looks like. [`run`] is called once for each folder there.

#![warn(missing_docs)]

mod diff;
mod file;
mod input;
mod passes;

use std::path::{Path, PathBuf};

use crate::file::FileTest;

/// Runs every file test of the folder `pass`. With `NESTWISE_BLESS` in the environment, expectations are written anew.
///
/// # Panics
/// If an output differs from its expectation, or a file is not a file test. The message shows every difference.
pub fn run(pass: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests");
    let bless = std::env::var_os("NESTWISE_BLESS").is_some();
    let mut failures = vec![];
    for path in files(&folder.join(pass)) {
        let shown = format!("tests/filetests/{pass}/{}", name(&path));
        if let Err(failure) = check(&path, pass, bless) {
            failures.push(format!("{shown}: {failure}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} file tests fail\n\n{}\n\nIf the new output is right: NESTWISE_BLESS=1 cargo test -p nestwise-filetests",
        failures.len(),
        failures.join("\n")
    );
}

fn check(path: &Path, pass: &str, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let test = FileTest::parse(&text, path.extension().is_some_and(|e| e == "py"))?;
    if test.pass() != pass {
        return Err(format!(
            "is a test of `{}` in the folder `{pass}`",
            test.pass()
        ));
    }
    let output = passes::output(&test)?;
    if pass == "codegen" {
        return diff::checked(&test.expected, &output);
    }
    let output = output.trim_end();
    if output == test.expected {
        return Ok(());
    }
    if bless {
        return std::fs::write(path, test.with_expected(output)).map_err(|e| e.to_string());
    }
    Err(format!("\n{}", diff::lines(&test.expected, output)))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "py" || e == "nest"))
        .collect();
    all.sort();
    assert!(!all.is_empty(), "no file tests in {}", folder.display());
    all
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
