//! What each variable is to a loop: private, a reduction, or carried from iteration to iteration.

use nestwise_ir::model::nest::{Const, Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, CmpOp, FpMode, VarId};

use crate::dataflow::liveness::{Exposure, VarSet};
use crate::parallelism::updates::{Accumulator, Way};
use crate::structure::{assigned, same};

/// A variable's role in one loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The variable is assigned before it is read in every iteration.
    Private {
        /// Whether the last iteration's value is read after the loop.
        last: bool,
    },
    /// The variable is only combined with values that do not depend on it; or some iterations assign it before they
    /// read it, and the value from the last of those is read after the loop ([`RedOp::Last`]).
    Reduction(RedOp),
    /// The variable's value passes from one iteration to the next.
    Carried {
        /// The line of an assignment.
        line: u32,
        /// Whether the variable is carried only because sums of floats keep their order.
        sum: bool,
    },
}

/// The roles of all variables that a loop's body assigns.
pub fn roles(
    nest: &Nest,
    body: &[Stmt],
    exposure: &Exposure,
    live_after: &VarSet,
    fp: FpMode,
) -> Vec<(VarId, Role)> {
    let role = |v: VarId| {
        let live = live_after.contains(v);
        let exposed = exposure.exposed.contains(v);
        if !exposed && (!live || exposure.always.contains(v)) {
            return Role::Private { last: live };
        }
        let op = match exposed {
            true => reduction(nest, body, v, fp),
            // Assigned, if at all, before it is read. A flag (`v = True`) is both; what it goes along with comes first.
            false => follows(nest, body, v)
                .or_else(|| reduction(nest, body, v, fp))
                .or(Some(RedOp::Last)),
        };
        match op {
            Some(op) => Role::Reduction(op),
            None => Role::Carried {
                line: line_of(body, v),
                sum: reduction(nest, body, v, FpMode::Fast).is_some(),
            },
        }
    };
    assigned(body).into_iter().map(|v| (v, role(v))).collect()
}

/// Whether `v` is only ever assigned together with the best value of another variable: `if x < best: best = x; v = i`.
fn follows(nest: &Nest, body: &[Stmt], v: VarId) -> Option<RedOp> {
    let best = |b: &VarId| {
        *b != v && found(nest, body, *b, FpMode::Strict).is_some_and(|f| f.has_along(v))
    };
    assigned(body).into_iter().find(best).map(RedOp::Along)
}

/// Whether the body does nothing with `v` but keep the position of the best in it: `if a[i] > a[v]: v = i`.
pub fn best_position(nest: &Nest, body: &[Stmt], v: VarId) -> Option<RedOp> {
    let mut found = None;
    let (mut reads_seen, mut sites) = (0, 0);
    let mut stored: Vec<ArrayId> = vec![];
    for s in body {
        s.walk(&mut |s| match &s.kind {
            StmtKind::Store { array, .. } => stored.push(*array),
            StmtKind::If { cond, then, orelse } if orelse.is_empty() => {
                let Some(op) = keeps_best(cond, then, v) else {
                    return;
                };
                found = Some((op, cond));
                sites += 1;
                reads_seen += reads(cond, v);
            }
            _ => {}
        });
    }
    let (op, cond) = found?;
    let all_reads: usize = body.iter().map(|s| reads_in(s, v)).sum();
    let all_assignments: usize = body.iter().map(|s| assignments(s, v)).sum();
    let (mut constant, classes) = (true, crate::structure::Classes::of(nest));
    cond.walk(&mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind {
            constant &= !classes.permuted(*array) && !stored.contains(array);
        }
    });
    let alone = sites == 1 && all_assignments == 1 && all_reads == reads_seen;
    (alone && constant).then_some(op)
}

/// The operation of `if f(x) < f(v): v = x`, with `x` a variable, if the statement has that form.
fn keeps_best(cond: &Expr, then: &[Stmt], v: VarId) -> Option<RedOp> {
    // Beside it, flags may be set.
    let is_flag = |e: &Expr| matches!(e.kind, ExprKind::Const(Const::Bool(_)));
    let kept = then.iter().map(|s| match &s.kind {
        StmtKind::Let { value, .. } if is_flag(value) => Some(None),
        StmtKind::Let { var, value } => Some(Some((var, value))),
        _ => None,
    });
    let kept: Option<Vec<_>> = kept.collect();
    let kept: Vec<_> = kept?.into_iter().flatten().collect();
    let [(var, value)] = kept[..] else {
        return None;
    };
    let ExprKind::Var(x) = value.kind else {
        return None;
    };
    let ExprKind::Compare { op, a, b } = &cond.kind else {
        return None;
    };
    let (new, old, op) = match (reads(a, v), reads(b, v)) {
        (0, _) => (a, b, *op),
        (_, 0) => (b, a, op.mirrored()),
        _ => return None,
    };
    let mut renamed = (**old).clone();
    rename(&mut renamed, v, x);
    let op = match op {
        CmpOp::Lt => RedOp::Min,
        CmpOp::Gt => RedOp::Max,
        _ => return None,
    };
    (*var == v && same(new, &renamed)).then_some(op)
}

fn rename(e: &mut Expr, from: VarId, to: VarId) {
    if let ExprKind::Var(v) = &mut e.kind
        && *v == from
    {
        *v = to;
    }
    e.children_mut()
        .into_iter()
        .for_each(|c| rename(c, from, to));
}

/// The number of assignments of a variable in a statement, at any depth.
fn assignments(s: &Stmt, v: VarId) -> usize {
    let mut n = 0;
    s.walk(&mut |s| n += usize::from(matches!(s.kind, StmtKind::Let { var, .. } if var == v)));
    n
}

fn line_of(body: &[Stmt], v: VarId) -> u32 {
    let mut line = 0;
    for s in body {
        s.walk(&mut |s| {
            if line == 0 && matches!(s.kind, StmtKind::Let { var, .. } if var == v) {
                line = s.span.line;
            }
        });
    }
    line
}

fn reads(e: &Expr, v: VarId) -> usize {
    let mut n = 0;
    e.walk(&mut |e| n += usize::from(matches!(e.kind, ExprKind::Var(x) if x == v)));
    n
}

fn reads_in(s: &Stmt, v: VarId) -> usize {
    let mut n = 0;
    s.walk(&mut |s| n += s.exprs().map(|e| reads(e, v)).sum::<usize>());
    n
}

/// The operation with which the body accumulates into `v`; `None` if it does anything else with it.
fn reduction(nest: &Nest, body: &[Stmt], v: VarId, fp: FpMode) -> Option<RedOp> {
    let found = found(nest, body, v, fp)?;
    found.op.filter(|_| found.ok)
}

fn found<'a>(nest: &Nest, body: &[Stmt], v: VarId, fp: FpMode) -> Option<Found<'a>> {
    let mut found = Found {
        v,
        accumulator: Accumulator::of_var(nest, v, fp)?,
        op: None,
        way: None,
        reads: 0,
        along: None,
        updates: 0,
        ok: true,
    };
    body.iter().for_each(|s| found.stmt(s));
    let all: usize = body.iter().map(|s| reads_in(s, v)).sum();
    // Every read of the variable is its own update's.
    found.ok &= all == found.reads;
    // What goes along with it does nothing else: a part of the iterations takes values for the best that are not.
    let only = |w: &VarId| {
        let (mut assigned, mut read) = (0, 0);
        for s in body {
            assigned += assignments(s, *w);
            read += reads_in(s, *w);
        }
        read == 0 && assigned == found.updates
    };
    found.ok &= found.along.iter().flatten().all(only);
    Some(found)
}

struct Found<'a> {
    v: VarId,
    accumulator: Accumulator<'a>,
    op: Option<RedOp>,
    /// The direction of all updates of a NumPy int that may overflow.
    way: Option<Way>,
    reads: usize,
    /// The variables that every update assigns together with `v`; `None` before the first update.
    along: Option<Vec<VarId>>,
    updates: usize,
    ok: bool,
}

impl Found<'_> {
    /// Whether `w` is assigned together with this variable, and only so.
    fn has_along(&self, w: VarId) -> bool {
        self.ok && self.op.is_some() && self.along.iter().flatten().any(|x| *x == w)
    }

    fn update(&mut self, op: Option<RedOp>, reads: usize, along: Vec<VarId>) {
        self.updates += 1;
        self.ok &= *self.along.get_or_insert(along.clone()) == along;
        match (op, self.op) {
            (Some(op), None) => self.op = Some(op),
            (Some(op), Some(old)) if op == old => {}
            _ => self.ok = false,
        }
        self.reads += reads;
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Let { var, value } if *var == self.v => {
                let updates = self.accumulator;
                let op = updates.combining(value).or_else(|| updates.setting(value));
                self.update(op, updates.reads(value), vec![]);
                self.ok &= updates.one_way(value, &mut self.way);
                return;
            }
            // `if x < v: v = x`, and what else is assigned then.
            StmtKind::If { cond, then, orelse } if orelse.is_empty() => {
                if let Some((op, along)) = self.replaced_in(cond, then) {
                    self.update(Some(op), self.accumulator.reads(cond), along);
                    return;
                }
            }
            _ => {}
        }
        let mut bound = false;
        s.exprs().for_each(|e| {
            e.walk(&mut |e| bound |= matches!(e.kind, ExprKind::Bind { var, .. } if var == self.v))
        });
        self.ok &= !bound;
        for block in s.blocks() {
            block.iter().for_each(|s| self.stmt(s));
        }
    }

    /// The operation of `if cond: then`, if that replaces `v`, and the variables it assigns along with `v`. If there
    /// are any, the first of equal values must win.
    fn replaced_in(&self, cond: &Expr, then: &[Stmt]) -> Option<(RedOp, Vec<VarId>)> {
        let (mut op, mut along) = (None, vec![]);
        for s in then {
            let StmtKind::Let { var, value } = &s.kind else {
                return None;
            };
            let mut bound = false;
            value.walk(&mut |e| {
                bound |= matches!(e.kind, ExprKind::Bind { var, .. } if var == self.v);
            });
            match *var == self.v {
                _ if bound => return None,
                true if op.is_some() => return None,
                true => op = Some(self.accumulator.replacing(cond, value)?),
                false => along.push(*var),
            }
        }
        along.sort_unstable();
        let strict = matches!(
            cond.kind,
            ExprKind::Compare {
                op: CmpOp::Lt | CmpOp::Gt,
                ..
            }
        );
        let twice = along.windows(2).any(|w| w[0] == w[1]);
        op.filter(|_| along.is_empty() || (strict && !twice))
            .map(|op| (op, along))
    }
}
