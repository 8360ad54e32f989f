//! Tests of what is proven before launch and at launch.

use nestwise_ir::{LoopId, Nest};

use crate::guards::{GuardSet, count, count_set};
use crate::testing::nest;
use crate::{BoundsPlan, LaunchValues, prove};

/// The number of guards left after the static pass.
fn left(header: &str, body: &str) -> usize {
    let mut n = nest(header, body);
    prove(&mut n);
    shown(&n);
    count_set(&n)
}

/// Prints the guards left, for the output of a failing test.
fn shown(n: &Nest) {
    crate::guards::for_each(n, &mut |id, site, flag| {
        if flag && let crate::guards::Site::Expr(e) = site {
            println!("{id:?} line {}: {:?}", e.span.line, e.kind);
        } else if flag {
            println!("{id:?} store or check");
        }
    });
}

#[test]
fn static_proofs() {
    let cases: &[(&str, &str, usize)] = &[
        ("a: f64[1]", "for i in range(len(a)):\n    a[i] = 1.0", 0),
        (
            "a: f64[1]",
            "for i in range(1, len(a) - 1):\n    a[i] = a[i-1] + a[i+1]",
            0,
        ),
        (
            "a: f64[2]",
            "for i in range(len(a)):\n    for j in range(i, shape(a, 1)):\n        a[i, j] = 1.0",
            0,
        ),
        // The other axis: nothing is known.
        (
            "a: f64[2]",
            "for i in range(len(a)):\n    for j in range(i):\n        a[j, i] = 1.0",
            1,
        ),
        ("a: f64[1], n: int", "for i in range(n):\n    a[i] = 1.0", 1),
        (
            "a: f64[1]",
            "for i in range(len(a)):\n    a[i - 1] = 1.0",
            1,
        ),
        (
            "a: f64[1]",
            "for i in range(len(a)):\n    if i > 0:\n        a[i - 1] = 1.0",
            0,
        ),
        (
            "a: f64[1]",
            "for i in range(len(a) - 1, -1, -1):\n    a[i] = 1.0",
            0,
        ),
        (
            "a: f64[1]",
            "for i in range(len(a)):\n    if i == 0:\n        continue\n    a[i] = a[i] / i",
            0,
        ),
        // Two unknown indices, nothing else.
        (
            "a: f64[1], k: i64[1]",
            "for i in range(len(k)):\n    a[k[i]] = 1.0",
            1,
        ),
        // min and max of bounds.
        (
            "a: f64[1], m: int",
            "for i in range(max(0, m), min(len(a), m)):\n    a[i] = 1.0",
            0,
        ),
        ("n: int, x: float", "for i in range(n):\n    x = x / 2.0", 0),
        (
            "n: int, x: float, y: float",
            "for i in range(n):\n    x = x / y",
            1,
        ),
        (
            "n: int, x: float, y: float",
            "for i in range(n):\n    if y != 0.0:\n        x = x / y",
            0,
        ),
        (
            "n: int, x: float, y: float",
            "for i in range(n):\n    x = x / sqrt(y * y + 1.0)",
            0,
        ),
        (
            "n: int in 0..1000",
            "for i in range(n):\n    x = i * i + 7",
            0,
        ),
        ("n: int", "for i in range(n):\n    x = i * i", 1),
        // A linear congruential generator stays below its modulus.
        (
            "n: int, s: int in 0..1000",
            "for i in range(n):\n    s = wide((s * 1103515245 + 12345) % 2147483648)",
            0,
        ),
        // gcd: the divisor is what the loop tests.
        (
            "a: int in 0..1000, b: int in 0..1000",
            "while b != 0:\n    t = a % b\n    a = b\n    b = t",
            0,
        ),
        // A counter that the body keeps itself.
        (
            "a: f64[1]",
            "for i in range(len(a)):\n    k = i\n    j = k\n    a[j] = 1.0",
            0,
        ),
        // Binary search bounds are not affine.
        (
            "k: int, n: int in 0..1000",
            "for i in range(n):\n    m = (i + n) // 2",
            0,
        ),
        ("k: int", "for i in range(10):\n    x = 100 // k", 1),
        (
            "k: int",
            "for i in range(10):\n    if k > 0:\n        x = 100 // k",
            0,
        ),
    ];
    for (header, body, expected) in cases {
        assert_eq!(left(header, body), *expected, "{header}\n{body}");
    }
}

#[test]
fn induction_variables_are_affine() {
    let body = "for z in range(1):\n    k = 0\n    for i in range(len(a)):\n        a[k] = 1.0\n        k += 1";
    // The sum k + 1 is left to launch only if it could overflow: it cannot.
    assert_eq!(left("a: f64[1]", body), 0);
    let compact = "for z in range(1):\n    k = 0\n    for i in range(len(a)):\n        if a[i] > 0.0:\n            a[k] = a[i]\n            k += 1";
    assert_eq!(left("a: f64[1]", compact), 0);
}

fn values(n: &Nest, vars: &[(&str, i64)], dims: &[(&str, &[i64])]) -> LaunchValues {
    let mut v = LaunchValues::unknown(n);
    for (id, d) in n.vars.iter() {
        if d.live_in.is_some() {
            v.vars[id.index()] = vars.iter().find(|x| x.0 == d.name).map(|x| x.1);
        }
    }
    for (id, d) in n.arrays.iter() {
        let found = dims
            .iter()
            .find(|x| x.0 == d.name)
            .expect("extents of every array");
        v.dims[id.index()][..found.1.len()].copy_from_slice(found.1);
    }
    v
}

/// The number of guards left after launch values are known.
fn unresolved(header: &str, body: &str, vars: &[(&str, i64)], dims: &[(&str, &[i64])]) -> usize {
    let n = nest(header, body);
    let plan = BoundsPlan::new(&n);
    let mut set = GuardSet::new(plan.guards());
    assert_eq!(plan.guards(), count(&n));
    plan.resolve(&values(&n, vars, dims), &mut set);
    let n = crate::apply(&n, &set);
    shown(&n);
    count_set(&n)
}

/// A variable that only ever has a counter's value, or its value from before the loop, stays where both are.
#[test]
fn positions_that_loops_keep() {
    let h = "n: int, t: int, a: f64[1], out t";
    let best = |range: &str, then: &str, t: i64, len: i64| {
        let body = format!("for i in range({range}):\n    if a[i] > a[t]:\n        t = {then}");
        unresolved(h, &body, &[("n", 10), ("t", t)], &[("a", &[len])])
    };
    assert_eq!(best("n", "i", 3, 10), 0);
    assert_eq!(best("n - 1, -1, -1", "i", 3, 10), 0);
    assert_eq!(best("1, n", "i - 1", 3, 10), 0);
    assert!(best("n", "i", 10, 10) > 0);
    assert!(best("n", "i", 3, 9) > 0);
    assert!(best("n", "i + 1", 3, 10) > 0);
    assert!(best("n", "t + i", 3, 10) > 0);
}

#[test]
fn launch_proofs() {
    let jacobi = "for t in range(m):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            b[i, j] = (a[i-1, j] + a[i+1, j] + a[i, j-1] + a[i, j+1]) * 0.25\n    swap a b";
    let h = "n: int, m: int, a: f64[2], b: f64[2]";
    let v = &[("n", 10), ("m", 3)][..];
    assert_eq!(
        unresolved(h, jacobi, v, &[("a", &[10, 10]), ("b", &[10, 10])]),
        0
    );
    // Slots trade places: the smaller one decides.
    assert!(unresolved(h, jacobi, v, &[("a", &[10, 10]), ("b", &[10, 9])]) > 0);
    assert!(
        unresolved(
            h,
            jacobi,
            &[("n", 11), ("m", 3)],
            &[("a", &[10, 10]), ("b", &[10, 10])]
        ) > 0
    );
    // Without an iteration no guard can fail.
    assert_eq!(
        unresolved(
            h,
            jacobi,
            &[("n", 2), ("m", 3)],
            &[("a", &[0, 0]), ("b", &[0, 0])]
        ),
        0
    );

    let tri = "for i in range(n):\n    for j in range(i):\n        for k in range(j + 1, i):\n            a[i - j - 1, k - j - 1] = a[i, j] - a[k, 0]";
    let h = "n: int, a: f64[2]";
    assert_eq!(unresolved(h, tri, &[("n", 8)], &[("a", &[8, 7])]), 0);
    assert_eq!(unresolved(h, tri, &[("n", 8)], &[("a", &[7, 7])]), 1);

    let flat = "for i in range(n):\n    for j in range(m):\n        a[i * m + j] = 1.0";
    let h = "n: int, m: int, a: f64[1]";
    assert_eq!(
        unresolved(h, flat, &[("n", 5), ("m", 6)], &[("a", &[30])]),
        0
    );
    assert_eq!(
        unresolved(h, flat, &[("n", 5), ("m", 6)], &[("a", &[29])]),
        1
    );

    let strided = "for i in range(0, n, 2):\n    a[i + 1] = 1.0";
    assert_eq!(
        unresolved("n: int, a: f64[1]", strided, &[("n", 10)], &[("a", &[10])]),
        0
    );
    assert_eq!(
        unresolved("n: int, a: f64[1]", strided, &[("n", 11)], &[("a", &[11])]),
        1
    );

    let step =
        "for i in range(0, n, s):\n    for j in range(i, min(i + s, n)):\n        a[j] = 1.0";
    let v = &[("n", 10), ("s", 4)];
    assert_eq!(
        unresolved("n: int, s: int, a: f64[1]", step, v, &[("a", &[10])]),
        0
    );
}

#[test]
fn launch_proofs_of_indices_that_are_not_affine() {
    let h = "n: int, a: f64[1]";
    let wrap = "for i in range(n):\n    a[(i + 1) % n] = a[i]";
    assert_eq!(unresolved(h, wrap, &[("n", 8)], &[("a", &[8])]), 0);
    assert_eq!(unresolved(h, wrap, &[("n", 8)], &[("a", &[7])]), 2);
    let edge = "for i in range(n):\n    k = i - 1 if i > 0 else n - 1\n    a[k] = a[i]";
    assert_eq!(unresolved(h, edge, &[("n", 8)], &[("a", &[8])]), 0);
    let dp = "for i in range(n):\n    if i == 0:\n        a[i] = 1.0\n    else:\n        a[i] = a[i - 1]";
    assert_eq!(unresolved(h, dp, &[("n", 8)], &[("a", &[8])]), 0);
    let last = "for i in range(n):\n    a[-1] = a[i - n]";
    assert_eq!(unresolved(h, last, &[("n", 8)], &[("a", &[8])]), 0);
    assert_eq!(unresolved(h, last, &[("n", 9)], &[("a", &[8])]), 1);
    let half = "for i in range(n // 2):\n    a[2 * i + 1] = a[n // 2]";
    assert_eq!(unresolved(h, half, &[("n", 9)], &[("a", &[9])]), 0);
    let insertion = "for i in range(1, n):\n    x = a[i]\n    j = i - 1\n    while j >= 0 and a[j] > x:\n        a[j + 1] = a[j]\n        j -= 1\n    a[j + 1] = x";
    // j + 1 after the loop: j is at least -1, which the loop's condition implies and we do not see.
    assert!(unresolved(h, insertion, &[("n", 9)], &[("a", &[9])]) <= 2);
}

#[test]
fn sums_that_cannot_overflow() {
    let h = "n: int, m: int, s: int in 0..100, k: i64[1], b: f64[2]";
    let count =
        "for i in range(n):\n    for j in range(i):\n        if b[i, j] > 0.0:\n            s += 1";
    let v = &[("n", 100), ("m", 50), ("s", 7)][..];
    let d: &[(&str, &[i64])] = &[("k", &[100]), ("b", &[100, 100])];
    assert_eq!(unresolved(h, count, v, d), 0);
    let masked = "for i in range(n):\n    for j in range(m):\n        s = s + (k[i] & 255) - 3";
    assert_eq!(unresolved(h, masked, v, d), 0);
    let any = "for i in range(n):\n    s = s + k[i]";
    assert_eq!(unresolved(h, any, v, d), 1);
}

#[test]
fn absurd_extents_are_refused() {
    let n = nest("a: f64[1]", "for i in range(3):\n    x = len(a) * 4");
    let plan = BoundsPlan::new(&n);
    let mut set = GuardSet::new(plan.guards());
    assert!(
        plan.resolve(&values(&n, &[], &[("a", &[1 << 40])]), &mut set)
            .extents_ok
    );
    assert!(
        !plan
            .resolve(&values(&n, &[], &[("a", &[1 << 50])]), &mut set)
            .extents_ok
    );
}

/// Loops that end where others do are entered most often where they are long.
#[test]
fn trips_are_averaged_over_entries() {
    let n = nest(
        "n: int",
        "for i in range(n):\n    for j in range(i + 1, n):\n        for k in range(i + 1, n):\n            x = 1",
    );
    let plan = BoundsPlan::new(&n);
    for size in [1, 2, 3, 7, 60] {
        let v = values(&n, &[("n", size)], &[]);
        let inner = (0..size).map(|i| (size - i - 1) as f64);
        let (j, k) = inner.fold((0.0, 0.0), |(j, k), m| (j + m, k + m * m));
        let said = |id| plan.trips(&v, LoopId(id)).unwrap();
        assert!((said(1) * size as f64 - j).abs() < 1e-9);
        assert!(
            (said(2) * j - k).abs() < 1e-9,
            "{size}: {} x {j} for {k}",
            said(2)
        );
    }
}

#[test]
fn trip_counts() {
    let n = nest(
        "n: int",
        "for i in range(n):\n    for j in range(i):\n        for k in range(j, n, 2):\n            x = 1",
    );
    let plan = BoundsPlan::new(&n);
    let v = values(&n, &[("n", 101)], &[]);
    assert_eq!(plan.top_trips(&v), Some(101));
    assert_eq!(plan.trips(&v, LoopId(1)), Some(50.0));
    let k = plan.trips(&v, LoopId(2)).unwrap();
    let entries = (0..101i64).flat_map(|i| 0..i);
    let counts: Vec<f64> = entries.map(|j| ((101 - j + 1) / 2) as f64).collect();
    let exact = counts.iter().sum::<f64>() / counts.len() as f64;
    assert!((k / exact - 1.0).abs() < 0.01, "{k} for {exact}");
}

/// Prints how long the stages take; run with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn timing() {
    let stencil = "for t in range(m):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            b[i, j] = (a[i-1, j-1] + a[i-1, j] + a[i-1, j+1] + a[i, j-1] + a[i, j] + a[i, j+1] + a[i+1, j-1] + a[i+1, j] + a[i+1, j+1]) * 0.1\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            a[i, j] = (b[i-1, j-1] + b[i-1, j] + b[i-1, j+1] + b[i, j-1] + b[i, j] + b[i, j+1] + b[i+1, j-1] + b[i+1, j] + b[i+1, j+1]) * 0.1";
    let gemm = "for i in range(n):\n    for j in range(n):\n        for k in range(n):\n            a[i, j] = a[i, j] + b[i, k] * b[k, j]";
    for body in [stencil, gemm] {
        let n = nest("n: int, m: int, a: f64[2], b: f64[2]", body);
        let v = values(
            &n,
            &[("n", 100), ("m", 5)],
            &[("a", &[100, 100]), ("b", &[100, 100])],
        );
        let time = |what: &str, reps: u32, f: &mut dyn FnMut()| {
            let once = || {
                let start = std::time::Instant::now();
                (0..reps).for_each(|_| f());
                start.elapsed() / reps
            };
            let best = std::iter::repeat_with(once).take(15).min();
            println!("{what}: {:?}", best.unwrap_or_default());
        };
        time("prove", 2, &mut || {
            prove(&mut n.clone());
        });
        let plan = BoundsPlan::new(&n);
        time("plan", 2, &mut || {
            BoundsPlan::new(&n);
        });
        let mut set = GuardSet::new(plan.guards());
        println!("{} guards, {} decidable", plan.guards(), plan.decidable());
        time("resolve", 500, &mut || {
            plan.resolve(&v, &mut set);
        });
        let fixed = crate::apply(&n, &set);
        let fp = nestwise_ir::FpMode::Strict;
        time("analyse", 2, &mut || {
            crate::analyse(&fixed, fp);
        });
        let a = crate::analyse(&fixed, fp);
        let info = crate::LaunchInfo::guess(&fixed, fp);
        time("candidates", 2, &mut || {
            crate::candidates(&fixed, &a, &info);
        });
        time("undo plan", 2, &mut || {
            crate::undo_plan(&fixed);
        });
    }
}

/// The number of guards left where the elements of index arrays are known too.
fn unresolved_with(
    header: &str,
    body: &str,
    vars: &[(&str, i64)],
    dims: &[(&str, &[i64])],
    contents: &[(&str, (i64, i64))],
) -> usize {
    let n = nest(header, body);
    let plan = BoundsPlan::new(&n);
    let mut values = values(&n, vars, dims);
    for (name, ends) in contents {
        let slot = n.arrays.iter().find(|(_, d)| d.name == *name);
        let (id, _) = slot.expect("a slot of that name");
        assert!(plan.contents().contains(&id), "{name} decides nothing");
        values.contents[id.index()] = Some(*ends);
    }
    let mut set = GuardSet::new(plan.guards());
    plan.resolve(&values, &mut set);
    let n = crate::apply(&n, &set);
    shown(&n);
    count_set(&n)
}

#[test]
fn elements_of_index_arrays() {
    let header = "first: i64[1], column: i64[1], value: f64[1], x: f64[1], y: f64[1], rows: int";
    let body = "for i in range(rows):\n    total = 0.0\n    for e in range(first[i], first[i + 1]):\n        total += value[e] * x[column[e]]\n    y[i] = total";
    let dims: &[(&str, &[i64])] = &[
        ("first", &[11]),
        ("column", &[30]),
        ("value", &[30]),
        ("x", &[10]),
        ("y", &[10]),
    ];
    let left = |first, column| {
        let contents = [("first", first), ("column", column)];
        unresolved_with(header, body, &[("rows", 10)], dims, &contents)
    };
    assert_eq!(unresolved(header, body, &[("rows", 10)], dims), 3);
    assert_eq!(left((0, 30), (0, 9)), 0);
    // One past the end: of x, then of column and value.
    assert_eq!(left((0, 30), (0, 10)), 1);
    assert_eq!(left((0, 31), (0, 9)), 2);
    // Negative elements may wrap.
    assert_eq!(left((0, 30), (-1, 9)), 1);
    // A counter that is negative in some iterations wraps there, which is no guard failure.
    assert_eq!(left((-1, 30), (0, 9)), 0);
    assert_eq!(left((-31, 30), (0, 9)), 2);
}

#[test]
fn elements_beside_counters() {
    let header = "weights: i64[1], best: f64[1], capacity: int";
    let body = "for item in range(len(weights)):\n    weight = weights[item]\n    for c in range(capacity, weight - 1, -1):\n        best[c] = best[c - weight]";
    let dims: &[(&str, &[i64])] = &[("weights", &[5]), ("best", &[101])];
    let left = |weights| {
        let contents = [("weights", weights)];
        unresolved_with(header, body, &[("capacity", 100)], dims, &contents)
    };
    assert_eq!(left((1, 400)), 0);
    assert_eq!(left((0, 400)), 0);
    // best[c + 1] is out of range for the first c; c itself may be -1, which wraps.
    assert_eq!(left((-1, 400)), 1);
    // And with less than -101 both leave the array.
    assert_eq!(left((-102, 400)), 2);
    assert!(left((i64::MIN, 400)) > 2);
}

#[test]
fn subscripts_computed_from_floats() {
    let header = "table: f64[1], out: f64[1], step: float, start: float, n: int";
    let body = "for i in range(n):\n    out[i] = table[int(start + i * step)]";
    let n = nest(header, body);
    let left = |step: f64, start: f64, last: i64| {
        let mut values = values(&n, &[("n", 101)], &[("table", &[last]), ("out", &[101])]);
        for (id, d) in n.vars.iter() {
            match d.name.as_str() {
                "step" => values.floats[id.index()] = Some(step),
                "start" => values.floats[id.index()] = Some(start),
                _ => {}
            }
        }
        let proven = crate::guards::by_values::known(&n, &values).proven;
        let n = crate::apply(&n, &proven);
        shown(&n);
        count_set(&n)
    };
    assert_eq!(left(0.5, 0.0, 51), 0);
    // One past the end, then below zero: the subscript's guard alone.
    assert_eq!(left(0.5, 0.0, 50), 1);
    assert_eq!(left(0.5, 0.5, 51), 0);
    assert_eq!(left(-0.5, 0.0, 51), 1);
    assert_eq!(left(-0.5, 50.0, 51), 0);
    // Anything may come out of a NaN, and no int out of infinity.
    assert_eq!(left(f64::NAN, 0.0, 51), 2);
    assert_eq!(left(f64::INFINITY, 0.0, 51), 2);
}

/// Sums of elements that the nest itself writes are small as long as what is stored is.
#[test]
fn elements_that_stay_small() {
    let header = "a: i64[1], b: i64[1], n: int";
    let left = |body: &str, a: (i64, i64), b: (i64, i64)| {
        let mut n = nest(header, body);
        prove(&mut n);
        let mut values = values(&n, &[("n", 50)], &[("a", &[60]), ("b", &[60])]);
        values.contents = vec![Some(a), Some(b)];
        let before = crate::guards::by_values::worth_looking(&n).len();
        let known = crate::guards::by_values::known(&n, &values);
        let n = crate::apply(&n, &known.proven);
        shown(&n);
        (before, count_set(&n), known.contents)
    };
    // Zero or one is stored, whatever is read.
    let rule = "for t in range(n):\n    for i in range(n):\n        b[i] = 1 if a[i] + a[i + 1] > 1 else 0\n    swap a b";
    let (looked, guards, contents) = left(rule, (0, 1), (0, 1));
    // The guards of the three subscripts are proved elsewhere.
    assert_eq!((looked, guards), (2, 3));
    assert_eq!(contents, vec![Some((0, 1)); 2]);
    // The other buffer's elements come along; the invariant is wider than what is stored.
    assert_eq!(left(rule, (0, 1), (-5, 7)).2, vec![Some((-5, 7)); 2]);
    // One buffer near the end of the range: the sum may leave it.
    assert!(left(rule, (0, 1), (0, i64::MAX)).1 > 3);
    // Grows without end: nothing is known.
    let grows = "for t in range(n):\n    for i in range(n):\n        a[i] = a[i] + a[i + 1]";
    let (_, guards, contents) = left(grows, (0, 1), (0, 1));
    // The guard of the sum is left.
    assert_eq!(guards, 1);
    assert_eq!(contents[0], None);
}
