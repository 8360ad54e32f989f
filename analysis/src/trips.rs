//! How often loops run.

use crate::bounds::{Lin, LoopPlan};
use crate::resolve::Run;
use nestwise_ir::LoopId;

/// Iterations of `range(start, stop, step)`.
pub fn trip_count(start: i64, stop: i64, step: i64) -> Option<u64> {
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    let span = match step.signum() {
        1 => stop - start,
        -1 => start - stop,
        _ => return None,
    };
    u64::try_from((span.max(0) + step.abs() - 1) / step.abs()).ok()
}

/// The widest range of what a bound depends on, counters apart, that trips are told from: beyond it nothing is known of a number but
/// that its products fit its type.
const MOST: f64 = 1e6;

impl Run<'_> {
    /// The trip count of a loop, averaged over the iterations around it.
    pub(crate) fn estimate(&self, id: LoopId) -> Option<f64> {
        let plan: &LoopPlan = self.plan.loops.get(id.index())?.as_ref()?;
        let ix = plan.ix?;
        let (lo, hi) = self.ends(ix, 0)?;
        let step = self.step(ix)?.unsigned_abs() as f64;
        Some(((hi - lo + step) / step).max(0.0))
    }

    /// First and last value of a counter where those around it are in the middle.
    fn ends(&self, ix: u16, depth: u32) -> Option<(f64, f64)> {
        let (lo, hi) = self.ixs.get(ix as usize).copied()?;
        let (mut a, mut b) = (lo as f64, hi as f64);
        for l in self.sides(ix, false).iter().filter(|l| !l.coefs.is_empty()) {
            a = a.max(self.at_middle(l, depth)?);
        }
        for l in self.sides(ix, true).iter().filter(|l| !l.coefs.is_empty()) {
            b = b.min(self.at_middle(l, depth)?);
        }
        let counts = || self.plan.loops.iter().flatten().any(|l| l.ix == Some(ix));
        // What is no counter and only known to be some number of its type has no middle that means anything.
        let finite = lo > i64::MIN && hi < i64::MAX;
        let told = finite && (hi as f64 - lo as f64 <= MOST || counts());
        told.then_some((a, b.max(a - 1.0)))
    }

    fn at_middle(&self, lin: &Lin, depth: u32) -> Option<f64> {
        let mut sum = self.poly(&lin.konst)? as f64;
        for (ix, p) in &lin.coefs {
            if depth > 16 {
                return None;
            }
            let (a, b) = self.ends(*ix, depth + 1)?;
            sum += self.poly(p)? as f64 * (a + b) / 2.0;
        }
        Some(sum)
    }
}
