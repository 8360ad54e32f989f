//! Tests that compare reported dependences with those of traces: each one of a trace is reported, and where everything
//! is known, each one reported is in the trace.

use std::collections::HashSet;

use nestwise_ir::Nest;
use proptest::prelude::*;

use crate::dependence::{Dir, Guarded, Pair, Tester};
use crate::testing::{Case, Outcome, Traced, affine_case, case, choices, run, traced};
use crate::tests::properties::at_least;
use crate::values::forms::{Extents, Forms};
use crate::values::range::ranges;

fn forms_of(nest: &Nest) -> Forms {
    crate::values::walk::forms(nest, &ranges(nest), Extents::Opaque)
}

/// Every dependence that the analysis reports, and, among those, the ones that it calls exact.
fn reported(nest: &Nest, guarded: Guarded) -> (HashSet<Traced>, HashSet<Traced>) {
    let forms = forms_of(nest);
    let tester = Tester::new(nest, &forms, guarded);
    let (mut all, mut exact) = (HashSet::new(), HashSet::new());
    let accesses = || forms.accesses.iter().flatten();
    for x in accesses() {
        for y in accesses().filter(|y| y.array == x.array && (x.store || y.store)) {
            for d in tester.dependences(Pair::new(x, y)) {
                if d.exact {
                    exact.insert((d.src, d.dst, d.directions.clone()));
                }
                all.insert((d.src, d.dst, d.directions));
            }
        }
    }
    (all, exact)
}

fn text_of((x, y, dirs): &Traced, nest: &Nest) -> String {
    let place = |a| {
        let access = &nest.accesses[a];
        let what = if access.store { "written" } else { "read" };
        format!(
            "{} {what} on line {}",
            nest.arrays[access.array].name, access.span.line
        )
    };
    let dirs: Vec<String> = dirs.iter().map(Dir::to_string).collect();
    format!("{}, then {}: ({})", place(*x), place(*y), dirs.join(", "))
}

fn all_reported(c: &Case, guarded: Guarded) -> Result<(), TestCaseError> {
    if c.text.contains("swap") {
        // Slots are other arrays in other iterations: loops that swap have no verdict but serial.
        return Ok(());
    }
    let trace = run(&c.nest, c.memory.clone());
    let Some(traced) = traced(&trace.touches) else {
        return Ok(());
    };
    let (reported, _) = reported(&c.nest, guarded);
    for t in &traced {
        let missing = || format!("{} is missing\n{}", text_of(t, &c.nest), c.text);
        prop_assert!(reported.contains(t), "{}", missing());
    }
    Ok(())
}

proptest! {
    #![proptest_config(at_least(2000))]

    /// Tests nests of every kind: conditions and subscripts that depend on data, jumps, `while` loops.
    #[test]
    fn all_of_a_trace_are_reported(bytes in prop::collection::vec(any::<u8>(), 20..160)) {
        all_reported(&case(&bytes), Guarded::Anywhere)?;
    }

    /// Tests subscripts and bounds that conditions choose; none is negative, so that nothing wraps.
    #[test]
    fn all_of_a_trace_of_choices_are_reported(bytes in prop::collection::vec(any::<u8>(), 10..80)) {
        all_reported(&choices(&bytes), Guarded::Trusted)?;
    }

    /// Tests nests in which everything is known.
    #[test]
    fn all_that_is_reported_is_in_the_trace(bytes in prop::collection::vec(any::<u8>(), 10..90)) {
        let (text, nest, memory) = affine_case(&bytes);
        let trace = run(&nest, memory);
        prop_assert_eq!(trace.outcome, Outcome::Done, "{}", text);
        let Some(traced) = traced(&trace.touches) else { return Ok(()) };
        let (reported, exact) = reported(&nest, Guarded::Trusted);
        for t in &traced {
            prop_assert!(reported.contains(t), "{} is missing\n{text}", text_of(t, &nest));
        }
        for t in &reported {
            prop_assert!(traced.contains(t), "{} is not there\n{text}", text_of(t, &nest));
            prop_assert!(exact.contains(t), "{} is not called exact\n{text}", text_of(t, &nest));
        }
    }
}

/// The random nests have dependences, of all kinds and directions.
#[test]
fn random_nests_depend() {
    let mut seed = 3u64;
    let (mut dependent, mut vectors) = (0, HashSet::new());
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..80)
            .map(|_| {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (seed >> 33) as u8
            })
            .collect();
        let (_, nest, memory) = affine_case(&bytes);
        let found = traced(&run(&nest, memory).touches).unwrap_or_default();
        dependent += u32::from(!found.is_empty());
        vectors.extend(
            found
                .into_iter()
                .map(|t| t.2.iter().map(Dir::to_string).collect::<String>()),
        );
    }
    assert!(
        dependent > 100 && vectors.len() > 25,
        "{dependent} {vectors:?}"
    );
}
