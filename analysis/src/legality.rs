//! When a rewriting keeps the meaning of a nest. Each check is its formal condition, then code that reads the
//! same.
//!
//! Events: a rewriting that changes the order of iterations also changes which event is seen first and what has
//! been written by then. That is allowed where no event can fire, or where `undo` holds: the runtime takes the
//! whole chunk back and CPython runs it from its beginning, so that order inside a chunk is never observed.

use crate::dependence::{Dir, Pair, common_loops};
use crate::forms::{AccessForm, Forms};
use crate::liveness::VarSet;
use crate::structure::{any, early_exit, find_for};
use crate::verdict::{Analysis, LoopInfo};
use nestwise_ir::events::{any_expr_may_fire, block_may_fire, expr_may_fire};
use nestwise_ir::nest::{Expr, ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, LoopId, VarId};

/// What a check may rely on.
pub struct Given<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// Its analysis.
    pub analysis: &'a Analysis,
    /// All slots are different memory.
    pub disjoint: bool,
    /// The runtime takes back a whole chunk when an event fires.
    pub undo: bool,
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

impl Given<'_> {
    fn forms(&self) -> &Forms {
        &self.analysis.forms
    }
    fn info(&self, id: LoopId) -> Option<&LoopInfo> {
        self.analysis.loop_info(id)
    }

    /// Moving the loop `band[0]` to be the innermost of the perfect band `band`, the others keeping their order.
    ///
    /// Legal iff
    ///   - the band is rectangular: no bound of a loop in it depends on anything assigned in it, and none may fire;
    ///   - the body has no jumps, and each variable it assigns is private to an iteration of the innermost loop
    ///     (and dead after), or an exact reduction in every loop of the band;
    ///   - for all accesses x, y to one element, one of them a store, no direction vector is
    ///     `(=, ..., =, <, =, ..., =, >, ...)` with `<` at `band[0]` and `>` inside the band: moved inward, `<`
    ///     would come after `>`, and y before x;
    ///   - no event can fire in the body, or `undo`.
    pub fn may_move_innermost(&self, band: &[LoopId]) -> bool {
        let Some(outer) = band.first().and_then(|id| find_for(self.nest, *id)) else {
            return false;
        };
        let body = band
            .last()
            .and_then(|id| find_for(self.nest, *id))
            .map(|l| &l.body);
        let Some(body) = body.filter(|b| !irregular(b)) else {
            return false;
        };
        self.rectangular(band)
            && self.scalars_allow(band)
            && (self.undo || !block_may_fire(self.nest, body))
            && early_exit(outer.id, &outer.body).is_none()
            && !self.reversed_by_moving(band)
    }

    fn rectangular(&self, band: &[LoopId]) -> bool {
        let loops: Option<Vec<&For>> = band.iter().map(|id| find_for(self.nest, *id)).collect();
        let Some(loops) = loops else { return false };
        let Some(first) = loops.first() else {
            return false;
        };
        let mut changed = crate::structure::assigned(&first.body);
        changed.push(first.counter);
        loops.iter().all(|l| {
            [&l.start, &l.stop, &l.step]
                .into_iter()
                .all(|e| !any_expr_may_fire(e) && invariant(e, &changed))
        })
    }

    fn scalars_allow(&self, band: &[LoopId]) -> bool {
        let Some(innermost) = band.last().and_then(|id| self.info(*id)) else {
            return false;
        };
        let exact = |v: &VarId| {
            // Of equal floats (0.0 and -0.0) the first stays.
            let float = |v: &VarId| self.nest.vars.get(*v).is_some_and(|d| d.ty.repr.is_float());
            !float(v)
                && band.iter().all(|l| {
                    self.info(*l).is_some_and(|i| {
                        i.reductions
                            .iter()
                            .any(|(r, op)| r == v && !matches!(op, RedOp::Along(_) | RedOp::Last))
                    })
                })
        };
        let body = band
            .last()
            .and_then(|id| find_for(self.nest, *id))
            .map(|l| &l.body);
        let assigned = body
            .map(|b| crate::structure::assigned(b))
            .unwrap_or_default();
        assigned.iter().all(|v| {
            innermost.private.contains(v) && !innermost.last_values.contains(v) || exact(v)
        })
    }

    fn reversed_by_moving(&self, band: &[LoopId]) -> bool {
        let Some(first) = band.first() else {
            return true;
        };
        let inside: Vec<&AccessForm> = self
            .forms()
            .accesses
            .iter()
            .flatten()
            .filter(|a| a.loops.contains(first))
            .collect();
        let tester = self.analysis.tester(self.nest);
        for x in &inside {
            for y in &inside {
                if !(x.store || y.store) {
                    continue;
                }
                if x.array != y.array {
                    if !self.disjoint {
                        return true;
                    }
                    continue;
                }
                let common = common_loops(x, y);
                let Some(level) = common.iter().position(|l| l == first) else {
                    continue;
                };
                for gap in 1..band.len() {
                    let mut dirs = vec![Dir::Eq; level];
                    dirs.push(Dir::Lt);
                    dirs.extend(vec![Dir::Eq; gap - 1]);
                    dirs.push(Dir::Gt);
                    if tester.may_meet(Pair::new(x, y), &dirs) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Moving the `Let`s that stand before the inner loop of `l` (its only other statement) into that loop.
    ///
    /// Legal iff
    ///   - their values have no event: they will be computed more often, or (no iteration) not at all;
    ///   - what they compute does not change in the inner loop: it assigns none of the variables they read or set,
    ///     and stores to no slot they load from (slots being disjoint);
    ///   - the inner loop's bounds do not read the variables they set;
    ///   - those variables are private to an iteration of `l` and dead after it.
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
                return false;
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
                && !info.last_values.contains(var)
        })
    }

    /// Keeping the element `array[index]` in a variable over the loop `l`.
    ///
    /// Legal iff
    ///   - every access to the slot in the loop has this same index, which is invariant in the loop, and none of
    ///     them is guarded (each is known to be in range when the loop runs an iteration);
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
            ok &= i.iter().zip(index).all(|(a, b)| crate::scalars::same(a, b));
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

/// Whether a loop may run as if its events were looked at only at its end, memory accesses clamped: the values
/// that a fired guard leaves behind must not reach a subscript, a loop bound, or (ints) a condition, on which
/// unguarded accesses rest.
///
/// Legal iff no set guard in the loop but those of loads and stores (a clamped load gives an ordinary element)
/// has a result that flows into such a place. A condition is no such place if nothing it compares has to do with a
/// counter, a bound or a subscript anywhere in the nest: then no proof rests on it.
pub fn sticky_safe(nest: &Nest, body: &[Stmt]) -> bool {
    let mut taint = Taint {
        vars: vec![],
        changed: true,
        safe: true,
        trunc: false,
        positions: positions(nest),
    };
    for s in body {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    taint.trunc |= matches!(
                        e.kind,
                        ExprKind::Cast {
                            kind: nestwise_ir::nest::Cast::Trunc,
                            ..
                        }
                    );
                });
            }
        });
    }
    while taint.changed {
        taint.changed = false;
        for s in body {
            s.walk(&mut |s| taint.stmt(s));
        }
    }
    taint.safe
}

struct Taint {
    vars: Vec<VarId>,
    changed: bool,
    safe: bool,
    /// Floats become ints somewhere, so floats matter too.
    trunc: bool,
    /// Variables that proofs about accesses may speak of.
    positions: VarSet,
}

/// Counters, and the variables from which subscripts, bounds and counters are computed; closed both ways: what is
/// computed from one of them (other than by loading an element there) is one too.
fn positions(nest: &Nest) -> VarSet {
    let mut set = VarSet::new(nest.vars.len());
    let mut links: Vec<(VarId, Vec<VarId>)> = vec![];
    let add = |e: &Expr, set: &mut VarSet| {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                set.insert(v);
            }
        });
    };
    nest.walk(&mut |s| {
        match &s.kind {
            StmtKind::For(l) => {
                set.insert(l.counter);
                [&l.start, &l.stop, &l.step]
                    .into_iter()
                    .for_each(|e| add(e, &mut set));
            }
            StmtKind::Store { index, .. } => index.iter().for_each(|e| add(e, &mut set)),
            StmtKind::Let { var, value } => links.push((*var, compared(value))),
            _ => {}
        }
        for e in s.exprs() {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load { index, .. } => index.iter().for_each(|e| add(e, &mut set)),
                ExprKind::Bind { var, value, .. } => links.push((*var, compared(value))),
                _ => {}
            });
        }
    });
    loop {
        let before = set.clone();
        for (var, from) in &links {
            if set.contains(*var) {
                from.iter().for_each(|v| set.insert(*v));
            } else if from.iter().any(|v| set.contains(*v)) {
                set.insert(*var);
            }
        }
        if set == before {
            return set;
        }
    }
}

/// The variables in an expression, those in the subscripts of its loads left out.
fn compared(e: &Expr) -> Vec<VarId> {
    match &e.kind {
        ExprKind::Var(v) => vec![*v],
        ExprKind::Load { .. } => vec![],
        _ => e.children().into_iter().flat_map(compared).collect(),
    }
}

impl Taint {
    fn stmt(&mut self, s: &Stmt) {
        let sinks: Vec<&Expr> = match &s.kind {
            StmtKind::Let { var, value } => {
                self.flow(*var, value);
                vec![]
            }
            StmtKind::Store { index, .. } => index.iter().collect(),
            StmtKind::If { cond, .. } => {
                self.condition(cond);
                vec![]
            }
            StmtKind::For(l) => vec![&l.start, &l.stop, &l.step],
            // Lanes leave a `while` after an event.
            StmtKind::While(l) => {
                self.condition(&l.cond);
                vec![]
            }
            // What follows a check rests on it.
            StmtKind::Check { guard, .. } => {
                self.safe &= !guard;
                vec![]
            }
            _ => vec![],
        };
        for e in sinks {
            self.safe &= !self.tainted(e);
        }
        for e in s.exprs() {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load { index, .. } => {
                    self.safe &= !index.iter().any(|i| self.tainted(i));
                }
                ExprKind::Select { cond, .. } => self.condition(cond),
                ExprKind::Bind { var, value, .. } => self.flow(*var, value),
                _ => {}
            });
        }
    }

    fn condition(&mut self, cond: &Expr) {
        let about_positions = || compared(cond).iter().any(|v| self.positions.contains(*v));
        self.safe &= !self.tainted(cond) || !self.trunc && !about_positions();
    }

    fn flow(&mut self, var: VarId, value: &Expr) {
        if self.tainted(value) && !self.vars.contains(&var) {
            self.vars.push(var);
            self.changed = true;
        }
    }

    fn tainted(&self, e: &Expr) -> bool {
        let matters = self.trunc || !(e.ty.repr.is_float() || e.ty.repr.is_complex());
        match &e.kind {
            ExprKind::Var(v) => self.vars.contains(v),
            ExprKind::Load { .. } => false,
            ExprKind::Compare { a, .. } if a.ty.repr.is_float() && !self.trunc => false,
            _ => {
                let own = matters && expr_may_fire(e);
                own || e.children().iter().any(|c| self.tainted(c))
            }
        }
    }
}
