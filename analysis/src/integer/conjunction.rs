//! Whether a conjunction of equations and inequalities has an integer solution: the Omega test itself.

use crate::integer::components::apart;
use crate::integer::row::Row;

/// The most rows made for one question before it is given up.
const FUEL: u32 = 20_000;

/// The most rows of one system; beyond it elimination is given up.
const MAX_ROWS: usize = 200;

/// What is known of the existence of a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is no solution.
    No,
    /// There is a solution.
    Yes,
    /// The question was too hard, or its numbers too large.
    Unknown,
}

impl Answer {
    /// The answer for a disjunction of two systems.
    pub(super) fn or(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
            (Answer::No, Answer::No) => Answer::No,
            _ => Answer::Unknown,
        }
    }
    /// What an answer says if the system that was solved is a weaker one than the one meant: only `No` carries over.
    pub(super) fn of_weaker(self) -> Answer {
        match self {
            Answer::No => Answer::No,
            _ => Answer::Unknown,
        }
    }
}

/// Work that may still be done for one question.
#[derive(Clone, Copy, Debug)]
pub struct Fuel(u32);

impl Default for Fuel {
    fn default() -> Fuel {
        Fuel(FUEL)
    }
}

impl Fuel {
    /// Whether nothing is left, so that the question was given up.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }
    pub(super) fn burn(&mut self, rows: usize) -> bool {
        self.0 = self.0.saturating_sub(rows as u32);
        self.0 > 0
    }
}

/// The error that a contradiction was found.
pub(super) struct Contradiction;

#[derive(Clone, Debug, Default)]
pub(super) struct Conjunction {
    pub(super) equal: Vec<Row>,
    pub(super) nonneg: Vec<Row>,
}

impl Conjunction {
    /// Solves each group of inequalities that shares no unknown with others by itself. The equations must be solved
    /// already.
    pub(super) fn solve_parts(self, fuel: &mut Fuel) -> Answer {
        let mut found = Answer::Yes;
        for nonneg in apart(self.nonneg) {
            let equal = vec![];
            match (Conjunction { equal, nonneg }).solve(fuel) {
                Answer::No => return Answer::No,
                Answer::Unknown => found = Answer::Unknown,
                Answer::Yes => {}
            }
        }
        found
    }

    fn solve(mut self, fuel: &mut Fuel) -> Answer {
        let mut exact = true;
        loop {
            match self.solve_equations() {
                Err(Contradiction) => return Answer::No,
                Ok(complete) => exact &= complete,
            }
            match tidy(&mut self.nonneg) {
                Err(Contradiction) => return Answer::No,
                Ok(equations) if !equations.is_empty() => {
                    self.take(equations);
                    continue;
                }
                Ok(_) => {}
            }
            drop_unbounded(&mut self.nonneg);
            if self.nonneg.is_empty() {
                return if exact { Answer::Yes } else { Answer::Unknown };
            }
            let Some(way) = Elimination::best(&self.nonneg) else {
                return Answer::Unknown;
            };
            if self.nonneg.len() > MAX_ROWS || !fuel.burn(way.pairs) {
                return Answer::Unknown;
            }
            if !way.exact {
                let answer = self.inexact(way.unknown, fuel);
                return if exact { answer } else { answer.of_weaker() };
            }
            let (next, complete) = eliminate(&self.nonneg, way.unknown, Shadow::Real);
            self.nonneg = next;
            exact &= complete;
        }
    }

    /// Replaces pairs of inequalities by the equations found in them: an equation that cannot be solved must not be
    /// found again.
    fn take(&mut self, equations: Vec<Row>) {
        let both = equations
            .iter()
            .flat_map(|e| [Some(e.clone()), e.negated()]);
        let both: Vec<Row> = both.flatten().collect();
        self.nonneg.retain(|r| !both.contains(r));
        self.equal = equations;
    }

    /// Decides a system by eliminating an unknown for which the real shadow may be larger than the integer one.
    fn inexact(self, unknown: u32, fuel: &mut Fuel) -> Answer {
        let without = |shadow: Shadow| {
            let (nonneg, complete) = eliminate(&self.nonneg, unknown, shadow);
            (
                Conjunction {
                    equal: vec![],
                    nonneg,
                },
                complete,
            )
        };
        let (real, _) = without(Shadow::Real);
        if real.solve(fuel) == Answer::No {
            return Answer::No;
        }
        let (dark, complete) = without(Shadow::Dark);
        if complete && dark.solve(fuel) == Answer::Yes {
            return Answer::Yes;
        }
        self.splinters(unknown, fuel)
    }

    /// Looks for solutions outside the dark shadow. They lie close above a lower bound: `b * z + l = i` for a small
    /// `i`.
    fn splinters(self, unknown: u32, fuel: &mut Fuel) -> Answer {
        let coefs = || self.nonneg.iter().map(|r| r.coef(unknown));
        let a = coefs().min().unwrap_or(0).unsigned_abs() as i64;
        let mut found = Answer::No;
        for row in self.nonneg.iter().filter(|r| r.coef(unknown) > 0) {
            let b = row.coef(unknown);
            let Some(last) = a.checked_mul(b).map(|ab| (ab - a - b) / a) else {
                return Answer::Unknown;
            };
            for i in 0..=last.max(-1) {
                let mut eq = row.clone();
                if eq.add_const(-i).is_none() || !fuel.burn(1) {
                    return Answer::Unknown;
                }
                let part = Conjunction {
                    equal: vec![eq],
                    nonneg: self.nonneg.clone(),
                };
                found = found.or(part.solve(fuel));
                if found == Answer::Yes {
                    return Answer::Yes;
                }
            }
        }
        found
    }

    /// Solves the equations and substitutes the solution into the inequalities. False: numbers grew too large, and
    /// something was left out.
    pub(super) fn solve_equations(&mut self) -> Result<bool, Contradiction> {
        let mut complete = true;
        while let Some(mut eq) = self.equal.pop() {
            let g = eq.gcd();
            if g == 0 {
                if eq.konst() != 0 {
                    return Err(Contradiction);
                }
                continue;
            }
            if eq.konst() % g != 0 {
                return Err(Contradiction);
            }
            eq.divide(g);
            let least = eq
                .terms()
                .iter()
                .copied()
                .min_by_key(|t| t.1.unsigned_abs());
            let Some((u, c)) = least else { continue };
            let (eq, again) = if c.abs() == 1 {
                (Some(eq), None)
            } else {
                self.smaller(&eq, u, c)
            };
            match eq {
                Some(eq) => complete &= self.substitute(u, &eq),
                None => complete = false,
            }
            self.equal.extend(again);
        }
        Ok(complete)
    }

    /// Pugh's step for an equation without a unit coefficient: a new equation that has one, for a new unknown, and what
    /// the old equation becomes by it, with smaller coefficients.
    fn smaller(&self, eq: &Row, u: u32, c: i64) -> (Option<Row>, Option<Row>) {
        let Some(m) = c.checked_abs().and_then(|c| c.checked_add(1)) else {
            return (None, None);
        };
        // The remainder that is nearest to zero: no larger than half of `m`, whatever lies between.
        let near = |a: i64| {
            let (a, m) = (i128::from(a), i128::from(m));
            (a - m * (2 * a + m).div_euclid(2 * m)) as i64
        };
        let fresh = 1 + self.largest().max(eq.terms().last().map_or(0, |t| t.0));
        let mut unit = Row::constant(near(eq.konst()));
        let made = eq
            .terms()
            .iter()
            .try_for_each(|(x, a)| unit.add_term(*x, near(*a)))
            .and_then(|()| unit.add_term(fresh, -m));
        if made.is_none() || unit.coef(u).abs() != 1 {
            return (None, None);
        }
        let again = eq.substitute(u, &unit);
        (again.is_some().then_some(unit), again)
    }

    fn largest(&self) -> u32 {
        let rows = self.equal.iter().chain(&self.nonneg);
        rows.filter_map(|r| r.terms().last())
            .map(|t| t.0)
            .max()
            .unwrap_or(0)
    }

    fn substitute(&mut self, u: u32, eq: &Row) -> bool {
        let mut complete = true;
        for rows in [&mut self.equal, &mut self.nonneg] {
            rows.retain_mut(|row| match row.substitute(u, eq) {
                Some(new) => {
                    *row = new;
                    true
                }
                None => {
                    complete = false;
                    false
                }
            });
        }
        complete
    }
}

/// Rounds the constants of rows `>= 0` down to integers, and drops trivial and repeated rows. Returns the rows that
/// must be zero since their opposite is there too; they also stay in the list.
pub(super) fn tidy(rows: &mut Vec<Row>) -> Result<Vec<Row>, Contradiction> {
    let mut ok = true;
    rows.retain_mut(|r| {
        let g = r.gcd();
        if g == 0 {
            ok &= r.konst() >= 0;
            return false;
        }
        r.divide(g);
        true
    });
    if !ok {
        return Err(Contradiction);
    }
    // Among rows that differ in the constant only, the one with the smallest constant is the strongest.
    rows.sort_unstable_by(|a, b| a.terms().cmp(b.terms()).then(a.konst().cmp(&b.konst())));
    rows.dedup_by(|b, a| a.terms() == b.terms());
    let mut equations = vec![];
    for i in 0..rows.len() {
        // Only one of the two looks for the other.
        if rows[i].terms().first().is_none_or(|t| t.1 < 0) {
            continue;
        }
        let opposite = || rows[i].terms().iter().map(|t| (t.0, -t.1));
        let Ok(j) = rows.binary_search_by(|r| r.terms().iter().copied().cmp(opposite())) else {
            continue;
        };
        match rows[i].konst().checked_add(rows[j].konst()) {
            Some(..=-1) => return Err(Contradiction),
            Some(0) => equations.push(rows[i].clone()),
            _ => {}
        }
    }
    Ok(equations)
}

/// Drops the rows of unknowns that are bounded on one side only: they can always be satisfied.
fn drop_unbounded(rows: &mut Vec<Row>) {
    loop {
        let mut signs: Vec<(u32, bool, bool)> = vec![];
        for (u, c) in rows.iter().flat_map(|r| r.terms()) {
            let at = signs.binary_search_by_key(u, |t| t.0);
            let i = at.unwrap_or_else(|i| {
                signs.insert(i, (*u, false, false));
                i
            });
            signs[i].1 |= *c > 0;
            signs[i].2 |= *c < 0;
        }
        let free: Vec<u32> = signs.iter().filter(|s| s.1 != s.2).map(|s| s.0).collect();
        if free.is_empty() {
            return;
        }
        rows.retain(|r| !free.iter().any(|u| r.coef(*u) != 0));
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shadow {
    /// The points for which a real value of the unknown fits.
    Real,
    /// Points for which an integer value of the unknown certainly fits.
    Dark,
}

/// An unknown to eliminate.
pub(super) struct Elimination {
    pub(super) unknown: u32,
    /// Whether every integer point of the real shadow has an integer value of the unknown.
    pub(super) exact: bool,
    /// The number of rows that the elimination makes.
    pub(super) pairs: usize,
}

impl Elimination {
    fn best(rows: &[Row]) -> Option<Elimination> {
        Elimination::among(rows, &|_| true)
    }

    /// The elimination of a `wanted` unknown that makes the fewest rows; an exact one if there is one.
    pub(super) fn among(rows: &[Row], wanted: &dyn Fn(u32) -> bool) -> Option<Elimination> {
        // Per unknown: lower and upper bounds, and how many of each have a coefficient other than one.
        let mut seen: Vec<(u32, [usize; 4])> = vec![];
        for (u, c) in rows.iter().flat_map(|r| r.terms()).filter(|t| wanted(t.0)) {
            let at = seen.binary_search_by_key(u, |t| t.0);
            let i = at.unwrap_or_else(|i| {
                seen.insert(i, (*u, [0; 4]));
                i
            });
            let counts = &mut seen[i].1;
            let side = usize::from(*c < 0);
            counts[side] += 1;
            counts[2 + side] += usize::from(c.abs() != 1);
        }
        let all = seen.into_iter().map(|(unknown, n)| Elimination {
            unknown,
            exact: n[2] == 0 || n[3] == 0,
            pairs: n[0] * n[1],
        });
        all.min_by_key(|e| (!e.exact, e.pairs))
    }
}

/// The rows after eliminating `unknown`, and whether all of them are there: rows with too large numbers are left out.
pub(super) fn eliminate(rows: &[Row], unknown: u32, shadow: Shadow) -> (Vec<Row>, bool) {
    let (with, without): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|r| r.coef(unknown) != 0);
    let (lower, upper): (Vec<&Row>, Vec<&Row>) =
        with.into_iter().partition(|r| r.coef(unknown) > 0);
    let mut out: Vec<Row> = without.into_iter().cloned().collect();
    let mut complete = true;
    for l in &lower {
        for h in &upper {
            let (b, a) = (l.coef(unknown), h.coef(unknown));
            // Both multipliers are positive.
            let mut row = a.checked_neg().and_then(|a| l.combine(a, h, b));
            if shadow == Shadow::Dark
                && let Some(r) = &mut row
            {
                let gap = (-a - 1).checked_mul(b - 1);
                if gap.and_then(|gap| r.add_const(-gap)).is_none() {
                    row = None;
                }
            }
            complete &= row.is_some();
            out.extend(row);
        }
    }
    (out, complete)
}
