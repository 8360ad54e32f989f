//! Which way branches go that elements decide, as far as a few iterations tell, and how hard that is to predict, for
//! prices.

use std::collections::HashMap;

use nestwise_ir::{Expr, ExprKind, Nest, Stmt, StmtKind};

/// The number of iterations of an innermost loop that are followed one after the other, to see what conditions do in a
/// row.
pub(crate) const IN_A_ROW: i64 = 24;

/// The `if` statements whose way is decided by elements, or by what a variable has come to.
pub(crate) fn decided_by_data(nest: &Nest) -> Vec<&Stmt> {
    // Variables that elements are in, or that are made from what they were.
    let mut from_data = vec![false; nest.vars.len()];
    let is_data = |e: &Expr, from_data: &[bool]| {
        any(e, |kind| match kind {
            ExprKind::Load { .. } => true,
            ExprKind::Var(v) => from_data[v.index()],
            _ => false,
        })
    };
    loop {
        let before = from_data.clone();
        nest.top.walk(&mut |stmt| {
            if let StmtKind::Let { var, value } = &stmt.kind {
                let own = any(value, |kind| matches!(kind, ExprKind::Var(v) if v == var));
                from_data[var.index()] |= own || is_data(value, &from_data);
            }
        });
        if from_data == before {
            break;
        }
    }
    let mut found = Vec::new();
    nest.top.walk(&mut |stmt| match &stmt.kind {
        StmtKind::If { cond, .. } if is_data(cond, &from_data) => found.push(stmt),
        _ => {}
    });
    found
}

fn any(e: &Expr, is: impl Fn(&ExprKind) -> bool) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= is(&e.kind));
    found
}

/// The ways that each condition was seen to go.
#[derive(Default)]
pub(crate) struct Outcomes {
    ways: HashMap<*const Stmt, Ways>,
    /// Whether cores remember rows of the current loop for as long as it takes until they come again.
    short: bool,
}

/// How often a condition went which way, by where it went the two times before.
#[derive(Default)]
struct Ways {
    before: usize,
    seen: [[f64; 2]; 4],
    /// How often the way could not be told.
    missed: f64,
    rows: Rows,
}

/// The outcomes of one condition in earlier rows of the same iterations, by how many conditions came before in the row
/// and how the last of them went.
#[derive(Default)]
struct Rows {
    /// Which iterations of the innermost loop are followed: the same ones in some rows one after the other.
    stretch: u64,
    /// The number of rows of these iterations, this one included.
    begun: u32,
    earlier: HashMap<(u32, u32), [bool; 2]>,
    row: Vec<bool>,
    /// `known`: how often a row like this one had been seen before; `new`: how often it had not; `otherwise`: how often
    /// it then went another way.
    known: f64,
    new: f64,
    otherwise: f64,
}

/// The share of the branches whose way could not be told that are mispredicted.
const MISSED: f64 = 0.2;
/// The number of conditions after which a row shows which one it is, among rows that are alike, as for each letter that
/// is compared with the same text.
const ALIKE: u32 = 8;
/// The share of rows that were seen before from which there are few of them, so that cores learn them by heart. An AMD
/// Zen 4 has some 100,000 branches by heart that go any way (`calibrate/data.py`).
const FEW: f64 = 0.25;
const LONGEST_ROW: f64 = 10_000.0;

impl Outcomes {
    /// No outcomes yet of these conditions.
    pub fn of(conditions: &[&Stmt]) -> Outcomes {
        let at = |stmt: &&Stmt| (std::ptr::from_ref(*stmt), Ways::default());
        Outcomes {
            ways: conditions.iter().map(at).collect(),
            ..Outcomes::default()
        }
    }

    /// Begins another row, of a loop of `trips` iterations; the number `stretch` tells which iterations are followed.
    pub fn row(&mut self, stretch: u64, trips: f64) {
        self.short = trips <= LONGEST_ROW;
        for ways in self.ways.values_mut() {
            ways.before = 0;
            ways.rows.begin(stretch);
        }
    }

    /// Notes that a condition goes one way, in as many iterations as `weight` says, if it is one of those that are
    /// followed.
    pub fn note(&mut self, condition: &Stmt, way: bool, weight: f64) {
        if let Some(ways) = self.ways.get_mut(&std::ptr::from_ref(condition)) {
            ways.seen[ways.before][usize::from(way)] += weight;
            ways.before = (ways.before << 1 | usize::from(way)) & 3;
            ways.rows.note(way, weight);
        }
    }

    /// Notes that nobody can tell which way a condition goes.
    pub fn miss(&mut self, condition: &Stmt, weight: f64) {
        if let Some(ways) = self.ways.get_mut(&std::ptr::from_ref(condition)) {
            ways.missed += weight;
        }
    }

    /// The branches that are mispredicted, as a share of those that coins would decide, if a predictor expects after
    /// the same two outcomes the same, or knows rows by heart that it has seen, whichever is better. Real predictors
    /// remember more, which seldom helps where these do not. None: nothing was seen.
    pub fn surprise(&self) -> Option<f64> {
        let (mut wrong, mut all) = (0.0, 0.0);
        for ways in self.ways.values() {
            let seen: f64 = ways.seen.iter().flatten().sum();
            let by_two: f64 = ways.seen.iter().map(|w| w[0].min(w[1])).sum();
            let by_rows = ways.rows.wrong().filter(|_| self.short);
            wrong += by_rows.map_or(by_two, |share| by_two.min(share * seen));
            wrong += MISSED * ways.missed;
            all += seen + ways.missed;
        }
        (all > 0.0).then(|| (2.0 * wrong / all).min(1.0))
    }
}

impl Rows {
    fn begin(&mut self, stretch: u64) {
        if self.stretch != stretch {
            self.earlier.clear();
            self.begun = 0;
        }
        self.stretch = stretch;
        self.begun += 1;
        self.row.clear();
    }

    fn note(&mut self, way: bool, weight: f64) {
        let before = self.row.len() as u32;
        self.row.push(way);
        if before < ALIKE {
            return;
        }
        let last = &self.row[(before - ALIKE) as usize..before as usize];
        let last = last.iter().fold(0, |bits, way| bits << 1 | u32::from(*way));
        let seen = self.earlier.entry((before, last)).or_default();
        if seen[0] || seen[1] {
            self.known += weight;
            self.otherwise += if seen[usize::from(way)] { 0.0 } else { weight };
        } else if self.begun > 1 {
            self.new += weight;
        }
        seen[usize::from(way)] = true;
    }

    /// The share of branches that are mispredicted if cores know rows by heart; none where there are too many rows.
    fn wrong(&self) -> Option<f64> {
        let few = self.known > 0.0 && self.known >= FEW * (self.known + self.new);
        few.then(|| self.otherwise / self.known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestwise_ir::Span;

    fn surprise(ways: impl Iterator<Item = bool>) -> f64 {
        let stmt = Stmt {
            kind: StmtKind::Return,
            span: Span::default(),
        };
        let mut outcomes = Outcomes::of(&[&stmt]);
        assert_eq!(outcomes.surprise(), None);
        ways.for_each(|way| outcomes.note(&stmt, way, 1.0));
        outcomes.surprise().expect("something was seen")
    }

    #[test]
    fn what_goes_on_as_it_did_is_no_surprise_and_a_coin_is() {
        assert_eq!(surprise((0..400).map(|_| true)), 0.0);
        // Left, left, right, right, ...
        assert!(surprise((0..400).map(|k| k % 4 < 2)) < 0.02);
        assert!(surprise((0..400).map(|k| k >= 200)) < 0.02);
        // Low bits of a congruential generator repeat soon, the high one does not.
        let coins = |below: u64| {
            let mut state = 7u64;
            std::iter::repeat_with(move || {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 33) % 100 < below
            })
        };
        assert!(surprise(coins(50).take(1000)) > 0.85);
        let seldom = surprise(coins(10).take(1000));
        assert!((0.1..0.25).contains(&seldom), "{seldom}");
    }

    /// A letter of a text in an alphabet of `count` letters.
    fn letter(at: u64, count: u64) -> u64 {
        let mixed = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40 & (count - 1)
    }

    /// The surprise of comparing every letter of one text with the same stretch of another.
    fn compared(count: u64, trips: f64) -> f64 {
        let stmt = Stmt {
            kind: StmtKind::Return,
            span: Span::default(),
        };
        let mut outcomes = Outcomes::of(&[&stmt]);
        for row in 0..40 {
            outcomes.row(row / 20, trips);
            for k in 0..IN_A_ROW as u64 {
                let same = letter(1000 * row + 7, count) == letter(row / 20 * 100 + k, count);
                outcomes.note(&stmt, same, 1.0);
            }
        }
        outcomes.surprise().expect("something was seen")
    }

    #[test]
    fn rows_that_come_again_are_known_by_heart_if_they_are_few_and_short() {
        assert!(compared(2, 1000.0) < 0.05);
        assert!(compared(4, 1000.0) < 0.05);
        // More of them than anybody remembers.
        assert!(compared(4, 1e6) > 0.3);
    }

    #[test]
    fn what_nobody_can_tell_goes_wrong_sometimes() {
        let stmt = Stmt {
            kind: StmtKind::Return,
            span: Span::default(),
        };
        let mut outcomes = Outcomes::of(&[&stmt]);
        outcomes.miss(&stmt, 10.0);
        assert_eq!(outcomes.surprise(), Some(2.0 * MISSED));
        outcomes.note(&stmt, true, 10.0);
        assert_eq!(outcomes.surprise(), Some(MISSED));
    }
}
