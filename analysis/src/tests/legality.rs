//! Tests of each question about legality, on textbook loops: where the answer is yes, and where it is no.

use nestwise_ir::{FpMode, IdSet, LoopId};

use crate::parallelism::legality::Given;
use crate::parallelism::verdict::{Options, analyse_with};
use crate::structure::find_for;
use crate::testing::nest;
use crate::tests::schedules::clear;
use crate::transform::distribution::Group;

const HEADER: &str = "n: int, m: int, s: int, x: float, a: f64[2], b: f64[1], c: f64[1], d: f64[1], \
    k: i64[1], out s, out x";

/// The answer for a nest whose guards are all proven and whose loops all run.
pub(super) fn ask<T>(body: &str, question: impl Fn(&Given<'_>) -> T) -> T {
    ask_with(body, true, question)
}

fn ask_with<T>(body: &str, undo: bool, question: impl Fn(&Given<'_>) -> T) -> T {
    let n = nest(HEADER, body);
    let n = if undo { clear(&n) } else { n };
    let options = Options {
        nonempty: IdSet::all(),
        ..Options::new(FpMode::Strict)
    };
    question(&Given {
        nest: &n,
        analysis: &analyse_with(&n, options),
        disjoint: true,
        undo,
    })
}

const BAND: [LoopId; 2] = [LoopId(0), LoopId(1)];

/// The text of `for i: for j: statement`.
fn pair(statement: &str) -> String {
    format!("for i in range(1, n):\n    for j in range(1, m):\n        {statement}")
}

#[test]
fn interchange() {
    let may = |body: &str| ask(body, |g| g.may_interchange(&BAND, &[1, 0]));
    assert!(may(&pair("a[i, j] = a[i, j] * 2.0")));
    assert!(may(&pair("a[i, j] = a[i - 1, j] + a[i, j - 1]")));
    assert!(may(&pair("a[i, j] = a[i - 1, j - 1]")));
    // (<, >) would become (>, <).
    assert!(!may(&pair("a[i, j] = a[i - 1, j + 1]")));
    assert!(!may(&pair("a[i, j] = a[i + 1, j - 1]")));
    // Sums of floats keep their order, those of ints need not; the last iteration stays the last.
    assert!(!may(&pair("x = x + a[i, j]")));
    assert!(may(&pair("s = s + k[j]")));
    assert!(may(&pair("x = a[i, j]")));
    assert!(!may(&pair("if a[i, j] > 0.0:\n            x = a[i, j]")));
    // Triangles, jumps, and statements between the loops.
    let triangle = pair("a[i, j] = 0.0").replace("range(1, m)", "range(i)");
    assert!(!may(&triangle));
    assert!(!may(&pair("if a[i, j] > 0.0:\n            break")));
    let between =
        "for i in range(n):\n    b[i] = 0.0\n    for j in range(m):\n        a[i, j] = 0.0";
    assert!(!may(between));
}

#[test]
fn interchange_of_three() {
    let body = "for i in range(1, n):\n    for j in range(1, n):\n        for h in range(1, n):\n            a[i, j] = a[i - 1, j + 1] + b[h]";
    let band = [LoopId(0), LoopId(1), LoopId(2)];
    let may = |order: &[usize]| ask(body, |g| g.may_interchange(&band, order));
    // (<, >, *) and (=, =, <).
    assert!(may(&[0, 1, 2]) && may(&[0, 2, 1]));
    assert!(!may(&[1, 0, 2]) && !may(&[1, 2, 0]) && !may(&[2, 1, 0]));
}

#[test]
fn guards_need_undo() {
    let may = |undo: bool| {
        let body = pair("a[i, j] = a[i, j] * 2.0");
        ask_with(&body, undo, |g| g.may_reorder(&BAND))
    };
    assert!(may(true));
    assert!(!may(false));
}

#[test]
fn tiles() {
    let may = |statement: &str| ask(&pair(statement), |g| g.may_tile(&BAND));
    assert!(may("a[i, j] = a[i - 1, j] + a[i, j - 1]"));
    assert!(may("a[i, j] = a[i + 1, j] + a[i, j + 1]"));
    assert!(!may("a[i, j] = a[i - 1, j + 1]"));
    assert!(!may("b[j] = b[j - 1] + 1.0"));
}

#[test]
fn skewing() {
    let factor = |statement: &str| ask(&pair(statement), |g| g.may_skew(BAND));
    // Gauss and Seidel's sweep, with five points and with nine.
    let five = "a[i, j] = a[i - 1, j] + a[i, j - 1] + a[i + 1, j] + a[i, j + 1]";
    assert_eq!(factor(five), Some(0));
    assert_eq!(factor(&format!("{five} + a[i - 1, j + 1]")), Some(1));
    assert_eq!(factor("a[i, j] = a[i - 1, j + 3]"), Some(3));
    assert_eq!(factor("a[i, j] = a[i - 1, j + 4]"), None);
    assert_eq!(factor("a[i, j] = a[i - 2, j + 4]"), Some(2));
    // The distance is any.
    assert_eq!(factor("a[i, j] = a[i - 1, 5]"), None);
    // Time steps over one row.
    assert_eq!(factor("b[j] = b[j - 1] + b[j + 1]"), Some(1));
}

/// The statements of each loop that distribution makes, with `|` behind parallel ones.
fn groups(body: &str) -> Option<String> {
    ask(body, |g| {
        let text = |group: &Group| {
            let places: Vec<String> = group.statements.iter().map(usize::to_string).collect();
            places.join("") + if group.parallel { "|" } else { "" }
        };
        let groups = g.may_distribute(find_for(g.nest, LoopId(0))?)?;
        Some(groups.iter().map(text).collect::<Vec<_>>().join(" "))
    })
}

#[test]
fn distribution() {
    let of = |statements: &str| {
        let body = statements.replace("; ", "\n    ");
        groups(&format!("for i in range(1, n):\n    {body}"))
    };
    let recurrence = "b[i] = b[i - 1] + 1.0";
    assert_eq!(
        of(&format!("{recurrence}; c[i] = b[i]")).as_deref(),
        Some("0 1|")
    );
    // What is read from the iteration before has to be there.
    assert_eq!(of("c[i] = b[i - 1]; b[i] = d[i]").as_deref(), Some("1| 0|"));
    assert_eq!(of("c[i] = b[i + 1]; b[i] = d[i]").as_deref(), Some("0| 1|"));
    // A circle, through memory and through a variable.
    assert_eq!(of("c[i] = b[i - 1]; b[i] = c[i]"), None);
    assert_eq!(of("x = x + d[i]; b[i] = b[i - 1] + x; c[i] = x"), None);
    // A cheap value is computed in each loop; what it is computed from may have changed by then, though.
    assert_eq!(
        of("t = d[i] * 2.0; b[i] = b[i - 1] + t; c[i] = t").as_deref(),
        Some("01 02|")
    );
    assert_eq!(
        of("x = d[i]; b[i] = b[i - 1] + x; c[i] = x").as_deref(),
        Some("01 02|")
    );
    assert_eq!(
        of("t = d[i]; u = t + 1.0; b[i] = b[i - 1] + t; c[i] = u").as_deref(),
        Some("02 013|")
    );
    assert_eq!(
        of("t = b[i - 1]; b[i] = t + 1.0; c[i] = t").as_deref(),
        Some("01 02|")
    );
    assert_eq!(
        of("t = b[i + 1]; b[i] = b[i - 1] + t; c[i] = t").as_deref(),
        Some("02| 01")
    );
    let circle = "t = b[i + 1]; b[i] = b[i - 1] + t; c[i] = t * b[i - 1]";
    assert_eq!(of(circle), None);
    assert_eq!(
        of("t = b[i + 1]; b[i] = b[i - 1] * 2.0; c[i] = t").as_deref(),
        Some("02| 1")
    );
    assert_eq!(of("t = 1.0 / d[i]; b[i] = b[i - 1] + t; c[i] = t"), None);
    // Neighbours of one kind share a loop; what touches no array goes along.
    let four = format!("s = i; {recurrence}; c[i] = 1.0; d[i] = c[i]");
    assert_eq!(of(&four).as_deref(), Some("01 23|"));
    // All parallel: one loop as it is. Left early: no more loops.
    assert_eq!(of("b[i] = 1.0; c[i] = b[i]"), None);
    let jump = format!("{recurrence}; if c[i] > 0.0:\n        break\n    d[i] = 1.0");
    assert_eq!(of(&jump), None);
}

#[test]
fn iterations_in_lockstep() {
    let may = |lines: &[&str]| {
        let body = format!("for i in range(1, n):\n    {}", lines.join("\n    "));
        ask(&body, |g| {
            g.may_run_in_lockstep(find_for(g.nest, LoopId(0)).expect("a loop"))
        })
    };
    assert!(may(&["b[i] = b[i] * 2.0"]));
    // A load before the store of a later iteration; a store before the load of a later one.
    assert!(may(&["b[i] = b[i + 1] * 2.0"]));
    assert!(may(&["c[i] = b[i]", "d[i] = c[i - 1]"]));
    // Dependences of the same kinds that go backwards in the text.
    assert!(!may(&["b[i] = b[i - 1] * 2.0"]));
    assert!(!may(&["b[i] = x", "c[i] = b[i + 1]"]));
    assert!(!may(&["d[i] = c[i - 1]", "c[i] = b[i]"]));
    // One element in every iteration.
    assert!(!may(&["b[0] = c[i]"]));
    assert!(!may(&["b[k[i]] = c[i]"]));
    // A variable that passes from one iteration to the next; jumps, loops.
    assert!(!may(&["x = x + b[i]"]));
    assert!(!may(&["if b[i] > x:", "    break", "b[i] = b[i + 1]"]));
    assert!(!may(&["for j in range(m):", "    a[i, j] = 0.0"]));
}
