//! Tests of verdicts as records, and of nests with stated sizes.

use nestwise_ir::FpMode;

use crate::explain::stated_sizes::{Stated, fix};
use crate::explain::{LoopRecord, records};
use crate::testing::nest;

const HEADER: &str = "n: int, m: int, a: f64[1], b: f64[1], c: f64[2], s: float, out s";

fn told(body: &str) -> Vec<LoopRecord> {
    records(&nest(HEADER, body), FpMode::Strict)
}

#[test]
fn words_of_verdicts() {
    let cases: &[(&str, &[&str])] = &[
        ("for i in range(n):\n    a[i] = b[i]", &["parallel"]),
        ("for i in range(1, n):\n    a[i] = a[i - 1]", &["serial"]),
        ("for i in range(n):\n    s = s + a[i]", &["reduction"]),
        (
            "for i in range(n):\n    for j in range(m):\n        a[i] = a[i] + c[i, j]",
            &["parallel", "reduction"],
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        s = s * 0.5 + c[i, j]",
            &["serial", "serial"],
        ),
    ];
    for (body, expected) in cases {
        let words: Vec<&str> = told(body).iter().map(|r| r.verdict).collect();
        assert_eq!(words, *expected, "{body}");
    }
}

#[test]
fn sums_of_floats_keep_their_order() {
    let strict = &told("for i in range(n):\n    s = s + a[i]")[0];
    assert_eq!(strict.op, Some("sum"));
    assert!(
        strict
            .because
            .as_ref()
            .is_some_and(|b| b.contains("--fp fast"))
    );
    let n = nest(HEADER, "for i in range(n):\n    s = s + a[i]");
    assert_eq!(records(&n, FpMode::Fast)[0].because, None);
    // Something else keeps this one in order: no mode would free it.
    let both = &told("for i in range(1, n):\n    s = s + a[i]\n    b[i] = b[i - 1]")[0];
    assert_eq!((both.verdict, both.op), ("serial", None));
}

#[test]
fn elements_that_values_are_combined_in() {
    let inner = |body: &str| {
        told(&format!(
            "for i in range(n):\n    for j in range(m):\n{body}"
        ))
    };
    let float = &inner("        a[i] = a[i] + c[i, j]")[1];
    assert_eq!((float.verdict, float.op), ("reduction", Some("sum")));
    assert!(float.because.as_ref().is_some_and(|b| b.contains("order")));
    assert!(
        float
            .hint
            .as_ref()
            .is_some_and(|h| h.starts_with("a temporary"))
    );
    // Each time another element: no variable could hold it.
    let many = &inner("        a[j] = a[j] * c[i, j]")[0];
    assert_eq!((many.op, many.hint.as_ref()), (Some("product"), None));
    // Somewhere else the element is read.
    let read = &inner("        a[i] = a[i] + c[i, j]\n        b[j] = a[i]")[1];
    assert_eq!((read.verdict, read.op), ("serial", None));
    let other = &inner("        a[i] = a[i - 1] + c[i, j]")[0];
    assert_eq!(other.verdict, "serial");
}

#[test]
fn pairs_have_lines_directions_and_distances() {
    let body = "for i in range(1, n):\n    for j in range(m):\n        c[i, j] = c[i - 1, j]\n";
    let all = told(body);
    let d = &all[0].dependences[0];
    assert_eq!((d.kind, d.name.as_str()), ("flow", "c"));
    assert_eq!((d.source_line, d.sink_line), (3, 3));
    assert_eq!(d.direction, ["<", "="]);
    assert_eq!(d.distance, [Some(1), Some(0)]);
    assert_eq!(all[1].verdict, "parallel");
}

#[test]
fn hints_only_where_they_help() {
    let hint = |body: &str| told(body)[0].hint.clone().unwrap_or_default();
    assert!(
        hint("for i in range(1, n):\n    a[i] = 1.0\n    b[i] = a[i - 1]").starts_with("a split")
    );
    // What flows back up cannot be split, and a copy does not help against a flow.
    assert_eq!(
        hint("for i in range(1, n):\n    b[i] = a[i - 1]\n    a[i] = b[i]"),
        ""
    );
    assert_eq!(hint("for i in range(1, n):\n    a[i] = a[i - 1]"), "");
}

#[test]
fn what_is_read_from_a_copy_is_told() {
    let all = told("for i in range(n):\n    a[i] = a[i + 1] * b[i]");
    let copied: Vec<&str> = all[0].copied_before.iter().map(String::as_str).collect();
    assert_eq!((all[0].verdict, copied), ("parallel", vec!["a"]));
    // A copy does not free the variable.
    let all = told("for i in range(n):\n    a[i] = a[i + 1]\n    s = s * 0.5 + b[i]");
    assert_eq!(all[0].verdict, "serial");
    // Nothing is copied in vain.
    let all = told("for i in range(n):\n    a[i] = b[i + 1]");
    assert!(all[0].copied_before.is_empty());
}

#[test]
fn stated_sizes_decide() {
    let body = "for i in range(n):\n    a[i + m] = a[i]\n";
    let verdict = |values: &[(&str, i64)]| {
        let mut n = nest(HEADER, body);
        let mut stated = Stated::default();
        for v in n.vars.values() {
            let value = values.iter().find(|(name, _)| *name == v.name);
            if let (Some((_, value)), Some(capture)) = (value, v.live_in) {
                stated.ints.insert(capture, *value);
            }
        }
        assert_eq!(stated.ints.len(), values.len());
        fix(&mut n, &stated);
        assert!(nestwise_ir::verifier::verify(&n).is_ok());
        records(&n, FpMode::Strict)[0].verdict
    };
    assert_eq!(verdict(&[]), "when");
    assert_eq!(verdict(&[("n", 8), ("m", 8)]), "parallel");
    assert_eq!(verdict(&[("n", 9), ("m", 8)]), "serial");
}

#[test]
fn stated_extents_decide() {
    let body = "for i in range(len(a)):\n    b[i + 8] = b[i]\n";
    let mut n = nest(HEADER, body);
    let a = n.arrays.values().find(|d| d.name == "a").map(|d| d.capture);
    let mut stated = Stated::default();
    stated.extents.insert(a.unwrap(), vec![8]);
    assert_eq!(records(&n, FpMode::Strict)[0].verdict, "serial");
    fix(&mut n, &stated);
    assert_eq!(records(&n, FpMode::Strict)[0].verdict, "parallel");
}

#[test]
fn a_variable_that_changes_keeps_its_name() {
    let mut n = nest(
        "n: int, k: int, a: f64[1]",
        "for i in range(n):\n    a[k] = 1.0\n    k = k + 1",
    );
    let captures = n.vars.values().filter_map(|v| v.live_in);
    let stated = Stated {
        ints: captures.map(|c| (c, 4)).collect(),
        ..Stated::default()
    };
    fix(&mut n, &stated);
    let text = n.to_string();
    assert!(
        text.contains("L0 for v") && text.contains("0 .. 4"),
        "{text}"
    );
    assert!(
        text.lines().any(|l| l.trim().starts_with("v1 = (v1")),
        "{text}"
    );
}

#[test]
fn variables_that_count_along() {
    let cases = [
        ("k += 2\n    a[k] = b[i]", "parallel"),
        (
            "k += 1\n    a[k] = b[i]\n    k += n\n    a[k] = 0.5",
            "parallel",
        ),
        ("k += 1\n    s = s + a[k]", "serial"),
        ("k += 2\n    a[k] = a[k - 2]", "serial"),
        ("k *= 2\n    a[k] = b[i]", "serial"),
        ("if b[i] > 0.5:\n        k += 1\n    a[k] = b[i]", "serial"),
    ];
    for (body, expected) in cases {
        let record = &told(&format!("k = 0\nfor i in range(n):\n    {body}"))[0];
        assert_eq!(record.verdict, expected, "{body}: {record:?}");
        let counts = record
            .because
            .as_ref()
            .is_some_and(|b| b.contains("`k` counts along"));
        assert_eq!(counts, expected != "serial", "{body}: {record:?}");
    }
}

#[test]
fn splits_are_told_in_the_user_s_names() {
    let hint = |body: &str| told(body)[0].hint.clone().unwrap_or_default();
    let cases = [
        (
            "for i in range(n):\n    a[i] = a[0] + b[i]",
            "the first iteration by itself",
        ),
        (
            "for i in range(1, n):\n    if i == n - 1:\n        a[i] = a[i - 1]\n    else:\n        a[i] = b[i]",
            "the last iteration by itself",
        ),
        (
            "for i in range(n):\n    a[i] = a[m] + b[i]",
            "one loop for i < m, one loop for i == m, one loop for i > m",
        ),
        (
            "for i in range(n - 1, -1, -1):\n    a[i] = a[m] + b[i]",
            "one loop for i > m, one loop for i == m, one loop for i < m",
        ),
        (
            "for i in range(n):\n    a[i] = a[n - 1 - i]",
            "one loop for 2*i <= n - 1, one loop for 2*i > n - 1",
        ),
        (
            "for i in range(1, n):\n    if i < m:\n        a[i] = a[i - 1]\n    else:\n        a[i] = b[i]",
            "one loop for i < m, one loop for i >= m in any order",
        ),
    ];
    for (body, how) in cases {
        let told = hint(body);
        assert_eq!(
            told,
            format!("a split: {how}; nestwise does so where that pays"),
            "{body}"
        );
    }
}
