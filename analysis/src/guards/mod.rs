//! The guards of a nest by number.
//!
//! Every node that has a `guard` field has a [`GuardId`], whether the flag is set or not, so numbers survive [`apply`].
//! Guards are numbered in this order: statements as they stand; a statement's own guard, then its expressions (parents
//! before operands, operands in evaluation order), then its blocks.

pub(crate) mod at_launch;
pub mod by_values;
pub(crate) mod launch_values;
pub mod plan;
pub mod prove;
pub mod static_facts;
pub(crate) mod trip_estimate;

use std::collections::HashMap;

use nestwise_ir::model::nest::{Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::{BinOp, CmpOp, Ty};

/// The number of a node that has a guard.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct GuardId(pub u32);

impl GuardId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a guard stands.
#[derive(Clone, Copy)]
pub enum Site<'a> {
    /// The guard is on an expression.
    Expr(&'a Expr),
    /// The guard is on a store or a check.
    Stmt(&'a Stmt),
}

impl Site<'_> {
    /// The node's key: its identity while the nest is borrowed.
    pub fn key(self) -> usize {
        match self {
            Site::Expr(e) => expr_key(e),
            Site::Stmt(s) => stmt_key(s),
        }
    }
}

/// An expression's identity while the nest is borrowed, which is its address.
pub fn expr_key(e: &Expr) -> usize {
    std::ptr::from_ref(e).addr()
}

/// A statement's identity while the nest is borrowed, which is its address made odd, since a statement may begin where
/// an expression in it begins.
pub fn stmt_key(s: &Stmt) -> usize {
    std::ptr::from_ref(s).addr() | 1
}

/// The guard flag of an expression, if its kind has one.
pub fn expr_guard(e: &Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Load { guard, .. }
        | ExprKind::Unary { guard, .. }
        | ExprKind::Binary { guard, .. }
        | ExprKind::Cast { guard, .. }
        | ExprKind::Call { guard, .. } => Some(*guard),
        _ => None,
    }
}

/// The guard flag of a statement, if its kind has one.
pub fn stmt_guard(s: &Stmt) -> Option<bool> {
    match &s.kind {
        StmtKind::Store { guard, .. } | StmtKind::Check { guard, .. } => Some(*guard),
        _ => None,
    }
}

/// Calls `f` on every guard-bearing node with its number, its node and its flag.
pub fn for_each<'a>(nest: &'a Nest, f: &mut impl FnMut(GuardId, Site<'a>, bool)) {
    let mut next = 0;
    let mut number = |site: Site<'a>, flag: bool| {
        f(GuardId(next), site, flag);
        next += 1;
    };
    nest.walk(&mut |stmt| {
        if let Some(flag) = stmt_guard(stmt) {
            number(Site::Stmt(stmt), flag);
        }
        for e in stmt.exprs() {
            e.walk(&mut |e| {
                if let Some(flag) = expr_guard(e) {
                    number(Site::Expr(e), flag);
                }
            });
        }
    });
}

/// The number of guard-bearing nodes.
pub fn count(nest: &Nest) -> usize {
    let mut n = 0;
    for_each(nest, &mut |_, _, _| n += 1);
    n
}

/// The number of guards that are set.
pub fn count_set(nest: &Nest) -> usize {
    let mut n = 0;
    for_each(nest, &mut |_, _, flag| n += usize::from(flag));
    n
}

/// A map from [`Site::key`] to the guard's number.
pub fn numbering(nest: &Nest) -> HashMap<usize, GuardId> {
    let mut map = HashMap::new();
    for_each(nest, &mut |id, site, _| {
        map.insert(site.key(), id);
    });
    map
}

/// The axes (one bit each) of a proven access whose subscripts have negative values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Wraps {
    /// Axes of which all subscripts are negative.
    pub always: u8,
    /// Axes of which some subscripts are negative.
    pub sometimes: u8,
}

/// What a launch proved: guards that cannot fail, and index axes that wrap. Two launches with equal sets run the same
/// kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GuardSet {
    proven: Vec<u64>,
    /// By guard: the axes that wrap.
    wrapped: Vec<Wraps>,
}

impl GuardSet {
    /// An empty set for `guards` guards.
    pub fn new(guards: usize) -> GuardSet {
        GuardSet {
            proven: vec![0; guards.div_ceil(64)],
            wrapped: vec![Wraps::default(); guards],
        }
    }
    /// Removes everything; keeps the memory.
    pub fn clear(&mut self) {
        self.proven.fill(0);
        self.wrapped.fill(Wraps::default());
    }
    /// Adds a guard.
    pub fn insert(&mut self, id: GuardId) {
        if let Some(word) = self.proven.get_mut(id.index() / 64) {
            *word |= 1 << (id.index() % 64);
        }
    }
    /// Adds a load's or store's guard whose `axes` wrap.
    pub fn insert_wrapped(&mut self, id: GuardId, axes: Wraps) {
        self.insert(id);
        if let Some(w) = self.wrapped.get_mut(id.index()) {
            *w = axes;
        }
    }
    /// Adds what another set of the same nest holds.
    pub fn extend(&mut self, other: &GuardSet) {
        for index in 0..self.wrapped.len() {
            let id = GuardId(index as u32);
            if other.contains(id) && !self.contains(id) {
                self.insert_wrapped(id, other.wrapped(id));
            }
        }
    }
    /// Whether the guard is proven.
    pub fn contains(&self, id: GuardId) -> bool {
        self.proven
            .get(id.index() / 64)
            .is_some_and(|w| w >> (id.index() % 64) & 1 == 1)
    }
    /// The axes of a guard's access that wrap.
    pub fn wrapped(&self, id: GuardId) -> Wraps {
        self.wrapped.get(id.index()).copied().unwrap_or_default()
    }
    /// The number of proven guards.
    pub fn len(&self) -> usize {
        self.proven.iter().map(|w| w.count_ones() as usize).sum()
    }
    /// Whether nothing is proven.
    pub fn is_empty(&self) -> bool {
        self.proven.iter().all(|w| *w == 0)
    }
}

/// A copy of the nest with every guard cleared.
pub fn cleared(nest: &Nest) -> Nest {
    let mut all = GuardSet::new(count(nest));
    for_each(nest, &mut |id, _, _| all.insert(id));
    apply(nest, &all)
}

/// A copy of the nest with the guards of `set` cleared and its negative subscripts made positive.
pub fn apply(nest: &Nest, set: &GuardSet) -> Nest {
    let mut out = nest.clone();
    clear(&mut out, set);
    out
}

/// Clears the guards of `set` and makes its negative subscripts positive.
pub(crate) fn clear(nest: &mut Nest, set: &GuardSet) {
    let mut next = 0u32;
    for_each_stmt_mut(nest, &mut |stmt| apply_stmt(stmt, set, &mut next));
}

/// A copy of the nest as if no guard could fail: the guards outside of `set` are cleared as well. With `wraps`, the
/// subscripts of those guards may be negative.
pub fn unchecked(nest: &Nest, set: &GuardSet, wraps: bool) -> Nest {
    let mut all = set.clone();
    for_each(nest, &mut |id, site, _| {
        let rank = match site {
            Site::Expr(e) => match &e.kind {
                ExprKind::Load { index, .. } => index.len(),
                _ => 0,
            },
            Site::Stmt(s) => match &s.kind {
                StmtKind::Store { index, .. } => index.len(),
                _ => 0,
            },
        };
        if !set.contains(id) {
            let sometimes = if wraps { ((1u16 << rank) - 1) as u8 } else { 0 };
            all.insert_wrapped(
                id,
                Wraps {
                    always: 0,
                    sometimes,
                },
            );
        }
    });
    apply(nest, &all)
}

/// Calls `f` on every statement, outer first, as [`Nest::walk`] does.
pub fn for_each_stmt_mut(nest: &mut Nest, f: &mut impl FnMut(&mut Stmt)) {
    fn go(stmt: &mut Stmt, f: &mut impl FnMut(&mut Stmt)) {
        f(stmt);
        for block in stmt.blocks_mut() {
            for s in block {
                go(s, f);
            }
        }
    }
    for stmt in &mut nest.prologue {
        go(stmt, f);
    }
    go(&mut nest.top, f);
}

fn take(next: &mut u32) -> GuardId {
    *next += 1;
    GuardId(*next - 1)
}

fn apply_stmt(stmt: &mut Stmt, set: &GuardSet, next: &mut u32) {
    match &mut stmt.kind {
        StmtKind::Store {
            guard,
            index,
            array,
            ..
        } => {
            let id = take(next);
            *guard &= !set.contains(id);
            // Operands are numbered on the tree as it was, so they go before the subscripts change.
            let array = *array;
            let wrapped = set.wrapped(id);
            index.iter_mut().for_each(|e| apply_expr(e, set, next));
            wrap_axes(index, array, wrapped);
            if let StmtKind::Store { value, .. } = &mut stmt.kind {
                apply_expr(value, set, next);
            }
            return;
        }
        StmtKind::Check { guard, .. } => *guard &= !set.contains(take(next)),
        _ => {}
    }
    for e in stmt.exprs_mut() {
        apply_expr(e, set, next);
    }
}

fn apply_expr(e: &mut Expr, set: &GuardSet, next: &mut u32) {
    let mut wrapped = Wraps::default();
    if let ExprKind::Load { guard, .. }
    | ExprKind::Unary { guard, .. }
    | ExprKind::Binary { guard, .. }
    | ExprKind::Cast { guard, .. }
    | ExprKind::Call { guard, .. } = &mut e.kind
    {
        let id = take(next);
        *guard &= !set.contains(id);
        wrapped = set.wrapped(id);
    }
    for child in e.children_mut() {
        apply_expr(child, set, next);
    }
    if let ExprKind::Load { array, index, .. } = &mut e.kind {
        wrap_axes(index, *array, wrapped);
    }
}

/// Makes negative subscripts positive: `A[e]` with `e` in `-extent..0` becomes `A[e + extent]`; with `e` in
/// `-extent..extent`, the extent is added only where `e < 0`.
fn wrap_axes(index: &mut [Expr], array: nestwise_ir::ArrayId, axes: Wraps) {
    for (axis, e) in index.iter_mut().enumerate() {
        let bit = |axes: u8| axes >> axis & 1 == 1;
        if !(bit(axes.always) || bit(axes.sometimes)) {
            continue;
        }
        let span = e.span;
        let int = |kind: ExprKind| Expr {
            kind,
            ty: Ty::PY_INT,
            span,
        };
        let old = std::mem::replace(e, Expr::int(0, span));
        let sum = int(ExprKind::Binary {
            op: BinOp::Add,
            a: Box::new(old.clone()),
            b: Box::new(int(ExprKind::Dim(array, axis as u32))),
            guard: false,
        });
        *e = if bit(axes.always) {
            sum
        } else {
            let negative = ExprKind::Compare {
                op: CmpOp::Lt,
                a: Box::new(old.clone()),
                b: Box::new(Expr::int(0, span)),
            };
            int(ExprKind::Select {
                cond: Box::new(Expr {
                    kind: negative,
                    ty: Ty::PY_BOOL,
                    span,
                }),
                then: Box::new(sum),
                orelse: Box::new(old),
            })
        };
    }
}
