//! Enclosures of floats: intervals that contain all possible values.
//!
//! Endpoints are exact images: rounding is monotone, so computing them with the operation's own rounding encloses
//! every result.

/// The set of floats in `lo..=hi` (but for zeros unless `zero`), and NaN if `nan`. `-0.0` counts as zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floats {
    /// The smallest value.
    pub lo: f64,
    /// The largest value.
    pub hi: f64,
    /// Whether NaN is possible.
    pub nan: bool,
    /// Whether zero is possible, if it lies between the ends.
    pub zero: bool,
}

// Named methods, not operators: these are enclosures, for which the laws of arithmetic do not hold.
#[allow(clippy::should_implement_trait)]
impl Floats {
    /// The enclosure of every float.
    pub const ALL: Floats = Floats {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
        nan: true,
        zero: true,
    };

    /// The enclosure of one value.
    pub fn point(v: f64) -> Floats {
        if v.is_nan() {
            Floats::ALL
        } else {
            Floats::new(v, v)
        }
    }
    /// The enclosure `lo..=hi` without NaN.
    pub fn new(lo: f64, hi: f64) -> Floats {
        Floats {
            lo,
            hi,
            nan: false,
            zero: true,
        }
    }
    /// The smallest enclosure of both.
    pub fn join(self, o: Floats) -> Floats {
        let zero = self.has_zero() || o.has_zero();
        Floats {
            lo: self.lo.min(o.lo),
            hi: self.hi.max(o.hi),
            nan: self.nan || o.nan,
            zero,
        }
    }
    /// Whether zero is possible.
    pub fn has_zero(self) -> bool {
        self.zero && self.lo <= 0.0 && self.hi >= 0.0
    }
    /// Whether no value is infinite.
    pub fn bounded(self) -> bool {
        self.lo > f64::NEG_INFINITY && self.hi < f64::INFINITY
    }
    /// The part that lies in `lo..=hi`; `None` when nothing is left (then only NaN, or nothing, is possible).
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
        Floats {
            lo: lo.into(),
            hi: hi.into(),
            nan: self.nan,
            zero: true,
        }
    }
    /// The enclosure of the negated values.
    pub fn neg(self) -> Floats {
        Floats {
            lo: -self.hi,
            hi: -self.lo,
            ..self
        }
    }
    /// The enclosure of the sums.
    pub fn add(self, o: Floats) -> Floats {
        let inf = |a: Floats, b: Floats| a.hi == f64::INFINITY && b.lo == f64::NEG_INFINITY;
        let nan = self.nan || o.nan || inf(self, o) || inf(o, self);
        Floats::from_ends([self.lo + o.lo, self.hi + o.hi], nan)
    }
    /// The enclosure of the differences.
    pub fn sub(self, o: Floats) -> Floats {
        self.add(o.neg())
    }
    /// The enclosure of the products.
    pub fn mul(self, o: Floats) -> Floats {
        let mixed = |a: Floats, b: Floats| a.has_zero() && !b.bounded();
        let nan = self.nan || o.nan || mixed(self, o) || mixed(o, self);
        // 0 * inf at a corner: the factor near zero times a huge one may be anything of that sign, and the
        // other corners cover the far end; zero is the near one.
        let p = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Floats::from_ends(
            [
                p(self.lo, o.lo),
                p(self.lo, o.hi),
                p(self.hi, o.lo),
                p(self.hi, o.hi),
            ],
            nan,
        )
    }
    /// The enclosure of the products of each value with itself.
    pub fn square(self) -> Floats {
        let s = self.mul(self);
        let crosses = self.lo <= 0.0 && self.hi >= 0.0;
        let lo = if crosses { 0.0 } else { s.lo.max(0.0) };
        Floats {
            lo,
            hi: s.hi.max(lo),
            nan: self.nan,
            zero: true,
        }
    }
    /// The enclosure of the quotients by the non-zero values of `o`.
    pub fn div(self, o: Floats) -> Floats {
        if o.lo <= 0.0 && o.hi >= 0.0 {
            let positive = self.lo >= 0.0 && o.lo >= 0.0 && !o.zero;
            return Floats {
                lo: if positive { 0.0 } else { f64::NEG_INFINITY },
                ..Floats::ALL
            };
        }
        let nan = self.nan || o.nan || (!self.bounded() && !o.bounded());
        let q = |a: f64, b: f64| if b.is_infinite() { 0.0 } else { a / b };
        Floats::from_ends(
            [
                q(self.lo, o.lo),
                q(self.lo, o.hi),
                q(self.hi, o.lo),
                q(self.hi, o.hi),
            ],
            nan,
        )
    }
    /// The enclosure of the absolute values.
    pub fn abs(self) -> Floats {
        let (a, b) = (self.lo.abs(), self.hi.abs());
        let crosses = self.lo <= 0.0 && self.hi >= 0.0;
        Floats {
            lo: if crosses { 0.0 } else { a.min(b) },
            hi: a.max(b),
            ..self
        }
    }

    fn from_ends<const N: usize>(ends: [f64; N], nan: bool) -> Floats {
        if ends.iter().any(|e| e.is_nan()) {
            return Floats::ALL;
        }
        let lo = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Floats {
            lo,
            hi,
            nan,
            zero: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
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
