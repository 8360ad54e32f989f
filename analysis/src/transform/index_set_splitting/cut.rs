//! Where a loop is cut, the iterations on either side, and the parts that it becomes.

use crate::values::affine::{Affine, Ix};
use crate::values::interval::Interval;

/// The largest coefficient of a cut; with the number of terms limited, too, sums of their products fit 128 bits.
const MAX_COEF: i128 = 1 << 32;

const MAX_TERMS: usize = 12;

/// The point where a loop is cut: the counter for which `divisor * counter == at`, an iteration or the gap between two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The cut's place, as a form of symbols and of the counters of loops around.
    pub at: Affine,
    /// The divisor: positive, and without a common divisor with the form's coefficients.
    pub divisor: i128,
}

/// The iterations on one side of a cut, by the values of their counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Counters less than the cut.
    Below,
    /// Counters less than or equal to the cut.
    UpTo,
    /// The counter equal to the cut.
    At,
    /// Counters greater than or equal to the cut.
    From,
    /// Counters greater than the cut.
    Above,
}

impl Cut {
    /// The cut where `coef * counter + rest` is zero.
    pub(super) fn of(coef: i128, rest: &Affine) -> Option<Cut> {
        let at = if coef > 0 { rest.neg()? } else { rest.clone() };
        let all = at.terms().iter().map(|t| t.coef);
        let g = all.fold(coef.abs(), gcd);
        Some(Cut {
            at: at.divided(g)?,
            divisor: coef.abs() / g,
        })
    }

    /// Whether the cut is simple enough to be computed before the loop.
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
    /// Forms that are all not negative exactly in the part's iterations.
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
    /// The values that `divisor * counter - at` may have in the part's iterations.
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

/// A distance greater than that of any counter from a cut.
const FAR: i128 = 1 << 110;

/// How a loop is split into several.
#[derive(Clone, PartialEq, Debug)]
pub struct Split {
    /// The point where the loop is cut.
    pub cut: Cut,
    /// The parts, in ascending order of counters; there are at least two, and every iteration is in one.
    pub parts: Vec<Piece>,
}

/// A part of a split loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The iterations of the part.
    pub part: Part,
    /// Whether the part may have more than a few iterations.
    pub long: bool,
    /// Whether the iterations of the part may run in any order; false for short parts, which are not examined.
    pub free: bool,
}

impl Split {
    /// Whether all iterations but a few may run in any order, part by part.
    pub fn is_whole(&self) -> bool {
        self.parts.iter().all(|p| p.free || !p.long)
    }
}
