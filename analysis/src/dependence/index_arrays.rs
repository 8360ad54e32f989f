//! Elements of index arrays (`idx` in `a[idx[i]]`): no form tells their values, but two elements at one index are
//! equal, and more may be known of the array, such as that it is sorted.

use nestwise_ir::{AccessId, ArrayId};

use crate::dependence::model::Property;
use crate::dependence::problem::{DEPTH, Element, Problem, Side};
use crate::integer::Row;
use crate::values::affine::Ix;
use crate::values::forms::Form;
use crate::values::interval::Interval;

/// The most pairs of elements that one question relates.
const MAX_PAIRS: usize = 6;

impl Problem<'_> {
    /// The unknown for the value that a load reads from a slot that nothing writes; the value is in `range`.
    pub(super) fn element(&mut self, access: AccessId, range: Interval, side: Side) -> Option<Row> {
        self.exact = false;
        let load = self.forms.access(access)?;
        let side = self.side_of(&load.index, side);
        let known = self
            .elements
            .iter()
            .find(|e| (e.access, e.side) == (access, side));
        let value = match known {
            Some(e) => e.value,
            None => {
                let index = match load.index.as_slice() {
                    [one] if self.literal || !load.guarded => self.form(one, side, DEPTH),
                    _ => None,
                };
                let value = self.new_unknown();
                self.enclose(value, range);
                self.elements.push(Element {
                    array: load.array,
                    access,
                    side,
                    value,
                    index,
                });
                value
            }
        };
        let mut row = Row::default();
        row.add_term(value, 1)?;
        Some(row)
    }

    /// [`Side::Both`] if the forms change with shared loops only, else `side`.
    fn side_of(&self, forms: &[Form], side: Side) -> Side {
        let mut both = true;
        for f in forms {
            both &= f.is_pure();
            f.for_each_affine(&mut |a| {
                let shared = |ix: &Ix| self.side(*ix, side) == Side::Both;
                both &= a.ixs().iter().all(shared);
            });
        }
        if both { Side::Both } else { side }
    }

    /// Requires that two elements of an array are equal where their indices are, and what the array's properties add.
    pub(super) fn relate(&mut self, known: &[(ArrayId, Property)]) {
        let mut pairs = vec![];
        for (i, a) in self.elements.iter().enumerate() {
            for b in &self.elements[i + 1..] {
                if a.array == b.array
                    && let (Some(f), Some(g)) = (&a.index, &b.index)
                    && let (Some(at), Some(is)) =
                        (g.combine(1, f, -1), difference(b.value, a.value))
                {
                    pairs.push((a.array, at, is));
                }
            }
        }
        for (array, at, is) in pairs.into_iter().take(MAX_PAIRS) {
            let has = |p: Property| known.contains(&(array, p));
            if let Some(options) = related(&at, &is, has(Property::Distinct), has(Property::Sorted))
            {
                self.system.one_of(options);
            }
        }
    }

    /// The index arrays that the question reads.
    pub(super) fn index_arrays(&self) -> Vec<ArrayId> {
        let mut all: Vec<ArrayId> = self
            .elements
            .iter()
            .filter(|e| e.index.is_some())
            .map(|e| e.array)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn difference(a: u32, b: u32) -> Option<Row> {
    let mut row = Row::default();
    row.add_term(a, 1)?;
    row.add_term(b, -1)?;
    Some(row)
}

/// The ways in which two elements of an array can be related, where the second is `at` positions behind the first and
/// its value is greater by `is`.
fn related(at: &Row, is: &Row, distinct: bool, sorted: bool) -> Option<Vec<Vec<Row>>> {
    let (later, earlier) = (less_one(at)?, less_one(&at.negated()?)?);
    let (greater, less) = (less_one(is)?, less_one(&is.negated()?)?);
    let (not_less, not_greater) = (is.clone(), is.negated()?);
    let mut ways = vec![vec![at.clone(), at.negated()?, is.clone(), is.negated()?]];
    match (distinct, sorted) {
        (true, true) => {
            ways.push(vec![later, greater]);
            ways.push(vec![earlier, less]);
        }
        (false, true) => {
            ways.push(vec![later, not_less]);
            ways.push(vec![earlier, not_greater]);
        }
        (true, false) => {
            ways.push(vec![later.clone(), greater.clone()]);
            ways.push(vec![later, less.clone()]);
            ways.push(vec![earlier.clone(), greater]);
            ways.push(vec![earlier, less]);
        }
        (false, false) => {
            ways.push(vec![later]);
            ways.push(vec![earlier]);
        }
    }
    Some(ways)
}

fn less_one(row: &Row) -> Option<Row> {
    let mut row = row.clone();
    row.add_const(-1)?;
    Some(row)
}
