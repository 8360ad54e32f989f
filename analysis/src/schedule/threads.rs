//! Loops for threads: the outermost parallel ones.

use nestwise_ir::ArrayId;
use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::ThreadLoop;

use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Analysis, LoopInfo};
use crate::values::forms::AccessForm;

/// The loops to run on threads: the outermost parallel ones, looked for inside serial ones.
pub fn thread_loops(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<ThreadLoop> {
    let mut out = vec![];
    collect_threads(std::slice::from_ref(&nest.top), analysis, info, &mut out);
    out
}

fn collect_threads(
    block: &[Stmt],
    analysis: &Analysis,
    info: &LaunchInfo,
    out: &mut Vec<ThreadLoop>,
) {
    for s in block {
        if let StmtKind::For(l) = &s.kind
            && let Some(t) = thread_loop(l, analysis, info)
        {
            out.push(t);
            continue;
        }
        for b in s.blocks() {
            collect_threads(b, analysis, info, out);
        }
    }
}

fn thread_loop(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<ThreadLoop> {
    let mapped = analysis.may_run_parallel(l.id)?;
    if info.trips(l.id).is_some_and(|t| t < 2.0) {
        return None;
    }
    let copyable = |a: ArrayId| info.copyable.get(a.index()).copied().unwrap_or(false);
    let worth = info.eager || worth_copying(analysis, &mapped);
    (mapped.copied().all(copyable) && worth).then_some(mapped)
}

/// Whether running a loop on threads is worth its copies. A loop whose iterations only overwrite the same results is
/// not: it does one iteration's work. Nor is it if a loop inside shares out the same elements among its own iterations
/// without copies, or if an array would have to be copied whole because of what later iterations write.
fn worth_copying(analysis: &Analysis, mapped: &ThreadLoop) -> bool {
    let inside = |a: &&AccessForm| a.loops.contains(&mapped.id);
    let all = || analysis.forms.accesses.iter().flatten().filter(inside);
    let overwrites = all()
        .filter(|a| a.store)
        .all(|a| mapped.private.contains(&a.array))
        && mapped.reductions.is_empty();
    let shared_out = |a: &AccessForm| {
        let inner = a.loops.iter().skip_while(|l| **l != mapped.id).skip(1);
        inner
            .into_iter()
            .any(|l| analysis.loop_info(*l).is_some_and(LoopInfo::is_parallel))
    };
    let whole = mapped
        .anti_dependence_copies
        .iter()
        .filter(|r| !r.is_halo());
    let updated = mapped.array_reductions.iter().map(|r| r.0);
    let mut updated = updated.chain(whole.map(|r| r.array));
    let spread = |array: ArrayId| all().filter(|a| a.array == array).all(shared_out);
    (mapped.private.is_empty() || !overwrites) && !updated.any(spread)
}
