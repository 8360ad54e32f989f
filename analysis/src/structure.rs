//! Plain facts about a nest's statements: what a block assigns, how it can be left, which slots are permuted.

use std::borrow::Cow;
use std::collections::HashMap;

use nestwise_ir::model::nest::{Const, Expr, ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::{ArrayId, LoopId, ScopeId, VarId};

/// Calls `f` on every variable that a statement (or anything inside it) assigns; with repetitions.
pub fn for_each_assigned(stmt: &Stmt, f: &mut impl FnMut(VarId)) {
    stmt.walk(&mut |s| for_each_own(s, f));
}

/// Calls `f` on every variable that a statement itself assigns, the statements in its blocks left out.
fn for_each_own(stmt: &Stmt, f: &mut impl FnMut(VarId)) {
    match &stmt.kind {
        StmtKind::Let { var, .. } => f(*var),
        StmtKind::For(l) => f(l.counter),
        _ => {}
    }
    for e in stmt.exprs() {
        for_each_bound(e, f);
    }
}

/// Calls `f` on every variable that an expression binds.
pub fn for_each_bound(e: &Expr, f: &mut impl FnMut(VarId)) {
    e.walk(&mut |e| {
        if let ExprKind::Bind { var, .. } = e.kind {
            f(var);
        }
    });
}

/// The variables that a block assigns, sorted, each once.
pub fn assigned(block: &[Stmt]) -> Vec<VarId> {
    let mut out = Vec::new();
    for stmt in block {
        for_each_assigned(stmt, &mut |v| out.push(v));
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The variables that each statement of a nest assigns, collected once and asked for at every level of the nest.
pub struct Assigned {
    by_stmt: HashMap<*const Stmt, Vec<VarId>>,
}

impl Assigned {
    /// Collects the assigned variables of all statements of a nest.
    pub fn of(nest: &Nest) -> Assigned {
        let mut all = Assigned {
            by_stmt: HashMap::new(),
        };
        nest.prologue.iter().for_each(|stmt| all.look(stmt));
        all.look(&nest.top);
        all
    }

    fn look(&mut self, stmt: &Stmt) {
        let mut vars = Vec::new();
        for_each_own(stmt, &mut |v| vars.push(v));
        for inner in stmt.blocks().flatten() {
            self.look(inner);
            vars.extend(self.by(inner).iter());
        }
        vars.sort_unstable();
        vars.dedup();
        self.by_stmt.insert(stmt, vars);
    }

    /// The variables that a statement, or anything inside it, assigns, sorted, each once. For a statement that is not
    /// the nest's own, such as a copy, they are collected now.
    fn by(&self, stmt: &Stmt) -> Cow<'_, [VarId]> {
        match self.by_stmt.get(&std::ptr::from_ref(stmt)) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(assigned(std::slice::from_ref(stmt))),
        }
    }

    /// The variables that a block assigns, sorted, each once.
    pub fn by_block(&self, block: &[Stmt]) -> Vec<VarId> {
        let mut vars: Vec<VarId> = Vec::new();
        block.iter().for_each(|s| vars.extend(self.by(s).iter()));
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Whether a statement assigns a variable.
    pub fn is_by(&self, stmt: &Stmt, var: VarId) -> bool {
        self.by(stmt).binary_search(&var).is_ok()
    }
}

/// Whether control never reaches the end of a block.
pub fn diverges(block: &[Stmt]) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) | StmtKind::Return => true,
        StmtKind::If { then, orelse, .. } => diverges(then) && diverges(orelse),
        _ => false,
    })
}

/// Whether a block holds a `Leave` of the scope.
pub fn leaves(block: &[Stmt], scope: ScopeId) -> bool {
    any(
        block,
        &mut |s| matches!(s.kind, StmtKind::Leave(id) if id == scope),
    )
}

/// Whether any statement of a block, at any depth, satisfies `f`.
pub fn any(block: &[Stmt], f: &mut impl FnMut(&Stmt) -> bool) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.walk(&mut |s| found = found || f(s));
    }
    found
}

/// The line of the first call of CPython in a block.
pub fn first_host_call(block: &[Stmt]) -> Option<u32> {
    let mut line = None;
    for s in block {
        s.walk(&mut |s| {
            let calls = s
                .exprs()
                .any(|e| matches!(e.kind, ExprKind::HostCall { .. }));
            line = line.or(calls.then_some(s.span.line));
        });
    }
    line
}

/// Whether control may leave a block otherwise than through its end; `Continue` of `next` does not count.
pub fn escapes(block: &[Stmt], next: Option<LoopId>) -> bool {
    let (mut loops, mut scopes) = (vec![], vec![]);
    for stmt in block {
        stmt.walk(&mut |s| match &s.kind {
            StmtKind::For(l) => loops.push(l.id),
            StmtKind::While(l) => loops.push(l.id),
            StmtKind::Scope { id, .. } => scopes.push(*id),
            _ => {}
        });
    }
    any(block, &mut |s| match &s.kind {
        StmtKind::Break(l) => !loops.contains(l),
        StmtKind::Continue(l) => !loops.contains(l) && Some(*l) != next,
        StmtKind::Leave(id) => !scopes.contains(id),
        StmtKind::Return => true,
        _ => false,
    })
}

/// A way out of a loop that is not its normal end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// A `break` (or the end of an inlined function, or a jump over an `else`).
    Break,
    /// A `return`.
    Return,
}

/// The first way out of a loop's body that ends the loop early, with its line.
pub fn early_exit(id: LoopId, body: &[Stmt]) -> Option<(Exit, u32)> {
    let mut inside = Vec::new();
    let mut found = None;
    for stmt in body {
        stmt.walk(&mut |s| {
            if let StmtKind::Scope { id, .. } = s.kind {
                inside.push(id);
            }
        });
    }
    for stmt in body {
        stmt.walk(&mut |s| {
            let exit = match &s.kind {
                StmtKind::Break(l) if *l == id => Exit::Break,
                StmtKind::Leave(scope) if !inside.contains(scope) => Exit::Break,
                StmtKind::Return => Exit::Return,
                _ => return,
            };
            found = found.or(Some((exit, s.span.line)));
        });
    }
    found
}

/// Classes of slots that `Rebind` statements permute.
pub struct Classes {
    of: Vec<ArrayId>,
}

impl Classes {
    /// The classes over a whole nest.
    pub fn of(nest: &Nest) -> Classes {
        let mut of: Vec<ArrayId> = nest.arrays.ids().collect();
        nest.walk(&mut |s| {
            let StmtKind::Rebind(moves) = &s.kind else {
                return;
            };
            for (a, b) in moves {
                let (Some(x), Some(y)) = (of.get(a.index()), of.get(b.index())) else {
                    continue;
                };
                let (from, to) = ((*x).max(*y), (*x).min(*y));
                of.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
            }
        });
        Classes { of }
    }
    /// The representative of a slot's class.
    pub fn rep(&self, a: ArrayId) -> ArrayId {
        self.of.get(a.index()).copied().unwrap_or(a)
    }
    /// Whether the slot may hold another slot's array after a while.
    pub fn permuted(&self, a: ArrayId) -> bool {
        self.of
            .iter()
            .enumerate()
            .any(|(i, c)| i != a.index() && *c == self.rep(a))
    }
    /// The slots of a slot's class.
    pub fn members(&self, a: ArrayId) -> impl Iterator<Item = ArrayId> + '_ {
        let rep = self.rep(a);
        let all = self.of.iter().enumerate();
        all.filter(move |(_, c)| **c == rep)
            .map(|(i, _)| ArrayId(i as u32))
    }
}

/// The `for` statement with this id.
pub fn find_for(nest: &Nest, id: LoopId) -> Option<&For> {
    let mut found = None;
    nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && l.id == id
        {
            found = Some(l);
        }
    });
    found
}

/// The body of the loop with this id.
pub fn find_body(nest: &Nest, id: LoopId) -> Option<&[Stmt]> {
    let mut found = None;
    nest.walk(&mut |s| match &s.kind {
        StmtKind::For(l) if l.id == id => found = Some(l.body.as_slice()),
        StmtKind::While(l) if l.id == id => found = Some(l.body.as_slice()),
        _ => {}
    });
    found
}

/// Whether a block holds a jump, a `while`, a swap of arrays: anything but straight code, `if` and `for`.
pub fn irregular(block: &[Stmt]) -> bool {
    any(block, &mut |s| {
        matches!(
            s.kind,
            StmtKind::While(_)
                | StmtKind::Break(_)
                | StmtKind::Continue(_)
                | StmtKind::Leave(_)
                | StmtKind::Scope { .. }
                | StmtKind::Return
                | StmtKind::Rebind(_)
        )
    })
}

/// Whether an expression has the same value wherever it stands inside the loops that assign `assigned`.
pub fn invariant(e: &Expr, assigned: &[VarId]) -> bool {
    let mut ok = true;
    e.walk(&mut |e| {
        ok &= match &e.kind {
            ExprKind::Var(v) => !assigned.contains(v),
            ExprKind::Load { .. } | ExprKind::Bind { .. } => false,
            _ => true,
        };
    });
    ok
}

pub(crate) fn is_for(s: &Stmt, id: LoopId) -> bool {
    matches!(&s.kind, StmtKind::For(l) if l.id == id)
}

/// The loops of the perfect nest that starts at `outer`: each the only statement of the one before.
pub fn perfect_band(outer: &For) -> Vec<LoopId> {
    let mut band = vec![outer.id];
    let mut at = outer;
    while let [
        Stmt {
            kind: StmtKind::For(inner),
            ..
        },
    ] = at.body.as_slice()
    {
        band.push(inner.id);
        at = inner;
    }
    band
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
    let (mut p, mut q) = (a.children(), b.children());
    head && loop {
        match (p.next(), q.next()) {
            (Some(x), Some(y)) if same(x, y) => {}
            (x, y) => break x.is_none() && y.is_none(),
        }
    }
}

fn bits(c: &Const) -> (u8, i128, u64, u64) {
    match c {
        Const::Bool(b) => (0, (*b).into(), 0, 0),
        Const::Int(v) => (1, *v, 0, 0),
        Const::Float(v) => (2, 0, v.to_bits(), 0),
        Const::Complex(x, y) => (3, 0, x.to_bits(), y.to_bits()),
    }
}

/// The variables that a statement assigns, and those that it reads.
pub(crate) fn variables(s: &Stmt) -> (Vec<VarId>, Vec<VarId>) {
    let mut reads = vec![];
    s.walk(&mut |s| {
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Var(v) = e.kind {
                    reads.push(v);
                }
            });
        }
    });
    (assigned(std::slice::from_ref(s)), reads)
}

/// Whether a block contains a check that may fail, on which accesses behind it rely.
pub fn may_fail(block: &[Stmt]) -> bool {
    any(block, &mut |s| {
        matches!(s.kind, StmtKind::Check { guard: true, .. })
    })
}
