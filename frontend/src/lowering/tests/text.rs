//! Runs the cases of `cases.txt`: captures and source, and the text form of the typed nest or the refusal. The cases of
//! `work.txt` have the work of CPython in the nest instead.
//!
//! `NESTWISE_BLESS=1` writes the file anew with what the specialiser says now.

use nestwise_ir::Nest;
use nestwise_ir::testing::assert_round_trip;

use crate::lowering::tests::{Script, options};

fn result(head: &str, source: &str, told: Told) -> String {
    match Script::new(head, source).nest(options()) {
        Ok(nest) => told(&nest),
        Err(e) => format!("refused {}: {e}\n", e.error.code()),
    }
}

/// The text that a case expects of a typed nest.
type Told = fn(&Nest) -> String;

#[test]
fn cases() {
    check("cases.txt", 40, |nest| {
        assert_round_trip(nest);
        nest.to_string()
    });
}

#[test]
fn work() {
    check("work.txt", 12, |nest| nest.work.to_string());
}

fn check(file: &str, least: usize, told: Told) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lowering/tests/");
    let path = folder.to_string() + file;
    let text = std::fs::read_to_string(&path).expect("the file of cases");
    let mut blessed = String::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in text.split("=== ").skip(1) {
        let (given, expected) = case.split_once("---\n").expect("a line of dashes");
        let mut lines = given.splitn(3, '\n');
        let mut line = || lines.next().unwrap_or_default();
        let (title, head, source) = (line(), line(), line());
        let actual = result(head, source, told);
        if actual.trim() != expected.trim() {
            wrong.push(format!("{title}\n{actual}"));
        }
        count += 1;
        blessed.push_str(&format!("=== {given}---\n{actual}\n"));
    }
    if std::env::var("NESTWISE_BLESS").is_ok() {
        std::fs::write(path, blessed.trim_end().to_string() + "\n").expect("written");
        return;
    }
    assert!(count > least, "{count} cases");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
