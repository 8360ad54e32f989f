//! Interchange: the loops of a perfect band run in another order.
//!
//! ```text
//! for i in range(n):                for j in range(m):
//!     for j in range(m):    =>          for i in range(n):
//!         a[j, i] = b[j, i]                 a[j, i] = b[j, i]
//! ```
//!
//! Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.2.

use nestwise_ir::model::nest::{For, Stmt, StmtKind};
use nestwise_ir::{IdSet, LoopId};

use crate::parallelism::legality::Given;
use crate::transform::band::Vector;
use crate::transform::rewritten::Rewritten;

impl Given<'_> {
    /// Whether the loops of a perfect band may run in another order: `order` has, from the outside inwards, the place
    /// of each loop in `band`.
    ///
    /// Legal iff
    ///   - the band's iterations may be reordered at all ([`Given::may_reorder`]);
    ///   - every direction vector, permuted by `order`, is lexicographically positive.
    pub fn may_interchange(&self, band: &[LoopId], order: &[usize]) -> bool {
        let kept = |all: Vec<Vector>| all.iter().all(|v| v.positive(order));
        self.may_reorder(band) && self.vectors(band).is_some_and(kept)
    }
}

/// The nest with the loops of a perfect band in another order, if that is legal: `order` has, from the outside inwards,
/// the place of each loop in `band`.
pub fn interchange(given: &Given<'_>, band: &[LoopId], order: &[usize]) -> Option<Rewritten> {
    let top = band.first() == Some(&LoopId(0));
    let moves = order.iter().enumerate().any(|(to, from)| to != *from);
    if top || !moves || !given.may_interchange(band, order) {
        return None;
    }
    let mut nest = given.nest.clone();
    let mut done = false;
    crate::guards::for_each_stmt_mut(&mut nest, &mut |s| {
        if !done && matches!(&s.kind, StmtKind::For(l) if l.id == band[0]) {
            done = permute(s, order);
        }
    });
    // Where some loop of the nest may be empty, one that was inside it may now be so unnoticed.
    let nonempty = given.analysis.options.nonempty;
    let all = nest.loops.ids().all(|id| nonempty.contains(id));
    let known = if all { nonempty } else { IdSet::new() };
    done.then(|| Rewritten::of("interchange", nest, known, &[]))
}

/// A loop without its body, and its position in the source.
type Header = (For, nestwise_ir::Span);

fn permute(outermost: &mut Stmt, order: &[usize]) -> bool {
    let mut headers: Vec<Header> = vec![];
    collect(outermost, order.len(), &mut headers);
    if headers.len() != order.len() {
        return false;
    }
    let mut at = outermost;
    for (depth, from) in order.iter().enumerate() {
        let (header, span) = headers[*from].clone();
        at.span = span;
        let StmtKind::For(l) = &mut at.kind else {
            return false;
        };
        let body = std::mem::take(&mut l.body);
        *l = For { body, ..header };
        if depth + 1 == order.len() {
            break;
        }
        let Some(next) = l.body.first_mut() else {
            return false;
        };
        at = next;
    }
    true
}

fn collect(s: &Stmt, depth: usize, out: &mut Vec<Header>) {
    let StmtKind::For(l) = &s.kind else { return };
    let header = For {
        body: vec![],
        start: l.start.clone(),
        stop: l.stop.clone(),
        step: l.step.clone(),
        ..*l
    };
    out.push((header, s.span));
    if let (Some(next), true) = (l.body.first(), depth > 1) {
        collect(next, depth - 1, out);
    }
}
