//! Two loops made into one.

pub(crate) mod legality;

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{For, Stmt, StmtKind};

use crate::parallelism::legality::Given;
use crate::transform::build::rename;
use crate::transform::rewritten::Rewritten;

/// The nest with the iterations of two neighbouring loops in the first of them, if that is legal.
pub fn fuse(given: &Given<'_>, first: LoopId, second: LoopId) -> Option<Rewritten> {
    if !given.may_fuse(first, second) {
        return None;
    }
    let mut nest = given.nest.clone();
    let mut blocks = nest.top.blocks_mut().into_iter();
    let done = blocks.any(|block| join(block, first, second));
    done.then(|| Rewritten::of("fusion", nest, given.analysis.options.nonempty, &[]))
}

/// Appends the body of the second loop to that of the first, anywhere below `block`.
fn join(block: &mut Vec<Stmt>, first: LoopId, second: LoopId) -> bool {
    let is = |s: &Stmt, id: LoopId| matches!(&s.kind, StmtKind::For(l) if l.id == id);
    let Some(at) = block.iter().position(|s| is(s, first)) else {
        let mut blocks = block.iter_mut().flat_map(Stmt::blocks_mut);
        return blocks.any(|inner| join(inner, first, second));
    };
    if !block.get(at + 1).is_some_and(|s| is(s, second)) {
        return false;
    }
    let StmtKind::For(mut other) = block.remove(at + 1).kind else {
        return false;
    };
    let Some(StmtKind::For(For { counter, body, .. })) = block.get_mut(at).map(|s| &mut s.kind)
    else {
        return false;
    };
    let renamed = |s: &mut Stmt| rename(s, other.counter, *counter);
    other.body.iter_mut().for_each(renamed);
    body.append(&mut other.body);
    true
}
