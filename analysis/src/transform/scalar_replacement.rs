//! Scalar replacement: an element that an innermost loop keeps storing is held in a variable over that loop.
//!
//! ```text
//! for k in range(n):                t = a[i]
//!     a[i] = a[i] + b[k]    =>      for k in range(n):
//!                                       t = t + b[k]
//!                                   a[i] = t
//! ```
//!
//! The new statements run only `if` the loop has an iteration, unless that is known: without one there may be no such
//! element.
//!
//! Source: Callahan, Carr and Kennedy, Improving register allocation for subscripted variables, 1990.

use nestwise_ir::guarded::{any_expr_may_fail, block_may_fail};
use nestwise_ir::model::nest::{Access, Cast, Expr, ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::verifier::verify_after;
use nestwise_ir::{AccessId, ArrayId, CmpOp, IdSet, LoopId, Ty, VarDecl, VarId};

use crate::parallelism::legality::Given;
use crate::structure::{any, assigned, invariant, irregular, may_fail, same};
use crate::transform::rewritten::{compact, splice_for};

impl Given<'_> {
    /// Whether the element `array[index]` may be kept in a variable over the loop `l`.
    ///
    /// Legal iff
    ///   - every access to the slot in `l` has one and the same index, which is invariant in `l`, and none has a guard:
    ///     each is known to be in range whenever `l` runs an iteration, and rests on no check inside;
    ///   - no other slot shares memory with the slot;
    ///   - a store is executed in every iteration: it stands in the block of `l` itself, and nothing jumps;
    ///   - the bounds of `l` read no memory and have no guard, so that they may be evaluated once more;
    ///   - no guard in `l` can fail (memory would lack the stores so far), or `undo`;
    ///   - elements are stored as they are computed: the store does not narrow them.
    pub fn may_replace_scalar(&self, l: &For, array: ArrayId) -> bool {
        let Some(decl) = self.nest.arrays.get(array) else {
            return false;
        };
        if !self.disjoint
            || irregular(&l.body)
            || may_fail(&l.body)
            || (!self.undo && block_may_fail(self.nest, &l.body))
        {
            return false;
        }
        if decl.storage != decl.elem.repr || decl.storage == nestwise_ir::Scalar::Num {
            return false;
        }
        let assigned: Vec<VarId> = assigned(&l.body).into_iter().chain([l.counter]).collect();
        let bounds = [&l.start, &l.stop, &l.step]
            .into_iter()
            .all(|e| !any_expr_may_fail(e) && invariant(e, &[]));
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
            .all(|e| invariant(e, assigned) && !any_expr_may_fail(e))
        {
            return false;
        }
        let mut ok = true;
        let mut check = |i: &[Expr], guard: bool| {
            ok &= !guard && i.len() == index.len();
            ok &= i.iter().zip(index).all(|(a, b)| same(a, b));
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

/// The nest with every element that an innermost loop keeps storing held in a variable over that loop, if there is one
/// that may be. `nonempty` are the loops that are known to run whenever they are entered.
pub fn replace_scalars(given: &Given<'_>, nonempty: IdSet<LoopId>) -> Option<Nest> {
    let mut todo: Vec<(LoopId, ArrayId)> = vec![];
    given.nest.walk(&mut |s| {
        let StmtKind::For(l) = &s.kind else { return };
        // The top loop has to stay the top statement.
        let innermost = l.id != LoopId(0)
            && !any(&l.body, &mut |s| {
                matches!(s.kind, StmtKind::For(_) | StmtKind::While(_))
            });
        for s in l.body.iter().filter(|_| innermost) {
            if let StmtKind::Store { array, .. } = s.kind
                && !todo.contains(&(l.id, array))
                && given.may_replace_scalar(l, array)
            {
                todo.push((l.id, array));
            }
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    for (id, array) in todo {
        let runs = nonempty.contains(id);
        replace_one(&mut nest, id, array, runs);
    }
    compact(&mut nest);
    verify_after("scalar replacement", &nest);
    Some(nest)
}

fn replace_one(nest: &mut Nest, id: LoopId, array: ArrayId, runs: bool) {
    let Some(decl) = nest.arrays.get(array) else {
        return;
    };
    let elem = decl.elem;
    let hidden = VarDecl {
        name: String::new(),
        ty: elem,
        live_in: None,
        range: None,
        np_tag: None,
    };
    let var = nest.vars.push(hidden);
    // A load that stands before the loop needs an access of its own where the loop only stores.
    let fresh = nest.accesses.push(Access {
        array,
        store: false,
        span: Default::default(),
    });
    let home = Home {
        array,
        var,
        elem,
        load: fresh,
    };
    splice_for(std::slice::from_mut(&mut nest.top), id, &mut |s| {
        home.around(s, runs)
    });
}

/// The variable that holds a replaced element.
struct Home {
    array: ArrayId,
    var: VarId,
    elem: Ty,
    /// The number of the load before the loop.
    load: AccessId,
}

impl Home {
    /// Turns `for ...: A[i] = f(A[i])` into `t = A[i]; for ...: t = f(t); A[i] = t`, all of it under `if start < stop`
    /// unless the loop is known to run: without an iteration there may be no such element. The condition is left out
    /// where it can be, since a variable assigned under a condition counts as perhaps not assigned.
    fn around(&self, mut s: Stmt, runs: bool) -> Vec<Stmt> {
        let span = s.span;
        let StmtKind::For(l) = &mut s.kind else {
            return vec![s];
        };
        let mut found: Option<(AccessId, Vec<Expr>)> = None;
        let mut loaded = false;
        for stmt in &mut l.body {
            replace_in(stmt, self, &mut found, &mut loaded);
        }
        let Some((store, index)) = found else {
            return vec![s];
        };
        let some = has_iterations(l, span);
        let make = |kind| Stmt { kind, span };
        let expr = |kind, ty| Expr { kind, ty, span };
        let (array, var, elem) = (self.array, self.var, self.elem);
        let mut all = vec![];
        if loaded {
            let load = ExprKind::Load {
                access: self.load,
                array,
                index: index.clone(),
                guard: false,
            };
            let value = expr(load, elem);
            all.push(make(StmtKind::Let { var, value }));
        }
        all.push(s);
        all.push(make(StmtKind::Store {
            access: store,
            array,
            index,
            value: expr(ExprKind::Var(var), elem),
            guard: false,
        }));
        if runs {
            return all;
        }
        vec![make(StmtKind::If {
            cond: some,
            then: all,
            orelse: vec![],
        })]
    }
}

/// The condition that a loop with a constant step runs at least once.
fn has_iterations(l: &For, span: nestwise_ir::Span) -> Expr {
    let up = l.step.as_int().is_none_or(|v| v > 0);
    let op = if up { CmpOp::Lt } else { CmpOp::Gt };
    let (a, b) = (Box::new(l.start.clone()), Box::new(l.stop.clone()));
    Expr {
        kind: ExprKind::Compare { op, a, b },
        ty: Ty::PY_BOOL,
        span,
    }
}

fn replace_in(
    s: &mut Stmt,
    to: &Home,
    home: &mut Option<(AccessId, Vec<Expr>)>,
    loaded: &mut bool,
) {
    let (array, var, elem) = (to.array, to.var, to.elem);
    for e in s.exprs_mut() {
        replace_loads(e, array, var, loaded);
    }
    if let StmtKind::Store {
        access,
        array: a,
        index,
        value,
        ..
    } = &mut s.kind
        && *a == array
    {
        let span = value.span;
        let value = std::mem::replace(value, Expr::int(0, span));
        let value = if value.ty == elem {
            value
        } else {
            // One representation, another provenance: nothing is computed.
            let kind = ExprKind::Cast {
                kind: Cast::Value,
                a: Box::new(value),
                guard: false,
            };
            Expr {
                kind,
                ty: elem,
                span,
            }
        };
        if home.is_none() {
            *home = Some((*access, std::mem::take(index)));
        }
        s.kind = StmtKind::Let { var, value };
    }
    for b in s.blocks_mut() {
        for s in b {
            replace_in(s, to, home, loaded);
        }
    }
}

fn replace_loads(e: &mut Expr, array: ArrayId, var: VarId, loaded: &mut bool) {
    if let ExprKind::Load { array: a, .. } = &e.kind
        && *a == array
    {
        *loaded = true;
        e.kind = ExprKind::Var(var);
        return;
    }
    for c in e.children_mut() {
        replace_loads(c, array, var, loaded);
    }
}
