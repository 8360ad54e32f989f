//! The cases of `cases.txt`: captures and source, and the text form of the typed nest or the refusal; those of
//! `work.txt` have what CPython does in the nest instead.
//!
//! `NESTWISE_BLESS=1` writes the file anew with what the specialiser says now.

use nestwise_ir::testing::assert_round_trip;
use nestwise_ir::{ArrayKind, Nest, Scalar, Ty};

use crate::lowering::tests::{Is, spec};

fn scalar(word: &str) -> Scalar {
    Scalar::ALL
        .into_iter()
        .find(|s| s.to_string() == word)
        .unwrap_or_else(|| panic!("no type {word}"))
}

/// `py.i64`, `py.i64 0 9`, `ndarray f64 2`, `object`, `other str`.
fn is(text: &str) -> Is {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ty = |word: &str| match word.split_once('.').expect("a type") {
        ("py", s) => Ty::py(scalar(s)),
        (_, s) => Ty::np(scalar(s)),
    };
    let array = |kind, s: &str, rank: &str, py: bool| {
        let storage = scalar(s);
        let elem = if py { Ty::py(storage) } else { Ty::np(storage) };
        Is::Array(kind, storage, elem, rank.parse().expect("a rank"))
    };
    match words.as_slice() {
        ["object"] => Is::Object,
        ["append"] => Is::Append,
        ["other", name] => Is::Other(Box::leak(name.to_string().into_boxed_str())),
        ["ndarray", s, rank] => array(ArrayKind::Ndarray, s, rank, false),
        ["list", s, rank] => array(ArrayKind::List, s, rank, true),
        ["tuple", s, rank] => array(ArrayKind::Tuple, s, rank, true),
        ["str"] => Is::Array(ArrayKind::Str, Scalar::Char, Ty::CHAR, 1),
        [name] => Is::Scalar(ty(name)),
        [name, lo, hi] => Is::Ranged(
            ty(name),
            lo.parse().expect("a bound"),
            hi.parse().expect("a bound"),
        ),
        _ => panic!("{text}"),
    }
}

fn result(head: &str, functions: &[&str], source: &str, told: Told) -> String {
    let mut names: Vec<(&str, Is)> = head
        .split(';')
        .filter(|part| !part.trim().is_empty())
        .map(|part| part.split_once(':').expect("name: type"))
        .map(|(name, text)| (name.trim(), is(text)))
        .collect();
    for function in functions {
        let name = function
            .trim_start_matches("def ")
            .split('(')
            .next()
            .expect("a name");
        names.push((
            name,
            Is::Fun(Box::leak(function.to_string().into_boxed_str())),
        ));
    }
    match spec(source, &names) {
        Ok(nest) => told(&nest),
        Err(e) => format!("refused {}: {e}\n", e.error.code()),
    }
}

/// What a case says of a typed nest.
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
        let mut lines = given.lines();
        let title = lines.next().expect("a title");
        let head = lines.next().expect("captures");
        let rest: Vec<&str> = lines.collect();
        // Functions first, each up to the next line without indentation.
        let mut functions: Vec<String> = Vec::new();
        let mut source = String::new();
        let mut in_function = false;
        for line in rest {
            if line.starts_with("def ") {
                functions.push(String::new());
                in_function = true;
            } else if !line.starts_with(' ') {
                in_function = false;
            }
            let to = if in_function {
                functions.last_mut().expect("a function")
            } else {
                &mut source
            };
            to.push_str(line);
            to.push('\n');
        }
        let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
        let actual = result(head, &functions, &source, told);
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
