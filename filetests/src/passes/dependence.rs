//! The dependences of a nest, then what each of its loops may do.

use std::fmt::Write as _;

use nestwise_analysis::dependence::{Dependence, Guarded, Kind, Pair, Tester};
use nestwise_ir::{AccessId, Nest};

use crate::file::FileTest;

pub(super) fn output(test: &FileTest) -> Result<String, String> {
    let nest = test.nest()?;
    let analysis = test.analysis(&nest);
    let tester = Tester::new(&nest, &analysis.forms, Guarded::Trusted);
    let mut out = String::new();
    let all = || analysis.forms.accesses.iter().flatten();
    for x in all() {
        for y in all().filter(|y| y.array == x.array && (x.store || y.store)) {
            for d in tester.dependences(Pair::new(x, y)) {
                let _ = writeln!(out, "{}", told(&nest, &d));
            }
        }
    }
    for id in nest.loops.ids() {
        let _ = writeln!(out, "{id}: {}", analysis.explain(&nest, id));
    }
    Ok(out)
}

/// A dependence as text, as in `flow b: x1 line 5 -> x0 line 5 (<) distance (1)`; `perhaps` where data may decide.
fn told(nest: &Nest, d: &Dependence) -> String {
    let kind = match d.kind {
        Kind::Flow => "flow",
        Kind::Anti => "anti",
        Kind::Output => "output",
    };
    let place = |id: AccessId| format!("{id} line {}", nest.accesses[id].span.line);
    let directions: Vec<String> = d.directions.iter().map(|d| d.to_string()).collect();
    let distance = d
        .distance
        .iter()
        .map(|n| n.map_or("?".into(), |n| n.to_string()));
    let distance: Vec<String> = distance.collect();
    format!(
        "{}{kind} {}: {} -> {} ({}) distance ({})",
        if d.exact { "" } else { "perhaps " },
        nest.arrays[nest.accesses[d.src].array].name,
        place(d.src),
        place(d.dst),
        directions.join(", "),
        distance.join(", ")
    )
}
