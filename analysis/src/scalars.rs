//! What each variable is to a loop: private, a reduction, or carried from iteration to iteration.

use crate::liveness::{Exposure, VarSet};
use crate::structure::assigned;
use crate::updates::{Accumulator, Way};
use nestwise_ir::nest::{Const, Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{FpMode, VarId};

/// A variable's role in one loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Assigned before it is read in every iteration; `last`: the last iteration's value is read after the loop.
    Private { last: bool },
    /// Only combined with values that do not depend on it.
    Reduction(RedOp),
    /// Its value passes from one iteration to the next. The line of an assignment; `sum`: only because sums of
    /// floats keep their order.
    Carried { line: u32, sum: bool },
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
        match reduction(nest, body, v, fp) {
            Some(op) => Role::Reduction(op),
            None => Role::Carried {
                line: line_of(body, v),
                sum: reduction(nest, body, v, FpMode::Fast).is_some(),
            },
        }
    };
    assigned(body).into_iter().map(|v| (v, role(v))).collect()
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
    s.walk(&mut |s| n += s.exprs().iter().map(|e| reads(e, v)).sum::<usize>());
    n
}

/// The operation by which the body does nothing but accumulate into `v`.
fn reduction(nest: &Nest, body: &[Stmt], v: VarId, fp: FpMode) -> Option<RedOp> {
    let mut found = Found {
        v,
        accumulator: Accumulator::of_var(nest, v, fp)?,
        op: None,
        way: None,
        reads: 0,
        ok: true,
    };
    body.iter().for_each(|s| found.stmt(s));
    let all: usize = body.iter().map(|s| reads_in(s, v)).sum();
    // Every read of the variable is its own update's.
    if found.ok && all == found.reads {
        found.op
    } else {
        None
    }
}

struct Found<'a> {
    v: VarId,
    accumulator: Accumulator<'a>,
    op: Option<RedOp>,
    /// The direction of all updates of a NumPy int that may overflow.
    way: Option<Way>,
    reads: usize,
    ok: bool,
}

impl Found<'_> {
    fn update(&mut self, op: Option<RedOp>, reads: usize) {
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
                self.update(op, updates.reads(value));
                self.ok &= updates.one_way(value, &mut self.way);
                return;
            }
            // `if x < v: v = x`
            StmtKind::If { cond, then, orelse } if orelse.is_empty() => {
                if let [
                    Stmt {
                        kind: StmtKind::Let { var, value },
                        ..
                    },
                ] = then.as_slice()
                    && *var == self.v
                    && let Some(op) = self.accumulator.replacing(cond, value)
                {
                    self.update(Some(op), self.accumulator.reads(cond));
                    return;
                }
            }
            _ => {}
        }
        let mut bound = false;
        s.exprs().iter().for_each(|e| {
            e.walk(&mut |e| bound |= matches!(e.kind, ExprKind::Bind { var, .. } if var == self.v))
        });
        self.ok &= !bound;
        for block in s.blocks() {
            block.iter().for_each(|s| self.stmt(s));
        }
    }
}

/// Whether two expressions, evaluated at one point, have the same value: equal up to positions and access ids.
pub fn same(a: &Expr, b: &Expr) -> bool {
    let head = a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (ExprKind::Const(x), ExprKind::Const(y)) => bits(x) == bits(y),
            (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
            (ExprKind::Dim(x, p), ExprKind::Dim(y, q)) => x == y && p == q,
            (ExprKind::Load { array: x, .. }, ExprKind::Load { array: y, .. }) => x == y,
            (ExprKind::Unary { op: x, .. }, ExprKind::Unary { op: y, .. }) => x == y,
            (ExprKind::Binary { op: x, .. }, ExprKind::Binary { op: y, .. }) => x == y,
            (ExprKind::Compare { op: x, .. }, ExprKind::Compare { op: y, .. }) => x == y,
            (ExprKind::Select { .. }, ExprKind::Select { .. }) => true,
            (ExprKind::Cast { kind: x, .. }, ExprKind::Cast { kind: y, .. }) => x == y,
            (ExprKind::Call { fun: x, lib: p, .. }, ExprKind::Call { fun: y, lib: q, .. }) => {
                x == y && p == q
            }
            _ => false,
        };
    let (p, q) = (a.children(), b.children());
    head && p.len() == q.len() && p.iter().zip(q).all(|(x, y)| same(x, y))
}

fn bits(c: &Const) -> (u8, i128, u64, u64) {
    match c {
        Const::Bool(b) => (0, (*b).into(), 0, 0),
        Const::Int(v) => (1, *v, 0, 0),
        Const::Float(v) => (2, 0, v.to_bits(), 0),
        Const::Complex(x, y) => (3, 0, x.to_bits(), y.to_bits()),
    }
}
