//! Where a loop is cut, the iterations on either side, and the parts that it becomes.

use crate::values::affine::{Affine, Ix};
use crate::values::interval::Interval;

/// Coefficients and terms of a cut, few and small enough that sums of their products fit 128 bits.
const MAX_COEF: i128 = 1 << 32;

const MAX_TERMS: usize = 12;

/// Where a loop is cut: at the counter for which `divisor * counter == at`, an iteration or the gap between two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// A form of symbols and of the counters of loops around.
    pub at: Affine,
    /// Positive; it and the form's coefficients have no common divisor.
    pub divisor: i128,
}

/// Iterations on one side of a cut, by their counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Less.
    Below,
    /// Less or equal.
    UpTo,
    /// Equal.
    At,
    /// Greater or equal.
    From,
    /// Greater.
    Above,
}

impl Cut {
    /// Where `coef * counter + rest` is zero.
    pub(super) fn of(coef: i128, rest: &Affine) -> Option<Cut> {
        let at = if coef > 0 { rest.neg()? } else { rest.clone() };
        let all = at.terms().iter().map(|t| t.coef);
        let g = all.fold(coef.abs(), gcd);
        Some(Cut {
            at: at.divided(g)?,
            divisor: coef.abs() / g,
        })
    }

    /// Whether its value can be computed before the loop.
    pub(super) fn is_small(&self) -> bool {
        let small = |c: i128| c.abs() <= MAX_COEF;
        let terms = self.at.terms();
        small(self.divisor)
            && terms.len() <= MAX_TERMS
            && terms
                .iter()
                .all(|t| small(t.coef) && t.syms.len() + usize::from(t.ix.is_some()) <= 1)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Part {
    /// Forms that are not negative in its iterations, and only there.
    pub fn within(self, cut: &Cut, counter: Ix) -> Option<Vec<Affine>> {
        let above = Affine::ix(counter).scale(cut.divisor)?.sub(&cut.at)?;
        let below = above.neg()?;
        Some(match self {
            Part::Below => vec![below.add_const(-1)?],
            Part::UpTo => vec![below],
            Part::At => vec![below, above],
            Part::From => vec![above],
            Part::Above => vec![above.add_const(-1)?],
        })
    }
}

impl Part {
    /// What `divisor * counter - at` may be in its iterations.
    pub(super) fn sign(self) -> Interval {
        let (lo, hi) = (-FAR, FAR);
        match self {
            Part::Below => Interval { lo, hi: -1 },
            Part::UpTo => Interval { lo, hi: 0 },
            Part::At => Interval { lo: 0, hi: 0 },
            Part::From => Interval { lo: 0, hi },
            Part::Above => Interval { lo: 1, hi },
        }
    }
}

/// Farther than any counter is from a cut.
const FAR: i128 = 1 << 110;

/// A loop as several.
#[derive(Clone, PartialEq, Debug)]
pub struct Split {
    /// Where.
    pub cut: Cut,
    /// In ascending order of counters; there are at least two, and no iteration is in none.
    pub parts: Vec<Piece>,
}

/// A part of a split loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Which.
    pub part: Part,
    /// It may have more than a few iterations.
    pub long: bool,
    /// Whether the iterations of the part may run in any order; never asked of short parts.
    pub free: bool,
}

impl Split {
    /// Whether all iterations but a few may run in any order, part by part.
    pub fn is_whole(&self) -> bool {
        self.parts.iter().all(|p| p.free || !p.long)
    }
}
