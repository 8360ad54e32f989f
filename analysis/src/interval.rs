//! Intervals of integers and of floats.
//!
//! Integer endpoints are `i128` and saturate: an endpoint at `i128::MIN` or `i128::MAX` means "and beyond", so a
//! saturated result is still an enclosure. Float endpoints are exact images: rounding is monotone, so computing
//! the endpoints with the operation's own rounding encloses every result.

use nestwise_ir::Scalar;

/// All integers `lo..=hi`; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Smallest.
    pub lo: i128,
    /// Largest.
    pub hi: i128,
}

impl Interval {
    /// Every integer.
    pub const ALL: Interval = Interval { lo: i128::MIN, hi: i128::MAX };

    /// `lo..=hi`, the ends in any order.
    pub fn new(lo: i128, hi: i128) -> Interval {
        Interval { lo: lo.min(hi), hi: lo.max(hi) }
    }
    /// One value.
    pub fn point(v: i128) -> Interval {
        Interval { lo: v, hi: v }
    }
    /// The values of a representation (everything, for one that is not an integer's).
    pub fn of_type(s: Scalar) -> Interval {
        match s {
            Scalar::Char => Interval { lo: 0, hi: 0x10_FFFF },
            _ => s.int_range().map_or(Interval::ALL, |(lo, hi)| Interval { lo, hi }),
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
    /// Whether `v` is in it.
    pub fn contains(self, v: i128) -> bool {
        self.lo <= v && v <= self.hi
    }
    /// The least interval around both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
    /// The values in both.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Interval { lo, hi })
    }
    /// Like [`Interval::meet`], for a value known to be in `other`; an impossible value may be anything in it.
    pub fn clamp_to(self, other: Interval) -> Interval {
        self.meet(other).unwrap_or(other)
    }

    /// Sum.
    pub fn add(self, o: Interval) -> Interval {
        Interval { lo: self.lo.saturating_add(o.lo), hi: self.hi.saturating_add(o.hi) }
    }
    /// Negation.
    pub fn neg(self) -> Interval {
        Interval { lo: self.hi.saturating_neg(), hi: self.lo.saturating_neg() }
    }
    /// Difference.
    pub fn sub(self, o: Interval) -> Interval {
        Interval { lo: self.lo.saturating_sub(o.hi), hi: self.hi.saturating_sub(o.lo) }
    }
    /// Product.
    pub fn mul(self, o: Interval) -> Interval {
        let p = [self.lo, self.hi].map(|a| [o.lo, o.hi].map(|b| a.saturating_mul(b)));
        hull(p.iter().flatten().copied())
    }
    /// Absolute value.
    pub fn abs(self) -> Interval {
        let (a, b) = (self.lo.saturating_abs(), self.hi.saturating_abs());
        let lo = if self.contains(0) { 0 } else { a.min(b) };
        Interval { lo, hi: a.max(b) }
    }
    /// Floor division by the non-zero values of `o`.
    pub fn floor_div(self, o: Interval) -> Interval {
        let divisors = [o.lo, o.hi, -1, 1].into_iter().filter(|d| *d != 0 && o.contains(*d));
        let all = divisors.flat_map(|d| [floor_div(self.lo, d), floor_div(self.hi, d)]);
        if o.as_point() == Some(0) {
            return Interval::ALL;
        }
        hull(all)
    }
    /// Python's modulo by the non-zero values of `o`.
    pub fn modulo(self, o: Interval) -> Interval {
        let small = Interval { lo: 0, hi: o.lo.saturating_sub(1) };
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
    /// The smaller of both.
    pub fn min(self, o: Interval) -> Interval {
        Interval { lo: self.lo.min(o.lo), hi: self.hi.min(o.hi) }
    }
    /// The larger of both.
    pub fn max(self, o: Interval) -> Interval {
        Interval { lo: self.lo.max(o.lo), hi: self.hi.max(o.hi) }
    }
    /// Bitwise and.
    pub fn and(self, o: Interval) -> Interval {
        match (self.lo >= 0, o.lo >= 0) {
            (true, true) => Interval { lo: 0, hi: self.hi.min(o.hi) },
            (true, false) => Interval { lo: 0, hi: self.hi },
            (false, true) => Interval { lo: 0, hi: o.hi },
            (false, false) => Interval { lo: mask_low(self, o), hi: self.hi.max(o.hi) },
        }
    }
    /// Bitwise or.
    pub fn or(self, o: Interval) -> Interval {
        match (self.lo >= 0, o.lo >= 0) {
            (true, true) => {
                Interval { lo: self.lo.max(o.lo), hi: ones(self.hi.max(o.hi)) }
            }
            _ => Interval { lo: self.lo.min(o.lo), hi: ones(self.hi.max(o.hi).max(-1)) },
        }
    }
    /// Bitwise exclusive or.
    pub fn xor(self, o: Interval) -> Interval {
        if self.lo >= 0 && o.lo >= 0 {
            return Interval { lo: 0, hi: ones(self.hi.max(o.hi)) };
        }
        Interval { lo: mask_low(self, o), hi: ones(self.hi.max(o.hi).max(!self.lo).max(!o.lo)) }
    }
    /// Left shift by the amounts of `o` in `0..=126`.
    pub fn shl(self, o: Interval) -> Interval {
        let (a, b) = (o.lo.clamp(0, 126), o.hi.clamp(0, 126));
        self.mul(Interval { lo: 1 << a, hi: 1 << b })
    }
    /// Arithmetic right shift by the non-negative amounts of `o`.
    pub fn shr(self, o: Interval) -> Interval {
        let (a, b) = (o.lo.clamp(0, 127) as u32, o.hi.clamp(0, 127) as u32);
        hull([self.lo >> a, self.lo >> b, self.hi >> a, self.hi >> b].into_iter())
    }
    /// Power by the non-negative exponents of `o`.
    pub fn pow(self, o: Interval) -> Interval {
        let Some(e) = o.as_point().and_then(|e| u32::try_from(e).ok()).filter(|e| *e <= 128) else {
            return Interval::ALL;
        };
        let ends = Interval::new(self.lo.saturating_pow(e), self.hi.saturating_pow(e));
        if e > 0 && e % 2 == 0 && self.contains(0) { ends.join(Interval::point(0)) } else { ends }
    }
}

fn hull(values: impl Iterator<Item = i128>) -> Interval {
    let both = values.fold(None, |acc: Option<Interval>, v| {
        Some(acc.map_or(Interval::point(v), |a| a.join(Interval::point(v))))
    });
    both.unwrap_or(Interval::ALL)
}

/// `2**k - 1`, the least that is not below `v`.
fn ones(v: i128) -> i128 {
    if v <= 0 { v.max(0) } else { (u128::MAX >> (v as u128).leading_zeros()) as i128 }
}

/// A lower bound of `x & y` and `x ^ y` where operands may be negative.
fn mask_low(a: Interval, b: Interval) -> i128 {
    !ones(a.lo.min(b.lo).min(-1).unsigned_abs().min(i128::MAX as u128) as i128)
        .max(ones(a.hi.max(b.hi)))
}

/// Python's `a // b` for a non-zero `b`, saturating.
pub fn floor_div(a: i128, b: i128) -> i128 {
    let Some(q) = a.checked_div(b) else { return i128::MAX };
    if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

/// Every float in `lo..=hi` (but for zeros unless `zero`), and NaN if `nan`. `-0.0` counts as zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floats {
    /// Smallest.
    pub lo: f64,
    /// Largest.
    pub hi: f64,
    /// NaN is possible.
    pub nan: bool,
    /// Zero is possible, if it lies between the ends.
    pub zero: bool,
}

impl Floats {
    /// Every float.
    pub const ALL: Floats = Floats { lo: f64::NEG_INFINITY, hi: f64::INFINITY, nan: true, zero: true };

    /// One value.
    pub fn point(v: f64) -> Floats {
        if v.is_nan() { Floats::ALL } else { Floats::new(v, v) }
    }
    /// `lo..=hi` without NaN.
    pub fn new(lo: f64, hi: f64) -> Floats {
        Floats { lo, hi, nan: false, zero: true }
    }
    /// The least enclosure of both.
    pub fn join(self, o: Floats) -> Floats {
        let zero = self.has_zero() || o.has_zero();
        Floats { lo: self.lo.min(o.lo), hi: self.hi.max(o.hi), nan: self.nan || o.nan, zero }
    }
    /// Whether zero is possible.
    pub fn has_zero(self) -> bool {
        self.zero && self.lo <= 0.0 && self.hi >= 0.0
    }
    /// Whether no value is infinite.
    pub fn bounded(self) -> bool {
        self.lo > f64::NEG_INFINITY && self.hi < f64::INFINITY
    }
    /// Keeps what `lo..=hi` holds; `None` when nothing is left (then only NaN, or nothing).
    pub fn meet(self, lo: f64, hi: f64) -> Option<Floats> {
        let (lo, hi) = (self.lo.max(lo), self.hi.min(hi));
        (lo <= hi).then_some(Floats { lo, hi, ..self })
    }
    /// Rounds the ends outward to `f32` values when the operation computes in `f32`.
    pub fn to_f32(self) -> Floats {
        let (mut lo, mut hi) = (self.lo as f32, self.hi as f32);
        if f64::from(lo) > self.lo {
            lo = lo.next_down();
        }
        if f64::from(hi) < self.hi {
            hi = hi.next_up();
        }
        Floats { lo: lo.into(), hi: hi.into(), nan: self.nan, zero: true }
    }
    /// Negation.
    pub fn neg(self) -> Floats {
        Floats { lo: -self.hi, hi: -self.lo, ..self }
    }
    /// Sum.
    pub fn add(self, o: Floats) -> Floats {
        let inf = |a: Floats, b: Floats| a.hi == f64::INFINITY && b.lo == f64::NEG_INFINITY;
        let nan = self.nan || o.nan || inf(self, o) || inf(o, self);
        Floats::from_ends([self.lo + o.lo, self.hi + o.hi], nan)
    }
    /// Difference.
    pub fn sub(self, o: Floats) -> Floats {
        self.add(o.neg())
    }
    /// Product.
    pub fn mul(self, o: Floats) -> Floats {
        let mixed = |a: Floats, b: Floats| a.has_zero() && !b.bounded();
        let nan = self.nan || o.nan || mixed(self, o) || mixed(o, self);
        // 0 * inf at a corner: the factor near zero times a huge one may be anything of that sign, and the
        // other corners cover the far end; zero is the near one.
        let p = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Floats::from_ends(
            [p(self.lo, o.lo), p(self.lo, o.hi), p(self.hi, o.lo), p(self.hi, o.hi)],
            nan,
        )
    }
    /// The product of one value with itself.
    pub fn square(self) -> Floats {
        let s = self.mul(self);
        let crosses = self.lo <= 0.0 && self.hi >= 0.0;
        let lo = if crosses { 0.0 } else { s.lo.max(0.0) };
        Floats { lo, hi: s.hi.max(lo), nan: self.nan, zero: true }
    }
    /// Quotient by the non-zero values of `o`.
    pub fn div(self, o: Floats) -> Floats {
        if o.lo <= 0.0 && o.hi >= 0.0 {
            let positive = self.lo >= 0.0 && o.lo >= 0.0 && !o.zero;
            return Floats { lo: if positive { 0.0 } else { f64::NEG_INFINITY }, ..Floats::ALL };
        }
        let nan = self.nan || o.nan || (!self.bounded() && !o.bounded());
        let q = |a: f64, b: f64| if b.is_infinite() { 0.0 } else { a / b };
        Floats::from_ends(
            [q(self.lo, o.lo), q(self.lo, o.hi), q(self.hi, o.lo), q(self.hi, o.hi)],
            nan,
        )
    }
    /// Absolute value.
    pub fn abs(self) -> Floats {
        let (a, b) = (self.lo.abs(), self.hi.abs());
        let crosses = self.lo <= 0.0 && self.hi >= 0.0;
        Floats { lo: if crosses { 0.0 } else { a.min(b) }, hi: a.max(b), ..self }
    }

    fn from_ends<const N: usize>(ends: [f64; N], nan: bool) -> Floats {
        if ends.iter().any(|e| e.is_nan()) {
            return Floats::ALL;
        }
        let lo = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Floats { lo, hi, nan, zero: true }
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

        #[test]
        fn float_results_are_enclosed(a in -3i32..4, b in 0i32..4, c in -3i32..4, d in 0i32..4) {
            let ends = [f64::NEG_INFINITY, -2.5, -1.0, 0.0, 1e-300, 2.0, f64::INFINITY];
            let pick = |i: i32| ends[(i + 3) as usize];
            let x = Floats { lo: pick(a), hi: pick((a + b).min(3)), nan: false, zero: true };
            let y = Floats { lo: pick(c), hi: pick((c + d).min(3)), nan: false, zero: true };
            let inside = |r: Floats, v: f64| if v.is_nan() { r.nan } else { r.lo <= v && v <= r.hi };
            for p in ends.iter().copied().filter(|v| x.lo <= *v && *v <= x.hi) {
                for q in ends.iter().copied().filter(|v| y.lo <= *v && *v <= y.hi) {
                    prop_assert!(inside(x.add(y), p + q));
                    prop_assert!(inside(x.sub(y), p - q));
                    prop_assert!(inside(x.mul(y), p * q), "{x:?} {y:?} {p} {q}");
                    prop_assert!(inside(x.square(), p * p));
                    prop_assert!(inside(x.abs(), p.abs()));
                    if q != 0.0 {
                        prop_assert!(inside(x.div(y), p / q), "{x:?} / {y:?}: {p} / {q}");
                    }
                }
            }
        }
    }
}
