//! Tests of arrays that iterations of a loop do not share: work arrays, and arrays they only accumulate into.

use nestwise_ir::FpMode;
use proptest::prelude::*;

use crate::parallelism::verdict::{Verdict, analyse};
use crate::testing::{Outcome, run, work_case};
use crate::tests::properties::{at_least, check_verdicts, resolved};
use crate::tests::verdicts::proven;

proptest! {
    #![proptest_config(at_least(4000))]

    #[test]
    fn claims_about_work_arrays_hold(bytes in prop::collection::vec(any::<u8>(), 20..120)) {
        let c = work_case(&bytes);
        nestwise_ir::verifier::verify(&c.nest).map_err(TestCaseError::fail)?;
        let before = run(&c.nest, c.memory.clone());
        prop_assert!(!matches!(before.outcome, Outcome::Violation(_)), "{:?}\n{}", before.outcome, c.text);
        let n = resolved(&c, &c.nest);
        check_verdicts(&c, &n, &before)?;
    }
}

/// The random nests have work arrays and updates, in loops around the ones that write.
#[test]
fn random_nests_have_work_arrays_and_updates() {
    let mut seed = 1u64;
    let (mut copies, mut updates, mut neither) = (0, 0, 0);
    for _ in 0..1500 {
        let mut byte = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as u8
        };
        let bytes: Vec<u8> = (0..100).map(|_| byte()).collect();
        let c = work_case(&bytes);
        let n = resolved(&c, &c.nest);
        for info in analyse(&n, FpMode::Strict).loops {
            if matches!(info.verdict, Verdict::Parallel | Verdict::Reduction(_)) {
                copies += info.private_arrays.len();
                updates += info.array_reductions.len();
            } else {
                neither += 1;
            }
        }
    }
    println!("copies {copies} updates {updates} neither {neither}");
    assert!(copies > 100 && updates > 100 && neither > 100);
}

#[test]
fn work_arrays() {
    let h = "n: int, m: int, x: float, a: f64[2], w: f64[1], v: f64[1]";
    let cases: &[(&str, &str)] = &[
        // A row at a time through a buffer.
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = a[i, j]\n    for j in range(m):\n        a[i, j] = w[j] + x",
            "CPP",
        ),
        // Neighbours in the buffer, which is one longer.
        (
            "for i in range(n):\n    for j in range(m + 1):\n        w[j] = a[i, j]\n    for j in range(m):\n        a[i, j] = w[j] + w[j + 1]",
            "CPP",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = a[i, j]\n    for j in range(m):\n        a[i, j] = w[j] + w[j + 1]",
            "DPP",
        ),
        // From the other end, and every other one.
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = a[i, j]\n    for j in range(m):\n        a[i, j] = w[m - 1 - j]",
            "CPP",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = a[i, j]\n    for j in range(0, m, 2):\n        a[i, j] = w[j]",
            "CPP",
        ),
        (
            "for i in range(n):\n    for j in range(0, m, 2):\n        w[j] = a[i, j]\n    for j in range(m):\n        a[i, j] = w[j]",
            "DPP",
        ),
        (
            "for i in range(n):\n    for j in range(0, m, 2):\n        w[j] = a[i, j]\n    for j in range(0, m, 2):\n        a[i, j] = w[j]",
            "CPP",
        ),
        // A recurrence with its start outside the inner loop; without one the first element flows in.
        (
            "for i in range(n):\n    w[0] = x\n    for j in range(1, m):\n        w[j] = w[j - 1] + a[i, j]\n    for j in range(1, m):\n        a[i, j] = w[j]",
            "CDP",
        ),
        (
            "for i in range(n):\n    for j in range(1, m):\n        w[j] = w[j - 1] + a[i, j]\n    for j in range(1, m):\n        a[i, j] = w[j]",
            "DDP",
        ),
        // The whole of it is read, the start may be all that was written.
        (
            "for i in range(n):\n    w[0] = x\n    for j in range(1, m):\n        w[j] = w[j - 1] + a[i, j]\n    a[i, 0] = w[m - 1]",
            "DD",
        ),
        // A tridiagonal solver: forwards, then backwards.
        (
            "for i in range(n):\n    w[0] = a[i, 0]\n    v[0] = x\n    for j in range(1, m):\n        w[j] = 1.0 / (2.0 + w[j - 1])\n        v[j] = (a[i, j] + v[j - 1]) * w[j]\n    if m > 0:\n        a[i, m - 1] = v[m - 1]\n    for j in range(m - 2, -1, -1):\n        a[i, j] = v[j] + w[j] * a[i, j + 1]",
            "CDD",
        ),
        // Read before it is written in the same iteration of the inner loop.
        (
            "for i in range(n):\n    for j in range(m):\n        a[i, j] = w[j]\n        w[j] = x",
            "DP",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = x\n        a[i, j] = w[j]",
            "CP",
        ),
        // Written only under a condition, or read only under the same one.
        (
            "for i in range(n):\n    if a[i, 0] > x:\n        w[0] = x\n    a[i, 1] = w[0]",
            "D",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        if j > 2:\n            w[j] = x\n    for j in range(m):\n        if j > 3:\n            a[i, j] = w[j]",
            "CPP",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        if j > 2:\n            w[j] = x\n    for j in range(m):\n        if j > 1:\n            a[i, j] = w[j]",
            "DPP",
        ),
        // Two branches that write it between them.
        (
            "for i in range(n):\n    for j in range(m):\n        if j > 2:\n            w[j] = x\n        else:\n            w[j] = a[i, j]\n    for j in range(m):\n        a[i, j] = w[j]",
            "CPP",
        ),
        // The last iteration may not be the last writer.
        (
            "for i in range(n):\n    if a[i, 0] > x:\n        w[0] = x\n        a[i, 1] = w[0]",
            "D",
        ),
        // What is written grows with the iteration, or shrinks.
        (
            "for i in range(n):\n    for j in range(i):\n        w[j] = a[i, j]\n    for j in range(i):\n        a[i, j + 1] = w[j]",
            "CPP",
        ),
        (
            "for i in range(n):\n    for j in range(i, n):\n        w[j] = a[i, j]\n    for j in range(i, n):\n        a[i, j] = w[j]",
            "DPP",
        ),
        (
            "for i in range(n - 1, -1, -1):\n    for j in range(i, n):\n        w[j] = a[i, j]\n    for j in range(i, n):\n        a[i, j] = w[j]",
            "CPP",
        ),
        // Filled by a loop that may leave early.
        (
            "for i in range(n):\n    for j in range(m):\n        if a[i, j] > x:\n            break\n        w[j] = x\n    for j in range(m):\n        a[i, j] = w[j]",
            "DXP",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = x\n        if j > 2:\n            break\n    for j in range(m):\n        a[i, j] = w[j]",
            "DXP",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        w[j] = x\n        if j > 2:\n            continue\n        v[j] = x\n    for j in range(m):\n        a[i, j] = w[j]",
            "CPP",
        ),
        // In a `while`, which outlives it.
        (
            "while n > 0:\n    for i in range(n):\n        w[0] = a[i, 0]\n        a[i, 1] = w[0]\n    n = n - 1",
            "XC",
        ),
        // Filled in each iteration of a loop between, in an earlier one of it, or in none.
        (
            "for i in range(n):\n    for k in range(m):\n        for j in range(4):\n            w[j] = x\n        a[i, k] = w[3]",
            "CCP",
        ),
        (
            "for i in range(n):\n    for k in range(m):\n        w[k] = x\n        if k > 0:\n            a[i, k] = w[k - 1]",
            "CD",
        ),
        (
            "for i in range(n):\n    for k in range(m):\n        if k > 0:\n            a[i, k] = w[k - 1]\n        w[k] = x",
            "CD",
        ),
        (
            "for i in range(n):\n    for k in range(m):\n        w[k] = x\n        a[i, k] = w[k + 1]",
            "DN",
        ),
        // A flattened work array.
        (
            "for i in range(n):\n    for j in range(4):\n        for k in range(m):\n            w[j * m + k] = x\n    for j in range(4):\n        for k in range(m):\n            a[i, k] = a[i, k] + w[j * m + k]",
            "CPPDP",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(proven(h, body), *expected, "{body}");
    }
}

#[test]
fn updated_arrays() {
    let h = "n: int, m: int, x: float, a: f64[1], b: f64[1], h: i64[1], g: i64[2], k: i64[1], s: int, out s";
    let cases: &[(&str, &str)] = &[
        ("for i in range(n):\n    h[k[i]] += 1", "H"),
        ("for i in range(n):\n    h[k[i]] = k[i] + h[k[i]]", "H"),
        ("for i in range(n):\n    h[k[i]] -= i\n    h[i] += 2", "H"),
        ("for i in range(n):\n    h[k[i]] *= 2", "H"),
        ("for i in range(n):\n    h[k[i]] = h[k[i]] | i", "H"),
        ("for i in range(n):\n    h[k[i]] = max(h[k[i]], i)", "H"),
        (
            "for i in range(n):\n    if i < h[k[i]]:\n        h[k[i]] = i",
            "H",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        g[k[i], k[j]] += 1",
            "HH",
        ),
        // The sum of what a row holds, into one bin of it.
        (
            "for i in range(n):\n    t = 0\n    for j in range(m):\n        t += k[j]\n    h[t % 8] += 1\n    s += t",
            "HR",
        ),
        // Two operations, another element, the array elsewhere, in the subscript, in the operand.
        ("for i in range(n):\n    h[k[i]] += 1\n    h[i] *= 2", "D"),
        ("for i in range(n):\n    h[k[i]] = h[i] + 1", "D"),
        ("for i in range(n):\n    h[k[i]] += 1\n    s += h[0]", "D"),
        ("for i in range(n):\n    h[h[i]] += 1", "D"),
        ("for i in range(n):\n    h[k[i]] += h[i]", "D"),
        ("for i in range(n):\n    h[k[i]] = 1 - h[k[i]]", "W"),
        ("for i in range(n):\n    h[k[i]] = h[k[i]] * 2 + 1", "W"),
        ("for i in range(n):\n    h[k[i]] = 7", "W"),
        (
            "for i in range(n):\n    if h[k[i]] < 5:\n        h[k[i]] += 1",
            "W",
        ),
        // The order of floats' sums counts.
        ("for i in range(n):\n    a[k[i]] += 1.0", "W"),
    ];
    for (body, expected) in cases {
        assert_eq!(proven(h, body), *expected, "{body}");
    }
}
