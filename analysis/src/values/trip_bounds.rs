//! Upper bounds on the trips of loops inside the nest, used where their trip counts are not known.
//!
//! A launch asks this to know whether a loop is short ([`nestwise_ir::interrupts`]). Two facts bound the trips of one
//! entry:
//!
//! 1. *A subscript that moves.* Let `v` change by a constant `c != 0` in every iteration, and let every iteration that
//!    is followed by another access an element whose subscript along some axis is `v + d` for a constant `d`. A guard,
//!    or the proof in its place, keeps subscripts in `-n <= v + d < n` for the axis's extent `n`; so there are at most
//!    `2 n / |c| + 2` trips.
//! 2. *A limit.* Let `v` change by `c > 0`, and let the loop go on only while `v < e` (or `v <= e`) for an `e` that the
//!    loop does not change. If `v >= l` whenever an iteration begins, there are at most `(e - l) / c + 2` trips;
//!    likewise downwards.

use nestwise_ir::model::nest::StmtKind;
use nestwise_ir::{ArrayId, BinOp, CmpOp, Const, Expr, ExprKind, LoopId, Nest, Stmt, VarId};

use crate::guards::launch_values::LaunchValues;
use crate::values::eval::eval;
use crate::values::range::Ranges;

/// An upper bound on the trips of a loop each time it is entered.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Bound {
    /// Every iteration accesses an element along this axis, whose index is `step` farther each time.
    Axis {
        array: ArrayId,
        axis: usize,
        step: u64,
    },
    /// The variable starts at `from` or nearer to the limit, and the loop ends at `limit`.
    Limit { limit: Expr, from: i128, step: i128 },
}

/// The bounds on the trips of a nest's loops.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct TripBounds(Vec<(LoopId, Bound)>);

impl TripBounds {
    /// Finds the bounds of all loops inside the top loop.
    pub fn of(nest: &Nest, ranges: &Ranges) -> TripBounds {
        let mut found = TripBounds::default();
        let mut inside = Vec::new();
        nest.top.blocks().flatten().for_each(|s| {
            s.walk(&mut |s| {
                if matches!(s.kind, StmtKind::For(_) | StmtKind::While(_)) {
                    inside.push(s.clone());
                }
            });
        });
        inside.iter().for_each(|s| found.add(nest, ranges, s));
        found
    }

    /// Replaces trip counts that are not known by the loop's bound, computed from the values of a launch.
    pub fn fill(&self, trips: &mut [Option<f64>], values: &LaunchValues) {
        let unknown: Vec<bool> = trips.iter().map(Option::is_none).collect();
        for (id, bound) in &self.0 {
            let (Some(true), Some(bound)) = (unknown.get(id.index()), bound.trips(values)) else {
                continue;
            };
            let known = &mut trips[id.index()];
            *known = Some(known.map_or(bound, |k| k.min(bound)));
        }
    }

    fn add(&mut self, nest: &Nest, ranges: &Ranges, s: &Stmt) {
        match &s.kind {
            StmtKind::For(l) => {
                let step = l.step.as_int().filter(|s| *s != 0);
                let Some(step) = step.filter(|_| !continues(&l.body)) else {
                    return;
                };
                let names = copies(&l.body, l.counter);
                self.subscripts(
                    l.id,
                    &names,
                    step,
                    l.body.iter().flat_map(Stmt::exprs),
                    &l.body,
                );
            }
            StmtKind::While(l) => {
                if continues(&l.body) {
                    return;
                }
                for (v, step) in steps(&l.body) {
                    let conditions = conjuncts(&l.cond);
                    let always = conditions.iter().copied();
                    let top = l.body.iter().flat_map(Stmt::exprs);
                    self.subscripts(l.id, &[v], step, always.chain(top), &l.body);
                    for cond in conditions {
                        self.limit((nest, ranges), l.id, (v, step), cond, &l.body);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the bounds that subscripts give: those in expressions that every iteration evaluates, and those of its
    /// stores.
    fn subscripts<'a>(
        &mut self,
        id: LoopId,
        names: &[VarId],
        step: i128,
        always: impl Iterator<Item = &'a Expr>,
        body: &[Stmt],
    ) {
        let step = step.unsigned_abs().min(u64::MAX.into()) as u64;
        let mut note = |array: ArrayId, index: &[Expr]| {
            for (axis, subscript) in index.iter().enumerate() {
                if names.iter().any(|v| is_shifted(subscript, *v)) {
                    self.0.push((id, Bound::Axis { array, axis, step }));
                }
            }
        };
        for e in always {
            loads(e, &mut note);
        }
        for s in body {
            if let StmtKind::Store { array, index, .. } = &s.kind {
                note(*array, index);
            }
        }
    }

    fn limit(
        &mut self,
        (nest, ranges): (&Nest, &Ranges),
        id: LoopId,
        (v, step): (VarId, i128),
        cond: &Expr,
        body: &[Stmt],
    ) {
        let ExprKind::Compare { op, a, b } = &cond.kind else {
            return;
        };
        let is = |e: &Expr| matches!(e.kind, ExprKind::Var(w) if w == v);
        let (op, limit) = match (is(a), is(b)) {
            (true, false) => (*op, b),
            (false, true) => (op.mirrored(), a),
            _ => return,
        };
        let up = matches!(op, CmpOp::Lt | CmpOp::Le) && step > 0;
        let down = matches!(op, CmpOp::Gt | CmpOp::Ge) && step < 0;
        if !(up || down) || !invariant(limit, body) {
            return;
        }
        let range = Ranges::interval(ranges.head.get(id.index()), v, nest);
        let from = if up { range.lo } else { range.hi };
        self.0.push((
            id,
            Bound::Limit {
                limit: (**limit).clone(),
                from,
                step,
            },
        ));
    }
}

impl Bound {
    fn trips(&self, values: &LaunchValues) -> Option<f64> {
        match self {
            Bound::Axis { array, axis, step } => {
                let extent = *values.dims.get(array.index())?.get(*axis)?;
                Some(2.0 * extent as f64 / *step as f64 + 2.0)
            }
            Bound::Limit { limit, from, step } => {
                let limit = eval(limit, values)?;
                let span = (limit as f64 - *from as f64) / *step as f64;
                Some(span.max(0.0) + 2.0)
            }
        }
    }
}

/// The conditions that all hold where a loop goes on; `a and b` is represented as `a ? b : false`.
fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match &cond.kind {
        ExprKind::Select { cond, then, orelse }
            if matches!(orelse.kind, ExprKind::Const(Const::Bool(false))) =>
        {
            let mut all = conjuncts(cond);
            all.extend(conjuncts(then));
            all
        }
        _ => vec![cond],
    }
}

/// Calls `note` for each load that evaluating an expression makes in any case.
fn loads(e: &Expr, note: &mut impl FnMut(ArrayId, &[Expr])) {
    match &e.kind {
        ExprKind::Select { cond, .. } => loads(cond, note),
        ExprKind::Load { array, index, .. } => {
            note(*array, index);
            index.iter().for_each(|e| loads(e, note));
        }
        _ => e.children().for_each(|c| loads(c, note)),
    }
}

/// Whether `e` is `v`, or `v` plus or minus constants.
fn is_shifted(e: &Expr, v: VarId) -> bool {
    match &e.kind {
        ExprKind::Var(w) => *w == v,
        ExprKind::Binary { op, a, b, .. } => {
            let add = matches!(op, BinOp::Add | BinOp::Sub);
            let first = is_shifted(a, v) && b.as_int().is_some();
            let second = is_shifted(b, v) && a.as_int().is_some();
            add && (first || second)
        }
        _ => false,
    }
}

/// The counter, and the variables that the body only sets to copies of it, outside of its conditions and loops.
fn copies(body: &[Stmt], counter: VarId) -> Vec<VarId> {
    let mut all = vec![counter];
    for s in body {
        if let StmtKind::Let { var, value } = &s.kind
            && matches!(value.kind, ExprKind::Var(v) if v == counter)
            && assignments(body, *var) == 1
        {
            all.push(*var);
        }
    }
    all
}

/// The variables that every iteration changes once, by a constant, and the constants.
fn steps(body: &[Stmt]) -> Vec<(VarId, i128)> {
    let step = |s: &Stmt| {
        let StmtKind::Let { var, value } = &s.kind else {
            return None;
        };
        let ExprKind::Binary { op, a, b, .. } = &value.kind else {
            return None;
        };
        let own = matches!(a.kind, ExprKind::Var(v) if v == *var);
        let by = b.as_int().filter(|c| own && *c != 0)?;
        match op {
            BinOp::Add => Some((*var, by)),
            BinOp::Sub => Some((*var, -by)),
            _ => None,
        }
    };
    let found = body.iter().filter_map(step);
    found.filter(|(v, _)| assignments(body, *v) == 1).collect()
}

/// The number of assignments of a variable in the text of a block.
fn assignments(body: &[Stmt], v: VarId) -> usize {
    let mut count = 0;
    for s in body {
        s.walk(&mut |s| {
            count += usize::from(match &s.kind {
                StmtKind::Let { var, .. } => *var == v,
                StmtKind::For(l) => l.counter == v,
                _ => false,
            });
            for e in s.exprs() {
                e.walk(&mut |e| {
                    count += usize::from(matches!(e.kind, ExprKind::Bind { var, .. } if var == v));
                });
            }
        });
    }
    count
}

/// Whether a block has a statement that goes on with the next iteration early, or leaves a part of the block.
fn continues(body: &[Stmt]) -> bool {
    let mut found = false;
    for s in body {
        s.walk(&mut |s| {
            found |= matches!(
                s.kind,
                StmtKind::Continue(_) | StmtKind::Leave(_) | StmtKind::Scope { .. }
            );
        });
    }
    found
}

/// Whether an expression has the same value in every iteration, and reads no memory.
fn invariant(e: &Expr, body: &[Stmt]) -> bool {
    let mut same = true;
    e.walk(&mut |e| {
        same &= match &e.kind {
            ExprKind::Var(v) => assignments(body, *v) == 0,
            ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::HostCall { .. } => false,
            _ => true,
        };
    });
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nest;

    /// The bound of loop `L1`, given that arrays have ten elements along each axis and ints are a hundred.
    fn bound(body: &str) -> Option<f64> {
        let nest = nest("a: f64[1], n: int, x: float, j: int", body);
        let mut trips = vec![None; nest.loops.len()];
        let values = LaunchValues {
            vars: vec![Some(100); nest.vars.len()],
            floats: vec![None; nest.vars.len()],
            dims: vec![[10; 8]; nest.arrays.len()],
            contents: vec![None; nest.arrays.len()],
            surprise: None,
        };
        TripBounds::of(&nest, &crate::ranges(&nest)).fill(&mut trips, &values);
        trips[1]
    }

    #[test]
    fn a_subscript_that_moves_bounds_a_loop() {
        let shift = "for i in range(n):\n  j = n\n  while a[j] > x:\n    a[j] = x\n    j = j - 1\n";
        assert_eq!(bound(shift), Some(22.0));
        let twice = "for i in range(n):\n  j = 0\n  while a[j + 1] > x:\n    j = j + 2\n";
        assert_eq!(bound(twice), Some(12.0));
        let perhaps = "for i in range(n):\n  j = 0\n  while a[i] > x:\n    if x > 0.0:\n      j = j + 1\n    a[j] = x\n";
        assert_eq!(bound(perhaps), None);
        let still = "for i in range(n):\n  while a[i] > x:\n    x = x + 1.0\n";
        assert_eq!(bound(still), None);
    }

    #[test]
    fn a_limit_bounds_a_loop() {
        let escape =
            "for i in range(n):\n  j = 0\n  while j < n:\n    x = x * 0.5\n    j = j + 1\n";
        assert_eq!(bound(escape), Some(102.0));
        let moving = "for i in range(n):\n  j = 0\n  while j < n:\n    n = n + 1\n    j = j + 1\n";
        assert_eq!(bound(moving), None);
        let away = "for i in range(n):\n  j = 0\n  while j > n:\n    j = j + 1\n";
        assert_eq!(bound(away), None);
    }
}
