//! Rows in groups that have no unknown in common.

use crate::integer::row::Row;

/// Splits rows into groups that have no unknown in common.
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

/// Groups of unknowns (union-find): unknowns in one row, or in one choice, are in one group, identified by its leader.
#[derive(Default)]
pub(super) struct Groups(Vec<u32>);

impl Groups {
    fn leader(&self, unknown: u32) -> u32 {
        match self.0.get(unknown as usize) {
            Some(next) if *next != unknown => self.leader(*next),
            _ => unknown,
        }
    }

    pub(super) fn of<'a>(&self, rows: impl IntoIterator<Item = &'a Row>) -> Option<u32> {
        let mut unknowns = rows.into_iter().flat_map(Row::terms);
        unknowns.next().map(|t| self.leader(t.0))
    }

    pub(super) fn join<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) {
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
