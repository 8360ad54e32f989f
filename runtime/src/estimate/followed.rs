//! What the ends of a nest's loops and its conditions rest on, so that a few iterations can be followed.

use nestwise_analysis as analysis;
use nestwise_ir::{Expr, ExprKind, For, Nest, Stmt, StmtKind, VarId};

use crate::estimate::branch_predictability;

/// Larger nests are priced without.
const MOST_STATEMENTS: usize = 400;
/// What samples tell.
#[derive(Default)]
pub(crate) struct Found {
    /// By loop, the mean of its trips where some were counted.
    pub trips: Vec<Option<f64>>,
    /// By loop, how often it is reached in an iteration of the one around it, where that depends on conditions.
    pub reached: Vec<Option<f64>>,
    /// See [`Outcomes::surprise`].
    pub surprise: Option<f64>,
}

/// What has to be followed in a nest.
pub(crate) struct Followed {
    /// What the ends of loops rest on.
    pub ends: Parts,
    /// Variables that those and conditions rest on that elements decide, by number.
    pub vars: Vec<bool>,
    /// Arrays whose elements they rest on.
    pub arrays: Vec<bool>,
    /// There are such conditions, or some around loops.
    pub conditions: bool,
    /// By loop: how likely its text says that it is reached in an iteration of the one around it.
    pub likely: Vec<f64>,
    /// By loop: whether it has no loops but such conditions inside.
    pub in_a_row: Vec<bool>,
    /// By loop: those of the variables that it assigns.
    pub assigned: Vec<Vec<VarId>>,
    pub worth: bool,
}

/// Variables and arrays, by number.
#[derive(Clone)]
pub(crate) struct Parts {
    pub vars: Vec<bool>,
    arrays: Vec<bool>,
}

impl Followed {
    /// What the ends of all loops and conditions rest on.
    pub fn of(nest: &Nest) -> Followed {
        let mut ends = Parts {
            vars: vec![false; nest.vars.len()],
            arrays: vec![false; nest.arrays.len()],
        };
        let mut statements = 0;
        nest.top.walk(&mut |stmt| {
            statements += 1;
            match &stmt.kind {
                StmtKind::For(l) => {
                    for e in [&l.start, &l.stop, &l.step] {
                        ends.note(e);
                    }
                }
                StmtKind::While(l) => ends.note(&l.cond),
                StmtKind::If { cond, .. } if leaves_block(stmt) => ends.note(cond),
                _ => {}
            }
        });
        ends.close(nest);
        let conditions = branch_predictability::decided_by_data(nest);
        let mut all = ends.clone();
        for stmt in &conditions {
            if let StmtKind::If { cond, .. } = &stmt.kind {
                all.note(cond);
            }
        }
        let likely = |id| nest.work.of(id).map_or(1.0, |l| l.reached);
        let likely: Vec<f64> = nest.loops.ids().map(likely).collect();
        nest.top.walk(&mut |stmt| match &stmt.kind {
            StmtKind::If { cond, .. } if holds_loops(stmt) => all.note(cond),
            _ => {}
        });
        all.close(nest);
        let mut assigned = vec![Vec::new(); nest.loops.len()];
        let mut in_a_row = vec![false; nest.loops.len()];
        nest.top.walk(&mut |stmt| {
            if let StmtKind::For(l) = &stmt.kind {
                in_a_row[l.id.index()] = is_row(l, &conditions);
                let inside = analysis::structure::assigned(&l.body);
                let followed = inside.iter().copied().filter(|v| all.vars[v.index()]);
                assigned[l.id.index()] = followed.collect();
            }
        });
        Followed {
            ends,
            vars: all.vars,
            arrays: all.arrays,
            conditions: !conditions.is_empty() || likely.iter().any(|l| *l < 1.0),
            likely,
            in_a_row,
            assigned,
            worth: statements <= MOST_STATEMENTS,
        }
    }
}

impl Parts {
    /// Adds what those are made from, and under which conditions, as far as that goes.
    fn close(&mut self, nest: &Nest) {
        loop {
            let before = self.count();
            nest.top.walk(&mut |stmt| match &stmt.kind {
                StmtKind::Let { var, value } if self.vars[var.index()] => self.note(value),
                StmtKind::Store {
                    array,
                    index,
                    value,
                    ..
                } if self.arrays[array.index()] => {
                    index.iter().chain([value]).for_each(|e| self.note(e));
                }
                StmtKind::If { cond, .. } if self.changes(stmt) => self.note(cond),
                _ => {}
            });
            if self.count() == before {
                return;
            }
        }
    }

    fn count(&self) -> usize {
        self.vars.iter().chain(&self.arrays).filter(|v| **v).count()
    }

    fn note(&mut self, e: &Expr) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Var(v) => self.vars[v.index()] = true,
            ExprKind::Load { array, .. } => self.arrays[array.index()] = true,
            _ => {}
        });
    }

    /// Whether one of them gets a value inside.
    fn changes(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.walk(&mut |s| {
            found |= match &s.kind {
                StmtKind::Let { var, .. } => self.vars[var.index()],
                StmtKind::Store { array, .. } => self.arrays[array.index()],
                _ => false,
            }
        });
        found
    }
}

fn leaves_block(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |s| {
        found |= matches!(
            s.kind,
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) | StmtKind::Return
        );
    });
    found
}

fn holds_loops(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |s| found |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_)));
    found
}

fn is_row(l: &For, conditions: &[&Stmt]) -> bool {
    let (mut loops, mut found) = (false, false);
    for stmt in &l.body {
        stmt.walk(&mut |s| {
            loops |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_));
            found |= conditions.iter().any(|c| std::ptr::eq(*c, s));
        });
    }
    found && !loops
}
