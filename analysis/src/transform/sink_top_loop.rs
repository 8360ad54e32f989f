//! The iterations of the top loop in a loop inside it.

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind};

use crate::parallelism::verdict::Analysis;
use crate::structure::{any, escapes};
use crate::transform::build::{Builder, hidden, like};
use crate::transform::rewritten::Rewritten;

/// The nest with its top loop run whole ([`Nest::whole`]) and a loop inside it that does what it did, so that it is a
/// loop like the others: it may be moved, made into several, or have what counts along computed. None if it may be left
/// early (how far it came would not be known), or swaps arrays. An event may fire anywhere in a range: as with threads, that range is taken back.
pub fn open(nest: &Nest, analysis: &Analysis) -> Option<Rewritten> {
    let top = nest.top_for()?;
    let left = escapes(&top.body, None);
    let swaps = any(&top.body, &mut |s| matches!(s.kind, StmtKind::Rebind(_)));
    if nest.whole.is_some() || top.step.as_int().is_none() || left || swaps {
        return None;
    }
    let (span, top) = (nest.top.span, top.clone());
    let mut nest = nest.clone();
    let (first, end) = (hidden(&mut nest), hidden(&mut nest));
    let inner = like(&mut nest, LoopId(0))?;
    let b = Builder { span };
    let iterations = b.repeat(For {
        id: inner,
        start: b.var(first),
        stop: b.var(end),
        ..top.clone()
    });
    let shell = For {
        counter: first,
        body: vec![iterations],
        ..top
    };
    nest.top = Stmt {
        kind: StmtKind::For(shell),
        span,
    };
    nest.whole = Some(end);
    Some(Rewritten::of(
        "sinking of the top loop",
        nest,
        analysis.options.nonempty,
        &[(LoopId(0), true)],
    ))
}
