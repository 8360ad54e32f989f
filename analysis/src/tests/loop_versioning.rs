//! Tests of loop versioning: which conditions come before loops, and small loops with every position of their ends.

use nestwise_ir::model::nest::StmtKind;

use crate::prove;
use crate::schedule::Rewrite;
use crate::testing::{Outcome, run, with_ints};
use crate::tests::properties::{check_candidate, launch_info, rewritten};

/// The conditions before the loops of a nest, and how many guards the loops behind them have.
fn asked(body: &str) -> Vec<String> {
    let c = with_ints(body, &[9, 1, 2, 3, 0, 1, 2]);
    let mut nest = c.nest.clone();
    prove(&mut nest);
    let all = rewritten(&nest, &launch_info(&c, &nest, [1, 1]));
    let hoisted = all
        .iter()
        .find(|c| c.kind.rewrite == Rewrite::LoopVersioning);
    let mut found = vec![];
    if let Some(nest) = hoisted.and_then(|c| c.nest.as_ref()) {
        nest.walk(&mut |s| {
            if let StmtKind::If { cond, then, .. } = &s.kind {
                let text = then.iter().map(ToString::to_string).collect::<String>();
                let guards = text.matches("]!").count();
                let cond = cond
                    .to_string()
                    .replace("to<py.i128>", "")
                    .replace(":py.i128", "");
                found.push(format!("{cond}; {guards}"));
            }
        });
    }
    found
}

fn inside(range: &str, statement: &str) -> String {
    format!("for o in range(2):\n    for i in {range}:\n        {statement}")
}

#[test]
fn what_is_asked() {
    let one = asked(&inside("range(n)", "a[i + m] = 1.0"));
    assert_eq!(one.len(), 1, "{one:?}");
    assert!(one[0].ends_with("; 0"), "{one:?}");
    // An element's own subscript is looked at, not the one that it is.
    let indirect = asked(&inside("range(n)", "a[k[i]] = 1.0"));
    assert!(
        indirect.len() == 1 && indirect[0].ends_with("; 1"),
        "{indirect:?}"
    );
    // Not of a variable that the loop assigns, nor of a product of counters.
    for statement in ["s = s + 1\n        a[s] = 1.0", "a[i * i + m] = 1.0"] {
        let none = asked(&inside("range(n)", statement));
        assert!(none.is_empty(), "{statement}: {none:?}");
    }
    // Before the outer of two loops, if all can be told there.
    let two = "for o in range(2):\n    for i in range(n):\n        for j in range(i):\n            a[i + j * m] = 1.0";
    let once = asked(two);
    assert_eq!(once.len(), 1, "{once:?}");
}

/// Small loops mean the same wherever their ends lie, in the array, before it, or behind it.
#[test]
fn ends_of_small_loops() {
    let statements = [
        "a[i + m] = c[i] + 1.0",
        "a[m - i] = a[m - i] + 1.0",
        "a[i * s] = c[i * s + t] + 1.0",
        "for j in range(i, n):\n            a[i + j - m] = c[j] + 1.0",
    ];
    let ranges = [
        "range(n)",
        "range(t, n, 2)",
        "range(n - 1, t - 3, -1)",
        "range(m, n, 3)",
    ];
    let mut met = 0;
    for statement in statements {
        for range in ranges {
            for (n, m, t) in (0..16).flat_map(|n| (-4..16i64).map(move |m| (n, m, m.rem_euclid(3))))
            {
                let c = with_ints(&inside(range, statement), &[n, m, 2 - t, t, 0, 1, 2]);
                let mut nest = c.nest.clone();
                prove(&mut nest);
                let before = run(&c.nest, c.memory.clone());
                for cand in rewritten(&nest, &launch_info(&c, &nest, [1, 1])) {
                    if cand.kind.rewrite == Rewrite::LoopVersioning {
                        met += u32::from(before.outcome == Outcome::Done);
                        check_candidate(&c, &nest, &before, &cand).expect("the same");
                    }
                }
            }
        }
    }
    assert!(met > 500, "{met}");
}
