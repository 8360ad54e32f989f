//! Masks: which lanes are active, branches and selections by lanes, constructs that lanes leave one by one.
//!
//! The usual scheme of SPMD compilers (Pharr and Mark, "ispc: A SPMD compiler for high-performance CPU
//! programming", 2012): the active lanes are a vector of bits; a jump takes lanes out of it and notes where they
//! become active again.

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_ir::guarded::expr_may_fail;
use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Expr, ExprKind, Scalar, Stmt, StmtKind, UnOp};

use crate::error::{Result, invalid};
use crate::llvm::V;
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;

/// How much likelier it is that some lane of a vector takes a side than that none does.
pub(crate) const SOME_LANE: u32 = 8;

/// A loop or scope that lanes leave one by one: allocas of lane masks.
pub(crate) struct Masked {
    /// The lanes that left by break or leave: active again behind the construct.
    pub(crate) broken: V,
    /// The lanes that continued: active again in the next iteration.
    pub(crate) waiting: V,
    /// The lanes that finished by their own condition.
    done: V,
    /// The lanes that were active before the construct.
    pub(crate) saved: V,
    saved_diverged: bool,
    /// Whether lanes may leave to constructs further outside.
    outer: bool,
}

pub(crate) fn enter_masked(
    em: &mut Emitter<'_, '_>,
    target: Target,
    body: &[Stmt],
) -> Option<Masked> {
    let facts = &em.lanes.open.as_ref()?.facts;
    if !facts.masked.contains(&target) {
        return None;
    }
    let outer = definite_assignment::exits(body)
        .into_iter()
        .any(|t| t != target);
    let masked = Masked {
        broken: em.lanes.mask_home(),
        waiting: em.lanes.mask_home(),
        done: em.lanes.mask_home(),
        saved: em.lanes.exec(),
        saved_diverged: em.lanes.diverged(),
        outer,
    };
    em.lanes.set_diverged(true);
    Some(masked)
}

pub(crate) fn leave_masked(em: &mut Emitter<'_, '_>, m: Masked) {
    if !m.outer {
        em.lanes.set_exec(m.saved);
        em.lanes.set_diverged(m.saved_diverged);
        return;
    }
    let ir = em.ir;
    let ty = ir.type_of(m.saved);
    let back = ir.or(ir.load(ty, m.broken), ir.load(ty, m.done));
    em.lanes.set_exec(ir.or(em.lanes.exec(), back));
    em.lanes.set_diverged(true);
}

/// Makes the lanes that continued active again, at the end of an iteration.
pub(crate) fn next_masked(em: &Emitter<'_, '_>, m: &Masked) {
    let ir = em.ir;
    let ty = ir.type_of(m.saved);
    em.lanes
        .set_exec(ir.or(em.lanes.exec(), ir.load(ty, m.waiting)));
    ir.store(ir.zero(ty), m.waiting);
}

/// Takes the lanes in which `c` is false, which have finished, out of the mask; returns whether any goes on.
pub(crate) fn keep_lanes(em: &Emitter<'_, '_>, m: &Masked, c: Val) -> V {
    let ir = em.ir;
    let ty = ir.type_of(m.saved);
    let exec = em.lanes.exec();
    let finished = ir.and(exec, ir.not(c.a));
    ir.store(ir.or(ir.load(ty, m.done), finished), m.done);
    let exec = ir.and(exec, c.a);
    em.lanes.set_exec(exec);
    em.lanes.any(exec)
}

/// Has all active lanes jump: they are recorded in `home` and inactive from here on.
pub(crate) fn lanes_leave(em: &mut Emitter<'_, '_>, home: V) {
    let ir = em.ir;
    let exec = em.lanes.exec();
    let ty = ir.type_of(exec);
    ir.store(ir.or(ir.load(ty, home), exec), home);
    em.lanes.set_exec(ir.zero(ty));
    em.lanes.set_diverged(true);
}

/// Runs both sides of a branch in turn, each under its mask; a side that does more than arithmetic only if a lane takes
/// it.
pub(crate) fn wide_branch(
    em: &mut Emitter<'_, '_>,
    c: Val,
    then: &[Stmt],
    orelse: &[Stmt],
) -> Result<()> {
    let ir = em.ir;
    let (saved, saved_diverged) = (em.lanes.exec(), em.lanes.diverged());
    let mut left = Vec::new();
    em.guards.conditional += 1;
    for (side, cond) in [(then, c.a), (orelse, ir.not(c.a))] {
        let mask = ir.and(saved, cond);
        if side.is_empty() {
            left.push(mask);
            continue;
        }
        em.lanes.set_exec(mask);
        em.lanes.set_diverged(true);
        let skip = is_heavy(side).then(|| (em.ir.fresh(), em.ir.fresh()));
        if let Some((run, end)) = skip {
            let branch = ir.cond_br(em.lanes.any(mask), run, end);
            // A lane leaves its loop once, but of many lanes one is on most sides.
            match definite_assignment::exits(side).is_empty() {
                true => ir.expect(branch, SOME_LANE, 1),
                false => ir.expect(branch, 1, SOME_LANE),
            }
            ir.at(run);
        }
        em.block(side)?;
        if let Some((_, end)) = skip {
            ir.br(end);
            ir.at(end);
        }
        left.push(em.lanes.exec());
    }
    em.guards.conditional -= 1;
    let exits = !definite_assignment::exits(then).is_empty()
        || !definite_assignment::exits(orelse).is_empty();
    if exits {
        let all = left.into_iter().reduce(|a, b| ir.or(a, b)).unwrap_or(saved);
        em.lanes.set_exec(all);
        em.lanes.set_diverged(true);
    } else {
        em.lanes.set_exec(saved);
        em.lanes.set_diverged(saved_diverged);
    }
    Ok(())
}

/// A selection by lanes.
pub(crate) fn wide_select(
    em: &mut Emitter<'_, '_>,
    c: Val,
    then: &Expr,
    orelse: &Expr,
    repr: Scalar,
) -> Result<Val> {
    let ir = em.ir;
    let (saved, saved_diverged) = (em.lanes.exec(), em.lanes.diverged());
    let mut values = Vec::new();
    for (side, cond) in [(then, c.a), (orelse, ir.not(c.a))] {
        if crate::lower::vector::masks::is_plain(side) {
            values.push(em.expr(side)?);
            continue;
        }
        let mask = ir.and(saved, cond);
        let home = em.vars.temporary(&em.lanes, repr, true);
        let (run, end) = (em.ir.fresh(), em.ir.fresh());
        em.lanes.set_exec(mask);
        em.lanes.set_diverged(true);
        ir.expect(ir.cond_br(em.lanes.any(mask), run, end), SOME_LANE, 1);
        ir.at(run);
        em.guards.conditional += 1;
        let v = em.expr(side)?;
        em.guards.conditional -= 1;
        let v = em.lanes.widen(v);
        home.store(em.ir, v);
        ir.br(end);
        ir.at(end);
        em.lanes.set_exec(saved);
        em.lanes.set_diverged(saved_diverged);
        values.push(home.load(em.ir));
    }
    match values[..] {
        [x, y] => Ok(em.lanes.choose(c, x, y)),
        _ => invalid("a selection without sides"),
    }
}

/// Whether a side of a branch is worth testing for, or may only run if some lane takes it.
fn is_heavy(block: &[Stmt]) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Let { value, .. } => !crate::lower::vector::masks::is_plain(value),
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) => false,
        StmtKind::If { cond, then, orelse } => {
            !crate::lower::vector::masks::is_plain(cond) || is_heavy(then) || is_heavy(orelse)
        }
        _ => true,
    })
}

/// Whether evaluating `e` where the program does not is invisible and cheap: no guard failure, no memory, no call, no
/// division (which may raise a floating-point flag), no binding.
pub(crate) fn is_plain(e: &Expr) -> bool {
    let (mut plain, mut size) = (true, 0);
    e.walk(&mut |e| {
        size += 1;
        plain &= !expr_may_fail(e)
            && match &e.kind {
                ExprKind::Load { .. }
                | ExprKind::Call { .. }
                | ExprKind::HostCall { .. }
                | ExprKind::Bind { .. } => false,
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
