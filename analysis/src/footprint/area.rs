//! Boxes of array elements: in each dimension the indices have a constant step.

use crate::values::image::gcd;
use crate::values::interval::Interval;

/// The indices `lo, lo + step, ..., hi` along one axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The first index.
    pub lo: i64,
    /// The last index; if it is less than the first, there are no indices.
    pub hi: i64,
    /// The distance of neighbouring indices: positive, and 1 if there is only one index.
    pub step: i64,
}

impl Span {
    /// The span without an index.
    pub const EMPTY: Span = Span {
        lo: 0,
        hi: -1,
        step: 1,
    };

    /// The indices from `lo` to at most `hi` in steps of the positive `step`.
    pub fn new(lo: i64, hi: i64, step: i64) -> Span {
        if lo > hi {
            return Span::EMPTY;
        }
        let step = step.max(1);
        let over = (i128::from(hi) - i128::from(lo)) % i128::from(step);
        let hi = hi - over as i64;
        let step = if lo == hi { 1 } else { step };
        Span { lo, hi, step }
    }
    /// The span of all indices of an axis.
    pub fn whole(extent: i64) -> Span {
        Span::new(0, extent.saturating_sub(1), 1)
    }
    /// The span of every integer of an interval, as far as 64 bits hold it.
    pub(crate) fn of(i: Interval) -> Span {
        let end = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Span::new(end(i.lo), end(i.hi), 1)
    }
    /// Whether there is no index.
    pub fn is_empty(&self) -> bool {
        self.lo > self.hi
    }
    /// The number of indices.
    pub fn count(&self) -> u64 {
        let steps = (i128::from(self.hi) - i128::from(self.lo)).div_euclid(self.step.into());
        u64::try_from(steps + 1).unwrap_or(u64::MAX)
    }
    /// Whether an index belongs to the span.
    pub fn contains(&self, i: i64) -> bool {
        let far = i128::from(i) - i128::from(self.lo);
        self.lo <= i && i <= self.hi && far % i128::from(self.step) == 0
    }
    /// Whether all indices of another span belong to this one.
    pub fn covers(&self, o: &Span) -> bool {
        let together = o.lo == o.hi || o.step % self.step == 0;
        o.is_empty() || self.contains(o.lo) && self.contains(o.hi) && together
    }
    /// The smallest span that contains both.
    pub fn join(&self, o: &Span) -> Span {
        match (self.is_empty(), o.is_empty()) {
            (true, _) => return *o,
            (_, true) => return *self,
            _ => {}
        }
        let steps = [self, o].map(|s| if s.lo == s.hi { 0 } else { s.step as u64 });
        let step = gcd(gcd(steps[0], steps[1]), self.lo.abs_diff(o.lo));
        // Too far apart for a step: any will do that divides it.
        let step = i64::try_from(step).unwrap_or(1);
        Span::new(self.lo.min(o.lo), self.hi.max(o.hi), step)
    }
    /// Whether every index of [`Span::join`] belongs to one of the two: they follow each other without a gap.
    fn joins_exactly(&self, o: &Span) -> bool {
        let all = self.join(o);
        let (a, b) = if self.lo <= o.lo {
            (self, o)
        } else {
            (o, self)
        };
        let regular = |s: &Span| s.lo == s.hi || s.step == all.step;
        let gap = i128::from(b.lo) - i128::from(a.hi);
        a.covers(b) || b.covers(a) || regular(a) && regular(b) && gap <= i128::from(all.step)
    }
    /// The indices in `0..extent`.
    pub(crate) fn clip(&self, extent: i64) -> Span {
        let below = self.lo < 0 && !self.is_empty();
        let lo = if below {
            self.lo.rem_euclid(self.step)
        } else {
            self.lo
        };
        Span::new(lo, self.hi.min(extent.saturating_sub(1)), self.step)
    }
    /// The indices of the elements that subscripts of an axis name. Where the subscripts are guarded, negative ones
    /// count from the end; `None`: only some are negative, which leaves no regular span.
    pub(crate) fn elements(&self, extent: i64, guarded: bool) -> Option<Span> {
        if self.is_empty() || extent <= 0 {
            return Some(Span::EMPTY);
        }
        if self.lo >= 0 || !guarded && self.hi >= 0 {
            return Some(self.clip(extent));
        }
        let wrapped = guarded && self.hi < 0 && self.lo >= -extent;
        wrapped.then(|| Span::new(self.lo + extent, self.hi + extent, self.step))
    }
}

/// A box of elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Area {
    /// By dimension: the indices.
    pub dims: Vec<Span>,
    /// Whether every element of the box is touched, if no guard fails.
    pub exact: bool,
}

impl Area {
    /// Whether the box has no element.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(Span::is_empty)
    }
    /// The part of the box that lies in an array with these extents.
    pub(crate) fn within(&self, extents: &[i64]) -> Area {
        let dims = self.dims.iter().zip(extents);
        Area {
            dims: dims.map(|(s, d)| s.clip(*d)).collect(),
            exact: self.exact,
        }
    }
    /// The smallest box that contains both.
    pub fn join(&self, o: &Area) -> Area {
        let pairs = || self.dims.iter().zip(&o.dims);
        let mut differing = pairs().filter(|(a, b)| a != b);
        // A union is a box if one holds the other, or if they follow each other along one dimension.
        let exact = if pairs().all(|(a, b)| a.covers(b)) {
            self.exact
        } else if pairs().all(|(a, b)| b.covers(a)) {
            o.exact
        } else {
            let along = differing.next().is_some_and(|(a, b)| a.joins_exactly(b));
            self.exact && o.exact && along && differing.next().is_none()
        };
        Area {
            dims: pairs().map(|(a, b)| a.join(b)).collect(),
            exact,
        }
    }
}

/// The elements that are touched in a slot's array.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// A box that contains all elements that are read; `None`: none are.
    pub read: Option<Area>,
    /// A box that contains all elements that are written; `None`: none are.
    pub write: Option<Area>,
}

impl Touched {
    /// Adds the box that an access touches.
    pub(crate) fn add(&mut self, store: bool, area: Area) {
        if area.is_empty() {
            return;
        }
        let side = if store {
            &mut self.write
        } else {
            &mut self.read
        };
        *side = Some(match side.take() {
            Some(known) => known.join(&area),
            None => area,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span() -> impl Strategy<Value = Span> {
        (-9i64..9, -1i64..12, 1i64..5).prop_map(|(lo, n, step)| Span::new(lo, lo + n, step))
    }
    fn members(s: Span) -> Vec<i64> {
        (-40..40).filter(|i| s.contains(*i)).collect()
    }

    proptest! {
        #[test]
        fn spans_are_sets(a in span(), b in span(), extent in 0i64..9) {
            let (x, y) = (members(a), members(b));
            prop_assert_eq!(a.count(), x.len() as u64);
            prop_assert_eq!(a.covers(&b), y.iter().all(|i| x.contains(i)));
            let all = members(a.join(&b));
            prop_assert!(x.iter().chain(&y).all(|i| all.contains(i)));
            let union = all.iter().all(|i| x.contains(i) || y.contains(i));
            prop_assert!(!a.joins_exactly(&b) || union);
            let inside: Vec<i64> = x.iter().copied().filter(|i| (0..extent).contains(i)).collect();
            prop_assert_eq!(members(a.clip(extent)), inside);
            // Guarded: a negative index wraps once, what is beyond is no element.
            let touched = x.iter().map(|i| if *i < 0 { i + extent } else { *i });
            let touched: Vec<i64> = touched.filter(|i| (0..extent).contains(i)).collect();
            if let Some(e) = a.elements(extent, true) {
                prop_assert!(touched.iter().all(|i| e.contains(*i)));
                prop_assert!(a.hi >= extent || members(e) == touched);
            }
        }
    }
}
