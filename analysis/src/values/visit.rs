//! The walk over expressions: their forms, their guards, and what conditions say.

use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind};
use nestwise_ir::{ArrayId, BinOp, CmpOp, Prov, Scalar, Ty, UnOp};

use crate::values::affine::{Affine, Sym};
use crate::values::forms::{Extents, FactKind, Facts, Form, GuardForm, Op};
use crate::values::interval::Interval;
use crate::values::transfer::DIM_MAX;
use crate::values::walk::{Walker, is_int};

/// The form of a value of which nothing is known, such as a float.
const NOTHING: Form = Form::Range(Interval::ALL);
/// The interval of the integers that are not negative.
const NATURAL: Interval = Interval {
    lo: 0,
    hi: i128::MAX,
};

/// The facts of a condition that forms cannot express.
fn opaque() -> Facts {
    vec![(Affine::default(), FactKind::Opaque)]
}

impl Walker<'_> {
    /// Visits an expression once in program order; returns its form, if it is an int.
    pub(crate) fn visit(&mut self, e: &Expr) -> Form {
        let form = match &e.kind {
            ExprKind::Const(Const::Int(v)) => Form::Aff(Affine::constant(*v)),
            ExprKind::Const(Const::Bool(b)) => Form::Range(Interval::point((*b).into())),
            ExprKind::Const(_) => NOTHING,
            ExprKind::Var(v) if self.int_var(*v) => Form::Aff(self.get(*v)),
            ExprKind::Var(_) => self.of_type(e.ty),
            ExprKind::Dim(a, k) => self.extent(*a, *k),
            ExprKind::Load {
                access,
                array,
                index,
                guard,
            } => {
                let forms: Vec<Form> = index.iter().map(|i| self.visit(i)).collect();
                self.access(*access, *array, false, *guard, forms);
                if *guard {
                    self.guard(crate::guards::expr_key(e), GuardForm::Index(*access));
                }
                let range = crate::values::transfer::loaded(self.nest, *array, e.ty);
                if self.is_constant(*array) {
                    Form::Content(*array, *access, range)
                } else {
                    Form::Range(range)
                }
            }
            ExprKind::Unary { op, a, guard } => {
                let a = self.visit(a);
                self.unary(e, *op, a, *guard)
            }
            ExprKind::Binary { op, a, b, guard } => {
                let (x, y) = (self.visit(a), self.visit(b));
                self.binary(e, *op, (x, a), (y, b), *guard)
            }
            ExprKind::Compare { a, b, .. } => {
                self.visit(a);
                self.visit(b);
                self.of_type(e.ty)
            }
            ExprKind::Select { cond, then, orelse } => self.select(e, cond, then, orelse),
            ExprKind::Cast { kind, a, guard } => {
                let form = self.visit(a);
                self.cast(e, *kind, a.ty, form, *guard)
            }
            ExprKind::Call { args, .. } | ExprKind::HostCall { args, .. } => {
                for a in args {
                    self.visit(a);
                }
                self.of_type(e.ty)
            }
            ExprKind::Bind { var, value, body } => {
                let value = self.visit(value);
                if self.int_var(*var) {
                    let value = self.named(value, Some(*var));
                    self.set(*var, value);
                }
                self.visit(body)
            }
        };
        if is_int(e.ty) || e.ty.repr == Scalar::Bool {
            form
        } else {
            NOTHING
        }
    }

    /// Whether a launch can know the values of a slot's elements: nothing writes them, and the slot swaps no arrays.
    fn is_constant(&self, array: ArrayId) -> bool {
        let decl = self.nest.arrays.get(array);
        decl.is_some_and(|a| !a.written && a.storage.is_int()) && !self.classes.permuted(array)
    }

    fn of_type(&self, ty: Ty) -> Form {
        Form::Range(Interval::of_type(ty.repr))
    }

    fn extent(&mut self, a: ArrayId, axis: u32) -> Form {
        if !self.classes.permuted(a) {
            return Form::Aff(Affine::sym(Sym::Dim(a, axis)));
        }
        match self.extents {
            Extents::Opaque => Form::Range(Interval { lo: 0, hi: DIM_MAX }),
            Extents::Shared => {
                self.out.assumes_equal_extents = true;
                Form::Aff(Affine::sym(Sym::Dim(self.classes.rep(a), axis)))
            }
        }
    }

    /// The form of an operation whose exact result is `exact`.
    fn result(&self, e: &Expr, guard: bool, exact: Form) -> Form {
        let range = Interval::of_type(e.ty.repr);
        if !guard && e.ty.prov != Prov::Py {
            // An unguarded operation on NumPy's ints may wrap.
            return Form::Range(range);
        }
        match exact {
            f @ Form::Aff(_) => f,
            f => Form::Op(Op::Clamp(range), vec![f]),
        }
    }

    fn unary(&mut self, e: &Expr, op: UnOp, a: Form, guard: bool) -> Form {
        if !is_int(e.ty) {
            return self.of_type(e.ty);
        }
        let exact = match op {
            UnOp::Neg => match a.affine().and_then(Affine::neg) {
                Some(n) => Form::Aff(n),
                None => Form::Op(Op::Neg, vec![a]),
            },
            UnOp::Abs => Form::Op(Op::Abs, vec![a]),
            // ~x is -x - 1.
            UnOp::Invert if e.ty.repr.is_signed() => {
                match a
                    .affine()
                    .and_then(Affine::neg)
                    .and_then(|n| n.add_const(-1))
                {
                    Some(n) => return Form::Aff(n),
                    None => return self.of_type(e.ty),
                }
            }
            _ => return self.of_type(e.ty),
        };
        if guard {
            let fits = GuardForm::Fits(exact.clone(), Interval::of_type(e.ty.repr));
            self.guard(crate::guards::expr_key(e), fits);
        }
        self.result(e, guard, exact)
    }

    fn binary(
        &mut self,
        e: &Expr,
        op: BinOp,
        a: (Form, &Expr),
        b: (Form, &Expr),
        guard: bool,
    ) -> Form {
        let address = crate::guards::expr_key(e);
        if !is_int(e.ty) {
            if guard && op == BinOp::Div {
                self.float_divisor(address, b.1);
            }
            return self.of_type(e.ty);
        }
        let range = Interval::of_type(e.ty.repr);
        let exact = self.exact(op, &a.0, &b.0);
        let (x, y) = (a.0, b.0);
        match op {
            _ if !guard => {}
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                // A quarter of the range: then differences of two values fit as well, and sums that threads
                // build in parts, each from zero.
                let room = Interval {
                    lo: range.lo / 4,
                    hi: range.hi / 4,
                };
                self.guard(address, GuardForm::Fits(exact.clone(), room));
            }
            BinOp::FloorDiv | BinOp::Mod => {
                let fits = (op == BinOp::FloorDiv).then(|| (exact.clone(), range));
                let min = if e.ty.repr.is_signed() {
                    range.lo
                } else {
                    i128::MIN
                };
                let form = GuardForm::Divisor {
                    dividend: x,
                    divisor: y,
                    min,
                    fits,
                };
                self.guard(address, form);
            }
            BinOp::Pow => {
                let parts = vec![(y, NATURAL), (exact.clone(), range)];
                self.guard(address, GuardForm::AllIn(parts));
            }
            BinOp::Shl => {
                let amount = Interval::new(0, i128::from(e.ty.repr.bits()) - 1);
                let parts = vec![(y, amount), (exact.clone(), range)];
                self.guard(address, GuardForm::AllIn(parts));
            }
            BinOp::Shr => self.guard(address, GuardForm::AllIn(vec![(y, NATURAL)])),
            _ => {}
        }
        let total = matches!(
            op,
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max
        );
        self.result(e, guard || total, exact)
    }

    fn exact(&self, op: BinOp, a: &Form, b: &Form) -> Form {
        let affine = match (op, a.affine(), b.affine()) {
            (BinOp::Add, Some(x), Some(y)) => x.add(y),
            (BinOp::Sub, Some(x), Some(y)) => x.sub(y),
            (BinOp::Mul, Some(x), Some(y)) => x.mul(y),
            (BinOp::Shl, Some(x), Some(y)) => {
                let by = y.as_constant().filter(|v| (0..64).contains(v));
                by.and_then(|v| x.scale(1 << v))
            }
            _ => None,
        };
        if let Some(a) = affine {
            return Form::Aff(a);
        }
        let op = match op {
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            BinOp::Mul => Op::Mul,
            BinOp::FloorDiv => Op::FloorDiv,
            BinOp::Mod => Op::Mod,
            BinOp::Pow => Op::Pow,
            BinOp::Shl => Op::Shl,
            BinOp::Shr => Op::Shr,
            BinOp::And => Op::And,
            BinOp::Or => Op::Or,
            BinOp::Xor => Op::Xor,
            BinOp::Min => Op::Min,
            BinOp::Max => Op::Max,
            BinOp::Div => return NOTHING,
        };
        Form::Op(op, vec![a.clone(), b.clone()])
    }

    /// Records the guard of `x / n` with an int `n`: it fails only if `n` is zero.
    fn float_divisor(&mut self, address: usize, b: &Expr) {
        let ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } = &b.kind
        else {
            return;
        };
        if !is_int(a.ty) || self.quiet {
            return;
        }
        let divisor = self.quietly(|w| w.visit(a));
        let dividend = Form::Aff(Affine::default());
        self.guard(
            address,
            GuardForm::Divisor {
                dividend,
                divisor,
                min: i128::MIN,
                fits: None,
            },
        );
    }

    fn cast(&mut self, e: &Expr, kind: Cast, from: Ty, form: Form, guard: bool) -> Form {
        let address = crate::guards::expr_key(e);
        let int_from = is_int(from) || from.repr == Scalar::Bool;
        match kind {
            Cast::Value | Cast::Ord if int_from && is_int(e.ty) => {
                let range = Interval::of_type(e.ty.repr);
                if guard {
                    self.guard(address, GuardForm::Fits(form.clone(), range));
                }
                let keeps = guard || Interval::of_type(from.repr).within(range);
                if keeps {
                    form
                } else {
                    self.result(e, guard, form)
                }
            }
            Cast::Value if int_from && guard => {
                let exact = Interval::new(-(1 << 53), 1 << 53);
                self.guard(address, GuardForm::Fits(form, exact));
                NOTHING
            }
            _ => self.of_type(e.ty),
        }
    }

    fn select(&mut self, e: &Expr, cond: &Expr, then: &Expr, orelse: &Expr) -> Form {
        self.visit(cond);
        let (yes, no) = (self.facts_of(cond, true), self.facts_of(cond, false));
        let ctx = self.ctx;
        self.assume(yes);
        let (then_ctx, a) = (self.ctx, self.visit(then));
        self.ctx = ctx;
        self.assume(no);
        let (else_ctx, b) = (self.ctx, self.visit(orelse));
        self.ctx = ctx;
        if !is_int(e.ty) {
            return self.of_type(e.ty);
        }
        if let Some(form) = self.min_max(cond, &a, &b) {
            return form;
        }
        if a == b && a.is_pure() {
            return a;
        }
        let sides = vec![
            Form::At(then_ctx, Box::new(a)),
            Form::At(else_ctx, Box::new(b)),
        ];
        Form::Op(Op::Join, sides)
    }

    /// The minimum or maximum that a choice like `a if a < b else b` is, if it is one.
    fn min_max(&mut self, cond: &Expr, a: &Form, b: &Form) -> Option<Form> {
        let ExprKind::Compare { op, a: x, b: y } = &cond.kind else {
            return None;
        };
        if !is_int(x.ty) || !a.is_pure() || !b.is_pure() {
            return None;
        }
        let (x, y) = self.quietly(|w| (w.visit(x), w.visit(y)));
        let less = matches!(op, CmpOp::Lt | CmpOp::Le);
        if !less && !matches!(op, CmpOp::Gt | CmpOp::Ge) {
            return None;
        }
        let op = match (&x == a && &y == b, &x == b && &y == a) {
            (true, _) => less,
            (_, true) => !less,
            _ => return None,
        };
        Some(Form::Op(if op { Op::Min } else { Op::Max }, vec![x, y]))
    }

    pub(crate) fn quietly<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let was = std::mem::replace(&mut self.quiet, true);
        let out = f(self);
        self.quiet = was;
        out
    }

    /// The facts that hold if a condition is `truth`.
    pub(crate) fn facts_of(&mut self, cond: &Expr, truth: bool) -> Facts {
        match &cond.kind {
            ExprKind::Const(Const::Bool(b)) if *b == truth => vec![],
            ExprKind::Unary {
                op: UnOp::Not | UnOp::Invert,
                a,
                ..
            } => self.facts_of(a, !truth),
            ExprKind::Bind { var, value, body } => {
                let value = self.quietly(|w| w.visit(value));
                if self.int_var(*var) {
                    let value = self.named(value, Some(*var));
                    self.set(*var, value);
                }
                self.facts_of(body, truth)
            }
            ExprKind::Select {
                cond: c,
                then,
                orelse,
            } => self.facts_of_both(c, then, orelse, truth),
            ExprKind::Cast {
                kind: Cast::Truth,
                a,
                ..
            } if is_int(a.ty) => {
                let op = if truth { CmpOp::Ne } else { CmpOp::Eq };
                let zero = Form::Aff(Affine::default());
                let a = self.quietly(|w| w.visit(a));
                self.comparison(op, a, zero)
            }
            ExprKind::Compare { op, a, b } if is_int(a.ty) && is_int(b.ty) => {
                let (x, y) = self.quietly(|w| (w.visit(a), w.visit(b)));
                self.comparison(if truth { *op } else { op.negated() }, x, y)
            }
            _ => opaque(),
        }
    }

    /// The facts of `a and b`, which is true if both are and false if one of them is, or of `a or b`, the other way
    /// round.
    fn facts_of_both(&mut self, c: &Expr, then: &Expr, orelse: &Expr, truth: bool) -> Facts {
        let is = |e: &Expr, b: bool| matches!(e.kind, ExprKind::Const(Const::Bool(v)) if v == b);
        let second = if is(orelse, false) {
            then
        } else if is(then, true) {
            orelse
        } else {
            return opaque();
        };
        let (mut a, b) = (self.facts_of(c, truth), self.facts_of(second, truth));
        if truth == is(orelse, false) {
            a.extend(b);
            return a;
        }
        let clear = |facts: &Facts| {
            let said = facts.iter().filter(|f| f.1 != FactKind::Opaque);
            said.cloned().collect::<Facts>()
        };
        let options = vec![clear(&a), clear(&b)];
        let mut out = Facts::new();
        if options.iter().map(Vec::len).sum::<usize>() < a.len() + b.len() {
            out.extend(opaque());
        }
        if options.iter().all(|o| !o.is_empty()) {
            self.out.choices.push(options);
            let number = self.out.choices.len() as u32 - 1;
            out.push((Affine::default(), FactKind::OneOf(number)));
        }
        out
    }

    fn comparison(&mut self, op: CmpOp, x: Form, y: Form) -> Facts {
        // A value that has no form of its own (a load) cannot be mentioned later either.
        if !x.is_pure() || !y.is_pure() {
            return opaque();
        }
        let (x, y) = (self.named(x, None), self.named(y, None));
        let (Some(less), Some(more)) = (y.sub(&x), x.sub(&y)) else {
            return opaque();
        };
        let nonneg = |a: Affine, c: i128| match a.add_const(c) {
            Some(a) => (a, FactKind::NonNegative),
            None => (Affine::default(), FactKind::Opaque),
        };
        match op {
            CmpOp::Lt => vec![nonneg(less, -1)],
            CmpOp::Le => vec![nonneg(less, 0)],
            CmpOp::Gt => vec![nonneg(more, -1)],
            CmpOp::Ge => vec![nonneg(more, 0)],
            CmpOp::Eq => vec![nonneg(less, 0), nonneg(more, 0)],
            CmpOp::Ne => vec![(less, FactKind::NonZero)],
        }
    }

    /// Forms and intervals that hold exactly when the condition does.
    pub(crate) fn exactly(&mut self, cond: &Expr) -> Option<Vec<(Form, Interval)>> {
        match &cond.kind {
            ExprKind::Select {
                cond: c,
                then,
                orelse,
            } if matches!(orelse.kind, ExprKind::Const(Const::Bool(false))) => {
                let mut out = self.exactly(c)?;
                out.extend(self.exactly(then)?);
                Some(out)
            }
            ExprKind::Compare { op, a, b } if is_int(a.ty) && is_int(b.ty) => {
                let (x, y) = self.quietly(|w| (w.visit(a), w.visit(b)));
                let diff = self.exact(BinOp::Sub, &y, &x);
                let inf = i128::MAX;
                let range = match op {
                    CmpOp::Lt => Interval { lo: 1, hi: inf },
                    CmpOp::Le => Interval { lo: 0, hi: inf },
                    CmpOp::Gt => Interval {
                        lo: i128::MIN,
                        hi: -1,
                    },
                    CmpOp::Ge => Interval {
                        lo: i128::MIN,
                        hi: 0,
                    },
                    CmpOp::Eq => Interval::point(0),
                    CmpOp::Ne => return None,
                };
                Some(vec![(diff, range)])
            }
            _ => None,
        }
    }
}
