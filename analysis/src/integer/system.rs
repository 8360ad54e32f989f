//! Systems with choices: whether there is an integer solution that takes one option of each.

use crate::integer::components::Groups;
use crate::integer::conjunction::{Answer, Conjunction, Fuel};
use crate::integer::row::Row;

/// A conjunction of `row = 0`, `row >= 0`, and disjunctions of such conjunctions.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub(super) equal: Vec<Row>,
    pub(super) nonneg: Vec<Row>,
    pub(super) choices: Vec<Vec<Vec<Row>>>,
}

impl System {
    /// Requires `row = 0`.
    pub fn equal(&mut self, row: Row) {
        self.equal.push(row);
    }
    /// Requires `row >= 0`.
    pub fn nonneg(&mut self, row: Row) {
        self.nonneg.push(row);
    }
    /// Requires one of several conjunctions of `row >= 0`.
    pub fn one_of(&mut self, options: Vec<Vec<Row>>) {
        self.choices.push(options);
    }
    /// Whether no solution has `row >= 0`.
    pub fn refutes(&self, row: Row) -> bool {
        let mut system = self.clone();
        system.nonneg(row);
        system.solve(&mut Fuel::default()) == Answer::No
    }
    /// The value that a row has in every solution, if the equations tell.
    pub fn value_of(&self, row: &Row) -> Option<i64> {
        // An unknown for the row's value comes last, so that it is the last to be replaced.
        let mut row = row.clone();
        let mut equal = self.equal.clone();
        while let Some((u, _)) = row.terms().first().copied() {
            let at = equal.iter().position(|e| e.coef(u).abs() == 1)?;
            let eq = equal.swap_remove(at);
            row = row.substitute(u, &eq)?;
            equal = equal
                .iter()
                .map(|e| e.substitute(u, &eq))
                .collect::<Option<_>>()?;
        }
        Some(row.konst())
    }
    /// Whether nothing but a conjunction is required.
    pub fn is_plain(&self) -> bool {
        self.choices.is_empty()
    }

    /// Whether there is an integer solution.
    pub fn solve(&self, fuel: &mut Fuel) -> Answer {
        let mut plain = Conjunction {
            equal: self.equal.clone(),
            nonneg: self.nonneg.clone(),
        };
        // Most questions are settled before any choice is looked at.
        let Ok(complete) = plain.solve_equations() else {
            return Answer::No;
        };
        let answer = plain.solve_parts(fuel);
        match if complete { answer } else { answer.of_weaker() } {
            Answer::Yes if !self.choices.is_empty() => self.choose(fuel),
            answer => answer,
        }
    }

    /// Whether there is a solution that takes an option of each choice, given that the rows outside the choices have
    /// one.
    fn choose(&self, fuel: &mut Fuel) -> Answer {
        let mut found = Answer::Yes;
        for mut part in self.reduced().parts() {
            let choices = std::mem::take(&mut part.choices);
            match part.with_choices(&choices, fuel) {
                Answer::No => return Answer::No,
                Answer::Unknown => found = Answer::Unknown,
                Answer::Yes => {}
            }
        }
        found
    }

    fn with_choices(&self, choices: &[Vec<Vec<Row>>], fuel: &mut Fuel) -> Answer {
        let Some((first, rest)) = choices.split_first() else {
            return self.solve(fuel);
        };
        let mut found = Answer::No;
        for option in first {
            let mut system = self.clone();
            system.nonneg.extend(option.iter().cloned());
            // A contradiction here spares the choices that follow.
            let answer = match system.solve(fuel) {
                Answer::Yes => system.with_choices(rest, fuel),
                answer => answer,
            };
            found = found.or(answer);
            if found == Answer::Yes || fuel.is_empty() {
                break;
            }
        }
        if fuel.is_empty() && found == Answer::No {
            return Answer::Unknown;
        }
        found
    }
}

impl System {
    /// The system with the equations solved that have a unit coefficient; unchanged if the numbers would grow too
    /// large.
    pub(crate) fn reduced(&self) -> System {
        let mut system = self.clone();
        let unit = |row: &Row| row.terms().iter().find(|t| t.1.abs() == 1).map(|t| t.0);
        loop {
            let mut equations = system.equal.iter().enumerate();
            let Some((k, unknown)) = equations.find_map(|(k, row)| Some((k, unit(row)?))) else {
                return system;
            };
            let equation = system.equal.swap_remove(k);
            let all = system.rows_mut().try_for_each(|row| {
                *row = row.substitute(unknown, &equation)?;
                Some(())
            });
            if all.is_none() {
                return self.clone();
            }
        }
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let choices = self.choices.iter_mut().flatten().flatten();
        self.equal.iter_mut().chain(&mut self.nonneg).chain(choices)
    }

    /// Systems that have no unknown in common, one for each group of rows with choices. Together they have a solution
    /// exactly if this system has one, provided that the rows without choices have.
    pub(crate) fn parts(&self) -> Vec<System> {
        let mut groups = Groups::default();
        let rows = self.equal.iter().chain(&self.nonneg);
        rows.for_each(|row| groups.join([row]));
        for choice in &self.choices {
            groups.join(choice.iter().flatten());
        }
        let mut parts: Vec<(Option<u32>, System)> = vec![];
        for choice in &self.choices {
            let group = groups.of(choice.iter().flatten());
            match parts.iter_mut().find(|part| part.0 == group) {
                Some(part) => part.1.choices.push(choice.clone()),
                None => {
                    let choices = vec![choice.clone()];
                    let part = System {
                        choices,
                        ..System::default()
                    };
                    parts.push((group, part));
                }
            }
        }
        for (group, part) in &mut parts {
            let own = |row: &&Row| groups.of([*row]) == *group;
            part.equal = self.equal.iter().filter(own).cloned().collect();
            part.nonneg = self.nonneg.iter().filter(own).cloned().collect();
        }
        parts.into_iter().map(|part| part.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::row::row;
    use proptest::prelude::*;

    fn solve(equal: &[Row], nonneg: &[Row]) -> Answer {
        let s = System {
            equal: equal.to_vec(),
            nonneg: nonneg.to_vec(),
            choices: vec![],
        };
        s.solve(&mut Fuel::default())
    }

    #[test]
    fn equations_that_are_too_large_to_be_solved_are_asked_once() {
        // 3x + 5y * 2^59 = 7z * 2^58 as two inequalities, and something that keeps all three unknowns.
        let large = row(&[3, 5 << 59, -(7 << 58)], 1);
        let mut system = System::default();
        system.nonneg.push(large.negated().expect("fits"));
        system.nonneg.push(large);
        for k in 0..3 {
            let mut up = [0; 3];
            up[k] = 1;
            system.nonneg.push(row(&up, 0));
            up[k] = -1;
            system.nonneg.push(row(&up, 1 << 40));
        }
        assert_ne!(system.solve(&mut Fuel::default()), Answer::Yes);
    }

    #[test]
    fn gcd_and_bounds() {
        assert_eq!(solve(&[row(&[2, -2], 1)], &[]), Answer::No);
        let far = [row(&[-1], 4), row(&[0, 1], 0)];
        assert_eq!(solve(&[row(&[1, -1], -5)], &far), Answer::No);
    }

    /// Pugh's examples: equations without unit coefficients; a system whose real shadow has points and that has no
    /// integer solution.
    #[test]
    fn the_classics() {
        // 7x + 12y + 31z = 17, 3x + 5y + 14z = 7, 1 <= x <= 40, -50 <= y <= 50.
        let equal = [row(&[7, 12, 31], -17), row(&[3, 5, 14], -7)];
        let nonneg = [
            row(&[1], -1),
            row(&[-1], 40),
            row(&[0, 1], 50),
            row(&[0, -1], 50),
        ];
        assert_eq!(solve(&equal, &nonneg), Answer::Yes);
        // 27 <= 11x + 13y <= 45, -10 <= 7x - 9y <= 4.
        let nightmare = [
            row(&[11, 13], -27),
            row(&[-11, -13], 45),
            row(&[7, -9], 10),
            row(&[-7, 9], 4),
        ];
        assert_eq!(solve(&[], &nightmare), Answer::No);
    }

    #[test]
    fn choices() {
        let mut s = System::default();
        s.nonneg(row(&[1], 0));
        s.nonneg(row(&[-1], 3));
        // Not 0 to 3, said twice over.
        s.one_of(vec![vec![row(&[1], -2)], vec![row(&[-1], 0)]]);
        assert_eq!(s.solve(&mut Fuel::default()), Answer::Yes);
        s.one_of(vec![
            vec![row(&[1], -4)],
            vec![row(&[-1], 1), row(&[1], -1)],
        ]);
        assert_eq!(s.solve(&mut Fuel::default()), Answer::No);
    }

    const BOX: i64 = 6;

    fn boxed(nonneg: &mut Vec<Row>) {
        for u in 0..4 {
            let mut unit = [0; 4];
            unit[u] = 1;
            nonneg.push(row(&unit, BOX));
            nonneg.push(row(&unit.map(|c: i64| -c), BOX));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// For unknowns in a box every answer is right, and nearly every question gets one.
        #[test]
        fn as_brute_force(
            eqs in prop::collection::vec((prop::array::uniform4(-5i64..6), -9i64..10), 0..3),
            ineqs in prop::collection::vec((prop::array::uniform4(-6i64..7), -9i64..10), 0..6),
        ) {
            let value = |c: &[i64; 4], k: i64, x: [i64; 4]| {
                c.iter().zip(x).map(|(c, x)| c * x).sum::<i64>() + k
            };
            let range = || -BOX..=BOX;
            let solved = range().any(|a| range().any(|b| range().any(|c| range().any(|d| {
                let x = [a, b, c, d];
                eqs.iter().all(|(c, k)| value(c, *k, x) == 0)
                    && ineqs.iter().all(|(c, k)| value(c, *k, x) >= 0)
            }))));
            let equal: Vec<Row> = eqs.iter().map(|(c, k)| row(c, *k)).collect();
            let mut nonneg: Vec<Row> = ineqs.iter().map(|(c, k)| row(c, *k)).collect();
            boxed(&mut nonneg);
            match solve(&equal, &nonneg) {
                Answer::No => prop_assert!(!solved),
                Answer::Yes => prop_assert!(solved),
                Answer::Unknown => {}
            }
        }
    }

    /// Random systems of the size of a dependence question are decided, not given up.
    #[test]
    fn seldom_unknown() {
        let mut seed = 7u64;
        let mut next = |n: i64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as i64 % (2 * n + 1) - n
        };
        let mut unknown = 0;
        for _ in 0..500 {
            let equal = [row(&[next(3), next(3), next(3), next(3)], next(6))];
            let mut nonneg = vec![
                row(&[next(2), next(2), next(2), next(2)], next(6)),
                row(&[next(2), next(2), next(2), next(2)], next(6)),
            ];
            boxed(&mut nonneg);
            unknown += u32::from(solve(&equal, &nonneg) == Answer::Unknown);
        }
        assert!(unknown <= 2, "{unknown} of 500");
    }
}
