//! Expressions and loops that rewritings make. Subscripts and bounds are computed in 128 bits, in which they are exact
//! whatever the bounds are, and cast to 64 bits where they are known to fit.

use nestwise_ir::model::nest::{
    BinOp, Cast, CmpOp, Const, Expr, ExprKind, For, LoopDecl, Nest, Stmt, StmtKind,
};
use nestwise_ir::{LoopId, Span, Ty, VarDecl, VarId};

use crate::structure::find_for;
use crate::values::affine::{Affine, Ix, Sym};

/// Makes expressions and statements that have the source position of one statement.
#[derive(Clone, Copy)]
pub(super) struct Builder {
    pub(super) span: Span,
}

impl Builder {
    fn make(self, kind: ExprKind, ty: Ty) -> Expr {
        Expr {
            kind,
            ty,
            span: self.span,
        }
    }
    fn cast(self, e: Expr, ty: Ty) -> Expr {
        let kind = ExprKind::Cast {
            kind: Cast::Value,
            a: Box::new(e),
            guard: false,
        };
        self.make(kind, ty)
    }
    /// The value of an int in 128 bits.
    pub(super) fn wide(self, e: &Expr) -> Expr {
        match e.as_int() {
            Some(v) => self.number(v),
            None => self.cast(e.clone(), Ty::PY_WIDE),
        }
    }
    /// A value of 128 bits, which 64 bits hold, as an int of 64 bits.
    pub(super) fn narrow(self, e: Expr) -> Expr {
        self.cast(e, Ty::PY_INT)
    }
    /// An int literal of 128 bits.
    pub(super) fn number(self, v: i128) -> Expr {
        self.make(ExprKind::Const(Const::Int(v)), Ty::PY_WIDE)
    }
    /// The value of a variable of this type.
    pub(super) fn value(self, v: VarId, ty: Ty) -> Expr {
        self.make(ExprKind::Var(v), ty)
    }
    /// The value of an int variable, in 64 bits.
    pub(super) fn var(self, v: VarId) -> Expr {
        self.value(v, Ty::PY_INT)
    }
    /// The value of an int variable, in 128 bits.
    pub(super) fn wide_var(self, v: VarId) -> Expr {
        self.wide(&self.var(v))
    }
    /// An operation that is exact in 128 bits.
    pub(super) fn op(self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let kind = ExprKind::Binary {
            op,
            a: Box::new(a),
            b: Box::new(b),
            guard: false,
        };
        self.make(kind, Ty::PY_WIDE)
    }
    pub(super) fn add(self, a: Expr, b: Expr) -> Expr {
        self.op(BinOp::Add, a, b)
    }
    pub(super) fn sub(self, a: Expr, b: Expr) -> Expr {
        self.op(BinOp::Sub, a, b)
    }
    /// The product of `a` and a literal.
    pub(super) fn times(self, a: Expr, factor: i128) -> Expr {
        match factor {
            1 => a,
            _ => self.op(BinOp::Mul, a, self.number(factor)),
        }
    }
    /// The result of a comparison.
    pub(super) fn compare(self, op: CmpOp, a: Expr, b: Expr) -> Expr {
        let kind = ExprKind::Compare {
            op,
            a: Box::new(a),
            b: Box::new(b),
        };
        self.make(kind, Ty::PY_BOOL)
    }
    /// The condition that two conditions hold.
    pub(super) fn both(self, a: Expr, b: Expr) -> Expr {
        let kind = ExprKind::Binary {
            op: BinOp::And,
            a: Box::new(a),
            b: Box::new(b),
            guard: false,
        };
        self.make(kind, Ty::PY_BOOL)
    }
    /// The value `then` or `orelse`, which have one type, depending on a condition.
    pub(super) fn choose(self, cond: Expr, then: Expr, orelse: Expr) -> Expr {
        let ty = then.ty;
        let kind = ExprKind::Select {
            cond: Box::new(cond),
            then: Box::new(then),
            orelse: Box::new(orelse),
        };
        self.make(kind, ty)
    }
    /// The value of a symbol that has a name, in 128 bits.
    pub(super) fn symbol(self, nest: &Nest, s: Sym) -> Option<Expr> {
        let kind = match s {
            Sym::Var(v) => return Some(self.wide(&self.value(v, nest.vars.get(v)?.ty))),
            Sym::Dim(array, axis) => ExprKind::Dim(array, axis),
            Sym::Def(_) => return None,
        };
        Some(self.wide(&self.make(kind, Ty::PY_INT)))
    }
    /// A form's value in 128 bits, for which its terms are few and small enough.
    pub(super) fn form(self, nest: &Nest, a: &Affine) -> Option<Expr> {
        let var = |v: VarId| {
            let ty = nest.vars.get(v)?.ty;
            Some(self.wide(&self.make(ExprKind::Var(v), ty)))
        };
        let mut sum: Option<Expr> = None;
        for t in a.terms() {
            let value = match (t.ix, t.syms.as_slice()) {
                (None, []) => None,
                (Some(Ix::Counter(l)), []) => Some(var(find_for(nest, l)?.counter)?),
                (None, [s]) => Some(self.symbol(nest, *s)?),
                _ => return None,
            };
            let term = match value {
                Some(v) => self.times(v, t.coef),
                None => self.number(t.coef),
            };
            sum = Some(match sum {
                Some(sum) => self.add(sum, term),
                None => term,
            });
        }
        Some(sum.unwrap_or_else(|| self.number(0)))
    }
    /// The statement `var = value`.
    pub(super) fn set(self, var: VarId, value: Expr) -> Stmt {
        let kind = StmtKind::Let { var, value };
        Stmt {
            kind,
            span: self.span,
        }
    }
    /// The statement `if cond: then else: orelse`.
    pub(super) fn either(self, cond: Expr, then: Stmt, orelse: Stmt) -> Stmt {
        let kind = StmtKind::If {
            cond,
            then: vec![then],
            orelse: vec![orelse],
        };
        Stmt {
            kind,
            span: self.span,
        }
    }
    /// The statement of a loop.
    pub(super) fn repeat(self, l: For) -> Stmt {
        Stmt {
            kind: StmtKind::For(l),
            span: self.span,
        }
    }
}

/// Declares a variable without a name in the source, of 64-bit ints.
pub(super) fn hidden(nest: &mut Nest) -> VarId {
    hidden_of(nest, Ty::PY_INT)
}

/// Declares a variable without a name in the source, of this type.
pub(super) fn hidden_of(nest: &mut Nest, ty: Ty) -> VarId {
    nest.vars.push(VarDecl {
        name: String::new(),
        ty,
        live_in: None,
        range: None,
        np_tag: None,
    })
}

/// Declares one more loop like `of`.
pub(super) fn like(nest: &mut Nest, of: LoopId) -> Option<LoopId> {
    let decl: LoopDecl = nest.loops.get(of)?.clone();
    Some(nest.loops.push(decl))
}

/// Renames a variable wherever it is read or assigned, except as a counter.
pub(super) fn rename(s: &mut Stmt, from: VarId, to: VarId) {
    let other = |v: &mut VarId| {
        if *v == from {
            *v = to;
        }
    };
    fn expr(e: &mut Expr, other: &impl Fn(&mut VarId)) {
        if let ExprKind::Var(v) | ExprKind::Bind { var: v, .. } = &mut e.kind {
            other(v);
        }
        e.children_mut().into_iter().for_each(|c| expr(c, other));
    }
    if let StmtKind::Let { var, .. } = &mut s.kind {
        other(var);
    }
    s.exprs_mut().into_iter().for_each(|e| expr(e, &other));
    for block in s.blocks_mut() {
        block.iter_mut().for_each(|s| rename(s, from, to));
    }
}
