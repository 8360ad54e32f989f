//! Tests of footprints: on textbook loops, and against what random nests touch.

use std::collections::HashSet;

use nestwise_ir::{LoopId, Nest};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::footprint::{Area, Footprint, FootprintPlan, Span, Window};
use crate::guards::launch_values::LaunchValues;
use crate::guards::{GuardSet, apply};
use crate::testing::{Case, Outcome, Touch, case, nest, run};
use crate::tests::properties::at_least;
use crate::{BoundsPlan, prove};

const TOP: LoopId = LoopId(0);
const INNER: LoopId = LoopId(1);

/// A nest with values, given as `n = 10; a = [10, 10]`.
struct Example {
    nest: Nest,
    values: LaunchValues,
}

fn example(header: &str, known: &str, body: &str) -> Example {
    let nest = nest(header, body);
    let mut values = LaunchValues::unknown(&nest);
    for part in known.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, value) = part.split_once('=').expect("name = value");
        let (name, value) = (name.trim(), value.trim());
        if let Some(dims) = value.strip_prefix('[') {
            let (slot, _) = nest.arrays.iter().find(|(_, d)| d.name == name).unwrap();
            let dims = dims.trim_end_matches(']').split(',');
            for (axis, d) in dims.enumerate() {
                values.dims[slot.index()][axis] = d.trim().parse().unwrap();
            }
        } else {
            let live = |d: &nestwise_ir::VarDecl| d.name == name && d.live_in.is_some();
            let (var, _) = nest.vars.iter().find(|(_, d)| live(d)).unwrap();
            values.vars[var.index()] = Some(value.parse().unwrap());
        }
    }
    Example { nest, values }
}

/// The text of spans as these tests write it: `0..9`, `1..9/2`, `3`, `-`; `~` before it: not all of it is touched, as
/// far as is known.
fn shown(dims: &[Span], exact: bool) -> String {
    let one = |s: &Span| match s {
        s if s.is_empty() => "-".to_string(),
        s if s.lo == s.hi => s.lo.to_string(),
        s if s.step == 1 => format!("{}..{}", s.lo, s.hi),
        s => format!("{}..{}/{}", s.lo, s.hi, s.step),
    };
    let dims: Vec<String> = dims.iter().map(one).collect();
    let sign = if exact { "" } else { "~" };
    format!("{sign}{}", dims.join(", "))
}

impl Example {
    fn footprints(&self, windows: &[Window]) -> Vec<Footprint> {
        FootprintPlan::new(&self.nest).resolve(&self.values, windows)
    }
    /// The text of the only store's box.
    fn stored(&self, windows: &[Window]) -> String {
        let all = self.footprints(windows);
        let mut stores = all.iter().filter(|f| f.store);
        let one = stores.next().expect("a store");
        assert!(stores.next().is_none(), "several stores");
        shown(&one.dims, one.exact)
    }
    /// The texts of the boxes that are read and written of an array.
    fn regions(&self, name: &str, windows: &[Window]) -> (String, String) {
        let all = FootprintPlan::new(&self.nest).regions(&self.values, windows);
        let (slot, _) = self
            .nest
            .arrays
            .iter()
            .find(|(_, d)| d.name == name)
            .unwrap();
        let show = |a: &Option<Area>| {
            a.as_ref()
                .map_or("nothing".into(), |a| shown(&a.dims, a.exact))
        };
        let t = &all[slot.index()];
        (show(&t.read), show(&t.write))
    }
}

fn stored(header: &str, known: &str, body: &str) -> String {
    example(header, known, body).stored(&[])
}

#[test]
fn stencil() {
    let e = example(
        "n: int, a: f64[2], b: f64[2]",
        "n = 10; a = [10, 10]; b = [10, 10]",
        "for i in range(1, n - 1):\n    for j in range(1, n - 1):\n        b[i, j] = a[i-1, j] + a[i+1, j] + a[i, j-1] + a[i, j+1]",
    );
    assert_eq!(e.stored(&[]), "1..8, 1..8");
    // The corners are never read.
    let nothing = || "nothing".to_string();
    assert_eq!(e.regions("a", &[]), ("~0..9, 0..9".into(), nothing()));
    assert_eq!(e.regions("b", &[]), (nothing(), "1..8, 1..8".into()));
    // Rows of a chunk, by iteration numbers, and what it needs around them.
    let chunk = [Window::Iterations(TOP, 2, 4)];
    assert_eq!(e.stored(&chunk), "3..5, 1..8");
    assert_eq!(e.regions("a", &chunk).0, "~2..6, 0..9");
    let tile = [Window::Iterations(TOP, 2, 4), Window::Values(INNER, 5, 99)];
    assert_eq!(e.stored(&tile), "3..5, 5..8");
    let line = "for i in range(1, n - 1):\n    b[i] = a[i-1] + a[i] + a[i+1]";
    let e = example(
        "n: int, a: f64[1], b: f64[1]",
        "n = 10; a = [10]; b = [10]",
        line,
    );
    assert_eq!(e.regions("a", &[]).0, "0..9");
}

#[test]
fn buffers_that_trade_places() {
    let e = example(
        "n: int, m: int, a: f64[1], b: f64[1]",
        "n = 10; m = 3; a = [10]; b = [10]",
        "for t in range(m):\n    for i in range(1, n - 1):\n        b[i] = a[i-1] + a[i+1]\n    swap a b",
    );
    for name in ["a", "b"] {
        let both = e.regions(name, &[]);
        assert_eq!(both, ("~0..9".to_string(), "~1..8".to_string()));
    }
}

#[test]
fn transpose() {
    let e = example(
        "a: f64[2], b: f64[2]",
        "a = [4, 7]; b = [7, 4]",
        "for i in range(len(a)):\n    for j in range(shape(a, 1)):\n        b[j, i] = a[i, j]",
    );
    let rows = [Window::Iterations(TOP, 1, 2)];
    assert_eq!(e.regions("a", &rows).0, "1..2, 0..6");
    assert_eq!(e.regions("b", &rows).1, "0..6, 1..2");
}

#[test]
fn triangles() {
    let header = "n: int, a: f64[2], c: f64[1]";
    let known = "n = 10; a = [10, 10]; c = [10]";
    let lower = "for i in range(n):\n    for j in range(i):\n        a[i, j] = 1.0";
    // No iteration stores in row 0 or column 9; what lies above the diagonal is in the box only.
    assert_eq!(stored(header, known, lower), "~1..9, 0..8");
    let e = example(header, known, lower);
    assert_eq!(e.stored(&[Window::Iterations(TOP, 4, 4)]), "4, 0..3");
    assert_eq!(e.stored(&[Window::Iterations(TOP, 0, 0)]), "-, -");
    assert_eq!(e.stored(&[Window::Values(INNER, 6, 7)]), "~7..9, 6..7");
    let column = "for i in range(n):\n    for j in range(i):\n        c[j] = 1.0";
    assert_eq!(stored(header, known, column), "0..8");
    let diagonal = "for i in range(n):\n    for j in range(i, n):\n        c[i] = 1.0";
    assert_eq!(stored(header, known, diagonal), "0..9");
    // Elimination: every step works on a square that is smaller than the last one.
    let lu = "for k in range(n):\n    for i in range(k + 1, n):\n        for j in range(k + 1, n):\n            a[i, j] = a[i, k] * a[k, j]";
    let e = example(header, known, lu);
    assert_eq!(e.stored(&[]), "1..9, 1..9");
    assert_eq!(e.stored(&[Window::Iterations(TOP, 3, 3)]), "4..9, 4..9");
}

#[test]
fn steps() {
    let header = "n: int, s: int, a: f64[1], b: f64[2]";
    let known = "n = 10; s = 3; a = [40]; b = [10, 10]";
    let with = |body: &str| stored(header, known, body);
    assert_eq!(
        with("for i in range(n):\n    a[2 * i + 1] = 1.0"),
        "1..19/2"
    );
    assert_eq!(with("for i in range(1, n, 4):\n    a[i] = 1.0"), "1..9/4");
    assert_eq!(with("for i in range(n, 0, -3):\n    a[i] = 1.0"), "1..10/3");
    assert_eq!(
        with("for i in range(n - 1, -1, -1):\n    a[i] = 1.0"),
        "0..9"
    );
    assert_eq!(with("for i in range(n):\n    a[n - 1 - i] = 1.0"), "0..9");
    // A step that only the launch knows, of either sign.
    let any = "for i in range(0, n, s):\n    a[i + 20] = 1.0";
    assert_eq!(with(any), "20..29/3");
    let down = "n = 10; s = -3; a = [40]; b = [10, 10]";
    assert_eq!(stored(header, down, any), "-");
    let chunk = example(header, known, any).stored(&[Window::Iterations(TOP, 1, 2)]);
    assert_eq!(chunk, "23..26/3");
    // Two loops that make one index: with and without gaps.
    assert_eq!(
        with("for i in range(4):\n    for j in range(n):\n        a[i * n + j] = 1.0"),
        "0..39"
    );
    assert_eq!(
        with("for i in range(4):\n    for j in range(n - 1):\n        a[i * n + j] = 1.0"),
        "~0..38"
    );
    assert_eq!(
        with("for i in range(4):\n    for j in range(3):\n        a[i * 6 + 2 * j] = 1.0"),
        "0..22/2"
    );
    assert_eq!(with("for i in range(n):\n    b[i, i] = 1.0"), "~0..9, 0..9");
}

#[test]
fn bounds_of_several_forms() {
    let header = "n: int, r: int, a: f64[1], b: f64[2]";
    let known = "n = 10; r = 2; a = [10]; b = [10, 10]";
    let near = "for i in range(n):\n    for j in range(max(0, i - r), min(n, i + r + 1)):\n        a[j] = 1.0";
    assert_eq!(stored(header, known, near), "0..9");
    let e = example(header, known, near);
    assert_eq!(e.stored(&[Window::Iterations(TOP, 5, 6)]), "3..8");
    assert_eq!(e.stored(&[Window::Iterations(TOP, 9, 9)]), "7..9");
    // The first iteration is the one at 0, or at i - 2.
    let first = [Window::Iterations(INNER, 1, 1)];
    assert_eq!(e.stored(&first), "~1..8");
    let clamped = "for i in range(max(2, r), min(n, 8)):\n    a[i] = 1.0";
    assert_eq!(stored(header, known, clamped), "2..7");
    let half = "for i in range((n + r) // 2, n):\n    a[i] = 1.0";
    assert_eq!(stored(header, known, half), "6..9");
}

#[test]
fn conditions() {
    let header = "n: int, m: int, x: float, a: f64[1], b: f64[2]";
    let known = "n = 10; m = 6; a = [10]; b = [10, 10]";
    let under = |cond: &str| {
        let body = format!("for i in range(n):\n    if {cond}:\n        a[i] = 1.0");
        stored(header, known, &body)
    };
    assert_eq!(under("i > 3"), "4..9");
    assert_eq!(under("i > 2 and i < m"), "3..5");
    assert_eq!(under("not (i > 2 or i >= m)"), "0..2");
    assert_eq!(under("i == m"), "6");
    assert_eq!(under("i != 0"), "1..9");
    assert_eq!(under("i != 4"), "~0..9");
    assert_eq!(under("i > n"), "-");
    assert_eq!(under("x > 0.0"), "~0..9");
    let skipped = "for i in range(n):\n    if i < 2:\n        continue\n    a[i] = 1.0";
    assert_eq!(stored(header, known, skipped), "2..9");
    let broken = "for i in range(n):\n    a[i] = 1.0\n    if x > 0.0:\n        break";
    assert_eq!(stored(header, known, broken), "~0..9");
    // A condition on both counters.
    let joint = "for i in range(n):\n    for j in range(n):\n        if i + j < 4:\n            b[i, j] = 1.0";
    assert_eq!(stored(header, known, joint), "~0..3, 0..3");
}

#[test]
fn negative_indices() {
    let header = "n: int, a: f64[1]";
    let with = |index: &str| {
        let body = format!("for i in range(n):\n    a[{index}] = 1.0");
        stored(header, "n = 4; a = [10]", &body)
    };
    assert_eq!(with("i - 4"), "6..9");
    // The first one wraps, the others do not.
    assert_eq!(with("i - 1"), "~0..9");
    // A guard fails at the latest where the array ends.
    assert_eq!(with("i + 8"), "~8..9");
    assert_eq!(with("i + 10"), "-");
}

#[test]
fn indirect() {
    let mut e = example(
        "n: int, a: f64[1], k: i64[1]",
        "n = 5; a = [100]; k = [5]",
        "for i in range(n):\n    a[k[i]] = 1.0",
    );
    assert_eq!(e.stored(&[]), "~0..99");
    assert_eq!(e.regions("k", &[Window::Iterations(TOP, 1, 3)]).0, "1..3");
    // Where somebody looked what the subscripts are.
    let (k, _) = e.nest.arrays.iter().find(|(_, d)| d.name == "k").unwrap();
    e.values.contents[k.index()] = Some((10, 20));
    assert_eq!(e.stored(&[]), "~10..20");
    let halves = "for i in range(n):\n    a[i // 2] = 1.0";
    let e = example("n: int, a: f64[1]", "n = 10; a = [100]", halves);
    assert_eq!(e.stored(&[Window::Iterations(TOP, 4, 7)]), "~2..3");
}

#[test]
fn what_no_plan_knows() {
    // More index variables than a system holds, and values that stay unknown: sound boxes all the same.
    let e = example(
        "n: int, a: f64[2], x: float",
        "a = [4, 5]",
        "for i in range(n):\n    a[i, 2] = 1.0",
    );
    assert_eq!(e.stored(&[]), "~0..3, 2");
    let mut deep = String::new();
    for d in 0..9 {
        deep += &format!("{}for i{d} in range(2):\n", "    ".repeat(d));
    }
    deep += &format!("{}a[i0, i8 + 1] = 1.0", "    ".repeat(9));
    let e = example("a: f64[2]", "a = [4, 5]", &deep);
    assert_eq!(e.stored(&[Window::Iterations(TOP, 1, 1)]), "~1, 1..2");
}

/// The nest after the launch's proofs.
fn resolved(c: &Case) -> Nest {
    let mut n = c.nest.clone();
    prove(&mut n);
    let plan = BoundsPlan::new(&n);
    let mut set = GuardSet::new(plan.guards());
    plan.resolve(&c.values, &mut set);
    apply(&n, &set)
}

fn inside(t: &Touch, w: &Window) -> bool {
    match *w {
        Window::Iterations(id, lo, hi) => {
            let mut all = t.iterations.iter();
            all.all(|(l, k)| *l != id || (lo..=hi).contains(&(*k as i64)))
        }
        Window::Values(id, lo, hi) => {
            let mut all = t.counters.iter();
            all.all(|(l, c)| *l != id || (lo.into()..=hi.into()).contains(c))
        }
    }
}

/// Counts of the footprints that a check of one nest saw: those of affine subscripts that are not empty, the exact ones
/// among them, and the empty ones.
#[derive(Default, Debug)]
struct Seen {
    affine: usize,
    exact: usize,
    empty: usize,
}

fn touched_set<'t>(touches: impl Iterator<Item = &'t Touch>) -> HashSet<Vec<i64>> {
    touches.map(|t| t.index.clone()).collect()
}

fn holds(dims: &[Span], index: &[i64]) -> bool {
    dims.len() == index.len() && dims.iter().zip(index).all(|(s, i)| s.contains(*i))
}

fn volume(dims: &[Span]) -> u64 {
    dims.iter().map(Span::count).product()
}

fn check_nest(
    c: &Case,
    n: &Nest,
    windows: &[Window],
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let trace = run(n, c.memory.clone());
    let ended = !matches!(trace.outcome, Outcome::GuardFailure(_) | Outcome::Budget);
    let touches: Vec<&Touch> = trace
        .touches
        .iter()
        .filter(|t| windows.iter().all(|w| inside(t, w)))
        .collect();
    let plan = FootprintPlan::new(n);
    let forms = crate::values::walk::forms(
        n,
        &crate::values::range::ranges(n),
        crate::values::forms::Extents::Shared,
    );
    for f in plan.resolve(&c.values, windows) {
        let own = touched_set(touches.iter().copied().filter(|t| t.access == f.access));
        let about = || format!("{f:?} {windows:?} {:?}\n{}", trace.outcome, c.text);
        for index in &own {
            prop_assert!(holds(&f.dims, index), "{index:?} is outside {}", about());
        }
        if f.exact && ended {
            prop_assert_eq!(own.len() as u64, volume(&f.dims), "not exact: {}", about());
        }
        let affine = forms.access(f.access).unwrap();
        let affine = affine.index.iter().all(|i| i.affine().is_some());
        seen.empty += usize::from(f.dims[0].is_empty());
        if affine && !f.dims[0].is_empty() {
            seen.affine += 1;
            seen.exact += usize::from(f.exact);
        }
    }
    for (object, t) in plan.regions(&c.values, windows).iter().enumerate() {
        for (store, area) in [(false, &t.read), (true, &t.write)] {
            let own = touches.iter().copied();
            let own = touched_set(own.filter(|t| t.object == object && t.store == store));
            let about = || format!("slot {object}: {area:?} {windows:?}\n{}", c.text);
            let dims = area.as_ref().map_or(&[][..], |a| &a.dims);
            prop_assert!(own.iter().all(|i| holds(dims, i)), "outside {}", about());
            if area.as_ref().is_some_and(|a| a.exact) && ended {
                prop_assert_eq!(own.len() as u64, volume(dims), "not exact: {}", about());
            }
        }
    }
    Ok(())
}

/// Windows on the loops of a nest, a few of each kind.
fn windows(n: &Nest, cuts: &[(u8, i64, i64)]) -> Vec<Window> {
    let one = |(id, (kind, lo, length)): (LoopId, &(u8, i64, i64))| match kind {
        0 | 1 => Some(Window::Iterations(id, *lo, lo + length)),
        2 => Some(Window::Values(id, *lo, lo + length)),
        _ => None,
    };
    n.loops.ids().zip(cuts).filter_map(one).collect()
}

fn check(bytes: &[u8], cuts: &[(u8, i64, i64)], seen: &mut Seen) -> Result<(), TestCaseError> {
    let c = case(bytes);
    for n in [&c.nest, &resolved(&c)] {
        check_nest(&c, n, &[], seen)?;
        check_nest(&c, n, &windows(n, cuts), seen)?;
    }
    Ok(())
}

fn cuts() -> impl Strategy<Value = Vec<(u8, i64, i64)>> {
    prop::collection::vec((0u8..5, -1i64..5, 0i64..7), 6)
}

proptest! {
    #![proptest_config(at_least(2000))]

    #[test]
    fn footprints_hold(bytes in prop::collection::vec(any::<u8>(), 20..160), cuts in cuts()) {
        check(&bytes, &cuts, &mut Seen::default())?;
    }
}

/// Footprints are called exact in many cases.
#[test]
fn footprints_are_often_exact() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let input = (prop::collection::vec(any::<u8>(), 20..160), cuts());
    let mut seen = Seen::default();
    for _ in 0..600 {
        let (bytes, cuts) = input.new_tree(&mut runner).expect("an input").current();
        check(&bytes, &cuts, &mut seen).expect("a footprint that holds");
    }
    println!("{seen:?}");
    assert!(seen.affine > 3000, "{seen:?}");
    assert!(seen.exact * 10 > seen.affine * 4, "{seen:?}");
}

/// Prints the time of a resolution:
/// `cargo test --release -p nestwise-analysis resolution_times -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn resolution_times() {
    let header = "n: int, a: f64[2], b: f64[2], c: f64[2]";
    let known = "n = 1000; a = [1000, 1000]; b = [1000, 1000]; c = [1000, 1000]";
    let nests = [
        (
            "copy",
            "for i in range(n):\n    for j in range(n):\n        b[i, j] = a[i, j]",
        ),
        (
            "stencil",
            "for i in range(1, n - 1):\n    for j in range(1, n - 1):\n        b[i, j] = a[i-1, j] + a[i+1, j] + a[i, j-1] + a[i, j+1]",
        ),
        (
            "product",
            "for i in range(n):\n    for j in range(n):\n        for k in range(n):\n            c[i, j] += a[i, k] * b[k, j]",
        ),
        (
            "elimination",
            "for k in range(n):\n    for i in range(k + 1, n):\n        for j in range(k + 1, n):\n            a[i, j] -= a[i, k] * a[k, j]",
        ),
        (
            "window",
            "for i in range(n):\n    for j in range(max(0, i - 5), min(n, i + 6)):\n        a[i, j] = b[j, i] * c[j // 2, j]",
        ),
    ];
    for (name, body) in nests {
        let e = example(header, known, body);
        let plan = FootprintPlan::new(&e.nest);
        let windows = [Window::Iterations(TOP, 100, 299)];
        let mut times: Vec<u128> = (0..2001)
            .map(|_| {
                let start = std::time::Instant::now();
                std::hint::black_box(plan.resolve(&e.values, std::hint::black_box(&windows)));
                start.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        let accesses = plan.resolve(&e.values, &windows).len();
        println!("{name}: {accesses} accesses, median {} ns", times[1000]);
    }
}
