//! Where parameters must lie for a system to have a solution.

use crate::integer::conjunction::{Contradiction, Elimination, Fuel, Shadow, eliminate, tidy};
use crate::integer::row::Row;
use crate::integer::system::System;

/// Conditions on the kept unknowns that hold wherever there is a solution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Projection {
    /// Rows that are 0.
    pub equal: Vec<Row>,
    /// Rows that are not negative.
    pub nonneg: Vec<Row>,
    /// Rows that are multiples of a number.
    pub multiples: Vec<(Row, i64)>,
    /// Whether there is a solution wherever the conditions hold.
    pub exact: bool,
}

impl System {
    /// The conditions on the unknowns that `kept` accepts under which there may be a solution; `None`: there never is
    /// one. Choices are ignored, so a system with choices has no exact projection.
    pub fn project(&self, kept: &dyn Fn(u32) -> bool, fuel: &mut Fuel) -> Option<Projection> {
        let mut run = Run {
            equal: self.equal.clone(),
            nonneg: self.nonneg.clone(),
            kept,
            done: vec![],
            out: Projection {
                exact: self.is_plain(),
                ..Projection::default()
            },
        };
        run.all(fuel).ok()?;
        Some(run.out)
    }
}

struct Run<'a> {
    equal: Vec<Row>,
    nonneg: Vec<Row>,
    kept: &'a dyn Fn(u32) -> bool,
    /// Equations that were solved already, or that can only be used as pairs of inequalities.
    done: Vec<Row>,
    out: Projection,
}

impl Run<'_> {
    fn all(&mut self, fuel: &mut Fuel) -> Result<(), Contradiction> {
        loop {
            self.equations()?;
            self.equal = tidy(&mut self.nonneg)?;
            self.equal.retain(|e| !self.done.contains(e));
            if !self.equal.is_empty() {
                self.done.extend(self.equal.iter().cloned());
                continue;
            }
            let kept = self.kept;
            let Some(way) = Elimination::among(&self.nonneg, &|u| !kept(u)) else {
                self.out.nonneg = std::mem::take(&mut self.nonneg);
                return Ok(());
            };
            if !fuel.burn(way.pairs) {
                self.give_up();
                return Ok(());
            }
            let (next, complete) = eliminate(&self.nonneg, way.unknown, Shadow::Real);
            self.nonneg = next;
            self.out.exact &= way.exact && complete;
        }
    }

    /// Ends the projection early: keeps the rows over kept unknowns only, and marks it as not exact.
    fn give_up(&mut self) {
        let kept = self.kept;
        let rows = std::mem::take(&mut self.nonneg).into_iter();
        self.out.nonneg = rows
            .filter(|r| r.terms().iter().all(|t| kept(t.0)))
            .collect();
        self.out.exact = false;
    }

    fn equations(&mut self) -> Result<(), Contradiction> {
        while let Some(mut eq) = self.equal.pop() {
            let g = eq.gcd();
            if g == 0 && eq.konst() == 0 {
                continue;
            }
            if g == 0 || eq.konst() % g != 0 {
                return Err(Contradiction);
            }
            eq.divide(g);
            self.equation(eq);
        }
        Ok(())
    }

    fn equation(&mut self, eq: Row) {
        let others: Vec<(u32, i64)> = eq
            .terms()
            .iter()
            .copied()
            .filter(|t| !(self.kept)(t.0))
            .collect();
        if others.is_empty() {
            if !self.out.equal.contains(&eq) {
                self.out.equal.push(eq);
            }
            return;
        }
        if let Some((u, _)) = others.iter().find(|t| t.1.abs() == 1) {
            self.substitute(*u, &eq);
            return;
        }
        let g = others
            .iter()
            .fold(0, |g, t| crate::integer::row::gcd(g, t.1.unsigned_abs()));
        if g > 1 {
            let mut rest = Row::constant(eq.konst());
            let kept = eq.terms().iter().filter(|t| (self.kept)(t.0));
            let whole = kept
                .into_iter()
                .try_for_each(|(u, c)| rest.add_term(*u, *c));
            match (whole, i64::try_from(g)) {
                (Some(()), Ok(g)) => self.out.multiples.push((rest, g)),
                _ => self.out.exact = false,
            }
        }
        if let [(u, c)] = others[..] {
            self.scaled(u, c, &eq);
            return;
        }
        // As two inequalities, which loses that the unknowns are integers.
        self.out.exact = false;
        self.nonneg.extend(eq.negated());
        self.nonneg.push(eq);
    }

    fn substitute(&mut self, u: u32, eq: &Row) {
        for rows in [&mut self.equal, &mut self.nonneg] {
            rows.retain_mut(|row| {
                row.substitute(u, eq).map(|new| *row = new).is_some() || {
                    self.out.exact = false;
                    false
                }
            });
        }
    }

    /// Replaces `u` by `c * u + rest = 0`, where `rest` is known to be a multiple of `c`: rows are multiplied by `c`
    /// first.
    fn scaled(&mut self, u: u32, c: i64, eq: &Row) {
        let exact = &mut self.out.exact;
        let mut replace = |row: &mut Row| {
            let k = row.coef(u);
            let by = if c > 0 { k.checked_neg() } else { Some(k) };
            let new = by.and_then(|by| row.combine(c.abs(), eq, by));
            let whole = k == 0 || new.is_some();
            *exact &= whole;
            if let (true, Some(new)) = (k != 0, new) {
                *row = new;
            }
            whole
        };
        self.nonneg.retain_mut(&mut replace);
        self.equal.retain_mut(replace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::row::row;
    use proptest::prelude::*;

    fn holds(p: &Projection, x: &[i64]) -> bool {
        let at = |r: &Row| {
            r.terms()
                .iter()
                .map(|(u, c)| c * x[*u as usize])
                .sum::<i64>()
                + r.konst()
        };
        p.equal.iter().all(|r| at(r) == 0)
            && p.nonneg.iter().all(|r| at(r) >= 0)
            && p.multiples.iter().all(|(r, m)| at(r) % m == 0)
    }

    /// From x - y = k with 0 <= x, y < n and x > y follows 1 <= k < n.
    #[test]
    fn a_shift() {
        let mut s = System::default();
        // 0: k, 1: n, 2: x, 3: y.
        s.equal(row(&[-1, 0, 1, -1], 0));
        s.nonneg(row(&[0, 0, 0, 1], 0));
        s.nonneg(row(&[0, 1, -1], -1));
        s.nonneg(row(&[0, 0, 1, -1], -1));
        let p = s.project(&|u| u < 2, &mut Fuel::default()).unwrap();
        assert!(p.exact && p.equal.is_empty() && p.multiples.is_empty());
        for k in -5..9 {
            for n in -2..8 {
                assert_eq!(holds(&p, &[k, n]), 1 <= k && k < n, "{k} {n} {p:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// With two parameters and two unknowns in a box, the conditions hold wherever there is a solution, and nowhere
        /// else if they are called exact.
        #[test]
        fn as_brute_force(
            eqs in prop::collection::vec((prop::array::uniform4(-3i64..4), -5i64..6), 0..2),
            ineqs in prop::collection::vec((prop::array::uniform4(-3i64..4), -5i64..6), 0..4),
        ) {
            let mut s = System::default();
            for (c, k) in &eqs { s.equal(row(c, *k)); }
            for (c, k) in &ineqs { s.nonneg(row(c, *k)); }
            for u in 2..4 {
                let mut unit = [0; 4];
                unit[u] = 1;
                s.nonneg(row(&unit, 4));
                s.nonneg(row(&unit.map(|c: i64| -c), 4));
            }
            let p = s.project(&|u| u < 2, &mut Fuel::default());
            let value = |c: &[i64; 4], k: i64, x: [i64; 4]| {
                c.iter().zip(x).map(|(c, x)| c * x).sum::<i64>() + k
            };
            for a in -6..7 { for b in -6..7 {
                let solved = (-4..5).any(|c| (-4..5).any(|d| {
                    let x = [a, b, c, d];
                    eqs.iter().all(|(c, k)| value(c, *k, x) == 0)
                        && ineqs.iter().all(|(c, k)| value(c, *k, x) >= 0)
                }));
                let claimed = p.as_ref().is_some_and(|p| holds(p, &[a, b]));
                prop_assert!(claimed || !solved);
                if p.as_ref().is_none_or(|p| p.exact) {
                    prop_assert_eq!(claimed, solved, "{:?} at {} {}", p, a, b);
                }
            }}
        }
    }
}
