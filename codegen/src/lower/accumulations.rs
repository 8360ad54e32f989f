//! What statements accumulate, and whether that may fail.

use nestwise_ir::{ArrayId, BinOp, Expr, ExprKind, For, StmtKind, VarId};

/// The operation that an assignment's value ends with.
pub(crate) fn accumulation(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Bind { body, .. } => accumulation(body),
        _ => value,
    }
}

/// Whether an accumulation into the variable may fail.
pub(crate) fn variable_may_fail(l: &For, v: VarId) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::Let { var, value } = &s.kind {
                let last = accumulation(value);
                found |= *var == v && nestwise_ir::guarded::expr_may_fail(last);
            }
        });
    }
    found
}

/// Whether the variable is reduced by NumPy's minimum or maximum, in which a NaN wins.
pub(crate) fn propagates_nan(l: &For, v: VarId) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::Let { var, value } = &s.kind {
                let min_max = matches!(
                    &value.kind,
                    nestwise_ir::ExprKind::Binary {
                        op: BinOp::Min | BinOp::Max,
                        ..
                    }
                );
                found |= *var == v && min_max;
            }
        });
    }
    found
}

/// Whether an update of an element may fail.
pub(crate) fn array_may_fail(l: &For, array: ArrayId) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::Store {
                array: a, value, ..
            } = &s.kind
            {
                let last = accumulation(value);
                found |= *a == array && nestwise_ir::guarded::expr_may_fail(last);
            }
        });
    }
    found
}
