//! What one iteration of a loop adds to a variable.

use crate::values::affine::Affine;

/// What one iteration of a loop adds to a variable.
#[derive(Clone)]
pub(crate) struct Induction {
    /// The value before the loop.
    pub(super) init: Affine,
    /// What one iteration adds at least and at most.
    pub(super) reach: Reach,
    /// The exact sum, if it is the same in each iteration.
    pub(super) exact: Option<Affine>,
}

/// Bounds on what a piece of code adds to a variable, the same for each iteration of the loop it is asked for.
#[derive(Clone, Default)]
pub(super) struct Reach {
    /// At least this; never positive. `None`: nothing is known.
    pub(super) low: Option<Affine>,
    /// At most this; never negative.
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
    /// Any number of times (`None`), or at most `times`.
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
