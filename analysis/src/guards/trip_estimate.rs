//! Estimated trip counts: how often loops run, averaged over their entries.

use nestwise_ir::LoopId;

use crate::guards::at_launch::Run;
use crate::guards::plan::{Lin, LoopPlan};

/// The widest range (greatest less least) of a value that is not a counter and that a trip count depends on. Beyond it,
/// nothing is known of the value but that it fits its type, and no trip count is estimated.
const MOST: f64 = 1e6;

/// The most counters that the ends of one counter may depend on.
const DEEPEST: usize = 8;

fn trips_between(first: f64, last: f64, step: f64) -> f64 {
    ((last - first + step) / step).max(0.0)
}

impl Run<'_> {
    /// The trip count of a loop, averaged over its entries.
    pub(crate) fn estimate(&self, id: LoopId) -> Option<f64> {
        let plan: &LoopPlan = self.plan.loops.get(id.index())?.as_ref()?;
        let ix = plan.ix?;
        if self.is_same_for_all(ix) {
            return self.run(ix, &[]);
        }
        // Among the loops around this one, those matter whose bounds depend on other loops, or that other bounds depend
        // on: they decide how often each entry occurs.
        let mut rested_on = Vec::new();
        for outer in &plan.counters {
            if !self.is_same_for_all(*outer) {
                self.rests_on(*outer, &mut rested_on)?;
                rested_on.push(*outer);
            }
        }
        self.rests_on(ix, &mut rested_on)?;
        let (entries, trips) = self.totals(ix, &rested_on, &mut Vec::new())?;
        Some(if entries > 0.0 { trips / entries } else { 0.0 })
    }

    /// Whether the ends of a counter depend on no other index variable.
    fn is_same_for_all(&self, ix: u16) -> bool {
        let sides = [false, true].map(|upper| self.sides(ix, upper));
        sides
            .iter()
            .flat_map(|s| s.iter())
            .all(|l| l.coefs.is_empty())
    }

    /// Collects the index variables that the ends of a counter depend on, the outermost first.
    fn rests_on(&self, ix: u16, found: &mut Vec<u16>) -> Option<()> {
        let sides = [false, true].map(|upper| self.sides(ix, upper));
        for (on, _) in sides.iter().flat_map(|s| s.iter()).flat_map(|l| &l.coefs) {
            if found.len() > DEEPEST || *on == ix {
                return None;
            }
            if !found.contains(on) {
                self.rests_on(*on, found)?;
                found.push(*on);
            }
        }
        Some(())
    }

    /// The number of a loop's entries and of its iterations in all, over the loops of `rested_on`.
    ///
    /// The sum over a counter is estimated from the summand at two values: the middle, plus and minus the standard
    /// deviation of the counter's values, each weighted with half the trip count. For a summand of degree three or less
    /// that is exact.
    fn totals(
        &self,
        ix: u16,
        rested_on: &[u16],
        known: &mut Vec<(u16, f64)>,
    ) -> Option<(f64, f64)> {
        let Some((outer, rest)) = rested_on.split_first() else {
            return Some((1.0, self.run(ix, known)?));
        };
        let (first, last) = self.ends(*outer, known)?;
        let middle = (first + last) / 2.0;
        let mut at = |value: f64| {
            known.push((*outer, value));
            let totals = self.totals(ix, rest, known);
            known.pop();
            totals
        };
        let Some(step) = self.stride(*outer).filter(|_| self.counts(*outer)) else {
            // No counter, but some number that is in between.
            return at(middle);
        };
        let trips = trips_between(first, last, step);
        let off = step * ((trips * trips - 1.0).max(0.0) / 12.0).sqrt();
        let (low, high) = (at(middle - off)?, at(middle + off)?);
        let both = |a: f64, b: f64| trips * (a + b) / 2.0;
        Some((both(low.0, high.0), both(low.1, high.1)))
    }

    /// The trip count of a loop for known values of what its ends depend on.
    fn run(&self, ix: u16, known: &[(u16, f64)]) -> Option<f64> {
        let (first, last) = self.ends(ix, known)?;
        Some(trips_between(first, last, self.stride(ix)?))
    }

    fn stride(&self, ix: u16) -> Option<f64> {
        self.step(ix).map(|step| step.unsigned_abs() as f64)
    }

    /// Whether an index variable is the counter of a loop.
    fn counts(&self, ix: u16) -> bool {
        self.plan.loops.iter().flatten().any(|l| l.ix == Some(ix))
    }

    /// The least and the greatest value of a counter.
    fn ends(&self, ix: u16, known: &[(u16, f64)]) -> Option<(f64, f64)> {
        let (lo, hi) = self.ixs.get(ix as usize).copied()?;
        let (mut a, mut b) = (lo as f64, hi as f64);
        for l in self.sides(ix, false).iter().filter(|l| !l.coefs.is_empty()) {
            a = a.max(self.value(l, known)?);
        }
        for l in self.sides(ix, true).iter().filter(|l| !l.coefs.is_empty()) {
            b = b.min(self.value(l, known)?);
        }
        // What is no counter and only known to be some number of its type has no middle that means anything.
        let finite = lo > i64::MIN && hi < i64::MAX;
        let told = finite && (hi as f64 - lo as f64 <= MOST || self.counts(ix));
        told.then_some((a, b.max(a - 1.0)))
    }

    fn value(&self, lin: &Lin, known: &[(u16, f64)]) -> Option<f64> {
        let mut sum = self.poly(&lin.konst)? as f64;
        for (ix, p) in &lin.coefs {
            let (_, value) = known.iter().find(|(k, _)| k == ix)?;
            sum += self.poly(p)? as f64 * value;
        }
        Some(sum)
    }
}
