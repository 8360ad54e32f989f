//! Tests of verdicts that values decide: with the values of a case, loops are what its trace says.

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{ArrayId, FpMode};
use proptest::prelude::*;

use crate::dependence::Property;
use crate::parallelism::verdict::{
    Analysis, Condition, Memory, Options, Overlap, Verdict, analyse_with,
};
use crate::testing::{Case, Outcome, Touch, Value, case, choices, distances, run};
use crate::tests::properties::{at_least, conflict, resolved, some_bytes, verdicts_hold};
use crate::values::condition::Clause;

/// The conditions of an analysis' loops.
fn conditions(a: &Analysis) -> impl Iterator<Item = &Condition> {
    a.loops.iter().filter_map(|l| match &l.verdict {
        Verdict::When(c) => Some(c),
        _ => None,
    })
}

/// The elements of a slot, if they are ints.
fn ints(c: &Case, array: ArrayId) -> Option<Vec<i128>> {
    let int = |v: &Value| match v {
        Value::Int(v) => Some(*v),
        _ => None,
    };
    c.memory.data.get(array.index())?.iter().map(int).collect()
}

fn has(c: &Case, (array, property): (ArrayId, Property)) -> bool {
    let Some(all) = ints(c, array) else {
        return false;
    };
    let mut sorted = all.clone();
    sorted.sort_unstable();
    match property {
        Property::Sorted => sorted == all,
        Property::Distinct => sorted.windows(2).all(|w| w[0] != w[1]),
    }
}

/// The analysis of a nest in which whatever its conditions ask for is answered by the values of the case.
fn with_values(c: &Case, n: &Nest) -> Analysis {
    let before = analyse_with(n, Options::new(FpMode::Strict));
    let refuted = |clause: &&Clause| clause.holds(&c.values) == Some(false);
    let mut options = Options::new(FpMode::Strict);
    for condition in conditions(&before) {
        options
            .absent
            .extend(condition.absent.iter().filter(refuted).cloned());
        options
            .elements
            .extend(condition.elements.iter().filter(|e| has(c, **e)));
    }
    analyse_with(n, options)
}

fn values_decide(c: &Case) -> Result<(), TestCaseError> {
    let n = resolved(c, &c.nest);
    let before = run(&n, c.memory.clone());
    if before.outcome == Outcome::Budget {
        return Ok(());
    }
    verdicts_hold(c, &n, &before, &with_values(c, &n))
}

/// Checks that with two slots in one memory, no byte is touched twice in loops that are called parallel.
fn overlaps_decide(c: &Case, shift: i64) -> Result<(), TestCaseError> {
    let n = resolved(c, &c.nest);
    let pair = (0..3).filter_map(|first| {
        let second = first + 1..n.arrays.len();
        let rank = |a: usize| n.arrays[ArrayId(a as u32)].rank;
        let mut second = second.filter(|b| rank(*b) == 1 && rank(first) == 1 && *b != 4);
        Some((first, second.next()?))
    });
    for (a, b) in pair {
        let overlap = Overlap {
            a: ArrayId(a as u32),
            b: ArrayId(b as u32),
            shift: Some(vec![shift]),
        };
        let options = |absent: Vec<Clause>| Options {
            memory: Memory::Overlaps(vec![overlap.clone()]),
            absent,
            ..Options::new(FpMode::Strict)
        };
        let before = analyse_with(&n, options(vec![]));
        let all = conditions(&before).flat_map(|c| c.absent.clone());
        let refuted = all.filter(|clause| clause.holds(&c.values) == Some(false));
        let analysis = analyse_with(&n, options(refuted.collect()));
        let trace = run(&n, c.memory.clone());
        let one_memory = |t: &Touch| match t.object {
            object if object == b => Touch {
                object: a,
                element: (t.element as i64 + shift + 100) as usize,
                ..t.clone()
            },
            object if object == a => Touch {
                element: t.element + 100,
                ..t.clone()
            },
            _ => t.clone(),
        };
        for (id, info) in n.loops.ids().zip(&analysis.loops) {
            if !info.is_parallel() {
                continue;
            }
            let unshared = |x: ArrayId| {
                info.private_arrays.contains(&x) || info.array_reductions.iter().any(|r| r.0 == x)
            };
            let before = |t: &Touch| {
                info.anti_dependence_copies
                    .iter()
                    .any(|r| r.reads.contains(&t.access))
            };
            let shared = |t: &&Touch| !unshared(n.accesses[t.access].array) && !before(t);
            let touches: Vec<Touch> = trace
                .touches
                .iter()
                .filter(shared)
                .map(one_memory)
                .collect();
            let found = conflict(&touches, id);
            prop_assert!(
                found.is_none(),
                "{id} is called parallel with slot {b} at {shift} of slot {a}: {:?}\n{}",
                found.map(|(x, y)| (&touches[x], &touches[y])),
                c.text
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(at_least(500))]

    #[test]
    fn conditions_hold(bytes in prop::collection::vec(any::<u8>(), 20..90)) {
        values_decide(&distances(&bytes))?;
        values_decide(&choices(&bytes))?;
        values_decide(&case(&bytes))?;
    }

    #[test]
    fn overlaps_are_seen(bytes in prop::collection::vec(any::<u8>(), 20..90), shift in -4i64..5) {
        overlaps_decide(&distances(&bytes), shift)?;
        overlaps_decide(&choices(&bytes), shift)?;
    }
}

/// Values, and elements too, make some loops of random nests parallel and keep others in order.
#[test]
fn values_decide_something() {
    let mut seed = 11u64;
    let (mut freed, mut kept, mut inspected) = (0, 0, 0);
    for _ in 0..400 {
        let c = distances(&some_bytes(&mut seed, 60));
        let n = resolved(&c, &c.nest);
        let before = analyse_with(&n, Options::new(FpMode::Strict));
        let after = with_values(&c, &n);
        for (x, y) in before.loops.iter().zip(&after.loops) {
            let Verdict::When(condition) = &x.verdict else {
                continue;
            };
            if condition.absent.is_empty() && condition.elements.is_empty() {
                continue;
            }
            freed += u32::from(y.is_parallel());
            kept += u32::from(!y.is_parallel());
            inspected += u32::from(y.is_parallel() && !condition.elements.is_empty());
        }
    }
    assert!(
        freed > 40 && kept > 40 && inspected > 5,
        "{freed} {kept} {inspected}"
    );
}
