//! Systems of linear equations and inequalities over integers.
//!
//! Feasibility by substitution of equations (with the gcd test) and Fourier-Motzkin elimination of inequalities
//! (with rounding to integers): the cheap part of Pugh's Omega test (1991). "Infeasible" is a proof; "feasible"
//! may also mean "not found out".

/// Rows beyond which elimination is given up.
const MAX_ROWS: usize = 300;

/// `sum(coef * unknown) + konst`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Row {
    /// Sorted by unknown, no zero.
    coefs: Vec<(u32, i64)>,
    konst: i64,
}

impl Row {
    /// A constant.
    pub fn constant(konst: i64) -> Row {
        Row {
            coefs: vec![],
            konst,
        }
    }
    /// Adds `coef * unknown`.
    pub fn add_term(&mut self, unknown: u32, coef: i64) -> Option<()> {
        match self.coefs.binary_search_by_key(&unknown, |t| t.0) {
            Ok(i) => {
                self.coefs[i].1 = self.coefs[i].1.checked_add(coef)?;
                if self.coefs[i].1 == 0 {
                    self.coefs.remove(i);
                }
            }
            Err(i) if coef != 0 => self.coefs.insert(i, (unknown, coef)),
            Err(_) => {}
        }
        Some(())
    }
    /// Adds a constant.
    pub fn add_const(&mut self, v: i64) -> Option<()> {
        self.konst = self.konst.checked_add(v)?;
        Some(())
    }
    /// `a * self + b * other`.
    pub fn combine(&self, a: i64, other: &Row, b: i64) -> Option<Row> {
        let konst = self
            .konst
            .checked_mul(a)?
            .checked_add(other.konst.checked_mul(b)?)?;
        let mut out = Row {
            coefs: Vec::with_capacity(self.coefs.len() + 2),
            konst,
        };
        for (u, c) in &self.coefs {
            out.coefs.push((*u, c.checked_mul(a)?));
        }
        for (u, c) in &other.coefs {
            out.add_term(*u, c.checked_mul(b)?)?;
        }
        Some(out)
    }
    /// The coefficient of an unknown.
    pub fn coef(&self, unknown: u32) -> i64 {
        let found = self.coefs.binary_search_by_key(&unknown, |t| t.0);
        found.map_or(0, |i| self.coefs[i].1)
    }
    /// The terms.
    pub fn terms(&self) -> &[(u32, i64)] {
        &self.coefs
    }
    /// The constant.
    pub fn konst(&self) -> i64 {
        self.konst
    }
    fn gcd(&self) -> i64 {
        self.coefs
            .iter()
            .fold(0u64, |g, (_, c)| gcd(g, c.unsigned_abs()))
            .min(i64::MAX as u64) as i64
    }
    fn divide(&mut self, by: i64) {
        self.coefs.iter_mut().for_each(|t| t.1 /= by);
        self.konst = self.konst.div_euclid(by);
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A conjunction of `row = 0` and `row >= 0`.
#[derive(Clone, Debug, Default)]
pub struct System {
    equal: Vec<Row>,
    nonneg: Vec<Row>,
}

/// A contradiction was found.
struct Infeasible;

impl System {
    /// Requires `row = 0`.
    pub fn equal(&mut self, row: Row) {
        self.equal.push(row);
    }
    /// Requires `row >= 0`.
    pub fn nonneg(&mut self, row: Row) {
        self.nonneg.push(row);
    }

    /// Whether there may be an integer solution; false is a proof that there is none.
    pub fn feasible(mut self) -> bool {
        match self.substitute() {
            Err(Infeasible) => return false,
            Ok(None) => return true,
            Ok(Some(())) => {}
        }
        self.eliminate()
    }

    /// Solves the equations. `None`: numbers grew too large.
    fn substitute(&mut self) -> Result<Option<()>, Infeasible> {
        while let Some(mut eq) = self.equal.pop() {
            let g = eq.gcd();
            if g == 0 {
                if eq.konst != 0 {
                    return Err(Infeasible);
                }
                continue;
            }
            if eq.konst % g != 0 {
                return Err(Infeasible);
            }
            eq.divide(g);
            let Some((u, c)) = eq.coefs.iter().copied().find(|t| t.1.abs() == 1) else {
                // No unit coefficient: as two inequalities, which loses only that the unknowns are integers.
                self.nonneg.push(eq.clone());
                match eq.combine(-1, &Row::default(), 0) {
                    Some(minus) => self.nonneg.push(minus),
                    None => return Ok(None),
                }
                continue;
            };
            // c * u + rest = 0 with c = 1 or -1: u = -c * rest.
            for row in self.equal.iter_mut().chain(&mut self.nonneg) {
                let k = row.coef(u);
                if k != 0 {
                    match k.checked_mul(-c).and_then(|f| row.combine(1, &eq, f)) {
                        Some(r) => *row = r,
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(Some(()))
    }

    /// Eliminates the unknowns of the inequalities one by one.
    fn eliminate(&mut self) -> bool {
        let mut rows = std::mem::take(&mut self.nonneg);
        loop {
            if !tidy(&mut rows) {
                return false;
            }
            if rows.is_empty() || rows.len() > MAX_ROWS {
                return true;
            }
            let Some(u) = cheapest(&rows) else {
                return true;
            };
            let (with, mut next): (Vec<Row>, Vec<Row>) =
                rows.into_iter().partition(|r| r.coef(u) != 0);
            let (lower, upper): (Vec<&Row>, Vec<&Row>) = with.iter().partition(|r| r.coef(u) > 0);
            for l in &lower {
                for h in &upper {
                    // Both multipliers are positive. What grows too large is left out: the system only gets weaker.
                    let by = h.coef(u).checked_neg();
                    next.extend(by.and_then(|by| l.combine(by, h, l.coef(u))));
                }
            }
            rows = next;
        }
    }
}

/// Rounds rows to integers, drops trivial and repeated ones; false on a contradiction.
fn tidy(rows: &mut Vec<Row>) -> bool {
    let mut ok = true;
    rows.retain_mut(|r| {
        let g = r.gcd();
        if g == 0 {
            ok &= r.konst >= 0;
            return false;
        }
        r.divide(g);
        true
    });
    // Of rows that differ in the constant only, the smallest constant is the strongest.
    rows.sort_unstable_by(|a, b| a.coefs.cmp(&b.coefs).then(a.konst.cmp(&b.konst)));
    rows.dedup_by(|b, a| a.coefs == b.coefs);
    ok
}

/// The unknown whose elimination makes the fewest rows.
fn cheapest(rows: &[Row]) -> Option<u32> {
    let mut counts: Vec<(u32, usize, usize)> = vec![];
    for (u, c) in rows.iter().flat_map(|r| r.coefs.iter().copied()) {
        let i = match counts.binary_search_by_key(&u, |t| t.0) {
            Ok(i) => i,
            Err(i) => {
                counts.insert(i, (u, 0, 0));
                i
            }
        };
        if c > 0 {
            counts[i].1 += 1;
        } else {
            counts[i].2 += 1;
        }
    }
    counts
        .into_iter()
        .min_by_key(|(_, a, b)| a * b)
        .map(|t| t.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(coefs: &[i64], konst: i64) -> Row {
        let mut r = Row::constant(konst);
        for (u, c) in coefs.iter().enumerate() {
            r.add_term(u as u32, *c).unwrap();
        }
        r
    }

    #[test]
    fn gcd_and_bounds() {
        let mut s = System::default();
        s.equal(row(&[2, -2], 1));
        assert!(!s.feasible());
        let mut s = System::default();
        s.equal(row(&[1, -1], -5));
        s.nonneg(row(&[-1], 4));
        s.nonneg(row(&[0, 1], 0));
        assert!(!s.feasible());
    }

    proptest! {
        /// A system with a small solution is never called infeasible, and one with bounded unknowns and no
        /// solution is usually called so.
        #[test]
        fn solutions_are_not_lost(
            eqs in prop::collection::vec((prop::array::uniform3(-3i64..4), -6i64..7), 0..3),
            ineqs in prop::collection::vec((prop::array::uniform3(-3i64..4), -6i64..7), 0..5),
        ) {
            let value = |c: &[i64; 3], k: i64, x: [i64; 3]| c[0]*x[0] + c[1]*x[1] + c[2]*x[2] + k;
            let mut s = System::default();
            for (c, k) in &eqs { s.equal(row(c, *k)); }
            for (c, k) in &ineqs { s.nonneg(row(c, *k)); }
            let mut solved = false;
            for a in -4..5 { for b in -4..5 { for c in -4..5 {
                let x = [a, b, c];
                solved |= eqs.iter().all(|(c, k)| value(c, *k, x) == 0)
                    && ineqs.iter().all(|(c, k)| value(c, *k, x) >= 0);
            }}}
            if solved { prop_assert!(s.feasible()); }
        }
    }
}
