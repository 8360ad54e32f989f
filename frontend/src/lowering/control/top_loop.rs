//! The bounds of the top loop.
//!
//! A nest runs in chunks of iterations of the top loop, so the loop's bounds must be known before any native code runs:
//! from ints and extents. Where they are not (they read arrays, or convert floats), the loop becomes the only statement
//! of a `while` with one iteration, and is an inner loop like any other.

use nestwise_ir::model::nest::{Cast, Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{BinOp, Fun, Lib, Scalar, Span, UnOp, WithSpan};

use crate::lowering::build;
use crate::refusal::{R, Refusal, refuse};

/// Whether the statements before the top loop, and its bounds, can be computed from ints and extents.
pub(crate) fn known_before(blocks: &[Vec<Stmt>], bounds: &[&Expr]) -> bool {
    let simple = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Let { value, .. } => from_ints(value),
        StmtKind::Check { cond, .. } => from_ints(cond),
        _ => false,
    };
    blocks.iter().flatten().all(simple) && bounds.iter().all(|e| from_ints(e))
}

/// Whether an expression is one that `nestwise_analysis::values::eval` evaluates: of ints, and of floats where all
/// implementations agree.
fn from_ints(e: &Expr) -> bool {
    let mut simple = true;
    e.walk(&mut |e| {
        let int = e.ty.repr.is_int() || e.ty.repr == Scalar::Bool;
        let float = e.ty.repr == Scalar::F64;
        simple &= match &e.kind {
            ExprKind::Unary { op, .. } => match op {
                UnOp::Neg | UnOp::Abs => int || float,
                UnOp::Not | UnOp::Invert => int,
                _ => false,
            },
            ExprKind::Binary { op, .. } => match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul => int || float,
                BinOp::Div => float,
                _ => int,
            },
            ExprKind::Cast { kind, .. } => match kind {
                Cast::Value => int || float,
                Cast::Truth | Cast::Trunc => int,
                _ => false,
            },
            ExprKind::Call { fun, lib, .. } => {
                let exact = matches!(
                    fun,
                    Fun::Sqrt | Fun::Floor | Fun::Ceil | Fun::Trunc | Fun::Rint | Fun::Fabs
                );
                exact && *lib == Lib::C && float
            }
            ExprKind::Bind { .. } => int,
            ExprKind::Load { .. } => false,
            _ => int || float,
        };
    });
    simple
}

/// Whether a bound is better evaluated once, so that analyses of subscripts see a variable.
pub(crate) fn is_computed(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Cast { .. }));
    found
}

/// Removes the checks from the statements before the top loop, where none may stand; returns them and `failed` as one
/// condition.
pub(crate) fn take_checks(blocks: &mut [Vec<Stmt>], failed: Option<Expr>) -> Option<Expr> {
    let mut all = failed;
    for block in blocks {
        block.retain(|stmt| {
            let StmtKind::Check { cond, .. } = &stmt.kind else {
                return true;
            };
            let cond = cond.clone();
            all = Some(match all.take() {
                Some(before) => build::and(before, cond),
                None => cond,
            });
            false
        });
    }
    all
}

/// The refusal that ends a round which found that the bounds are not known before; the next round wraps the loop.
pub(crate) fn not_before(span: Span) -> WithSpan<Refusal> {
    let what = "what the bounds of this loop need".into();
    refuse(span, Refusal::Unsupported { what })
}

/// Refuses a nest with anything before its top loop but assignments that read no array: its trip count must be known
/// before native code runs.
pub(crate) fn refuse_unknown(prologue: &[Stmt]) -> R<()> {
    let known =
        |kind: &StmtKind| matches!(kind, StmtKind::Let { value, .. } if !build::loads(value));
    match prologue.iter().find(|stmt| !known(&stmt.kind)) {
        None => Ok(()),
        Some(stmt) => Err(not_before(stmt.span)),
    }
}
