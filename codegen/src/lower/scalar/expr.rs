//! Expressions: dispatch, literals, comparisons, lazy selection.

use nestwise_analysis::dataflow::finite::{covers_operand, is_watched};
use nestwise_ir::model::nest::{BinOp, Cast};
use nestwise_ir::{Const, Expr, ExprKind, Scalar, Span, UnOp, VarId};

use crate::abi::GuardFailure;
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{Ir, RealPred, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::single_thread;
use crate::lower::host_call;
use crate::lower::math::call;
use crate::lower::memory::{anti_dependence_copies, elements};
use crate::lower::scalar::{cast, compare, complex, flag_values, float, int, linear};
use crate::lower::value::Val;
use crate::lower::vector::{extremes, linear_variables, masks};

/// Runs `emit` without noting results that are not finite.
fn unwatched<T>(em: &mut Emitter<'_, '_>, emit: impl FnOnce(&mut Emitter<'_, '_>) -> T) -> T {
    let word = em.ir.watch(None);
    let made = emit(em);
    em.ir.watch(word);
    made
}

/// `var = v`, where `value` is the expression that gave `v`.
pub(crate) fn assign(em: &mut Emitter<'_, '_>, var: VarId, v: Val, value: &Expr) -> Result<()> {
    linear_variables::track_first_lane(em, var, value)?;
    if let Some(mark) = em.vars.marks.get(&var) {
        em.ir.store(em.ir.const_bool(true), *mark);
    }
    em.vars.write(&em.lanes, var, v)
}

fn constant(em: &Emitter<'_, '_>, c: Const, repr: Scalar) -> Result<Val> {
    Ok(match (c, repr) {
        (Const::Bool(b), Scalar::Bool) => Val::one(em.lanes.const_bool(b, false)),
        (Const::Int(v), Scalar::Num) => Val::pair(
            em.lanes.const_float(repr, v as f64, false),
            em.lanes.const_bool(true, false),
            false,
        ),
        (Const::Int(v), r) if r.is_int() || r == Scalar::Char => {
            Val::one(em.lanes.const_int(r, v, false))
        }
        (Const::Float(v), Scalar::Num) => Val::pair(
            em.lanes.const_float(repr, v, false),
            em.lanes.const_bool(false, false),
            false,
        ),
        (Const::Float(v), r) if r.is_float() => Val::one(em.lanes.const_float(r, v, false)),
        (Const::Complex(re, im), r) if r.is_complex() => Val::pair(
            em.lanes.const_float(r, re, false),
            em.lanes.const_float(r, im, false),
            false,
        ),
        _ => return invalid(format!("constant {c:?} of type {repr}")),
    })
}

fn unary(
    em: &Emitter<'_, '_>,
    op: UnOp,
    v: Val,
    repr: Scalar,
    guard: bool,
    span: Span,
) -> Result<Val> {
    match op {
        UnOp::Not => Ok(Val::shaped(em.ir.not(v.a), v.wide)),
        UnOp::Real => Ok(Val::shaped(v.a, v.wide)),
        UnOp::Imag => Ok(Val::shaped(v.second()?, v.wide)),
        UnOp::Conj => Ok(Val::pair(v.a, em.ir.fneg(v.second()?), v.wide)),
        UnOp::Invert => Ok(Val::shaped(em.ir.not(v.a), v.wide)),
        UnOp::Neg if repr.is_complex() => {
            Ok(Val::pair(em.ir.fneg(v.a), em.ir.fneg(v.second()?), v.wide))
        }
        UnOp::Neg if repr == Scalar::Num => {
            let negated = em.ir.fneg(v.a);
            num_result(em, negated, v.second()?, v.wide, span)
        }
        UnOp::Neg if repr.is_float() => Ok(Val::shaped(em.ir.fneg(v.a), v.wide)),
        UnOp::Neg => int::neg(em, v, repr, guard, span),
        UnOp::Abs if repr.is_complex() => complex::abs(em, v, repr, guard, span),
        UnOp::Abs if repr.is_float() || repr == Scalar::Num => {
            let ty = em.ir.type_of(v.a);
            Ok(Val {
                a: em.ir.intrinsic("llvm.fabs", &[ty], &[v.a]),
                b: v.b,
                wide: v.wide,
            })
        }
        UnOp::Abs if repr == Scalar::Bool => Ok(v),
        UnOp::Abs => int::abs(em, v, repr, guard, span),
    }
}

fn binary(
    em: &mut Emitter<'_, '_>,
    op: BinOp,
    x: Val,
    y: Val,
    e: &Expr,
    b: &Expr,
    guard: bool,
) -> Result<Val> {
    let repr = e.ty.repr;
    match repr {
        Scalar::Bool => bool_binary(em.ir, op, x, y),
        Scalar::Num => {
            // Ints stay exact only where each operation's result is looked at as it is.
            let fast = em.ir.exactly();
            let v = num_binary(em, op, x, y, guard, e.span);
            em.ir.as_before(fast);
            v
        }
        Scalar::F32 | Scalar::F64 => float::binary(em, op, x, y, repr, b, guard, e.span),
        Scalar::C64 | Scalar::C128 => complex::binary(em, op, x, y, e.ty, guard, e.span),
        Scalar::Char => unsupported("arithmetic on characters"),
        _ if !guard
            && em.guards.wrapping == Some(std::ptr::from_ref(e))
            && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) =>
        {
            Ok(int::wrapping(em.ir, op, x, y))
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
            int::binary(em, op, x, y, repr, constant, guard, e.span)
        }
    }
}

fn bool_binary(ir: &Ir<'_>, op: BinOp, x: Val, y: Val) -> Result<Val> {
    let v = match op {
        BinOp::Add | BinOp::Or | BinOp::Max => ir.or(x.a, y.a),
        BinOp::Mul | BinOp::And | BinOp::Min => ir.and(x.a, y.a),
        BinOp::Xor => ir.xor(x.a, y.a),
        _ => return unsupported(format!("{op:?} on bools")),
    };
    Ok(Val::shaped(v, x.wide))
}

/// Emits a selection: only the chosen side is evaluated, unless the other side is cheap and nothing can tell.
fn select(
    em: &mut Emitter<'_, '_>,
    cond: &Expr,
    then: &Expr,
    orelse: &Expr,
    repr: Scalar,
) -> Result<Val> {
    let c = em.expr(cond)?;
    if c.wide {
        return masks::wide_select(em, c, then, orelse, repr);
    }
    if masks::is_plain(then) && masks::is_plain(orelse) {
        let (x, y) = (em.expr(then)?, em.expr(orelse)?);
        return Ok(em.lanes.choose(c, x, y));
    }
    // The shape of the result must be known before the sides are emitted.
    let wide = em
        .lanes
        .open
        .as_ref()
        .is_some_and(|l| l.facts.is_varying(then) || l.facts.is_varying(orelse));
    let home = em.vars.temporary(&em.lanes, repr, wide);
    let (yes, no, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    em.ir.cond_br(c.a, yes, no);
    em.guards.conditional += 1;
    for (block, side) in [(yes, then), (no, orelse)] {
        em.ir.at(block);
        let v = em.expr(side)?;
        let v = if wide { em.lanes.widen(v) } else { v };
        if v.wide != wide {
            return invalid("a selection whose sides differ between lanes");
        }
        home.store(em.ir, v);
        em.ir.br(end);
    }
    em.guards.conditional -= 1;
    em.ir.at(end);
    Ok(home.load(em.ir))
}

/// Arithmetic of [`Scalar::Num`]: float arithmetic; where both are ints, the result must be one as well.
fn num_binary(
    em: &mut Emitter<'_, '_>,
    op: BinOp,
    x: Val,
    y: Val,
    guard: bool,
    span: Span,
) -> Result<Val> {
    let (tx, ty) = (x.second()?, y.second()?);
    let (a, b) = (Val::shaped(x.a, x.wide), Val::shaped(y.a, y.wide));
    let ir = em.ir;
    let tag = ir.and(tx, ty);
    let r = match op {
        BinOp::Add => ir.fadd(x.a, y.a),
        BinOp::Sub => ir.fsub(x.a, y.a),
        BinOp::Mul => ir.fmul(x.a, y.a),
        BinOp::Div => {
            let q = float::div(em, a, b, Scalar::F64, guard, span)?;
            return Ok(Val::pair(q.a, em.lanes.const_bool(false, x.wide), x.wide));
        }
        BinOp::FloorDiv => float::floor_div(em, a, b, Scalar::F64, guard, span)?.a,
        BinOp::Mod => float::modulo(em, a, b, Scalar::F64, guard, span)?.a,
        _ => return unsupported(format!("{op:?} on numbers that are ints or floats")),
    };
    num_result(em, r, tag, x.wide, span)
}

/// Completes a result that is an int where `tag` is set: beyond 2**53 doubles skip ints, so the operation
/// fails (2**53 itself may be a rounded result); an int has no negative zero.
fn num_result(em: &Emitter<'_, '_>, r: V, tag: V, wide: bool, span: Span) -> Result<Val> {
    let ir = em.ir;
    let ty = ir.type_of(r);
    let limit = em.lanes.const_float(Scalar::F64, (1u64 << 53) as f64, wide);
    let size = ir.intrinsic("llvm.fabs", &[ty], &[r]);
    // Unordered: a NaN cannot come from ints, but is certainly no int.
    let large = ir.fcmp(RealPred::LLVMRealUGE, size, limit);
    let bad = ir.and(tag, large);
    guards::fail_where(em, bad, wide, GuardFailure::Overflow, span);
    let positive = ir.fadd(r, em.lanes.const_float(Scalar::F64, 0.0, wide));
    Ok(Val::pair(ir.select(tag, positive, r), tag, wide))
}

fn extent(em: &Emitter<'_, '_>, array: nestwise_ir::ArrayId, axis: u32) -> Result<Val> {
    let cell = em
        .slots
        .all
        .get(array.index())
        .and_then(|s| s.extents.get(axis as usize))
        .copied();
    match cell {
        Some(cell) => Ok(Val::one(cell.get(em.ir))),
        None => invalid(format!("no axis {axis} of {array}")),
    }
}

impl Emitter<'_, '_> {
    /// Emits `e`; operands left to right, before the operation.
    pub(crate) fn expr(&mut self, e: &Expr) -> Result<Val> {
        if self.has_grid() && e.reads(|_| true) {
            return single_thread::value_alone(self, e);
        }
        let covered = std::mem::take(&mut self.guards.covered);
        match &e.kind {
            ExprKind::Const(c) => constant(self, *c, e.ty.repr),
            ExprKind::Var(v) => self.vars.read(&self.lanes, *v),
            ExprKind::Dim(a, axis) => extent(self, *a, *axis),
            ExprKind::Load {
                array,
                index,
                guard,
                access,
            } => anti_dependence_copies::with_copy(self, *access, *array, |f| {
                elements::load(f, *array, index, *guard, e.span)
            }),
            ExprKind::Unary { op, a, guard } => {
                self.guards.covered = covers_operand(e, 0, covered);
                let v = self.expr(a)?;
                if matches!(op, UnOp::Real | UnOp::Imag) {
                    flag_values::keep_if_warns(self, a, v);
                }
                unary(self, *op, v, a.ty.repr, *guard, e.span)
            }
            ExprKind::Binary { .. } if crate::lower::vector::extreme_chains::is_chain(e) => {
                extremes::extreme_chain(self, e)
            }
            ExprKind::Binary { op, a, b, guard } => {
                if let Some(v) = linear::chain(self, e)? {
                    return Ok(v);
                }
                self.guards.covered = covers_operand(e, 0, covered);
                let x = self.expr(a)?;
                self.guards.covered = covers_operand(e, 1, covered);
                let y = self.expr(b)?;
                if e.ty.repr == Scalar::Bool {
                    flag_values::keep_if_warns(self, a, x);
                    flag_values::keep_if_warns(self, b, y);
                }
                let (x, y) = self
                    .lanes
                    .unify(flag_values::run_time(self.unit, e, a, x), y);
                match covered && is_watched(e) {
                    true => unwatched(self, |f| binary(f, *op, x, y, e, b, *guard)),
                    false => binary(self, *op, x, y, e, b, *guard),
                }
            }
            ExprKind::Compare { op, a, b } => {
                let x = self.expr(a)?;
                let y = self.expr(b)?;
                flag_values::keep_if_warns(self, a, x);
                flag_values::keep_if_warns(self, b, y);
                let (x, y) = self.lanes.unify(x, y);
                compare::compare(self.ir, *op, x, y, a.ty.repr)
            }
            ExprKind::Select { cond, then, orelse } => select(self, cond, then, orelse, e.ty.repr),
            ExprKind::Cast { kind, a, guard } => {
                self.guards.covered = covers_operand(e, 0, covered);
                let v = self.expr(a)?;
                if *kind == Cast::Truth {
                    flag_values::keep_if_warns(self, a, v);
                }
                let v = flag_values::run_time(self.unit, e, a, v);
                cast::cast(self, *kind, v, a.ty.repr, e.ty.repr, *guard, e.span)
            }
            ExprKind::Call {
                fun,
                lib,
                args,
                guard,
            } => call::call(self, *fun, *lib, args, *guard, e),
            ExprKind::HostCall { fragment, args } => host_call::host_call(self, *fragment, args, e),
            ExprKind::Bind { var, value, body } => {
                let unread = self.flags.unread;
                self.flags.unread |= self.unit.flag_only.assigns(*var, value);
                let v = self.expr(value)?;
                flag_values::keep_unread(self, value, v);
                self.flags.unread = unread;
                assign(self, *var, v, value)?;
                self.guards.covered = covered;
                self.expr(body)
            }
        }
    }
}
