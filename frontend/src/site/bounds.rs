//! Bounds of the amount of work, as formulas over the sizes that a call comes with.

use nestwise_ir::PathId;

/// An upper bound of a number's magnitude that grows with its atoms.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// That number.
    Number(f64),
    /// The size of an atom, by its place in [`atoms`](crate::site::static_cost::Effort::atoms).
    Atom(usize),
    /// The sum of several bounds.
    Sum(Vec<Bound>),
    /// The product of two bounds.
    Product(Box<Bound>, Box<Bound>),
    /// The largest of several.
    Largest(Vec<Bound>),
    /// The smallest of several.
    Smallest(Vec<Bound>),
    /// Trips of a loop that may be left before it has made so many: the mean where each order of magnitude is as
    /// likely.
    Left(Box<Bound>),
}

impl Bound {
    /// One.
    pub(crate) const ONE: Bound = Bound::Number(1.0);
    /// Longer formulas are not worth their evaluation.
    const LONGEST: usize = 64;

    /// Its value where the atoms have these sizes.
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

    /// Infinity instead of a long formula.
    pub(crate) fn short(self) -> Bound {
        match self.length() > Self::LONGEST {
            true => Bound::Number(f64::INFINITY),
            false => self,
        }
    }
}

/// What of an access path counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomKind {
    /// The value of an int.
    Int,
    /// `len(path)`.
    Len,
    /// The extent of an axis: `path.shape[k]`, or the length of what `k` subscripts lead to. Axis 0 is `Len`.
    Dim(u32),
}

/// A number that the amount of work grows with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    /// A name, or an attribute chain on one.
    pub path: PathId,
    /// What of it.
    pub kind: AtomKind,
}
