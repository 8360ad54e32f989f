//! Intervals of ints, in 128 bits. `None` means that a bound leaves 127 bits.

use nestwise_ir::model::types::WIDEST;
use nestwise_ir::{BinOp, Scalar};

/// The smallest and the largest value.
pub(crate) type Range = (i128, i128);
/// The numbers of texts of one character.
pub(crate) const CHARACTERS: Range = (0, nestwise_ir::model::texts::LAST_CHARACTER as i128);
/// The numbers of texts.
pub(crate) const TEXTS: Range = (0, u32::MAX as i128);

pub(crate) const I64: Range = (i64::MIN as i128, i64::MAX as i128);
pub(crate) const U64: Range = (0, u64::MAX as i128);
/// The ints of names that may need more than 64 bits and grow in a loop; a guard fails beyond.
pub(crate) const WIDE: Range = (-WIDEST, WIDEST);

/// The interval of all values of an int (or bool) representation; `None` for others.
pub(crate) fn of(repr: Scalar) -> Option<Range> {
    repr.int_range()
}

/// Whether the value lies in the interval.
pub(crate) fn has(r: Range, v: i128) -> bool {
    r.0 <= v && v <= r.1
}

/// Whether `a` lies in `b`.
pub(crate) fn within(a: Range, b: Range) -> bool {
    b.0 <= a.0 && a.1 <= b.1
}

/// The smallest interval that holds both.
pub(crate) fn union(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The part of `a` that lies in `b`; `b` itself if there is none (then a guard fails and there is no value).
pub(crate) fn clamp(a: Range, b: Range) -> Range {
    let r = (a.0.max(b.0), a.1.min(b.1));
    if r.0 <= r.1 { r } else { b }
}

/// The interval of these bounds; `None` where one is missing or out of bounds, as the smallest value of 128 bits is,
/// since it has no negation.
fn checked(lo: Option<i128>, hi: Option<i128>) -> Option<Range> {
    let (lo, hi) = (lo?, hi?);
    (lo > i128::MIN).then_some((lo, hi))
}

fn hull(values: &[Option<i128>]) -> Option<Range> {
    let values: Option<Vec<i128>> = values.iter().copied().collect();
    let values = values?;
    checked(values.iter().min().copied(), values.iter().max().copied())
}

/// The smallest `2**k - 1` that is at least `v` (for `v >= 0`).
fn ones(v: i128) -> i128 {
    if v <= 0 {
        0
    } else {
        i128::MAX >> (v.leading_zeros() - 1)
    }
}

/// Whether dividing such values may trap although the result fits: hardware has no remainder of the least value of a
/// type, `least`, by -1.
pub(crate) fn traps(op: BinOp, a: Range, b: Range, least: i128) -> bool {
    op == BinOp::Mod && least < 0 && a.0 <= least && within((-1, -1), b)
}

/// The interval of an operation on Python ints, before any commitment to 64 bits.
pub(crate) fn binary(op: BinOp, a: Range, b: Range) -> Option<Range> {
    match op {
        BinOp::Add => checked(a.0.checked_add(b.0), a.1.checked_add(b.1)),
        BinOp::Sub => checked(a.0.checked_sub(b.1), a.1.checked_sub(b.0)),
        BinOp::Mul => hull(&[
            a.0.checked_mul(b.0),
            a.0.checked_mul(b.1),
            a.1.checked_mul(b.0),
            a.1.checked_mul(b.1),
        ]),
        BinOp::FloorDiv => Some(floor_div(a, b)),
        BinOp::Mod => {
            // The sign of the divisor; magnitude below the divisor's, and not above a non-negative dividend's.
            let hi = if b.1 > 0 { b.1 - 1 } else { 0 };
            let hi = if a.0 >= 0 && b.0 > 0 { hi.min(a.1) } else { hi };
            Some((if b.0 < 0 { b.0 + 1 } else { 0 }, hi))
        }
        BinOp::Shl => {
            let (lo, hi) = (b.0.clamp(0, 126) as u32, b.1.clamp(0, 126) as u32);
            if b.1 > 126 {
                return None;
            }
            hull(&[
                a.0.checked_mul(1 << lo),
                a.0.checked_mul(1 << hi),
                a.1.checked_mul(1 << lo),
                a.1.checked_mul(1 << hi),
            ])
        }
        BinOp::Shr => {
            let (lo, hi) = (b.0.clamp(0, 127) as u32, b.1.clamp(0, 127) as u32);
            hull(&[
                Some(a.0 >> lo),
                Some(a.0 >> hi),
                Some(a.1 >> lo),
                Some(a.1 >> hi),
            ])
        }
        BinOp::And => {
            let lo = if a.0 >= 0 || b.0 >= 0 {
                0
            } else {
                -ones(-(a.0.min(b.0) + 1)) - 1
            };
            let hi = match (a.0 >= 0, b.0 >= 0) {
                (true, true) => a.1.min(b.1),
                (true, false) => a.1,
                (false, true) => b.1,
                (false, false) => a.1.max(b.1).max(0),
            };
            Some((lo, hi))
        }
        BinOp::Or | BinOp::Xor => {
            let hi = ones(a.1.max(b.1).max(-(a.0 + 1)).max(-(b.0 + 1)));
            Some((if a.0 >= 0 && b.0 >= 0 { 0 } else { -hi - 1 }, hi))
        }
        BinOp::Pow => power(a, b),
        BinOp::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        BinOp::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        BinOp::Div => None,
    }
}

/// The interval of a floor division. At a divisor of zero a guard fails, so only the others count; the quotient is
/// largest for the smallest divisors.
fn floor_div(a: Range, b: Range) -> Range {
    let mut divisors = vec![];
    divisors.extend([b.0, b.1].into_iter().filter(|d| *d != 0));
    divisors.extend([-1, 1].into_iter().filter(|d| has(b, *d)));
    let quotient = |x: i128, d: i128| {
        let q = x.wrapping_div(d);
        if x.wrapping_rem(d) != 0 && ((x < 0) != (d < 0)) {
            q - 1
        } else {
            q
        }
    };
    let all: Vec<i128> = divisors
        .iter()
        .flat_map(|d| [quotient(a.0, *d), quotient(a.1, *d)])
        .collect();
    match (all.iter().min(), all.iter().max()) {
        (Some(lo), Some(hi)) => (*lo, *hi),
        _ => (0, 0),
    }
}

fn power(a: Range, b: Range) -> Option<Range> {
    let (lo, hi) = (u32::try_from(b.0.max(0)).ok()?, u32::try_from(b.1).ok()?);
    let largest =
        a.0.checked_abs()?
            .max(a.1.checked_abs()?)
            .checked_pow(hi)?
            .max(1);
    if a.0 >= 0 {
        // 0 ** 0 is 1, so zero is the least only of a base of zero.
        return checked(
            if a.0 == 0 {
                Some(0)
            } else {
                a.0.checked_pow(lo)
            },
            Some(largest),
        );
    }
    let even = lo == hi && lo % 2 == 0;
    checked(Some(if even { 0 } else { -largest }), Some(largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every interval contains every result, on all small operands.
    #[test]
    fn intervals_contain_results() {
        let ops = [
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::FloorDiv,
            BinOp::Mod,
            BinOp::Shl,
            BinOp::Shr,
            BinOp::And,
            BinOp::Or,
            BinOp::Xor,
            BinOp::Pow,
        ];
        let exact = |op: BinOp, x: i128, y: i128| -> Option<i128> {
            match op {
                BinOp::FloorDiv if y != 0 => Some((x as f64 / y as f64).floor() as i128),
                BinOp::Mod if y != 0 => Some(x - y * (x as f64 / y as f64).floor() as i128),
                BinOp::Shl if y >= 0 => Some(x << y),
                BinOp::Shr if y >= 0 => Some(x >> y),
                BinOp::Pow if y >= 0 => Some(x.pow(y as u32)),
                BinOp::Add => Some(x + y),
                BinOp::Sub => Some(x - y),
                BinOp::Mul => Some(x * y),
                BinOp::And => Some(x & y),
                BinOp::Or => Some(x | y),
                BinOp::Xor => Some(x ^ y),
                _ => None,
            }
        };
        let bounds: Vec<Range> = (-5..=5)
            .flat_map(|a| (a..=5).map(move |b| (a, b)))
            .collect();
        for op in ops {
            for a in &bounds {
                for b in &bounds {
                    let Some(r) = binary(op, *a, *b) else {
                        continue;
                    };
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            if let Some(v) = exact(op, x, y) {
                                assert!(
                                    has(r, v),
                                    "{op:?} {a:?} {b:?}: {x} {y} = {v} not in {r:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn overflow_is_seen() {
        assert_eq!(binary(BinOp::Mul, U64, U64), None);
        assert!(binary(BinOp::Mul, I64, I64).is_some());
        assert!(binary(BinOp::Mul, U64, I64).is_some());
        assert_eq!(binary(BinOp::Shl, U64, (0, 70)), None);
    }
}
