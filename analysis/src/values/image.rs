//! The values of linear forms over small systems of inequalities over integers.
//!
//! Fourier-Motzkin elimination gives the shadow of a system: the values of its other unknowns for which one unknown has
//! a real value. Over integers the shadow may be too large. Where it is not is Pugh's criterion (*The Omega test*,
//! 1991): a pair `l <= a * x`, `b * x <= u` has an integer between wherever `a * u - b * l >= (a - 1) * (b - 1)`. So
//! the shadow is exact if one coefficient of each pair is 1, or if what remains of the system implies that stronger
//! inequality.
//!
//! This runs at every launch, on numbers: so rows have a fixed size, unlike those of [`crate::integer`], which answers
//! the questions that are asked once per nest. Rows that do not fit are left out: then the system is weaker than it
//! could be, and no longer marked as exact.

/// The most unknowns of a system.
pub(crate) const UNKNOWNS: usize = 8;
/// The number of the unknown that stands for the value whose image is computed.
const IMAGE: usize = UNKNOWNS;
const PLACES: usize = UNKNOWNS + 1;
/// The most rows of a system; further ones are left out.
const MAX_ROWS: usize = 40;

/// A linear form `sum(coef * unknown) + konst`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    coefs: [i64; PLACES],
    konst: i64,
}

/// The values of a form over a system's solutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Image {
    /// There are no solutions.
    Empty,
    /// The values `lo, lo + step, ..., hi`: all of them (`exact`), or at least no others.
    Values {
        lo: i64,
        hi: i64,
        step: i64,
        exact: bool,
    },
    /// The values may be any integers, as far as is known.
    Unknown,
}

/// A conjunction of `row >= 0`.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The rows, divided by the greatest common divisor of their coefficients; no two differ in the constant only.
    rows: Vec<Row>,
    /// The unknowns that were replaced, and by what, first to last.
    replaced: Vec<(usize, Row)>,
    /// Whether the rows say everything that was required.
    pub(crate) exact: bool,
    /// Whether a contradiction was found.
    pub(crate) empty: bool,
}

impl Row {
    /// The row that is a constant.
    pub fn constant(konst: i64) -> Row {
        let coefs = [0; PLACES];
        Row { coefs, konst }
    }
    /// The row that is one unknown.
    pub fn unknown(v: usize) -> Row {
        let mut row = Row::constant(0);
        row.coefs[v] = 1;
        row
    }
    /// Adds `coef * unknown`.
    pub fn add_term(&mut self, v: usize, coef: i64) -> Option<()> {
        let place = self.coefs.get_mut(v)?;
        *place = place.checked_add(coef)?;
        Some(())
    }
    /// The row `a * self + b * other`.
    pub fn combine(&self, a: i64, other: &Row, b: i64) -> Option<Row> {
        let sum = |x: i64, y: i64| x.checked_mul(a)?.checked_add(y.checked_mul(b)?);
        let mut out = Row::constant(sum(self.konst, other.konst)?);
        for (o, (x, y)) in out
            .coefs
            .iter_mut()
            .zip(self.coefs.iter().zip(&other.coefs))
        {
            *o = sum(*x, *y)?;
        }
        Some(out)
    }
    /// The difference of two rows.
    pub fn sub(&self, other: &Row) -> Option<Row> {
        self.combine(1, other, -1)
    }
    /// The sum with a constant.
    pub fn add_const(mut self, v: i64) -> Option<Row> {
        self.konst = self.konst.checked_add(v)?;
        Some(self)
    }
    /// Whether an unknown occurs.
    pub fn mentions(&self, v: usize) -> bool {
        self.coefs[v] != 0
    }
    /// The unknowns that occur, as a bit mask.
    fn mask(&self) -> u16 {
        let bits = self.coefs.iter().enumerate();
        bits.fold(0, |all, (v, c)| all | u16::from(*c != 0) << v)
    }
    /// The only unknown that occurs, if it is only one.
    fn single(&self) -> Option<usize> {
        let mask = self.mask();
        (mask.count_ones() == 1).then_some(mask.trailing_zeros() as usize)
    }
    /// The row with `by` in the place of an unknown.
    fn replace(&self, v: usize, by: &Row) -> Option<Row> {
        let coef = self.coefs[v];
        if coef == 0 {
            return Some(*self);
        }
        let mut rest = *self;
        rest.coefs[v] = 0;
        rest.combine(1, by, coef)
    }
    /// The greatest common divisor of the coefficients; 0 if there are none, `None` if one has no negative.
    fn gcd(&self) -> Option<i64> {
        let mut all = self.coefs.iter().filter(|c| **c != 0);
        let g = all.try_fold(0, |g, c| Some(gcd(g, c.checked_neg()?.unsigned_abs())))?;
        i64::try_from(g).ok()
    }
}

/// The greatest common divisor of two numbers; that of 0 and a number is the number.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl System {
    /// The system without rows, of which all integers are solutions.
    pub fn new() -> System {
        System {
            rows: Vec::with_capacity(16),
            replaced: Vec::new(),
            exact: true,
            empty: false,
        }
    }

    /// Requires `row >= 0`; `None` stands for a requirement that no row expresses.
    pub fn require(&mut self, row: Option<Row>) {
        let Some((mut row, g)) = row.and_then(|r| Some((r, r.gcd()?))) else {
            self.exact = false;
            return;
        };
        if g == 0 {
            self.empty |= row.konst < 0;
            return;
        }
        if g > 1 {
            // A sum of multiples of g that is at least -konst is at least the next multiple.
            row.coefs.iter_mut().for_each(|c| *c /= g);
            row.konst = row.konst.div_euclid(g);
        }
        if let Some(known) = self.rows.iter_mut().find(|r| r.coefs == row.coefs) {
            known.konst = known.konst.min(row.konst);
        } else if self.rows.len() < MAX_ROWS {
            self.rows.push(row);
        } else {
            self.exact = false;
        }
    }

    /// Whether an unknown occurs.
    pub fn mentions(&self, v: usize) -> bool {
        self.rows.iter().any(|r| r.mentions(v))
    }

    /// The form, in terms of the unknowns that were not replaced.
    pub fn express(&self, form: Row) -> Option<Row> {
        let mut all = self.replaced.iter();
        all.try_fold(form, |form, (v, by)| form.replace(*v, by))
    }

    /// Replaces an unknown everywhere by `by`, which may mention the unknown itself.
    pub fn replace(&mut self, v: usize, by: Row) {
        self.replaced.push((v, by));
        for row in std::mem::take(&mut self.rows) {
            self.require(row.replace(v, &by));
        }
    }

    /// The least and the greatest value of an unknown, by the rows that mention nothing else.
    fn bounds(&self, v: usize) -> (Option<i64>, Option<i64>) {
        let mut out = (None, None);
        for row in self
            .rows
            .iter()
            .filter(|r| r.mentions(v) && r.single() == Some(v))
        {
            // Coefficients of such rows are 1 or -1.
            if row.coefs[v] > 0 {
                out.0 = row.konst.checked_neg();
            } else {
                out.1 = Some(row.konst);
            }
        }
        out
    }

    /// The least value of a form by [`System::bounds`] alone.
    fn least(&self, form: &Row) -> Option<i64> {
        let mut sum = form.konst;
        for (v, c) in form.coefs.iter().enumerate().filter(|(_, c)| **c != 0) {
            let (lo, hi) = self.bounds(v);
            let end = if *c > 0 { lo? } else { hi? };
            sum = sum.checked_add(c.checked_mul(end)?)?;
        }
        Some(sum)
    }

    /// Requires that no form of `holes` is zero. A hole at an end of an unknown's values moves the end; a hole between
    /// them cannot be expressed.
    pub fn exclude(&mut self, holes: &[Row]) {
        // A moved end may meet the next hole.
        for _ in 0..=holes.len() {
            let all = holes.iter().filter(|h| !self.fits_between(h)).count();
            if all == 0 {
                return;
            }
        }
        let away = |s: &System, h: Row| s.least(&h).is_some_and(|v| v > 0);
        let open = |s: &System, h: &Row| {
            let h = s.express(*h);
            let negated = h.and_then(|h| Row::constant(0).sub(&h));
            !h.is_some_and(|h| away(s, h)) && !negated.is_some_and(|h| away(s, h))
        };
        self.exact &= !holes.iter().any(|h| open(self, h));
    }

    /// Excludes a hole if an inequality can. Returns whether nothing is left to do for it.
    fn fits_between(&mut self, hole: &Row) -> bool {
        let Some(hole) = self.express(*hole) else {
            return false;
        };
        let Some(v) = hole.single() else {
            self.empty |= hole == Row::constant(0);
            return hole.mask() == 0;
        };
        let (coef, konst) = (hole.coefs[v], hole.konst);
        if konst.checked_rem(coef) != Some(0) {
            return konst.checked_rem(coef).is_some();
        }
        let Some(at) = konst.checked_div(coef).and_then(i64::checked_neg) else {
            return false;
        };
        let (lo, hi) = self.bounds(v);
        if lo == Some(at) {
            // at = -(konst / coef), so at + 1 has a negative.
            self.require(Row::unknown(v).add_const(!at));
        } else if hi == Some(at) {
            let row = Row::constant(0).sub(&Row::unknown(v));
            self.require(row.and_then(|r| r.add_const(at.checked_sub(1)?)));
        } else {
            return lo.is_some_and(|lo| at < lo) || hi.is_some_and(|hi| at > hi);
        }
        true
    }

    /// Replaces unknowns that have a single value, and drops rows that the bounds of unknowns imply: rows with several
    /// unknowns that are left really tie those together.
    pub fn settle(&mut self) {
        let mut changed = true;
        while changed && !self.empty {
            changed = false;
            for v in 0..UNKNOWNS {
                if let (Some(lo), Some(hi)) = self.bounds(v) {
                    self.empty |= lo > hi;
                    if lo == hi {
                        self.replace(v, Row::constant(lo));
                        changed = true;
                    }
                }
            }
        }
        for i in (0..self.rows.len()).rev() {
            let row = self.rows[i];
            if row.single().is_none() && self.least(&row).is_some_and(|v| v >= 0) {
                self.rows.swap_remove(i);
            }
        }
    }

    /// Eliminates an unknown.
    fn eliminate(&mut self, v: usize) {
        let mut with = vec![];
        self.rows.retain(|r| {
            if r.coefs[v] != 0 {
                with.push(*r);
            }
            r.coefs[v] == 0
        });
        for lower in with.iter().filter(|r| r.coefs[v] > 0) {
            for upper in with.iter().filter(|r| r.coefs[v] < 0) {
                let (a, b) = (lower.coefs[v], -upper.coefs[v]);
                let shadow = lower.combine(b, upper, a);
                // Pugh's criterion, by what the other rows say.
                let gap = (a - 1).saturating_mul(b - 1);
                let exact = gap == 0
                    || shadow.is_some_and(|s| self.least(&s).is_some_and(|least| least >= gap));
                self.exact &= exact;
                self.require(shadow);
            }
        }
    }

    /// Eliminates all unknowns of `mask` (a bit each), cheapest first.
    fn eliminate_all(&mut self, mut mask: u16) {
        while mask != 0 && !self.empty {
            let cost = |v: &usize| {
                let count = |sign: i64| {
                    let of = |r: &&Row| r.coefs[*v].signum() == sign;
                    self.rows.iter().filter(of).count()
                };
                count(1) * count(-1)
            };
            let Some(v) = (0..PLACES).filter(|v| mask >> v & 1 == 1).min_by_key(cost) else {
                return;
            };
            self.eliminate(v);
            mask &= !(1 << v);
        }
    }

    /// The system with all unknowns eliminated that do not occur in the forms, which must be
    /// [expressed](System::express) already. It may replace further unknowns. `None`: there are no others to eliminate.
    pub fn project(&self, forms: &[Option<Row>]) -> Option<System> {
        let kept = forms.iter().flatten().fold(0, |all, f| all | f.mask());
        let others = self.rows.iter().fold(0, |all, r| all | r.mask()) & !kept;
        if others == 0 {
            return None;
        }
        let mut out = System {
            rows: self.rows.clone(),
            replaced: vec![],
            ..*self
        };
        out.eliminate_all(others);
        out.settle();
        Some(out)
    }

    /// The unknowns of a form and those that rows tie to them, as a bit mask.
    pub fn tied(&self, form: &Row) -> u16 {
        let mut all = form.mask();
        loop {
            let tied = self.rows.iter().map(Row::mask).filter(|m| m & all != 0);
            let more = tied.fold(all, |all, m| all | m);
            if more == all {
                return all;
            }
            all = more;
        }
    }

    /// The values of a form, from the rows on its own unknowns and those tied to them; the other rows are assumed to
    /// have a solution.
    pub fn image(&self, form: &Row) -> Image {
        let (mask, exact) = (form.mask(), self.exact);
        if self.empty {
            return Image::Empty;
        }
        if mask == 0 {
            let (lo, hi, step) = (form.konst, form.konst, 1);
            return Image::Values {
                lo,
                hi,
                step,
                exact,
            };
        }
        // form = konst + step * unit.
        let Some(step) = form.gcd() else {
            return Image::Unknown;
        };
        let mut unit = *form;
        unit.coefs.iter_mut().for_each(|c| *c /= step);
        unit.konst = 0;
        let (ends, exact) = match unit.single() {
            Some(v) if unit.coefs[v] == 1 && self.tied(&unit) == mask => (self.bounds(v), exact),
            _ => {
                let seen = self.seen_as(&unit);
                if seen.empty {
                    return Image::Empty;
                }
                (seen.bounds(IMAGE), seen.exact)
            }
        };
        let scaled = |v: Option<i64>| v?.checked_mul(step)?.checked_add(form.konst);
        match (scaled(ends.0), scaled(ends.1)) {
            (Some(lo), Some(hi)) if lo > hi => Image::Empty,
            (Some(lo), Some(hi)) => Image::Values {
                lo,
                hi,
                step,
                exact,
            },
            _ => Image::Unknown,
        }
    }

    /// The rows on the value of a form, with all unknowns eliminated.
    fn seen_as(&self, form: &Row) -> System {
        let tied = self.tied(form);
        let own = self.rows.iter().filter(|r| r.mask() & tied != 0);
        let mut part = System {
            rows: own.copied().collect(),
            replaced: vec![],
            ..*self
        };
        part.define(form);
        part.eliminate_all(tied);
        part
    }

    /// Requires that the image unknown equals a form, by substitution where an unknown has the coefficient 1 or -1.
    fn define(&mut self, form: &Row) {
        let image = Row::unknown(IMAGE);
        let Some(v) = form.coefs.iter().position(|c| c.unsigned_abs() == 1) else {
            self.require(image.sub(form));
            self.require(form.sub(&image));
            return;
        };
        // v = coef * (image - the rest of the form).
        let mut rest = *form;
        rest.coefs[v] = 0;
        match image.combine(form.coefs[v], &rest, -form.coefs[v]) {
            Some(by) => self.replace(v, by),
            None => self.exact = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(coefs: &[i64], konst: i64) -> Row {
        let mut out = Row::constant(konst);
        for (v, c) in coefs.iter().enumerate() {
            out.add_term(v, *c).unwrap();
        }
        out
    }
    fn value(r: &Row, x: [i64; 3]) -> i64 {
        r.konst + (0..3).map(|v| r.coefs[v] * x[v]).sum::<i64>()
    }
    /// A system whose unknowns lie between 0 and `ends`.
    fn boxed(ends: [i64; 3]) -> System {
        let mut s = System::new();
        for (v, end) in ends.iter().enumerate() {
            s.require(Some(Row::unknown(v)));
            s.require(Row::constant(*end).sub(&Row::unknown(v)));
        }
        s
    }
    fn image(s: &System, form: &Row) -> Image {
        s.image(&s.express(*form).unwrap())
    }

    #[test]
    fn gaps_and_none() {
        let values = |hi, exact| Image::Values {
            lo: 0,
            hi,
            step: 1,
            exact,
        };
        // Rows of ten, full and not.
        let flat = row(&[10, 1], 0);
        assert_eq!(image(&boxed([3, 9, 0]), &flat), values(39, true));
        assert_eq!(image(&boxed([3, 8, 0]), &flat), values(38, false));
        // 2x = 2y + 1 has no solution.
        let mut s = boxed([9, 9, 9]);
        s.require(Some(row(&[2, -2], -1)));
        s.require(Some(row(&[-2, 2], 1)));
        assert_eq!(image(&s, &flat), Image::Empty);
    }

    proptest! {
        #[test]
        fn images_hold(
            ends in prop::array::uniform3(0i64..5),
            rows in prop::collection::vec((prop::array::uniform3(-3i64..4), -4i64..9), 0..4),
            hole in (prop::array::uniform3(-2i64..3), -4i64..5),
            form in (prop::array::uniform3(-4i64..5), -3i64..4),
            stride in 1i64..4,
        ) {
            let mut s = boxed(ends);
            let rows: Vec<Row> = rows.iter().map(|(c, k)| row(c, *k)).collect();
            rows.iter().for_each(|r| s.require(Some(*r)));
            let (hole, form) = (row(&hole.0, hole.1), row(&form.0, form.1));
            // The last unknown takes steps.
            s.replace(2, row(&[0, 0, stride], 0));
            s.exclude(&[hole]);
            s.settle();
            let mut found = vec![];
            for x in 0..=ends[0] { for y in 0..=ends[1] { for z in (0..=ends[2]).step_by(stride as usize) {
                let x = [x, y, z];
                if rows.iter().all(|r| value(r, x) >= 0) && value(&hole, x) != 0 {
                    found.push(value(&form, x));
                }
            }}}
            found.sort_unstable();
            found.dedup();
            let form = s.express(form).unwrap();
            let fewer = s.project(&[Some(form)]);
            let seen = fewer.as_ref().unwrap_or(&s);
            let form = if fewer.is_some() { seen.express(form).unwrap() } else { form };
            match seen.image(&form) {
                Image::Empty => prop_assert!(found.is_empty()),
                Image::Unknown => prop_assert!(false, "it is bounded"),
                Image::Values { lo, hi, step, exact } => {
                    let inside = |v: &i64| lo <= *v && *v <= hi && (v - lo) % step == 0;
                    prop_assert!(found.iter().all(inside), "{found:?} in {lo}..{hi}/{step}");
                    let all = found.len() as i64 == (hi - lo) / step + 1;
                    prop_assert!(!exact || all, "{found:?} is not {lo}..{hi}/{step}");
                }
            }
        }
    }
}
