//! The values of ints at a point of a nest, as forms, and what conditions on a counter become in a part of a loop.

use std::collections::HashMap;

use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind, For, Stmt, StmtKind};
use nestwise_ir::{BinOp, CmpOp, LoopId, Prov, UnOp, VarId};

use crate::parallelism::legality::Given;
use crate::structure::{Classes, assigned, for_each_assigned};
use crate::transform::index_set_splitting::cut::{Cut, Part};
use crate::values::affine::{Affine, Ix, Sym};
use crate::values::interval::Interval;
use crate::values::walk::is_int;

/// The values of int variables at one point of a nest: those of `known`, and the values before the nest for variables
/// that it does not assign.
#[derive(Clone)]
pub(crate) struct Values {
    /// The variables that the nest assigns, sorted.
    changed: Vec<VarId>,
    permuted: Vec<bool>,
    known: HashMap<VarId, Affine>,
}

impl Values {
    /// The values at the beginning of any iteration of a loop, as far as they are the same each time; `None` if the
    /// loop cannot be found.
    pub(crate) fn before(given: &Given<'_>, l: &For) -> Option<Values> {
        let nest = given.nest;
        let classes = Classes::of(nest);
        let mut values = Values {
            changed: assigned(std::slice::from_ref(&nest.top)),
            permuted: nest.arrays.ids().map(|a| classes.permuted(a)).collect(),
            known: HashMap::new(),
        };
        nest.prologue.iter().for_each(|s| values.pass(s));
        let found = values.reach(std::slice::from_ref(&nest.top), l.id);
        found.then_some(values)
    }

    /// Goes on to the loop; the values are then those at the beginning of any of its iterations. False: it is not in
    /// `block`.
    fn reach(&mut self, block: &[Stmt], id: LoopId) -> bool {
        for s in block {
            if let StmtKind::For(l) = &s.kind
                && l.id == id
            {
                self.enter(l);
                return true;
            }
            let here = std::slice::from_ref(s);
            let inside = crate::structure::any(
                here,
                &mut |s| matches!(&s.kind, StmtKind::For(l) if l.id == id),
            );
            if !inside {
                self.pass(s);
                continue;
            }
            match &s.kind {
                StmtKind::For(l) => self.enter(l),
                StmtKind::While(_) => self.forget(s),
                _ => {}
            }
            return s.blocks().any(|b| self.reach(b, id));
        }
        false
    }

    /// Goes on to the beginning of any iteration of a loop.
    fn enter(&mut self, l: &For) {
        l.body.iter().for_each(|s| self.forget(s));
        self.known.insert(l.counter, Affine::ix(Ix::Counter(l.id)));
    }

    fn forget(&mut self, s: &Stmt) {
        for_each_assigned(s, &mut |v| {
            self.known.remove(&v);
        });
    }

    /// Goes on to the point behind a statement.
    fn pass(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Let { var, value } => self.assign(*var, value),
            _ => self.forget(s),
        }
    }

    fn assign(&mut self, var: VarId, value: &Expr) {
        let form = self.linear(value).filter(|_| is_int(value.ty));
        match form {
            Some(form) => self.known.insert(var, form),
            None => self.known.remove(&var),
        };
    }

    /// The value of an int expression, if no guard fails.
    fn linear(&self, e: &Expr) -> Option<Affine> {
        if !is_int(e.ty) {
            return None;
        }
        // An unguarded operation on NumPy's ints may wrap.
        let exact = |guard: bool| (guard || e.ty.prov == Prov::Py).then_some(());
        match &e.kind {
            ExprKind::Const(Const::Int(v)) => Some(Affine::constant(*v)),
            ExprKind::Var(v) => self.known.get(v).cloned().or_else(|| {
                let fixed = self.changed.binary_search(v).is_err();
                fixed.then(|| Affine::sym(Sym::Var(*v)))
            }),
            ExprKind::Dim(a, axis) => {
                let fixed = !self.permuted.get(a.index()).copied().unwrap_or(true);
                fixed.then(|| Affine::sym(Sym::Dim(*a, *axis)))
            }
            ExprKind::Cast {
                kind: Cast::Value,
                a,
                guard,
            } => {
                exact(*guard)?;
                self.linear(a)
            }
            ExprKind::Unary {
                op: UnOp::Neg,
                a,
                guard,
            } => {
                exact(*guard)?;
                self.linear(a)?.neg()
            }
            ExprKind::Binary { op, a, b, guard } => {
                exact(*guard)?;
                let (x, y) = (self.linear(a)?, self.linear(b)?);
                match op {
                    BinOp::Add => x.add(&y),
                    BinOp::Sub => x.sub(&y),
                    BinOp::Mul => x.mul(&y),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The forms that conditions in the loop compare with zero.
    pub(crate) fn conditions(&self, l: &For) -> Vec<Affine> {
        let mut looker = Folder {
            values: self.clone(),
            side: None,
            seen: vec![],
        };
        looker.block(&mut l.body.clone());
        looker.seen
    }

    /// The loop's body for the iterations of a part, without the conditions that this decides.
    pub(crate) fn body(&self, l: &For, cut: &Cut, part: Part) -> Vec<Stmt> {
        let mut folder = Folder {
            values: self.clone(),
            side: Some((cut, part, Ix::Counter(l.id))),
            seen: vec![],
        };
        let mut body = l.body.clone();
        folder.block(&mut body);
        body
    }
}

/// Simplifies statements in their order.
struct Folder<'a> {
    values: Values,
    /// The part of the loop, and the loop's counter.
    side: Option<(&'a Cut, Part, Ix)>,
    /// The differences of the operands of comparisons.
    seen: Vec<Affine>,
}

impl Folder<'_> {
    fn block(&mut self, block: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(block.len());
        for mut s in std::mem::take(block) {
            if let StmtKind::While(l) = &mut s.kind {
                // What its condition says holds in no iteration but the first.
                l.body.iter().for_each(|s| self.values.forget(s));
            }
            s.exprs_mut().into_iter().for_each(|e| self.expr(e));
            match &mut s.kind {
                StmtKind::If { cond, then, orelse } => {
                    if let Some(taken) = truth(cond) {
                        let side = if taken { then } else { orelse };
                        self.block(side);
                        out.append(side);
                        continue;
                    }
                    self.branches(then, orelse);
                }
                StmtKind::Let { var, value } => self.values.assign(*var, value),
                StmtKind::For(l) => {
                    self.values.enter(l);
                    self.block(&mut l.body);
                    self.values.forget(&s);
                }
                StmtKind::While(l) => {
                    self.block(&mut l.body);
                    self.values.forget(&s);
                }
                _ => {}
            }
            out.push(s);
        }
        *block = out;
    }

    fn branches(&mut self, then: &mut Vec<Stmt>, orelse: &mut Vec<Stmt>) {
        let before = self.values.clone();
        let changed = [assigned(then), assigned(orelse)].concat();
        self.block(then);
        self.values = before.clone();
        self.block(orelse);
        self.values = before;
        changed.iter().for_each(|v| {
            self.values.known.remove(v);
        });
    }

    /// Simplifies an expression, its operands first.
    fn expr(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Select { cond, then, orelse } => {
                self.expr(cond);
                self.expr(then);
                self.expr(orelse);
                if let Some(taken) = truth(cond) {
                    let side = if taken { then } else { orelse };
                    let nothing = Expr::int(0, e.span);
                    *e = std::mem::replace(&mut **side, nothing);
                }
                return;
            }
            ExprKind::Bind { var, value, body } => {
                self.expr(value);
                self.values.assign(*var, value);
                self.expr(body);
                self.values.known.remove(var);
                return;
            }
            _ => e.children_mut().into_iter().for_each(|c| self.expr(c)),
        }
        let decided = match &e.kind {
            ExprKind::Compare { op, a, b } if !any_expr_may_fail(a) && !any_expr_may_fail(b) => {
                let (op, gap) = (*op, self.values.linear(a).zip(self.values.linear(b)));
                gap.and_then(|(x, y)| x.sub(&y))
                    .and_then(|gap| self.compare(op, gap))
            }
            ExprKind::Unary {
                op: UnOp::Not, a, ..
            } => truth(a).map(|v| !v),
            _ => None,
        };
        if let Some(v) = decided {
            *e = Expr::constant(Const::Bool(v), e.ty, e.span);
        }
    }

    /// Whether `gap op 0` holds everywhere in the part (`true`) or nowhere (`false`); `None` if neither is known.
    fn compare(&mut self, op: CmpOp, gap: Affine) -> Option<bool> {
        let Some((cut, part, counter)) = self.side else {
            self.seen.push(gap);
            return None;
        };
        // With `side = divisor * counter - at`, whose sign the part tells, `divisor * gap = coef * side + rest`.
        let coef = gap.const_coef(counter)?;
        let side = Affine::ix(counter).scale(cut.divisor)?.sub(&cut.at)?;
        let rest = gap.scale(cut.divisor)?.sub(&side.scale(coef)?)?;
        let range = Interval::point(coef)
            .mul(part.sign())
            .add(Interval::point(rest.as_constant()?));
        let (below, above) = (range.hi < 0, range.lo > 0);
        match op {
            CmpOp::Lt if below || range.lo >= 0 => Some(below),
            CmpOp::Ge if below || range.lo >= 0 => Some(!below),
            CmpOp::Gt if above || range.hi <= 0 => Some(above),
            CmpOp::Le if above || range.hi <= 0 => Some(!above),
            CmpOp::Eq | CmpOp::Ne if below || above => Some(op == CmpOp::Ne),
            CmpOp::Eq | CmpOp::Ne if range.as_point() == Some(0) => Some(op == CmpOp::Eq),
            _ => None,
        }
    }
}

fn truth(e: &Expr) -> Option<bool> {
    match e.kind {
        ExprKind::Const(Const::Bool(v)) => Some(v),
        _ => None,
    }
}
