//! A system taken apart, so that choices are tried where they matter and not in all combinations.

use crate::integer::row::Row;
use crate::integer::system::System;

impl System {
    /// The same with the equations solved that have a unit coefficient, once for all choices; as it is, if numbers grow too
    /// large for that.
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

    /// Systems that have no unknown in common, one for each that has choices: together they say what this says, if what has no
    /// choices has a solution.
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

/// Rows in groups that have no unknown in common.
pub(crate) fn apart(rows: Vec<Row>) -> Vec<Vec<Row>> {
    let mut groups = Groups::default();
    rows.iter().for_each(|row| groups.join([row]));
    let mut parts: Vec<(Option<u32>, Vec<Row>)> = vec![];
    for row in rows {
        let group = groups.of([&row]);
        match parts.iter_mut().find(|part| part.0 == group) {
            Some(part) => part.1.push(row),
            None => parts.push((group, vec![row])),
        }
    }
    parts.into_iter().map(|part| part.1).collect()
}

/// Unknowns that are in one row, or in one choice, are in one group, which is known by one of them.
#[derive(Default)]
struct Groups(Vec<u32>);

impl Groups {
    fn leader(&self, unknown: u32) -> u32 {
        match self.0.get(unknown as usize) {
            Some(next) if *next != unknown => self.leader(*next),
            _ => unknown,
        }
    }

    fn of<'a>(&self, rows: impl IntoIterator<Item = &'a Row>) -> Option<u32> {
        let mut unknowns = rows.into_iter().flat_map(Row::terms);
        unknowns.next().map(|t| self.leader(t.0))
    }

    fn join<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) {
        let mut first = None;
        for (unknown, _) in rows.into_iter().flat_map(Row::terms) {
            let known = self.0.len() as u32;
            self.0.extend(known..=*unknown);
            let leader = self.leader(*unknown);
            let first = *first.get_or_insert(leader);
            self.0[leader as usize] = first;
        }
    }
}
