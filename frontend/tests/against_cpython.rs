//! Checks that the front end reads every loop of Python's standard library as CPython's own parser does.
//!
//! `ast_text.py` writes the loops with the text form that CPython's `ast` gives them. `NESTWISE_LOOPS` may name a file
//! with its output for other folders.

use std::collections::HashSet;
use std::process::Command;

use nestwise_frontend::{Refusal, ScopeInfo, parse_site, surface_text};
use nestwise_ir::WithSpan;

fn records() -> String {
    if let Ok(file) = std::env::var("NESTWISE_LOOPS") {
        return std::fs::read_to_string(file).expect("NESTWISE_LOOPS names a readable file");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ast_text.py");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(&python)
        .arg(script)
        .output()
        .expect("a Python interpreter runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("the script writes UTF-8")
}

/// Whether all refusals are of constructs that the surface language has: limits of the parser, and of nestwise.
fn is_limit(refusals: &[WithSpan<Refusal>]) -> bool {
    refusals.iter().all(|r| match r.error.code() {
        "parse" | "too-deep" | "too-large" | "respelled-name" | "int-too-large" => true,
        "assign-target" => r.error.to_string().contains("changing object"),
        "expression" => r.error.to_string().contains("unusual"),
        _ => false,
    })
}

#[test]
fn loops_of_the_standard_library() {
    let records = records();
    let (mut same, mut refused, mut limits) = (0, 0, 0);
    for record in records.split_terminator('\u{1e}') {
        let fields: Vec<&str> = record.split_terminator('\u{1f}').collect();
        let [file, line, source, expected] = fields[..] else {
            panic!("a record of {fields:?}")
        };
        let line: u32 = line.parse().expect("a line number");
        let names: HashSet<String> = HashSet::new();
        let scope = ScopeInfo {
            module_level: false,
            local_names: names.clone(),
            bound_names: names,
            ..ScopeInfo::default()
        };
        match parse_site(source, line, source.starts_with([' ', '\t']), &scope) {
            Ok(site) => {
                assert_eq!(surface_text::site(&site), expected, "{file}:{line}");
                assert_eq!(site.top.span.line, line, "{file}:{line}");
                same += 1;
            }
            Err(refusals) => {
                assert!(!refusals.is_empty());
                let found: Vec<String> = refusals.iter().map(ToString::to_string).collect();
                assert!(
                    expected.is_empty() || is_limit(&refusals),
                    "{file}:{line} {found:?}"
                );
                if expected.is_empty() {
                    refused += 1;
                } else {
                    limits += 1;
                    eprintln!("{file}:{line} {found:?}");
                }
            }
        }
    }
    eprintln!("{same} equal, {refused} refused, {limits} beyond a limit");
    assert!(
        same > 100 && limits * 10 < same,
        "{same} equal, {limits} beyond a limit"
    );
}
