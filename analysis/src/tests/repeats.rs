//! Tests of values that are computed again in each of the loops that a loop is distributed into.

use nestwise_ir::{FpMode, IdSet, LoopId};
use proptest::prelude::*;

use crate::parallelism::legality::Given;
use crate::parallelism::verdict::{Options, analyse_with};
use crate::structure::find_for;
use crate::testing::{Memory, Outcome, Value, nest, run};
use crate::tests::properties::outs;
use crate::tests::schedules::clear;
use crate::transform::distribute;

const HEADER: &str = "a: f64[1], b: f64[1], c: f64[1], t: float, u: float, out t, out u";

/// The extent of the arrays' axes: every subscript below is inside.
const ROWS: i64 = 12;

struct Gen<'a>(std::slice::Iter<'a, u8>);

impl Gen<'_> {
    fn pick(&mut self, of: u8) -> u8 {
        self.0.next().copied().unwrap_or(0) % of
    }
    fn element(&mut self) -> String {
        let array = ["a", "b", "c"][usize::from(self.pick(3))];
        format!("{array}[i + {}]", self.pick(3))
    }
    fn text(&mut self) -> String {
        let mut lines = vec![
            format!("t = {} * 0.5", self.element()),
            format!("u = t + {}", self.element()),
        ];
        for _ in 0..2 + self.pick(2) {
            let value = ["t", "u", "1.0"][usize::from(self.pick(3))];
            let (to, other) = (self.element(), self.element());
            lines.push(format!("{to} = {other} + {value}"));
            if self.pick(6) == 0 {
                lines.push(format!("t = {}", self.element()));
            }
        }
        format!(
            "for r in range(2):\n    for i in range(8):\n        {}",
            lines.join("\n        ")
        )
    }
}

/// Checks that the memory that a case leaves stays the same. Returns whether the loop was distributed, and whether a
/// statement of it is then in more than one loop.
fn divided(bytes: &[u8]) -> Result<(bool, bool), TestCaseError> {
    let text = Gen(bytes.iter()).text();
    let n = clear(&nest(HEADER, &text));
    let options = Options {
        nonempty: IdSet::all(),
        ..Options::new(FpMode::Strict)
    };
    let given = Given {
        nest: &n,
        analysis: &analyse_with(&n, options),
        disjoint: true,
        undo: true,
    };
    let Some(made) = distribute(&given, &|_| true) else {
        return Ok((false, false));
    };
    nestwise_ir::verifier::verify(&made.nest).map_err(TestCaseError::fail)?;
    let groups = find_for(&n, LoopId(1)).and_then(|l| given.may_distribute(l));
    let places: usize = groups.iter().flatten().map(|g| g.statements.len()).sum();
    let statements = find_for(&n, LoopId(1)).map_or(0, |l| l.body.len());
    let row = |slot: i64| {
        let value = |k: i64| Value::Float(((k * 7 + slot * 5 + k * k) % 11) as f64);
        (0..ROWS).map(value).collect()
    };
    let memory = Memory {
        data: (0..3).map(row).collect(),
        dims: vec![vec![ROWS]; 3],
        vars: vec![Some(Value::Float(0.0)); n.vars.len()],
    };
    let (before, after) = (run(&n, memory.clone()), run(&made.nest, memory));
    prop_assert_eq!(after.outcome, Outcome::Done, "{}", &text);
    prop_assert_eq!(&before.memory.data, &after.memory.data, "{}", &text);
    for v in outs(&n) {
        let left = [&before, &after].map(|t| t.memory.vars[v.index()]);
        prop_assert_eq!(left[0], left[1], "{}\n{}", v, &text);
    }
    Ok((true, places > statements))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(2000), max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_computed_again_are_the_same(bytes in prop::collection::vec(any::<u8>(), 24)) {
        divided(&bytes)?;
    }
}

/// Random loops are distributed often, and repeat values often.
#[test]
fn random_loops_repeat_values() {
    let mut seed = 1u64;
    let (mut made, mut repeated) = (0, 0);
    for _ in 0..500 {
        let mut byte = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as u8
        };
        let bytes: Vec<u8> = (0..24).map(|_| byte()).collect();
        let (divided, again) = divided(&bytes).expect("the same memory");
        made += usize::from(divided);
        repeated += usize::from(again);
    }
    println!("made {made} repeated {repeated}");
    assert!(made > 60 && repeated > 30);
}
