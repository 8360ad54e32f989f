//! Tests of index-set splitting: on textbook loops, and exhaustively on small ones.

use crate::schedule::Rewrite;
use crate::structure::find_for;
use crate::testing::{Outcome, run, with_ints};
use crate::tests::legality::ask;
use crate::tests::properties::{check_candidate, launch_info, resolved, rewritten};
use crate::transform::index_set_splitting::cut::Part;
use crate::transform::index_set_splitting::cut::Split;
use crate::values::forms::NestNames;

/// The parts of the innermost loop, `|` behind those that may run in any order.
fn parts(body: &str) -> String {
    ask(body, |g| {
        let id = g.nest.loops.ids().last().expect("a loop");
        let Some(Split { cut, parts }) =
            g.may_split_index_set(find_for(g.nest, id).expect("a for"))
        else {
            return String::new();
        };
        let forms = &g.analysis.forms;
        let at = cut.at.show(&NestNames {
            nest: g.nest,
            forms,
        });
        let left = match cut.divisor {
            1 => "i".to_string(),
            n => format!("{n}i"),
        };
        let one = |p: &crate::transform::index_set_splitting::cut::Piece| {
            let op = match p.part {
                Part::Below => "<",
                Part::UpTo => "<=",
                Part::At => "==",
                Part::From => ">=",
                Part::Above => ">",
            };
            format!("{left} {op} {at}{}", if p.free { "|" } else { "" })
        };
        parts.iter().map(one).collect::<Vec<_>>().join(", ")
    })
}

fn over(range: &str, statement: &str) -> String {
    format!("for i in {range}:\n    {statement}")
}

#[test]
fn loops_are_cut_where_all_dependences_meet() {
    let cases = [
        // Weak-zero.
        ("b[i] = b[m] + c[i]", "i < m|, i == m, i > m|"),
        (
            "b[i] = b[m + 2] + c[i]",
            "i < m + 2|, i == m + 2, i > m + 2|",
        ),
        ("b[i] = b[0] + c[i]", "i <= 0, i > 0|"),
        ("b[i] = b[n - 1] + c[i]", "i < n - 1|, i >= n - 1"),
        ("b[2 * i] = b[m] + c[i]", "2i < m|, 2i == m, 2i > m|"),
        // Weak-crossing.
        ("b[i] = b[n - 1 - i] + c[i]", "2i <= n - 1|, 2i > n - 1|"),
        ("b[i] = b[m - i] + c[i]", "2i <= m|, 2i > m|"),
        ("b[i] = b[6 - i] + c[i]", "i <= 3, i > 3|"),
        // On one side of a condition.
        (
            "if i < m:\n        b[i] = b[i - 1]\n    else:\n        b[i] = c[i]",
            "i < m, i >= m|",
        ),
        (
            "if i >= m:\n        b[i] = b[i - 1]\n    else:\n        b[i] = c[i]",
            "i < m|, i >= m",
        ),
        (
            "if i == m:\n        x = c[i]\n    b[i] = x",
            "i < m|, i == m, i > m|",
        ),
        (
            "b[i] = x + c[i]\n    if i == m:\n        x = b[i]",
            "i < m|, i == m, i > m|",
        ),
        // Nothing meets, or everywhere.
        ("b[i] = c[i]", ""),
        ("b[i] = b[i - 1] + b[m]", ""),
        ("b[i] = b[k[m]] + c[i]", ""),
        // Where it is cut, the loop itself tells.
        ("s = s + 1\n    b[i] = b[s] * 0.5 + b[0]", ""),
    ];
    let mut wrong = vec![];
    for (statement, expected) in cases {
        let found = parts(&over("range(n)", statement));
        if found != expected {
            wrong.push(format!("{statement}\n    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_ranges() {
    let weak = "b[i] = b[m] + c[i]";
    assert_eq!(
        parts(&over("range(n, 0, -1)", weak)),
        "i < m|, i == m, i > m|"
    );
    assert_eq!(parts(&over("range(m, n)", weak)), "i <= m, i > m|");
    // Other steps are left alone, and so are loops that may be left early.
    assert_eq!(parts(&over("range(0, n, 2)", weak)), "");
    let left = format!("{weak}\n    if c[i] > 1.0:\n        break");
    assert_eq!(parts(&over("range(n)", &left)), "");
    // A counter around tells the place; a variable that the loop around changes does not.
    let inside = |statement: &str| {
        format!("for o in range(m):\n    s = s * 2\n    for i in range(n):\n        {statement}")
    };
    assert_eq!(
        parts(&inside("b[i] = b[o] + c[i]")),
        "i < o|, i == o, i > o|"
    );
    assert_eq!(parts(&inside("b[i] = b[s] + c[i]")), "");
}

/// For every small range, and cuts at every place in it, before it and behind it: the parts leave what the loop leaves,
/// whatever their order, and no two iterations of one part touch the same element.
#[test]
fn parts_of_small_loops() {
    let bodies = [
        "u = i\n    a[i] = a[m] + c[i]",
        "u = i\n    a[i] = a[m - i] + c[i] if i <= m else 1.0",
        "u = i\n    if i < m:\n        a[i] = a[i - 1] + 1.0 if i > 0 else 0.0\n    else:\n        a[i] = c[i]",
        "u = i\n    if i == m:\n        x = c[i]\n    a[i] = x",
        "for j in range(n):\n        b[i, j] = b[m, j] + b[i, m]",
    ];
    let mut met = 0;
    for body in bodies {
        for range in ["range(n)", "range(t, n)", "range(n - 1, t - 1, -1)"] {
            for (n, m, t) in (0..9).flat_map(|n| (0..11).map(move |m| (n, m, m % 3))) {
                let c = with_ints(&over(range, body), &[n, m, 0, t, 0, 1, 2]);
                let nest = resolved(&c, &c.nest);
                let before = run(&c.nest, c.memory.clone());
                assert_eq!(before.outcome, Outcome::Done);
                for cand in rewritten(&nest, &launch_info(&c, &nest, [1, 1])) {
                    if cand.kind.rewrite == Rewrite::IndexSetSplitting {
                        met += u32::from(!cand.schedule.threads.is_empty());
                        check_candidate(&c, &nest, &before, &cand).expect("the same");
                    }
                }
            }
        }
    }
    assert!(met > 500, "{met}");
}
