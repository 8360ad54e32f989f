//! Giving two loops one body.

use nestwise_ir::guarded::block_may_fire;
use nestwise_ir::model::nest::For;
use nestwise_ir::{LoopId, VarId};

use crate::dependence::Pair;
use crate::parallelism::legality::Given;
use crate::structure::{assigned, find_for, irregular, same, variables};
use crate::transform::scalar_replacement::legality::may_fail;

/// Pairs of accesses that are looked at for two loops.
const MAX_PAIRS: usize = 900;

impl Given<'_> {
    /// Running two loops, the second right behind the first in one block, as one: each iteration of the second right
    /// after the same one of the first (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section
    /// 6.2.5). Where they stand is asked by [`crate::transform::fusion`].
    ///
    /// Legal iff
    ///   - they run the same iterations: their bounds and steps are the same expressions, which cannot fire and which
    ///     neither of the loops changes;
    ///   - no body has jumps, or checks that may fail: all of the second rests on those of the first;
    ///   - no dependence prevents it: no iteration of the first touches an element that an earlier one of the second
    ///     touches, one of them storing;
    ///   - a variable that one of them assigns is not used by the other, or is private to an iteration in both;
    ///   - no event can fire in either body, or `undo`.
    pub fn may_fuse(&self, first: LoopId, second: LoopId) -> bool {
        let both = (find_for(self.nest, first), find_for(self.nest, second));
        let (Some(l), Some(m)) = both else {
            return false;
        };
        let quiet = |l: &For| self.undo || !block_may_fire(self.nest, &l.body);
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
                .all(|e| crate::structure::invariant(e, &changed))
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
