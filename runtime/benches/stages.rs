//! What the stages of a first call cost, one by one: `cargo bench -p nestwise-runtime`.
//!
//! The nests are of different kinds. Nothing here is timed in tests.

use std::sync::Arc;
use std::time::Instant;

use divan::Bencher;
use nestwise_codegen as codegen;
use nestwise_costmodel::{Decision, Device, Ready};
use nestwise_frontend::builtins::{Builtin, Known};
use nestwise_frontend::site::captures::Capture;
use nestwise_frontend::{ScopeInfo, lowering, parse_site};
use nestwise_ir::{ArrayKind, IdSet, Nest, Scalar, Schedule, Ty, surface};
use nestwise_runtime::estimate::first_touch::untouched;
use nestwise_runtime::kernel::get::get;
use nestwise_runtime::kernel::key::{Facts, Key, Way};
use nestwise_runtime::plan::price::price;
use nestwise_runtime::plan::resolve::{launch_values, resolve};
use nestwise_runtime::plan::{Sizes, recent};
use nestwise_runtime::{ArrayView, Options, Plan, Value, pipeline};

fn main() {
    divan::main();
}

/// The benchmarked programs: a name, and the text of the site. Names in the text are arrays of float64 of two axes
/// where they are capital letters, and ints where they are small.
const NESTS: [(&str, &str); 5] = [
    (
        "product",
        "\
for i in range(n):
    for j in range(m):
        for k in range(l):
            C[i, j] += A[i, k] * B[k, j]
",
    ),
    (
        "stencil",
        "\
for t in range(s):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i - 1, j] + B[i + 1, j])
",
    ),
    (
        "triangular",
        "\
for i in range(n):
    for j in range(i + 1):
        x = A[i, j]
        for k in range(j):
            x -= A[i, k] * A[j, k]
        A[i, j] = x
",
    ),
    // Whether its loops are parallel is a matter of `m` and `l`.
    (
        "shifted",
        "\
for i in range(n):
    for j in range(n):
        A[i + m, j + l] = A[i, j] + B[2 * i, j] + B[2 * i + m, j]
        C[i, j] = C[m, l] + C[j, i]
",
    ),
    ("wide", WIDE),
];

/// A site of eight loops around 64 accesses.
const WIDE: &str = "\
for a in range(n):
    for b in range(a + 1):
        for c in range(m):
            for d in range(c, m):
                for e in range(4):
                    for f in range(3):
                        for g in range(2):
                            for h in range(2):
                                A[a, b] = A[b, a] + A[a, c] + A[a, d] + A[b, c] + A[b, d] + A[c, d] + A[a, e]
                                B[a, b] = B[b, a] + B[a, c] + B[a, d] + B[b, c] + B[b, d] + B[c, d] + B[a, e]
                                C[a, b] = C[b, a] + C[a, c] + C[a, d] + C[b, c] + C[b, d] + C[c, d] + C[a, e]
                                A[c, d] = A[d, c] + A[a + l, c] + A[a, d + l] + A[b + l, c] + A[b, f] + A[c, g] + A[a, h]
                                B[c, d] = B[d, c] + B[a + l, c] + B[a, d + l] + B[b + l, c] + B[b, f] + B[c, g] + B[a, h]
                                C[c, d] = C[d, c] + C[a + l, c] + C[a, d + l] + C[b + l, c] + C[b, f] + C[c, g] + C[a, h]
                                A[e, f] = A[f, e] + B[e, f] + C[e, f] + A[g, h] + B[g, h] + C[g, h] + B[h, g]
                                B[e, f] = B[f, e] + A[e, f] + C[e, f] + A[g, h] + B[g, h] + C[g, h] + A[h, g]
";

fn names() -> impl Iterator<Item = &'static str> {
    NESTS.iter().map(|n| n.0)
}

fn site(name: &str) -> surface::Site {
    let text = NESTS.iter().find(|n| n.0 == name).map_or("", |n| n.1);
    let used = ["n", "m", "l", "s", "A", "B", "C"].map(str::to_string);
    let scope = ScopeInfo {
        module_level: false,
        local_names: used
            .iter()
            .cloned()
            .chain(
                [
                    "i", "j", "k", "t", "x", "a", "b", "c", "d", "e", "f", "g", "h",
                ]
                .map(String::from),
            )
            .collect(),
        bound_names: used.into_iter().collect(),
        ..ScopeInfo::default()
    };
    parse_site(text, 1, false, &scope).expect("one of the nests above")
}

fn captures(site: &surface::Site) -> Vec<Capture> {
    let capture = |path: &surface::AccessPath| match path.name.as_str() {
        _ if !path.captured => Capture::Unbound,
        "range" => Capture::Known(Known::Builtin(Builtin::Range)),
        "A" | "B" | "C" => Capture::Array {
            kind: ArrayKind::Ndarray,
            storage: Scalar::F64,
            elem: Ty::np(Scalar::F64),
            rank: 2,
            writable: true,
        },
        _ => Capture::Scalar {
            ty: Ty::PY_INT,
            range: Some((0, i32::MAX.into())),
        },
    };
    site.paths.values().map(capture).collect()
}

fn values(site: &surface::Site, size: i64) -> Vec<Value> {
    let value = |path: &surface::AccessPath| match path.name.as_str() {
        // Nobody looks into them; they must not overlap.
        letter @ ("A" | "B" | "C") => Value::Array(ArrayView {
            ptr: (usize::from(letter.as_bytes()[0]) << 32) as *mut u8,
            tags: std::ptr::null_mut(),
            rank: 2,
            extents: [size, size, 0, 0, 0, 0, 0, 0],
            strides: [8 * size, 8, 0, 0, 0, 0, 0, 0],
            size: 8,
        }),
        "n" | "m" | "l" | "s" => Value::Int(size),
        _ => Value::None,
    };
    site.paths.values().map(value).collect()
}

fn nest(site: &surface::Site) -> Nest {
    let settings = lowering::Options {
        python_minor: 11,
        whole_ints: true,
        fp: codegen::FpMode::Strict,
        frames: 850,
    };
    lowering::specialise(site, &captures(site), settings).expect("all types are known")
}

fn plan(site: &surface::Site) -> Plan {
    pipeline::plan(nest(site), &Options::default()).expect("a nest that verifies")
}

fn priced(plan: &Plan, sizes: &Sizes, values: &[Value], options: &Options) -> Decision {
    price(plan, sizes, values, (None, Ready::default()), options)
}

/// Times the way from text to a surface nest.
#[divan::bench(args = names())]
fn parse(bencher: Bencher<'_, '_>, name: &str) {
    bencher.bench_local(|| site(name));
}

/// Times the way from a surface nest and types to a typed nest.
#[divan::bench(args = names())]
fn specialising(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    bencher.bench_local(|| nest(&site));
}

/// Times the way from a typed nest to a plan: proofs, dependences, verdicts, prices per trip.
#[divan::bench(args = names())]
fn planning(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    let options = Options::default();
    bencher
        .with_inputs(|| nest(&site))
        .bench_local_values(|nest| pipeline::plan(nest, &options));
}

/// Times the way from the values of a call to proven guards and trip counts.
#[divan::bench(args = names())]
fn resolving(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    let (plan, values) = (plan(&site), values(&site, 500));
    bencher.bench_local(|| {
        let launch = launch_values(plan.analysed.nest(), &values).expect("all are bound");
        resolve(&plan.analysed, launch, false)
    });
}

/// Times a call whose values are those of an earlier one: what the earlier one found out is found again.
#[divan::bench(args = names())]
fn recalling(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    let (plan, values) = (plan(&site), values(&site, 500));
    let options = Options::default();
    let launch = launch_values(plan.analysed.nest(), &values).expect("all are bound");
    let sizes = Arc::new(resolve(&plan.analysed, launch, false).expect("trip counts that fit"));
    let decision = priced(&plan, &sizes, &values, &options);
    let facts = || {
        let untouched = untouched(plan.analysed.nest(), &values);
        recent::facts(&plan.analysed, &values, &untouched, &Vec::new())
    };
    plan.recent.remember(facts(), &sizes, decision, 0, &options);
    bencher.bench_local(|| {
        let known = plan.recent.find(&facts(), Ready::default(), 0, &options);
        known.is_some()
    });
}

/// Times the way from trip counts to a decision.
#[divan::bench(args = names())]
fn pricing(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    let (plan, values) = (plan(&site), values(&site, 500));
    let options = Options::default();
    let launch = launch_values(plan.analysed.nest(), &values).expect("all are bound");
    let sizes = resolve(&plan.analysed, launch, false).expect("trip counts that fit");
    bencher.bench_local(|| priced(&plan, &sizes, &values, &options));
}

/// Times the way from trip counts to a decision once there is a kernel, which is priced by what it executes.
#[divan::bench(args = names())]
fn pricing_a_kernel(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    let (plan, values) = (plan(&site), values(&site, 500));
    let options = Options::default();
    let launch = launch_values(plan.analysed.nest(), &values).expect("all are bound");
    let sizes = resolve(&plan.analysed, launch, false).expect("trip counts that fit");
    kernel(&plan, &sizes, &values, &options);
    bencher.bench_local(|| priced(&plan, &sizes, &values, &options));
}

/// Times the way from the facts of a call to a schedule and machine code, with no cache on disk.
#[divan::bench(args = names(), sample_count = 20, sample_size = 1)]
fn compiling(bencher: Bencher<'_, '_>, name: &str) {
    let site = site(name);
    let values = values(&site, 500);
    let options = Options::default();
    bencher
        .with_inputs(|| {
            let plan = plan(&site);
            let launch = launch_values(plan.analysed.nest(), &values).expect("all are bound");
            let sizes = resolve(&plan.analysed, launch, false).expect("trip counts that fit");
            (plan, sizes)
        })
        .bench_local_values(|(plan, sizes)| kernel(&plan, &sizes, &values, &options));
}

fn kernel(plan: &Plan, sizes: &Sizes, values: &[Value], options: &Options) -> bool {
    let captured = plan
        .analysed
        .nest()
        .arrays
        .values()
        .map(|a| a.capture as usize);
    let views: Vec<ArrayView> = captured
        .filter_map(|c| match values[c] {
            Value::Array(view) => Some(view),
            _ => None,
        })
        .collect();
    let facts = Facts {
        sizes,
        proven: &sizes.proven,
        elements: IdSet::new(),
        views: &views,
        device: Device::Serial,
        resumed: false,
        value: false,
        quiet: false,
    };
    let key = Key::of_launch(&plan.analysed, &facts, Way::default, options);
    get(plan, &key, options, Instant::now()).is_ok()
}

/// Times the way from a typed nest to machine code as it was written, without a schedule.
#[divan::bench(args = names(), sample_count = 20, sample_size = 1)]
fn compiling_as_written(bencher: Bencher<'_, '_>, name: &str) {
    let nest = nest(&site(name));
    let unit_stride = vec![true; nest.arrays.len()];
    bencher.bench_local(|| {
        codegen::compile(codegen::KernelSpec {
            nest: &nest,
            schedule: &Schedule::serial(),
            disjoint: true,
            unit_stride: &unit_stride,
            fp: codegen::FpMode::Strict,
            quiet: false,
            unchecked: false,
            tier: Default::default(),
        })
    });
}
