//! Sinking of the top loop: its iterations run in a loop inside it, which is a loop like the others.
//!
//! ```text
//! for i in range(n):                for first in ...:           # one range of iterations at a time, up to `end`
//!     body                  =>          for i in range(first, end):
//!                                           body
//! ```
//!
//! The inner loop may be interchanged, distributed, or have its induction variables substituted; the top loop may not,
//! since a launch runs it in chunks.
//!
//! Legal iff
//!   - the top loop is a `for` whose step is a literal, and is not run whole already;
//!   - nothing leaves it early: how far it came would not be known;
//!   - it swaps no arrays.
//!
//! A guard may fail anywhere in a range: as with threads, that range is rolled back.
//!
//! Source: strip mining (Wolfe, High Performance Compilers for Parallel Computing, 1996).

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind};

use crate::parallelism::verdict::Analysis;
use crate::structure::{any, escapes};
use crate::transform::build::{Builder, hidden, like};
use crate::transform::rewritten::Rewritten;

/// The nest with its top loop run whole ([`Nest::whole`]) around a loop that does what it did. `None` if that is not
/// legal.
pub fn sink_top_loop(nest: &Nest, analysis: &Analysis) -> Option<Rewritten> {
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
