//! Fusion: two neighbouring loops become one.
//!
//! ```text
//! for i in range(n):                for i in range(n):
//!     b[i] = a[i] * 2       =>          b[i] = a[i] * 2
//! for j in range(n):                    c[i] = b[i] + 1
//!     c[j] = b[j] + 1
//! ```
//!
//! Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 6.2.5.

use nestwise_ir::guarded::block_may_fail;
use nestwise_ir::model::nest::{For, Stmt, StmtKind};
use nestwise_ir::{LoopId, VarId};

use crate::dependence::Pair;
use crate::parallelism::legality::Given;
use crate::structure::{assigned, find_for, invariant, irregular, may_fail, same, variables};
use crate::transform::build::rename;
use crate::transform::rewritten::Rewritten;

/// The most pairs of accesses that are examined for two loops.
const MAX_PAIRS: usize = 900;

impl Given<'_> {
    /// Whether two loops, the second right behind the first in one block, may run as one, iteration `i` of the second
    /// right after iteration `i` of the first. [`fuse`] checks that they are neighbours.
    ///
    /// Legal iff
    ///   - both run the same iterations: their bounds and steps are the same expressions, which have no guard and which
    ///     neither loop changes;
    ///   - no body has jumps, or checks that may fail: all of the second loop rests on those of the first;
    ///   - there is no fusion-preventing dependence: no iteration `i` of the first and `j < i` of the second touch one
    ///     element, one of them storing;
    ///   - a variable that one loop writes is not used by the other, or is private to an iteration in both;
    ///   - no guard in either body can fail, or `undo`.
    pub fn may_fuse(&self, first: LoopId, second: LoopId) -> bool {
        let both = (find_for(self.nest, first), find_for(self.nest, second));
        let (Some(l), Some(m)) = both else {
            return false;
        };
        let quiet = |l: &For| self.undo || !block_may_fail(self.nest, &l.body);
        self.run_alike(l, m)
            && !irregular(&l.body)
            && !irregular(&m.body)
            && !may_fail(&l.body)
            && !may_fail(&m.body)
            && quiet(l)
            && quiet(m)
            && self.variables_allow(l, m)
            && self.elements_allow(first, second)
    }

    fn run_alike(&self, l: &For, m: &For) -> bool {
        let bounds = [(&l.start, &m.start), (&l.stop, &m.stop), (&l.step, &m.step)];
        let one = bounds.iter().all(|(a, b)| same(a, b));
        let (step, changed) = (l.step.as_int(), assigned(&l.body));
        let left_alone = |l: &For| {
            [&l.start, &l.stop]
                .into_iter()
                .all(|e| invariant(e, &changed))
        };
        one && step.is_some() && left_alone(m) && self.rectangular(&[l]) && self.rectangular(&[m])
    }

    fn variables_allow(&self, l: &For, m: &For) -> bool {
        let private = |v| {
            [l, m]
                .iter()
                .all(|l| self.info(l.id).is_some_and(|i| i.private.contains(&v)))
        };
        let apart = |l: &For, m: &For| {
            let others: Vec<_> = m.body.iter().map(variables).collect();
            let used = |v: &VarId| {
                others
                    .iter()
                    .any(|(set, read)| set.contains(v) || read.contains(v))
            };
            assigned(&l.body)
                .into_iter()
                .all(|v| !used(&v) || private(v))
        };
        apart(l, m) && apart(m, l)
    }

    fn elements_allow(&self, first: LoopId, second: LoopId) -> bool {
        let (xs, ys): (Vec<_>, Vec<_>) =
            (self.inside(first).collect(), self.inside(second).collect());
        if !self.disjoint || xs.len() * ys.len() > MAX_PAIRS {
            return false;
        }
        let tester = self.analysis.tester(self.nest);
        xs.iter().all(|x| {
            let related = ys
                .iter()
                .filter(|y| y.array == x.array && (x.store || y.store));
            related
                .into_iter()
                .all(|y| !tester.may_meet_earlier(Pair::new(x, y), (first, second)))
        })
    }
}

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
