//! Which schedule is chosen for typical nests, and why.

use nestwise_analysis::guards::{GuardSet, apply};
use nestwise_analysis::schedule::Rewrite;
use nestwise_analysis::{Candidate, LaunchInfo, analyse_with, candidates};
use nestwise_ir::testing::nest;
use nestwise_ir::{FpMode, IdSet, LoopId, Nest};

use crate::choose_schedule::{Target, choose_schedule, estimate};
use crate::profile::MachineProfile;

/// Calls `f` with a server of the 2020s that has vectors of 512 bits and eight threads.
fn with_target<T>(f: impl FnOnce(&Target<'_>) -> T) -> T {
    f(&Target {
        profile: &MachineProfile::default(),
        lanes: 8,
        threads: 8,
        vectors: &|_, _| false,
    })
}

/// A nest without guards, its candidates, and the launches that the candidates are for.
fn made(header: &str, body: &str, threads: bool) -> (Nest, Vec<Candidate>, LaunchInfo) {
    let written = nest(header, body);
    let guards = nestwise_analysis::guards::count(&written);
    let mut proven = GuardSet::new(guards);
    nestwise_analysis::guards::for_each(&written, &mut |id, _, _| proven.insert(id));
    let n = apply(&written, &proven);
    let mut info = LaunchInfo::guess(&n, FpMode::Strict);
    info.threads = threads;
    info.lanes = 32;
    info.assumed.nonempty = IdSet::all();
    let analysis = analyse_with(&n, info.assumed.clone());
    let all = candidates(&n, &analysis, &info);
    (n, all, info)
}

fn words(c: &Candidate) -> String {
    let named = |id: LoopId| format!("L{}", id.0);
    let mut out = vec![];
    out.extend(c.kind.rewrite.name().map(str::to_string));
    out.extend(
        c.schedule
            .threads
            .iter()
            .map(|t| format!("threads {}", named(t.id))),
    );
    out.extend(
        c.schedule
            .vector
            .iter()
            .map(|(id, n)| format!("{} x{n}", named(*id))),
    );
    let left = c.schedule.independent.iter().chain(&c.schedule.lockstep);
    out.extend(left.map(|id| format!("{} to the vectoriser", named(*id))));
    if out.is_empty() {
        "as written".into()
    } else {
        out.join(", ")
    }
}

/// The schedule that is chosen for a nest, in words.
fn chosen(header: &str, body: &str, threads: bool) -> String {
    let (n, all, info) = made(header, body, threads);
    let best = with_target(|target| choose_schedule(&n, &all, &info, target));
    words(&all[best.expect("a candidate")])
}

const HEADER: &str = "n: int, m: int, s: int, x: float, a: f64[2], b: f64[2], c: f64[2], d: f64[1], e: f64[1], \
    k: i64[1], out s, out x";

#[test]
fn typical_nests() {
    let table = [
        (
            "a product of matrices: sums of neighbouring columns hide each other's latency",
            "for i in range(n):\n    for j in range(n):\n        x = 0.0\n        for l in range(n):\n            x = x + a[i, l] * b[l, j]\n        c[i, j] = x",
            "L1 x32",
        ),
        (
            "one that adds to elements: held in registers rather than stored again and again",
            "for i in range(n):\n    for j in range(n):\n        for l in range(n):\n            c[i, j] = c[i, j] + a[i, l] * b[l, j]",
            "scalar-replacement, L1 x32",
        ),
        (
            "one in the order that walks along rows is left to the vectoriser as it is",
            "for i in range(n):\n    for l in range(n):\n        for j in range(n):\n            c[i, j] = c[i, j] + a[i, l] * b[l, j]",
            "L2 to the vectoriser",
        ),
        (
            "a stencil: along its rows",
            "for i in range(1, n):\n    for j in range(1, m):\n        c[i, j] = a[i - 1, j] + a[i, j] + a[i, j - 1]",
            "L1 to the vectoriser",
        ),
        (
            "a sum of floats keeps its order",
            "for i in range(n):\n    x = x + d[i]",
            "as written",
        ),
        (
            "a triangle: its rows",
            "for i in range(n):\n    for j in range(i):\n        c[i, j] = a[i, j] * 2.0",
            "L1 to the vectoriser",
        ),
        (
            "a gather",
            "for i in range(n):\n    d[i] = e[k[i]] * 2.0",
            "L0 to the vectoriser",
        ),
    ];
    for (why, body, expected) in table {
        assert_eq!(chosen(HEADER, body, false), expected, "{why}");
    }
}

#[test]
fn kernels_for_threads_take_schedules_with_threads() {
    let body = "for i in range(n):\n    for j in range(m):\n        c[i, j] = a[i, j] * 2.0";
    assert_eq!(
        chosen(HEADER, body, true),
        "threads L0, L1 to the vectoriser"
    );
    assert_eq!(chosen(HEADER, body, false), "L1 to the vectoriser");
    // There is none for a sum.
    assert_eq!(
        chosen(HEADER, "for i in range(n):\n    x = x + d[i]", true),
        "as written"
    );
}

#[test]
fn columns_are_walked_along_rows() {
    // A quarter of the lines, and vectors: much more than the tolerance.
    let body = "for t in range(n):\n    for j in range(n):\n        for i in range(n):\n            c[i, j] = a[i, j] * 2.0";
    let (n, all, info) = made(HEADER, body, false);
    let price = |c: &Candidate| with_target(|target| estimate(&n, c, &info, target));
    let along = all
        .iter()
        .find(|c| matches!(c.kind.rewrite, Rewrite::Interchange(_)));
    assert!(price(along.expect("an interchange")) < price(&all[0]) * 0.5);
}

#[test]
fn estimates_tell_vectors_and_threads_from_one_lane_on_one_core() {
    let body =
        "for i in range(n):\n    for j in range(m):\n        c[i, j] = a[i, j] * 2.0 + b[i, j]";
    let (n, all, info) = made(HEADER, body, true);
    let price = |which: &dyn Fn(&Candidate) -> bool| {
        let found = all.iter().find(|c| which(c)).expect("a candidate");
        with_target(|target| estimate(&n, found, &info, target))
    };
    let serial = price(&|c| !c.kind.threads && !c.kind.vector);
    let vector = price(&|c| !c.kind.threads && c.kind.vector);
    let threads = price(&|c| c.kind.threads);
    assert!(
        threads < vector && vector < serial,
        "{threads} {vector} {serial}"
    );
}

#[test]
fn small_loops_inside_are_priced_by_their_trips() {
    let body = "for i in range(n):\n    for j in range(m):\n        c[i, j] = a[i, j] * 2.0";
    let (n, all, mut info) = made(HEADER, body, false);
    let price = |info: &LaunchInfo| with_target(|target| estimate(&n, &all[1], info, target));
    let usual = price(&info);
    info.trips[1] = Some(3.0);
    assert!(price(&info) < usual * 0.2);
}

#[test]
fn parts_of_a_split_loop_share_its_iterations() {
    let body = "for t in range(n):\n    for i in range(n):\n        d[i] = d[s] * 2.0 + e[i]";
    let (n, all, info) = made(HEADER, body, false);
    let split = all
        .iter()
        .find(|c| c.kind.rewrite == Rewrite::IndexSetSplitting);
    let price = |c: &Candidate| with_target(|target| estimate(&n, c, &info, target));
    assert!(price(split.expect("a split loop")) < price(&all[0]));
}
