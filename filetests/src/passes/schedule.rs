//! The legal schedules that code generation can run.

use std::fmt::Write as _;

use nestwise_analysis::{LaunchInfo, candidates};

use crate::file::FileTest;

pub(super) fn output(test: &FileTest) -> Result<String, String> {
    let nest = test.nest()?;
    let analysis = test.analysis(&nest);
    let info = LaunchInfo {
        assumed: analysis.options.clone(),
        eager: test.has("eager"),
        ..LaunchInfo::guess(&nest, test.fp())
    };
    let mut out = String::new();
    for c in candidates(&nest, &analysis, &info) {
        let rewritten = c.kind.rewrite.name().unwrap_or("as written");
        let _ = writeln!(out, "{rewritten}");
        // All loops are taken to run.
        let schedule = nestwise_ir::Schedule {
            nonempty: nestwise_ir::IdSet::new(),
            ..c.schedule
        };
        if c.kind.rewrite.name().is_some() {
            for line in c.nest.iter().flat_map(loops) {
                let _ = writeln!(out, "  {line}");
            }
        }
        match schedule.to_string() {
            lines if lines.is_empty() => out += "  serial\n",
            lines => lines.lines().for_each(|line| out += &format!("  {line}\n")),
        }
    }
    Ok(out)
}

/// The heads of a nest's loops.
fn loops(nest: &nestwise_ir::Nest) -> Vec<String> {
    let text = nest.to_string();
    let below = text.lines().skip_while(|line| !line.starts_with("top"));
    let heads = below.filter(|line| line.trim_start().starts_with('L'));
    heads
        .map(|line| line.trim_start_matches("  ").to_string())
        .collect()
}
