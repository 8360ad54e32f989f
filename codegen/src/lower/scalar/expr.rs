//! Expressions: dispatch, literals, comparisons, lazy selection.

use nestwise_analysis::dataflow::finite::{covers_operand, is_watched};
use nestwise_ir::guarded::expr_may_fire;
use nestwise_ir::model::nest::{BinOp, Cast, CmpOp};
use nestwise_ir::{Const, Expr, ExprKind, Scalar, Span, UnOp, VarId};

use crate::abi::EventCode;
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{IntPred, RealPred, V, Wrap};
use crate::lower::{Func, Val};

impl Func<'_, '_> {
    /// Emits `e`; operands left to right, before the operation.
    pub(crate) fn expr(&mut self, e: &Expr) -> Result<Val> {
        if self.has_grid() && e.reads(|_| true) {
            return self.value_alone(e);
        }
        let covered = std::mem::take(&mut self.covered);
        match &e.kind {
            ExprKind::Const(c) => self.constant(*c, e.ty.repr),
            ExprKind::Var(v) => self.read(*v),
            ExprKind::Dim(a, axis) => self.extent(*a, *axis),
            ExprKind::Load {
                array,
                index,
                guard,
                access,
            } => self.with_copy(*access, *array, |f| f.load(*array, index, *guard, e.span)),
            ExprKind::Unary { op, a, guard } => {
                self.covered = covers_operand(e, 0, covered);
                let v = self.expr(a)?;
                if matches!(op, UnOp::Real | UnOp::Imag) {
                    self.keep_if_warns(a, v);
                }
                self.unary(*op, v, a.ty.repr, *guard, e.span)
            }
            ExprKind::Binary { .. } if crate::lower::vector::extremes::is_chain(e) => {
                self.extreme_chain(e)
            }
            ExprKind::Binary { op, a, b, guard } => {
                if let Some(v) = self.linear_chain(e)? {
                    return Ok(v);
                }
                self.covered = covers_operand(e, 0, covered);
                let x = self.expr(a)?;
                self.covered = covers_operand(e, 1, covered);
                let y = self.expr(b)?;
                if e.ty.repr == Scalar::Bool {
                    self.keep_if_warns(a, x);
                    self.keep_if_warns(b, y);
                }
                let (x, y) = self.unify(self.run_time(e, a, x), y);
                match covered && is_watched(e) {
                    true => self.unwatched(|f| f.binary(*op, x, y, e, b, *guard)),
                    false => self.binary(*op, x, y, e, b, *guard),
                }
            }
            ExprKind::Compare { op, a, b } => {
                let x = self.expr(a)?;
                let y = self.expr(b)?;
                self.keep_if_warns(a, x);
                self.keep_if_warns(b, y);
                let (x, y) = self.unify(x, y);
                self.compare(*op, x, y, a.ty.repr)
            }
            ExprKind::Select { cond, then, orelse } => self.select(cond, then, orelse, e.ty.repr),
            ExprKind::Cast { kind, a, guard } => {
                self.covered = covers_operand(e, 0, covered);
                let v = self.expr(a)?;
                if *kind == Cast::Truth {
                    self.keep_if_warns(a, v);
                }
                let v = self.run_time(e, a, v);
                self.cast(*kind, v, a.ty.repr, e.ty.repr, *guard, e.span)
            }
            ExprKind::Call {
                fun,
                lib,
                args,
                guard,
            } => self.call(*fun, *lib, args, *guard, e),
            ExprKind::Bind { var, value, body } => {
                let unread = self.unread;
                self.unread |= self.u.idle.assigns(*var, value);
                let v = self.expr(value)?;
                self.keep_unread(value, v);
                self.unread = unread;
                self.assign(*var, v, value)?;
                self.covered = covered;
                self.expr(body)
            }
        }
    }

    /// Emits what nobody has to look at the result of.
    fn unwatched<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let word = self.ir().watch(None);
        let made = emit(self);
        self.ir().watch(word);
        made
    }

    /// `var = v`, where `value` is the expression that gave `v`.
    pub(crate) fn assign(&mut self, var: VarId, v: Val, value: &Expr) -> Result<()> {
        self.track_first_lane(var, value)?;
        if let Some(mark) = self.marks.get(&var) {
            self.ir().store(self.ir().const_bool(true), *mark);
        }
        self.write(var, v)
    }

    pub(crate) fn constant(&self, c: Const, repr: Scalar) -> Result<Val> {
        Ok(match (c, repr) {
            (Const::Bool(b), Scalar::Bool) => Val::one(self.const_bool(b, false)),
            (Const::Int(v), Scalar::Num) => Val::pair(
                self.const_float(repr, v as f64, false),
                self.const_bool(true, false),
                false,
            ),
            (Const::Int(v), r) if r.is_int() || r == Scalar::Char => {
                Val::one(self.const_int(r, v, false))
            }
            (Const::Float(v), Scalar::Num) => Val::pair(
                self.const_float(repr, v, false),
                self.const_bool(false, false),
                false,
            ),
            (Const::Float(v), r) if r.is_float() => Val::one(self.const_float(r, v, false)),
            (Const::Complex(re, im), r) if r.is_complex() => Val::pair(
                self.const_float(r, re, false),
                self.const_float(r, im, false),
                false,
            ),
            _ => return invalid(format!("constant {c:?} of type {repr}")),
        })
    }

    fn unary(&mut self, op: UnOp, v: Val, repr: Scalar, guard: bool, span: Span) -> Result<Val> {
        match op {
            UnOp::Not => Ok(Val::shaped(self.ir().not(v.a), v.wide)),
            UnOp::Real => Ok(Val::shaped(v.a, v.wide)),
            UnOp::Imag => Ok(Val::shaped(v.second()?, v.wide)),
            UnOp::Conj => Ok(Val::pair(v.a, self.ir().fneg(v.second()?), v.wide)),
            UnOp::Invert => Ok(Val::shaped(self.ir().not(v.a), v.wide)),
            UnOp::Neg if repr.is_complex() => Ok(Val::pair(
                self.ir().fneg(v.a),
                self.ir().fneg(v.second()?),
                v.wide,
            )),
            UnOp::Neg if repr == Scalar::Num => {
                let negated = self.ir().fneg(v.a);
                self.num_result(negated, v.second()?, v.wide, span)
            }
            UnOp::Neg if repr.is_float() => Ok(Val::shaped(self.ir().fneg(v.a), v.wide)),
            UnOp::Neg => self.int_neg(v, repr, guard, span),
            UnOp::Abs if repr.is_complex() => self.complex_abs(v, repr, guard, span),
            UnOp::Abs if repr.is_float() || repr == Scalar::Num => {
                let ty = self.ir().type_of(v.a);
                Ok(Val {
                    a: self.ir().intrinsic("llvm.fabs", &[ty], &[v.a]),
                    b: v.b,
                    wide: v.wide,
                })
            }
            UnOp::Abs if repr == Scalar::Bool => Ok(v),
            UnOp::Abs => self.int_abs(v, repr, guard, span),
        }
    }

    fn binary(
        &mut self,
        op: BinOp,
        x: Val,
        y: Val,
        e: &Expr,
        b: &Expr,
        guard: bool,
    ) -> Result<Val> {
        let repr = e.ty.repr;
        match repr {
            Scalar::Bool => self.bool_binary(op, x, y),
            Scalar::Num => {
                // Ints stay exact only where each operation's result is looked at as it is.
                let fast = self.ir().exactly();
                let v = self.num_binary(op, x, y, guard, e.span);
                self.ir().as_before(fast);
                v
            }
            Scalar::F32 | Scalar::F64 => self.float_binary(op, x, y, repr, b, guard, e.span),
            Scalar::C64 | Scalar::C128 => self.complex_binary(op, x, y, e.ty, guard, e.span),
            Scalar::Char => unsupported("arithmetic on characters"),
            _ if !guard
                && self.wrapping == Some(std::ptr::from_ref(e))
                && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) =>
            {
                Ok(self.int_wrapping(op, x, y))
            }
            _ => {
                // A constant on the right, where the order of operands does not matter.
                let left = match &e.kind {
                    ExprKind::Binary { a, .. } => a.as_int().filter(|_| b.as_int().is_none()),
                    _ => None,
                };
                let (x, y, constant) = match (left, op) {
                    (Some(c), BinOp::Add | BinOp::Mul) => (y, x, Some(c)),
                    _ => (x, y, b.as_int()),
                };
                self.int_binary(op, x, y, repr, constant, guard, e.span)
            }
        }
    }

    fn bool_binary(&mut self, op: BinOp, x: Val, y: Val) -> Result<Val> {
        let ir = self.ir();
        let v = match op {
            BinOp::Add | BinOp::Or | BinOp::Max => ir.or(x.a, y.a),
            BinOp::Mul | BinOp::And | BinOp::Min => ir.and(x.a, y.a),
            BinOp::Xor => ir.xor(x.a, y.a),
            _ => return unsupported(format!("{op:?} on bools")),
        };
        Ok(Val::shaped(v, x.wide))
    }

    pub(crate) fn compare(&mut self, op: CmpOp, x: Val, y: Val, repr: Scalar) -> Result<Val> {
        let ir = self.ir();
        let v = match repr {
            Scalar::F32 | Scalar::F64 | Scalar::Num => ir.fcmp(float_predicate(op), x.a, y.a),
            Scalar::C64 | Scalar::C128 => {
                let pred = float_predicate(op);
                let (re, im) = (
                    ir.fcmp(pred, x.a, y.a),
                    ir.fcmp(pred, x.second()?, y.second()?),
                );
                match op {
                    CmpOp::Eq => ir.and(re, im),
                    CmpOp::Ne => ir.or(re, im),
                    _ => return unsupported("an ordering of complex numbers"),
                }
            }
            _ => ir.icmp(int_predicate(op, repr.is_signed()), x.a, y.a),
        };
        Ok(Val::shaped(v, x.wide))
    }

    /// Only the chosen side is evaluated, unless the other side is cheap and nothing can tell.
    fn select(&mut self, cond: &Expr, then: &Expr, orelse: &Expr, repr: Scalar) -> Result<Val> {
        let c = self.expr(cond)?;
        if c.wide {
            return self.wide_select(c, then, orelse, repr);
        }
        if is_plain(then) && is_plain(orelse) {
            let (x, y) = (self.expr(then)?, self.expr(orelse)?);
            return Ok(self.choose(c, x, y));
        }
        // The shape of the result must be known before the sides are emitted.
        let wide = self
            .lanes
            .as_ref()
            .is_some_and(|l| l.facts.is_varying(then) || l.facts.is_varying(orelse));
        let home = self.temporary(repr, wide);
        let (yes, no, end) = (self.fresh(), self.fresh(), self.fresh());
        self.ir().cond_br(c.a, yes, no);
        self.conditional += 1;
        for (block, side) in [(yes, then), (no, orelse)] {
            self.ir().at(block);
            let v = self.expr(side)?;
            let v = if wide { self.widen(v) } else { v };
            if v.wide != wide {
                return invalid("a selection whose sides differ between lanes");
            }
            self.put(home, v);
            self.ir().br(end);
        }
        self.conditional -= 1;
        self.ir().at(end);
        Ok(self.get(home, repr, wide))
    }

    /// Arithmetic of [`Scalar::Num`]: float arithmetic; where both are ints, the result must be one as well.
    fn num_binary(&mut self, op: BinOp, x: Val, y: Val, guard: bool, span: Span) -> Result<Val> {
        let (tx, ty) = (x.second()?, y.second()?);
        let (a, b) = (Val::shaped(x.a, x.wide), Val::shaped(y.a, y.wide));
        let ir = self.ir();
        let tag = ir.and(tx, ty);
        let r = match op {
            BinOp::Add => ir.fadd(x.a, y.a),
            BinOp::Sub => ir.fsub(x.a, y.a),
            BinOp::Mul => ir.fmul(x.a, y.a),
            BinOp::Div => {
                let q = self.float_div(a, b, Scalar::F64, guard, span)?;
                return Ok(Val::pair(q.a, self.const_bool(false, x.wide), x.wide));
            }
            BinOp::FloorDiv => self.float_floor_div(a, b, Scalar::F64, guard, span)?.a,
            BinOp::Mod => self.float_mod(a, b, Scalar::F64, guard, span)?.a,
            _ => return unsupported(format!("{op:?} on numbers that are ints or floats")),
        };
        self.num_result(r, tag, x.wide, span)
    }

    /// Completes a result that is an int where `tag` is set: beyond 2**53 doubles skip ints, so the operation
    /// fires (2**53 itself may be a rounded result); an int has no negative zero.
    pub(crate) fn num_result(&mut self, r: V, tag: V, wide: bool, span: Span) -> Result<Val> {
        let ir = self.ir();
        let ty = ir.type_of(r);
        let limit = self.const_float(Scalar::F64, (1u64 << 53) as f64, wide);
        let size = ir.intrinsic("llvm.fabs", &[ty], &[r]);
        // Unordered: a NaN cannot come from ints, but is certainly no int.
        let large = ir.fcmp(RealPred::LLVMRealUGE, size, limit);
        let bad = ir.and(tag, large);
        self.fire(bad, wide, EventCode::Overflow, span);
        let positive = ir.fadd(r, self.const_float(Scalar::F64, 0.0, wide));
        Ok(Val::pair(ir.select(tag, positive, r), tag, wide))
    }

    pub(crate) fn extent(&mut self, array: nestwise_ir::ArrayId, axis: u32) -> Result<Val> {
        let cell = self
            .slots
            .get(array.index())
            .and_then(|s| s.extents.get(axis as usize))
            .copied();
        match cell {
            Some(cell) => Ok(Val::one(self.cell(cell))),
            None => invalid(format!("no axis {axis} of {array}")),
        }
    }

    /// `a + b * c` on addresses and counters, where no overflow is possible.
    pub(crate) fn index_fma(&self, a: V, b: V, c: V) -> V {
        let ir = self.ir();
        ir.add(a, ir.mul(b, c, Wrap::Signed), Wrap::Signed)
    }
}

pub(crate) fn int_predicate(op: CmpOp, signed: bool) -> IntPred {
    match (op, signed) {
        (CmpOp::Eq, _) => IntPred::LLVMIntEQ,
        (CmpOp::Ne, _) => IntPred::LLVMIntNE,
        (CmpOp::Lt, true) => IntPred::LLVMIntSLT,
        (CmpOp::Le, true) => IntPred::LLVMIntSLE,
        (CmpOp::Gt, true) => IntPred::LLVMIntSGT,
        (CmpOp::Ge, true) => IntPred::LLVMIntSGE,
        (CmpOp::Lt, false) => IntPred::LLVMIntULT,
        (CmpOp::Le, false) => IntPred::LLVMIntULE,
        (CmpOp::Gt, false) => IntPred::LLVMIntUGT,
        (CmpOp::Ge, false) => IntPred::LLVMIntUGE,
    }
}

pub(crate) fn float_predicate(op: CmpOp) -> RealPred {
    match op {
        CmpOp::Eq => RealPred::LLVMRealOEQ,
        CmpOp::Ne => RealPred::LLVMRealUNE,
        CmpOp::Lt => RealPred::LLVMRealOLT,
        CmpOp::Le => RealPred::LLVMRealOLE,
        CmpOp::Gt => RealPred::LLVMRealOGT,
        CmpOp::Ge => RealPred::LLVMRealOGE,
    }
}

/// Whether evaluating `e` where the program does not is invisible and cheap: no event, no memory, no call, no
/// division (which may raise a floating-point flag), no binding.
pub(crate) fn is_plain(e: &Expr) -> bool {
    let (mut plain, mut size) = (true, 0);
    e.walk(&mut |e| {
        size += 1;
        plain &= !expr_may_fire(e)
            && match &e.kind {
                ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::Bind { .. } => false,
                ExprKind::Binary { op, .. } => {
                    let cheap =
                        !matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::Pow);
                    cheap && !e.ty.repr.is_complex()
                }
                ExprKind::Unary { op: UnOp::Abs, .. } => !e.ty.repr.is_complex(),
                _ => true,
            };
    });
    plain && size <= 8
}
