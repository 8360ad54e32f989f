//! What each variable is to a loop: private, a reduction, or carried from iteration to iteration.

use crate::liveness::{Exposure, VarSet};
use crate::structure::assigned;
use nestwise_ir::nest::{Cast, Const, Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, BinOp, CmpOp, FpMode, Prov, Scalar, UnOp, VarId};

/// A variable's role in one loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Assigned before it is read in every iteration; `last`: the last iteration's value is read after the loop.
    Private { last: bool },
    /// Only combined with values that do not depend on it; or assigned before it is read in some iterations, of which the
    /// last one's value is read after the loop.
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
    let best = |b: &VarId| *b != v && found(nest, body, *b, FpMode::Strict).has_along(v);
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
    let mut constant = true;
    cond.walk(&mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind {
            let class = crate::structure::Classes::of(nest);
            constant &= !class.permuted(*array) && !stored.contains(array);
        }
    });
    let alone = sites == 1 && all_assignments == 1 && all_reads == reads_seen;
    (alone && constant).then_some(op)
}

/// `if f(x) < f(v): v = x`, with `x` a variable.
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
        (_, 0) => (b, a, crate::refine::mirror(*op)),
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

/// Assignments of a variable in a statement, at any depth.
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
    s.walk(&mut |s| n += s.exprs().iter().map(|e| reads(e, v)).sum::<usize>());
    n
}

/// The operation by which the body does nothing but accumulate into `v`.
fn reduction(nest: &Nest, body: &[Stmt], v: VarId, fp: FpMode) -> Option<RedOp> {
    let found = found(nest, body, v, fp);
    found.op.filter(|_| found.ok)
}

fn found<'a>(nest: &'a Nest, body: &[Stmt], v: VarId, fp: FpMode) -> Found<'a> {
    let mut found = Found {
        nest,
        v,
        fp,
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
    found
}

struct Found<'a> {
    nest: &'a Nest,
    v: VarId,
    fp: FpMode,
    op: Option<RedOp>,
    /// The direction of all updates of a NumPy int that may overflow.
    way: Option<Way>,
    reads: usize,
    /// What every update assigns besides, once there was one.
    along: Option<Vec<VarId>>,
    updates: usize,
    ok: bool,
}

/// Where a sum goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Way {
    fn back(self) -> Way {
        match self {
            Way::Up => Way::Down,
            Way::Down => Way::Up,
        }
    }
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
                let op = self.combining(value).or_else(|| self.setting(value));
                self.update(op, reads(value, self.v), vec![]);
                self.ok &= self.one_way(value);
                return;
            }
            // `if x < v: v = x`, and what else is assigned then.
            StmtKind::If { cond, then, orelse } if orelse.is_empty() => {
                if let Some((op, along)) = self.replaced_in(cond, then) {
                    self.update(Some(op), reads(cond, self.v), along);
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

    /// The operation of `if cond: then`, if that replaces `v`, and what it assigns along with it: then of equal values
    /// the first must win.
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
                true => op = Some(self.replacing(cond, value)?),
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

    fn is_v(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Var(x) if x == self.v)
    }

    /// `if x op v: v = value`, with `value` the very `x`.
    fn replacing(&self, cond: &Expr, value: &Expr) -> Option<RedOp> {
        let ExprKind::Compare { op, a, b } = &cond.kind else {
            return None;
        };
        let (x, op) = if self.is_v(b) {
            (a, *op)
        } else if self.is_v(a) {
            (b, crate::refine::mirror(*op))
        } else {
            return None;
        };
        (reads(x, self.v) == 0 && same(x, value)).then_some(())?;
        self.better(op, true)
    }

    /// The reduction of "x replaces v when `x op v`"; `strict_keep`: otherwise v stays.
    fn better(&self, op: CmpOp, keeps: bool) -> Option<RedOp> {
        let float = self.nest.vars.get(self.v)?.ty.repr;
        // Of equal floats (0.0 and -0.0) the first must stay, and NaN must never replace: only the strict
        // comparison that keeps the old value does both.
        let (min, strict) = match op {
            CmpOp::Lt => (true, true),
            CmpOp::Le => (true, false),
            CmpOp::Gt => (false, true),
            CmpOp::Ge => (false, false),
            _ => return None,
        };
        let fits = float.is_int() || (float.is_float() && strict && keeps);
        fits.then_some(if min { RedOp::Min } else { RedOp::Max })
    }

    /// A value that combines `v` with something independent of it.
    fn combining(&self, value: &Expr) -> Option<RedOp> {
        let mut binds = vec![];
        let mut e = value;
        while let ExprKind::Bind { var, value, body } = &e.kind {
            binds.push((*var, &**value));
            e = body;
        }
        let look = |e: &'_ Expr| -> Expr {
            match e.kind {
                ExprKind::Var(x) => binds
                    .iter()
                    .rev()
                    .find(|b| b.0 == x)
                    .map_or_else(|| e.clone(), |b| b.1.clone()),
                _ => e.clone(),
            }
        };
        match &e.kind {
            ExprKind::Binary { op, a, b, .. } => self.binary(*op, &look(a), &look(b)),
            ExprKind::Select { cond, then, orelse } => {
                self.select(cond, &look(then), &look(orelse), &look)
            }
            _ => None,
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<RedOp> {
        let ty = self.nest.vars.get(self.v)?.ty;
        let (other, left) = match (self.is_v(a), self.is_v(b)) {
            (true, false) => (b, true),
            (false, true) => (a, false),
            _ => return None,
        };
        if reads(other, self.v) > 0 {
            return None;
        }
        let int = ty.repr.is_int();
        let fast = self.fp == FpMode::Fast && ty.repr.is_float();
        match op {
            BinOp::Add if int => Some(RedOp::Add),
            BinOp::Sub if left && int => Some(RedOp::Add),
            BinOp::Mul if int => Some(RedOp::Mul),
            BinOp::Add if fast => Some(RedOp::Add),
            BinOp::Sub if left && fast => Some(RedOp::Add),
            BinOp::Mul if fast => Some(RedOp::Mul),
            BinOp::And if int || ty.repr == Scalar::Bool => Some(RedOp::And),
            BinOp::Or if int || ty.repr == Scalar::Bool => Some(RedOp::Or),
            BinOp::Xor if int || ty.repr == Scalar::Bool => Some(RedOp::Xor),
            BinOp::Min if int => Some(RedOp::Min),
            BinOp::Max if int => Some(RedOp::Max),
            _ => None,
        }
    }

    /// NumPy's ints warn where a partial sum leaves their range, and wrap: what of a sum's parts and of the whole
    /// leaves it is the same only if nothing does (no guard), or if all updates go one way: then the whole leaves it
    /// if a part of it does. Python's ints grow, so their partial sums are nobody's business.
    fn one_way(&mut self, value: &Expr) -> bool {
        let mut e = value;
        while let ExprKind::Bind { body, .. } = &e.kind {
            e = body;
        }
        let python = self
            .nest
            .vars
            .get(self.v)
            .is_some_and(|d| d.ty.prov == Prov::Py);
        let ExprKind::Binary { op, a, b, guard } = &e.kind else {
            return true;
        };
        if python || !*guard || !e.ty.repr.is_int() {
            return true;
        }
        let way = match op {
            BinOp::Add => way(if self.is_v(a) { b } else { a }),
            BinOp::Sub => way(b).map(Way::back),
            BinOp::Mul => None,
            _ => return true,
        };
        let first = *self.way.get_or_insert(way.unwrap_or(Way::Up));
        // Unsigned parts start from 0, from which nothing goes down.
        way == Some(first) && !(first == Way::Down && e.ty.repr.is_unsigned())
    }

    fn select(
        &self,
        cond: &Expr,
        then: &Expr,
        orelse: &Expr,
        look: &dyn Fn(&Expr) -> Expr,
    ) -> Option<RedOp> {
        let is = |e: &Expr, b: bool| matches!(e.kind, ExprKind::Const(Const::Bool(v)) if v == b);
        let free = |e: &Expr| reads(e, self.v) == 0;
        // v or c, c or v; v and c, c and v.
        if is(then, true) && (self.is_v(cond) && free(orelse) || self.is_v(orelse) && free(cond)) {
            return Some(RedOp::Or);
        }
        if is(orelse, false) && (self.is_v(cond) && free(then) || self.is_v(then) && free(cond)) {
            return Some(RedOp::And);
        }
        let ExprKind::Compare { op, a, b } = &cond.kind else {
            return None;
        };
        let (a, b) = (look(a), look(b));
        let (x, op, v_right) = if self.is_v(&b) {
            (a, *op, true)
        } else if self.is_v(&a) {
            (b, crate::refine::mirror(*op), true)
        } else {
            return None;
        };
        if !v_right || reads(&x, self.v) > 0 {
            return None;
        }
        // `x if x op v else v` keeps v; `v if x op v else x` replaces it unless the comparison holds.
        if same(&x, then) && self.is_v(orelse) {
            self.better(op, true)
        } else if self.is_v(then) && same(&x, orelse) {
            self.better(crate::refine::negate(op), false)
        } else {
            None
        }
    }

    /// `v = True` and nothing else: whether any iteration did.
    fn setting(&self, value: &Expr) -> Option<RedOp> {
        match value.kind {
            ExprKind::Const(Const::Bool(true)) => Some(RedOp::Or),
            ExprKind::Const(Const::Bool(false)) => Some(RedOp::And),
            _ => None,
        }
    }
}

/// Where adding an int expression moves a sum, if its shape tells.
fn way(e: &Expr) -> Option<Way> {
    let up = match &e.kind {
        ExprKind::Const(Const::Int(v)) => return Some(if *v < 0 { Way::Down } else { Way::Up }),
        ExprKind::Unary { op: UnOp::Abs, .. } => true,
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } => {
            return if a.ty.repr == Scalar::Bool {
                Some(Way::Up)
            } else {
                way(a)
            };
        }
        ExprKind::Binary {
            op: BinOp::Mul,
            a,
            b,
            ..
        } => same(a, b) || e.ty.repr.is_unsigned(),
        _ => e.ty.repr.is_unsigned(),
    };
    up.then_some(Way::Up)
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
