//! Tests of fusion: when it is legal, and that the fused loop then means the same.

use nestwise_ir::model::nest::{Nest, StmtKind};
use nestwise_ir::{FpMode, LoopId};
use proptest::prelude::*;

use crate::parallelism::legality::Given;
use crate::parallelism::verdict::{Options, analyse_with};
use crate::structure::find_for;
use crate::testing::{Case, Outcome, case, nest, run};
use crate::tests::properties::{at_least, resolved, same_arrays, same_outs};
use crate::tests::schedules::clear;
use crate::transform::{Rewritten, fuse};

const HEADER: &str =
    "n: int, m: int, s: int, x: float, a: f64[2], b: f64[1], c: f64[1], d: f64[1], out s, out x";

fn fused(n: &Nest, (first, second): (LoopId, LoopId), undo: bool) -> Option<Rewritten> {
    let analysis = analyse_with(n, Options::new(FpMode::Strict));
    let given = Given {
        nest: n,
        analysis: &analysis,
        disjoint: true,
        undo,
    };
    fuse(&given, first, second)
}

/// Whether two loops over `i`, one behind the other in a third one, may be fused.
fn may(first: &str, second: &str) -> bool {
    may_over("range(1, n)", first, "range(1, n)", second)
}

fn may_over(range: &str, first: &str, other: &str, second: &str) -> bool {
    let text = format!(
        "for t in range(m):\n    for i in {range}:\n        {first}\n    for j in {other}:\n        {second}"
    );
    let n = clear(&nest(HEADER, &text));
    let made = fused(&n, (LoopId(1), LoopId(2)), true);
    // What is said of a nest of two loops must be so of its text.
    assert!(made.as_ref().is_none_or(|m| m.nest.loops.len() == 2));
    made.is_some()
}

#[test]
fn fusion() {
    assert!(may("b[i] = c[i]", "d[j] = b[j]"));
    // What an earlier iteration of the first loop wrote is there in the one loop too.
    assert!(may("b[i] = c[i]", "d[j] = b[j - 1]"));
    // What a later one is going to write is not, and what is read must not be overwritten before.
    assert!(!may("b[i] = c[i]", "d[j] = b[j + 1]"));
    assert!(!may("d[i] = b[i - 1]", "b[j] = c[j]"));
    assert!(may("d[i] = b[i + 1]", "b[j] = c[j]"));
    assert!(!may("b[i] = c[i]", "b[n - j] = d[j]"));
    // Elements of other rows, and of one that both write.
    assert!(may(
        "a[t, i] = c[i]",
        "a[t + 1, i] = a[t, j]".replace('i', "j").as_str()
    ));
    assert!(!may("a[t, 0] = c[i]", "d[j] = a[t, 0]"));
    // Other iterations.
    let copy = ("b[i] = c[i]", "d[j] = b[j]");
    assert!(!may_over("range(1, n)", copy.0, "range(n)", copy.1));
    assert!(!may_over(
        "range(1, n)",
        copy.0,
        "range(n - 1, 0, -1)",
        copy.1
    ));
    assert!(may_over(
        "range(n - 1, 0, -1)",
        copy.0,
        "range(n - 1, 0, -1)",
        copy.1
    ));
    // The other way round, the next iteration is the one before.
    let down = "range(n - 1, 0, -1)";
    assert!(may_over(down, "b[i] = c[i]", down, "d[j] = b[j + 1]"));
    assert!(!may_over(down, "b[i] = c[i]", down, "d[j] = b[j - 1]"));
    // Variables: of one of them alone, private to both, or passed on.
    assert!(may("s = s + 1", "b[j] = c[j]"));
    assert!(!may("s = s + 1", "b[s] = c[j]"));
    assert!(!may("b[i] = x", "x = c[j]"));
    assert!(may(
        "x = c[i]\n        b[i] = x * x",
        "x = d[j]\n        c[j] = x * x"
    ));
    // Jumps.
    assert!(!may("b[i] = c[i]", "if c[j] > 0.0:\n            break"));
}

/// The pairs of neighbouring loops of a nest.
fn neighbours(n: &Nest) -> Vec<(LoopId, LoopId)> {
    let mut out = vec![];
    n.walk(&mut |s| {
        for block in s.blocks() {
            for pair in block.windows(2) {
                if let (StmtKind::For(l), StmtKind::For(m)) = (&pair[0].kind, &pair[1].kind) {
                    out.push((l.id, m.id));
                }
            }
        }
    });
    out
}

/// Checks that two loops leave the same results when they are legally fused; true if there are such loops.
fn fusions_hold(c: &Case) -> Result<bool, TestCaseError> {
    let n = resolved(c, &c.nest);
    let before = run(&n, c.memory.clone());
    let mut some = false;
    for pair in neighbours(&n) {
        let Some(made) = fused(&n, pair, true) else {
            continue;
        };
        some = true;
        prop_assert!(find_for(&made.nest, pair.0).is_some());
        if before.outcome != Outcome::Done {
            continue;
        }
        let after = run(&made.nest, c.memory.clone());
        prop_assert_eq!(&after.outcome, &before.outcome, "{}", &c.text);
        prop_assert!(
            same_arrays(&before.memory, &after.memory)
                && same_outs(&n, &before.memory, &after.memory),
            "{:?} made into one changed a result\n{}",
            pair,
            c.text
        );
    }
    Ok(some)
}

/// A case with two loops, one behind the other.
fn beside(bytes: &[u8]) -> Case {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    crate::testing::beside(first, second)
}

proptest! {
    #![proptest_config(at_least(1000))]

    #[test]
    fn fused_loops_mean_the_same(bytes in prop::collection::vec(any::<u8>(), 20..120)) {
        fusions_hold(&case(&bytes))?;
        fusions_hold(&beside(&bytes))?;
    }
}

/// Some random loops may be fused, and some may not.
#[test]
fn random_loops_are_fused() {
    let mut seed = 5u64;
    let (mut yes, mut no) = (0, 0);
    for _ in 0..300 {
        let c = beside(&crate::tests::properties::some_bytes(&mut seed, 60));
        match fusions_hold(&c) {
            Ok(true) => yes += 1,
            Ok(false) => no += 1,
            Err(e) => panic!("{e}"),
        }
    }
    assert!(yes > 30 && no > 30, "{yes} {no}");
}
