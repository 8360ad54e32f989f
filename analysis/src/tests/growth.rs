//! Measures how the time of the analysis grows; run with `--release growth -- --ignored --nocapture`.

use std::fmt::Write;
use std::time::{Duration, Instant};

use nestwise_ir::{FpMode, IdSet};

use crate::testing::nest;
use crate::{Options, Staged, analyse, prove};

/// The most time that the analysis of any nest may take, which its budgets are for.
const MOST: Duration = Duration::from_millis(400);

fn median(reps: usize, f: &mut dyn FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..reps)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[reps / 2]
}

/// A perfect nest of `loops` loops with `accesses` accesses of one array of `loops` axes (at most eight), half of them
/// coupled, all of them possibly of one element.
fn dense(loops: usize, accesses: usize) -> String {
    let mut text = String::new();
    for i in 0..loops {
        let pad = "    ".repeat(i);
        let bound = if i % 2 == 1 {
            format!("i{} + 1", i - 1)
        } else {
            "n".to_string()
        };
        let _ = writeln!(text, "{pad}for i{i} in range(1, {bound}):");
    }
    let pad = "    ".repeat(loops);
    let element = |k: usize| {
        let axes = (0..loops).map(|i| match (i + k) % 4 {
            0 => format!("i{i} - {}", k % 3),
            1 => format!("i{i}"),
            2 => format!("i{} + i{i} - {}", (i + 1) % loops, k % 2),
            _ => format!("i{}", (i + 1) % loops),
        });
        format!("a[{}]", axes.collect::<Vec<_>>().join(", "))
    };
    for k in 0..accesses / 2 {
        let _ = writeln!(text, "{pad}{} = {} + x", element(2 * k), element(2 * k + 1));
    }
    text
}

#[test]
#[ignore = "a measurement"]
fn growth() {
    for loops in [1, 2, 3, 4, 6, 8] {
        let header = format!("n: int, x: float, a: f64[{loops}]");
        for accesses in [2, 8, 16, 32, 64] {
            let mut n = nest(&header, &dense(loops, accesses));
            prove(&mut n);
            let time = median(3, &mut || drop(analyse(&n, FpMode::Strict)));
            let verdicts = analyse(&n, FpMode::Strict).loops;
            let serial = verdicts.iter().filter(|l| !l.is_parallel()).count();
            println!("{loops} loops, {accesses:2} accesses: {time:>10.1?}, {serial} not parallel");
            assert!(time < MOST);
        }
    }
}

/// Measures textbook nests in the form they have before any value is known.
#[test]
#[ignore = "a measurement"]
fn static_stage() {
    let header = "n: int, m: int, x: float, a: f64[2], b: f64[2], c: f64[2], k: i64[1], s: f64[1]";
    let nests = [
        ("copy", "for i in range(n):\n    s[i] = a[i, 0]"),
        (
            "product",
            "for i in range(n):\n    for j in range(n):\n        for k2 in range(n):\n            c[i, j] = c[i, j] + a[i, k2] * b[k2, j]",
        ),
        (
            "stencil",
            "for t in range(m):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            b[i, j] = (a[i-1, j-1] + a[i-1, j] + a[i-1, j+1] + a[i, j-1] + a[i, j] + a[i, j+1] + a[i+1, j-1] + a[i+1, j] + a[i+1, j+1]) * 0.1\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            a[i, j] = (b[i-1, j-1] + b[i-1, j] + b[i-1, j+1] + b[i, j-1] + b[i, j] + b[i, j+1] + b[i+1, j-1] + b[i+1, j] + b[i+1, j+1]) * 0.1",
        ),
        (
            "lu",
            "for k2 in range(n):\n    for i in range(k2 + 1, n):\n        a[i, k2] = a[i, k2] / a[k2, k2]\n        for j in range(k2 + 1, n):\n            a[i, j] = a[i, j] - a[i, k2] * a[k2, j]",
        ),
        ("shift", "for i in range(n):\n    s[i + m] = s[i]"),
        (
            "seidel",
            "for t in range(m):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] + a[i, j + 1]) * 0.2",
        ),
        ("scatter", "for i in range(n):\n    s[k[i]] = s[k[i]] + x"),
    ];
    for (name, body) in nests {
        let mut n = nest(header, body);
        let proving = median(15, &mut || {
            prove(&mut n.clone());
        });
        prove(&mut n);
        let options = || Options {
            nonempty: IdSet::all(),
            ..Options::new(FpMode::Strict)
        };
        let once = median(15, &mut || drop(analyse(&n, FpMode::Strict)));
        let staged = median(15, &mut || drop(Staged::new(&n, options())));
        println!(
            "{name}: prove {proving:.1?}, verdicts {once:.1?}, with what values may make of them {staged:.1?}"
        );
    }
}
