//! Bounds of the amount of work, as formulas over the sizes of a call's arguments.

use nestwise_ir::PathId;

/// An upper bound of a number's magnitude that grows with its atoms.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// A constant.
    Number(f64),
    /// The size of an atom, by its index in [`atoms`](crate::site::static_cost::Effort::atoms).
    Atom(usize),
    /// The sum of several bounds.
    Sum(Vec<Bound>),
    /// The product of two bounds.
    Product(Box<Bound>, Box<Bound>),
    /// The largest of several bounds.
    Largest(Vec<Bound>),
    /// The smallest of several bounds.
    Smallest(Vec<Bound>),
    /// The trips of a loop that may be left before it has made this number of trips: the mean, where each order of
    /// magnitude is equally likely.
    Left(Box<Bound>),
}

impl Bound {
    /// The constant 1.
    pub(crate) const ONE: Bound = Bound::Number(1.0);
    /// The length of the longest formula that is worth its evaluation.
    const LONGEST: usize = 64;

    /// The value of the bound where the atoms have these sizes.
    pub fn value(&self, sizes: &[f64]) -> f64 {
        let values = |all: &[Bound]| all.iter().map(|b| b.value(sizes)).collect::<Vec<_>>();
        match self {
            Bound::Number(v) => *v,
            Bound::Atom(k) => sizes.get(*k).map_or(f64::INFINITY, |v| v.abs()),
            Bound::Sum(all) => values(all).iter().sum(),
            Bound::Product(a, b) => a.value(sizes) * b.value(sizes),
            Bound::Largest(all) => values(all).into_iter().fold(0.0, f64::max),
            Bound::Smallest(all) => values(all).into_iter().fold(f64::INFINITY, f64::min),
            Bound::Left(trips) => match trips.value(sizes) {
                n if n > 2.0 && n.is_finite() => (n - 1.0) / n.ln(),
                n => n,
            },
        }
    }

    fn length(&self) -> usize {
        1 + match self {
            Bound::Number(_) | Bound::Atom(_) => 0,
            Bound::Sum(all) | Bound::Largest(all) | Bound::Smallest(all) => {
                all.iter().map(Bound::length).sum()
            }
            Bound::Product(a, b) => a.length() + b.length(),
            Bound::Left(trips) => trips.length(),
        }
    }

    /// The bound itself, or infinity instead of a formula that is too long.
    pub(crate) fn short(self) -> Bound {
        match self.length() > Self::LONGEST {
            true => Bound::Number(f64::INFINITY),
            false => self,
        }
    }
}

/// The number that is read off the value of an access path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomKind {
    /// The value of an int.
    Int,
    /// `len(path)`.
    Len,
    /// The extent of axis `k`: `path.shape[k]`, or the length of the element after `k` subscripts. Axis 0 is `Len`.
    Dim(u32),
}

/// A number that the amount of work grows with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The access path whose value tells the number.
    pub path: PathId,
    /// The number that is read off the value.
    pub kind: AtomKind,
}
