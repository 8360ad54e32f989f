//! What the ends and conditions of a nest's loops rest on, so that a few iterations can be followed.

use nestwise_analysis as analysis;
use nestwise_ir::{Expr, ExprKind, For, Nest, Stmt, StmtKind, VarId};

use crate::estimate::branch_predictability;

/// The most statements of a nest that is followed; larger ones are priced without.
const MOST_STATEMENTS: usize = 400;
/// What the followed iterations tell.
#[derive(Default)]
pub(crate) struct Found {
    /// For each loop, the mean of its trips where some were counted.
    pub trips: Vec<Option<f64>>,
    /// For each loop, how often it is reached in an iteration of the one around it, where that depends on conditions.
    pub reached: Vec<Option<f64>>,
    /// How hard branches are to predict: see [`Outcomes::surprise`].
    pub surprise: Option<f64>,
}

/// The parts of a nest that have to be followed.
pub(crate) struct Followed {
    /// The variables and arrays that the ends of loops rest on.
    pub ends: Parts,
    /// For each variable: whether the ends of loops, or conditions that elements decide, rest on it.
    pub vars: Vec<bool>,
    /// For each array: whether the ends of loops, or conditions that elements decide, rest on its elements.
    pub arrays: Vec<bool>,
    /// Whether there are conditions that elements decide, or any around loops.
    pub conditions: bool,
    /// For each loop: how likely its text says that it is reached in an iteration of the one around it.
    pub likely: Vec<f64>,
    /// For each loop: whether it has no loops, but conditions that elements decide, inside.
    pub in_a_row: Vec<bool>,
    /// For each loop: the followed variables that it assigns.
    pub assigned: Vec<Vec<VarId>>,
    pub worth: bool,
}

/// Sets of variables and of arrays, by number.
#[derive(Clone)]
pub(crate) struct Parts {
    pub vars: Vec<bool>,
    arrays: Vec<bool>,
}

impl Followed {
    /// Finds what the ends of all loops, and conditions, rest on.
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
    /// Adds, until nothing is new, the variables and arrays that these are computed from, and those that conditions on
    /// their assignments rest on.
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

    /// Whether a statement assigns one of the variables, or stores to one of the arrays, inside.
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
