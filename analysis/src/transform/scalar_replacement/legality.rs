//! Moving single statements: into a loop, or out of one.

use nestwise_ir::guarded::{any_expr_may_fire, block_may_fire};
use nestwise_ir::model::nest::{Expr, ExprKind, For, Stmt, StmtKind};
use nestwise_ir::{ArrayId, VarId};

use crate::parallelism::legality::Given;
use crate::structure::{any, invariant, irregular};

/// Whether a statement is a check that is known not to fail.
pub fn is_nothing(s: &Stmt) -> bool {
    matches!(&s.kind, StmtKind::Check { cond, guard: false } if !any_expr_may_fire(cond))
}

/// Whether a check stands in a block that may fail: accesses behind it rest on it.
pub fn may_fail(block: &[Stmt]) -> bool {
    any(block, &mut |s| {
        matches!(s.kind, StmtKind::Check { guard: true, .. })
    })
}

impl Given<'_> {
    /// Moving the `Let`s that stand before the inner loop of `l` (with checks that cannot fail its only other statements)
    /// into that loop.
    ///
    /// Legal iff
    ///   - their values have no event: they will be computed more often, or (no iteration) not at all;
    ///   - what they compute does not change in the inner loop: it assigns none of the variables they read or set,
    ///     and stores to no slot they load from (slots being disjoint);
    ///   - the inner loop's bounds do not read the variables they set;
    ///   - those variables are private to an iteration of `l`, and dead after it or assigned all the same: the inner
    ///     loop is known to run.
    pub fn may_sink(&self, l: &For) -> bool {
        let Some((
            Stmt {
                kind: StmtKind::For(inner),
                ..
            },
            lets,
        )) = l.body.split_last()
        else {
            return false;
        };
        let Some(info) = self
            .info(l.id)
            .filter(|_| !lets.is_empty() && self.disjoint)
        else {
            return false;
        };
        let mut changed = crate::structure::assigned(&inner.body);
        changed.push(inner.counter);
        let stores = |a: ArrayId| {
            any(
                &inner.body,
                &mut |s| matches!(s.kind, StmtKind::Store { array, .. } if array == a),
            )
        };
        lets.iter().all(|s| {
            let StmtKind::Let { var, value } = &s.kind else {
                return is_nothing(s);
            };
            let mut ok = !any_expr_may_fire(value) && !changed.contains(var);
            value.walk(&mut |e| {
                ok &= match &e.kind {
                    ExprKind::Var(v) => !changed.contains(v),
                    ExprKind::Load { array, .. } => !stores(*array),
                    ExprKind::Bind { .. } => false,
                    _ => true,
                };
            });
            let bounds = [&inner.start, &inner.stop, &inner.step];
            ok && bounds.into_iter().all(|e| invariant(e, &[*var]))
                && info.private.contains(var)
                && (!info.last_values.contains(var) || self.runs(inner.id))
        })
    }

    /// Keeping the element `array[index]` in a variable over the loop `l`.
    ///
    /// Legal iff
    ///   - every access to the slot in the loop has this same index, which is invariant in the loop, and none of
    ///     them is guarded (each is known to be in range when the loop runs an iteration: none rests on a check inside);
    ///   - no other slot overlaps it in memory;
    ///   - a store is executed in every iteration: it stands in the loop's own block, and nothing jumps;
    ///   - the loop's bounds read no memory and cannot fire, so that they may be evaluated once more;
    ///   - an event in the loop (after which memory lacks the stores so far) is undone, or cannot fire;
    ///   - elements are stored as they are computed (no narrowing in the store).
    pub fn may_promote(&self, l: &For, array: ArrayId) -> bool {
        let Some(decl) = self.nest.arrays.get(array) else {
            return false;
        };
        if !self.disjoint
            || irregular(&l.body)
            || may_fail(&l.body)
            || (!self.undo && block_may_fire(self.nest, &l.body))
        {
            return false;
        }
        if decl.storage != decl.elem.repr || decl.storage == nestwise_ir::Scalar::Num {
            return false;
        }
        let assigned: Vec<VarId> = crate::structure::assigned(&l.body)
            .into_iter()
            .chain([l.counter])
            .collect();
        let bounds = [&l.start, &l.stop, &l.step]
            .into_iter()
            .all(|e| !any_expr_may_fire(e) && invariant(e, &[]));
        bounds && l.step.as_int().is_some() && self.one_element(l, array, &assigned)
    }

    fn one_element(&self, l: &For, array: ArrayId, assigned: &[VarId]) -> bool {
        let stored = l.body.iter().find_map(|s| match &s.kind {
            StmtKind::Store {
                array: a, index, ..
            } if *a == array => Some(index),
            _ => None,
        });
        let Some(index) = stored else { return false };
        if !index
            .iter()
            .all(|e| invariant(e, assigned) && !any_expr_may_fire(e))
        {
            return false;
        }
        let mut ok = true;
        let mut check = |i: &[Expr], guard: bool| {
            ok &= !guard && i.len() == index.len();
            ok &= i
                .iter()
                .zip(index)
                .all(|(a, b)| crate::structure::same(a, b));
        };
        for s in &l.body {
            s.walk(&mut |s| {
                if let StmtKind::Store {
                    array: a,
                    index,
                    guard,
                    ..
                } = &s.kind
                    && *a == array
                {
                    check(index, *guard);
                }
                for e in s.exprs() {
                    e.walk(&mut |e| {
                        if let ExprKind::Load {
                            array: a,
                            index,
                            guard,
                            ..
                        } = &e.kind
                            && *a == array
                        {
                            check(index, *guard);
                        }
                    });
                }
            });
        }
        ok
    }
}
