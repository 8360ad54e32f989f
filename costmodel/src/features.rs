//! What one execution of each loop body of a typed nest does, by kind of operation.

use nestwise_ir::branch_likelihood::Likely;
use nestwise_ir::{
    BinOp, Expr, ExprKind, Fun, Lib, LoopId, LoopWork, Nest, Scalar, Stmt, StmtKind, Tally, UnOp,
    Work,
};
use serde::{Deserialize, Serialize};

use crate::estimate::host_call::{ENTRY, calls_of};

/// Version of the feature set: raised whenever the meaning of a field changes.
pub const FEATURES_VERSION: u32 = 3;

/// How often each kind of operation happens in one execution of a block, loops inside it excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Additions, multiplications, comparisons and the like.
    pub simple_ops: f64,
    /// Divisions, modulos, roots and the like.
    pub slow_ops: f64,
    /// Element accesses of any kind.
    pub accesses: f64,
    /// Calls of C math functions.
    pub calls: f64,
    /// Calls of NumPy functions.
    pub numpy_calls: f64,
    /// Calls of CPython, counted as calls of a function of compiled code.
    #[serde(default)]
    pub host_calls: f64,
    /// Calls of C math functions that have a vector form: a part of `calls`.
    pub vector_calls: f64,
    /// Calls of NumPy functions that have a vector form: a part of `numpy_calls`.
    pub vector_numpy_calls: f64,
}

/// Whether compiled code has a vector form of a function.
pub type Vectors<'a> = &'a dyn Fn(Fun, Scalar) -> bool;

/// One loop's body and the loops in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoopFeatures {
    /// The loop.
    pub id: LoopId,
    /// Probability that the loop is reached when its parent's body runs.
    pub reached: f64,
    /// Operations of the loop's own body, as it is compiled.
    pub body: Counts,
    /// Work of the loop's own body, as CPython runs it.
    pub work: LoopWork,
    /// The loops directly inside.
    pub inner: Vec<LoopFeatures>,
}

/// The work of a loop that the nest has no counts for.
const NOTHING: LoopWork = LoopWork {
    reached: 1.0,
    once: false,
    leaves: false,
    body: Tally([0.0; Work::COUNT]),
};

/// Features of a nest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Features {
    /// The top loop.
    pub top: LoopFeatures,
    /// What CPython does in the head of the top loop.
    pub entry: Tally,
    /// Nodes of the nest, the measure of compile time.
    pub nodes: f64,
    /// Whether some loop of the nest may run on vectors, which takes longer to compile; set by the caller that judges
    /// loops, false at first.
    pub vectors: bool,
}

impl Features {
    /// Takes the features of `nest`.
    pub fn of(nest: &Nest, vectors: Vectors<'_>) -> Features {
        let mut nodes = 0.0;
        nest.walk(&mut |_| nodes += 1.0);
        nest.walk_exprs(&mut |_| nodes += 1.0);
        let mut root = LoopFeatures {
            id: LoopId(0),
            reached: 1.0,
            body: Counts::default(),
            work: NOTHING,
            inner: vec![],
        };
        Collector {
            nest,
            vectors,
            likely: Likely::of(nest),
        }
        .stmt(&nest.top, 1.0, &mut root);
        let top = root.inner.pop().unwrap_or(root);
        Features {
            top,
            entry: nest.work.entry,
            nodes,
            vectors: false,
        }
    }
}

struct Collector<'a> {
    nest: &'a Nest,
    vectors: Vectors<'a>,
    likely: Likely,
}

impl Collector<'_> {
    fn block(&self, block: &[Stmt], weight: f64, into: &mut LoopFeatures) {
        for stmt in block {
            self.stmt(stmt, weight, into);
        }
    }

    fn stmt(&self, stmt: &Stmt, weight: f64, into: &mut LoopFeatures) {
        match &stmt.kind {
            StmtKind::For(l) => {
                let mut inner = self.enter(l.id, weight);
                self.block(&l.body, 1.0, &mut inner);
                into.inner.push(inner);
                return;
            }
            StmtKind::While(l) => {
                let mut inner = self.enter(l.id, weight);
                self.expr(&l.cond, 1.0, &mut inner.body);
                self.block(&l.body, 1.0, &mut inner);
                into.inner.push(inner);
                return;
            }
            StmtKind::Store { .. } => into.body.accesses += weight,
            _ => {}
        }
        for e in stmt.exprs() {
            self.expr(e, weight, &mut into.body);
        }
        if let StmtKind::If { cond, then, orelse } = &stmt.kind {
            let share = self.likely.then(cond, then, orelse);
            self.block(then, weight * share, into);
            self.block(orelse, weight * (1.0 - share), into);
            return;
        }
        for block in stmt.blocks() {
            self.block(block, weight, into);
        }
    }

    fn enter(&self, id: LoopId, reached: f64) -> LoopFeatures {
        LoopFeatures {
            id,
            reached,
            body: Counts::default(),
            work: self.nest.work.of(id).copied().unwrap_or(NOTHING),
            inner: vec![],
        }
    }

    fn expr(&self, e: &Expr, weight: f64, into: &mut Counts) {
        match &e.kind {
            ExprKind::Call { fun, .. } if fun.is_fold() => {
                // All of the loop is one call, whose work is counted as CPython's.
                return;
            }
            ExprKind::Load { .. } => into.accesses += weight,
            ExprKind::Unary { op, a, .. } => {
                let slow = matches!(op, UnOp::Abs) && a.ty.repr.is_complex();
                operation(slow, weight, into);
            }
            ExprKind::Binary { op, .. } => {
                if *op == BinOp::Pow {
                    self.call(Fun::Pow, e, weight, into);
                }
                let slow = matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::Pow);
                operation(slow, weight, into);
            }
            ExprKind::Compare { .. } => operation(false, weight, into),
            ExprKind::HostCall { fragment, .. } => {
                let fragment = self.nest.fragments.get(*fragment);
                into.host_calls += weight
                    * match fragment {
                        Some(f) if f.kept.is_some() => ENTRY,
                        f => calls_of(f.map_or(1.0, |f| f.work)),
                    };
            }
            ExprKind::Call { fun, lib, .. } => match (lib, fun) {
                (Lib::Numpy, _) => {
                    into.numpy_calls += weight;
                    if (self.vectors)(*fun, e.ty.repr) {
                        into.vector_numpy_calls += weight;
                    }
                }
                (
                    Lib::C,
                    Fun::Sqrt
                    | Fun::Fabs
                    | Fun::Floor
                    | Fun::Ceil
                    | Fun::Trunc
                    | Fun::Copysign
                    | Fun::Pair,
                ) => {
                    into.slow_ops += weight;
                }
                (Lib::C, _) => self.call(*fun, e, weight, into),
            },
            ExprKind::Select { cond, then, orelse } => {
                self.expr(cond, weight, into);
                self.expr(then, weight * 0.5, into);
                self.expr(orelse, weight * 0.5, into);
                return;
            }
            _ => {}
        }
        for child in e.children() {
            self.expr(child, weight, into);
        }
    }

    fn call(&self, fun: Fun, e: &Expr, weight: f64, into: &mut Counts) {
        into.calls += weight;
        if (self.vectors)(fun, e.ty.repr) {
            into.vector_calls += weight;
        }
    }
}

fn operation(slow: bool, weight: f64, into: &mut Counts) {
    if slow {
        into.slow_ops += weight;
    } else {
        into.simple_ops += weight;
    }
}
