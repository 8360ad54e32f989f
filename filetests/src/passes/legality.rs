//! Whether a rewriting keeps the meaning of a nest.

use nestwise_analysis::structure::find_for;

use crate::file::FileTest;
use crate::passes::{band_of, loop_of, loops_of};

pub(super) fn output(test: &FileTest) -> Result<String, String> {
    let nest = test.nest()?;
    let analysis = test.analysis(&nest);
    let given = test.given(&nest, &analysis);
    let [question, words @ ..] = test.arguments() else {
        return Err("`# test legality QUESTION LOOPS` is asked".into());
    };
    let a_for =
        |word: &String| find_for(&nest, loop_of(word)?).ok_or(format!("no `for` is {word}"));
    let answer = |legal: bool| if legal { "legal" } else { "illegal" }.to_string();
    Ok(match (question.as_str(), words) {
        ("interchange", words) => {
            let (band, order) = band_of(words)?;
            answer(given.may_interchange(&band, &order))
        }
        ("tile", words) => answer(given.may_tile(&loops_of(words)?)),
        ("skew", [outer, inner]) => match given.may_skew([loop_of(outer)?, loop_of(inner)?]) {
            Some(factor) => format!("legal by a factor of {factor}"),
            None => answer(false),
        },
        ("fusion", [first, second]) => answer(given.may_fuse(loop_of(first)?, loop_of(second)?)),
        // Whether anything but dependences through memory keeps the iterations in order.
        ("guards", words) => answer(given.may_reorder(&loops_of(words)?)),
        ("distribution", [word]) => match given.may_distribute(a_for(word)?) {
            Some(groups) => groups
                .iter()
                .map(|g| group(&g.statements, g.parallel))
                .collect(),
            None => answer(false),
        },
        ("parallel", [word]) => {
            let id = loop_of(word)?;
            match analysis.may_run_parallel(id) {
                Some(mapped) => format!("threads {mapped}"),
                None => format!("illegal: {}", analysis.explain(&nest, id)),
            }
        }
        ("vector", [word]) => answer(given.may_run_in_lockstep(a_for(word)?)),
        (other, _) => return Err(format!("`{other}` of these loops is no question")),
    })
}

/// A loop of a distributed nest as text, as in `parallel loop of statements 0, 2`.
fn group(statements: &[usize], parallel: bool) -> String {
    let statements: Vec<String> = statements.iter().map(usize::to_string).collect();
    let kind = if parallel { "parallel" } else { "serial" };
    format!("{kind} loop of statements {}\n", statements.join(", "))
}
