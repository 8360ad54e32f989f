//! Conditions of a question: the ways in which they can hold, or fail.

use crate::dependence::problem::{Problem, Side, Supposition};
use crate::integer::Row;
use crate::values::affine::{Affine, Term};
use crate::values::condition::{Atom, Clause, Relation};
use crate::values::forms::{FactKind, Facts};

/// The most conjunctions that one condition may be split into.
const MAX_WAYS: usize = 12;

impl Problem<'_> {
    /// The result of `make`, which describes values that are computed in one case only, and the ways in which all that
    /// it requires can hold. Outside that case none of the requirements is known to hold.
    pub(super) fn suppose<T>(
        &mut self,
        make: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(T, Vec<Vec<Row>>)> {
        self.supposed.push(Supposition::default());
        let seen = self.seen.len();
        let made = make(self);
        // What is said of index variables here has to be said again elsewhere.
        self.seen.truncate(seen);
        let Supposition { rows, choices } = self.supposed.pop()?;
        let mut ways = vec![rows];
        for options in choices {
            ways = self.conjunction(ways, &options);
        }
        Some((made?, ways))
    }

    /// The ways in which one of `ways` and one of `others` hold together; `ways` alone if there are too many.
    pub(super) fn conjunction(
        &mut self,
        ways: Vec<Vec<Row>>,
        others: &[Vec<Row>],
    ) -> Vec<Vec<Row>> {
        if ways.len() * others.len() > MAX_WAYS {
            self.exact = false;
            return ways;
        }
        let with_each = |a: &Vec<Row>| {
            let both = others.iter().map(|b| [a.as_slice(), b].concat());
            both.collect::<Vec<_>>()
        };
        ways.iter().flat_map(with_each).collect()
    }

    pub(super) fn fact(&mut self, form: &Affine, kind: FactKind, side: Side) {
        match kind {
            FactKind::NonNegative => self.nonneg(vec![(side, form.clone())]),
            FactKind::NonZero | FactKind::OneOf(_) => {
                let ways = self.ways(form, kind, side);
                if ways.len() > 1 {
                    self.require_one_of(ways);
                } else {
                    self.exact = false;
                }
            }
            FactKind::Opaque => self.exact = false,
        }
    }

    /// The ways in which a fact can hold, each a conjunction of rows; a single empty one if they cannot be told.
    fn ways(&mut self, form: &Affine, kind: FactKind, side: Side) -> Vec<Vec<Row>> {
        let row = |p: &mut Self| p.row(&[(side, form.clone())]);
        let ways = match kind {
            FactKind::NonNegative => row(self).map(|r| vec![vec![r]]),
            FactKind::NonZero => row(self).and_then(|mut above| {
                let below = above.complement()?;
                above.add_const(-1)?;
                Some(vec![vec![above], vec![below]])
            }),
            FactKind::OneOf(number) => self.ways_of_choice(number, side),
            FactKind::Opaque => None,
        };
        self.exact &= ways.is_some();
        ways.unwrap_or(vec![vec![]])
    }

    fn ways_of_choice(&mut self, number: u32, side: Side) -> Option<Vec<Vec<Row>>> {
        let forms = self.forms;
        let mut out = vec![];
        for option in forms.choices.get(number as usize)? {
            // Operands behind the first ones are computed in some cases only.
            let (ways, computed) = self.suppose(|p| Some(p.ways_of_all(option, side)))?;
            out.extend(self.conjunction(ways, &computed));
        }
        (out.len() <= MAX_WAYS).then_some(out)
    }

    /// The ways in which all of several facts can hold.
    pub(super) fn ways_of_all(&mut self, facts: &Facts, side: Side) -> Vec<Vec<Row>> {
        let mut out = vec![vec![]];
        for (form, kind) in facts {
            let ways = self.ways(form, *kind, side);
            out = self.conjunction(out, &ways);
        }
        out
    }

    /// Requires that a clause does not hold, which is that one of its atoms does not. Requires nothing if the clause
    /// has symbols that the question does not have.
    pub(super) fn absent(&mut self, clause: &Clause) {
        let here = |t: &Term| {
            let key = (Side::Both, None, t.syms.clone());
            t.syms.is_empty() || self.unknowns.contains_key(&key)
        };
        let known = |a: &Atom| a.form.terms().iter().all(here);
        if !clause.atoms.iter().all(known) {
            return;
        }
        let mut options = vec![];
        for atom in &clause.atoms {
            // One part that cannot be said to fail makes the whole say nothing.
            match self.failure(atom) {
                Some(ways) => options.extend(ways.into_iter().map(|w| vec![w])),
                None => return,
            }
        }
        self.system.one_of(options);
    }

    /// The ways in which an atom can fail.
    fn failure(&mut self, atom: &Atom) -> Option<Vec<Row>> {
        let row = self.row(&[(Side::Both, atom.form.clone())])?;
        let less_one = |mut r: Row| r.add_const(-1).map(|()| r);
        Some(match atom.relation {
            Relation::NonNegative => vec![row.complement()?],
            Relation::Zero => vec![row.complement()?, less_one(row)?],
            Relation::MultipleOf(m) => vec![less_one(self.divide(&row, m)?.1)?],
        })
    }
}
