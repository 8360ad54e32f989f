//! The text form of a nest after one rewriting.

use std::fmt::Write as _;

use nestwise_analysis::LaunchInfo;
use nestwise_analysis::launch_info::TILE;
use nestwise_analysis::structure::find_for;
use nestwise_analysis::transform;
use nestwise_ir::Nest;
use nestwise_ir::testing::assert_round_trip;
use nestwise_ir::verifier::verify;

use crate::file::FileTest;
use crate::passes::{band_of, loop_of, loops_of};

pub(super) fn output(test: &FileTest) -> Result<String, String> {
    let nest = test.nest()?;
    let analysis = test.analysis(&nest);
    let given = test.given(&nest, &analysis);
    let info = LaunchInfo {
        assumed: analysis.options.clone(),
        ..LaunchInfo::guess(&nest, test.fp())
    };
    let [name, words @ ..] = test.arguments() else {
        return Err("`# test transform REWRITING LOOPS` is asked".into());
    };
    let made: Option<Nest> = match (name.as_str(), words) {
        ("interchange", words) => {
            let (band, order) = band_of(words)?;
            transform::interchange(&given, &band, &order).map(|made| made.nest)
        }
        ("sink", []) => transform::sink_statements(&given),
        ("fusion", [first, second]) => {
            transform::fuse(&given, loop_of(first)?, loop_of(second)?).map(|made| made.nest)
        }
        ("distribution", []) => transform::distribute(&given, &|_| true).map(|made| made.nest),
        ("index-set-splitting", words) => {
            let mut todo = vec![];
            for id in loops_of(words)? {
                let l = find_for(&nest, id).ok_or(format!("no `for` is {id}"))?;
                todo.extend(given.may_split_index_set(l).map(|split| (id, split)));
            }
            match todo.is_empty() {
                true => None,
                false => transform::split_index_set(&given, &todo).map(|made| made.nest),
            }
        }
        ("induction-variable-substitution", []) => {
            transform::substitute_induction(&given).map(|made| made.nest)
        }
        ("best-value", []) => transform::keep_best_value(&given).map(|made| made.nest),
        ("scalar-replacement", []) => transform::replace_scalars(&given, analysis.options.nonempty),
        ("loop-versioning", []) => transform::version_loops(&nest, &info).map(|made| made.nest),
        ("sinking-of-the-top-loop", []) => {
            transform::sink_top_loop(&nest, &analysis).map(|made| made.nest)
        }
        ("wavefront", [outer, inner]) => {
            let band = [loop_of(outer)?, loop_of(inner)?];
            transform::wavefront(&given, band, TILE).map(|waved| waved.made.nest)
        }
        ("peeling", [word]) => return peeled(&nest, word),
        (other, _) => return Err(format!("`{other}` of these loops is no rewriting")),
    };
    Ok(match made {
        Some(made) => {
            verify(&made)?;
            assert_round_trip(&made);
            made.to_string()
        }
        None => "unchanged".to_string(),
    })
}

/// The interior of a loop after peeling: its bounds, and its body there.
fn peeled(nest: &Nest, word: &str) -> Result<String, String> {
    let l = find_for(nest, loop_of(word)?).ok_or(format!("no `for` is {word}"))?;
    let Some(interior) = transform::peeling::split(nest, l) else {
        return Ok("unchanged".to_string());
    };
    let mut out = String::new();
    for bound in &interior.lower {
        let _ = writeln!(out, "from {bound}");
    }
    for bound in &interior.upper {
        let _ = writeln!(out, "before {bound}");
    }
    for s in &interior.body {
        let _ = write!(out, "{s}");
    }
    Ok(out)
}
