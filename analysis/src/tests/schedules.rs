//! Tests of candidates, rewritings and undo plans of whole nests.

use nestwise_ir::guarded::guards_fail_in_order;
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{FpMode, IdSet, LoopId, Nest, Schedule, StmtKind};

use crate::LaunchValues;
use crate::dataflow::undo::{Region, undo_plan};
use crate::guards::{GuardSet, apply, count, for_each};
use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Options, Verdict, analyse, analyse_with};
use crate::schedule::{Rewrite, candidates, cooperative_loops, grid_loops};
use crate::testing::nest;
use crate::traffic::{Sizes, TrafficPlan};

/// The nest with every guard cleared.
pub(super) fn clear(n: &Nest) -> Nest {
    let mut set = GuardSet::new(count(n));
    for_each(n, &mut |id, _, _| set.insert(id));
    apply(n, &set)
}

/// One line per candidate: rewrite, threads, vector loops, independent loops.
fn listed(header: &str, body: &str) -> Vec<String> {
    let n = clear(&nest(header, body));
    let a = analyse(&n, FpMode::Strict);
    let info = LaunchInfo::guess(&n, FpMode::Strict);
    candidates(&n, &a, &info)
        .iter()
        .map(|c| {
            let nest = c.nest.as_ref().unwrap_or(&n);
            nestwise_ir::verifier::verify(nest).expect("a valid nest");
            let name = |id: LoopId| nest.loops[id].name.clone();
            let mut text = match c.kind.rewrite {
                Rewrite::None => String::new(),
                Rewrite::InductionSubstitution => "induction-substitution ".to_string(),
                Rewrite::ScalarReplacement => "scalar-replacement ".to_string(),
                Rewrite::Interchange(l) => format!("inner-{} ", n.loops[l].name),
                Rewrite::Distribution => "distribution ".to_string(),
                Rewrite::Wavefront => "wavefront ".to_string(),
                Rewrite::IndexSetSplitting => "split ".to_string(),
                Rewrite::LoopVersioning => "loop-versioning ".to_string(),
            };
            for t in &c.schedule.threads {
                text += &format!("threads-{} ", name(t.id));
            }
            for (id, lanes) in &c.schedule.vector {
                text += &format!("lanes-{}x{lanes} ", name(*id));
            }
            for id in &c.schedule.independent {
                text += &format!("free-{} ", name(*id));
            }
            for id in &c.schedule.lockstep {
                text += &format!("step-{} ", name(*id));
            }
            text.trim().to_string()
        })
        .collect()
}

#[test]
fn matrix_product() {
    let h = "n: int, a: f64[2], b: f64[2], c: f64[2]";
    let body = "for i in range(n):\n    for j in range(n):\n        for k in range(n):\n            c[i, j] = c[i, j] + a[i, k] * b[k, j]";
    assert_eq!(
        listed(h, body),
        [
            "",
            "lanes-jx16",
            "threads-i lanes-jx16",
            "inner-j free-j",
            "inner-j threads-i free-j",
            "scalar-replacement lanes-jx16",
            "scalar-replacement threads-i lanes-jx16",
        ]
    );
    let local = "for i in range(n):\n    for j in range(n):\n        s = 0.0\n        for k in range(n):\n            s = s + a[i, k] * b[k, j]\n        c[i, j] = s";
    assert_eq!(listed(h, local), ["", "lanes-jx16", "threads-i lanes-jx16"]);
    // A product with a transposed matrix has no smooth outer loop.
    let transposed = "for i in range(n):\n    for j in range(n):\n        s = 0.0\n        for k in range(n):\n            s = s + a[i, k] * b[j, k]\n        c[i, j] = s";
    assert_eq!(
        listed(h, transposed),
        ["", "lanes-jx16", "threads-i lanes-jx16"]
    );
}

/// An element is loaded before a loop only if the loop has an iteration, and what the loop leaves in variables
/// (here its counter) is always assigned only if it is known to have one.
#[test]
fn promotion_asks_whether_the_loop_runs() {
    let h = "n: int, x: int, a: f64[1], c: f64[2], s: f64[1], out x";
    let body = "for p in range(n):\n    s[p] = 0.0\n    for k in range(n):\n        x = k\n        s[p] = s[p] + a[k] * c[k, p]";
    let n = clear(&nest(h, body));
    let promoted = |nonempty: IdSet<LoopId>| {
        let options = Options {
            nonempty,
            ..Options::new(FpMode::Strict)
        };
        let analysis = analyse_with(&n, options.clone());
        let info = LaunchInfo {
            assumed: options,
            ..LaunchInfo::guess(&n, FpMode::Strict)
        };
        let all = candidates(&n, &analysis, &info);
        let found = all
            .into_iter()
            .find(|c| c.kind.rewrite == Rewrite::ScalarReplacement);
        let found = found.expect("a candidate with scalar replacement");
        let rewritten = found.nest.expect("a rewritten nest");
        nestwise_ir::verifier::verify(&rewritten).expect("a valid nest");
        let mut conditions = 0;
        rewritten.walk(&mut |s| conditions += u32::from(matches!(s.kind, StmtKind::If { .. })));
        (conditions, found.schedule.vector)
    };
    assert_eq!(promoted(IdSet::new()), (1, vec![]));
    assert_eq!(promoted(IdSet::first(1)), (1, vec![]));
    assert_eq!(promoted(IdSet::first(2)), (0, vec![(LoopId(0), 16)]));
}

#[test]
fn stencils_and_sums() {
    let jacobi = "for t in range(m):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            b[i, j] = a[i - 1, j] + a[i, j + 1]\n    swap a b";
    assert_eq!(
        listed("n: int, m: int, a: f64[2], b: f64[2]", jacobi),
        ["", "free-j", "threads-i free-j"]
    );
    let sum = "for i in range(n):\n    s = s + k[i]";
    assert_eq!(
        listed("n: int, s: int, k: i64[1], out s", sum),
        ["", "threads-i"]
    );
    let float = "for i in range(n):\n    s = s + k[i]";
    assert_eq!(listed("n: int, s: float, k: f64[1], out s", float), [""]);
}

#[test]
fn lets_sink_to_make_a_band() {
    let body = "for z in range(m):\n    for j in range(n):\n        t = b[j, z]\n        for i in range(n):\n            c[i, j] = c[i, j] + t";
    let h = "n: int, m: int, b: f64[2], c: f64[2]";
    let all = listed(h, body);
    assert!(all.contains(&"inner-j free-j".to_string()), "{all:?}");
    // Not if the loop changes what the variable was read from.
    let body = body.replace("c[", "b[");
    let all = listed(h, &body);
    assert!(!all.iter().any(|c| c.starts_with("inner")), "{all:?}");
}

#[test]
fn undo_plans() {
    let plan = |h: &str, b: &str| undo_plan(&clear(&nest(h, b)));
    let h = "n: int, a: f64[2], b: f64[2]";
    let p = plan(
        h,
        "for i in range(1, n - 1):\n    for j in range(n):\n        a[i, j] = b[i - 1, j]",
    );
    assert!(p.slots[0].idempotent);
    assert_eq!(
        p.slots[0].region,
        Region::Rows {
            axis: 0,
            lo: 0,
            hi: 0
        }
    );
    assert!(!p.may_roll_back());
    let p = plan(
        h,
        "for i in range(1, n - 1):\n    for j in range(n):\n        a[j, i + 1] = a[j, i + 1] + 1.0\n        a[j, i] = 0.0",
    );
    assert!(!p.slots[0].idempotent);
    assert_eq!(
        p.slots[0].region,
        Region::Rows {
            axis: 1,
            lo: 0,
            hi: 1
        }
    );
    // Reads only what earlier iterations wrote.
    let p = plan(
        h,
        "for i in range(1, n):\n    for j in range(n):\n        a[i, j] = a[i - 1, j]",
    );
    assert!(p.slots[0].idempotent);
    // Reads what later iterations write.
    let p = plan(
        h,
        "for i in range(1, n):\n    for j in range(n):\n        a[i, j] = a[i + 1, j]",
    );
    assert!(!p.slots[0].idempotent);
    let p = plan(
        h,
        "for t in range(n):\n    for i in range(n):\n        a[i, 0] = b[i, 0]\n    swap a b",
    );
    assert_eq!(p.slots.len(), 2);
    assert!(
        p.slots
            .iter()
            .all(|s| !s.idempotent && s.region == Region::Whole)
    );
    // One step alone reads the one and writes the other.
    assert!(p.slots.iter().all(|s| s.idempotent_alone));
    assert_eq!(p.to_save(true, true, false).count(), 0);
    // Which of them is which is kept behind that; an element that is read there is another array's.
    let swapped =
        "for t in range(n):\n    for i in range(n):\n        a[i, 0] = b[i, 0]\n    swap a b\n    ";
    let h1 = "n: int, k: int, x: float, a: f64[2], b: f64[2]";
    let kept = plan(h1, &format!("{swapped}k = 1 - k"));
    assert!(kept.slots.iter().all(|s| s.idempotent_alone));
    let read = plan(h1, &format!("{swapped}x = a[0, 0]"));
    assert!(!read.slots.iter().any(|s| s.idempotent_alone));
    let p = plan(
        h,
        "for t in range(n):\n    for i in range(1, n):\n        a[i, 0] = a[i + 1, 0] + b[i, 0]\n    swap a b",
    );
    // A step reads what it writes itself later.
    assert!(!p.slots[0].idempotent_alone);
    let tile =
        "for i in range(0, n, 16):\n    for j in range(i, min(i + 16, n)):\n        a[j, 0] = 1.0";
    let p = plan(h, tile);
    assert_eq!(
        p.slots[0].region,
        Region::Rows {
            axis: 0,
            lo: 0,
            hi: 15
        }
    );
    // What may have run ahead is saved even if it could be run again.
    let p = undo_plan(&nest(h, "for i in range(n):\n    a[i, 0] = b[i, 0]"));
    assert!(p.guards && p.slots[0].idempotent);
    assert_eq!(p.to_save(true, false, false).count(), 0);
    assert_eq!(p.to_save(false, false, false).count(), 1);
}

/// Guards that may fail stand outside of loops whose iterations run together: they fail where CPython would raise.
#[test]
fn what_fails_in_order() {
    let n = nest(
        "n: int, m: int, a: f64[1], b: f64[1]",
        "for i in range(n):\n    for k in range(m):\n        a[k] = b[k]\n    b[i] = 1.0",
    );
    let cleared = clear(&n);
    let on = |loops: &[u32]| Schedule {
        independent: loops.iter().map(|id| LoopId(*id)).collect(),
        ..Schedule::serial()
    };
    assert!(guards_fail_in_order(&n, &on(&[])));
    assert!(!guards_fail_in_order(&n, &on(&[1])));
    assert!(!guards_fail_in_order(&n, &on(&[0])));
    assert!(guards_fail_in_order(&cleared, &on(&[0, 1])));
    // The inner loop's accesses are in bounds, the outer one's need not be.
    let mut partly = cleared.clone();
    partly.top.clone_from(&n.top);
    if let (StmtKind::For(mine), StmtKind::For(safe)) = (&mut partly.top.kind, &cleared.top.kind) {
        mine.body[0].clone_from(&safe.body[0]);
    }
    assert!(guards_fail_in_order(&partly, &on(&[1])));
    assert!(!guards_fail_in_order(&partly, &on(&[0])));
}

const SWEEP: &str = "for i in range(1, n - 1):\n    for j in range(1, m - 1):\n        a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])";

fn nested(outer: &str, body: &str) -> String {
    format!("{outer}\n    {}", body.replace('\n', "\n    "))
}

#[test]
fn sweeps_run_as_waves() {
    let h = "n: int, m: int, t: int, a: f64[2]";
    assert_eq!(listed(h, SWEEP), ["", "wavefront threads-i"]);
    let sweeps = nested("for s in range(t):", SWEEP);
    assert_eq!(listed(h, &sweeps), ["", "wavefront threads-i"]);
    let back = SWEEP.replace("range(1, n - 1)", "range(n - 2, 0, -1)");
    assert_eq!(listed(h, &back), ["", "wavefront threads-i"]);
    // Nine points: one of them lies behind in the inner loop.
    let nine = SWEEP.replace("a[i, j + 1]", "a[i - 1, j + 1]");
    assert_eq!(listed(h, &nine), ["", "wavefront threads-i"]);
    let far = SWEEP.replace("a[i, j + 1]", "a[i - 1, j + 4]");
    assert_eq!(listed(h, &far), [""]);
}

#[test]
fn loops_are_distributed() {
    let h = "n: int, a: f64[1], b: f64[1], c: f64[2]";
    let row = "\n    for k in range(n):\n        c[i, k] = b[i] * 2.0";
    let body = format!("for i in range(1, n):\n    a[i] = a[i - 1] + b[i]{row}");
    let all = [
        "",
        "free-k",
        "threads-k free-k",
        "distribution free-k",
        "distribution threads-i free-k",
    ];
    assert_eq!(listed(h, &body), all);
}

/// Where the order of a sum is kept, its terms are computed on vectors by a loop of their own, for one core as well;
/// wavefronts are for threads alone.
#[test]
fn loops_are_distributed_for_one_core() {
    let on_one_core = |header: &str, body: &str| -> Vec<(Rewrite, usize)> {
        let n = clear(&nest(header, body));
        let a = analyse(&n, FpMode::Strict);
        let mut info = LaunchInfo::guess(&n, FpMode::Strict);
        info.threads = false;
        let all = candidates(&n, &a, &info);
        all.iter()
            .map(|c| (c.kind.rewrite, c.schedule.on_vectors().count()))
            .collect()
    };
    let body = "t = 0.0\nfor k in range(9):\n    t = t / 3.0 + a[i, j]\nb[i, j] = t\ns += a[i, j]";
    let sums = nested("for i in range(n):", &nested("for j in range(m):", body));
    let forms = on_one_core("n: int, m: int, a: f64[2], b: f64[2], s: float", &sums);
    let best = |wanted: fn(&Rewrite) -> bool| {
        let of = forms.iter().filter(|f| wanted(&f.0));
        of.map(|f| f.1).max()
    };
    let (made, written) = (
        best(|r| *r == Rewrite::Distribution),
        best(|r| *r == Rewrite::None),
    );
    assert!(written == Some(0) && made > Some(0), "{forms:?}");
    let sweep = on_one_core("n: int, m: int, a: f64[2]", SWEEP);
    assert!(!sweep.iter().any(|f| f.0 == Rewrite::Wavefront));
}

/// The top loop of a nest that runs as a whole repeats nothing: the distributed loops fetch what the loop did.
#[test]
fn distributed_loops_fetch_no_more() {
    let header = "n: int, a: f64[1], b: f64[1], c: f64[2]";
    let row = "\n    for k in range(n):\n        c[i, k] = b[i] * 2.0";
    let body = format!("for i in range(1, n):\n    a[i] = a[i - 1] + b[i]{row}");
    let n = clear(&nest(header, &body));
    let a = analyse(&n, FpMode::Strict);
    let all = candidates(&n, &a, &LaunchInfo::guess(&n, FpMode::Strict));
    let distributed = all.iter().find(|c| c.kind.rewrite == Rewrite::Distribution);
    let parts = distributed.and_then(|c| c.nest.as_ref());
    let lines = |nest: &Nest| {
        let plan = TrafficPlan::of(nest, &[]);
        let mut values = LaunchValues::unknown(nest);
        values.dims.iter_mut().for_each(|d| *d = [800; 8]);
        let (trips, values) = (&|_| 800.0, &values);
        let fetched = plan.traffic(&Sizes { trips, values }, [48e3]);
        fetched.iter().map(|t| t.lines[0]).sum::<f64>()
    };
    // Rows of 100 lines, which are stored; what the first axes' loop has of `a` and `b` is small.
    let stored = 2.0 * 800.0 * 100.0;
    let part = lines(parts.expect("a distributed nest"));
    assert!(part >= stored && part < stored * 1.1, "{part}");
    assert!(lines(&n) >= stored && lines(&n) < stored * 1.1);
}

/// Variables that count along are computed from the counter: then the loop runs like others, the top one as a loop
/// inside the range that runs as a whole.
#[test]
fn counting_variables_are_computed() {
    let h = "n: int, m: int, k: int, p: int, q: int, x: int, a: f64[1], b: f64[1], c: f64[2], out k, out p, out q";
    let top = |range: &str, body: &str| {
        let body = body.replace('\n', "\n    ");
        listed(h, &format!("for i in {range}:\n    {body}"))
    };
    let on_all = [
        "",
        "induction-substitution free-i",
        "induction-substitution threads-i free-i",
    ];
    let simple = [
        ("range(n)", "a[k] = b[i]\nk += 1"),
        ("range(n, 0, -1)", "k -= 2\na[k] = b[i]"),
        ("range(0, n, 2)", "a[k] = b[i]\nk += 1"),
        ("range(n, 0, -3)", "a[k] = b[i]\nk += 2"),
        // Several steps, several variables.
        ("range(n)", "k += 1\na[k] = b[p]\nk += 2\np += 1"),
    ];
    for (range, body) in simple {
        assert_eq!(top(range, body), on_all, "{range}: {body}");
    }
    // The loop changes what it counts up to, which code generation does not run on threads.
    assert_eq!(top("range(n)", "a[k] = b[i]\nk += 1\nn = i"), on_all[..2]);
    // Through loops inside, which do the same.
    let inner = "for j in range(m):\n    a[k] = c[i, j]\n    k += 1";
    let both = [
        "",
        "induction-substitution free-j",
        "induction-substitution threads-i free-j",
    ];
    assert_eq!(top("range(n)", inner), both);
    // From one row to the next, it cannot be told how many there were.
    let ragged = inner.replace("range(m)", "range(x)") + "\nx = k // 7";
    let inside = [
        "",
        "induction-substitution free-j",
        "induction-substitution threads-j free-j",
    ];
    assert_eq!(top("range(n)", &ragged), inside);
    let in_order = [
        // Where it goes depends on the data.
        ("range(n)", "a[k] = b[i]\nif b[i] > 0.5:\n    k += 1"),
        ("range(n)", "a[k] = b[i]\nk *= 2"),
        // The subscript counts along, but the elements pass values on.
        ("range(n)", "a[k + 1] = a[k]\nk += 1"),
    ];
    for (range, body) in in_order {
        assert_eq!(top(range, body), [""], "{body}");
    }
}

/// Where two variables that count along meet is known from their values when the loop began, also in a range of it that
/// runs as a whole.
#[test]
fn ends_that_come_together() {
    let h = "n: int, p: int, q: int, x: float, a: f64[1], out p, out q";
    let body = "for i in range(n // 2):\n    x = a[p]\n    a[p] = a[q]\n    a[q] = x\n    p += 1\n    q -= 1";
    let n = clear(&nest(h, body));
    let found = analyse(&n, FpMode::Strict);
    let Some(Verdict::When(condition)) = &found.loops[0].otherwise else {
        panic!("{:?}", found.loops[0]);
    };
    let options = Options {
        absent: condition.absent.clone(),
        ..Options::new(FpMode::Strict)
    };
    let info = LaunchInfo {
        assumed: options.clone(),
        ..LaunchInfo::guess(&n, FpMode::Strict)
    };
    let threads = |options: Options| {
        let all = candidates(
            &n,
            &analyse_with(&n, options.clone()),
            &LaunchInfo {
                assumed: options,
                ..info.clone()
            },
        );
        all.iter().any(|c| c.kind.threads)
    };
    assert!(threads(options));
    assert!(!threads(Options::new(FpMode::Strict)));
}

/// A search for the position of the best value runs on threads: the best value is kept beside the position, so that the
/// loop combines what its parts find.
#[test]
fn positions_of_the_best() {
    let h = "n: int, p: int, q: int, k: int, x: float, y: float, a: f64[1], b: f64[1], out p, out q, out k";
    let threads = |body: &str| {
        let all = listed(h, &format!("for i in range(n):\n    {body}"));
        all.iter().any(|c| c == "induction-substitution threads-i")
    };
    assert!(threads("if a[i] > a[p]:\n        p = i"));
    assert!(threads(
        "if a[p] > a[i]:\n        p = i\n    if b[i] > b[q]:\n        q = i"
    ));
    assert!(threads(
        "if a[i] > a[p]:\n        p = i\n    b[k] = a[i]\n    k += 1"
    ));
    // The last one of equal values; a position that is read; a search under a condition; elements that change.
    assert!(!threads("if a[i] >= a[p]:\n        p = i"));
    assert!(!threads("if a[i] > a[p]:\n        p = i\n    b[i] = a[p]"));
    assert!(!threads(
        "if b[i] > 0.5:\n        if a[i] > a[p]:\n            p = i"
    ));
    assert!(!threads("if a[i] > a[p]:\n        p = i\n    a[i] = 0.5"));
    // Compared with what changes, too.
    assert!(!threads(
        "x = b[i]\n    if a[i] * x > a[p] * x:\n        p = i"
    ));
    assert!(threads("if a[i] * y > a[p] * y:\n        p = i"));
}
#[test]
fn loops_are_split() {
    let h = "n: int, m: int, k: int, t: float, a: f64[1], b: f64[1], c: f64[2], out t";
    let cases: [(&str, &[&str]); 5] = [
        // Weak-zero: one iteration reads what the others do not write.
        (
            "for i in range(n):\n    a[i] = a[k] + b[i]",
            &[
                "",
                "split free-i free-i free-i",
                "split threads-i threads-i threads-i free-i free-i free-i",
            ],
        ),
        (
            "for i in range(n):\n    a[i] = a[0] + b[i]",
            &[
                "",
                "split free-i free-i",
                "split threads-i threads-i free-i free-i",
            ],
        ),
        // Weak-crossing.
        (
            "for i in range(n):\n    a[i] = a[n - 1 - i] + b[i]",
            &[
                "",
                "split free-i free-i",
                "split threads-i threads-i free-i free-i",
            ],
        ),
        // The condition leaves nothing of the first iteration to the others but a value that stays.
        (
            "for i in range(n):\n    if i == 0:\n        t = b[0] * 2.0\n    a[i] = t + b[i]",
            &["", "free-i", "split free-i", "split threads-i free-i"],
        ),
        // No cut frees a recurrence.
        ("for i in range(1, n):\n    a[i] = a[i - 1] + a[k]", &[""]),
    ];
    for (body, expected) in cases {
        assert_eq!(listed(h, body), expected, "{body}");
    }
}

/// The axes of each kernel for a device's grid, by name.
fn on_grid(header: &str, body: &str) -> Vec<String> {
    let n = clear(&nest(header, body));
    let info = LaunchInfo::guess(&n, FpMode::Strict);
    let loops = grid_loops(&n, &analyse(&n, FpMode::Strict), &info, 0);
    let name = |id: &LoopId| n.loops[*id].name.clone();
    let names = |g: &GridLoop| g.axes.iter().map(name).collect::<Vec<_>>().join(" ");
    loops.iter().map(names).collect()
}

/// The work arrays, and arrays whose elements are updated, of each kernel for a grid, by name.
fn unshared_on_grid(header: &str, body: &str) -> Vec<String> {
    let n = clear(&nest(header, body));
    let info = LaunchInfo::guess(&n, FpMode::Strict);
    let loops = grid_loops(&n, &analyse(&n, FpMode::Strict), &info, 0);
    let names = |g: &GridLoop| {
        let names = g.mapped.unshared().map(|a| n.arrays[a].name.clone());
        format!(
            "{} axes: {}",
            g.axes.len(),
            names.collect::<Vec<_>>().join(" ")
        )
    };
    loops.iter().map(names).collect()
}

#[test]
fn arrays_that_threads_of_a_grid_do_not_share() {
    let h = "n: int, a: f64[2], w: f64[1], x: i64[1], h: i64[1], f: f64[1], small: bool[1]";
    let cases = [
        // Every row needs all of it: one axis.
        (
            "for i in range(n):\n    for j in range(n):\n        w[j] = a[i, j]\n    for k in range(n):\n        a[i, k] = w[n - 1 - k]",
            &["1 axes: w"][..],
        ),
        // Every element of the matrix does.
        (
            "for i in range(n):\n    for j in range(n):\n        w[0] = a[i, j]\n        w[1] = w[0] * 2.0\n        a[i, j] = w[1]",
            &["2 axes: w"],
        ),
        (
            "for i in range(n):\n    h[x[i]] = h[x[i]] + 1",
            &["1 axes: h"],
        ),
        // Sums of floats depend on the order, and no device updates elements of one byte.
        ("for i in range(n):\n    f[x[i]] = f[x[i]] + a[i, 0]", &[]),
        (
            "for i in range(n):\n    small[x[i]] = small[x[i]] | (a[i, 0] < 2.0)",
            &[],
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(unshared_on_grid(h, body), expected, "{body}");
    }
}

#[test]
fn loops_for_a_grid() {
    let h = "n: int, a: f64[2], b: f64[2], c: f64[2], x: f64[1]";
    let product = "for i in range(n):\n    for j in range(n):\n        s = 0.0\n        for k in range(n):\n            s = s + a[i, k] * b[k, j]\n        c[i, j] = s";
    assert_eq!(on_grid(h, product), ["i j"]);
    let heat = "for t in range(n):\n    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            b[i, j] = a[i - 1, j] + a[i, j + 1]\n    for i2 in range(n):\n        for j2 in range(n):\n            a[i2, j2] = b[i2, j2]";
    assert_eq!(on_grid(h, heat), ["i j", "i2 j2"]);
    // What stands between axes assigns variables only.
    let between =
        "for i in range(n):\n    m = n - i\n    for j in range(m):\n        a[i, j] = x[i] * 2.0";
    assert_eq!(on_grid(h, between), ["i j"]);
    let stored =
        "for i in range(n):\n    x[i] = 1.0\n    for j in range(n):\n        a[i, j] = 2.0";
    assert_eq!(on_grid(h, stored), ["i"]);
    // Threads that run the inner loop read what stands before it when others have written it.
    let own = "for i in range(n):\n    w = a[i, 0]\n    for j in range(n):\n        a[i, j] = a[i, j] - w";
    assert_eq!(on_grid(h, own), ["i"]);
    // A sum is not in any order.
    assert!(on_grid(h, "s = 0.0\nfor i in range(n):\n    s = s + x[i]").is_empty());
    let rows = "for i in range(n):\n    s = 0.0\n    for j in range(n):\n        s = s + a[i, j]\n    x[i] = s";
    assert_eq!(on_grid(h, rows), ["i"]);
    // What is reduced in any order may be: over all axes together, or over those inside.
    let most = "best = 0.0\nfor i in range(n):\n    for j in range(n):\n        if a[i, j] > best:\n            best = a[i, j]";
    assert_eq!(on_grid(h, most), ["i j"]);
    let counted = "k = 0\nfor i in range(n):\n    k = k + 1\n    for j in range(n):\n        if a[i, j] > 0.0:\n            k = k + 1";
    assert_eq!(on_grid(h, counted), ["i"]);
    let by_row = "for i in range(n):\n    k = 0\n    for j in range(n):\n        if a[i, j] > 0.0:\n            k = k + 1\n    x[i] = k";
    assert_eq!(on_grid(h, by_row), ["i"]);
    let sweep =
        "for i in range(1, n):\n    for j in range(n):\n        a[i, j] = a[i - 1, j] + 1.0";
    assert_eq!(on_grid(h, sweep), ["j"]);
}

/// The loops that may run by cooperative launch, by name.
fn cooperative(header: &str, body: &str) -> Vec<String> {
    let n = clear(&nest(header, body));
    let info = LaunchInfo::guess(&n, FpMode::Strict);
    let loops = grid_loops(&n, &analyse(&n, FpMode::Strict), &info, 0);
    let found = cooperative_loops(&n, &loops).into_iter();
    found.map(|id| n.loops[id].name.clone()).collect()
}

#[test]
fn loops_that_a_kernel_may_run_as_a_whole() {
    let h = "n: int, a: f64[2], x: f64[1]";
    let step = "for i in range(n):\n            x[i] = x[i] * 0.5";
    let sweep = |rest: &str| {
        let outer = "for r in range(n):\n    if x[0] > 5.0:\n        break\n    for t in range(n):";
        format!("{outer}\n        {step}\n        x[0] = x[1]{rest}")
    };
    // The outermost one, however it is left.
    assert_eq!(cooperative(h, &sweep("")), ["r"]);
    assert_eq!(
        cooperative(h, &sweep("\n        if x[1] > 2.0:\n            break")),
        ["r"]
    );
    // None around the loops on the grid.
    assert!(cooperative(h, "for i in range(n):\n    x[i] = 1.0").is_empty());
    assert!(
        cooperative(
            h,
            "for i in range(n):\n    for j in range(n):\n        a[i, j] = 1.0"
        )
        .is_empty()
    );
    // None on the grid.
    assert!(cooperative(h, "for i in range(1, n):\n    x[i] = x[i - 1] + 1.0").is_empty());
}
