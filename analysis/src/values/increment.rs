//! What one iteration of a loop adds to a variable.

use crate::values::affine::Affine;

/// How the iterations of a loop change a variable that they only add to.
#[derive(Clone)]
pub(crate) struct Induction {
    /// The variable's value before the loop.
    pub(super) init: Affine,
    /// Bounds on what one iteration adds.
    pub(super) reach: Reach,
    /// What one iteration adds, if it is the same in each iteration.
    pub(super) exact: Option<Affine>,
}

/// Bounds on what a piece of code adds to a variable, the same for each iteration of the loop it is asked for.
#[derive(Clone, Default)]
pub(super) struct Reach {
    /// The lower bound, never positive; `None`: nothing is known.
    pub(super) low: Option<Affine>,
    /// The upper bound, never negative; `None`: nothing is known.
    pub(super) high: Option<Affine>,
}

impl Reach {
    pub(super) fn nothing() -> Reach {
        Reach {
            low: Some(Affine::default()),
            high: Some(Affine::default()),
        }
    }
    pub(super) fn and(self, o: Reach) -> Reach {
        let both = |a: Option<Affine>, b: Option<Affine>| a?.add(&b?);
        Reach {
            low: both(self.low, o.low),
            high: both(self.high, o.high),
        }
    }
    /// The bounds for code that runs at most `times` times, or any number of times (`None`).
    pub(super) fn repeated(self, times: Option<&Affine>) -> Reach {
        let zero = |a: &Affine| a.as_constant() == Some(0);
        let scale = |a: Option<Affine>| match a {
            Some(a) if zero(&a) => Some(a),
            Some(a) => a.mul(times?),
            None => None,
        };
        Reach {
            low: scale(self.low),
            high: scale(self.high),
        }
    }
}
