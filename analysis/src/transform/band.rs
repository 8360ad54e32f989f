//! Bands (perfectly nested loops) whose iterations are to run in another order: the dependences between them.
//!
//! A dependence is a direction vector over the loops of a band. In the order as written, every one of these vectors is
//! lexicographically positive: the first component that is not `=` is `<`. Another order of the iterations is legal if
//! it keeps every iteration behind those that it depends on (Allen and Kennedy, Optimizing Compilers for Modern
//! Architectures, 2001, chapters 2 and 5).

use nestwise_ir::LoopId;
use nestwise_ir::guarded::block_may_fail;
use nestwise_ir::model::nest::For;
use nestwise_ir::schedule::RedOp;

use crate::dependence::{Dir, Pair, common_loops};
use crate::parallelism::legality::Given;
use crate::structure::{assigned, find_for, irregular, is_for};

/// The most pairs of accesses that are examined for one band.
const MAX_PAIRS: usize = 400;

/// How an iteration of a band is related to one that depends on it, by loop, outermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// By loop: which of the two iterations is the earlier one.
    pub directions: Vec<Dir>,
    /// By loop: the number of iterations between the two, where it is constant.
    pub distance: Vec<Option<i64>>,
}

impl Vector {
    /// Whether the dependent iteration comes later if the loops are in this order.
    pub(super) fn positive(&self, order: &[usize]) -> bool {
        let directions = order.iter().filter_map(|i| self.directions.get(*i));
        let first = directions.copied().find(|d| *d != Dir::Eq);
        first == Some(Dir::Lt)
    }

    /// Whether the dependent iteration is earlier in no loop.
    pub(super) fn forward(&self) -> bool {
        self.directions
            .iter()
            .all(|d| matches!(d, Dir::Lt | Dir::Eq))
    }

    /// Whether the dependent iteration is earlier in no loop once `factor` times the counter of the first loop is added
    /// to the counter of the second.
    pub(super) fn forward_skewed(&self, factor: i64) -> bool {
        match (self.distance.as_slice(), self.directions.as_slice()) {
            ([Some(outer), Some(inner)], _) => *outer >= 0 && factor * outer + inner >= 0,
            // At least one iteration on in the first loop.
            ([_, Some(inner)], [Dir::Lt, _]) => factor + inner >= 0,
            _ => self.forward(),
        }
    }
}

impl Given<'_> {
    /// The dependences between different iterations of a band, in the same iteration of all loops around it. `None`:
    /// there are too many pairs of accesses to examine, or slots may overlap.
    pub fn vectors(&self, band: &[LoopId]) -> Option<Vec<Vector>> {
        let outer = *band.first()?;
        let inside: Vec<_> = self.inside(outer).collect();
        if !self.disjoint || inside.len() * inside.len() > MAX_PAIRS {
            return None;
        }
        let tester = self.analysis.tester(self.nest);
        let mut out = vec![];
        for (x, y) in inside
            .iter()
            .flat_map(|x| inside.iter().map(move |y| (*x, *y)))
        {
            if x.array != y.array || !(x.store || y.store) {
                continue;
            }
            let around = common_loops(x, y).iter().position(|l| *l == outer)?;
            for d in tester.dependences_within(Pair::new(x, y), around, band.len())? {
                let v = Vector {
                    directions: d.directions.get(around..)?.to_vec(),
                    distance: d.distance.get(around..around + band.len())?.to_vec(),
                };
                if v.directions.iter().any(|d| *d != Dir::Eq) && !out.contains(&v) {
                    out.push(v);
                }
            }
        }
        Some(out)
    }

    /// Whether nothing but dependences through memory keeps the iterations of a perfect band in order.
    ///
    /// Only memory keeps the iterations in order iff
    ///   - the band is rectangular, so that its iterations are the same in any order, and the last iteration is the
    ///     last one of every loop;
    ///   - the body has no jumps;
    ///   - each variable that the body writes is private to an iteration, or an exact reduction in every loop of the
    ///     band (a value that is read after the band is the last iteration's);
    ///   - no guard in the body can fail, or `undo`.
    pub fn may_reorder(&self, band: &[LoopId]) -> bool {
        let loops: Option<Vec<&For>> = band.iter().map(|id| find_for(self.nest, *id)).collect();
        let Some(loops) = loops else { return false };
        let Some(body) = loops.last().map(|l| &l.body) else {
            return false;
        };
        let nested = loops
            .windows(2)
            .all(|pair| matches!(pair[0].body.as_slice(), [only] if is_for(only, pair[1].id)));
        nested
            && !irregular(body)
            && self.rectangular(&loops)
            && self.scalars_allow(band, loops.last().copied())
            && (self.undo || !block_may_fail(self.nest, body))
    }

    fn scalars_allow(&self, band: &[LoopId], innermost: Option<&For>) -> bool {
        let Some(l) = innermost else { return false };
        let reduced = |id: &LoopId, v| {
            let info = self.info(*id);
            let plain = |op: &RedOp| !matches!(op, RedOp::Along(_) | RedOp::Last);
            info.is_some_and(|i| i.reductions.iter().any(|(r, op)| *r == v && plain(op)))
        };
        let private = |v| self.info(l.id).is_some_and(|i| i.private.contains(v));
        // Among equal floats (0.0 and -0.0) the first one stays.
        let float = |v| self.nest.vars.get(v).is_some_and(|d| d.ty.repr.is_float());
        let exact = |v| !float(v) && band.iter().all(|id| reduced(id, v));
        assigned(&l.body).iter().all(|v| private(v) || exact(*v))
    }
}
