//! The output of each pass.

mod codegen;
mod dependence;
mod legality;
mod schedule;
mod transform;

use nestwise_frontend::surface_text;
use nestwise_ir::testing::assert_round_trip;
use nestwise_ir::verifier::verify_after;

use crate::file::FileTest;

/// The output of the pass that `test` names.
pub(crate) fn output(test: &FileTest) -> Result<String, String> {
    match test.pass() {
        "parse" => Ok(parse(test)),
        "lower" => Ok(lower(test)),
        "dependence" => dependence::output(test),
        "legality" => legality::output(test),
        "transform" => transform::output(test),
        "schedule" => schedule::output(test),
        "codegen" => codegen::output(test),
        other => Err(format!("no pass is named `{other}`")),
    }
}

/// The surface nest, or why there is none.
fn parse(test: &FileTest) -> String {
    match test.script().site() {
        Ok(site) => surface_text::site(&site),
        Err(all) => all
            .iter()
            .map(|e| format!("refused {}: {e}\n", e.error.code()))
            .collect(),
    }
}

/// The typed nest, or with `work` what CPython does in it; or why there is none.
fn lower(test: &FileTest) -> String {
    match test.lowered() {
        Ok(nest) => {
            verify_after("lowering", &nest);
            assert_round_trip(&nest);
            match test.arguments() {
                [word] if word == "work" => nest.work.to_string(),
                _ => nest.to_string(),
            }
        }
        Err(refused) => refused,
    }
}

/// The loop that a word names, as in `L1`.
fn loop_of(word: &str) -> Result<nestwise_ir::LoopId, String> {
    let number = word.strip_prefix('L').and_then(|n| n.parse().ok());
    number
        .map(nestwise_ir::LoopId)
        .ok_or(format!("`{word}` is no loop"))
}

/// The loops that words name.
fn loops_of(words: &[String]) -> Result<Vec<nestwise_ir::LoopId>, String> {
    words.iter().map(|w| loop_of(w)).collect()
}

/// A band of loops, and the order of its loops that the words ask for.
fn band_of(words: &[String]) -> Result<(Vec<nestwise_ir::LoopId>, Vec<usize>), String> {
    let wanted = loops_of(words)?;
    let mut band = wanted.clone();
    band.sort();
    let order = wanted.iter().map(|id| band.iter().position(|b| b == id));
    let order = order.collect::<Option<Vec<usize>>>().ok_or("no band")?;
    Ok((band, order))
}
