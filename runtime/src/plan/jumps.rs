//! Which way conditions go that elements decide, as far as a few iterations tell: how hard that is to foresee, for prices.

use nestwise_ir::{Expr, ExprKind, Nest, Stmt, StmtKind};
use std::collections::HashMap;

/// Iterations of an innermost loop that are followed one after the other, to see what conditions do in a row.
pub(super) const IN_A_ROW: i64 = 24;

/// Conditions of which elements decide the way, or what a variable has come to.
pub(super) fn decided_by_data(nest: &Nest) -> Vec<&Stmt> {
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
pub(super) struct Outcomes(HashMap<*const Stmt, Ways>);

/// How often it went which way, by where it went the two times before.
#[derive(Default)]
struct Ways {
    before: usize,
    seen: [[u32; 2]; 4],
}

impl Outcomes {
    /// Those of conditions that are to be looked at.
    pub fn of(conditions: &[&Stmt]) -> Outcomes {
        let at = |stmt: &&Stmt| (std::ptr::from_ref(*stmt), Ways::default());
        Outcomes(conditions.iter().map(at).collect())
    }

    /// It goes that way, if it is one of them.
    pub fn note(&mut self, condition: &Stmt, way: bool) {
        if let Some(ways) = self.0.get_mut(&std::ptr::from_ref(condition)) {
            ways.seen[ways.before][usize::from(way)] += 1;
            ways.before = (ways.before << 1 | usize::from(way)) & 3;
        }
    }

    /// What goes wrong if after the same two outcomes the same is foreseen, whatever does better in all; as a share of what goes
    /// wrong with coins. Real predictors remember more, which seldom helps where this does not. None: nothing was seen.
    pub fn surprise(&self) -> Option<f64> {
        let of_all = |count: fn(&[u32; 2]) -> u32| -> u32 {
            self.0.values().flat_map(|w| &w.seen).map(count).sum()
        };
        let (wrong, all) = (of_all(|w| w[0].min(w[1])), of_all(|w| w[0] + w[1]));
        (all > 0).then(|| (2.0 * f64::from(wrong) / f64::from(all)).min(1.0))
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
        ways.for_each(|way| outcomes.note(&stmt, way));
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
}
