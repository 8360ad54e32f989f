//! Loads that find what was there before their loop.

use nestwise_ir::schedule::{AntiDependenceCopy, Window};
use nestwise_ir::{FpMode, Nest};
use proptest::prelude::*;

use crate::parallelism::verdict::{Analysis, Options, Verdict, analyse, analyse_with};
use crate::testing::{Case, Memory, Outcome, Value, nest, run};
use crate::tests::properties::{check_verdicts, resolved, verdicts_hold};
use crate::tests::verdicts::proven;
use crate::{LaunchValues, Staged};

const HEADER: &str = "n: int, m: int, x: float, a: f64[1], b: f64[2], k: i64[1]";

#[test]
fn reads_of_what_later_iterations_write() {
    let cases: &[(&str, &str)] = &[
        ("for i in range(n):\n    a[i] = a[i + 1] * x", "N"),
        ("for i in range(n - 1, -1, -1):\n    a[i + 1] = a[i]", "N"),
        ("for i in range(n):\n    a[i] = a[2 * i + 1]", "N"),
        (
            "for i in range(0, n, 2):\n    a[i] = a[i + 1] + a[i + 4]",
            "N",
        ),
        // Nothing but odd elements is read.
        ("for i in range(0, n, 2):\n    a[i] = a[i + 1]", "P"),
        // What the iteration itself wrote is read from the array.
        (
            "for i in range(n):\n    a[i] = a[i + 1]\n    b[i, 0] = a[i]",
            "N",
        ),
        (
            "for i in range(n):\n    a[i] = x\n    b[i, 0] = a[i] + a[i + 1]",
            "N",
        ),
        // A read that the iteration's own write may reach, and another iteration's may follow.
        (
            "for i in range(n):\n    a[i] = x\n    b[i, 0] = a[i + k[i]]",
            "D",
        ),
        (
            "for i in range(n):\n    if x > 0.0:\n        a[i] = a[i + 1]",
            "N",
        ),
        // Something flows, or is written twice.
        ("for i in range(1, n):\n    a[i] = a[i + 1] + a[i - 1]", "D"),
        ("for i in range(n):\n    a[i] = a[n - 1 - i]", "D"),
        (
            "for i in range(n):\n    a[i] = a[i + 1]\n    a[i + 1] = x",
            "D",
        ),
        // Down the half that is not written, nothing flows.
        (
            "for i in range(n):\n    a[i] = a[2 * n - i] + a[i + 2]",
            "N",
        ),
        // Rows from the ones below, in place; along a row one element flows.
        (
            "for i in range(n):\n    for j in range(1, m):\n        b[i, j] = b[i + 1, j] + b[i + 1, j - 1]",
            "NP",
        ),
        (
            "for i in range(n):\n    for j in range(1, m):\n        b[i, j] = b[i + 1, j] + b[i, j - 1]",
            "ND",
        ),
        (
            "for i in range(n):\n    for j in range(m):\n        b[i, j] = b[i + 1, j] + b[i, j + 1]",
            "NN",
        ),
        // An element that the loop inside wrote before, in the same iteration of the outer one.
        (
            "for i in range(n):\n    for j in range(m):\n        a[i + j] = a[i + j + 1]",
            "DN",
        ),
        // A sum over rows that are still to come.
        (
            "for i in range(n):\n    for j in range(i + 1, n):\n        b[i, 0] = b[i, 0] + b[j, 0]",
            "ND",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(proven(HEADER, body), *expected, "{body}");
    }
}

/// What is copied before the first loop of a body.
fn named(body: &str) -> AntiDependenceCopy {
    let n = crate::tests::schedules::clear(&nest(HEADER, body));
    let found = analyse(&n, FpMode::Strict)
        .loops
        .swap_remove(0)
        .anti_dependence_copies;
    let [one] = <[AntiDependenceCopy; 1]>::try_from(found).expect("one array");
    one
}

#[test]
fn how_far_and_where() {
    let along = |axis, scale, least, most| {
        Some(Window {
            axis,
            scale,
            least,
            most,
        })
    };
    for (body, reads, reach, window) in [
        (
            "for i in range(n):\n    a[i] = a[i + 1] * a[i + 3]",
            2,
            Some(3),
            along(0, 1, 1, 3),
        ),
        (
            "for i in range(0, n, 2):\n    a[i] = a[i + 2] * a[i + 1]",
            1,
            None,
            along(0, 1, 2, 2),
        ),
        (
            "for i in range(n, 0, -1):\n    a[i + 1] = a[i]",
            1,
            Some(1),
            along(0, 1, 0, 0),
        ),
        (
            "for i in range(n):\n    a[n - i] = a[n - i - 1]",
            1,
            Some(1),
            None,
        ),
        (
            "for i in range(n):\n    a[5 - i] = a[4 - i]",
            1,
            Some(1),
            along(0, -1, 4, 4),
        ),
        ("for i in range(n):\n    a[i] = a[2 * i + 1]", 1, None, None),
    ] {
        let found = named(body);
        assert_eq!(
            (found.reads.len(), found.reach, found.window),
            (reads, reach, window),
            "{body}"
        );
    }
    let rows =
        "for i in range(n):\n    for j in range(m):\n        b[i, j] = b[i + 1, j] + b[i, j + 1]";
    let found = named(rows);
    assert_eq!((found.reads.len(), found.reach), (1, Some(1)));
    assert_eq!(found.window, along(0, 1, 1, 1));
}

/// Extents of the arrays of [`HEADER`]: every subscript below is inside.
const DIMS: [&[i64]; 3] = [&[48], &[24, 24], &[4]];

struct Gen<'a>(std::slice::Iter<'a, u8>);

impl Gen<'_> {
    fn pick(&mut self, of: u8) -> i64 {
        i64::from(self.0.next().copied().unwrap_or(0) % of)
    }
    fn near(&mut self, v: &str) -> String {
        match self.pick(16) {
            9 => format!("2 * {v} + {}", self.pick(4)),
            8 => format!("20 - {v}"),
            7 => format!("{v} + m"),
            6 => format!("{v} - m + 3"),
            p => format!("{v} + {}", p % 4),
        }
    }
    fn element(&mut self, j: &str) -> String {
        match self.pick(4) {
            0 => format!("b[{}, {}]", self.near("i"), self.near(j)),
            1 => format!("a[{}]", self.near(j)),
            _ => format!("a[{}]", self.near("i")),
        }
    }
    fn statement(&mut self, pad: &str, j: &str) -> String {
        let (to, from, other) = (self.element(j), self.element(j), self.element(j));
        match self.pick(5) {
            0 => format!("{pad}t = {from}\n{pad}{to} = t * x\n"),
            1 => format!("{pad}if {other} > x:\n{pad}    {to} = {from}\n"),
            2 => format!("{pad}{to} = {from} + {other}\n"),
            _ => format!("{pad}{to} = {from} - 1.0\n"),
        }
    }
    fn head(&mut self, v: &str) -> String {
        match self.pick(4) {
            0 => format!("for {v} in range(n, -1, -1):\n"),
            1 => format!("for {v} in range(0, n, 2):\n"),
            _ => format!("for {v} in range({}, n):\n", self.pick(3)),
        }
    }
    fn text(&mut self) -> String {
        let mut text = self.head("i");
        if self.pick(3) == 0 {
            text += &format!("    {}", self.head("j"));
            (0..=self.pick(2)).for_each(|_| text += &self.statement("        ", "j"));
            return text;
        }
        (0..=self.pick(3)).for_each(|_| text += &self.statement("    ", "i"));
        text
    }
}

fn case(bytes: &[u8]) -> Case {
    let mut g = Gen(bytes.iter());
    let n = 3 + g.pick(7);
    let ints = [n, g.pick(4)];
    let text = g.text();
    let nest = nest(HEADER, text.trim_end());
    let mut values = LaunchValues::unknown(&nest);
    let mut vars = vec![None; nest.vars.len()];
    let live = nest.vars.iter().filter(|(_, d)| d.live_in.is_some());
    for (k, (id, _)) in live.enumerate() {
        let int = ints.get(k).copied();
        vars[id.index()] = Some(int.map_or(Value::Float(2.0), |v| Value::Int(v.into())));
        values.vars[id.index()] = int;
    }
    let mut data = vec![];
    for (slot, dims) in DIMS.iter().enumerate() {
        values.dims[slot][..dims.len()].copy_from_slice(dims);
        let number = |i: i64| (i * 7 + slot as i64 * 5 + i * i * 3) % 11;
        let value = |i: i64| match slot {
            2 => Value::Int(number(i).into()),
            _ => Value::Float(number(i) as f64 - 4.0),
        };
        data.push((0..dims.iter().product()).map(value).collect());
    }
    let dims = DIMS.iter().map(|d| d.to_vec()).collect();
    Case {
        text,
        nest,
        memory: Memory { data, dims, vars },
        values,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(4000), max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Run backwards, with loads of copies reading what was there before the loop, loops leave the same memory; and
    /// loads and stores are where, and as many iterations apart, as the analysis says.
    #[test]
    fn claims_about_loads_of_copies_hold(bytes in prop::collection::vec(any::<u8>(), 10..60)) {
        let c = case(&bytes);
        nestwise_ir::verifier::verify(&c.nest).map_err(TestCaseError::fail)?;
        let before = run(&c.nest, c.memory.clone());
        prop_assert!(!matches!(before.outcome, Outcome::Violation(_)), "{:?}\n{}", before.outcome, c.text);
        let n = resolved(&c, &c.nest);
        check_verdicts(&c, &n, &before)?;
        verdicts_hold(&c, &n, &before, &launched(&c, &n))?;
    }
}

/// The analysis of a nest for a launch, with the clauses that its values refute.
fn launched(c: &Case, n: &Nest) -> Analysis {
    let staged = Staged::new(n, Options::new(FpMode::Strict));
    let absent = staged.clauses(staged.refuted(&c.values));
    analyse_with(
        n,
        Options {
            absent,
            ..Options::new(FpMode::Strict)
        },
    )
}

/// The numbers of a launch decide for `a[i] = a[i + m]` whether the loop is for threads, and whether it needs a copy.
#[test]
fn a_launch_says_whether_copies_are_needed() {
    let n =
        crate::tests::schedules::clear(&nest(HEADER, "for i in range(n):\n    a[i] = a[i + m]"));
    let staged = Staged::new(&n, Options::new(FpMode::Strict));
    assert_eq!(staged.verdicts(&n).loops[0].anti_dependence_copies.len(), 1);
    let able = |trips: i64, by: i64| {
        let mut values = LaunchValues::unknown(&n);
        values.dims[0][0] = 100;
        let live = n.vars.iter().filter(|(_, d)| d.live_in.is_some());
        for ((id, _), v) in live.zip([trips, by]) {
            values.vars[id.index()] = Some(v);
        }
        let proven = crate::GuardSet::new(crate::guards::count(&n));
        let able = staged.abilities(&n, staged.refuted(&values), &proven, true);
        able.roots(|_| true)
            .first()
            .map(|t| t.anti_dependence_copies.len())
    };
    assert_eq!(able(10, 1), Some(1));
    assert_eq!(able(10, 10), Some(0));
    assert_eq!(able(10, 0), Some(0));
    assert_eq!(able(10, -1), None);
}

/// The random nests have loops with anti-dependence copies of both kinds, and loops without.
#[test]
fn random_nests_have_loads_of_copies() {
    let mut seed = 1u64;
    let (mut halos, mut copies, mut neither) = (0, 0, 0);
    for _ in 0..1500 {
        let mut byte = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as u8
        };
        let bytes: Vec<u8> = (0..60).map(|_| byte()).collect();
        let c = case(&bytes);
        let n = resolved(&c, &c.nest);
        for info in launched(&c, &n).loops {
            if matches!(info.verdict, Verdict::Parallel | Verdict::Reduction(_)) {
                let (near, far): (Vec<_>, Vec<_>) = info
                    .anti_dependence_copies
                    .iter()
                    .partition(|r| r.is_halo());
                halos += near.len();
                copies += far.len();
            } else {
                neither += 1;
            }
        }
    }
    println!("halos {halos} copies {copies} neither {neither}");
    assert!(halos > 40 && copies > 40 && neither > 100);
}
