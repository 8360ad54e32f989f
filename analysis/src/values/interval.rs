//! Intervals of integers.
//!
//! Endpoints are `i128` and saturate: an endpoint at `i128::MIN` or `i128::MAX` means "and beyond", so a
//! saturated result is still an enclosure.

use nestwise_ir::Scalar;

/// The integers `lo..=hi`; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// The smallest value.
    pub lo: i128,
    /// The largest value.
    pub hi: i128,
}

// Named methods, not operators: these are enclosures, for which the laws of arithmetic do not hold.
#[allow(clippy::should_implement_trait)]
impl Interval {
    /// The interval of every integer.
    pub const ALL: Interval = Interval {
        lo: i128::MIN,
        hi: i128::MAX,
    };

    /// The interval between two ends, which may be given in any order.
    pub fn new(lo: i128, hi: i128) -> Interval {
        Interval {
            lo: lo.min(hi),
            hi: lo.max(hi),
        }
    }
    /// The interval of one value.
    pub fn point(v: i128) -> Interval {
        Interval { lo: v, hi: v }
    }
    /// The values of a representation; all integers, for one that is not an integer's.
    pub fn of_type(s: Scalar) -> Interval {
        match s {
            Scalar::Char => Interval {
                lo: 0,
                hi: u32::MAX.into(),
            },
            _ => s
                .int_range()
                .map_or(Interval::ALL, |(lo, hi)| Interval { lo, hi }),
        }
    }
    /// The value, if there is only one.
    pub fn as_point(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }
    /// Whether `self` lies in `other`.
    pub fn within(self, other: Interval) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }
    /// Whether the interval contains `v`.
    pub fn contains(self, v: i128) -> bool {
        self.lo <= v && v <= self.hi
    }
    /// The smallest interval that contains both.
    pub fn join(self, other: Interval) -> Interval {
        Interval {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }
    /// The values in both intervals; `None` if there are none.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Interval { lo, hi })
    }
    /// The values in both intervals (see [`Interval::meet`]), for a value known to be in `other`: one that is
    /// impossible may be anything in it.
    pub fn clamp_to(self, other: Interval) -> Interval {
        self.meet(other).unwrap_or(other)
    }

    /// The interval of the sums.
    pub fn add(self, o: Interval) -> Interval {
        Interval {
            lo: self.lo.saturating_add(o.lo),
            hi: self.hi.saturating_add(o.hi),
        }
    }
    /// The interval of the negated values.
    pub fn neg(self) -> Interval {
        Interval {
            lo: self.hi.saturating_neg(),
            hi: self.lo.saturating_neg(),
        }
    }
    /// The interval of the differences.
    pub fn sub(self, o: Interval) -> Interval {
        Interval {
            lo: self.lo.saturating_sub(o.hi),
            hi: self.hi.saturating_sub(o.lo),
        }
    }
    /// The interval of the products.
    pub fn mul(self, o: Interval) -> Interval {
        let p = [self.lo, self.hi].map(|a| [o.lo, o.hi].map(|b| a.saturating_mul(b)));
        hull(p.iter().flatten().copied())
    }
    /// The interval of the absolute values.
    pub fn abs(self) -> Interval {
        let (a, b) = (self.lo.saturating_abs(), self.hi.saturating_abs());
        let lo = if self.contains(0) { 0 } else { a.min(b) };
        Interval { lo, hi: a.max(b) }
    }
    /// The interval of the quotients, rounded down, by the non-zero values of `o`.
    pub fn floor_div(self, o: Interval) -> Interval {
        let divisors = [o.lo, o.hi, -1, 1]
            .into_iter()
            .filter(|d| *d != 0 && o.contains(*d));
        let all = divisors.flat_map(|d| [floor_div(self.lo, d), floor_div(self.hi, d)]);
        if o.as_point() == Some(0) {
            return Interval::ALL;
        }
        hull(all)
    }
    /// The interval of Python's remainders by the non-zero values of `o`.
    pub fn modulo(self, o: Interval) -> Interval {
        let small = Interval {
            lo: 0,
            hi: o.lo.saturating_sub(1),
        };
        if o.lo > 0 && self.within(small) {
            return self;
        }
        let mut lo = if o.lo < 0 { o.lo.saturating_add(1) } else { 0 };
        let mut hi = if o.hi > 0 { o.hi.saturating_sub(1) } else { 0 };
        // The result has the divisor's sign and, where that is also the dividend's, no larger magnitude.
        if o.lo > 0 && self.lo >= 0 {
            hi = hi.min(self.hi);
        }
        if o.hi < 0 && self.hi <= 0 {
            lo = lo.max(self.lo);
        }
        Interval { lo, hi }
    }
    /// The interval of the smaller of two values.
    pub fn min(self, o: Interval) -> Interval {
        Interval {
            lo: self.lo.min(o.lo),
            hi: self.hi.min(o.hi),
        }
    }
    /// The interval of the larger of two values.
    pub fn max(self, o: Interval) -> Interval {
        Interval {
            lo: self.lo.max(o.lo),
            hi: self.hi.max(o.hi),
        }
    }
    /// An interval of the results of bitwise and.
    pub fn and(self, o: Interval) -> Interval {
        match (self.lo >= 0, o.lo >= 0) {
            (true, true) => Interval {
                lo: 0,
                hi: self.hi.min(o.hi),
            },
            (true, false) => Interval { lo: 0, hi: self.hi },
            (false, true) => Interval { lo: 0, hi: o.hi },
            (false, false) => Interval {
                lo: mask_low(self, o),
                hi: self.hi.max(o.hi),
            },
        }
    }
    /// An interval of the results of bitwise or.
    pub fn or(self, o: Interval) -> Interval {
        match (self.lo >= 0, o.lo >= 0) {
            (true, true) => Interval {
                lo: self.lo.max(o.lo),
                hi: ones(self.hi.max(o.hi)),
            },
            _ => Interval {
                lo: self.lo.min(o.lo),
                hi: ones(self.hi.max(o.hi).max(-1)),
            },
        }
    }
    /// An interval of the results of bitwise exclusive or.
    pub fn xor(self, o: Interval) -> Interval {
        if self.lo >= 0 && o.lo >= 0 {
            return Interval {
                lo: 0,
                hi: ones(self.hi.max(o.hi)),
            };
        }
        Interval {
            lo: mask_low(self, o),
            hi: ones(self.hi.max(o.hi).max(!self.lo).max(!o.lo)),
        }
    }
    /// The interval of the values shifted to the left by the amounts of `o` in `0..=126`.
    pub fn shl(self, o: Interval) -> Interval {
        let (a, b) = (o.lo.clamp(0, 126), o.hi.clamp(0, 126));
        self.mul(Interval {
            lo: 1 << a,
            hi: 1 << b,
        })
    }
    /// The interval of the values shifted to the right by the non-negative amounts of `o`, rounding down.
    pub fn shr(self, o: Interval) -> Interval {
        let (a, b) = (o.lo.clamp(0, 127) as u32, o.hi.clamp(0, 127) as u32);
        hull([self.lo >> a, self.lo >> b, self.hi >> a, self.hi >> b].into_iter())
    }
    /// The interval of the powers with the non-negative exponents of `o`.
    pub fn pow(self, o: Interval) -> Interval {
        let Some(e) = o
            .as_point()
            .and_then(|e| u32::try_from(e).ok())
            .filter(|e| *e <= 128)
        else {
            return Interval::ALL;
        };
        let ends = Interval::new(self.lo.saturating_pow(e), self.hi.saturating_pow(e));
        if e > 0 && e % 2 == 0 && self.contains(0) {
            ends.join(Interval::point(0))
        } else {
            ends
        }
    }
}

fn hull(values: impl Iterator<Item = i128>) -> Interval {
    let both = values.fold(None, |acc: Option<Interval>, v| {
        Some(acc.map_or(Interval::point(v), |a| a.join(Interval::point(v))))
    });
    both.unwrap_or(Interval::ALL)
}

/// The least `2**k - 1` that is not below `v`.
fn ones(v: i128) -> i128 {
    if v <= 0 {
        v.max(0)
    } else {
        (u128::MAX >> (v as u128).leading_zeros()) as i128
    }
}

/// A lower bound of `x & y` and `x ^ y` where operands may be negative.
fn mask_low(a: Interval, b: Interval) -> i128 {
    !ones(a.lo.min(b.lo).min(-1).unsigned_abs().min(i128::MAX as u128) as i128)
        .max(ones(a.hi.max(b.hi)))
}

/// Python's `a // b` for a non-zero `b`, saturating.
pub fn floor_div(a: i128, b: i128) -> i128 {
    let Some(q) = a.checked_div(b) else {
        return i128::MAX;
    };
    if a % b != 0 && (a < 0) != (b < 0) {
        q - 1
    } else {
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        (-40i128..40, 0i128..12).prop_map(|(lo, n)| Interval { lo, hi: lo + n })
    }
    fn members(i: Interval) -> impl Iterator<Item = i128> {
        i.lo..=i.hi
    }

    proptest! {
        #[test]
        fn every_result_is_enclosed(x in interval(), y in interval()) {
            for a in members(x) {
                for b in members(y) {
                    prop_assert!(x.add(y).contains(a + b));
                    prop_assert!(x.sub(y).contains(a - b));
                    prop_assert!(x.mul(y).contains(a * b));
                    prop_assert!(x.min(y).contains(a.min(b)));
                    prop_assert!(x.max(y).contains(a.max(b)));
                    prop_assert!(x.abs().contains(a.abs()));
                    prop_assert!(x.and(y).contains(a & b), "{x:?} & {y:?}: {a} & {b}");
                    prop_assert!(x.or(y).contains(a | b), "{x:?} | {y:?}: {a} | {b}");
                    prop_assert!(x.xor(y).contains(a ^ b), "{x:?} ^ {y:?}: {a} ^ {b}");
                    if b != 0 {
                        let q = floor_div(a, b);
                        prop_assert!(x.floor_div(y).contains(q));
                        prop_assert!(x.modulo(y).contains(a - q * b));
                    }
                    if b >= 0 {
                        prop_assert!(x.shl(y).contains(a << b));
                        prop_assert!(x.shr(y).contains(a >> b));
                        prop_assert!(x.pow(y).contains(a.saturating_pow(b as u32)));
                    }
                }
            }
        }
    }
}
