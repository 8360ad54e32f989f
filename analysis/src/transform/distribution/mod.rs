//! One loop made into several.

pub(crate) mod legality;
pub(crate) mod recomputation;

use nestwise_ir::model::nest::{For, Stmt, StmtKind};
use nestwise_ir::{LoopId, VarId};

use crate::parallelism::legality::Given;
use crate::transform::build::{Builder, hidden, like, rename};
use crate::transform::distribution::legality::Group;
use crate::transform::rewritten::{Rewritten, compact, splice_for};

/// The nest with loops made into one loop for each group of their statements (a cheap value that several of them use is
/// computed in each), where some parallel group is `worth` it.
pub fn distribute(given: &Given<'_>, worth: &dyn Fn(&[&Stmt]) -> bool) -> Option<Rewritten> {
    let mut todo: Vec<(LoopId, Vec<Group>)> = vec![];
    given.nest.walk(&mut |s| {
        let StmtKind::For(l) = &s.kind else { return };
        // The top loop has to stay the only one.
        if l.id != LoopId(0)
            && let Some(groups) = given.may_distribute(l)
            && groups.iter().filter(|g| g.parallel).any(|g| {
                let body: Vec<&Stmt> = g.statements.iter().map(|p| &l.body[*p]).collect();
                worth(&body)
            })
        {
            todo.push((l.id, groups));
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    let mut made = vec![];
    for (id, groups) in todo {
        let copies: Option<Vec<(LoopId, VarId)>> = (1..groups.len())
            .map(|_| Some((like(&mut nest, id)?, hidden(&mut nest))))
            .collect();
        let copies = copies?;
        // Each of them runs if the loop itself did.
        made.extend(copies.iter().map(|_| (id, given.runs(id))));
        splice_for(std::slice::from_mut(&mut nest.top), id, &mut |s| {
            divide(s, &groups, &copies)
        });
    }
    compact(&mut nest);
    Some(Rewritten::of(
        "distribution",
        nest,
        given.analysis.options.nonempty,
        &made,
    ))
}

/// A loop for each group; all but the last have a number and a counter of their own.
fn divide(s: Stmt, groups: &[Group], copies: &[(LoopId, VarId)]) -> Vec<Stmt> {
    let span = s.span;
    let StmtKind::For(l) = s.kind else {
        return vec![s];
    };
    let own = copies.iter().copied().chain([(l.id, l.counter)]);
    let part = |(group, (id, counter)): (&Group, (LoopId, VarId))| {
        let statements = group.statements.iter();
        let mut body: Vec<Stmt> = statements.filter_map(|p| l.body.get(*p).cloned()).collect();
        body.iter_mut().for_each(|s| rename(s, l.counter, counter));
        let header = For {
            id,
            counter,
            start: l.start.clone(),
            stop: l.stop.clone(),
            step: l.step.clone(),
            body,
        };
        Builder { span }.repeat(header)
    };
    groups.iter().zip(own).map(part).collect()
}
