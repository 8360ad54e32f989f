//! Tests of the verdicts of whole nests.

use nestwise_ir::{FpMode, LoopId};

use crate::parallelism::verdict::{LoopInfo, Verdict, Why, analyse};
use crate::testing::nest;

/// The letter for a verdict: P parallel, R reduction, either of them on copies of arrays (C), accumulating into some
/// (H) or reading some as they were before the loop (N), W when, and of serial ones D dependence, V variable, X exit, S
/// swap.
fn letter(info: &LoopInfo) -> char {
    match &info.verdict {
        Verdict::Reduction(_) if !info.array_reductions.is_empty() => 'H',
        Verdict::Parallel | Verdict::Reduction(_) if !info.private_arrays.is_empty() => 'C',
        Verdict::Parallel | Verdict::Reduction(_) if !info.anti_dependence_copies.is_empty() => 'N',
        Verdict::Parallel => 'P',
        Verdict::Reduction(_) => 'R',
        Verdict::When(_) => 'W',
        Verdict::Serial(Why::Dependence(_)) => 'D',
        Verdict::Serial(Why::Scalar(..)) => 'V',
        Verdict::Serial(Why::Rebind(_)) => 'S',
        Verdict::Serial(Why::HostCall(_)) => 'H',
        Verdict::Serial(_) => 'X',
    }
}

/// The letters of the loops of a nest as it is written.
fn letters(header: &str, body: &str) -> String {
    let n = nest(header, body);
    let a = analyse(&n, FpMode::Strict);
    for id in n.loops.ids() {
        println!("{id}: {}", a.explain(&n, id));
    }
    a.loops.iter().map(letter).collect()
}

/// The letters of the loops of a nest with every guard cleared, as after a launch's proofs.
pub(super) fn proven(header: &str, body: &str) -> String {
    let mut n = nest(header, body);
    let mut set = crate::GuardSet::new(crate::guards::count(&n));
    crate::guards::for_each(&n, &mut |id, _, _| set.insert(id));
    n = crate::apply(&n, &set);
    let a = analyse(&n, FpMode::Strict);
    for id in n.loops.ids() {
        println!("{}", a.explain(&n, id));
    }
    a.loops.iter().map(letter).collect()
}

/// The condition of the first loop, after every guard is cleared.
fn condition(header: &str, body: &str) -> String {
    let mut n = nest(header, body);
    let mut set = crate::GuardSet::new(crate::guards::count(&n));
    crate::guards::for_each(&n, &mut |id, _, _| set.insert(id));
    n = crate::apply(&n, &set);
    let a = analyse(&n, FpMode::Strict);
    match a.verdict(LoopId(0)) {
        Some(Verdict::When(c)) => a.condition(&n, c),
        _ => a.explain(&n, LoopId(0)),
    }
}

#[test]
fn conditions() {
    let h = "n: int, m: int, k: int, w: int in 0..2000000000, x: float, a: f64[1], b: f64[2], p: i64[1]";
    let cases = [
        (
            "for i in range(n):\n    a[i + k] = a[i]",
            "k >= n or k <= 0",
        ),
        (
            "for i in range(n):\n    a[i] = a[i + k] + a[i + m]",
            "(n + m <= 0 or m >= 0) and (n + k <= 0 or k >= 0)",
        ),
        (
            "for i in range(n):\n    a[2 * i + k] = a[2 * i]",
            "k + 1 >= 2*n or k <= 1 or k % 2 != 0",
        ),
        (
            "for i in range(m, n):\n    a[i] = a[i - m]",
            "2*m >= n or m <= 0",
        ),
        (
            "for i in range(n):\n    a[k] = a[i] + x",
            "serial: an element written as `a[k]` (line 2) may be written as `a[k]` (line 2) in a later iteration of `i`",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        b[i, j] = b[i + k, j]",
            "n + k <= 0 or k >= 0",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        a[i * w + j] = x",
            "w >= m",
        ),
        (
            "for i in range(n):\n    a[p[i]] = x",
            "len(set(p)) == len(p)",
        ),
        (
            "for i in range(n):\n    a[p[i] + 1] = a[p[i] + 1] * 2.0",
            "len(set(p)) == len(p)",
        ),
        (
            "for i in range(n):\n    a[p[i]] = a[p[i] + 1]",
            "serial: an element read as `a[?]` (line 2) may be written as `a[?]` (line 2) in a later iteration of `i`",
        ),
        (
            "for i in range(n):\n    for j in range(p[i], p[i + 1]):\n        a[j] = x",
            "sorted(p) == list(p)",
        ),
        (
            "for i in range(1, n):\n    a[i] = a[i - 1]",
            "serial: an element written as `a[i]` (line 2) may be read as `a[i - 1]` (line 2) in the next iteration of `i`",
        ),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(body, expected)| condition(h, body) != *expected)
        .map(|(body, _)| format!("{body}\n{}", condition(h, body)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn memory() {
    let h1 = "n: int, m: int, a: f64[1], b: f64[1]";
    let h2 = "n: int, m: int, a: f64[2], b: f64[2], c: f64[2]";
    let cases: &[(&str, &str, &str)] = &[
        (h1, "for i in range(n):\n    a[i] = b[i] + 1.0", "P"),
        (h1, "for i in range(1, n):\n    a[i] = a[i - 1]", "D"),
        (h1, "for i in range(n):\n    a[0] = b[i]", "C"),
        (h1, "for i in range(n):\n    a[2 * i] = a[2 * i + 1]", "P"),
        (h1, "for i in range(n):\n    a[2 * i] = a[4 * i + 1]", "P"),
        (h1, "for i in range(n):\n    a[3 * i] = a[2 * i + 1]", "D"),
        // Halves: the store never reaches the upper one.
        (h1, "for i in range(n):\n    a[i] = a[i + n]", "P"),
        (h1, "for i in range(n):\n    a[i] = a[i + m]", "W"),
        (h1, "for i in range(n):\n    a[i] = a[n - 1]", "N"),
        (h1, "for i in range(n - 1):\n    a[i] = a[n - 1]", "P"),
        (h1, "for i in range(0, n, 2):\n    a[i] = a[i + 1]", "P"),
        (h1, "for i in range(0, n, 2):\n    a[i] = a[i + 2]", "N"),
        (
            h1,
            "for i in range(n - 1, 0, -1):\n    a[i] = a[i - 1]",
            "N",
        ),
        (
            h1,
            "for i in range(n):\n    for j in range(m):\n        a[i * m + j] = 1.0",
            "PP",
        ),
        (
            h1,
            "for i in range(n):\n    for j in range(m + 1):\n        a[i * m + j] = 1.0",
            "DP",
        ),
        (
            h1,
            "for i in range(n):\n    for j in range(m):\n        for k in range(8):\n            a[(i * m + j) * 8 + k] = b[k]",
            "PPP",
        ),
        // The accesses of the case before, through a variable that counts along.
        (
            h1,
            "for z in range(2):\n    p = 0\n    for i in range(n):\n        for j in range(m):\n            a[p] = 1.0\n            p += 1",
            "CVV",
        ),
        (
            h2,
            "for i in range(n):\n    for j in range(n):\n        for k in range(n):\n            c[i, j] = c[i, j] + a[i, k] * b[k, j]",
            "PPD",
        ),
        (
            h2,
            "for i in range(n):\n    for j in range(i):\n        a[i, j] = a[j, i]",
            "PP",
        ),
        (
            h2,
            "for i in range(n):\n    for j in range(i + 1):\n        a[i, j] = a[j, i]",
            "PP",
        ),
        // For one row, only the diagonal meets itself.
        (
            h2,
            "for i in range(n):\n    for j in range(n):\n        a[i, j] = a[j, i]",
            "DP",
        ),
        (
            h2,
            "for i in range(1, n):\n    for j in range(1, n):\n        a[i, j] = a[i - 1, j] + a[i, j - 1]",
            "DD",
        ),
        (
            h2,
            "for i in range(1, n):\n    for j in range(n):\n        a[i, j] = a[i - 1, j]",
            "DP",
        ),
        // In-place transposition.
        (
            h2,
            "for i in range(n):\n    for j in range(i):\n        t = a[i, j]\n        a[i, j] = a[j, i]\n        a[j, i] = t",
            "PP",
        ),
        // LU: the pivot row is above, the pivot column to the left.
        (
            h2,
            "for k in range(n):\n    for i in range(k + 1, n):\n        a[i, k] = a[i, k] / a[k, k]\n        for j in range(k + 1, n):\n            a[i, j] = a[i, j] - a[i, k] * a[k, j]",
            "DPP",
        ),
        // Jacobi with a swap.
        (
            h2,
            "for t in range(m):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            b[i, j] = a[i - 1, j] + a[i, j + 1]\n    swap a b",
            "SPP",
        ),
        // Guarded by a condition.
        (
            h1,
            "for i in range(n):\n    if i < m:\n        a[i] = a[i + m]",
            "P",
        ),
        // Odd-even: only a parity argument separates them.
        (
            h1,
            "for i in range(n):\n    k = 2 * i\n    a[k] = a[k + 1]",
            "P",
        ),
        // Indirect.
        (
            "n: int, a: f64[1], k: i64[1]",
            "for i in range(n):\n    a[k[i]] = 1.0",
            "W",
        ),
        (
            "n: int, a: f64[1], k: i64[1], b: f64[1]",
            "for i in range(n):\n    b[i] = a[k[i]]",
            "P",
        ),
        // An indirect row, then a plain column.
        (
            "n: int, a: f64[2], k: i64[1]",
            "for i in range(n):\n    r = k[i]\n    for j in range(n):\n        a[r, j] = a[r, j] + 1.0",
            "WP",
        ),
        // Blocks.
        (
            h1,
            "for i in range(0, n, 16):\n    for j in range(i, min(i + 16, n)):\n        a[j] = b[j]",
            "PP",
        ),
        (
            "n: int, s: int in 1..100, a: f64[1]",
            "for i in range(0, n, s):\n    for j in range(i, min(i + s, n)):\n        a[j] = 1.0",
            "PP",
        ),
        (h1, "for i in range(n):\n    a[(i + 1) % n] = b[i]", "D"),
        (h1, "for i in range(n):\n    b[i] = a[(i + 1) % n]", "P"),
    ];
    for (header, body, expected) in cases {
        assert_eq!(proven(header, body), *expected, "{header}\n{body}");
    }
}

#[test]
fn scalars() {
    let h = "n: int, m: int, s: int, x: float, a: f64[1], k: i64[1], out s, out x";
    let cases: &[(&str, &str)] = &[
        ("for i in range(n):\n    s = s + k[i]", "R"),
        ("for i in range(n):\n    x = x + a[i]", "V"),
        ("for i in range(n):\n    t = a[i]\n    a[i] = t * t", "P"),
        (
            "for i in range(n):\n    if a[i] > 0.0:\n        s += 1",
            "R",
        ),
        (
            "for i in range(n):\n    if a[i] < x:\n        x = a[i]",
            "R",
        ),
        ("for i in range(n):\n    x = min(x, a[i])", "R"),
        // The other order lets NaN and the later zero win.
        ("for i in range(n):\n    x = min(a[i], x)", "V"),
        ("for i in range(n):\n    s = max(k[i], s)", "R"),
        // argmin
        (
            "for i in range(n):\n    if a[i] < x:\n        x = a[i]\n        s = i",
            "R",
        ),
        // The last of equals; not with every best; read; another condition.
        (
            "for i in range(n):\n    if k[i] <= s:\n        s = k[i]\n        x = float(i)",
            "V",
        ),
        (
            "for i in range(n):\n    if k[i] < s:\n        s = k[i]\n        x = float(i)\n    if k[i] < s:\n        s = k[i]",
            "V",
        ),
        (
            "for i in range(n):\n    if a[i] < x:\n        x = a[i]\n        s = i\n    a[i] = float(s)",
            "V",
        ),
        (
            "for i in range(n):\n    if a[i] < x and i > 3:\n        x = a[i]\n        s = i",
            "V",
        ),
        // Read elsewhere.
        (
            "for i in range(n):\n    s = s + k[i]\n    a[i] = float(s)",
            "V",
        ),
        ("for i in range(n):\n    s = i", "P"),
        ("for i in range(n):\n    if a[i] > 0.0:\n        s = i", "R"),
        ("for i in range(n):\n    s = s * 2 + 1", "V"),
        ("for i in range(n):\n    s = s ^ k[i]", "R"),
        (
            "for i in range(n):\n    t = 0.0\n    for j in range(m):\n        t = t + a[j]\n    a[i] = t",
            "DV",
        ),
        ("for i in range(n):\n    if a[i] > 2.0:\n        break", "X"),
        ("while s > 0:\n    s = s - 1", "X"),
    ];
    for (body, expected) in cases {
        assert_eq!(proven(h, body), *expected, "{body}");
    }
}

#[test]
fn guards_make_it_conditional() {
    let h = "n: int, a: f64[1], b: f64[1]";
    assert_eq!(letters(h, "for i in range(n):\n    a[i] = b[i]"), "W");
    assert_eq!(letters(h, "for i in range(n):\n    a[i] = a[i - 1]"), "D");
    // Reads alone need nothing.
    assert_eq!(
        letters(
            "n: int, s: int, b: i64[1], out s",
            "for i in range(n):\n    s += b[i]"
        ),
        "R"
    );
}

#[test]
fn reasons_name_the_user_s_things() {
    let n = nest(
        "n: int, a: f64[1]",
        "for i in range(2, n):\n    a[i] = a[i - 2]",
    );
    let a = analyse(&n, FpMode::Strict);
    assert_eq!(
        a.explain(&n, LoopId(0)),
        "serial: an element written as `a[i]` (line 2) may be read as `a[i - 2]` (line 2) 2 iterations of `i` later"
    );
    let n = nest(
        "n: int, x: float, a: f64[1], out x",
        "for i in range(n):\n    x = x + a[i]",
    );
    let a = analyse(&n, FpMode::Strict);
    assert_eq!(
        a.explain(&n, LoopId(0)),
        "serial: `x` (assigned on line 2) adds up floats, whose order counts (--fp fast frees it)"
    );
}
